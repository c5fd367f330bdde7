"""Languages as label models."""

from __future__ import annotations

import numpy as np
import pytest

from ventris.data.ngrams import NgramCounts
from ventris.datasets import available_languages, load_language
from ventris.datasets.letters import load_counts
from ventris.errors import ParameterError
from ventris.label_model.smoothing import conditionals

# Relative frequencies of letters in English prose, in per cent: Beker and Piper, Cipher Systems (1982).
BEKER_PIPER = [
    *(8.2, 1.5, 2.8, 4.3, 12.7, 2.2, 2.0, 6.1, 7.0, 0.2, 0.8, 4.0, 2.4),  # a to m
    *(6.7, 7.5, 1.9, 0.1, 6.0, 6.3, 9.1, 2.8, 1.0, 2.4, 0.2, 2.0, 0.1),  # n to z
]


def test_english_letters_are_as_frequent_as_published():
    lm = load_language("en", order=1, space=False)
    assert "".join(lm.classes) == "abcdefghijklmnopqrstuvwxyz"
    ours = 100 * lm.stationary()
    assert np.abs(ours - BEKER_PIPER).max() < 1.5
    assert np.corrcoef(ours, BEKER_PIPER)[0, 1] > 0.98


@pytest.mark.parametrize("space", [True, False])
@pytest.mark.parametrize("order", [1, 2, 3])
def test_every_order_is_a_proper_label_model(order, space):
    lm = load_language("en", order=order, space=space)
    assert lm.order == order
    assert lm.n_classes == 26 + space
    assert (lm.classes[-1] == " ") == space
    np.testing.assert_allclose(lm.conditional().sum(axis=-1), 1, rtol=1e-10)
    np.testing.assert_allclose(lm.joint().sum(), 1, rtol=1e-10)


def test_longer_histories_predict_better():
    """The entropy of the next letter falls with every order, from Shannon's ~4.1 bits to below 3."""
    entropies = [load_language("en", order=5).entropy(k) / np.log(2) for k in (1, 2, 3, 4)]
    steps = np.diff([0.0, *entropies])
    assert 3.9 < steps[0] < 4.3
    assert np.all(np.diff(steps) < -0.1)
    assert steps[3] < 2.7


def test_the_tables_are_those_of_the_shipped_counts():
    letters = load_counts("en", order=3)
    counts = [NgramCounts(k, 27, *letters.counts(k)) for k in (1, 2, 3)]
    for method in ("witten-bell", "kneser-ney"):
        lm = load_language("en", order=3, smoothing=method)
        np.testing.assert_allclose(lm.conditional(3), conditionals(counts, method)[-1], rtol=1e-14)


def test_pairs_apart_are_counted_not_guessed():
    lm, letters = load_language("en", order=2), load_counts("en", order=2)
    for lag in (2, 4, 8):
        frequency = letters.pairs(lag) / letters.pairs(lag).sum()
        np.testing.assert_allclose(lm.pair(lag), frequency, atol=2e-4)
    # Two apart, a bigram chain knows less than the counts do.
    chain = lm.stationary()[:, None] * np.linalg.matrix_power(lm.conditional(2), 2)
    assert np.abs(lm.pair(2) - chain).sum() > 0.05


@pytest.mark.parametrize("language", available_languages())
def test_every_shipped_language_loads(language):
    lm = load_language(language, order=2)
    assert lm.n_classes > 20
    assert 3.5 < lm.entropy(1) / np.log(2) < 5
    assert lm.entropy(2) < 1.95 * lm.entropy(1)  # neighbours say something about one another


def test_unknown_languages_and_orders_are_refused():
    with pytest.raises(ParameterError, match=r"^language must be one of .*, but it is 'tlh'\. Choose one"):
        load_language("tlh")
    with pytest.raises(ParameterError) as caught:
        load_language("en", order=6)
    assert str(caught.value) == "order must be between 1 and 5, but it is 6. Choose an order in that range."
