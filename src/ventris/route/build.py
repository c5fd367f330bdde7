"""What `SequenceClassifier.fit` sets in motion: a solver with restarts, or the whole route."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ventris.callbacks import Callbacks, Event
from ventris.classifiers.base import Capability, Learner
from ventris.classifiers.choice import learner_of
from ventris.classifiers.loglinear import Coordinates, LogLinear
from ventris.classifiers.loglinear_learner import LogLinearLearner
from ventris.classifiers.settings import DEFAULT as LEARNER
from ventris.classifiers.settings import LearnerSettings
from ventris.codes.codebook import MOST_CODES
from ventris.data.known_labels import KnownLabels
from ventris.data.sequences import Sequences
from ventris.errors import DataError, LanguageModelError, ParameterError
from ventris.route.journey import Journey
from ventris.route.settings import RouteSettings
from ventris.route.steps import steps_of
from ventris.solvers.base import Solver
from ventris.solvers.problem import Problem
from ventris.solvers.registry import SOLVERS, SPDG, FullBatch
from ventris.solvers.restarts import Restarts, restart
from ventris.solvers.solution import Row, Solution
from ventris.solvers.starts import draw_starts
from ventris.storage.checkpoint import Checkpoint

if TYPE_CHECKING:
    from ventris.classifier import SequenceClassifier

# The classifier's parameters that set a solver: a solver object has them itself.
SPDG_PARAMETERS = ("batch_size", "subsequence_length", "primal_lr", "dual_lr", "dual_form")
_SOLVER_PARAMETERS = (*SPDG_PARAMETERS, "max_iter", "tol", "checkpoint_every")


@dataclass
class Trained:
    """A fitted learner and how it came about."""

    learner: Learner
    order: int
    history: list[Row] = field(default_factory=list)
    solution: Solution | None = None
    restarts: Restarts | None = None
    journey: Journey | None = None
    fresh: tuple[NDArray, NDArray, NDArray] | None = None  # as `Journey.fresh_outputs` has them


# ----------------------------------------------------------------------------------------------- solvers


def train_by_solver(
    clf: SequenceClassifier,
    sequences: Sequences,
    known: KnownLabels | None,
    rng: np.random.Generator,
    callbacks: Callbacks,
    checkpoint: Checkpoint | None = None,
) -> Trained:
    """Lower J on the raw inputs from many starts: methods "full-batch" and "spdg"."""
    if sequences.is_symbolic or clf.classifier is not None or known is not None:
        raise ParameterError(
            f"method={clf.method!r} trains the log-linear model on features, without known labels",
            "X is symbols, classifier= or partial_labels= was given",
            'Use method="auto"',
        )
    order = _order(clf, default=2)
    solver = _solver(clf)
    problem = _problem(clf, sequences, order, solver.stops_early)
    solver.check(problem)
    n_init = int(clf.n_init or 8)
    watch = _Watch(solver.name, n_init, callbacks)
    calls = iter(range(1_000_000))

    def solve(starts: Sequence[LogLinear], generator: np.random.Generator) -> list[Solution]:
        memory = checkpoint.step(f"solve-{next(calls)}") if checkpoint else None
        found = solver.solve_all(problem, starts, generator, watch.on_row, memory)
        watch.on_starts(len(starts))
        return found

    found = restart(problem, solve, draw_starts(problem, n_init, rng), rng)
    learner = LogLinearLearner(_units(clf, sequences)())
    learner.model = found.best.model
    watch.on_end(found.best)
    return Trained(learner, order, found.best.history, found.best, found)


@dataclass
class _Watch:
    """A solver's rows and starts as events of a fit that has one step."""

    name: str
    total: int
    callbacks: Callbacks
    done: int = 0

    def __post_init__(self) -> None:
        self._tell("fit_begin")
        self._tell("step_begin")

    def on_row(self, row: Row) -> bool:
        """One iteration, or some updates."""
        return self.callbacks.tell("update", Event.of_row(self.name, row, self.done, self.total))

    def on_starts(self, n_starts: int) -> None:
        """So many starts have ended."""
        self.done += n_starts
        self.total = max(self.total, self.done)  # relabellings of what was found are followed as well
        self._tell("start")

    def on_end(self, best: Solution) -> None:
        """The best of them all was chosen."""
        self._tell("step_end", cost=best.cost, model=best.model, dual=best.dual)

    def _tell(self, moment: str, **told: Any) -> bool:
        model = told.get("model")
        answer = {"predict": model.posteriors} if model is not None else {}
        event = Event(self.name, self.name, self.done, self.total, **told, **answer)
        return self.callbacks.tell(moment, event)


