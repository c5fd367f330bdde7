"""The list of solvers, each an object that holds its settings and turns starts into solutions."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from numbers import Integral, Real
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from ventris import objective
from ventris.classifiers.loglinear import LogLinear
from ventris.errors import DivergedWarning, ParameterError
from ventris.solvers import defaults
from ventris.solvers.base import Memory, Solver
from ventris.solvers.full_batch import match_full_batch
from ventris.solvers.problem import Problem
from ventris.solvers.solution import (
    Callback,
    Reason,
    Row,
    Solution,
    solutions_from_state,
    solutions_to_state,
)
from ventris.solvers.spdg import DualForm, Features, SPDGSettings, SPDGState
from ventris.solvers.spdg_loop import SPDGProgress, SPDGResult, run_spdg_lanes
from ventris.solvers.starts import starting_dual
from ventris.storage.json_values import plain

# ----------------------------------------------------------------------------------------- full batch


@dataclass(repr=False)
class FullBatch(Solver):
    """J over all the data, exactly and the same every time; any order and mask (L-BFGS).

    Attributes
    ----------
    max_iter : int
    tol : float
        As in `ventris.solvers.full_batch.match_full_batch`.

    References
    ----------
    R. H. Byrd, P. Lu, J. Nocedal and C. Zhu, "A Limited Memory Algorithm for Bound Constrained Optimization",
    SIAM Journal on Scientific Computing 16 (5), 1995, 1190–1208.

    Examples
    --------
    >>> FullBatch(max_iter=50)
    FullBatch(max_iter=50)
    """

    name: ClassVar[str] = "full-batch"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
    }

    max_iter: int = 200
    tol: float = 1e-7

    def solve_all(
        self,
        problem: Problem,
        starts: Sequence[LogLinear],
        rng: np.random.Generator,
        callback: Callback | None = None,
        memory: Memory | None = None,
    ) -> list[Solution]:
        self.check(problem)
        kept = memory.load() if memory is not None else None
        done = [] if kept is None else solutions_from_state(*kept)
        for start in starts[len(done) :]:
            done.append(self._from(problem, start, callback))
            if done[-1].stopped_because == "callback":
                memory = None  # who goes on later goes on without whoever asked to stop
            if memory is not None:
                memory.store(*solutions_to_state(done))
        return done

    def _from(self, problem: Problem, start: LogLinear, callback: Callback | None) -> Solution:
        return match_full_batch(
            problem.X,
            problem.lengths,
            problem.lm_prob,
            start,
            fit_intercept=problem.fit_intercept,
            mask=problem.mask,
            max_iter=self.max_iter,
            tol=self.tol,
            callback=callback,
        )


# ---------------------------------------------------------------------------------------- minibatches


@dataclass(repr=False)
class SPDG(Solver):
    """Algorithm 1: weights descend, dual variables ascend, orders 1 to 3 (stochastic primal–dual gradient).

    Attributes
    ----------
    primal_lr, dual_lr, decay, batch_size, subsequence_length, dual_form, floor
        As in `ventris.solvers.spdg.SPDGSettings`.
    max_updates : int
    look_every : int
        Updates between two full passes that read J.
    patience : int or None
        Full passes without progress after which a run ends.
    tol : float
        What counts as progress in J.

    References
    ----------
    Y. Liu, L. Deng, J. Chen and C. W. Chen, "From Caesar Cipher to Unsupervised Learning: A New Method for
    Classifier Parameter Estimation", 2019.

    Examples
    --------
    >>> SPDG(primal_lr=0.05).get_params()["primal_lr"]
    0.05
    """

    name: ClassVar[str] = "spdg"
    max_order: ClassVar[int | None] = 3
    any_mask: ClassVar[bool] = False
    stops_early: ClassVar[bool] = True
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "primal_lr": [Interval(Real, 0, None, closed="neither")],
        "dual_lr": [Interval(Real, 0, None, closed="neither")],
        "decay": [Interval(Real, 0, None, closed="left")],
        "batch_size": [Interval(Integral, 1, None, closed="left")],
        "subsequence_length": [Interval(Integral, 1, None, closed="left")],
        "dual_form": [StrOptions({"log", "direct"})],
        "floor": [Interval(Real, 0, None, closed="neither")],
        "max_updates": [Interval(Integral, 1, None, closed="left")],
        "look_every": [Interval(Integral, 1, None, closed="left")],
        "patience": [Interval(Integral, 1, None, closed="left"), None],
        "tol": [Interval(Real, 0, None, closed="left")],
    }

    primal_lr: float = defaults.PRIMAL_LR
    dual_lr: float = defaults.DUAL_LR
    decay: float = SPDGSettings.decay
    batch_size: int = defaults.BATCH_SIZE
    subsequence_length: int = defaults.SUBSEQUENCE_LENGTH
    dual_form: DualForm = defaults.DUAL_FORM
    floor: float = SPDGSettings.floor
    max_updates: int = 1_000_000
    look_every: int = 50_000
    patience: int | None = 4
    tol: float = 5e-5

    def settings(self, problem: Problem) -> SPDGSettings:
        """The settings of one update of this `problem`."""
        features: Features = "full" if problem.mask is None or problem.mask.all() else "diagonal"
        return SPDGSettings(
            gamma=problem.gamma,
            primal_lr=self.primal_lr,
            dual_lr=self.dual_lr,
            decay=self.decay,
            batch_size=self.batch_size,
            subsequence_length=self.subsequence_length,
            dual_form=self.dual_form,
            floor=self.floor,
            features=features,
            fit_intercept=problem.fit_intercept,
        )

    def solve_all(
        self,
        problem: Problem,
        starts: Sequence[LogLinear],
        rng: np.random.Generator,
        callback: Callback | None = None,
        memory: Memory | None = None,
    ) -> list[Solution]:
        self.check(problem)
        kept = memory.load() if memory is not None else None
        watch = _Watch(objective.entropy(problem.lm_prob), problem.gamma, callback, memory)
        results = self._run(problem, starts, rng, watch, kept and SPDGProgress.restored(*kept))
        return [self._solution(problem, result) for result in results]

    def _run(
        self,
        problem: Problem,
        starts: Sequence[LogLinear],
        rng: np.random.Generator,
        watch: _Watch,
        progress: SPDGProgress | None,
    ) -> list[SPDGResult]:
        states = [self._state(problem, start, rng) for start in starts]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DivergedWarning)  # told by stopped_because instead
            try:
                if progress is None:
                    watch.begin(SPDGProgress.at(states, rng))
                return run_spdg_lanes(
                    problem.X,
                    problem.lengths,
                    problem.lm_prob,
                    self.settings(problem),
                    rng=rng,
                    starts=states,
                    max_updates=self.max_updates,
                    look_every=self.look_every,
                    validation=problem.validation,
                    patience=self.patience,
                    tol=self.tol,
                    on_block=watch,
                    progress=progress,
                )
            except _AskedToStop as stop:
                results = [stop.progress.result(r, self.patience) for r in range(len(starts))]
                return [replace(result, stopped_because="callback") for result in results]

    def _state(self, problem: Problem, start: LogLinear, rng: np.random.Generator) -> SPDGState:
        dual = starting_dual(problem, start, self.dual_form, rng)
        return SPDGState(start.coef, start.intercept * problem.fit_intercept, dual)

    def _solution(self, problem: Problem, result: SPDGResult) -> Solution:
        model = LogLinear(result.coef, result.intercept, problem.gamma)
        expected_end: Reason = "converged" if problem.validation is None else "validation"
        reason = _REASONS.get(result.stopped_because, expected_end)
        return Solution(
            model=model,
            dual=result.dual,
            cost=problem.cost(model),  # the run's own may come from the validation part
            history=_rows(result.history, objective.entropy(problem.lm_prob)),
            n_iter=result.n_updates,
            converged=reason == expected_end,
            stopped_because=reason,
        )


@dataclass(repr=False)
class NaiveSGD(SPDG):
    """Descent on the J of each minibatch: biased, as the paper warns; kept for comparison (naive SGD)."""

    name: ClassVar[str] = "naive-sgd"

    dual_form: DualForm = field(default="naive", init=False)


_REASONS: dict[str, Reason] = {"max_updates": "max_iter", "diverged": "diverged", "callback": "callback"}


class _AskedToStop(Exception):
    """Carries the progress out of a run that its callback ended."""

    def __init__(self, progress: SPDGProgress) -> None:
        super().__init__("the callback asked to stop")
        self.progress = progress


@dataclass
class _Watch:
    """After each look: keep the state, tell the callback, and pass on its wish to stop."""

    entropy: float
    gamma: float
    callback: Callable[[Row], bool | None] | None
    memory: Memory | None

    def __call__(self, progress: SPDGProgress) -> None:
        if self.memory is not None:
            self.memory.store(progress.arrays(), progress.record())
        best = int(progress.best_cost.argmin())
        cost = float(progress.best_cost[best])
        self._tell(progress, best, {"cost": cost, "excess_cost": cost - self.entropy})

    def begin(self, progress: SPDGProgress) -> None:
        """The first start as it is, before any look at J."""
        self._tell(progress, 0, {})

    def _tell(self, progress: SPDGProgress, run: int, row: Row) -> None:
        if self.callback is None:
            return
        weights = progress.weights[run].copy()
        model = LogLinear(weights[:, :-1], weights[:, -1], self.gamma)
        now = {"update": progress.update, "model": model, "dual": progress.dual[run].copy()}
        if self.callback(row | now):
            raise _AskedToStop(progress)


def _rows(history: list[dict[str, Any]], entropy: float) -> list[Row]:
    """Rows with J − H; an infinite J becomes None, which JSON can hold."""
    return [
        row | {"cost": row["cost"], "excess_cost": row["cost"] - entropy}
        if np.isfinite(row["cost"])
        else row | {"cost": None, "excess_cost": None}
        for row in history
    ]


SOLVERS: Mapping[str, Solver] = MappingProxyType(
    {solver.name: solver for solver in (SPDG(), FullBatch(), NaiveSGD())}
)


# --------------------------------------------------------------------------------- solvers as plain values


def solver_to_state(solver: Solver) -> dict[str, Any]:
    """A solver's name and settings as JSON-able values, for files.

    Examples
    --------
    >>> solver_to_state(FullBatch(max_iter=50))
    {'solver': 'full-batch', 'settings': {'max_iter': 50, 'tol': 1e-07}}
    """
    if type(solver) is not type(SOLVERS.get(solver.name)):
        raise ParameterError(
            f"Files can name the solvers {', '.join(sorted(SOLVERS))}",
            f"this one is a {type(solver).__name__}",
            "Keep the classifier with joblib.dump, and load only files you trust",
        )
    return {"solver": solver.name, "settings": plain(solver.get_params())}


def solver_from_state(state: Mapping[str, Any]) -> Solver:
    """The solver that `solver_to_state` wrote."""
    return replace(SOLVERS[state["solver"]], **state["settings"])
