"""Transition matrices and stationary distributions, against matrix powers and eigenvectors."""

from __future__ import annotations

import numpy as np
import pytest

from ventris.errors import LanguageModelError
from ventris.label_model.markov import check_transition_matrix, stationary_contexts, stationary_distribution


def random_chain(n_classes, seed):
    return np.random.default_rng(seed).dirichlet(np.ones(n_classes), size=n_classes)


@pytest.mark.parametrize("n_classes", [2, 3, 10, 60])
def test_stationary_equals_a_high_power(n_classes):
    P = random_chain(n_classes, seed=n_classes)
    power = np.linalg.matrix_power(P, 2000)
    np.testing.assert_allclose(stationary_distribution(P), power[0], rtol=1e-10)


@pytest.mark.parametrize("period", [2, 3, 7])
def test_a_periodic_chain_has_its_stationary_distribution(period):
    P = np.roll(np.eye(period), 1, axis=1)  # 0 → 1 → … → 0
    np.testing.assert_allclose(stationary_distribution(check_transition_matrix(P)), 1 / period, rtol=1e-12)


def test_a_chain_that_almost_never_leaves():
    P = np.array([[1 - 1e-9, 1e-9], [3e-9, 1 - 3e-9]])
    np.testing.assert_allclose(stationary_distribution(P), [0.75, 0.25], rtol=1e-5)


@pytest.mark.parametrize("order", [3, 4])
def test_contexts_of_a_longer_memory_equal_the_chain_of_histories(order):
    """The histories of an order-N model are themselves a Markov chain of C^(N−1) states."""
    n = 3
    conditional = np.random.default_rng(order).dirichlet(np.ones(n), size=(n,) * (order - 1))
    states = n ** (order - 1)
    P = np.zeros((states, states))
    for state in range(states):
        for label in range(n):
            P[state, (state * n + label) % states] += conditional.reshape(-1, n)[state, label]
    np.testing.assert_allclose(
        stationary_contexts(conditional).ravel(), stationary_distribution(P), rtol=1e-9
    )


def test_contexts_of_a_periodic_longer_memory():
    """0 0 1 0 0 1 …: the plain iteration would go round for ever."""
    conditional = np.zeros((2, 2, 2))
    conditional[0, 0, 1] = conditional[0, 1, 0] = conditional[1, 0, 0] = conditional[1, 1, 0] = 1
    np.testing.assert_allclose(stationary_contexts(conditional), [[1 / 3, 1 / 3], [1 / 3, 0]], atol=1e-12)


def test_contexts_of_orders_one_and_two():
    assert stationary_contexts(np.array([0.2, 0.8])) == 1
    P = random_chain(3, seed=0)
    np.testing.assert_array_equal(stationary_contexts(P), stationary_distribution(P))


def test_rows_are_made_to_sum_to_one_exactly():
    np.testing.assert_allclose(
        check_transition_matrix([[0.3333333, 0.6666666], [0.5, 0.5]]).sum(axis=1), 1, rtol=1e-15
    )


BAD_MATRICES = {
    "not square": (
        np.full((2, 3), 1 / 3),
        "A transition matrix must be square, but its shape is (2, 3). Give one row and one column a class.",
    ),
    "no matrix": (
        [0.5, 0.5],
        "A transition matrix must be square, but its shape is (2,). Give one row and one column a class.",
    ),
    "empty": (
        np.zeros((0, 0)),
        "A transition matrix must be square, but its shape is (0, 0). Give one row and one column a class.",
    ),
    "NaN": (
        [[np.nan, 1], [0.5, 0.5]],
        "A transition matrix must hold finite numbers that are not negative, but some are not. "
        "Check the table.",
    ),
    "negative": (
        [[-0.1, 1.1], [0.5, 0.5]],
        "A transition matrix must hold finite numbers that are not negative, but some are not. "
        "Check the table.",
    ),
    "not stochastic": (
        [[0.5, 0.5], [0.7, 0.2]],
        "Each row of a transition matrix must sum to 1, but row 1 sums to 0.9. "
        "Divide each row by its sum; if the columns sum to 1 instead, transpose it.",
    ),
    "absorbing": (
        [[0.5, 0.5], [0.0, 1.0]],
        "Every class must be reachable from every other, but class 0 cannot be reached from class 1 (the "
        "chain is reducible). Drop classes that are never left or never entered, or give every transition "
        "some probability.",
    ),
    "two islands": (
        np.kron(np.eye(2), np.full((2, 2), 0.5)),
        "Every class must be reachable from every other, but class 2 cannot be reached from class 0 (the "
        "chain is reducible). Drop classes that are never left or never entered, or give every transition "
        "some probability.",
    ),
}


@pytest.mark.parametrize("case", BAD_MATRICES)
def test_refused_with_its_own_sentence(case):
    matrix, sentence = BAD_MATRICES[case]
    with pytest.raises(LanguageModelError) as caught:
        check_transition_matrix(matrix)
    assert str(caught.value) == sentence


@pytest.mark.parametrize("n_classes", [2, 3, 5, 9, 33])
def test_a_long_way_round_is_still_a_way(n_classes):
    """In a ring of C classes the farthest is C − 1 steps away; cutting one link makes it reducible."""
    ring = np.roll(np.eye(n_classes), 1, axis=1)
    check_transition_matrix(ring)
    ring[-1] = 0
    ring[-1, -1] = 1
    with pytest.raises(LanguageModelError, match="reducible"):
        check_transition_matrix(ring)
