"""Figures 1 and 2: a shift cipher, and how two histograms break it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ventris.ciphers import encipher
from ventris.datasets import load_language
from ventris.figures.canvas import ACCENT, INK, MUTED, SECOND, canvas
from ventris.figures.histograms import ShiftScores, draw_shift_scores, score_shifts
from ventris.paper import printed
from ventris.paper.units import Plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# The opening of Caesar's Gallic War, in the translation of W. A. McDevitte and W. S. Bohn (1869).
GALLIC_WAR = (
    "All Gaul is divided into three parts, one of which the Belgae inhabit, the Aquitani another, those who "
    "in their own language are called Celts, in our Gauls, the third. All these differ from each other in "
    "language, customs and laws."
)


def compute() -> Plain:
    """The paper's message and a longer one, enciphered, and the match of every shift."""
    english = load_language("en", order=1, space=False)
    pangram = encipher(printed.PLAINTEXT, printed.KEY, kind="caesar")
    letter = encipher(GALLIC_WAR, printed.KEY, kind="caesar")
    return {
        "plaintext": printed.PLAINTEXT,
        "ciphertext": pangram,
        "printed": printed.CIPHERTEXT,
        "key": printed.KEY,
        "pangram": _plain(score_shifts(pangram, english)),
        "letter": letter,
        "n_letters": sum(c.isalpha() for c in GALLIC_WAR),
        "scores": _plain(score_shifts(letter, english)),
    }


def _plain(found: ShiftScores) -> Plain:
    arrays = {name: getattr(found, name).tolist() for name in ("prior", "observed", "excess")}
    return arrays | {"alphabet": found.alphabet, "key": found.key}


def margin(scores: Plain) -> float:
    """How much worse the second-best shift matches, in nats."""
    first, second = sorted(scores["excess"])[:2]
    return second - first


def draw_shift(data: Plain) -> Figure:
    """Figure 1: the alphabet above its shifted self, the letters of THE followed down."""
    with canvas(9, 2.6) as figure:
        axes = figure.subplots()
        axes.axis("off")
        axes.set_xlim(-2.6, 26)
        axes.set_ylim(-1.75, 2.1)
        _letter_rows(axes, data["key"])
        axes.text(12.5, 1.75, data["plaintext"], ha="center", fontsize=10, family="monospace", color=SECOND)
        axes.text(12.5, -1.65, data["ciphertext"], ha="center", fontsize=10, family="monospace", color=ACCENT)
    return figure


def _letter_rows(axes: Axes, key: int) -> None:
    """Plain letters in a row, cipher letters below, and an arrow where each letter of THE goes."""
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    for place, letter in enumerate(letters):
        followed = letter in "THE"
        weight = "bold" if followed else "normal"
        axes.text(place, 1.0, letter, ha="center", va="center", fontsize=11, weight=weight,
                  color=SECOND if followed else INK)  # fmt: skip
        image = letters[(place + key) % 26]
        axes.text(place, -0.8, letter, ha="center", va="center", fontsize=11,
                  weight="bold" if letter in "QEB" else "normal",
                  color=ACCENT if letter in "QEB" else INK)  # fmt: skip
        if followed:
            axes.annotate("", xy=(letters.index(image), -0.5), xytext=(place, 0.72),
                          arrowprops={"arrowstyle": "->", "color": MUTED, "linewidth": 1.3})  # fmt: skip
    axes.text(-0.8, 1.0, "plain", ha="right", va="center", fontsize=9, color=INK)
    axes.text(-0.8, -0.8, "cipher", ha="right", va="center", fontsize=9, color=INK)


def draw_match(data: Plain) -> Figure:
    """Figure 2: both histograms and the score of all 26 shifts."""
    plain = data["scores"]
    prior, observed, excess = (np.array(plain[name]) for name in ("prior", "observed", "excess"))
    return draw_shift_scores(ShiftScores(plain["alphabet"], prior, observed, excess, plain["key"]))
