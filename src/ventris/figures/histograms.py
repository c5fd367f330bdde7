"""The three steps that break a shift cipher, computed and drawn: prior, ciphertext, match."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ventris import objective
from ventris.data.ngrams import encode_text
from ventris.deciphering.shifts import shift_costs
from ventris.errors import DataError
from ventris.figures.canvas import ACCENT, MUTED, SECOND, canvas

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ventris.label_model.model import NgramModel

Array = NDArray[np.floating]


@dataclass(frozen=True)
class ShiftScores:
    """How well each shift of a message matches a language.

    Attributes
    ----------
    alphabet : str
    prior, observed : arrays of shape (C,)
        Shares of the letters, of the language and of the message as it came.
    excess : array of shape (C,)
        J − H of each shift, as `shift_costs` smooths it.
    key : int
        The shift with the least.
    """

    alphabet: str
    prior: Array
    observed: Array
    excess: Array
    key: int


def score_shifts(text: str, lm: NgramModel) -> ShiftScores:
    """Match the letters of a shifted message with a language: a key k shifts them back by k (E1).

    Examples
    --------
    >>> from ventris.datasets import load_language
    >>> english = load_language("en", order=1, space=False)
    >>> score_shifts("qeb nrfzh yoltk clu grjmp lsbo qeb ixwv ald", english).key
    23
    """
    alphabet = "".join(lm.classes)
    codes = encode_text(text.lower(), alphabet)
    counts = np.bincount(codes[codes >= 0], minlength=len(alphabet))
    if not counts.any():
        raise DataError(
            f"The message must hold letters of {alphabet!r}", "it holds none", "Choose its language"
        )
    prior = lm.joint(1)
    excess = shift_costs(prior, counts) - objective.entropy(prior)
    return ShiftScores(alphabet, prior, counts / counts.sum(), excess, int(np.argmin(excess)))


def histogram_match(text: str, lm: NgramModel | None = None) -> Figure:
    """Draw the letter histograms of a language and of a shifted message, and the score of every shift.

    Parameters
    ----------
    text : str
    lm : NgramModel, optional
        Its classes are the letters in their order; English by default.

    Examples
    --------
    >>> histogram_match("qeb nrfzh yoltk clu grjmp lsbo qeb ixwv ald").axes[2].get_title(loc="left")
    '3. Their match: the key is 23'
    """
    from ventris.datasets import load_language

    return draw_shift_scores(score_shifts(text, lm or load_language("en", order=1, space=False)))


def draw_shift_scores(found: ShiftScores) -> Figure:
    """Language, message with the matching shift marked, and the scores."""
    with canvas(9, 6.2) as figure:
        language, message, match = figure.subplots(3, 1)
        draw_letters(language, found.alphabet, found.prior, MUTED)
        language.set_title("1. The language")
        draw_letters(message, found.alphabet, found.observed, SECOND)
        message.set_title("2. The message")
        draw_shift_costs(match, found.excess, 0.0)
        match.set_title(f"3. Their match: the key is {found.key}")
    return figure


def draw_letters(axes: Axes, alphabet: str, shares: Array, colour: str) -> None:
    """One histogram of letters."""
    places = np.arange(len(alphabet))
    axes.bar(places, 100 * shares, color=colour)
    axes.set_xticks(places, list(alphabet.upper()), fontsize=8)
    axes.set_ylabel("frequency (%)")


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
