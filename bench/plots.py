"""The plots of the page: errors of every method, and growth on log-log axes."""

from __future__ import annotations

from pathlib import Path
from statistics import mean
from typing import Any

from bench.growth import slope
from ventris.figures.canvas import ACCENT, LINES, MUTED, SECOND, canvas, save_figure

Result = dict[str, Any]


def draw(kept: Result, folder: Path) -> dict[str, list[Path]]:
    """Draw what the results hold; paths of the plots by suite."""
    folder.mkdir(parents=True, exist_ok=True)
    found: dict[str, list[Path]] = {}
    if "accuracy" in kept:
        found["accuracy"] = [errors(kept["accuracy"]["details"], folder / "bench_accuracy.svg")]
    if "growth" in kept:
        found["growth"] = [growth(kept["growth"]["details"], folder / "bench_growth.svg")]
    return found


def errors(details: list[Result], path: Path) -> Path:
    """Mean decoded error of each method, a panel for each kind of data, a dot a run."""
    families = list(dict.fromkeys(run["family"] for run in details))
    methods = list(dict.fromkeys(run["method"] for run in details))
    methods.sort(key=lambda name: not name.startswith("Ventris"))
    with canvas(11, 0.6 + 0.32 * len(methods)) as figure:
        panels = figure.subplots(1, len(families), sharey=True, squeeze=False)[0]
        for panel, family in zip(panels, families, strict=True):
            _panel(panel, family, [run for run in details if run["family"] == family], methods)
        panels[0].set_yticks(range(len(methods)), methods)
        panels[0].set_ylim(len(methods) - 0.4, -0.6)
        figure.supxlabel("error, %: a dot a run, a bar at the mean", fontsize=9)
        save_figure(figure, path)
    return path


def _panel(panel: Any, family: str, runs: list[Result], methods: list[str]) -> None:
    for place, method in enumerate(methods):
        values = [100 * _shown(run) for run in runs if run["method"] == method]
        if not values:
            continue
        bound = next(run["bound"] for run in runs if run["method"] == method)
        colour = MUTED if bound else SECOND if method.startswith("Ventris") else ACCENT
        panel.plot(values, [place] * len(values), "o", ms=3.5, color=colour, alpha=0.6)
        panel.plot([mean(values)], [place], "|", ms=14, mew=2.5, color=colour)
    panel.set_xscale("symlog", linthresh=10)
    panel.set_xlim(0, 110)
    panel.set_xticks([0, 5, 10, 50, 100], ["0", "5", "10", "50", "100"])
    panel.set_title(family)
    panel.grid(axis="x", color="#e4e7eb", lw=0.6)


def _shown(run: Result) -> float:
    return float(run["alone"] if run["decoded"] is None else run["decoded"])


def growth(details: list[Result], path: Path) -> Path:
    """CPU and memory against size, an axis a panel, one scale a row."""
    axes = list(dict.fromkeys(d["axis"] for d in details))
    with canvas(12, 4.8) as figure:
        panels = figure.subplots(2, len(axes), sharex="col", sharey="row", squeeze=False)
        for column, axis in enumerate(axes):
            sizes = [d for d in details if d["axis"] == axis]
            _curve(panels[0][column], sizes, "seconds", "whole fit", LINES[0])
            if axis == "points":
                _curve(panels[0][column], sizes, "decipher", "decipher", LINES[1])
            _curve(panels[1][column], sizes, "megabytes", "peak", LINES[4])
            panels[0][column].set_title(axis)
        for row, label in zip(panels, ("CPU seconds", "peak memory, MB"), strict=True):
            row[0].set_ylabel(label)
            row[0].set_ylim(top=row[0].get_ylim()[1] * 6)  # room for the legends
        save_figure(figure, path)
    return path


def _curve(panel: Any, sizes: list[Result], what: str, name: str, style: tuple[str, str]) -> None:
    x, y = [d["value"] for d in sizes], [max(d[what], 1e-3) for d in sizes]
    colour, line = style
    panel.loglog(x, y, line, marker="o", ms=3.5, color=colour, label=f"{name}, slope {slope(x, y):.2f}")
    panel.set_xticks(x, [_short(value) for value in x])
    panel.minorticks_off()
    panel.legend(fontsize=7.5, loc="upper left")
    panel.grid(color="#e4e7eb", lw=0.6)


def _short(value: float) -> str:
    """A size in few characters.

    Examples
    --------
    >>> _short(10_000_000), _short(4096), _short(512)
    ('10M', '4k', '512')
    """
    if value >= 1e6:
        return f"{value / 1e6:.0f}M"
    return f"{value / 1e3:.0f}k" if value >= 1e3 else f"{value:.0f}"
