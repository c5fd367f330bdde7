"""J, L, the dual and every gradient: brute force, central differences, and the envelope theorem."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from ventris.classifiers.loglinear import LogLinear, softmax, weight_gradient
from ventris.errors import ParameterError
from ventris.objective import (
    cost,
    cost_and_logit_gradient,
    dense,
    dual_gradient,
    entropy,
    excess_cost,
    expected_ngrams,
    khatri_rao,
    logit_gradient,
    optimal_dual,
    saddle,
)

ORDERS = [1, 2, 3]
CLASSES = [2, 3, 4, 5]
# One sequence; several, one of them shorter than every order above 1; many of one point.
LENGTHS = [[14], [5, 1, 2, 6], [1, 1, 1, 11]]


def random_posteriors(n_points, n_classes, seed):
    return np.random.default_rng(seed).dirichlet(np.ones(n_classes), size=n_points)


def random_table(n_classes, order, seed):
    return np.random.default_rng(seed).dirichlet(np.ones(n_classes**order)).reshape((n_classes,) * order)


def random_dual(n_classes, order, seed):
    return -np.random.default_rng(seed).uniform(0.5, 20, (n_classes,) * order)


def central_differences(function, point, step=1e-5):
    gradient = np.zeros_like(point)
    for index in np.ndindex(point.shape):
        ahead, behind = point.copy(), point.copy()
        ahead[index] += step
        behind[index] -= step
        gradient[index] = (function(ahead) - function(behind)) / (2 * step)
    return gradient


def assert_same_gradient(got, expected):
    """To 1e-6 of the gradient's own size."""
    np.testing.assert_allclose(got, expected, rtol=1e-6, atol=1e-6 * np.abs(expected).max())


def by_hand(posteriors, order, lengths):
    """(E2) window by window and n-gram by n-gram."""
    n_classes = posteriors.shape[1]
    total, windows, start = np.zeros((n_classes,) * order), 0, 0
    for length in lengths:
        for first in range(start, start + length - order + 1):
            windows += 1
            for gram in product(range(n_classes), repeat=order):
                total[gram] += np.prod([posteriors[first + k, c] for k, c in enumerate(gram)])
        start += length
    return total / windows


@pytest.mark.parametrize("lengths", LENGTHS, ids=str)
@pytest.mark.parametrize("n_classes", CLASSES)
@pytest.mark.parametrize("order", ORDERS)
def test_expected_ngrams_equal_brute_force_over_all_windows(order, n_classes, lengths):
    posteriors = random_posteriors(14, n_classes, seed=0)
    expected = expected_ngrams(posteriors, order, lengths)
    np.testing.assert_allclose(expected, by_hand(posteriors, order, lengths), rtol=1e-12)
    np.testing.assert_allclose(expected.sum(), 1, rtol=1e-12)


@pytest.mark.parametrize("order", ORDERS)
def test_blocks_change_nothing(order, monkeypatch):
    """P̄ (E2) and the gradient (E7) are sums over blocks of windows; 64 is the least size of a block."""
    posteriors, lengths = random_posteriors(1000, 3, seed=0), [700, 2, 298]
    lm, dual = random_table(3, order, seed=1), random_dual(3, order, seed=2)
    whole = expected_ngrams(posteriors, order, lengths), logit_gradient(posteriors, lm, dual, lengths)
    monkeypatch.setattr(dense, "_BLOCK_CELLS", 1)
    np.testing.assert_allclose(expected_ngrams(posteriors, order, lengths), whole[0], rtol=1e-12)
    np.testing.assert_allclose(logit_gradient(posteriors, lm, dual, lengths), whole[1], rtol=1e-9, atol=1e-18)


def test_khatri_rao_is_the_outer_product_of_each_row():
    rng = np.random.default_rng(0)
    a, b, c = rng.random((6, 2)), rng.random((6, 3)), rng.random((6, 4))
    rows = [np.kron(np.kron(a[n], b[n]), c[n]) for n in range(6)]
    np.testing.assert_allclose(khatri_rao([a, b, c]), rows, rtol=1e-15)


def test_cost_by_hand():
    """(E1) with numbers."""
    assert cost([0.25, 0.75], [0.5, 0.5]) == pytest.approx(np.log(2), rel=1e-15)
    assert cost([0.25, 0.75], [0.1, 0.9]) == pytest.approx(
        -0.25 * np.log(0.1) - 0.75 * np.log(0.9), rel=1e-15
    )
    assert entropy([0.5, 0.25, 0.25]) == pytest.approx(1.5 * np.log(2), rel=1e-15)


