"""The table: P̄ by brute force over windows of codes (E10), J over lags and its gradient (E11), descent."""

from __future__ import annotations

import numpy as np
import pytest

from ventris.classifiers.loglinear import softmax
from ventris.classifiers.table import transfer_table
from ventris.data.counts import lagged_pairs
from ventris.deciphering.ciphertext import PairStatistics
from ventris.deciphering.descent import (
    batched_cost_and_gradient,
    descend,
    expected_pairs,
    stack_pairs,
    table_cost,
)
from ventris.deciphering.settings import SearchSettings
from ventris.deciphering.starts import random_starts

K, C, L = 5, 3, 4
LENGTHS = np.array([40, 3, 57])


def random_statistics(seed=0):
    rng = np.random.default_rng(seed)
    codes = rng.integers(K, size=LENGTHS.sum())
    labels = rng.dirichlet(np.ones(C * C), size=L).reshape(L, C, C)
    return codes, PairStatistics(labels, lagged_pairs(codes, K, LENGTHS, L))


def random_tables(n, seed=1):
    return np.random.default_rng(seed).dirichlet(np.ones(C), size=(n, K))


def pairs_by_brute_force(table, codes, lag):
    """Mean over windows of the product of the outputs' probabilities: (E2) of the classifier Q[code]."""
    total, windows = np.zeros((C, C)), 0
    for part in np.split(codes, np.cumsum(LENGTHS)[:-1]):
        for a, b in zip(part, part[lag:], strict=False):
            total += np.outer(table[a], table[b])
            windows += 1
    return total / windows


def test_expected_pairs_are_the_mean_over_windows():
    """(E10)."""
    codes, statistics = random_statistics()
    table = random_tables(1)[0]
    found = expected_pairs(table, statistics.code_pairs)
    for lag in range(1, L + 1):
        np.testing.assert_allclose(found[lag - 1], pairs_by_brute_force(table, codes, lag), rtol=1e-12)


def test_a_key_only_renames_the_counts():
    """(E10): with a table of zeros and ones, P̄ counts the pairs of the deciphered text."""
    codes, statistics = random_statistics()
    key = np.array([2, 0, 1, 1, 2])
    expected = lagged_pairs(key[codes], C, LENGTHS, L)
    np.testing.assert_allclose(expected_pairs(np.eye(C)[key], statistics.code_pairs), expected, rtol=1e-12)


def test_the_cost_is_summed_over_lags():
    """(E11)."""
    codes, statistics = random_statistics()
    table = random_tables(1)[0]
    by_hand = 0.0
    for lag, wanted in enumerate(statistics.label_pairs, start=1):
        by_hand -= np.sum(wanted * np.log(pairs_by_brute_force(table, codes, lag)))
    assert table_cost(table, statistics) == pytest.approx(by_hand, rel=1e-12)


@pytest.fixture(params=["a product a table", "one wide product", "a sparse one"])
def multiplied(request):
    """Settings for every way of multiplying, whatever the number of codes."""
    return SearchSettings(
        many_codes=1000 if request.param == "a product a table" else 1,
        dense_share=2.0 if request.param == "a sparse one" else 0.0,
    )


def test_every_table_of_a_batch_gets_its_own_cost(multiplied):
    """(E11)."""
    _, statistics = random_statistics()
    tables = random_tables(6)
    stacked = stack_pairs(statistics.code_pairs, settings=multiplied)
    cost, _ = batched_cost_and_gradient(tables, statistics.label_pairs, stacked, settings=multiplied)
    expected = [table_cost(table, statistics) for table in tables]
    np.testing.assert_allclose(cost, expected, rtol=1e-5)  # the floor inside the logarithm is 1e-7


def test_the_gradient_by_central_differences(multiplied):
    """∂J/∂Q of (E11), each entry of each table."""
    _, statistics = random_statistics()
    tables, stacked = random_tables(3), stack_pairs(statistics.code_pairs, settings=multiplied)

    def value(Q):
        return batched_cost_and_gradient(Q, statistics.label_pairs, stacked, settings=multiplied)

    _, gradient = value(tables)
    for index in np.ndindex(tables.shape):
        step = np.zeros_like(tables)
        step[index] = 1e-5
        measured = (value(tables + step)[0] - value(tables - step)[0]) / 2e-5
        assert gradient[index] == pytest.approx(measured[index[0]], rel=1e-6, abs=1e-8)
        assert np.count_nonzero(measured) == 1  # no table feels another


def test_the_entropy_is_the_cost_of_a_perfect_match():
    _, statistics = random_statistics()
    key = np.eye(C)[[0, 1, 2, 0, 1]]
    matched = PairStatistics(expected_pairs(key, statistics.code_pairs), statistics.code_pairs)
    assert table_cost(key, matched) == pytest.approx(matched.entropy, rel=1e-12)
    assert all(table_cost(table, matched) > matched.entropy for table in random_tables(10))


def solvable(seed=0, n=4_000):
    """Codes that are a many-to-one cipher of labels from a lopsided chain."""
    rng = np.random.default_rng(seed)
    transitions = np.array([[0.1, 0.8, 0.1], [0.2, 0.2, 0.6], [0.7, 0.1, 0.2]])
    y = [0]
    for _ in range(n - 1):
        y.append(int(rng.choice(C, p=transitions[y[-1]])))
    y = np.array(y)
    homophones = np.array([[0, 1], [2, 2], [3, 4]])
    codes = homophones[y, rng.integers(2, size=n)]
    labels = lagged_pairs(y, C, np.array([n]), L)
    return PairStatistics(labels, lagged_pairs(codes, K, np.array([n]), L)), np.array([0, 0, 1, 2, 2])


def test_descent_finds_the_key():
    statistics, key = solvable()
    starts = random_starts(8, K, C, np.random.default_rng(0))
    logits, cost = descend(statistics, starts, n_steps=150)
    best = softmax(logits[np.argmin(cost)].astype(float))
    np.testing.assert_array_equal(best.argmax(axis=1), key)
    assert cost.min() - statistics.entropy < 0.02


def test_descent_lowers_every_cost_and_keeps_starts_apart():
    statistics, _ = solvable()
    starts = random_starts(8, K, C, np.random.default_rng(0))
    before = [table_cost(softmax(start.copy()), statistics) for start in starts]
    together, cost = descend(statistics, starts, n_steps=40)
    assert (cost < before).all()
    alone, _ = descend(statistics, starts[3:4], n_steps=40)
    np.testing.assert_allclose(alone[0], together[3], rtol=1e-2, atol=1e-2)  # single precision, 40 steps


def test_starts_are_nearly_even_and_follow_the_seed():
    starts = [random_starts(4, K, C, np.random.default_rng(seed)) for seed in (0, 0, 1)]
    np.testing.assert_array_equal(starts[0], starts[1])
    assert not np.array_equal(starts[0], starts[2])
    assert np.abs(softmax(starts[0].copy()) - 1 / C).max() < 0.15


def test_a_finer_table_takes_the_mean_of_the_rows_its_points_had():
    table = np.array([[1.0, 0.0], [0.0, 1.0]])
    old, new = np.array([0, 0, 1, 1, 1, 0]), np.array([0, 0, 1, 2, 2, 2])
    expected = [[1, 0], [0, 1], [1 / 3, 2 / 3], [0.5, 0.5]]  # the last code has no points
    np.testing.assert_allclose(transfer_table(table, old, new, 4), expected, atol=1e-5)
