"""A figure that a notebook shows, though no window and no pyplot knows of it."""

from __future__ import annotations

from io import BytesIO

from matplotlib.figure import Figure


class ShownFigure(Figure):
    """matplotlib's figure with a picture of itself for a notebook, which else prints its name alone."""

    def _repr_png_(self) -> bytes:
        file = BytesIO()
        self.savefig(file, format="png")
        return file.getvalue()
