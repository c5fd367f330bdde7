"""Starts: in the units of the data, within the form of the weights."""

from __future__ import annotations

import numpy as np
import pytest

from ventris import objective
from ventris.classifiers.loglinear import LogLinear
from ventris.errors import ParameterError
from ventris.solvers.problem import Problem
from ventris.solvers.starts import START_KINDS, draw_starts, starting_dual


def _problem(**options):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((500, 3)) * [1.0, 1e4, 1e-4] + [0.0, 1e5, 3.0]
    return Problem(X, np.array([500]), np.full((3, 3), 1 / 9), gamma=10.0, **options)


def test_logits_have_the_wanted_size_whatever_the_scale_of_features():
    problem = _problem()
    starts = draw_starts(problem, 300, np.random.default_rng(1))
    sizes = [np.std(start.logits(problem.X), axis=0).mean() for start in starts]
    direction, small, offset = (np.mean(sizes[k :: len(START_KINDS)]) for k in range(3))
    assert 1.5 < direction < 2.1 and 0.07 < small < 0.11 and 1.5 < offset < 2.1


def test_intercepts_sum_to_zero_and_boundaries_meet_in_the_data():
    problem = _problem()
    for start in draw_starts(problem, 6, np.random.default_rng(2)):
        assert abs(start.intercept.sum()) < 1e-9 * np.abs(start.intercept).max()
        spread = np.ptp(problem.X @ start.coef.T + start.intercept, axis=0).max()
        middle = problem.X.mean(axis=0) @ start.coef.T + start.intercept
        assert np.ptp(middle) < spread


def test_the_form_of_the_weights_is_respected():
    mask = np.eye(3, dtype=bool)
    for start in draw_starts(_problem(mask=mask, fit_intercept=False), 6, np.random.default_rng(3)):
        assert not start.coef[~mask].any() and start.coef[mask].all() and not start.intercept.any()


def test_the_generator_decides_and_n_init_is_checked():
    first, again = (draw_starts(_problem(), 4, np.random.default_rng(4)) for _ in range(2))
    assert all(np.array_equal(a.coef, b.coef) for a, b in zip(first, again, strict=True))
    with pytest.raises(ParameterError, match="n_init must be at least 1"):
        draw_starts(_problem(), 0, np.random.default_rng(0))


@pytest.mark.parametrize("form", ["log", "naive"])
def test_the_dual_of_a_start_is_the_best_there_is_and_draws_nothing(form):
    """(E5): no other V gives a higher L at this start."""
    problem = _problem()
    start = draw_starts(problem, 1, np.random.default_rng(0))[0]
    rng = np.random.default_rng(1)
    dual = starting_dual(problem, start, form, rng)
    assert rng.random() == np.random.default_rng(1).random()
    expected = problem.expected(start)
    highest = objective.saddle(problem.lm_prob, expected, dual)
    for scale in np.random.default_rng(2).uniform(0.5, 2, size=(20, *dual.shape)):
        assert objective.saddle(problem.lm_prob, expected, dual * scale) < highest


def test_the_printed_dual_is_drawn_below_zero_whatever_the_start():
    problem = _problem()
    drawn = [
        starting_dual(problem, start, "direct", np.random.default_rng(3))
        for start in (LogLinear.zeros(3, 3), *draw_starts(problem, 2, np.random.default_rng(0)))
    ]
    assert drawn[0].shape == problem.lm_prob.shape
    assert np.all((drawn[0] >= -1) & (drawn[0] < 0)) and len(np.unique(drawn[0])) == drawn[0].size
    np.testing.assert_array_equal(drawn[0], drawn[1])
    np.testing.assert_array_equal(drawn[0], drawn[2])
