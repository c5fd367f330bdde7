"""What breaking a cipher gives: readings with their keys, best first, and one posterior over alphabets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ventris.ciphers.letter_model import LetterModel
from ventris.ciphers.spelling import Spelling

if TYPE_CHECKING:
    from ventris.ciphers.cipher import LetterCipher

N_WRITTEN = 20  # unmeasured: best candidates whose texts are compared; the rest have no weight
# Nats a letter of no language costs: one in a few hundred, and which of a hundred it is. Unmeasured as rates.
STRANGE = 10.0


@dataclass(frozen=True)
class Candidate:
    """One reading of a ciphertext.

    Attributes
    ----------
    key : object
        As the cipher takes it.
    read : callable
        Gives `letters`: texts are long and candidates many, so they are kept as keys.
    score : float
        Their log-likelihood, in nats.
    posterior : float
        Probability of the key among those considered.
    alphabet : str
        What the key runs over, and what `letters` are numbers in.
    """

    key: Any
    read: Callable[[], NDArray[np.int64]] = field(repr=False, compare=False)
    score: float
    posterior: float
    alphabet: str

    @property
    def letters(self) -> NDArray[np.int64]:
        """The letters it gives, shape (N,)."""
        return self.read()


@dataclass(frozen=True)
class Breaking:
    """What a breaker found.

    Attributes
    ----------
    candidates : tuple of Candidate
        Best first.
    log_keys : float
        Logarithm of how many keys read this text differently.
    key_entropy : float
        Logarithm of how many keys there are.
    agreement : float
        Share of independent searches that ended at the best key.
    strange : float
        Price of the letters that are not of the alphabet, in nats.
    n_searches : int
        Independent searches that were made.
    evident : float or None
        Evidence, where candidates are not ranked by their log-likelihood.
    confidence : float or None
        Probability that the best reading is right, where it was calibrated.
    signals : dict
        What that rests on.
    """

    candidates: tuple[Candidate, ...]
    log_keys: float
    key_entropy: float
    agreement: float = 1.0
    strange: float = 0.0
    n_searches: int = 1
    evident: float | None = None
    confidence: float | None = None
    signals: dict[str, float] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        keys: Sequence[Any],
        read: Callable[[int], NDArray],
        scores: NDArray,
        alphabet: str,
        *,
        log_keys: float,
        key_entropy: float,
        agreement: float = 1.0,
    ) -> Breaking:
        """From keys, what number i of them reads, shape (N,), and its log-likelihoods, shape (S,)."""
        order, posterior = _ranked(scores)
        candidates = (
            Candidate(keys[i], partial(read, i), float(scores[i]), float(posterior[i]), alphabet)
            for i in order
        )
        return cls(tuple(candidates), log_keys, key_entropy, agreement)

    @property
    def best(self) -> Candidate:
        return self.candidates[0]

    @property
    def evidence(self) -> float:
        """Score less the price of a key: what compares ciphers with few keys and with many."""
        return self.best.score - self.log_keys - self.strange if self.evident is None else self.evident


def reranked(breaking: Breaking, candidates: Sequence[Candidate], scores: NDArray) -> Breaking:
    """The same breaking with its first candidates, some of them perhaps new, judged by other scores."""
    order, posterior = _ranked(scores)
    best = [replace(candidates[i], score=float(scores[i]), posterior=float(posterior[i])) for i in order]
    return replace(breaking, candidates=tuple(best))


def _ranked(weights: NDArray) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Best first, and the probability of each among all, from log-weights of shape (S,)."""
    posterior = np.exp(weights - weights.max())
    return np.argsort(-weights, kind="stable"), posterior / posterior.sum()


def break_over_alphabets(
    cipher: LetterCipher, spellings: Sequence[Spelling], model: LetterModel, rng: np.random.Generator
) -> Breaking:
    """One text under the alphabets its cipher may run over, with one posterior over the keys of all.

    The alphabets are equally likely, and the keys of each.

    Parameters
    ----------
    cipher : LetterCipher
    spellings : sequence of Spelling
        Of the same text, that in the language's whole alphabet first.
    model : LetterModel
    rng : Generator
    """
    if cipher.covers_parts:
        spellings = spellings[:1]
    found = [
        replace(cipher.break_(spelling, model, rng), strange=STRANGE * spelling.n_unknown)
        for spelling in spellings
    ]
    return found[0] if len(found) == 1 else _pooled(found, spellings)


def _pooled(found: Sequence[Breaking], spellings: Sequence[Spelling]) -> Breaking:
    """The candidates of all breakings together, those that read the same made one."""
    price = {b.best.alphabet: b.log_keys + b.strange for b in found}
    candidates = [c for b in found for c in b.candidates]
    weights = np.array([c.score - price[c.alphabet] for c in candidates])
    order, posterior = _ranked(weights)
    ranked = [replace(candidates[i], posterior=float(posterior[i])) for i in order]
    merged = _merged(ranked[:N_WRITTEN], spellings)
    winner = next(b for b in found if b.best.alphabet == merged[0].alphabet)
    choice = float(np.log(len(found)))
    return replace(
        winner,
        candidates=(*merged, *ranked[N_WRITTEN:]),
        log_keys=winner.log_keys + choice,
        key_entropy=winner.key_entropy + choice,
    )


def _merged(ranked: Sequence[Candidate], spellings: Sequence[Spelling]) -> list[Candidate]:
    """Candidates with different texts: a shift that never passes the end of an alphabet is one in both."""
    spelt = {spelling.alphabet: spelling.rewritten for spelling in spellings}
    first: dict[str, Candidate] = {}
    for c in ranked:
        text = spelt[c.alphabet](c.letters)
        held = first.get(text)
        first[text] = c if held is None else replace(held, posterior=held.posterior + c.posterior)
    return sorted(first.values(), key=lambda c: -c.posterior)
