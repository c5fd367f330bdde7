"""Two classes of two features: a classifier is a line in the plane and how sharply it parts its two sides."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ventris.classifiers.loglinear import LogLinear

_ORIGIN = (0.0, 0.0)  # of the plane, from which offsets are measured unless a centre is given


class Line(NamedTuple):
    """The line where both classes are equally likely.

    Attributes
    ----------
    angle : float
        Degrees, −180 to 180: the direction in which class 1 lies; 180° away the labels are swapped.
    distance : float
        From a centre to the line, in that direction.
    sharpness : float
        ‖w‖: how fast the log-odds change across the line.
    """

    angle: float
    distance: float
    sharpness: float


def line_of(model: LogLinear, centre: ArrayLike = _ORIGIN) -> Line:
    """Where a classifier of two classes and two features parts the plane, seen from `centre` of shape (2,).

    Examples
    --------
    >>> right = LogLinear(np.array([[-1.0, 0.0], [1.0, 0.0]]), np.array([1.0, -1.0]))
    >>> tuple(line_of(right)), line_of(right, [3.0, 0.0]).distance
    ((0.0, 1.0, 2.0), -2.0)
    """
    w = model.gamma * (model.coef[1] - model.coef[0])
    b = float(model.gamma * (model.intercept[1] - model.intercept[0]) + w @ np.asarray(centre))
    sharpness = float(np.hypot(*w)) or 1e-12  # a classifier that tells nothing apart has no line
    return Line(float(np.degrees(np.arctan2(w[1], w[0]))), -b / sharpness, sharpness)


def model_of(line: Line, centre: ArrayLike = _ORIGIN) -> LogLinear:
    """The classifier of a line: the inverse of `line_of`.

    Examples
    --------
    >>> [round(part, 9) for part in line_of(model_of(Line(30.0, 0.5, 4.0), [1.0, 1.0]), [1.0, 1.0])]
    [30.0, 0.5, 4.0]
    """
    turn = np.radians(line.angle)
    w = line.sharpness * np.array([np.cos(turn), np.sin(turn)])
    b = -line.sharpness * line.distance - w @ np.asarray(centre)
    return LogLinear(np.array([-w, w]) / 2, np.array([-b, b]) / 2)
