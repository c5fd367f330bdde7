"""Shift scores: the key is found, and each score is the divergence it claims to be."""

from __future__ import annotations

import numpy as np
import pytest

import ventris as vt
from ventris.datasets import load_language
from ventris.errors import DataError
from ventris.figures.histograms import score_shifts

TEXT = "it is not the strongest of the species that survives but the one most responsive to change"


@pytest.mark.parametrize("key", range(0, 26, 5))
def test_every_key_is_found_by_its_histogram(key):
    english = load_language("en", order=1, space=False)
    assert score_shifts(vt.encipher(TEXT, key, kind="caesar"), english).key == key


def test_a_score_is_the_divergence_of_the_shifted_smoothed_histogram():
    english = load_language("en", order=1, space=False)
    found = score_shifts(TEXT, english)
    counts = np.array([TEXT.count(letter) for letter in found.alphabet])
    smooth = (counts + 1) / (counts.sum() + 26)
    for k in (0, 7, 25):
        back = np.array([smooth[(i + k) % 26] for i in range(26)])
        expected = np.sum(found.prior * np.log(found.prior / back))
        assert found.excess[k] == pytest.approx(expected, rel=1e-9)
    np.testing.assert_allclose(found.observed, counts / counts.sum(), rtol=1e-12)


def test_the_figure_shows_language_message_and_scores():
    figure = vt.figures.histogram_match(TEXT)
    language, message, scores = figure.axes
    found = score_shifts(TEXT, load_language("en", order=1, space=False))
    for axes, values in (
        (language, 100 * found.prior),
        (message, 100 * found.observed),
        (scores, found.excess),
    ):
        np.testing.assert_allclose([bar.get_height() for bar in axes.patches], values, rtol=1e-12)


def test_a_message_without_letters_is_refused():
    with pytest.raises(DataError, match="it holds none"):
        vt.figures.histogram_match("1234 !?")
