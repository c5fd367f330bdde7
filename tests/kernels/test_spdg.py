"""The compiled SPDG kernels against the readable update, on the same batches."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ventris.kernels.spdg import CHECK_EVERY, DIRECT, LOG, NAIVE, run_updates
from ventris.kernels.spdg_binary import feature_rows, run_binary_updates
from ventris.kernels.spdg_lanes import run_lane_updates
from ventris.solvers.spdg import (
    SPDGSettings,
    SPDGState,
    draw_batches,
    free_weights,
    naive_minibatch_step,
    spdg_step,
)

FORMS = {"direct": DIRECT, "log": LOG, "naive": NAIVE}
LENGTHS = [40, 3, 157]
NO_BOUND = 1e300


class Problem:
    """Random data, label model, start and batches (seed 7), and one call for each implementation."""

    def __init__(self, n_classes, n_features, order, n_updates, **settings):
        rng = np.random.default_rng(7)
        self.settings = SPDGSettings(**{"gamma": 1.7, "primal_lr": 0.05, "dual_lr": 0.02, **settings})
        self.X = rng.standard_normal((sum(LENGTHS), n_features)) + 0.3
        self.lm_prob = rng.dirichlet(np.ones(n_classes**order)).reshape((n_classes,) * order)
        self.free = free_weights(n_classes, n_features, self.settings)
        self.weights = rng.standard_normal((n_classes, n_features + 1)) * self.free
        self.dual = -rng.uniform(0.5, 2.0 * n_classes**order, self.lm_prob.shape)
        s = self.settings
        self.starts = draw_batches(rng, LENGTHS, s.subsequence_length, s.batch_size, n_updates)

    def readable(self, first=0):
        state = SPDGState(self.weights[:, :-1], self.weights[:, -1], self.dual)
        step = naive_minibatch_step if self.settings.dual_form == "naive" else spdg_step
        offsets = np.arange(self.settings.subsequence_length)
        for u, batch in enumerate(self.starts, first):
            state = step(state, self.X[batch[:, None] + offsets], self.lm_prob, self.settings, u)
        return np.column_stack([state.coef, state.intercept]), state.dual

    def arguments(self, data, weights, dual, first=0, bound=NO_BOUND):
        s = self.settings
        rates = np.array([s.primal_lr, s.dual_lr, s.decay])
        bounds = np.full(self.free.shape[1], bound)
        return (
            data, self.starts, s.subsequence_length, self.lm_prob.ndim, s.gamma, self.lm_prob.ravel(),
            weights, dual, self.free, bounds, rates, FORMS[s.dual_form], s.floor, first,
        )  # fmt: skip

    def general(self, first=0):
        weights, dual = self.weights.copy(), self.dual.copy()
        assert run_updates(*self.arguments(self.X, weights, dual.ravel(), first)) == len(self.starts)
        return weights, dual

    def binary(self, first=0):
        weights, dual = self.weights.copy(), self.dual.copy()
        data = feature_rows(self.X)
        assert run_binary_updates(*self.arguments(data, weights, dual.ravel(), first)) == len(self.starts)
        return weights, dual


def assert_states_agree(found, expected, rtol):
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=rtol)


GENERAL = [(2, 2, 1), (2, 2, 2), (2, 3, 3), (3, 1, 2), (4, 5, 1), (5, 4, 2), (3, 2, 3)]


@pytest.mark.parametrize("form", list(FORMS))
@pytest.mark.parametrize(("n_classes", "n_features", "order"), GENERAL)
def test_general_kernel_takes_the_readable_step(n_classes, n_features, order, form):
    problem = Problem(n_classes, n_features, order, 1, dual_form=form, batch_size=3)
    assert_states_agree(problem.general(), problem.readable(), rtol=1e-10)  # (E8)


@pytest.mark.parametrize("form", list(FORMS))
@pytest.mark.parametrize(("n_classes", "n_features", "order"), [(2, 2, 2), (4, 5, 1), (3, 2, 3)])
def test_general_kernel_stays_with_the_readable_loop_for_a_thousand_updates(
    n_classes, n_features, order, form
):
    problem = Problem(n_classes, n_features, order, 1000, dual_form=form, batch_size=2)
    assert_states_agree(problem.general(), problem.readable(), rtol=1e-6)


BINARY = [
    {"n_features": 1},
    {"n_features": 2, "features": "diagonal", "fit_intercept": False},
    {"n_features": 2, "fit_intercept": False, "batch_size": 1},
    {"n_features": 5, "subsequence_length": 23},
    {"n_features": 3, "subsequence_length": 2, "decay": 0.01},
]


@pytest.mark.parametrize("form", ["direct", "log"])
@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("case", BINARY, ids=str)
def test_binary_kernel_takes_the_readable_step(case, order, form):
    problem = Problem(2, order=order, n_updates=1, dual_form=form, **case)
    assert_states_agree(problem.binary(), problem.readable(), rtol=1e-10)


@pytest.mark.parametrize("form", ["direct", "log"])
@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("case", BINARY[:3:2], ids=str)
def test_binary_kernel_stays_with_the_readable_loop_for_a_thousand_updates(case, order, form):
    problem = Problem(2, order=order, n_updates=1000, dual_form=form, **case)
    assert_states_agree(problem.binary(), problem.readable(), rtol=1e-6)


@pytest.mark.parametrize("kernel", ["general", "binary"])
def test_decay_counts_from_the_first_update_of_the_run(kernel):
    problem = Problem(2, 2, 2, 5, decay=0.5)
    late = getattr(problem, kernel)(first=40)
    assert_states_agree(late, problem.readable(first=40), rtol=1e-10)
    assert not np.allclose(late[0], problem.readable(first=0)[0], rtol=1e-3)


def lanes_of(problem, n_lanes):
    """Starts that differ from the problem's own, lane 0 apart (seed 11)."""
    rng = np.random.default_rng(11)
    weights = problem.weights[..., None] + problem.free[..., None] * rng.standard_normal(
        (*problem.weights.shape, n_lanes)
    )
    dual = problem.dual.reshape(-1, 1) * rng.uniform(0.5, 2.0, (problem.dual.size, n_lanes))
    return weights, dual


