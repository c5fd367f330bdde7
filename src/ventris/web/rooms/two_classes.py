"""Room 2: two classes on a plane, learnt live, with the lines a supervised fit and Bayes would draw."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, Field
from scipy.special import ndtr

from ventris import SequenceClassifier, objective
from ventris.callbacks import Event
from ventris.classifiers.loglinear import LogLinear
from ventris.datasets import SequenceData, make_gaussian_hmm
from ventris.datasets.paper_chains import COVARIANCE, MEANS, TRANSITIONS
from ventris.datasets.references import bayes_model, fit_supervised, gaussian_likelihood, smooth
from ventris.errors import Doubt
from ventris.evaluation import error_rate
from ventris.label_model.identifiability import identifiability
from ventris.label_model.model import NgramModel
from ventris.objective import floored_cost
from ventris.solvers.base import Solver
from ventris.solvers.problem import Problem
from ventris.solvers.registry import SPDG, FullBatch
from ventris.solvers.starts import draw_starts
from ventris.web.live import Watched, ending, watch_solver
from ventris.web.room import Answer, Recorded, Room, Task
from ventris.web.worker import Channel

Array = NDArray[np.floating]
_DRAWN = 700  # points shown
Coordinate = Field(ge=-6, le=6)


class Chain(BaseModel):
    """A two-state chain and the Gaussian each state is seen through."""

    p01: float = Field(default=0.4, ge=0.01, le=0.99, description="p(1 follows 0)")
    p10: float = Field(default=0.9, ge=0.01, le=0.99, description="p(0 follows 1)")
    x0: float = Coordinate
    y0: float = Coordinate
    x1: float = Coordinate
    y1: float = Coordinate
    variance: float = Field(default=0.4, ge=0.01, le=9)
    n: int = Field(default=6000, ge=600, le=30_000)
    seed: int = Field(default=0, ge=0)
    intercept: bool = True
    order: Literal[1, 2] = 2


Weight = Annotated[float, Field(ge=-1e6, le=1e6, allow_inf_nan=False)]
Row = Annotated[list[Weight], Field(min_length=2, max_length=2)]


class Start(BaseModel):
    """Weights to go on from."""

    coef: Annotated[list[Row], Field(min_length=2, max_length=2)]
    intercept: Row


class Training(Chain):
    """How to learn."""

    method: Literal["spdg", "direct", "full-batch", "auto"] = "spdg"
    primal_lr: float = Field(default=0.1, gt=0, le=1e6)
    dual_lr: float = Field(default=0.05, gt=0, le=1e6)
    batch_size: int = Field(default=10, ge=1, le=500)
    updates: int = Field(default=200, ge=1, le=100_000)
    frames: int = Field(default=300, ge=1, le=3000)
    start_seed: int = Field(default=0, ge=0)
    start: Start | None = None


@dataclass(frozen=True)
class World:
    """The data of a chain, cut contiguously, and its label model."""

    lm: NgramModel
    train: SequenceData
    test: SequenceData
    problem: Problem


@lru_cache(maxsize=16)
def _world(key: str) -> World:
    chain = Chain.model_validate_json(key)
    lm = NgramModel.from_transition_matrix([[1 - chain.p01, chain.p01], [chain.p10, 1 - chain.p10]])
    data = make_gaussian_hmm(lm, means_of(chain), chain.variance, n_samples=chain.n, random_state=chain.seed)
    train, test = data.part(0, chain.n * 5 // 6), data.part(chain.n * 5 // 6, chain.n)
    lengths = np.array([len(train.X)])
    problem = Problem(train.X, lengths, lm.joint(chain.order), fit_intercept=chain.intercept)
    return World(lm, train, test, problem)


def means_of(chain: Chain) -> Array:
    """Where each class has its centre: shape (2, 2)."""
    return np.array([[chain.x0, chain.y0], [chain.x1, chain.y1]])


def world_of(chain: Chain) -> World:
    """What a request asks for; the same settings give the same data."""
    return _world(Chain(**{name: getattr(chain, name) for name in Chain.model_fields}).model_dump_json())


# ------------------------------------------------------------------------------------------ the picture


def presets() -> dict[str, Any]:
    """The paper's ten chains, its means and its variance."""
    return {
        "chains": [[float(P[0, 1]), float(P[1, 0])] for P in TRANSITIONS],
        "means": MEANS.tolist(),
        "variance": float(COVARIANCE[0, 0]),
    }


