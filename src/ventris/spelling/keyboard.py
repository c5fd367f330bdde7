"""The learnt confusions drawn on a keyboard: data first, drawing second."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ventris.drawing.style import ACCENT, INK, MUTED, SECOND, canvas

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ventris.spelling.channel import Channel

ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
SHIFT = 0.45  # a row begins so much further to the right than the one above
_DRAWN = 60  # arrows; more hide one another
_LEAST = 0.002  # share of a letter; rarer confusions are not drawn


class Arrow(NamedTuple):
    """A letter meant, the one written, and how often."""

    meant: str
    written: str
    share: float


def places(alphabet: str) -> dict[str, tuple[float, float]]:
    """Where each letter stands: on a keyboard, or below it in a row of its own.

    Examples
    --------
    >>> places("aqé")["q"], places("aqé")["é"]
    ((0.0, 0.0), (0.0, -3.0))
    """
    found = {
        letter: (place + SHIFT * row, float(-row))
        for row, letters in enumerate(ROWS)
        for place, letter in enumerate(letters)
    }
    others = [letter for letter in alphabet if letter not in found and letter != " "]
    found |= {letter: (0.8 * place, -3.0) for place, letter in enumerate(others)}
    return {letter: place for letter, place in found.items() if letter in alphabet}


def arrows(channel: Channel) -> list[Arrow]:
    """The commonest confusions of letters, as shares of the letter meant."""
    letters = channel.alphabet[:-1]
    least = max(_LEAST, 2.0 * channel.rates["changed"] / len(channel.symbols))  # what any letter might be
    table: NDArray[np.float64] = channel.substitute[: len(letters), : len(letters)]
    found = [
        Arrow(letters[y], letters[x], float(table[y, x]))
        for y in range(len(letters))
        for x in range(len(letters))
        if x != y and table[y, x] >= least
    ]
    return sorted(found, key=lambda arrow: -arrow.share)[:_DRAWN]


def draw_channel(channel: Channel) -> Figure:
    """A keyboard with an arrow from each letter meant to those written for it, and the rates beside it."""
    with canvas(9.0, 3.6) as figure:
        keys, bars = figure.subplots(1, 2, width_ratios=[3.2, 1])
        _keyboard(keys, channel)
        _rates(bars, channel)
    return figure


def _keyboard(axes: Axes, channel: Channel) -> None:
    where, drawn = places(channel.alphabet), arrows(channel)
    strongest = max((arrow.share for arrow in drawn), default=1.0)
    for arrow in reversed(drawn):
        weight = arrow.share / strongest
        axes.annotate(
            "",
            where[arrow.written],
            where[arrow.meant],
            arrowprops={
                "arrowstyle": "-|>",
                "color": ACCENT,
                "alpha": 0.25 + 0.75 * weight,
                "linewidth": 0.5 + 2.0 * weight,
                "shrinkA": 9,
                "shrinkB": 9,
                "connectionstyle": "arc3,rad=0.18",
            },
        )
    for letter, (x, y) in where.items():
        box = {"boxstyle": "round,pad=0.32", "facecolor": "white", "edgecolor": MUTED}
        axes.text(x, y, letter.upper(), ha="center", va="center", bbox=box, color=INK, family="monospace")
    axes.set_xlim(-0.7, 9.8)
    axes.set_ylim(min(y for _, y in where.values()) - 0.7, 0.7)
    axes.set_axis_off()
    axes.set_title("Meant → written" if drawn else "No letter is written for another")


def _rates(axes: Axes, channel: Channel) -> None:
    names, values = zip(*reversed(channel.rates.items()), strict=True)
    bars = axes.barh(names, [100 * value for value in values], color=SECOND, height=0.6)
    axes.bar_label(bars, [f"{100 * value:.2f} %" for value in values], padding=3, color=INK, fontsize=8)
    axes.set_xlim(0, max(1e-6, 135 * max(values)))
    axes.set_xticks([])
    axes.spines["bottom"].set_visible(False)
    axes.set_title("How often")
