"""Labels under other names: gains of exchanges against making them, descents against brute force."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from ventris.objective import cost, expected_ngrams
from ventris.objective.relabelling import descend_by_swaps, relabelled, swap_gains

ORDERS = [1, 2, 3, 4]


def random_table(n_classes, order, seed):
    return np.random.default_rng(seed).dirichlet(np.ones(n_classes**order)).reshape((n_classes,) * order)


def exchanged(names, a, b):
    names = np.array(names)
    names[[a, b]] = names[[b, a]]
    return names


@pytest.mark.parametrize("order", [1, 2, 3])
def test_relabelling_the_table_is_relabelling_the_outputs(order):
    posteriors = np.random.default_rng(0).dirichlet(np.ones(4), size=12)
    permutation = [2, 0, 3, 1]
    renamed = np.empty_like(posteriors)
    for c, name in enumerate(permutation):
        renamed[:, name] = posteriors[:, c]
    np.testing.assert_allclose(
        relabelled(expected_ngrams(posteriors, order), permutation),
        expected_ngrams(renamed, order),
        rtol=1e-12,
    )


@pytest.mark.parametrize("order", ORDERS)
def test_the_gain_of_every_exchange_is_that_of_making_it(order):
    """Also the rise of KL(P ‖ P∘π), which is J's own: both are differences of Σ P ln Q."""
    wanted, found = np.random.default_rng(0).standard_normal((2, 3) + (5,) * order)  # three tables of each
    gains = swap_gains(wanted, found)
    np.testing.assert_array_equal(np.diag(gains), 0)
    for a, b in combinations(range(5), 2):
        swap = exchanged(range(5), a, b)
        made = sum(np.sum(P * (relabelled(M, swap) - M)) for P, M in zip(wanted, found, strict=True))
        np.testing.assert_allclose([gains[a, b], gains[b, a]], made, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize(("order", "n_classes"), [(1, 9), (2, 9), (3, 7)])
def test_a_descent_ends_where_no_exchange_helps_and_never_above_its_start(order, n_classes):
    lm, expected = random_table(n_classes, order, seed=0), random_table(n_classes, order, seed=1)
    found = descend_by_swaps(lm, expected)
    assert sorted(found) == list(range(n_classes))
    least = cost(lm, relabelled(expected, found))
    assert least < cost(lm, expected)
    for a, b in combinations(range(n_classes), 2):
        assert cost(lm, relabelled(expected, exchanged(found, a, b))) >= least - 1e-12


@pytest.mark.parametrize(("order", "n_classes"), [(2, 8), (3, 7)])
def test_a_descent_takes_the_way_of_trying_every_exchange_in_turn(order, n_classes):
    """The way matters beyond its end: other basins lie beside it."""
    for seed in range(5):
        lm, expected = random_table(n_classes, order, seed), random_table(n_classes, order, seed + 100)
        names, best, improved = np.arange(n_classes), cost(lm, expected), True
        while improved:
            improved = False
            for a, b in combinations(range(n_classes), 2):
                trial = exchanged(names, a, b)
                value = cost(lm, relabelled(expected, trial))
                if value < best - 1e-12:
                    best, names, improved = value, trial, True
        np.testing.assert_array_equal(descend_by_swaps(lm, expected), names)


def test_a_descent_undoes_a_renaming():
    """P̄ = P up to names: the least J is H, and descent from the identity finds it."""
    lm = random_table(8, 2, seed=0)
    hidden = np.random.default_rng(1).permutation(8)
    found = descend_by_swaps(lm, relabelled(lm, hidden))
    assert found[hidden].tolist() == list(range(8))


def test_a_descent_survives_a_class_that_is_never_used():
    expected = np.array([[0.0, 0.0], [0.0, 1.0]])
    assert descend_by_swaps([[0.9, 0.05], [0.05, 0.0]], expected).tolist() == [1, 0]
