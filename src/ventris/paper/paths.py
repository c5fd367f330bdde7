"""Beyond the paper: J from start to optimum by three methods, and what the rates of SPDG cost."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ventris import objective
from ventris.figures.canvas import ACCENT, DOT, LINES, MUTED, SECOND, canvas
from ventris.figures.curves import draw_curves
from ventris.loglinear import LogLinear
from ventris.paper.faithful import draw_chain
from ventris.paper.lines import draw_map, model_at, point_of, problem_of
from ventris.paper.readings import fit_supervised
from ventris.paper.settings import SHOWN
from ventris.paper.units import Plain
from ventris.problem import Problem
from ventris.solvers import SOLVERS, SPDG, FullBatch
from ventris.spdg import SPDGState
from ventris.spdg_loop import SPDGProgress, run_spdg_lanes

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
    problem, supervised, start = problem_of(chain), fit_supervised(chain), model_at(*_START)
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
    state = SPDGState(start.coef, start.intercept, objective.optimal_dual(problem.expected(start)))
    path: Path = [(0, start)]
    kept: list[SPDGProgress] = []
    for stop in np.unique(np.geomspace(50, updates, _LOOKS).astype(int)):
        run_spdg_lanes(
            problem.X,
            None,
            problem.lm_prob,
            settings,
            rng=np.random.default_rng(_SEED),
            starts=[state],
            max_updates=int(stop),
            look_every=updates,
            on_block=kept.append,
            progress=kept[-1] if kept else None,
        )
        weights = kept[-1].weights[0].copy()
        read = int(stop) * settings.batch_size * settings.subsequence_length
        path.append((read, LogLinear(weights[:, :-1], weights[:, -1], settings.gamma)))
    return path


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
