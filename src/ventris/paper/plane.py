"""Figures 5 and 6: the points with three boundaries, and the transition graph that made their labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ventris.classifiers.loglinear import LogLinear
from ventris.datasets.paper_chains import MEANS
from ventris.datasets.references import bayes_model
from ventris.figures.canvas import CLASS_COLOURS, INK, MUTED, canvas
from ventris.figures.plane import draw_boundaries
from ventris.paper.faithful import draw_chain
from ventris.paper.limits import VARIANCE
from ventris.paper.readings import learn_without_labels, tuned_supervised
from ventris.paper.settings import SHOWN
from ventris.paper.units import Plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_POINTS = 1500
_STYLES = {"without labels": "-", "supervised": "--", "Bayes": ":"}


def compute() -> Plain:
    """Test points of chain 2 and three classifiers, one of which never saw a label."""
    chain = draw_chain(SHOWN, 0)
    learnt = learn_without_labels(chain, 0)
    models = {
        "without labels": LogLinear(learnt.coef_, learnt.intercept_, learnt.gamma),
        "supervised": tuned_supervised(chain),
        "Bayes": bayes_model(MEANS, VARIANCE, chain.lm.stationary()),
    }
    return {
        "X": np.round(chain.test.X[:_POINTS], 4).tolist(),
        "y": chain.test.y[:_POINTS].tolist(),
        "models": {name: [m.coef.tolist(), m.intercept.tolist()] for name, m in models.items()},
        "transition": chain.transition.tolist(),
        "stationary": chain.lm.stationary().tolist(),
    }


def draw_points(data: Plain) -> Figure:
    """Figure 5."""
    models = {
        name: (LogLinear(np.array(coef), np.array(intercept)), _STYLES[name])
        for name, (coef, intercept) in data["models"].items()
    }
    with canvas(7, 4.6) as figure:
        axes = figure.subplots()
        draw_boundaries(axes, np.array(data["X"]), np.array(data["y"]), models)
        for label, colour in enumerate(CLASS_COLOURS):
            axes.scatter([], [], s=16, color=colour, label=f"class {label}")
        axes.legend(loc="upper left", fontsize=8, ncols=2)
    return figure


def draw_graph(data: Plain) -> Figure:
    """Figure 6: two states, four arrows, each with its probability."""
    with canvas(6.4, 1.9) as figure:
        axes = figure.subplots()
        axes.set_xlim(-1.6, 3.6)
        axes.set_ylim(-0.8, 0.8)
        axes.set_aspect("equal")
        axes.axis("off")
        for state, x in enumerate((0.0, 2.0)):
            _draw_state(axes, x, state, data["stationary"][state])
        transition = data["transition"]
        _draw_arrow(axes, (0.42, 0.2), (1.58, 0.2), -0.35, (1.0, 0.62), transition[0][1])
        _draw_arrow(axes, (1.58, -0.2), (0.42, -0.2), -0.35, (1.0, -0.66), transition[1][0])
        _draw_arrow(axes, (-0.33, 0.28), (-0.33, -0.28), 1.5, (-1.0, 0.0), transition[0][0])
        _draw_arrow(axes, (2.33, -0.28), (2.33, 0.28), 1.5, (3.0, 0.0), transition[1][1])
    return figure


def _draw_state(axes: Axes, x: float, state: int, share: float) -> None:
    from matplotlib.patches import Circle

    axes.add_patch(Circle((x, 0), 0.42, facecolor="white", edgecolor=CLASS_COLOURS[state], linewidth=2))
    axes.text(x, 0.06, f"{state}", ha="center", va="center", fontsize=13, color=INK)
    axes.text(x, -0.2, f"{100 * share:.1f} %", ha="center", va="center", fontsize=7, color=INK)


def _draw_arrow(axes: Axes, start: Any, end: Any, bend: float, at: Any, probability: float) -> None:
    from matplotlib.patches import FancyArrowPatch

    arrow = FancyArrowPatch(start, end, connectionstyle=f"arc3,rad={bend}", arrowstyle="-|>",
                            mutation_scale=13, color=MUTED, linewidth=1.4)  # fmt: skip
    axes.add_patch(arrow)
    axes.text(at[0], at[1], f"{probability:g}", ha="center", va="center", fontsize=11, color=INK)