def test_saddle_by_hand():
    """(E4) with numbers: Σ P (v P̄ + ln(−v))."""
    by_hand = 0.25 * (-2 * 0.1 + np.log(2)) + 0.75 * (-0.5 * 0.9 + np.log(0.5))
    assert saddle([0.25, 0.75], [0.1, 0.9], [-2.0, -0.5]) == pytest.approx(by_hand, rel=1e-15)


@pytest.mark.parametrize("order", ORDERS)
def test_the_excess_cost_is_a_divergence(order):
    lm, other = random_table(4, order, seed=0), random_table(4, order, seed=1)
    assert excess_cost(lm, lm) == 0
    assert excess_cost(lm, other) == pytest.approx(np.sum(lm * np.log(lm / other)), rel=1e-12)
    assert excess_cost(lm, other) > 0


def test_minus_log_is_the_greatest_tangent_line():
    """(E3): −ln u = max over v < 0 of uv + 1 + ln(−v)."""
    v = -np.geomspace(1e-4, 1e4, 2_000_001)
    for u in (0.003, 0.2, 1.0, 7.0):
        assert np.max(u * v + 1 + np.log(-v)) == pytest.approx(-np.log(u), abs=1e-10)


@pytest.mark.parametrize("n_classes", CLASSES)
@pytest.mark.parametrize("order", ORDERS)
def test_the_cost_is_the_greatest_saddle_plus_the_mass(order, n_classes):
    """(E5): J = max_V L + ΣP, to 1e-12; for a part of the table too."""
    lm, expected = random_table(n_classes, order, seed=0), random_table(n_classes, order, seed=1)
    for part in (lm, np.where(lm > np.median(lm), lm, 0.0)):
        highest = saddle(part, expected, optimal_dual(expected))
        assert cost(part, expected) == pytest.approx(highest + part.sum(), abs=1e-12, rel=1e-12)
        rng = np.random.default_rng(2)
        for _ in range(20):
            other = optimal_dual(expected) * rng.uniform(0.3, 3, expected.shape)
            assert saddle(part, expected, other) < highest


@pytest.mark.parametrize("n_classes", CLASSES)
@pytest.mark.parametrize("order", ORDERS)
def test_the_dual_gradient_against_central_differences(order, n_classes):
    """(E6), and (E5): it vanishes at the optimal dual."""
    lm, expected = random_table(n_classes, order, seed=0), random_table(n_classes, order, seed=1)
    dual = random_dual(n_classes, order, seed=2)
    numerical = central_differences(lambda v: saddle(lm, expected, v), dual)
    assert_same_gradient(dual_gradient(lm, expected, dual), numerical)
    np.testing.assert_allclose(dual_gradient(lm, expected, optimal_dual(expected)), 0, atol=1e-16)


@pytest.mark.parametrize("lengths", LENGTHS, ids=str)
@pytest.mark.parametrize("n_classes", CLASSES)
@pytest.mark.parametrize("order", ORDERS)
def test_the_logit_gradient_against_central_differences(order, n_classes, lengths):
    """(E7)."""
    lm, dual = random_table(n_classes, order, seed=0), random_dual(n_classes, order, seed=1)
    logits = np.random.default_rng(2).standard_normal((14, n_classes))

    def value(z):
        return saddle(lm, expected_ngrams(softmax(z.copy()), order, lengths), dual)

    got = logit_gradient(softmax(logits.copy()), lm, dual, lengths)
    assert_same_gradient(got, central_differences(value, logits))


@pytest.mark.parametrize("n_classes", CLASSES)
@pytest.mark.parametrize("order", ORDERS)
def test_the_weight_gradients_against_central_differences(order, n_classes):
    """(E7) carried back to the weights by (E9), γ included."""
    rng = np.random.default_rng(0)
    X, lengths = rng.standard_normal((14, 3)), [5, 1, 8]
    lm, dual = random_table(n_classes, order, seed=1), random_dual(n_classes, order, seed=2)
    coef, intercept = rng.standard_normal((n_classes, 3)), rng.standard_normal(n_classes)

    def value(coef, intercept):
        posteriors = LogLinear(coef, intercept, gamma=1.7).posteriors(X)
        return saddle(lm, expected_ngrams(posteriors, order, lengths), dual)

    posteriors = LogLinear(coef, intercept, gamma=1.7).posteriors(X)
    got = weight_gradient(X, logit_gradient(posteriors, lm, dual, lengths), gamma=1.7)
    assert_same_gradient(got[0], central_differences(lambda w: value(w, intercept), coef))
    assert_same_gradient(got[1], central_differences(lambda b: value(coef, b), intercept))