def describe(chain: Chain) -> dict[str, Any]:
    """The data of a chain to draw, and what the best classifiers would do with it."""
    world = world_of(chain)
    judged, shares, means = identifiability(world.lm, 2), world.lm.stationary(), means_of(chain)
    supervised, bayes = supervised_of(world), bayes_model(means, chain.variance, shares)
    return {
        "points": world.test.X[:_DRAWN],
        "labels": world.test.y[:_DRAWN],
        "n_test": len(world.test.y),
        "shares": shares,
        "entropy": objective.entropy(world.problem.lm_prob),
        "label_model": {"verdict": judged.verdict, "sentence": judged.sentence},
        "errors": {
            "supervised": _error(supervised, world),
            "bayes": bayes_error(means, chain.variance, shares),
            "bayes_here": _error(bayes, world),
            "smoother": _smoother_error(means, chain.variance, world),
            "majority": float(shares.min()),
        },
        "lines": {"supervised": line(supervised), "bayes": line(bayes)},
        "cost_supervised": world.problem.cost(supervised),
    }


def supervised_of(world: World) -> LogLinear:
    """What the labels themselves would teach the same classifier."""
    train = world.train
    return fit_supervised(train.X, train.y, 2, fit_intercept=world.problem.fit_intercept)


def line(model: LogLinear) -> dict[str, Any]:
    """The boundary w·x + b = 0."""
    return {"w": model.coef[0] - model.coef[1], "b": model.intercept[0] - model.intercept[1]}


def _error(model: LogLinear, world: World) -> float:
    return error_rate(world.test.y, model.posteriors(world.test.X).argmax(axis=1))


def bayes_error(means: Array, variance: float, shares: Array) -> float:
    """What the best classifier of single points gets wrong of all points there could be (Bayes risk).

    Between two Gaussians of one variance only the distance matters, in standard deviations.

    Examples
    --------
    >>> round(bayes_error(np.array([[-1.0, 0.0], [1.0, 0.0]]), 1.0, np.array([0.5, 0.5])), 4)
    0.1587
    """
    apart = float(np.linalg.norm(means[1] - means[0])) / np.sqrt(variance)
    if apart < 1e-9:
        return float(shares.min())
    shift = np.log(shares[0] / shares[1]) / apart
    return float(shares[0] * ndtr(-apart / 2 - shift) + shares[1] * ndtr(-apart / 2 + shift))


def _smoother_error(means: Array, variance: float, world: World) -> float:
    """Error of the exact posterior given the whole sequence: nobody can do better."""
    likelihood = gaussian_likelihood(world.test.X, means, variance)
    return error_rate(world.test.y, smooth(likelihood, world.lm, n_jobs=1))


# ----------------------------------------------------------------------------------------- the training


def run_training(request: dict[str, Any], channel: Channel) -> dict[str, Any]:
    """The task "train": frames with J, L, error, boundary and dual variables, until the end."""
    asked = Training.model_validate(request)
    world = world_of(asked)

    def show(number: int, event: Event) -> None:
        channel.tell("frame", **measured(number, event, world))
        channel.turn()

    if asked.method == "auto":
        fit_watched(asked, world, Watched(show, lambda words: channel.tell("progress", message=words)))
        return {"message": "The route has come to its end."}
    rng = np.random.default_rng(asked.start_seed)
    start = _start(asked, world.problem, rng)
    return {"message": ending(watch_solver(_solver(asked), world.problem, start, rng, show))}


def fit_watched(asked: Training, world: World, watched: Watched) -> SequenceClassifier:
    """What the library makes of these points, watched."""
    clf = SequenceClassifier(
        world.lm,
        order=asked.order,
        fit_intercept=asked.intercept,
        random_state=asked.start_seed,
        n_jobs=1,
        callbacks=[watched],
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Doubt)  # the room shows the error itself
        return clf.fit(world.train.X)


