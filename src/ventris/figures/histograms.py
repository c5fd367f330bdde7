"""The three steps that break a shift cipher, drawn: prior, ciphertext, match."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ventris.figures.canvas import ACCENT, MUTED, SECOND

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def draw_histogram_match(axes: Axes, alphabet: str, prior: NDArray, observed: NDArray) -> None:
    """Letter frequencies of the language and of the deciphered message: arrays of shape (C,)."""
    places = np.arange(len(alphabet))
    axes.bar(places - 0.2, 100 * prior, width=0.4, color=MUTED, label="language")
    axes.bar(places + 0.2, 100 * observed, width=0.4, color=SECOND, label="message, shifted back")
    axes.set_xticks(places, list(alphabet.upper()), fontsize=7)
    axes.set_ylabel("frequency (%)")
    axes.legend(loc="upper right", fontsize=8)


def draw_shift_costs(axes: Axes, costs: NDArray, entropy: float) -> None:
    """The cost J of every shift, the least in the accent colour, above the language's entropy."""
    colours = [ACCENT if k == int(np.argmin(costs)) else MUTED for k in range(len(costs))]
    axes.bar(np.arange(len(costs)), costs - entropy, color=colours)
    axes.set_xlabel("shift tried")
    axes.set_ylabel("J − H (nats)")
