"""Contexts as long as words: followers against their definition."""

from __future__ import annotations

import numpy as np
import pytest

from ventris import NgramModel
from ventris.kernels.pair_chains import DEEPEST, _followers
from ventris.label_model.word_contexts import WordCounts, plain_contexts, word_contexts

LABELS = "abc "
WORDS = {"ab": 5, "abca": 3, "abcb": 2, "b": 4, "ca": 6}
PAIRS = {("ab", "abca"): 2, ("ab", "b"): 2, ("b", "ca"): 3, ("ca", "abca"): 1}
TOTAL = 30
ESCAPE = 2.0


def counts():
    words = sorted(WORDS)
    pairs = sorted((words.index(a), words.index(b), n) for (a, b), n in PAIRS.items())
    first, second, n = (np.array(column, np.int64) for column in zip(*pairs, strict=True))
    return WordCounts(words, np.array([WORDS[word] for word in words]), TOTAL, first, second, n)


@pytest.fixture(scope="module", params=[2, 3])
def models(request):
    lm = NgramModel.from_text("ab abca b ca abcb cc bab ab ca b", request.param, alphabet=LABELS)
    return lm, word_contexts(lm, counts(), escape_words=ESCAPE, escape_pairs=ESCAPE)


def mixed(row, followers, total, at_root_of=None):
    kinds = len(followers)
    weights = {label: n / (total + ESCAPE * kinds) for label, n in followers.items()}
    out = row * (1 - sum(weights.values()))
    for label, weight in weights.items():
        out[LABELS.index(label)] += weight
    return out


def followers_of(prefix, words):
    found = {}
    for word, n in words.items():
        if word.startswith(prefix):
            label = (word + " ")[len(prefix)]
            found[label] = found.get(label, 0) + n
    return found


def by_definition(lm, history):
    """P(label | history), the history beginning after a space."""
    memory = lm.order - 1
    commonest = LABELS[int(np.argmax(lm.stationary()[:-1]))]
    known = commonest * memory + " " + history
    row = lm.conditional(lm.order)[tuple(LABELS.index(label) for label in known[-memory:])].copy()
    *before, prefix = history.split(" ")
    single = followers_of(prefix, WORDS)
    if not single:
        return row
    if len(prefix) >= memory:  # a shorter beginning is an n-gram, which the model has counted
        row = mixed(row, single, sum(n for word, n in WORDS.items() if word.startswith(prefix)))
    seconds = {b: n for (a, b), n in PAIRS.items() if before and a == before[-1]}
    double = followers_of(prefix, seconds)
    if not double:
        return row
    total = (
        WORDS[before[-1]] if not prefix else sum(n for word, n in seconds.items() if word.startswith(prefix))
    )
    return mixed(row, double, max(total, sum(double.values())))


@pytest.mark.parametrize(
    "history",
    ["", "a", "ab", "abc", "abca", "ab ", "ab a", "ab abc", "ab c", "b ca abc", "ccc", "ccc ", "ca abca b"],
)
def test_followers_are_what_they_are_defined_to_be(models, history):
    lm, contexts = models
    n = len(LABELS)
    commonest = int(np.argmax(lm.stationary()[:-1]))
    state = n - 1 + sum(commonest * n**back for back in range(1, lm.order - 1))
    row, to, stack = np.empty(n), np.empty(n, np.int64), np.empty(DEEPEST, np.int64)
    for label in history:
        _followers(contexts, state, stack, row, to)
        state = int(to[LABELS.index(label)])
    _followers(contexts, state, stack, row, to)
    np.testing.assert_allclose(row, by_definition(lm, history), rtol=1e-5)
    np.testing.assert_allclose(row.sum(), 1.0, rtol=1e-5)


def test_without_words_it_is_the_model(models):
    lm, _ = models
    plain = plain_contexts(lm)
    np.testing.assert_allclose(plain.table, lm.conditional(lm.order).reshape(-1, len(LABELS)), rtol=1e-6)
    none = np.empty(0, np.int64)
    empty = word_contexts(lm, WordCounts([], none, 0, none, none, none))
    assert empty.lower.size == 0
