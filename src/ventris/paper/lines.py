"""A map of all lines in the plane, with J for its heights.

A two-class classifier of two features is a line, by its direction and its offset, and a sharpness. At one
sharpness J over direction and offset is a picture with nothing left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ventris import objective
from ventris.classifiers.lines import Line, line_of, model_of
from ventris.classifiers.loglinear import LogLinear
from ventris.datasets import PaperChain
from ventris.paper.faithful import draw_chain, error_rate
from ventris.paper.readings import cost_of, tuned_supervised
from ventris.paper.settings import SHOWN
from ventris.paper.units import Plain
from ventris.solvers.problem import Problem

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_POINTS = 10_000  # of the chain, enough for a map
_REACH = 2.5  # offsets on the map, in the units of the data


def problem_of(chain: PaperChain) -> Problem:
    """The chain's training part and its bigrams."""
    return Problem(chain.train.X, np.array([len(chain.train.X)]), chain.lm.joint(2))


def place_of(model: LogLinear) -> tuple[float, float]:
    """Place on the map: direction of class 1's side, 0 to 360 degrees, and the offset b/‖w‖ of the line.

    Examples
    --------
    >>> place_of(LogLinear(np.array([[0.0, 0.0], [2.0, 0.0]]), np.array([0.0, -1.0])))
    (0.0, -0.5)
    """
    line = line_of(model)
    return line.angle % 360.0, -line.distance


def model_at(angle: float, offset: float, sharpness: float) -> LogLinear:
    """The classifier at a place on the map: the inverse of `place_of`.

    Examples
    --------
    >>> place_of(model_at(90.0, 0.25, 3.0))
    (90.0, 0.25)
    """
    return model_of(Line(angle, -offset, sharpness))


def compute(grid: int) -> Plain:
    """J − H of every direction and offset on the paper's example, as sharp as the supervised classifier."""
    chain = draw_chain(SHOWN, 0)
    sharpness = line_of(tuned_supervised(chain)).sharpness
    X, lm_prob = chain.train.X[:_POINTS], chain.lm.joint(2)
    angles, offsets = np.linspace(0, 360, 2 * grid - 1), np.linspace(-_REACH, _REACH, grid)

    def height(angle: float, offset: float) -> float:
        outputs = model_at(angle, offset, sharpness).posteriors(X)
        return objective.excess_cost(lm_prob, objective.expected_ngrams(outputs, 2))

    z = [[round(height(a, b), 5) for a in angles] for b in offsets]
    return {"angles": angles.tolist(), "offsets": offsets.tolist(), "excess": z}


def point_of(model: LogLinear, chain: PaperChain) -> Plain:
    """A classifier on the map, its J − H, and its test error."""
    return {
        "place": list(place_of(model)),
        "excess_cost": cost_of(model, chain),
        "error": error_rate(model, chain),
    }


def draw_map(axes: Axes, chart: Plain, figure: Figure) -> None:
    """The map as colours, dark where J is low."""
    from matplotlib.colors import LogNorm

    z = np.array(chart["excess"])
    drawn = axes.pcolormesh(chart["angles"], chart["offsets"], z, cmap="viridis", shading="gouraud",
                            norm=LogNorm(max(z.min(), 1e-3), z.max()), rasterized=True)  # fmt: skip
    figure.colorbar(drawn, ax=axes, label="J − H (nats)", pad=0.01)
    axes.set_xticks(range(0, 361, 60))
    axes.set_xlabel("direction of class 1 (degrees)")
    axes.set_ylabel("offset of the line")
