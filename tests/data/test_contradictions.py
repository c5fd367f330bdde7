"""Known labels against a classifier's: counts, and names by brute force over all permutations."""

from __future__ import annotations

import time
from itertools import permutations

import numpy as np
import pytest

from ventris.data.contradictions import (
    best_names,
    contradictions,
    expected_contradictions,
    likeliest_names,
)
from ventris.data.known_labels import KnownLabels


def test_counts_against_a_loop():
    rng = np.random.default_rng(0)
    labels, hard = rng.integers(0, 4, 300), rng.integers(-1, 4, 300)
    found = contradictions(KnownLabels(hard), labels, 4)
    confusion = np.zeros((4, 4))
    for known, given in zip(hard, labels, strict=True):
        if known >= 0:
            confusion[known, given] += 1
    np.testing.assert_array_equal(found.confusion, confusion)
    assert found.n_known == np.sum(hard >= 0)
    assert found.n_contradicted == np.sum((hard >= 0) & (hard != labels))
    outputs = np.eye(4)[labels] * 0.5 + 0.125
    by_outputs = contradictions(KnownLabels(hard), outputs)
    np.testing.assert_array_equal(by_outputs.confusion, confusion)
    expected = expected_contradictions(KnownLabels(hard), outputs)
    assert expected == pytest.approx(0.375 * found.n_known)


def test_probabilities_contradict_by_what_the_label_falls_short_of():
    soft = np.array([[0.2, 0.3, 0.5], [0.5, 0.5, 0.0], [np.nan] * 3])
    found = contradictions(KnownLabels(np.array([-1, -1, 1]), soft), np.array([0, 1, 1]), 3)
    assert found.n_contradicted == pytest.approx(0.3) and found.n_known == 3
    np.testing.assert_allclose(found.confusion, [[0.2, 0.5, 0], [0.3, 1.5, 0], [0.5, 0, 0]])


def test_nothing_known_contradicts_nothing():
    found = contradictions(KnownLabels(np.full(5, -1)), np.zeros((5, 3)))
    assert found.n_contradicted == 0 and found.n_known == 0
    np.testing.assert_array_equal(best_names(found.confusion).permutation, [0, 1, 2])


@pytest.mark.parametrize("seed", range(20))
def test_best_names_and_ties_against_every_permutation(seed):
    rng = np.random.default_rng(seed)
    confusion = rng.integers(0, 4, (5, 5)) * rng.integers(0, 2, (5, 5))
    names = best_names(confusion)
    every = list(permutations(range(5)))
    agreeing = np.array([sum(confusion[p[c], c] for c in range(5)) for p in every])
    best = [p for p, n in zip(every, agreeing, strict=True) if n == agreeing.max()]
    assert tuple(names.permutation) in best and names.n_agreeing == agreeing.max()
    kept = [sum(name == c for c, name in enumerate(p)) for p in best]
    assert sum(name == c for c, name in enumerate(names.permutation)) == max(kept)
    tied = [
        c
        for c, name in enumerate(names.permutation)
        if any(p[c] != name and confusion[p[c], c] + confusion[name, c] > 0 for p in best)
    ]
    assert list(names.tied) == tied
    assert names.n_before == np.trace(confusion)


def test_a_label_nobody_vouches_for_keeps_its_name_where_it_can():
    confusion = np.zeros((5, 5))
    confusion[1, 2], confusion[2, 1] = 3, 4  # what it calls 2 is 1, and the other way round
    assert best_names(confusion).permutation.tolist() == [0, 2, 1, 3, 4] and best_names(confusion).tied == ()


def test_stray_points_of_the_only_label_known_make_no_tie():
    confusion = np.zeros((4, 4))
    confusion[1, 1], confusion[1, 3] = 17, 3
    assert best_names(confusion).tied == ()
    np.testing.assert_array_equal(best_names(confusion).permutation, np.arange(4))


@pytest.mark.parametrize("seed", range(5))
def test_likeliest_names_against_every_permutation(seed):
    rng = np.random.default_rng(seed)
    outputs, hard = rng.dirichlet(np.ones(4), 30), rng.integers(-1, 4, 30)
    soft = np.full((30, 4), np.nan)
    soft[hard < 0] = rng.dirichlet(np.ones(4), int(np.sum(hard < 0)))
    names, gain = likeliest_names(KnownLabels(hard, soft), outputs)

    def loglik(permutation):
        total = 0.0
        for t in range(30):
            given = soft[t] if hard[t] < 0 else np.eye(4)[hard[t]]
            for label in range(4):  # what the classifier calls `label` is named permutation[label]
                total += given[permutation[label]] * np.log(max(outputs[t, label], 1e-3))
        return total

    best = max(permutations(range(4)), key=loglik)
    assert tuple(names) == best
    assert gain == pytest.approx(loglik(best) - loglik(range(4)), abs=1e-9)


def test_two_hundred_labels_are_named_in_a_moment():
    rng = np.random.default_rng(0)
    truth = rng.permutation(200)
    confusion = np.zeros((200, 200))
    confusion[truth, np.arange(200)] = rng.integers(1, 5, 200)
    before = time.process_time()
    names = best_names(confusion)
    assert time.process_time() - before < 2
    np.testing.assert_array_equal(names.permutation, truth)