def _solver(asked: Training) -> Solver:
    if asked.method == "full-batch":
        return FullBatch(max_iter=min(asked.frames, 100))
    return SPDG(
        primal_lr=asked.primal_lr,
        dual_lr=asked.dual_lr,
        batch_size=asked.batch_size,
        dual_form="direct" if asked.method == "direct" else "log",
        max_updates=asked.updates * asked.frames,
        look_every=asked.updates,
        patience=None,
    )


def _start(asked: Training, problem: Problem, rng: np.random.Generator) -> LogLinear:
    if asked.start is None:
        return draw_starts(problem, 1, rng)[0]
    coef, intercept = np.array(asked.start.coef), np.array(asked.start.intercept)
    return LogLinear(coef.reshape(2, 2), intercept.reshape(2) * asked.intercept)


def measured(number: int, event: Event, world: World) -> dict[str, Any]:
    """A moment in numbers; the error is only for eyes: no method sees a label."""
    problem = world.problem
    assert event.predict is not None
    expected = objective.expected_ngrams(event.predict(problem.X), problem.order, problem.lengths)
    best = objective.optimal_dual(expected)
    dual = best if event.dual is None else event.dual
    wrong = error_rate(world.test.y, event.predict(world.test.X).argmax(axis=1))
    found = {
        "step": number,
        "note": event.words,
        "J": floored_cost(problem.lm_prob, expected),
        # One is added so that L touches J where V is best: J = max L + ΣP (E5).
        "L": objective.saddle(problem.lm_prob, expected, dual) + float(problem.lm_prob.sum()),
        "error": wrong,
        "dual": dual.ravel(),
        "best_dual": best.ravel(),
    }
    if event.model is not None:
        weights = {"coef": event.model.coef, "intercept": event.model.intercept}
        found |= {"line": line(event.model), "weights": weights}
    return found


# --------------------------------------------------------------------------------------------- the room

_PAPER = {
    "x0": float(MEANS[0, 0]), "y0": float(MEANS[0, 1]), "x1": float(MEANS[1, 0]), "y1": float(MEANS[1, 1]),
    "variance": float(COVARIANCE[0, 0]), "n": 6000, "seed": 0, "intercept": True, "order": 2,
}  # fmt: skip

_NUMBERS = [2, 1, 4, 9, 10]  # chains that are recorded: easy ones, one that says little, one that dwells
_CHAINS = [(float(P[0, 1]), float(P[1, 0])) for P in (TRANSITIONS[k - 1] for k in _NUMBERS)]
_RATES = [-1, 0, 1]  # powers of ten

ROOM = Room(
    "two",
    "Two classes",
    answers=(
        Answer(
            "/two/presets",
            presets,
            "The paper's ten chains, as p(1 follows 0) and p(0 follows 1), its means and its variance.",
        ),
        Answer(
            "/two",
            describe,
            "Points to draw, and the errors of the supervised, the Bayes and the constant classifier.",
            Chain,
        ),
    ),
    tasks=(
        Task(
            "/two/train",
            run_training,
            'Start a job that learns without labels; each event "frame" holds J, L, error, line and dual.',
            Training,
        ),
    ),
    recorded=(
        Recorded("/two", _PAPER, {"p01,p10": _CHAINS}),
        Recorded(
            "/two/train",
            _PAPER | {"dual_lr": 10**-1.3, "batch_size": 10, "updates": 100, "method": "spdg"},
            {"p01,p10": _CHAINS, "primal_lr": [10.0**rate for rate in _RATES], "start_seed": [0, 1]},
        ),
        Recorded(
            "/two/train",
            _PAPER,
            {"p01,p10": _CHAINS, "method": ["full-batch", "auto"], "start_seed": [0, 1]},
        ),
    ),
    choices={
        "chain": _NUMBERS,
        "method": ["spdg", "full-batch", "auto"],
        "primal": _RATES,
        "start_seed": [0, 1],
    },
)