def _problem(clf: SequenceClassifier, sequences: Sequences, order: int, stops_early: bool) -> Problem:
    mask = _mask(clf, sequences.data.shape[1])
    validation = None
    if stops_early and clf.validation_fraction > 0 and sequences.n_points >= 1000:
        sequences, held_out = sequences.split(clf.validation_fraction)
        validation = (held_out.data, held_out.lengths)
    return Problem(
        sequences.data,
        sequences.lengths,
        clf.lm.joint(order),
        gamma=clf.gamma,
        fit_intercept=clf.fit_intercept,
        mask=mask,
        validation=validation,
    )


def check_alone(clf: SequenceClassifier) -> None:
    """Refuse a solver object with a setting outside its domain, or with settings given beside it."""
    from inspect import signature

    assert isinstance(clf.method, Solver)
    clf.method.check_settings()
    own = signature(type(clf)).parameters
    beside = [name for name in _SOLVER_PARAMETERS if name in own and getattr(clf, name) != own[name].default]
    if beside:
        given = ", ".join(f"{name}={getattr(clf, name)!r}" for name in beside)
        raise ParameterError(
            f"method={clf.method!r} brings the solver's settings itself",
            f"{given} was given beside it",
            f"Set what the solver needs in {type(clf.method).__name__}(…), and leave the rest out",
        )


