"""Two classes of points and the straight lines that part them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ventris.figures.canvas import CLASS_COLOURS
from ventris.loglinear import LogLinear

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def boundary(model: LogLinear, x: NDArray) -> NDArray:
    """Second feature at which the two classes are equally likely, for each first feature in `x`.

    Examples
    --------
    >>> boundary(LogLinear(np.array([[1.0, 1.0], [0.0, 0.0]]), np.array([0.0, 1.0])), np.array([0.0, 2.0]))
    array([ 1., -1.])
    """
    (a, b), c = model.coef[0] - model.coef[1], model.intercept[0] - model.intercept[1]
    return -(a * x + c) / b


def draw_boundaries(axes: Axes, X: NDArray, y: NDArray, models: Mapping[str, tuple[LogLinear, str]]) -> None:
    """Points by class, and each named model's boundary in its line style; X has shape (n, 2)."""
    for label, colour in enumerate(CLASS_COLOURS):
        chosen = X[y == label]
        axes.scatter(chosen[:, 0], chosen[:, 1], s=4, alpha=0.35, color=colour, linewidths=0)
    span = np.array([X[:, 0].min(), X[:, 0].max()])
    x = np.linspace(span[0], span[1], 50)
    for name, (model, style) in models.items():
        axes.plot(x, boundary(model, x), style, color="black", linewidth=1.2, label=name)
    axes.set_ylim(X[:, 1].min(), X[:, 1].max())
    axes.set_xlabel("first feature")
    axes.set_ylabel("second feature")
    axes.legend(loc="lower right", fontsize=8)
