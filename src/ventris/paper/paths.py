"""Beyond the paper: J from start to optimum by three methods, and what the rates of SPDG cost."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ventris.classifiers.loglinear import LogLinear
from ventris.datasets import PaperChain
from ventris.figures.canvas import ACCENT, DOT, LINES, MUTED, SECOND, canvas
from ventris.figures.curves import draw_curves
from ventris.paper.faithful import FASTER, SETTINGS, draw_chain, draw_states, error_rate
from ventris.paper.lines import draw_map, model_at, point_of, problem_of
from ventris.paper.readings import cost_of, tuned_supervised
from ventris.paper.settings import SHOWN
from ventris.paper.units import Plain
from ventris.solvers.problem import Problem
from ventris.solvers.registry import SOLVERS, SPDG, FullBatch
from ventris.solvers.spdg import SPDGSettings, SPDGState
from ventris.solvers.spdg_loop import SPDGProgress, run_spdg_lanes
from ventris.solvers.starts import starting_dual

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Path = list[tuple[int, LogLinear]]  # points read so far, and the classifier then
_START = (70.0, 0.9, 2.0)  # direction, offset and sharpness: far from the answer, on the right side of it
_LOOKS = 50
_ITERATIONS = (1, 2, 3, 4, 5, 6, 8, 10, 13, 16, 20, 25, 32, 40, 50)
# As in the paper ten points make a batch; at the default rates so few would only make noise.
_BATCH: dict[str, Any] = {"batch_size": 1, "primal_lr": 0.01, "dual_lr": 0.01}
_SEED = 3


def compute(updates: int) -> Plain:
    """SPDG, naive minibatches and full batch from one start: J on the way, and the lines passed."""
    chain = draw_chain(SHOWN, 0)
    problem, supervised, start = problem_of(chain), tuned_supervised(chain), model_at(*_START)
    paths = {
        "SPDG": _by_updates("spdg", problem, start, updates),
        "naive SGD": _by_updates("naive-sgd", problem, start, updates),
        "full batch": _by_iterations(problem, start),
    }
    return {
        "right": point_of(supervised, chain),
        "paths": {
            name: [{"points": n, **point_of(model, chain)} for n, model in path]
            for name, path in paths.items()
        },
    }


def _by_updates(name: str, problem: Problem, start: LogLinear, updates: int) -> Path:
    """A minibatch method, stopped ever more rarely to look where it is."""
    solver = SOLVERS[name]
    assert isinstance(solver, SPDG)
    settings = replace(solver.settings(problem), **_BATCH)
    dual = starting_dual(problem, start, settings.dual_form, np.random.default_rng(_SEED))
    state = SPDGState(start.coef, start.intercept, dual)
    read = settings.batch_size * settings.subsequence_length
    looks = _at_stops(problem, settings, [state], np.geomspace(50, updates, _LOOKS))
    return [(0, start), *((stop * read, models[0]) for stop, models in looks)]


def _at_stops(
    problem: Problem, settings: SPDGSettings, starts: list[SPDGState], stops: NDArray
) -> Iterator[tuple[int, list[LogLinear]]]:
    """Where all starts are after so many updates, at each of the stops."""
    kept: list[SPDGProgress] = []
    for stop in np.unique(stops.astype(int)):
        run_spdg_lanes(
            problem.X,
            None,
            problem.lm_prob,
            settings,
            rng=np.random.default_rng(_SEED),
            starts=starts,
            max_updates=int(stop),
            look_every=int(stops[-1]),
            on_block=kept.append,
            progress=kept[-1] if kept else None,
        )
        now = kept[-1].weights.copy()
        yield int(stop), [LogLinear(w[:, :-1], w[:, -1], settings.gamma) for w in now]


def _by_iterations(problem: Problem, start: LogLinear) -> Path:
    """L-BFGS, ended later each time: it is deterministic, so the beginnings agree."""
    path: Path = [(0, start)]
    for iterations in _ITERATIONS:
        found = FullBatch(max_iter=iterations).solve(problem, start, np.random.default_rng(_SEED))
        path.append((iterations * len(problem.X), found.model))
        if found.converged:
            break
    return path


def draw(chart_data: Plain, data: Plain) -> Figure:
    """J against points read, and the same paths on the map of lines."""
    with canvas(9.8, 4.2) as figure:
        costs, chart = figure.subplots(1, 2, width_ratios=(1, 1.35))
        curves = {
            name: (np.array([row["points"] for row in rows[1:]]),
                   np.array([row["excess_cost"] for row in rows[1:]]))
            for name, rows in data["paths"].items()
        }  # fmt: skip
        draw_curves(costs, curves)
        costs.set_xlabel("points read")
        costs.set_title("J from one start")
        draw_map(chart, chart_data, figure)
        for rows, (_, style), colour in zip(data["paths"].values(), LINES, _BRIGHT, strict=False):
            places = np.array([row["place"] for row in rows])
            chart.plot(places[:, 0], places[:, 1], style, color=colour, linewidth=1.8)
        chart.scatter(*data["right"]["place"], s=46, color=DOT, edgecolors="white", zorder=5)
        chart.set_xlim(0, 360)
        chart.set_ylim(min(chart_data["offsets"]), max(chart_data["offsets"]))
        chart.set_title("The lines passed; red: supervised")
    return figure


_BRIGHT = ("white", "#ffb3a1", "#b6f0cb")  # the same order as LINES, seen on the map's colours


# ---------------------------------------------------------------------------------------------- rates


def compute_rates(updates: int, lanes: int) -> Plain:
    """Error and J of the start with the least J, on the way, at the paper's rates and at higher ones.

    The paper's rates get `updates`, the higher ones a tenth of them.
    """
    chain = draw_chain(SHOWN, 0)
    problem = problem_of(chain)
    curves = {}
    for name, settings, last in (("paper", SETTINGS, updates), ("faster", FASTER, updates // 10)):
        starts = draw_states(chain, lanes, 0, settings)
        looks = _at_stops(problem, settings, starts, np.geomspace(100, last, _LOOKS))
        curves[name] = [{"update": stop, **_best(models, chain)} for stop, models in looks]
    return {**curves, "supervised": error_rate(tuned_supervised(chain), chain)}


def _best(models: list[LogLinear], chain: PaperChain) -> Plain:
    """The one with the least J: no label takes part in the choice."""
    costs = [cost_of(model, chain) for model in models]
    best = int(np.argmin(costs))
    return {"excess_cost": costs[best], "error": error_rate(models[best], chain)}


def draw_rates(curves: dict[str, list[Plain]], supervised: float) -> Figure:
    """Error and J of the lane with the least J, against updates, at the paper's rates and at others."""
    with canvas(9.4, 3.9) as figure:
        errors, costs = figure.subplots(1, 2)
        for (name, rows), colour in zip(curves.items(), (ACCENT, SECOND), strict=True):
            updates = [row["update"] for row in rows]
            errors.plot(updates, [100 * row["error"] for row in rows], color=colour, label=name)
            costs.plot(updates, [max(row["excess_cost"], 1e-6) for row in rows], color=colour)
        errors.axhline(100 * supervised, color=MUTED, linewidth=1, linestyle=":", label="supervised")
        errors.set_ylabel("test error (%)")
        errors.set_ylim(bottom=0)
        errors.legend(fontsize=8)
        errors.set_title("Error against updates")
        costs.set_yscale("log")
        costs.set_ylabel("J − H (nats)")
        costs.set_title("Cost against updates")
        for axes in (errors, costs):
            axes.set_xscale("log")
            axes.set_xlabel("updates")
    return figure
