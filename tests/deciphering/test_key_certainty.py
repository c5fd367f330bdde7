"""How sure a symbol is, against a count over all labels it might have."""

from __future__ import annotations

import numpy as np
import pytest

from ventris.deciphering.key_certainty import label_posteriors, settle_labels, share_certain
from ventris.deciphering.key_score import score_key


@pytest.mark.parametrize("order", [2, 3])
def test_posteriors_are_those_of_the_score_with_usage(order):
    rng = np.random.default_rng(order)
    log_prob = np.log(rng.dirichlet(np.ones(4), size=(4,) * (order - 1)))
    codes, key = rng.integers(6, size=50), rng.integers(4, size=6)
    found = label_posteriors(codes, key, log_prob)
    for symbol in range(6):
        scores = []
        for label in range(4):
            other = key.copy()
            other[symbol] = label
            use = np.bincount(other[codes])
            usage = -float(use[use > 0] @ np.log(use[use > 0] / len(codes)))
            scores.append(score_key(other, [codes], log_prob) + usage)
        expected = np.exp(np.array(scores) - max(scores))
        np.testing.assert_allclose(found[symbol], expected / expected.sum(), rtol=1e-6, atol=1e-12)
    assert share_certain(codes, key, log_prob) == pytest.approx(found[codes, key[codes]].mean())


def test_unknown_symbols_say_nothing():
    log_prob = np.log(np.random.default_rng(0).dirichlet(np.ones(3), size=3))
    codes = np.array([0, 1, 2, 0, 1, 1, 2, 0])
    whole = label_posteriors(codes, np.array([2, 0, 1]), log_prob)
    apart = label_posteriors(np.concatenate([codes, [-1, -1]]), np.array([2, 0, 1]), log_prob)
    np.testing.assert_allclose(whole, apart)


def test_doubtful_symbols_settle_where_none_alone_could_do_better():
    rng = np.random.default_rng(4)
    log_prob = np.log(rng.dirichlet(np.full(4, 0.3), size=(4,)))
    codes, start = rng.integers(6, size=200), rng.integers(4, size=6)
    key = settle_labels(codes, start, log_prob, np.array([1, 4]), laps=20)
    assert key[[0, 2, 3, 5]].tolist() == start[[0, 2, 3, 5]].tolist()
    best = label_posteriors(codes, key, log_prob).argmax(axis=1)
    assert best[[1, 4]].tolist() == key[[1, 4]].tolist()
    kept = np.ones((6, 4), dtype=bool)
    kept[1, key[1]] = False
    other = settle_labels(codes, key, log_prob, np.array([1]), allowed=kept)
    assert other[1] == np.argsort(label_posteriors(codes, key, log_prob)[1])[-2]
