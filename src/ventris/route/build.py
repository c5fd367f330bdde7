"""What `SequenceClassifier.fit` sets in motion: a solver with restarts, or the whole route."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ventris.classifiers.base import Learner
from ventris.classifiers.loglinear import LogLinear
from ventris.classifiers.loglinear_learner import LogLinearLearner
from ventris.classifiers.scikit import ScikitLearner
from ventris.classifiers.table import TableLearner
from ventris.classifiers.units import Coordinates
from ventris.codes.codebook import MOST_CODES
from ventris.data.sequences import Sequences
from ventris.errors import DataError, LanguageModelError, ParameterError
from ventris.progress import Progress
from ventris.route.journey import Route, RouteSettings
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
    route: Route | None = None


# ----------------------------------------------------------------------------------------------- solvers


def train_by_solver(
    clf: SequenceClassifier,
    sequences: Sequences,
    known: NDArray | None,
    rng: np.random.Generator,
    progress: Progress,
    checkpoint: Checkpoint | None,
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
    progress.begin(solver.name, n_init)
    calls = iter(range(1_000_000))

    def solve(starts: Sequence[LogLinear], generator: np.random.Generator) -> list[Solution]:
        memory = checkpoint.step(f"solve-{next(calls)}") if checkpoint else None
        found = solver.solve_all(problem, starts, generator, _watch(progress), memory)
        progress.advance(len(starts))
        return found

    found = restart(problem, solve, draw_starts(problem, n_init, rng), rng)
    learner = LogLinearLearner(_units(clf, sequences, problem.mask))
    learner.model = found.best.model
    return Trained(learner, order, found.best.history, found.best, found)


def _watch(progress: Progress) -> Any:
    def on_row(row: Row) -> None:
        progress.note(row.get("excess_cost"))

    return on_row


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
    known: NDArray | None,
    rng: np.random.Generator,
    progress: Progress,
    checkpoint: Checkpoint | None,
) -> Trained:
    """Read the inputs as a cipher: method "auto"."""
    _check_order_fits(clf, sequences)
    learner = make_learner(clf, sequences)
    if checkpoint and not isinstance(learner, LogLinearLearner | TableLearner):
        raise ParameterError(
            "A checkpoint can hold the log-linear model or a table of symbols",
            "classifier= was given, whose state only pickle could keep",
            "Fit without checkpoint, or without classifier",
        )
    fraction = clf.validation_fraction if sequences.n_points >= 1000 else 0.0
    train, held_out = sequences.split(fraction) if fraction else (sequences, _nothing_of(sequences))
    settings = RouteSettings(
        n_starts=clf.n_init and int(clf.n_init),  # plain numbers, for they go into files
        divergence=clf.divergence,
        codebook_size=clf.codebook_size and int(clf.codebook_size),
        order=clf.order and int(clf.order),
        refine=clf.refine,
        n_jobs=int(clf.n_jobs or -1),
    )
    route = Route(train, held_out, clf.lm, learner, settings, rng, known)
    walk(route, progress, checkpoint)
    return Trained(learner, route.order, route.history, route=route)


def resume_generator(rng: np.random.Generator, checkpoint: Checkpoint) -> None:
    """Draw what the fit that was ended drew, whatever `random_state` is now."""
    kept = checkpoint.load("generator")
    if kept:
        rng.bit_generator.state = kept[1]["state"]
    else:
        checkpoint.store("generator", {}, {"state": rng.bit_generator.state})


def walk(route: Route, progress: Progress, checkpoint: Checkpoint | None) -> None:
    """Run the steps, keeping the state after each where a checkpoint is given."""
    kept = checkpoint.load("route") if checkpoint else None
    done = 0
    if kept:
        route.restore(*kept)
        done = kept[1]["done"]
    steps = route.steps()
    progress.begin("route", len(steps))
    route.announce = lambda name, excess: progress.note(excess, name=name)
    progress.advance(done)
    for number, step in enumerate(steps[done:], start=done + 1):
        step()
        progress.advance(1, route.decipherment.excess_cost if route.decipherment else None)
        if checkpoint:
            arrays, meta = route.state()
            checkpoint.store("route", arrays, meta | {"done": number})


def make_learner(clf: SequenceClassifier, sequences: Sequences) -> Learner:
    """The log-linear model, a table for symbols, or the user's own classifier."""
    if sequences.is_symbolic:
        return _table_learner(clf, int(sequences.data.max()) + 1)
    if clf.classifier is None:
        return LogLinearLearner(_units(clf, sequences, _mask(clf, sequences.data.shape[1])))
    if _takes_soft_targets(clf.classifier):
        from sklearn.base import clone

        return clone(clf.classifier, safe=False)
    seed = clf.random_state if isinstance(clf.random_state, int) else 0
    return ScikitLearner(clf.classifier, random_state=seed)


def _table_learner(clf: SequenceClassifier, n_symbols: int) -> TableLearner:
    if clf.classifier is not None:
        raise ParameterError(
            "Symbols are read with a table",
            f"classifier={clf.classifier!r} was given",
            "Drop classifier, or turn the symbols into features",
        )
    if n_symbols > MOST_CODES:
        raise DataError(
            f"Symbols must be numbered below {MOST_CODES:,}",
            f"the largest is {n_symbols - 1:,}",
            "Renumber them with numpy.unique(return_inverse=True), and merge the rarest if they are too many",
        )
    return TableLearner(n_symbols)


def _takes_soft_targets(classifier: Any) -> bool:
    from inspect import signature

    fit = getattr(classifier, "fit", None)
    return callable(fit) and "soft_targets" in signature(fit).parameters


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


def _units(clf: SequenceClassifier, sequences: Sequences, mask: NDArray[np.bool_] | None) -> Coordinates:
    return Coordinates.of(
        sequences.data, clf.lm.n_classes, gamma=clf.gamma, fit_intercept=clf.fit_intercept, mask=mask
    )


def _nothing_of(sequences: Sequences) -> Sequences:
    return Sequences(sequences.data[:0], np.zeros(0, dtype=np.int64))
