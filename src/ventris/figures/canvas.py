"""How a figure reaches the disk; the house style, where figures look for it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ventris.drawing.style import ACCENT, CLASS_COLOURS, DOT, INK, LINE_COLOURS, LINES, MUTED, SECOND, canvas
from ventris.errors import FileFormatError
from ventris.storage.files import as_path, atomic_path

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = [
    "ACCENT",
    "CLASS_COLOURS",
    "DOT",
    "INK",
    "LINES",
    "LINE_COLOURS",
    "MUTED",
    "SECOND",
    "canvas",
    "figure_format",
    "save_figure",
]

FORMATS = ("png", "pdf", "svg", "eps", "ps", "jpg", "jpeg", "tif", "tiff", "webp")


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
    """Write a figure whole or not at all.

    Parameters
    ----------
    figure : matplotlib Figure
    path : path
        Its ending names the format.
    force : bool, default True
        Whether an existing file may be replaced.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> import ventris as vt
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_figure(vt.figures.histogram_match("QEB NRFZH YOLTK CLU"), f"{folder}/match.svg")
    ...     pathlib.Path(folder, "match.svg").exists()
    True
    """
    ending = figure_format(as_path(path))
    with atomic_path(path, force=force) as temporary:
        figure.savefig(temporary, format=ending, dpi=150)
