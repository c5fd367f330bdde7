"""One readable update of Algorithm 1 against finite differences of L and J; the projection; the batches."""

from __future__ import annotations

from collections import Counter
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ventris.errors import DataError, ParameterError
from ventris.objective import cost, saddle
from ventris.solvers.spdg import (
    SPDGSettings,
    SPDGState,
    direct_ascent,
    draw_batches,
    free_weights,
    initial_state,
    log_ascent,
    naive_minibatch_step,
    project_negative,
    spdg_step,
)

SHAPES = [(2, 2, 1), (2, 2, 2), (3, 2, 2), (2, 3, 3), (3, 3, 3)]  # classes, features, order


def problem(n_classes, n_features, order, seed=3):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((3, 7, n_features))
    lm_prob = rng.dirichlet(np.ones(n_classes**order)).reshape((n_classes,) * order)
    state = SPDGState(
        rng.standard_normal((n_classes, n_features)),
        rng.standard_normal(n_classes),
        -rng.uniform(0.5, 9.0, lm_prob.shape),
    )
    return state, X, lm_prob


def brute_force_expected(state, X, order, gamma):
    """P̄ by a loop over subsequences, windows and n-grams (E2)."""
    logits = gamma * (X @ state.coef.T + state.intercept)
    p = np.exp(logits) / np.exp(logits).sum(axis=-1, keepdims=True)  # (B, L, C)
    expected, n_windows = np.zeros((p.shape[2],) * order), 0
    for outputs in p:
        for t in range(len(outputs) - order + 1):
            n_windows += 1
            for gram in product(range(p.shape[2]), repeat=order):
                expected[gram] += np.prod([outputs[t + k, c] for k, c in enumerate(gram)])
    return expected / n_windows, n_windows


def slope(function, at, eps=1e-6):
    """Central differences of a function of one array."""
    gradient = np.zeros_like(at)
    for index in np.ndindex(at.shape):
        step = np.zeros_like(at)
        step[index] = eps
        gradient[index] = (function(at + step) - function(at - step)) / (2 * eps)
    return gradient


@pytest.mark.parametrize("form", ["direct", "log"])
@pytest.mark.parametrize(("n_classes", "n_features", "order"), SHAPES)
def test_a_step_descends_and_ascends_the_saddle_at_the_old_point(n_classes, n_features, order, form):
    state, X, lm_prob = problem(n_classes, n_features, order)
    settings = SPDGSettings(gamma=1.3, primal_lr=0.2, dual_lr=0.05, dual_form=form)

    def L(coef=state.coef, intercept=state.intercept, dual=state.dual):
        point = SPDGState(coef, intercept, dual)
        return saddle(lm_prob, brute_force_expected(point, X, order, settings.gamma)[0], dual)

    after = spdg_step(state, X, lm_prob, settings)  # (E8)
    by_coef = slope(lambda w: L(coef=w), state.coef)
    by_intercept = slope(lambda b: L(intercept=b), state.intercept)
    np.testing.assert_allclose(after.coef, state.coef - 0.2 * by_coef, rtol=1e-7)
    np.testing.assert_allclose(after.intercept, state.intercept - 0.2 * by_intercept, rtol=1e-7)
    if form == "direct":
        expected = state.dual + 0.05 * slope(lambda v: L(dual=v), state.dual)
    else:  # ascent on a = ln(−V), each entry divided by P_LM
        a = np.log(-state.dual)
        expected = -np.exp(a + 0.05 * slope(lambda b: L(dual=-np.exp(b)), a) / lm_prob)
    np.testing.assert_allclose(after.dual, expected, rtol=1e-7)


@pytest.mark.parametrize(("n_classes", "n_features", "order"), SHAPES)
def test_the_naive_step_descends_the_cost_of_the_batch(n_classes, n_features, order):
    state, X, lm_prob = problem(n_classes, n_features, order)
    settings = SPDGSettings(gamma=1.3, primal_lr=0.2, dual_form="naive")

    def J(coef):
        point = SPDGState(coef, state.intercept, state.dual)
        return cost(lm_prob, brute_force_expected(point, X, order, settings.gamma)[0])

    after = naive_minibatch_step(state, X, lm_prob, settings)
    np.testing.assert_allclose(after.coef, state.coef - 0.2 * slope(J, state.coef), rtol=1e-6)
    assert after.dual is state.dual


def test_ten_points_hold_nine_bigram_windows():
    state, _, _ = problem(2, 2, 2)
    X = np.random.default_rng(5).standard_normal((4, 10, 2))
    assert brute_force_expected(state, X, 2, 1.0)[1] == 4 * 9


def test_diagonal_features_leave_the_other_weights_alone():
    state, X, lm_prob = problem(2, 2, 2)
    settings = SPDGSettings(features="diagonal", fit_intercept=False)
    after = spdg_step(state, X, lm_prob, settings)
    moved = np.column_stack([after.coef != state.coef, after.intercept != state.intercept])
    np.testing.assert_array_equal(moved, [[True, False, False], [False, True, False]])


