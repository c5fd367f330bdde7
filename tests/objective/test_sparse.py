"""The sparse objective equals the dense one, for full tables and for parts of them."""

from __future__ import annotations

import numpy as np
import pytest

from ventris.classifiers.loglinear import softmax
from ventris.data.ngrams import NgramTable
from ventris.objective import cost, dual_gradient, expected_ngrams, logit_gradient, optimal_dual, saddle
from ventris.objective.dense import duality_gap
from ventris.objective.sparse import expected_grams, sparse_logit_gradient

LENGTHS = [9, 1, 2, 18]


def case(order, n_classes, top=None, seed=0):
    rng = np.random.default_rng(seed)
    joint = rng.dirichlet(np.full(n_classes**order, 0.3)).reshape((n_classes,) * order)
    posteriors = rng.dirichlet(np.ones(n_classes), size=sum(LENGTHS))
    return joint, posteriors, NgramTable.from_dense(joint, top)


def dense_of(table, values, n_classes, fill=0.0):
    dense = np.full((n_classes,) * table.order, fill)
    dense[tuple(table.grams.T)] = values
    return dense


@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_expected_grams_are_entries_of_the_dense_table(order):
    """(E2)."""
    _, posteriors, table = case(order, 3)
    dense = expected_ngrams(posteriors, order, LENGTHS)
    np.testing.assert_allclose(
        expected_grams(posteriors, table, LENGTHS), dense[tuple(table.grams.T)], rtol=1e-12
    )


@pytest.mark.parametrize("top", [None, 4])
@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_the_logit_gradient_equals_the_dense_one(order, top):
    """(E7); grams left out weigh nothing, as if their probability were zero."""
    _, posteriors, table = case(order, 3, top)
    dual = -np.random.default_rng(1).uniform(0.5, 20, len(table.prob))
    dense = logit_gradient(
        posteriors, dense_of(table, table.prob, 3), dense_of(table, dual, 3, fill=-1.0), LENGTHS
    )
    np.testing.assert_allclose(
        sparse_logit_gradient(posteriors, table, dual, LENGTHS), dense, rtol=1e-9, atol=1e-16
    )


@pytest.mark.parametrize("order", [1, 2, 3])
def test_the_logit_gradient_against_central_differences(order):
    """(E7)."""
    _, _, table = case(order, 3, top=5)
    dual = -np.random.default_rng(1).uniform(0.5, 20, len(table.prob))
    logits = np.random.default_rng(2).standard_normal((sum(LENGTHS), 3))

    def value(z):
        return saddle(table.prob, expected_grams(softmax(z.copy()), table, LENGTHS), dual)

    got = sparse_logit_gradient(softmax(logits.copy()), table, dual, LENGTHS)
    for index in [(0, 0), (8, 2), (9, 1), (10, 0), (29, 2)]:  # ends, the lone point, the short sequence
        ahead, behind = logits.copy(), logits.copy()
        ahead[index] += 1e-5
        behind[index] -= 1e-5
        numerical = (value(ahead) - value(behind)) / 2e-5
        assert got[index] == pytest.approx(numerical, rel=1e-6, abs=1e-6 * np.abs(got).max())


@pytest.mark.parametrize("top", [None, 5])
def test_the_cost_is_the_greatest_saddle_plus_the_mass_listed(top):
    """(E5) with the residual mass left out on both sides."""
    _, posteriors, table = case(3, 3, top)
    assert (table.mass < 0.999) == (top is not None)
    expected = expected_grams(posteriors, table, LENGTHS)
    dual = optimal_dual(expected)
    assert cost(table.prob, expected) == pytest.approx(
        saddle(table.prob, expected, dual) + table.mass, abs=1e-12, rel=1e-12
    )
    assert duality_gap(table.prob, expected, dual) == pytest.approx(0, abs=1e-12)
    np.testing.assert_allclose(dual_gradient(table.prob, expected, dual), 0, atol=1e-16)  # (E6)


def test_an_order_whose_dense_table_would_not_fit():
    """Order 12 over 27 classes has 10^17 cells; ten listed n-grams cost ten products a window."""
    rng = np.random.default_rng(0)
    grams = rng.integers(0, 27, (10, 12))
    table = NgramTable(grams, np.full(10, 0.1), 1.0)
    posteriors = rng.dirichlet(np.ones(27), size=40)
    by_hand = [np.mean([np.prod(posteriors[range(w, w + 12), gram]) for w in range(29)]) for gram in grams]
    np.testing.assert_allclose(expected_grams(posteriors, table), by_hand, rtol=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_class_that_is_never_used_gives_numbers_not_nan(dtype):
    posteriors = np.zeros((8, 3), dtype)
    posteriors[:, 0] = 1
    table = NgramTable.from_dense(np.full((3, 3), 1 / 9))
    dual = optimal_dual(expected_grams(posteriors, table))
    gradient = sparse_logit_gradient(posteriors, table, dual)
    assert gradient.dtype == dtype
    assert np.all(np.isfinite(gradient))
