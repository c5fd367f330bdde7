"""How the cost falls while a classifier learns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ventris.errors import DataError
from ventris.figures.canvas import LINES, canvas

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ventris.classifier import SequenceClassifier

Curve = tuple[NDArray, NDArray]


def training_curves(*classifiers: SequenceClassifier) -> Figure:
    """Draw J − H against updates or iterations, for classifiers fitted by "spdg" or "full-batch".

    Parameters
    ----------
    *classifiers : SequenceClassifier

    Examples
    --------
    >>> import ventris as vt
    >>> chain = vt.datasets.make_paper_chain(2, n_samples=3000)
    >>> clf = vt.SequenceClassifier(chain.lm, method="full-batch", n_init=1, random_state=0)
    >>> training_curves(clf.fit(chain.train.X)).axes[0].get_ylabel()
    'J − H (nats)'
    """
    named = {f"{k + 1}: {clf.method}": curve_of(clf.history_) for k, clf in enumerate(classifiers)}
    with canvas(6.8, 4.2) as figure:
        axes = figure.subplots()
        draw_curves(axes, named)
        axes.set_xlabel("updates, or iterations over all the data")
    return figure


def curve_of(history: Sequence[Mapping[str, Any]]) -> Curve:
    """Updates and J − H of a history, as two arrays.

    Examples
    --------
    >>> curve_of([{"update": 0, "excess_cost": 0.5}, {"update": 10, "excess_cost": None}])
    (array([0]), array([0.5]))
    """
    clock = next((name for name in ("update", "iteration") if history and name in history[0]), None)
    if clock is None:
        raise DataError(
            "A training curve needs a history of costs",
            'this classifier has none (method="auto" learns in steps; see history_)',
            'Fit with method="spdg" or "full-batch"',
        )
    rows = [row for row in history if row["excess_cost"] is not None]
    return np.array([row[clock] for row in rows]), np.array([row["excess_cost"] for row in rows])


def draw_curves(axes: Axes, curves: Mapping[str, Curve]) -> None:
    """Each named curve, both axes logarithmic: costs fall by powers of ten, and so do their steps."""
    for (name, (x, y)), (colour, style) in zip(curves.items(), LINES, strict=False):
        axes.plot(np.maximum(x, 1), np.maximum(y, 1e-7), style, color=colour, linewidth=1.6, label=name)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_ylabel("J − H (nats)")
    axes.grid(True, which="major", linewidth=0.4, alpha=0.4)
    axes.legend(fontsize=8)
