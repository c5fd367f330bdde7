"""How sure a homophonic reading is: a probability from what its search and its language say (calibration)."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np

from ventris.ciphers.result import Decipherment
from ventris.errors import DoubtfulReadingWarning

# Logistic regression on the 334 ciphers of a development file, 54 to 679 signs, effort 1; a reading is right
# if more than 90 % of its letters are. In ten folds one of 149 wrong ones is above DOUBTED, and 11 % of the
# 185 right ones are below.
INTERCEPT, RECURRED, ABOVE_LANGUAGE, CERTAIN = -3.02, 2.04, 8.88, 3.44
DOUBTED = 0.9  # readings with less confidence are warned of
ENOUGH = 3  # searches that read alike, as many as end a search


@dataclass(frozen=True)
class Signals:
    """What the confidence of a reading rests on.

    Attributes
    ----------
    n_alike : int
        Independent searches that read the text like the best one.
    gain : float
        Nats a sign: log-likelihood of the letters and of their homophones, less the price of the key.
    usual_gain : float
        What that is for endless text of the language: entropy of its letters less its entropy rate.
    certain : float
        Share of the signs expected to be right, each given all others.
    """

    n_alike: int
    gain: float
    usual_gain: float
    certain: float

    def as_dict(self) -> dict[str, float]:
        """As the evidence of an answer shows them."""
        return {
            "searches_alike": self.n_alike,
            "gain": self.gain,
            "gain_below_language": self.usual_gain - self.gain,
            "certain": self.certain,
        }

    @property
    def confidence(self) -> float:
        """Probability that more than 90 % of the letters are right.

        Examples
        --------
        >>> [round(Signals(n, 0.3, 1.3, 0.99).confidence, 2) for n in (1, 3)]
        [0.98, 1.0]
        >>> round(Signals(1, -0.4, 1.3, 0.95).confidence, 2)
        0.0
        """
        logit = INTERCEPT + RECURRED * (self.n_alike >= ENOUGH)
        logit += ABOVE_LANGUAGE * (self.gain - self.usual_gain) - CERTAIN * np.log(1.0001 - self.certain)
        return float(1 / (1 + np.exp(-np.clip(logit, -50, 50))))


def warn_if_doubtful(result: Decipherment) -> None:
    """Say that a reading is likely to be wrong."""
    if result.kind not in _ALIKE or result.confidence >= DOUBTED:
        return
    seen = result.evidence
    warnings.warn(
        DoubtfulReadingWarning(
            f"This reading has a confidence of {result.confidence:.2f}: {len(result.symbols)} kinds of signs "
            f"in {seen['n_symbols']}, {_ALIKE[result.kind](seen)}"
        ),
        stacklevel=3,
    )


# How far searches agree, in words, for the kinds whose doubts are voiced.
_ALIKE = {
    "homophonic": lambda seen: (
        f"{round(seen['agreement'] * seen['searches'])} of {seen['searches']} searches alike"
    ),
    "syllabary": lambda seen: (
        f"of which two of {seen['searches']} searches read {seen['agreement']:.0%} alike, and "
        f"{seen['excess_cost']:.2f} nats a sign more than the language costs"
    ),
}
