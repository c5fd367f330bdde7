"""The three steps of deciphering: the prior histogram, the ciphertext's, and their match."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ventris.figures.canvas import ACCENT, MUTED, SECOND

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ventris.ciphers.result import Decipherment


def draw_three_steps(figure: Figure, result: Decipherment) -> None:
    """Three rows of bars on an empty figure; the axes of each name what is counted."""
    alphabet = result.evidence["alphabet"]
    prior, cipher, plain = (result.histograms[name] for name in ("prior", "ciphertext", "plaintext"))
    first, second, third = figure.subplots(3, 1)
    places = np.arange(len(alphabet))
    first.bar(places, prior, color=MUTED)
    first.set_title(f"1. What the language expects ({result.language})")
    second.bar(np.arange(len(cipher)), cipher, color=ACCENT)
    second.set_title("2. What the ciphertext shows")
    third.bar(places - 0.2, prior, width=0.4, color=MUTED, label="language")
    third.bar(places + 0.2, plain, width=0.4, color=SECOND, label="deciphered")
    third.set_title(f"3. Their match ({result.kind}, confidence {result.confidence:.2f})")
    third.legend()
    for axes, labels in ((first, list(alphabet)), (second, list(result.symbols)), (third, list(alphabet))):
        axes.set_xticks(np.arange(len(labels)), labels, fontsize=9 if len(labels) <= 40 else 5)
        axes.set_ylabel("share")
