"""The usual four pictures of a fit: label usage, pairs found against expected, confidence, a timeline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ventris.drawing.style import ACCENT, INK, MUTED, SECOND, canvas

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Array = NDArray[np.floating]
_LABELS = 30  # bars that still fit side by side
_LEAST = 1e-7  # where pairs hardly ever seen are drawn on a logarithmic axis


@dataclass(frozen=True)
class Along:
    """What a fit says along some data.

    Attributes
    ----------
    alone, decoded : arrays of shape (T, C)
        Probability of each label of each point alone, and given its sequence.
    shown : int
        How many of the first points, of the first sequence, the timeline shows.
    truth : int array of shape (T,), optional
        True labels, as numbers, to draw beneath.
    """

    alone: Array
    decoded: Array
    shown: int
    truth: NDArray[np.int64] | None = None


def draw_fit(
    names: Sequence[Any],
    used: Array,
    expected: Array,
    pairs: tuple[Array, Array] | None,
    along: Along | None = None,
) -> Figure:
    """All the pictures there is data for, in one figure.

    Parameters
    ----------
    names : sequence of labels
    used, expected : arrays of shape (C,)
        How often each label is given, and how often the label model expects it.
    pairs : (found, expected), arrays of shape (C, C), or None
    along : Along, optional

    Examples
    --------
    >>> even = np.array([0.5, 0.5])
    >>> figure = draw_fit("ab", even, even, (np.full((2, 2), 0.25), np.full((2, 2), 0.25)))
    >>> [axes.get_title(loc="left") for axes in figure.axes]
    ['Label usage', 'Pairs of neighbours']
    """
    texts = [str(name).replace(" ", "␣") for name in names]
    with canvas(11, 6.4 if along else 3.4) as figure:
        rows = figure.subplots(2 if along else 1, 2, squeeze=False)
        draw_usage(rows[0, 0], texts, used, expected)
        if pairs is None:
            rows[0, 1].axis("off")
        else:
            draw_pairs(rows[0, 1], texts, *pairs)
        if along:
            draw_confidence(rows[1, 0], along)
            draw_timeline(rows[1, 1], texts, along)
    return figure


def draw_usage(axes: Axes, names: list[str], used: Array, expected: Array) -> None:
    """Frequency of each label, of the commonest if they are many, beside what the label model expects."""
    shown = np.sort(np.argsort(-expected, kind="stable")[:_LABELS])
    places = np.arange(len(shown))
    axes.bar(places - 0.2, 100 * expected[shown], 0.4, color=MUTED, label="expected")
    axes.bar(places + 0.2, 100 * used[shown], 0.4, color=SECOND, label="given")
    long = max(len(names[k]) for k in shown) > 3 and len(shown) > 4
    axes.set_xticks(places, [names[k] for k in shown], rotation=90 if long else 0, fontsize=8)
    axes.set_ylabel("frequency (%)")
    axes.legend(fontsize=8)
    axes.set_title("Label usage")


def draw_pairs(axes: Axes, names: list[str], found: Array, expected: Array) -> None:
    """Each pair of neighbouring labels a dot: on the diagonal it is as frequent as expected."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    x, y = (np.maximum(np.asarray(each, dtype=float), _LEAST) for each in (expected, found))
    low, high = float(min(x.min(), y.min())) / 1.5, float(max(x.max(), y.max())) * 1.5
    axes.plot([low, high], [low, high], color=MUTED, linewidth=1, linestyle=":")
    axes.scatter(x.ravel(), y.ravel(), s=18, color=SECOND, alpha=0.7, linewidth=0)
    apart = np.abs(found - expected)
    for above, flat in zip((4, -10, 14), np.argsort(-apart, axis=None), strict=False):
        i, j = np.unravel_index(flat, apart.shape)
        axes.annotate(f"{names[i]} → {names[j]}", (x[i, j], y[i, j]), (4, above), textcoords="offset points",
                      fontsize=7, color=INK)  # fmt: skip
    axes.set(xscale="log", yscale="log", xlim=(low, high), ylim=(low, high))
    for axis in (axes.xaxis, axes.yaxis):  # 0.02 0.05 0.1, not 2 × 10⁻²
        axis.set_major_locator(LogLocator(subs=(1, 2, 5) if high < 1e3 * low else (1,)))
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axis.set_minor_formatter(NullFormatter())
    axes.set_xlabel("expected by the label model")
    axes.set_ylabel("found")
    axes.set_title("Pairs of neighbours")


def draw_confidence(axes: Axes, along: Along) -> None:
    """How sure the likeliest label is, each point alone and in its sequence."""
    bins = np.linspace(1 / along.alone.shape[1], 1, 26)
    for q, name, colour in ((along.alone, "alone", SECOND), (along.decoded, "in its sequence", ACCENT)):
        sure = q.max(axis=1)
        axes.hist(sure, bins=list(bins), weights=np.full(len(sure), 100 / len(sure)), histtype="step",
                  linewidth=1.6, color=colour, label=f"{name}: mean {sure.mean():.2f}")  # fmt: skip
    axes.set_xlabel("probability of the likeliest label")
    axes.set_ylabel("points (%)")
    axes.legend(loc="upper left", fontsize=8)
    axes.set_title("Confidence")


def draw_timeline(axes: Axes, names: list[str], along: Along) -> None:
    """Probabilities of the labels along the first points, darker the likelier; true labels as dots."""
    part = along.decoded[: along.shown]
    shown = np.sort(np.argsort(-part.sum(axis=0), kind="stable")[:_LABELS])
    axes.imshow(part[:, shown].T, cmap="Blues", vmin=0, vmax=1, aspect="auto", interpolation="nearest")
    axes.set_yticks(np.arange(len(shown)), [names[k] for k in shown], fontsize=8)
    if along.truth is not None:
        place = {int(label): k for k, label in enumerate(shown)}
        dots = [(t, place[int(y)]) for t, y in enumerate(along.truth[: along.shown]) if int(y) in place]
        if dots:
            t, at = zip(*dots, strict=True)
            axes.scatter(t, at, s=7, color=ACCENT, linewidth=0, label="true")
            axes.legend(loc="lower right", bbox_to_anchor=(1, 1), borderpad=0, fontsize=8)
    axes.set_xlabel("point")
    axes.set_title("Timeline, in sequence")
