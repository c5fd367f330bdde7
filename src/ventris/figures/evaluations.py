"""What an evaluation found, drawn: who is mistaken for whom, and whether probabilities keep their word."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ventris.evaluation import Evaluation
from ventris.figures.canvas import ACCENT, INK, MUTED, SECOND, canvas

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_FEW = 20  # points below which a bin's share of right labels is chance
_NUMBERS_UP_TO = 12  # classes whose cells still have room for a number


def draw_evaluations(evaluations: Sequence[Evaluation]) -> Figure:
    """One figure: confusion of the first reading, errors by class and calibration of all."""
    with canvas(13, 4.6) as figure:
        confusion, errors, reliability = figure.subplots(1, 3, width_ratios=(1.1, 1.1, 1))
        draw_confusion(confusion, evaluations[0])
        draw_class_errors(errors, evaluations)
        draw_calibration(reliability, evaluations)
    return figure


def draw_confusion(axes: Axes, evaluation: Evaluation) -> None:
    """Shares of each true label's points, true labels down, predicted ones across."""
    counts = np.array(evaluation.confusion)
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    axes.imshow(shares, cmap="Blues", vmin=0, vmax=1, aspect="auto")
    names = [str(label) for label in evaluation.classes]
    places = np.arange(len(names))
    size = 8 if len(names) <= _NUMBERS_UP_TO else 5
    axes.set_xticks(places, names, rotation=90 if len(names) > 6 else 0, fontsize=size)
    axes.set_yticks(places, names, fontsize=size)
    if len(names) <= _NUMBERS_UP_TO:
        for i, j in np.ndindex(*shares.shape):
            colour = "white" if shares[i, j] > 0.6 else INK
            axes.text(j, i, f"{100 * shares[i, j]:.3g}", ha="center", va="center", fontsize=7, color=colour)
    axes.set_xlabel("predicted")
    axes.set_ylabel("true")
    axes.set_title(f"% of each true label, {evaluation.reading}")


def draw_class_errors(axes: Axes, evaluations: Sequence[Evaluation]) -> None:
    """Error rate of each class, one bar a reading, with the value on it."""
    width = 0.8 / len(evaluations)
    names = [str(label) for label in evaluations[0].classes]
    for k, evaluation in enumerate(evaluations):
        places = np.arange(len(names)) + (k - (len(evaluations) - 1) / 2) * width
        rates = [100 * (row.error_rate or 0.0) for row in evaluation.by_class]
        label = f"{evaluation.reading}: {100 * evaluation.error_rate:.2f} %"
        bars = axes.bar(places, rates, width, color=(SECOND, ACCENT, MUTED)[k % 3], label=label)
        if len(names) <= _NUMBERS_UP_TO:
            axes.bar_label(bars, fmt="%.1f", fontsize=7)
    axes.set_xticks(np.arange(len(names)), names, rotation=90 if len(names) > 6 else 0, fontsize=8)
    axes.set_ylabel("error rate (%)")
    axes.margins(y=0.25)  # room for the legend above the bars
    axes.legend(loc="upper right", fontsize=8)
    axes.set_title("Errors by class")


def draw_calibration(axes: Axes, evaluations: Sequence[Evaluation]) -> None:
    """Share of right labels against the probability given; on the diagonal it keeps its word."""
    axes.plot([0, 1], [0, 1], color=MUTED, linewidth=1, linestyle=":")
    for k, evaluation in enumerate(evaluations):
        found = evaluation.calibration
        full = np.array(found.counts) >= _FEW
        sure, right = np.array(found.confidence, float)[full], np.array(found.correct, float)[full]
        label = f"{evaluation.reading}: off by {100 * found.error:.1f} points"
        axes.plot(sure, right, "o-", markersize=4, color=(SECOND, ACCENT, INK)[k % 3], label=label)
    axes.set_xlim(0, 1.02)
    axes.set_ylim(0, 1.02)
    axes.set_xlabel("largest probability")
    axes.set_ylabel("share of right labels")
    axes.legend(loc="upper left", fontsize=8)
    axes.set_title("Calibration")