@pytest.mark.parametrize("form", ["direct", "log"])
@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("case", BINARY, ids=str)
def test_every_lane_agrees_with_a_run_of_its_own(case, order, form):
    problem = Problem(2, order=order, n_updates=1500, dual_form=form, **case)
    weights, dual = lanes_of(problem, n_lanes=5)
    together, together_dual = weights.copy(), dual.copy()
    done = run_lane_updates(*problem.arguments(feature_rows(problem.X), together, together_dual), np.ones(5))
    assert done.tolist() == [1500] * 5
    for r in range(5):
        problem.weights = weights[..., r].copy()
        problem.dual = dual[:, r].reshape(problem.lm_prob.shape).copy()
        alone, alone_dual = problem.binary()
        assert_states_agree((together[..., r], together_dual[:, r]), (alone, alone_dual.ravel()), rtol=1e-9)


@pytest.mark.parametrize("kernel", [run_updates, run_binary_updates])
def test_divergence_keeps_the_last_sound_state(kernel):
    """A bound that the weights cross between the second and the third look."""
    problem = Problem(2, 2, 2, 4000)
    data = problem.X if kernel is run_updates else feature_rows(problem.X)
    sizes, states, every = [], [], problem.starts
    for looks in range(1, 5):
        problem.starts = every[: looks * CHECK_EVERY]
        states.append(problem.binary())
        sizes.append(np.abs(states[-1][0]).max())
    jump = next(k for k in range(1, 4) if sizes[k] > max(sizes[:k]))
    bound = (max(sizes[:jump]) + sizes[jump]) / 2
    problem.starts = every
    weights, dual = problem.weights.copy(), problem.dual.copy()
    kept = kernel(*problem.arguments(data, weights, dual.ravel(), bound=bound))
    assert kept == jump * CHECK_EVERY
    assert_states_agree((weights, dual), states[jump - 1], rtol=1e-8)


@pytest.mark.parametrize("kernel", [run_updates, run_binary_updates])
def test_nan_is_noticed_and_leaves_the_state_alone(kernel):
    problem = Problem(2, 2, 2, 10)
    problem.X[problem.starts[5, 0] + 1] = np.nan
    data = problem.X if kernel is run_updates else feature_rows(problem.X)
    weights, dual = problem.weights.copy(), problem.dual.copy()
    assert kernel(*problem.arguments(data, weights, dual.ravel())) == 0
    assert_states_agree((weights, dual), (problem.weights, problem.dual), rtol=0)


def test_a_lane_that_diverges_does_not_disturb_the_others():
    problem = Problem(2, 2, 2, 2500)
    weights, dual = lanes_of(problem, n_lanes=4)
    weights[0, 0, 2] = np.inf
    expected = weights.copy(), dual.copy()
    alone = np.array([1.0, 1.0, 0.0, 1.0])
    run_lane_updates(*problem.arguments(feature_rows(problem.X), *expected), alone)
    alive = np.ones(4)
    done = run_lane_updates(*problem.arguments(feature_rows(problem.X), weights, dual), alive)
    assert done.tolist() == [2500, 2500, 0, 2500]
    assert alive.tolist() == [1.0, 1.0, 0.0, 1.0]
    for r in (0, 1, 3):
        assert_states_agree((weights[..., r], dual[:, r]), (expected[0][..., r], expected[1][:, r]), rtol=0)


def test_masked_weights_never_move():
    problem = Problem(2, 2, 2, 200, features="diagonal", fit_intercept=False)
    for weights, _ in (problem.general(), problem.binary()):
        assert np.all(weights[problem.free == 0] == 0.0)
        assert np.all(weights[problem.free == 1] != problem.weights[problem.free == 1])


def test_settings_of_the_problem_are_what_the_kernels_receive():
    """Guards the comparison itself: another rate must give another state."""
    problem = Problem(3, 2, 2, 3)
    before = problem.general()
    problem.settings = replace(problem.settings, primal_lr=0.1)
    assert not np.allclose(before[0], problem.general()[0], rtol=1e-4)
