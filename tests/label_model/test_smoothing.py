"""Smoothing against values worked out by hand and a recursion written out in plain Python."""

from __future__ import annotations

from collections import Counter
from itertools import product

import numpy as np
import pytest

from ventris.data.ngrams import count_ngrams
from ventris.errors import ParameterError
from ventris.label_model.smoothing import conditionals, continuation_counts, kneser_ney, layers, witten_bell

METHODS = ["additive", "witten-bell", "kneser-ney"]


def counts_of(symbols, order, n_symbols):
    return [count_ngrams(np.asarray(symbols), k, n_symbols) for k in range(1, order + 1)]


# a a b a c: a→a once, a→b once, a→c once, b→a once; one label d never seen.
AABAC = [0, 0, 1, 0, 2]


def test_additive_by_hand():
    unigram, bigram = conditionals(counts_of(AABAC, 2, 4), "additive", pseudo_count=0.5)
    np.testing.assert_allclose(unigram, np.array([3.5, 1.5, 1.5, 0.5]) / 7, rtol=1e-15)
    np.testing.assert_allclose(bigram[0], np.array([1.5, 1.5, 1.5, 0.5]) / 5, rtol=1e-15)
    np.testing.assert_allclose(bigram[1], np.array([1.5, 0.5, 0.5, 0.5]) / 3, rtol=1e-15)
    np.testing.assert_allclose(bigram[2:], 1 / 4, rtol=1e-15)  # c and d were never followed by anything


def test_witten_bell_by_hand():
    unigram, bigram = conditionals(counts_of(AABAC, 2, 4), "witten-bell")
    # 5 symbols, 3 distinct: α = c/8, and 3/8 is spread evenly over 4 labels.
    np.testing.assert_allclose(unigram, np.array([3, 1, 1, 0]) / 8 + 3 / 8 / 4, rtol=1e-15)
    # After a: 3 followers, 3 distinct, so half goes to the unigram; after b: 1 and 1, half again.
    np.testing.assert_allclose(bigram[0], np.array([1, 1, 1, 0]) / 6 + unigram / 2, rtol=1e-15)
    np.testing.assert_allclose(bigram[1], np.array([1, 0, 0, 0]) / 2 + unigram / 2, rtol=1e-15)
    np.testing.assert_allclose(bigram[3], unigram, rtol=1e-15)


def test_kneser_ney_by_hand():
    # a b a b a c a: ab 2, ba 2, ac 1, ca 1, so d = 2/(2 + 2·2) = 1/3 for bigrams.
    symbols = [0, 1, 0, 1, 0, 2, 0]
    unigram, bigram = conditionals(counts_of(symbols, 2, 3), "kneser-ney")
    # Left contexts: a after {b, c} = 2, b after {a} = 1, c after {a} = 1; 2 singles and 1 double: d = 2/4.
    np.testing.assert_allclose(unigram, np.array([1.5, 0.5, 0.5]) / 4 + 1.5 / 4 / 3, rtol=1e-15)
    np.testing.assert_allclose(bigram[0], np.array([0, 5 / 3, 2 / 3]) / 3 + (2 / 3) / 3 * unigram, rtol=1e-14)
    np.testing.assert_allclose(bigram[1], np.array([5 / 3, 0, 0]) / 2 + (1 / 3) / 2 * unigram, rtol=1e-14)
    np.testing.assert_allclose(bigram[2], np.array([2 / 3, 0, 0]) / 1 + (1 / 3) / 1 * unigram, rtol=1e-14)


def test_without_singletons_kneser_ney_still_leaves_something():
    counts = count_ngrams(np.array([0, 1] * 5), 1, 3)
    # Half a count of each of two labels, of ten.
    np.testing.assert_allclose(kneser_ney(counts).share, [0.1], rtol=1e-14)


def test_continuation_counts_distinct_left_contexts():
    symbols = np.random.default_rng(0).integers(0, 4, 300)
    lefts = Counter(gram[1:] for gram in set(zip(symbols, symbols[1:], symbols[2:], strict=False)))
    below = continuation_counts(count_ngrams(symbols, 3, 4))
    assert dict(zip(map(tuple, below.grams().tolist()), below.counts.tolist(), strict=True)) == lefts


def plain(symbols, method, n_symbols, order, history, label, pseudo_count=1.0, *, top=True):
    """P(label | history), by recursion over plain Python counters."""
    if order == 0:
        return 1 / n_symbols
    grams = Counter(tuple(symbols[k : k + order]) for k in range(len(symbols) - order + 1))
    if method == "kneser-ney" and not top:
        longer = {tuple(symbols[k : k + order + 1]) for k in range(len(symbols) - order)}
        grams = Counter(gram[1:] for gram in longer)
    followers = {gram: c for gram, c in grams.items() if gram[:-1] == history}
    total = sum(followers.values())
    count = followers.get((*history, label), 0)
    if method == "additive":
        return (count + pseudo_count) / (total + pseudo_count * n_symbols)
    below = plain(symbols, method, n_symbols, order - 1, history[1:], label, top=False)
    if not total:
        return below
    if method == "witten-bell":
        return (count + len(followers) * below) / (total + len(followers))
    once, twice = (sum(c == n for c in grams.values()) for n in (1, 2))
    d = once / (once + 2 * twice) if once else 0.5
    return max(count - d, 0) / total + sum(min(d, c) for c in followers.values()) / total * below


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("order", [1, 2, 3])
def test_tables_equal_the_recursion(method, order):
    symbols = np.random.default_rng(0).choice(4, 60, p=[0.55, 0.25, 0.15, 0.05]).tolist()
    table = conditionals(counts_of(symbols, order, 4), method, pseudo_count=0.3)[-1]
    expected = [
        plain(symbols, method, 4, order, gram[:-1], gram[-1], 0.3) for gram in product(range(4), repeat=order)
    ]
    np.testing.assert_allclose(table.ravel(), expected, rtol=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_every_history_is_followed_by_something_with_certainty(method):
    symbols = np.random.default_rng(0).zipf(1.7, 400) % 6
    for table in conditionals(counts_of(symbols, 4, 7), method):
        np.testing.assert_allclose(table.sum(axis=-1), 1, rtol=1e-13)
        assert table.min() > 0


def test_counted_shares_and_what_is_left_add_up_to_one():
    counts = count_ngrams(np.random.default_rng(0).integers(0, 5, 200), 2, 5)
    for layer in (witten_bell(counts), kneser_ney(counts)):
        own = np.bincount(np.searchsorted(layer.contexts, layer.codes // 5), weights=layer.alpha)
        np.testing.assert_allclose(own + layer.share, 1, rtol=1e-14)


def test_an_unknown_method_is_refused():
    with pytest.raises(ParameterError) as caught:
        layers(counts_of(AABAC, 1, 3), "good-turing")
    assert str(caught.value) == (
        "smoothing must be 'additive', 'witten-bell' or 'kneser-ney', but it is 'good-turing'. Choose one."
    )
