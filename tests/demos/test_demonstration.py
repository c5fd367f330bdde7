"""The demonstration's cipher: the key is right, and its costs finite, on a message that lacks letters."""

from __future__ import annotations

import numpy as np

import ventris as vt
from ventris.demos.demonstration import PAPER_CIPHERTEXT, match_histograms


def test_a_short_message_without_all_letters_is_read():
    plain = "HELLO WORLD THIS IS A TEST"
    found = match_histograms(vt.encipher(plain, 3, kind="caesar"))
    assert np.all(np.isfinite(found.costs))
    assert (found.key, found.plaintext) == (3, plain)


def test_the_papers_message_is_read_with_a_margin():
    found = match_histograms(PAPER_CIPHERTEXT)
    first, second = sorted(found.costs)[:2]
    assert found.key == 23
    assert found.entropy < first < second
