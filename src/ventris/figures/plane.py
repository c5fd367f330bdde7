"""Two classes of points and the straight lines that part them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ventris.classifiers.loglinear import LogLinear
from ventris.errors import DataError
from ventris.figures.canvas import CLASS_COLOURS, LINE_COLOURS, canvas

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ventris.classifier import SequenceClassifier

_POINTS = 3000  # more would hide the lines
_STYLES = ("-", "--", ":", "-.")


def boundaries(
    clf: SequenceClassifier,
    X: NDArray,
    y: NDArray | None = None,
    others: Mapping[str, LogLinear] | None = None,
) -> Figure:
    """Draw the points of a two-class, two-feature problem and where classifiers part them.

    Parameters
    ----------
    clf : SequenceClassifier
        Fitted on two features and two classes.
    X : array of shape (T, 2)
    y : array of shape (T,), optional
        True labels, to colour the points by; by default the predicted ones.
    others : mapping of names to LogLinear, optional
        More boundaries, such as a supervised one.

    Returns
    -------
    matplotlib Figure

    Examples
    --------
    >>> import ventris as vt
    >>> chain = vt.datasets.make_paper_chain(2, n_samples=6000)
    >>> clf = vt.SequenceClassifier(chain.lm, random_state=0).fit(chain.train.X)
    >>> len(boundaries(clf, chain.test.X).axes[0].lines)
    1
    """
    model = LogLinear(clf.coef_, clf.intercept_, clf.gamma)
    labels = clf.predict(X) if y is None else np.asarray(y)
    models = {"without labels": model, **(others or {})}
    with canvas(6.4, 4.8) as figure:
        draw_boundaries(
            figure.subplots(),
            np.asarray(X)[:_POINTS],
            (labels == clf.classes_[1]).astype(int)[:_POINTS],
            {name: (each, style) for (name, each), style in zip(models.items(), _STYLES, strict=False)},
        )
    return figure


def boundary(model: LogLinear, low: NDArray, high: NDArray) -> NDArray:
    """Ends of the line where both classes are equally likely, inside a box: shape (2, 2), or (0, 2).

    Examples
    --------
    >>> model = LogLinear(np.array([[1.0, 1.0], [0.0, 0.0]]), np.array([0.0, 1.0]))
    >>> boundary(model, np.array([0.0, 0.0]), np.array([2.0, 2.0]))
    array([[0., 1.],
           [1., 0.]])
    """
    if model.coef.shape != (2, 2):
        raise DataError(
            "A boundary can be drawn for two classes and two features",
            f"there are {model.coef.shape[0]} and {model.coef.shape[1]}",
            "Choose two features, or look at the confusion matrix instead",
        )
    w, b = model.coef[0] - model.coef[1], model.intercept[0] - model.intercept[1]
    crossings = []
    for side in (0, 1):  # where the line meets the two edges on which feature `side` is fixed
        if w[1 - side] == 0:
            continue
        for edge in (low[side], high[side]):
            at = -(w[side] * edge + b) / w[1 - side]
            if low[1 - side] <= at <= high[1 - side]:
                crossings.append([edge, at] if side == 0 else [at, edge])
    return np.array(crossings).reshape(-1, 2)[:2]


def draw_boundaries(axes: Axes, X: NDArray, y: NDArray, models: Mapping[str, tuple[LogLinear, str]]) -> None:
    """Points by class, and each named model's boundary in its line style; X has shape (n, 2)."""
    for label, colour in enumerate(CLASS_COLOURS):
        chosen = X[y == label]
        axes.scatter(chosen[:, 0], chosen[:, 1], s=4, alpha=0.35, color=colour, linewidths=0, rasterized=True)
    low, high = X.min(axis=0), X.max(axis=0)
    for (name, (model, style)), colour in zip(models.items(), LINE_COLOURS, strict=False):
        ends = boundary(model, low, high)
        axes.plot(ends[:, 0], ends[:, 1], style, color=colour, linewidth=1.8, label=name)
    axes.set_xlim(low[0], high[0])
    axes.set_ylim(low[1], high[1])
    axes.set_xlabel("first feature")
    axes.set_ylabel("second feature")
    axes.legend(loc="lower right", fontsize=8)
