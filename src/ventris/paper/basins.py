"""Beyond the paper: the two basins of J, and how J tells them apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ventris.figures.canvas import ACCENT, SECOND, canvas
from ventris.paper.faithful import draw_chain
from ventris.paper.lines import draw_map, point_of, problem_of
from ventris.paper.readings import tuned_supervised
from ventris.paper.settings import SHOWN
from ventris.paper.units import Plain
from ventris.solvers.registry import FullBatch
from ventris.solvers.starts import draw_starts

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_SEED = 5


def compute(starts: int) -> Plain:
    """Where full-batch descent ends from random starts, beside the supervised answer and its mirror."""
    chain = draw_chain(SHOWN, 0)
    problem, supervised = problem_of(chain), tuned_supervised(chain)
    rng = np.random.default_rng(_SEED)
    ends = FullBatch().solve_all(problem, draw_starts(problem, starts, rng), rng)
    return {
        "right": point_of(supervised, chain),
        "exchanged": point_of(supervised.relabelled([1, 0]), chain),
        "ends": [point_of(end.model, chain) for end in ends],
    }


def count(data: Plain) -> tuple[int, int]:
    """Ends in the right basin, and elsewhere."""
    wrong = sum(end["error"] > 0.5 for end in data["ends"])
    return len(data["ends"]) - wrong, wrong


def draw(chart_data: Plain, data: Plain) -> Figure:
    """The map with its two basins, and the J by which their bottoms are told apart."""
    with canvas(9.6, 4.2) as figure:
        chart, sides = figure.subplots(1, 2, width_ratios=(1.7, 1))
        draw_map(chart, chart_data, figure)
        for end in data["ends"]:
            chart.scatter(*end["place"], s=24, color=_colour(end), edgecolors="white", linewidths=0.7)
        _name(chart, "the right basin", [end for end in data["ends"] if end["error"] <= 0.5])
        _name(chart, "the wrong basin", [end for end in data["ends"] if end["error"] > 0.5])
        chart.set_title("J − H over all lines; dots: where descents end")
        for end in data["ends"]:
            sides.scatter(100 * end["error"], end["excess_cost"], s=24, color=_colour(end), alpha=0.7)
        sides.set_yscale("log")
        sides.set_xlim(0, 100)
        sides.set_xlabel("test error (%), which nobody knows")
        sides.set_ylabel("J − H (nats), which anybody can compute")
        sides.set_title("J tells the ends apart")
    return figure


def _name(axes: Axes, name: str, ends: list[Plain]) -> None:
    """The name of a basin above its ends."""
    if ends:
        angle, offset = np.mean([end["place"] for end in ends], axis=0)
        side = "left" if angle < 90 else "right" if angle > 270 else "center"
        axes.text(angle, offset + 0.3, name, color="white", weight="bold", ha=side)


def _colour(end: Plain) -> str:
    return ACCENT if end["error"] > 0.5 else SECOND
