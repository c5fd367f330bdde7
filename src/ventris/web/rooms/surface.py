"""Room 3: J over all straight boundaries, L as a saddle, and the way an optimiser takes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, Field

from ventris import objective
from ventris.callbacks import Event
from ventris.classifiers.lines import Line, line_of, model_of
from ventris.classifiers.loglinear import LogLinear
from ventris.datasets.paper_chains import COVARIANCE, MEANS, TRANSITIONS
from ventris.solvers.base import Solver
from ventris.solvers.problem import Problem
from ventris.solvers.registry import SPDG, FullBatch
from ventris.solvers.starts import draw_starts
from ventris.storage.json_values import to_json
from ventris.web.live import ending, watch_solver
from ventris.web.room import Answer, Recorded, Room
from ventris.web.rooms.two_classes import Chain, World, supervised_of, world_of
from ventris.web.worker import Channel

Array = NDArray[np.floating]
_POINTS = 1800
_ANGLES, _OFFSETS, _STEPS = 49, 25, 27
_FRAMES, _UPDATES = 60, 100
_FLAT = 5e-4  # nats: what is left of J is only sharpness


class View(BaseModel):
    """Which landscape, and which way through it."""

    chain: int = Field(default=2, ge=1, le=10)
    order: Literal[1, 2] = 2
    intercept: bool = True
    method: Literal["spdg", "direct", "full-batch"] = "spdg"
    seed: int = Field(default=0, ge=0, le=999)


def landscapes(view: View) -> dict[str, Any]:
    """Both surfaces of a view and the path on them."""
    world = _world(view)
    path, message = path_of(view, world.problem)
    return {
        "entropy": objective.entropy(world.problem.lm_prob),
        "message": message,
        "J": cost_over_lines(world.problem, supervised_of(world), path),
        "L": saddle_along_path(world.problem, path),
    }


def run_survey(request: dict[str, Any], channel: Channel) -> dict[str, Any]:
    """The task "survey": the landscapes people look at first, computed before they ask."""
    for chain, order, intercept in product(range(1, 11), (2, 1), (True, False)):
        view = {"chain": chain, "order": order, "intercept": intercept}
        asked = View.model_validate(view)
        channel.tell("landscape", view=asked.model_dump_json(), answer=to_json(landscapes(asked)))
        channel.turn()
    return {}


def _world(view: View) -> World:
    P, (first, second) = TRANSITIONS[view.chain - 1], MEANS
    chain = Chain(
        p01=P[0, 1], p10=P[1, 0], x0=first[0], y0=first[1], x1=second[0], y1=second[1],
        variance=COVARIANCE[0, 0], n=_POINTS, intercept=view.intercept, order=view.order,
    )  # fmt: skip
    return world_of(chain)


def path_of(view: View, problem: Problem) -> tuple[list[Event], str]:
    """The moments of one run, and why it ended."""
    rng, path = np.random.default_rng(view.seed), list[Event]()
    start = draw_starts(problem, 1, rng)[0]
    found = watch_solver(_solver(view), problem, start, rng, lambda _, event: path.append(event))
    return _until_flat(path, problem) if view.method == "full-batch" else path, ending(found)


def _solver(view: View) -> Solver:
    if view.method == "full-batch":
        return FullBatch(max_iter=_FRAMES)
    form: Literal["direct", "log"] = "direct" if view.method == "direct" else "log"
    rate = 0.02 if form == "direct" else 0.1  # V itself starts far from its optimum and must outrun θ
    return SPDG(
        primal_lr=rate, dual_lr=0.05, dual_form=form,
        max_updates=_FRAMES * _UPDATES, look_every=_UPDATES, patience=None,
    )  # fmt: skip


def _until_flat(path: list[Event], problem: Problem) -> list[Event]:
    """The path without its tail, where J hardly falls and the weights grow without bound."""
    costs = [problem.cost(frame.model) for frame in path if frame.model is not None]
    last = next(k for k, cost in enumerate(costs) if cost < costs[-1] + _FLAT)
    return path[: last + 1]


# ---------------------------------------------------------------------------------------- J over lines


def cost_over_lines(problem: Problem, supervised: LogLinear, path: list[Event]) -> dict[str, Any]:
    """J of every straight boundary as sharp as the supervised one (E1), and of those on the path.

    Without an intercept a boundary passes the origin, so that its distance is given by its direction.
    """
    centre = problem.X.mean(axis=0)
    right = line_of(supervised, centre)
    sharpness = right.sharpness
    angles = right.angle + np.linspace(-270, 90, _ANGLES)  # the right basin at 3/4, the swapped one at 1/4
    offsets = np.linspace(-1.8, 1.8, _OFFSETS)
    z = costs_of_lines(problem, angles, offsets, sharpness, centre)
    places = [line_of(frame.model, centre) for frame in path if frame.model is not None]
    origin = [-float(centre @ [np.cos(np.radians(a)), np.sin(np.radians(a))]) for a in angles]
    return {
        "angles": angles - right.angle,
        "offsets": offsets,
        "z": z,
        "right": [0.0, right.distance, problem.cost(model_of(right, centre))],
        "path": {
            "angle": [_wrapped(place.angle - right.angle) for place in places],
            "offset": [place.distance for place in places],
            "z": [problem.cost(frame.model) for frame in path if frame.model is not None],
            "sharpness": [place.sharpness / sharpness for place in places],
        },
        "origin": None if problem.fit_intercept else {
            "offset": origin,
            "z": [
                problem.cost(model_of(Line(a, o, sharpness), centre))
                for a, o in zip(angles, origin, strict=True)
            ],
        },
    }  # fmt: skip


def costs_of_lines(problem: Problem, angles: Array, offsets: Array, sharpness: float, centre: Array) -> Array:
    """J (E1) of each line, as `Problem.cost` gives it, for a thousand at once: shape (offsets, angles).

    Of two classes the second's probability p tells all, and n-grams of one sequence are means of products.
    """
    turns = np.radians(angles)
    heights = (problem.X - centre) @ np.stack([np.cos(turns), np.sin(turns)])  # (T, angles)
    return np.stack([_costs(problem, _sigmoid(sharpness * (heights - offset))) for offset in offsets])


def _sigmoid(z: Array) -> Array:
    return 1.0 / (1.0 + np.exp(np.clip(-z, -500, 500)))


def _costs(problem: Problem, p: Array) -> Array:
    """J of each column of p(1 | x), shape (T, n): shape (n,)."""
    if problem.order == 1:
        second = p.mean(axis=0)
        expected = np.stack([1 - second, second])  # (2, n)
    else:
        first, second, both = p[:-1].mean(axis=0), p[1:].mean(axis=0), (p[:-1] * p[1:]).mean(axis=0)
        expected = np.stack([1 - first - second + both, second - both, first - both, both])  # (4, n)
    return -problem.lm_prob.ravel() @ np.log(np.maximum(expected, objective.TINY))  # (E1)


def _wrapped(angle: float) -> float:
    """The same direction between −270° and 90°, where the drawing has its edges.

    Examples
    --------
    >>> _wrapped(100.0), _wrapped(-300.0)
    (-260.0, 60.0)
    """
    return (angle + 270.0) % 360.0 - 270.0


# ---------------------------------------------------------------------------------------- L, the saddle


def saddle_along_path(problem: Problem, path: list[Event]) -> dict[str, Any]:
    """L + ΣP over θ⁰ + α(θ¹ − θ⁰) and −exp of a⁰ + β(a¹ − a⁰), a = ln(−V): from start (0) to end (1) (E4).

    V is interpolated in its logarithm, so that it stays negative however far β goes.
    """
    thetas = [_theta(frame) for frame in path]
    logs = [np.log(-_dual(problem, frame)) for frame in path]
    steps = np.linspace(-0.4, 1.4, _STEPS)
    best = np.log(-objective.optimal_dual(_expected(problem, thetas[-1])))
    mass = float(problem.lm_prob.sum())

    def height(expected: Array, log_dual: Array) -> float:
        return objective.saddle(problem.lm_prob, expected, -np.exp(log_dual)) + mass

    def expected(alpha: float) -> Array:
        return _expected(problem, thetas[0] + alpha * (thetas[-1] - thetas[0]))

    def log_dual(beta: float) -> Array:
        return logs[0] + beta * (best - logs[0])

    tables, duals = [expected(step) for step in steps], [log_dual(step) for step in steps]
    alphas = [_share(theta - thetas[0], thetas[-1] - thetas[0]) for theta in thetas]
    betas = [_share(log - logs[0], best - logs[0]) for log in logs]
    own = zip(thetas, logs, strict=True)
    return {
        "steps": steps,
        "z": [[height(table, dual) for table in tables] for dual in duals],
        "path": {
            "alpha": alphas,
            "beta": betas,
            "z": [height(_expected(problem, theta), log) for theta, log in own],
            # The path leaves the plane that is drawn: this is the height of the surface below or above it.
            "shadow": [height(expected(a), log_dual(b)) for a, b in zip(alphas, betas, strict=True)],
        },
    }


def _theta(frame: Event) -> Array:
    assert frame.model is not None
    return np.column_stack([frame.model.coef, frame.model.intercept])  # (C, D + 1)


def _expected(problem: Problem, theta: Array) -> Array:
    return np.maximum(problem.expected(LogLinear(theta[:, :-1], theta[:, -1])), objective.TINY)


def _dual(problem: Problem, frame: Event) -> Array:
    return objective.optimal_dual(_expected(problem, _theta(frame))) if frame.dual is None else frame.dual


def _share(part: Array, whole: Array) -> float:
    """How far along `whole` a step has come: its projection, as a share."""
    return float(np.sum(part * whole) / max(float(np.sum(whole * whole)), 1e-300))


# --------------------------------------------------------------------------------------------- the room

LANDSCAPES = "/surface"
_CHOICES: dict[str, Sequence[Any]] = {  # what the room opens with comes first
    "chain": (2, 1, *range(3, 11)),
    "order": (2, 1),
    "intercept": (True, False),
    "method": ("spdg", "full-batch"),
}

ROOM = Room(
    "surface",
    "Surface",
    answers=(
        Answer(
            LANDSCAPES,
            landscapes,
            "J over all straight boundaries, L as a saddle, and an optimiser's path on both.",
            View,
        ),
    ),
    recorded=(Recorded(LANDSCAPES, {"seed": 0}, _CHOICES),),
    choices=_CHOICES,
)
