"""Long texts read by descent on J, the engine of the classifiers."""

from __future__ import annotations

import numpy as np
import pytest

from ventris.ciphers.breaking import LONG
from ventris.ciphers.ciphers import encipher
from ventris.ciphers.deciphering import decipher
from ventris.ciphers.gradient import _text_pairs, read_by_descent
from ventris.ciphers.letter_model import letter_model
from ventris.ciphers.spelling import BREAK, alphabet_of
from ventris.datasets.language import load_language


@pytest.fixture(scope="module")
def long_text() -> np.ndarray:
    return load_language("en", 4, space=False).sample(LONG + 500, random_state=11)


def test_descent_alone_reads_most_of_a_long_text(long_text):
    key = np.random.default_rng(1).permutation(26)
    reading = read_by_descent(key[long_text], letter_model("en", 4, False), np.random.default_rng(2))
    assert sorted(reading) == list(range(26))
    assert np.mean(reading[key[long_text]] != long_text) <= 0.05


def test_descent_and_polish_read_all_of_it(long_text):
    alphabet = alphabet_of("en")
    plain = "".join(alphabet[i] for i in long_text)
    key = "".join(np.random.default_rng(3).permutation(list(alphabet)))
    result = decipher(encipher(plain, key, kind="substitution"), "en", "substitution")
    assert np.mean([a != b for a, b in zip(result.plaintext, plain, strict=True)]) <= 0.001


def test_pairs_do_not_cross_breaks():
    pairs = _text_pairs(np.array([0, 1, 0, 1, 0, 0, BREAK, 1, 1, 1, 1, 1]), 2)
    np.testing.assert_allclose(pairs.sum(axis=(1, 2)), 1.0)
    # Lag 1: 01 10 01 10 00 before the break, 11 four times after it.
    np.testing.assert_allclose(pairs[0], np.array([[1, 2], [2, 4]]) / 9)
