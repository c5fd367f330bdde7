"""Expectation–maximisation over codes: one round against all paths, a climb, known labels that hold."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise, product

import numpy as np
import pytest
from tests.deciphering.homophones import ciphertext_of, homophonic

from ventris.data.counts import mean_rows
from ventris.data.known_labels import KnownLabels
from ventris.datasets import random_hmm
from ventris.deciphering.ciphertext import Stretch
from ventris.deciphering.expectation import read_and_learn, table_score
from ventris.label_model.model import NgramModel

A = np.array([[0.2, 0.8], [0.6, 0.4]])
LM = NgramModel.from_transition_matrix(A)
CODES = np.array([0, 1, 2, 1, 0, 2, 2, 0])
LENGTHS = np.array([5, 3])
TABLE = np.array([[0.8, 0.2], [0.3, 0.7], [0.5, 0.5]])


def posteriors_over_all_paths(table, codes):
    """p(y_t | all codes of its sequence) by summing over every label sequence."""
    usage, out = table[CODES].mean(axis=0), []
    for part in np.split(codes, np.cumsum(LENGTHS)[:-1]):
        gamma = np.zeros((len(part), 2))
        for path in product(range(2), repeat=len(part)):
            weight = LM.stationary()[path[0]] * np.prod([A[a, b] for a, b in pairwise(path)])
            weight *= np.prod(
                [table[code, label] / usage[label] for code, label in zip(part, path, strict=True)]
            )
            gamma[np.arange(len(part)), path] += weight
        out.append(gamma / gamma.sum(axis=1, keepdims=True))
    return np.concatenate(out)


def test_one_round_is_the_mean_posterior_of_each_code():
    ciphertext = ciphertext_of(np.tile(CODES, 4), LM, 3)
    stretch = Stretch(CODES, LENGTHS)
    gamma = posteriors_over_all_paths(TABLE, CODES)
    expected = np.stack([gamma[code == CODES].mean(axis=0) for code in range(3)])
    np.testing.assert_allclose(read_and_learn(TABLE, stretch, ciphertext, 1), expected, rtol=2e-3)


def test_the_mean_row_stands_in_for_a_code_never_seen():
    targets = np.array([[1.0, 0.0], [0.5, 0.5]])
    np.testing.assert_allclose(mean_rows(np.array([0, 0]), targets, 2)[1], [0.75, 0.25], rtol=1e-12)
    weighted = mean_rows(np.array([0, 0]), targets, 1, weight=np.array([1.0, 3.0]))
    np.testing.assert_allclose(weighted, [[0.625, 0.375]], rtol=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_the_likelihood_climbs_round_by_round(seed):
    ciphertext, _ = homophonic(random_hmm(4, random_state=seed)[0], 12, n=5_000, seed=seed)
    table = np.random.default_rng(seed).dirichlet(np.ones(4), size=12)
    sample, scores = ciphertext.sample, []
    for _ in range(10):
        table = read_and_learn(table, sample, ciphertext, 1)
        scores.append(table_score(table, sample, ciphertext))
    assert np.diff(scores).min() > -1e-4 and scores[-1] > scores[0]


def test_it_ends_when_a_round_gains_nothing():
    ciphertext, key = homophonic(random_hmm(4, random_state=0)[0], 12)
    right = read_and_learn(0.9 * np.eye(4)[key] + 0.025, ciphertext.sample, ciphertext, 50)
    again = read_and_learn(right, ciphertext.sample, ciphertext, 50)
    np.testing.assert_array_equal(again, read_and_learn(right, ciphertext.sample, ciphertext, 10))


def test_known_labels_decide_what_symmetry_leaves_open():
    ring = NgramModel.from_transition_matrix(0.8 * np.roll(np.eye(3), 1, axis=1) + 0.2 / 3)
    ciphertext, key = homophonic(ring, 3, n=3_000)
    y = key[ciphertext.sample.codes]
    known = KnownLabels(np.where(np.arange(len(y)) % 50 == 0, y, -1))
    even = np.full((3, 3), 1 / 3)
    table = read_and_learn(even, replace(ciphertext.sample, known=known), ciphertext, 30)
    np.testing.assert_array_equal(table.argmax(axis=1), key)


def test_the_score_is_that_of_the_codes_as_a_label_sequence():
    ciphertext, key = homophonic(random_hmm(4, random_state=0)[0], 12)
    right, even = 0.9 * np.eye(4)[key] + 0.025, np.full((12, 4), 0.25)
    assert table_score(even, ciphertext.fresh, ciphertext) == pytest.approx(0, abs=1e-9)
    assert table_score(right, ciphertext.fresh, ciphertext) > 0.1