def _solver(clf: SequenceClassifier) -> Solver:
    """The solver given, or the one named with the parameters that set it."""
    if isinstance(clf.method, Solver):
        return clf.method
    solver = SOLVERS[clf.method]
    settings: dict[str, Any] = {}
    if isinstance(solver, SPDG):
        settings = {name: getattr(clf, name) for name in SPDG_PARAMETERS}
        if clf.max_iter is not None:
            settings |= {"max_updates": clf.max_iter, "look_every": max(1, min(50_000, clf.max_iter // 10))}
        if clf.checkpoint_every is not None:
            settings["look_every"] = clf.checkpoint_every
    elif isinstance(solver, FullBatch) and clf.max_iter is not None:
        settings = {"max_iter": clf.max_iter}
    if clf.tol is not None:
        settings["tol"] = clf.tol
    return replace(solver, **settings)


# ------------------------------------------------------------------------------------------------- route


def train_by_route(
    clf: SequenceClassifier,
    sequences: Sequences,
    known: KnownLabels | None,
    rng: np.random.Generator,
    callbacks: Callbacks,
    checkpoint: Checkpoint | None = None,
) -> Trained:
    """Read the inputs as a cipher: method "auto"."""
    journey = new_journey(clf, sequences, known, rng, callbacks)
    if checkpoint and Capability.STATE not in journey.learner.capabilities:
        raise ParameterError(
            "A checkpoint can hold a classifier that gives its state as arrays",
            f"{type(clf.classifier).__name__} does not, and only pickle could keep it",
            "Fit without checkpoint, or give your classifier get_state and set_state",
        )
    take_steps(journey, checkpoint)
    fresh = journey.fresh_outputs()
    return Trained(journey.learner, journey.order, journey.history, journey=journey, fresh=fresh)


def new_journey(
    clf: SequenceClassifier,
    sequences: Sequences,
    known: KnownLabels | None = None,
    rng: np.random.Generator | None = None,
    callbacks: Callbacks | None = None,
) -> Journey:
    """The journey that `clf.fit` makes, before its first step: the only place that builds one."""
    _check_order_fits(clf, sequences)
    settings = RouteSettings(
        n_starts=clf.n_init and int(clf.n_init),  # plain numbers, for they go into files
        codebook_size=clf.codebook_size and int(clf.codebook_size),
        order=clf.order and int(clf.order),
        refine=clf.refine,
        adapt=_adapt(clf.adapt),
        n_fits=int(clf.n_fits),
        n_jobs=int(clf.n_jobs or -1),
    )
    fraction = clf.validation_fraction if sequences.n_points >= settings.hold_out_from else 0.0
    train, held_out = sequences.split(fraction) if fraction else (sequences, _nothing_of(sequences))
    return Journey(
        train,
        held_out,
        clf.lm,
        make_learner(clf, sequences, settings.learner),
        settings,
        np.random.default_rng(clf.random_state) if rng is None else rng,
        known,
        callbacks or Callbacks(),
    )


def _adapt(asked: Any) -> bool | str | float:
    """As plain Python has it: NumPy's True is no number of pseudo-counts."""
    if isinstance(asked, str):
        return asked
    return bool(asked) if isinstance(asked, bool | np.bool_) else float(asked)


def resume_generator(rng: np.random.Generator, checkpoint: Checkpoint) -> None:
    """Draw what the fit that was ended drew, whatever `random_state` is now."""
    kept = checkpoint.load("generator")
    if kept:
        rng.bit_generator.state = kept[1]["state"]
    else:
        checkpoint.store("generator", {}, {"state": rng.bit_generator.state})


def take_steps(journey: Journey, checkpoint: Checkpoint | None = None) -> None:
    """Take the steps that apply, keeping the state after each where a checkpoint is given."""
    kept = checkpoint.load("route") if checkpoint else None
    done = 0
    if kept:
        journey.restore(*kept)
        done = kept[1]["done"]
    steps = steps_of(journey)
    journey.tell("fit_begin", step="route", done=done, total=len(steps))
    for number, step in enumerate(steps[done:], start=done + 1):
        if journey.callbacks.is_stopping and journey.n_lessons:
            journey.history.append({"step": "stopped", "by": "callback"})
            break
        if step.applies(journey):
            with journey.step(step.name, step.words, number - 1, len(steps)) as row:
                step.run(journey, row)
        if checkpoint and not journey.callbacks.is_stopping:  # a step cut short is taken again
            arrays, meta = journey.state()
            checkpoint.store("route", arrays, meta | {"done": number})


def make_learner(
    clf: SequenceClassifier, sequences: Sequences, settings: LearnerSettings = LEARNER
) -> Learner:
    """The log-linear model, a table for symbols, or the user's own classifier."""
    n_symbols = int(sequences.data.max()) + 1 if sequences.is_symbolic else None
    if n_symbols is not None and n_symbols > MOST_CODES:
        raise DataError(
            f"Symbols must be numbered below {MOST_CODES:,}",
            f"the largest is {n_symbols - 1:,}",
            "Renumber them with numpy.unique(return_inverse=True), and merge the rarest if they are too many",
        )
    seed = clf.random_state if isinstance(clf.random_state, int) else 0
    return learner_of(
        clf.classifier,
        _units(clf, sequences),
        random_state=seed,
        n_symbols=n_symbols,
        settings=settings,
    )


# ------------------------------------------------------------------------------------------------ shared


def _order(clf: SequenceClassifier, default: int) -> int:
    order = int(clf.order or min(default, clf.lm.order))
    if order > clf.lm.order:
        raise LanguageModelError(
            f"order must be at most the label model's {clf.lm.order}",
            f"it is {order}",
            "Choose a lower order, or build a label model of a higher one",
        )
    return order


def _check_order_fits(clf: SequenceClassifier, sequences: Sequences) -> None:
    needed = min(2, _order(clf, default=clf.lm.order))
    if sequences.lengths.max() < needed:
        raise DataError(
            f"At least one sequence must hold {needed} points",
            f"the longest has {int(sequences.lengths.max())} sample(s)",
            "Give longer sequences",
        )


def _mask(clf: SequenceClassifier, n_features: int) -> NDArray[np.bool_] | None:
    if clf.features == "full":
        return None
    if n_features != clf.lm.n_classes:
        raise ParameterError(
            'features="diagonal" ties each class to the feature of the same number',
            f"there are {clf.lm.n_classes} classes and {n_features} features",
            'Use features="full"',
        )
    return np.eye(n_features, dtype=bool)


def _units(clf: SequenceClassifier, sequences: Sequences) -> Callable[[], Coordinates]:
    """How to find the units of the log-linear model's weights, for a learner that has such."""
    mask = None if sequences.is_symbolic else _mask(clf, sequences.data.shape[1])
    of, n_classes, intercept = Coordinates.of, clf.lm.n_classes, clf.fit_intercept
    return partial(of, sequences.data, n_classes, gamma=clf.gamma, fit_intercept=intercept, mask=mask)


def _nothing_of(sequences: Sequences) -> Sequences:
    return Sequences(sequences.data[:0], np.zeros(0, dtype=np.int64))
