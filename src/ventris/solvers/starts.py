"""Where the solvers start: random classifiers in the units of the data."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ventris import objective
from ventris.classifiers.loglinear import LogLinear, feature_moments
from ventris.errors import ParameterError
from ventris.solvers.problem import Problem

Array = NDArray[np.floating]
_SMALL, _BROAD = 0.1, 2.0  # unmeasured: standard deviation of the logits a start gives


def small_start(problem: Problem, moments: tuple[Array, Array], rng: np.random.Generator) -> LogLinear:
    """Nearly even outputs: lets the data choose the first direction."""
    return _meeting_at(moments[0], _random_coef(problem, _SMALL / moments[1], rng), problem)


def direction_start(problem: Problem, moments: tuple[Array, Array], rng: np.random.Generator) -> LogLinear:
    """Random directions, as steep as the data is narrow; logits have mean zero over the data."""
    return _meeting_at(moments[0], _random_coef(problem, _BROAD / moments[1], rng), problem)


def offset_start(problem: Problem, moments: tuple[Array, Array], rng: np.random.Generator) -> LogLinear:
    """Random directions whose boundaries meet at a random point of the data: reaches lopsided classes."""
    coef = _random_coef(problem, _BROAD / moments[1], rng)
    return _meeting_at(problem.X[rng.integers(len(problem.X))], coef, problem)


START_KINDS: tuple[Callable[[Problem, tuple[Array, Array], np.random.Generator], LogLinear], ...] = (
    direction_start,
    small_start,
    offset_start,
)


def draw_starts(problem: Problem, n_init: int, rng: np.random.Generator) -> list[LogLinear]:
    """`n_init` starts, the kinds in turn.

    Examples
    --------
    >>> problem = Problem(np.eye(2), np.array([2]), np.full((2, 2), 0.25))
    >>> starts = draw_starts(problem, 4, np.random.default_rng(0))
    >>> len(starts), bool(np.isclose(starts[0].intercept.sum(), 0))
    (4, True)
    """
    if n_init < 1:
        raise ParameterError("n_init must be at least 1", f"it is {n_init}", "Give a positive whole number")
    moments = feature_moments(problem.X)
    return [START_KINDS[k % len(START_KINDS)](problem, moments, rng) for k in range(n_init)]


def starting_dual(problem: Problem, start: LogLinear, dual_form: str, rng: np.random.Generator) -> Array:
    """V beside a start: random in [−1, 0) where V itself is moved, as printed, else optimal for it (E5).

    −1/P̄ is what V must become for this θ; a rare n-gram's V would be long on its way there from [−1, 0).

    Returns
    -------
    array of shape (C,) * N, all negative

    Examples
    --------
    >>> problem = Problem(np.eye(2), np.array([2]), np.full((2, 2), 0.25))
    >>> starting_dual(problem, LogLinear.zeros(2, 2), "log", np.random.default_rng(0))
    array([[-4., -4.],
           [-4., -4.]])
    """
    if dual_form == "direct":
        return rng.random(problem.lm_prob.shape) - 1.0
    return objective.optimal_dual(problem.expected(start))  # (E5)


def _random_coef(problem: Problem, steepness: Array, rng: np.random.Generator) -> Array:
    """Weights under which the logits of this data have about the wanted spread: shape (C, D)."""
    normal = rng.standard_normal((problem.n_classes, problem.n_features))
    coef = normal * steepness / (problem.gamma * np.sqrt(problem.n_features))
    return coef if problem.mask is None else coef * problem.mask


def _meeting_at(point: Array, coef: Array, problem: Problem) -> LogLinear:
    """The classifier whose outputs are even at `point`, if intercepts are free."""
    intercept = -coef @ np.asarray(point, dtype=float)
    # Zero mean over the classes: a common shift changes no output and only uses up digits.
    intercept = (intercept - intercept.mean()) * problem.fit_intercept
    return LogLinear(coef, intercept, problem.gamma)