@pytest.mark.parametrize("n_classes", CLASSES)
@pytest.mark.parametrize("order", ORDERS)
def test_the_gradient_of_the_cost_itself(order, n_classes):
    """By the envelope theorem ∂J is ∂L at the optimal dual: (E1), (E5), (E7)."""
    lm, lengths = random_table(n_classes, order, seed=0), [6, 2, 6]
    logits = np.random.default_rng(1).standard_normal((14, n_classes))

    def value(z):
        return cost(lm, expected_ngrams(softmax(z.copy()), order, lengths))

    got_cost, got = cost_and_logit_gradient(softmax(logits.copy()), lm, lengths)
    assert got_cost == pytest.approx(value(logits), rel=1e-12)
    assert_same_gradient(got, central_differences(value, logits))


@pytest.mark.parametrize("order", ORDERS)
def test_single_precision_stays_single_and_agrees(order):
    lm, posteriors = random_table(5, order, seed=0), random_posteriors(3000, 5, seed=1)
    double_cost, double = cost_and_logit_gradient(posteriors, lm)
    single_cost, single = cost_and_logit_gradient(posteriors.astype(np.float32), lm)
    assert single.dtype == np.float32
    assert single_cost == pytest.approx(double_cost, rel=1e-5)
    np.testing.assert_allclose(single, double, rtol=1e-3, atol=1e-4 * np.abs(double).max())


def test_an_ngram_of_no_probability_asks_for_nothing():
    """0 · ln 0 = 0: J, L and both gradients stay finite, and the n-gram has no pull."""
    lm = np.array([[0.5, 0.25], [0.25, 0.0]])
    expected = np.array([[0.6, 0.2], [0.2, 0.0]])
    dual = optimal_dual(expected)
    assert np.all(np.isfinite(dual))
    assert cost(lm, expected) == pytest.approx(saddle(lm, expected, dual) + 1, rel=1e-12)
    assert dual_gradient(lm, expected, dual)[1, 1] == 0
    posteriors = random_posteriors(9, 2, seed=0)
    elsewhere = dual.copy()
    elsewhere[1, 1] = -3.0
    np.testing.assert_array_equal(
        logit_gradient(posteriors, lm, dual), logit_gradient(posteriors, lm, elsewhere)
    )


def test_an_ngram_that_never_occurs_makes_the_cost_infinite():
    assert cost([0.5, 0.5], [1.0, 0.0]) == float("inf")
    assert excess_cost([0.5, 0.5], [1.0, 0.0]) == float("inf")
    assert cost([1.0, 0.0], [1.0, 0.0]) == 0


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("order", ORDERS)
def test_a_class_that_is_never_used_gives_numbers_not_nan(order, dtype):
    posteriors = np.zeros((8, 3), dtype)
    posteriors[:, 0] = 1
    value, gradient = cost_and_logit_gradient(posteriors, np.full((3,) * order, 3.0**-order))
    assert np.isfinite(value)
    assert value > 100  # hopeless, and it shows
    assert np.all(np.isfinite(gradient))


BAD_TABLES = {
    "a dual that is not negative": (
        lambda: saddle([0.5, 0.5], [0.5, 0.5], [-1.0, 0.0]),
        "Dual variables must all be negative, but the largest is 0.0. "
        "Start from optimal_dual(), or project after each step.",
    ),
    "a dual that is NaN": (
        lambda: dual_gradient([0.5, 0.5], [0.5, 0.5], [-1.0, np.nan]),
        "Dual variables must all be negative, but the largest is nan. "
        "Start from optimal_dual(), or project after each step.",
    ),
    "tables of two orders": (
        lambda: cost([0.5, 0.5], [[0.5, 0.5], [0.0, 0.0]]),
        "Label-model and expected tables must have one shape, but they have (2,) and (2, 2). "
        "Compute both for the same order and classes.",
    ),
}


@pytest.mark.parametrize("case", BAD_TABLES)
def test_refused_with_its_own_sentence(case):
    call, sentence = BAD_TABLES[case]
    with pytest.raises(ParameterError) as caught:
        call()
    assert str(caught.value) == sentence


def test_memory_does_not_grow_with_the_number_of_points():
    import tracemalloc

    def peak(n_points):
        posteriors = np.full((n_points, 9), 1 / 9)
        tracemalloc.start()
        expected_ngrams(posteriors, 3)
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return most

    peak(10)  # whatever is allocated once
    assert peak(200_000) < 1.1 * peak(50_000) + 100_000