def test_diagonal_features_need_one_feature_to_a_class():
    with pytest.raises(ParameterError, match="3 features and 2 classes"):
        free_weights(2, 3, SPDGSettings(features="diagonal"))


def test_decaying_rates_shrink_the_step():
    state, X, lm_prob = problem(2, 2, 2)
    settings = SPDGSettings(decay=0.5)
    first = spdg_step(state, X, lm_prob, settings, update=0).coef - state.coef
    later = spdg_step(state, X, lm_prob, settings, update=6).coef - state.coef
    np.testing.assert_allclose(first, 4.0 * later, rtol=1e-10)


def test_projection_is_the_nearest_point_of_its_set():
    dual = np.random.default_rng(2).normal(-0.5, 1.0, 40)
    projected = project_negative(dual, 0.3)
    rivals = -0.3 - np.random.default_rng(3).exponential(1.0, (500, 40))
    assert projected.max() <= -0.3
    assert np.all(np.linalg.norm(rivals - dual, axis=1) > np.linalg.norm(projected - dual))
    np.testing.assert_array_equal(project_negative(projected, 0.3), projected)


@given(
    v=st.floats(-1e8, -1e-8),
    p=st.floats(1e-9, 1.0),
    expected=st.floats(0.0, 1.0),
    share=st.floats(1e-9, 0.999),
)
def test_a_direct_step_needs_no_projection_below_the_documented_rate(v, p, expected, share):
    rate = share * 4.0 / (p * max(expected, 1e-3) ** 2)  # μ_V P P̄² < 4
    step = v + rate * p * (expected + 1.0 / v)
    assert step < 0


def test_beyond_that_rate_the_projection_catches_it():
    dual = direct_ascent(np.array([-2.0]), np.array([1.0]), np.array([1.0]), rate=6.0, floor=1e-3)
    np.testing.assert_array_equal(dual, [-1e-3])


def test_both_ascents_rest_at_the_optimal_dual():
    expected = np.array([0.1, 0.4, 0.5])
    lm_prob = np.array([0.3, 0.3, 0.4])
    np.testing.assert_allclose(direct_ascent(-1 / expected, lm_prob, expected, 0.1, 1e-8), -1 / expected)
    np.testing.assert_allclose(log_ascent(-1 / expected, lm_prob, expected, 0.1), -1 / expected)


def test_log_ascent_moves_rare_ngrams_as_fast_as_common_ones():
    lm_prob, expected = np.array([1e-6, 1 - 1e-6]), np.array([1e-6, 1 - 1e-6])
    factor = log_ascent(-2 / expected, lm_prob, expected, 0.1) / (-2 / expected)
    np.testing.assert_allclose(factor, np.exp(-0.1), rtol=1e-12)


def test_log_ascent_is_bounded_and_leaves_impossible_ngrams():
    after = log_ascent(np.array([-1e6, -1e6]), np.array([0.5, 0.0]), np.array([1.0, 1.0]), 0.5)
    np.testing.assert_allclose(after, [-1e6 * np.exp(-1.0), -1e6], rtol=1e-12)


def test_batches_lie_inside_sequences_and_every_start_is_equally_likely():
    lengths = np.array([5, 2, 9, 4])
    drawn = draw_batches(np.random.default_rng(17), lengths, 4, 3, 20_000)
    assert drawn.shape == (20_000, 3)
    allowed = [0, 1, 7, 8, 9, 10, 11, 12, 16]
    counts = Counter(drawn.ravel().tolist())
    assert sorted(counts) == allowed
    share = 60_000 / len(allowed)
    chi_square = sum((counts[s] - share) ** 2 / share for s in allowed)
    assert chi_square < 26.1  # 99.9 % point for 8 degrees of freedom


def test_no_sequence_long_enough_is_refused():
    with pytest.raises(DataError, match="the longest has 3"):
        draw_batches(np.random.default_rng(0), [2, 3], 4, 1, 1)


def test_starts_follow_the_dual_form():
    X = np.random.default_rng(1).standard_normal((60, 2))
    lm_prob = np.full((2, 2), 0.25)
    direct = initial_state(np.random.default_rng(4), X, [20, 40], lm_prob, SPDGSettings(dual_form="direct"))
    assert direct.dual.min() >= -1.0
    assert direct.dual.max() < 0.0
    log = initial_state(np.random.default_rng(4), X, [20, 40], lm_prob, SPDGSettings())
    p = log.model(1.0).posteriors(X)
    windows = [t for t in range(59) if t != 19]
    expected = np.mean([np.outer(p[t], p[t + 1]) for t in windows], axis=0)
    np.testing.assert_allclose(log.dual, -1 / expected, rtol=1e-12)  # (E5)


@pytest.mark.parametrize(
    ("name", "value"),
    [("primal_lr", 0.0), ("dual_lr", -1.0), ("gamma", 0.0), ("decay", -0.1), ("batch_size", 0),
     ("subsequence_length", 0), ("floor", 0.0), ("dual_form", "square"), ("features", "some")],
)  # fmt: skip
def test_settings_outside_their_domain_are_refused(name, value):
    with pytest.raises(ParameterError, match=name):
        SPDGSettings(**{name: value})
