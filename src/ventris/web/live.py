"""Learning watched from outside: every method of the library, stopped after each step to be looked at.

Each runner calls `show` with a `Frame` again and again; `show` may wait (a pause) or raise (the end).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ventris import objective
from ventris.classifiers.loglinear import LogLinear
from ventris.classifiers.loglinear_learner import LogLinearLearner
from ventris.classifiers.units import Coordinates
from ventris.codes.codebook import Codebook
from ventris.data.sequences import Sequences
from ventris.errors import DivergedWarning
from ventris.label_model.model import NgramModel
from ventris.route.journey import Route, RouteSettings
from ventris.solvers.full_batch import cost_and_weight_gradient
from ventris.solvers.problem import Problem
from ventris.solvers.spdg import SPDGSettings, SPDGState
from ventris.solvers.spdg_loop import SPDGProgress, run_spdg_lanes

Array = NDArray[np.floating]


@dataclass(frozen=True)
class Frame:
    """One moment of learning.

    Attributes
    ----------
    step : int
        Updates, iterations or steps so far.
    note : str
        What was just done.
    predict : callable
        Inputs of shape (n, D) to probabilities (n, C).
    model : LogLinear, optional
        The classifier, where there is one already.
    dual : array of shape (C,) * N, optional
        V, where the method has one of its own.
    codebook, table : optional
        Where inputs are still read by the table's row of their code.
    """

    step: int
    note: str
    predict: Callable[[Array], Array]
    model: LogLinear | None = None
    dual: Array | None = None
    codebook: Codebook | None = None
    table: Array | None = None

    @classmethod
    def of(cls, step: int, note: str, model: LogLinear, dual: Array | None = None) -> Frame:
        """A frame of a log-linear classifier."""
        return cls(step, note, model.posteriors, model, dual)


Show = Callable[[Frame], None]


# --------------------------------------------------------------------------------------------- solvers


def watch_spdg(
    problem: Problem,
    start: LogLinear,
    settings: SPDGSettings,
    rng: np.random.Generator,
    show: Show,
    *,
    updates: int,
    frames: int,
) -> str:
    """Algorithm 1, `updates` at a time; says why it ended."""
    progress = SPDGProgress.at([_with_dual(problem, start, settings, rng)], rng)
    show(_spdg_frame(progress, settings.gamma))
    for _ in range(frames):
        before = progress.update
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DivergedWarning)  # told in words below
            run_spdg_lanes(
                problem.X, problem.lengths, problem.lm_prob, settings, rng=rng, starts=[],
                max_updates=before + updates, look_every=updates, progress=progress,
            )  # fmt: skip
        show(_spdg_frame(progress, settings.gamma))
        if not progress.alive[0]:
            done = int(progress.done[0])
            return f"It diverged after {done:,} updates: the rates are too high for these features."
    return "The updates asked for are done."


def _with_dual(
    problem: Problem, start: LogLinear, settings: SPDGSettings, rng: np.random.Generator
) -> SPDGState:
    """A start with V in [−1, 0) as printed, or with the best V for it (E5)."""
    best = objective.optimal_dual(problem.expected(start))
    dual = rng.random(best.shape) - 1.0 if settings.dual_form == "direct" else best
    return SPDGState(start.coef, start.intercept, dual)


def _spdg_frame(progress: SPDGProgress, gamma: float) -> Frame:
    weights = progress.weights[0].copy()
    model = LogLinear(weights[:, :-1], weights[:, -1], gamma)
    return Frame.of(progress.update, f"{progress.update:,} updates", model, progress.dual[0].copy())


def watch_full_batch(problem: Problem, start: LogLinear, show: Show, *, frames: int) -> str:
    """L-BFGS on J in the data's own units, as `match_full_batch` goes, shown after each iteration."""
    from scipy.optimize import minimize

    units = Coordinates.of(
        problem.X,
        problem.n_classes,
        gamma=start.gamma,
        fit_intercept=problem.fit_intercept,
        mask=problem.mask,
    )
    count: Iterator[int] = iter(range(1, frames + 2))

    def value(flat: Array) -> tuple[float, Array]:
        cost, coef, intercept = cost_and_weight_gradient(
            units.model(flat), problem.X, problem.lm_prob, problem.lengths
        )
        return cost, units.gradient(coef, intercept)

    def look(intermediate_result: Any) -> None:
        n = next(count)
        show(Frame.of(n, f"iteration {n}", units.model(intermediate_result.x.copy())))

    show(Frame.of(0, "the start", start))
    options = {"maxiter": frames, "gtol": 1e-7, "ftol": 1e-7}
    found = minimize(value, units.flat(start), jac=True, method="L-BFGS-B", callback=look, options=options)
    if found.status == 0:
        return f"No direction lowers J any more after {found.nit} iterations."
    return f"It ended after {found.nit} iterations."


# ----------------------------------------------------------------------------------------------- route


class WatchedLearner(LogLinearLearner):
    """The default learner, telling after every fit."""

    def __init__(self, units: Coordinates, tell: Callable[[LogLinear], None]) -> None:
        super().__init__(units)
        self.tell = tell

    def fit(self, X: Array, soft_targets: Array, sample_weight: Any = None) -> WatchedLearner:
        """Fit, then tell."""
        super().fit(X, soft_targets, sample_weight)
        assert self.model is not None
        self.tell(self.model)
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> WatchedLearner:
        """The route keeps copies to go back to; the line to the page must not be copied with them."""
        twin = WatchedLearner.__new__(WatchedLearner)
        vars(twin).update(vars(self))  # models are never changed in place
        return twin


STEPS = {
    "encode": "codebook: inputs become codes",
    "decipher": "decipher: codes become labels",
    "grow": "a finer codebook",
    "distil": "distil: the table teaches a classifier",
    "refine": "refine: read with the label model, learn, again",
    "regularise": "choose the penalty",
    "use_means": "weights from class means, if they do better",
    "match": "match J on the inputs, if it helps",
    "finish": "two more rounds on everything",
}


def watch_route(
    sequences: Sequences,
    lm: NgramModel,
    units: Coordinates,
    rng: np.random.Generator,
    show: Show,
    *,
    order: int | None = None,
    on_step: Callable[[str], None] = lambda words: None,
) -> Route:
    """The default route, step by step and fit by fit; `on_step` is told what begins."""
    count: Iterator[int] = iter(range(1_000_000))
    doing, shown = "", None

    def tell(model: LogLinear) -> None:
        show(Frame.of(next(count), doing, model))

    train, held_out = sequences.split(0.1)
    settings = RouteSettings(order=order, n_jobs=1)
    route = Route(train, held_out, lm, WatchedLearner(units, tell), settings, rng)
    for step in route.steps():
        name = getattr(step, "func", step).__name__
        doing = STEPS.get(name, name)
        on_step(doing)
        step()
        if route.table is not None and route.table is not shown:  # growing may find nothing to grow
            shown = route.table
            show(_table_frame(route, next(count), doing))
    learner = route.learner
    if isinstance(learner, LogLinearLearner) and learner.model is not None:
        show(Frame.of(next(count), "the answer", learner.model))
    return route


def _table_frame(route: Route, step: int, note: str) -> Frame:
    """Before there is a classifier: each input is read by the table's row of its code."""
    table, codebook = route.table, route.codebook
    assert table is not None and codebook is not None
    return Frame(step, note, lambda X: table[codebook.codes(X)], codebook=codebook, table=table)
