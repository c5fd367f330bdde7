"""The house style of every figure, and how one reaches the disk."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ventris.errors import FileFormatError, MissingExtraError
from ventris.storage.files import as_path, atomic_path

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMATS = ("png", "pdf", "svg", "eps", "ps", "jpg", "jpeg", "tif", "tiff", "webp")
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
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("Drawing a figure", "matplotlib", "plot") from None
    with matplotlib.rc_context(_STYLE):
        yield Figure(figsize=(width, height), layout="constrained", facecolor="white")


def figure_format(path: str | os.PathLike[str]) -> str:
    """The format a figure's file name asks for, "png" if it has no ending.

    Examples
    --------
    >>> figure_format("match.SVG")
    'svg'
    """
    ending = os.path.splitext(os.fspath(path))[1].lstrip(".").lower() or "png"
    if ending not in FORMATS:
        raise FileFormatError(
            f"{os.fspath(path)} must end in one of {', '.join(f'.{name}' for name in FORMATS)}",
            f"it ends in .{ending}",
            "Choose another name for the figure",
        )
    return ending


def save_figure(figure: Figure, path: str | os.PathLike[str], *, force: bool = True) -> None:
    """Write a figure; its format follows the ending of `path`."""
    ending = figure_format(as_path(path))
    with atomic_path(path, force=force) as temporary:
        figure.savefig(temporary, format=ending, dpi=150)
