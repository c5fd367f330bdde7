"""Figures: data computed first, drawn second. Needs the extra `plot`.

>>> from ventris import figures
>>> figure = figures.histogram_match("QEB NRFZH YOLTK CLU")
"""

from __future__ import annotations

from ventris.figures.canvas import save_figure
from ventris.figures.curves import training_curves
from ventris.figures.histograms import histogram_match
from ventris.figures.plane import boundaries
from ventris.figures.plans import floor_plan
from ventris.figures.surfaces import surface

__all__ = ["boundaries", "floor_plan", "histogram_match", "save_figure", "surface", "training_curves"]
