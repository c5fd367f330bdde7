"""From what a breaker found to the answer: evidence, confidence, alternatives and histograms."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ventris.ciphers.breaking import Breaking, Candidate
from ventris.ciphers.letter_model import LetterModel
from ventris.ciphers.result import Alternative, Decipherment
from ventris.ciphers.spelling import alphabet_of

N_ALTERNATIVES = 5  # other readings that an answer shows; nothing hangs on it
ENOUGH = 3  # unmeasured: one search in so many at the best key is as good as all of them


@dataclass(frozen=True)
class Read:
    """A text that was read, and all that its answer is made of.

    Attributes
    ----------
    kind : str
    breaking : Breaking
    model : LetterModel
        Under which it was judged.
    counts : int array
        How often each of `symbols` occurs in the ciphertext.
    symbols : tuple of str
    spelt : callable
        The text of a candidate.
    score : float
        Log-likelihood of the best reading, in nats a symbol.
    tried : dict
        Evidence of each kind and language, in nats.
    n_symbols : int
        Symbols of the text, its spaces included where they are such.
    n_unknown : int
        Letters that were passed through.
    seen : str
        How many signs were read, of how many kinds, and how the text was cut.
    """

    kind: str
    breaking: Breaking
    model: LetterModel
    counts: NDArray[np.int64]
    symbols: tuple[str, ...]
    spelt: Callable[[Candidate], str]
    score: float
    tried: dict[str, float]
    n_symbols: int
    n_unknown: int = 0
    seen: str = ""


def answer(read: Read) -> Decipherment:
    """The decipherment of a text that was read."""
    best, breaking, model = read.breaking.best, read.breaking, read.model
    others = breaking.candidates[1 : N_ALTERNATIVES + 1]
    return Decipherment(
        read=read.seen,
        plaintext=read.spelt(best),
        key=best.key,
        kind=read.kind,
        language=model.language,
        alphabet=best.alphabet,
        confidence=_confidence(breaking) * _share(read.tried),
        alternatives=tuple(Alternative(read.spelt(c), c.key, c.posterior, c.alphabet) for c in others),
        evidence=_evidence(read),
        histograms=_histograms(model, read.counts, model.symbols(best.alphabet)[best.letters]),
        symbols=read.symbols,
    )


def _confidence(breaking: Breaking) -> float:
    """Probability of the best key: calibrated, or among those considered, lowered where searches disagree."""
    if breaking.confidence is not None:
        return breaking.confidence
    return breaking.best.posterior * min(1.0, ENOUGH * breaking.agreement)


def evidence_of(tried: dict[tuple[str, str], Breaking]) -> dict[str, float]:
    """Evidence of each kind and language, as an answer shows it."""
    return {f"{kind}/{language}": round(found.evidence, 3) for (kind, language), found in tried.items()}


def index_of_coincidence(counts: NDArray) -> float:
    """Chance that two symbols drawn from the text are equal: 1/C for an even use of C symbols.

    Examples
    --------
    >>> index_of_coincidence(np.array([2, 2]))
    0.3333333333333333
    """
    n = counts.sum()
    return float(np.sum(counts * (counts - 1.0)) / (n * (n - 1.0))) if n > 1 else 0.0


def _evidence(read: Read) -> dict[str, Any]:
    """What the answer rests on."""
    model = read.model
    redundancy = float(np.log(model.n_symbols)) - model.entropy_rate  # nats a symbol
    return {
        "index_of_coincidence": index_of_coincidence(read.counts),
        "excess_cost": -read.score - model.entropy_rate,
        "tried": read.tried,
        "agreement": read.breaking.agreement,
        "searches": read.breaking.n_searches,
        **read.breaking.signals,
        "unicity_distance": read.breaking.key_entropy / redundancy,
        "n_symbols": read.n_symbols,
        "n_letters": int(read.counts.sum()),
        "unknown_letters": read.n_unknown,
        "spaces": model.space,
        "alphabet": alphabet_of(model.language),
    }


def _share(tried: dict[str, float]) -> float:
    """Probability of the best among kinds and languages that were equally likely before."""
    evidences = np.array(list(tried.values()))
    return float(1.0 / np.exp(evidences - evidences.max()).sum())


def _histograms(model: LetterModel, counts: NDArray, letters: NDArray) -> dict[str, NDArray[np.float64]]:
    prior = model.stationary[: model.n_letters]
    plain = np.bincount(letters, minlength=model.n_letters)
    shares = {"prior": prior, "ciphertext": counts, "plaintext": plain}
    return {name: share / share.sum() for name, share in shares.items()}
