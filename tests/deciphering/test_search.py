"""The search for the table: known keys are found, the absence of one shows, names are the best there are."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from ventris.codebook import lagged_pairs
from ventris.datasets import random_hmm
from ventris.deciphering.search import relabel_by_swaps, search_table, settle, transfer_table
from ventris.deciphering.table import PairStatistics, table_cost
from ventris.language_model import NgramModel

LAGS = range(1, 5)


def homophonic(lm, n_codes, n=20_000, seed=0):
    """Codes that are a many-to-one cipher of labels, their statistics, and the key that undoes it."""
    rng = np.random.default_rng(seed)
    y = lm.sample(n, rng)
    key = np.concatenate([np.arange(lm.n_classes), rng.integers(lm.n_classes, size=n_codes - lm.n_classes)])
    draws = rng.random(n)
    homophones = [np.flatnonzero(key == label) for label in range(lm.n_classes)]
    codes = np.array(
        [homophones[label][int(u * len(homophones[label]))] for label, u in zip(y, draws, strict=True)]
    )
    labels = np.stack([lm.pair(lag) for lag in LAGS])
    return PairStatistics(labels, lagged_pairs(codes, n_codes, np.array([n]), len(LAGS))), key


@pytest.mark.parametrize(("n_classes", "n_codes"), [(2, 6), (5, 20), (10, 40)])
def test_a_many_to_one_key_is_found_and_recurs(n_classes, n_codes):
    statistics, key = homophonic(random_hmm(n_classes, random_state=0)[0], n_codes)
    found = search_table(statistics, np.random.default_rng(0))
    np.testing.assert_array_equal(found.table.argmax(axis=1), key)
    assert found.recurrence >= 2
    assert found.excess_cost == pytest.approx(table_cost(found.table, statistics) - statistics.entropy)
    assert 0 <= found.excess_cost < 0.05 * statistics.entropy
    assert found.margin is None or found.margin > 0


def test_the_seed_decides_bit_for_bit():
    statistics, _ = homophonic(random_hmm(4, random_state=1)[0], 12)
    found = [search_table(statistics, np.random.default_rng(3)).table for _ in range(2)]
    np.testing.assert_array_equal(*found)


def test_progress_is_told_after_each_batch():
    statistics, _ = homophonic(random_hmm(4, random_state=1)[0], 12)
    told = []
    found = search_table(statistics, np.random.default_rng(3), on_batch=told.append)
    assert told[-1] == found.excess_cost and len(told) == found.n_starts // 48


def test_codes_that_match_nothing_leave_a_high_excess():
    lm = random_hmm(5, random_state=0)[0]
    codes = np.random.default_rng(0).integers(20, size=20_000)  # no order in time
    labels = np.stack([lm.pair(lag) for lag in LAGS])
    statistics = PairStatistics(labels, lagged_pairs(codes, 20, np.array([20_000]), len(LAGS)))
    found = search_table(statistics, np.random.default_rng(0), n_starts=16, max_batches=1)
    right, _ = homophonic(lm, 20)
    assert found.excess_cost > 20 * search_table(right, np.random.default_rng(0)).excess_cost


CYCLE = NgramModel.from_transition_matrix(0.8 * np.roll(np.eye(5), 1, axis=1) + 0.04)


def test_a_symmetric_label_model_has_rivals_of_equal_cost_and_an_anchor_settles_it():
    statistics, key = homophonic(CYCLE, 15)
    free = search_table(statistics, np.random.default_rng(0))
    assert free.margin is not None and free.margin < 1e-3
    anchor = np.zeros((15, 5))
    anchor[np.arange(5), key[:5]] = 4.0  # one code of each label is known
    for seed in range(5):
        found = search_table(statistics, np.random.default_rng(seed), anchor=anchor)
        np.testing.assert_array_equal(found.table.argmax(axis=1), key)


def test_swaps_reach_the_best_names_there_are():
    """Three labels: exchanging pairs must find what trying all six orders finds."""
    statistics, key = homophonic(random_hmm(3, random_state=2)[0], 9)
    right = 0.9 * np.eye(3)[key] + 0.1 / 3
    orders = [list(order) for order in permutations(range(3))]
    least = min(table_cost(right[:, order], statistics) for order in orders)
    for order in orders:
        renamed = relabel_by_swaps(right[:, order], statistics)
        assert table_cost(renamed, statistics) == pytest.approx(least, rel=1e-12)


def test_swaps_never_raise_the_cost():
    statistics, _ = homophonic(random_hmm(6, random_state=3)[0], 18)
    for table in np.random.default_rng(0).dirichlet(np.ones(6), size=(5, 18)):
        renamed = relabel_by_swaps(table, statistics)
        assert table_cost(renamed, statistics) <= table_cost(table, statistics) + 1e-12
        np.testing.assert_allclose(np.sort(renamed, axis=1), np.sort(table, axis=1), rtol=1e-14)


def test_settling_lowers_the_cost_to_the_bottom():
    statistics, key = homophonic(random_hmm(5, random_state=0)[0], 20)
    start = 0.7 * np.eye(5)[key] + 0.3 / 5
    settled = settle(start, statistics, max_iter=300)
    np.testing.assert_allclose(settled.sum(axis=1), 1, rtol=1e-12)
    assert table_cost(settled, statistics) < table_cost(start, statistics)
    again = settle(settled, statistics)
    assert table_cost(again, statistics) == pytest.approx(table_cost(settled, statistics), abs=1e-4)


def test_a_finer_table_takes_the_mean_of_the_rows_its_points_had():
    table = np.array([[1.0, 0.0], [0.0, 1.0]])
    old, new = np.array([0, 0, 1, 1, 1, 0]), np.array([0, 0, 1, 2, 2, 2])
    expected = [[1, 0], [0, 1], [1 / 3, 2 / 3], [0.5, 0.5]]  # the last code has no points
    np.testing.assert_allclose(transfer_table(table, old, new, 4), expected, atol=1e-5)
