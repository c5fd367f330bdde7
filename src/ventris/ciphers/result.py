"""What deciphering gives: the plaintext, the key, and how sure one may be."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ventris.errors import ShortTextWarning

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Alternative", "Decipherment", "ShortTextWarning"]


@dataclass(frozen=True)
class Alternative:
    """Another reading of the same ciphertext.

    Attributes
    ----------
    plaintext : str
    key : int, (int, int), str or dict
        As `encipher` takes it.
    probability : float
    alphabet : str
        What the key runs over.

    Examples
    --------
    >>> import ventris as vt
    >>> vt.decipher("QEB NRFZH YOLTK CLU", kind="caesar").alternatives[0].probability < 0.01
    True
    """

    plaintext: str
    key: Any
    probability: float
    alphabet: str


@dataclass(frozen=True)
class Decipherment:
    """A deciphered text.

    Attributes
    ----------
    read : str
        What was read: how many signs, of how many kinds, and how the text was cut.
    plaintext : str
    key : int, (int, int), str or dict
        As `encipher` takes it; for "homophonic" a dict from symbol to letter, for "syllabary" to label.
    kind, language : str
    alphabet : str
        What the key runs over: the language's alphabet, or that without the letters only it has (A to Z for
        German and Spanish, no ё for Russian). `encipher` and `decipher_with` take it as `alphabet`.
    confidence : float
        Probability that the key is right. For "caesar" and "affine" the exact posterior under the letter
        model; for "homophonic" the probability, calibrated on ciphers with known solutions, that more than
        90 % of the letters are right; for "syllabary" the share of the signs that two independent searches
        read alike, if the text then costs about what the language does; for the others the posterior among
        the keys that were found and their neighbours, lowered when independent searches disagree. Multiplied
        by the probability of the kind and language where those were found too.
    alternatives : tuple of Alternative
        The next best readings.
    evidence : dict
        What the answer rests on: index of coincidence, excess cost (nats a symbol above the entropy of the
        language), evidence of every kind and language tried, unicity distance, unknown letters.
    histograms : dict of arrays
        Frequencies that the language expects, the cipher shows and the plaintext has.
    symbols : tuple of str
        What they are frequencies of.

    Examples
    --------
    >>> import ventris as vt
    >>> found = vt.decipher("QEB NRFZH YOLTK CLU", kind="caesar")
    >>> found.plaintext, found.key, found.confidence > 0.99
    ('THE QUICK BROWN FOX', 23, True)
    """

    read: str
    plaintext: str
    key: Any
    kind: str
    language: str
    alphabet: str
    confidence: float
    alternatives: tuple[Alternative, ...]
    evidence: dict[str, Any]
    histograms: dict[str, NDArray[np.float64]] = field(repr=False)
    symbols: tuple[str, ...] = field(repr=False)

    def __str__(self) -> str:
        return self.plaintext

    def as_dict(self) -> dict[str, Any]:
        """Everything but the histograms, ready for JSON."""
        names = ("read", "plaintext", "key", "kind", "language", "alphabet", "confidence", "evidence")
        rest = [vars(alternative) for alternative in self.alternatives]
        return {name: getattr(self, name) for name in names} | {"alternatives": rest}

    def figure(self) -> Figure:
        """The three steps drawn: what the language expects, what the cipher shows, and their match."""
        from ventris.figures.canvas import canvas
        from ventris.figures.three_steps import draw_three_steps

        with canvas(8.0, 6.5) as figure:
            draw_three_steps(figure, self)
        return figure
