"""Colours, lines and an empty figure bound to no window."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ventris.errors import MissingExtraError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INK, MUTED, ACCENT, SECOND = "#1f2933", "#9aa5b1", "#c8553d", "#2b6cb0"
CLASS_COLOURS = (SECOND, ACCENT)
DOT = "#e4002b"  # the point in question, on any surface
LINE_COLOURS = (INK, "#d98e04", "#3f7d58", "#7a4fa3")  # of lines among points of both classes
# Colour and line style of the curves of one figure, distinct in print as well.
LINES = ((SECOND, "-"), (ACCENT, "--"), ("#3f7d58", "-."), ("#7a4fa3", ":"), (INK, "-"))

_STYLE: dict[Any, Any] = {
    "font.size": 9,
    "axes.titlesize": 10,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.edgecolor": MUTED,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.labelcolor": INK,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "legend.frameon": False,
}


@contextmanager
def canvas(width: float, height: float) -> Iterator[Figure]:
    """An empty figure, `width` by `height` inches, bound to no window; the style holds inside the block."""
    try:
        import matplotlib

        from ventris.drawing.figure import ShownFigure
    except ImportError:
        raise MissingExtraError("Drawing a figure", "matplotlib", "plot") from None
    with matplotlib.rc_context(_STYLE):
        yield ShownFigure(figsize=(width, height), layout="constrained", facecolor="white")
