"""A plan of rooms, coloured by how often each is misread and by how doubtful its readings are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ventris.errors import DataError
from ventris.figures.canvas import INK, MUTED, canvas

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ventris.classifier import SequenceClassifier
    from ventris.datasets.floor_plan import FloorPlan

Array = NDArray[np.float64]


@dataclass(frozen=True)
class RoomReadings:
    """What became of each room.

    Attributes
    ----------
    error : array of shape (R,)
        Share of the frames taken in it that were read as another room; NaN where none was taken.
    doubt : array of shape (R,)
        Mean probability, of the frames read as it, that they are of another room; no true label is needed.
        NaN where none was read so.
    """

    error: Array
    doubt: Array


def read_rooms(clf: SequenceClassifier, X: Any, y: Any) -> RoomReadings:
    """Errors and doubts room by room, of frames read in their sequence.

    Parameters
    ----------
    clf : SequenceClassifier
        Fitted.
    X : array of shape (T, D)
        Frames of one walk.
    y : sequence of shape (T,)
        The rooms they were taken in.
    """
    numbers = {room: number for number, room in enumerate(clf.classes_.tolist())}
    truth = np.array([numbers[room] for room in np.asarray(y).tolist()])
    posteriors = np.asarray(clf.decode_proba(X))
    if len(posteriors) != len(truth):
        raise DataError("y must have a room for each frame", f"it has {len(truth)}", "Give one a row of X")
    read = posteriors.argmax(axis=1)
    return RoomReadings(
        _mean_by(truth, read != truth, len(numbers)),
        _mean_by(read, 1 - posteriors.max(axis=1), len(numbers)),
    )


def _mean_by(room: NDArray, values: NDArray, n_rooms: int) -> Array:
    often = np.bincount(room, minlength=n_rooms)
    total = np.bincount(room, weights=values, minlength=n_rooms)
    return np.where(often > 0, total / np.maximum(often, 1), np.nan)


def floor_plan(clf: SequenceClassifier, plan: FloorPlan) -> Figure:
    """Draw a plan twice: rooms coloured by their errors, and by the doubts of their readings.

    Parameters
    ----------
    clf : SequenceClassifier
        Fitted on the plan's training walk; its test walk is read.
    plan : FloorPlan

    Examples
    --------
    >>> import warnings
    >>> import ventris as vt
    >>> plan = vt.datasets.make_floor_plan("walled", 9, frames=2_000, n_test=500, random_state=1)
    >>> with warnings.catch_warnings(action="ignore"):  # whether so few frames decide the names
    ...     clf = vt.SequenceClassifier(plan.lm, random_state=0).fit(plan.train.X)
    >>> figure = vt.figures.floor_plan(clf, plan)
    """
    readings = read_rooms(clf, plan.test.X, plan.test.y)
    width, height = np.ptp(plan.positions, axis=0)
    tall = float(np.clip(4.2 * (height + 4) / (width + 4), 2.0, 6.5))
    most = 100 * float(np.nanmax(np.r_[readings.error, readings.doubt, 0.01]))
    with canvas(9.5, tall) as figure:
        left, right = figure.subplots(1, 2)
        _draw(left, plan, 100 * readings.error, most, "misread, % of the frames taken there")
        _draw(right, plan, 100 * readings.doubt, most, "doubt, % of the frames read as it")
    return figure


def _draw(axes: Axes, plan: FloorPlan, values: Array, most: float, title: str) -> None:
    from matplotlib.collections import LineCollection

    doors = [plan.positions[[i, j]] for i, j in np.argwhere(np.triu(plan.doors))]
    axes.add_collection(LineCollection(doors, colors=MUTED, linewidths=2, zorder=1))
    known = np.isfinite(values)
    colours = np.where(known, values, 0.0)
    x, y = plan.positions.T
    dots = axes.scatter(
        x, y, c=colours, s=260, cmap="YlOrRd", vmin=0, vmax=most, edgecolors=INK, linewidths=0.8, zorder=2
    )
    for number, (place, value) in enumerate(zip(plan.positions, values, strict=True), start=1):
        dark = np.isfinite(value) and value > 0.6 * most
        axes.annotate(
            str(number), place, ha="center", va="center", fontsize=7, color="white" if dark else INK, zorder=3
        )
    axes.set(title=title, aspect="equal", xticks=[], yticks=[])
    axes.margins(0.1)
    for side in axes.spines.values():
        side.set_visible(False)
    axes.figure.colorbar(dots, ax=axes, shrink=0.75)
