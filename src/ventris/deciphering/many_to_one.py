"""A many-to-one key, several symbols a label (homophones): annealed with the entropy of the labels' use."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ventris.deciphering.key_score import RankedKeys, distinct_keys, score_key
from ventris.deciphering.key_search import KeySearch, anneal_key

ENTROPY_WEIGHT = 1.0  # w of the score: without it everything is read as the likeliest label
# Many-to-one landscapes freeze at a lower temperature than one-to-one ones (all unmeasured).
_HOT, _WARM, _COLD = 0.05, 0.01, 0.005
_MOVES = 8_000  # a symbol
_LEAST, _MOST, _RECURRENCES = 3, 12, 2


def find_many_to_one(
    codes: NDArray, n_symbols: int, searched: NDArray, judged: NDArray, rng: np.random.Generator
) -> RankedKeys:
    """The likeliest many-to-one keys: annealed by n-grams of one order, then cooler by those of another.

    Their scores are log-likelihoods by the higher order, with the entropy of usage.

    Parameters
    ----------
    codes : int array of shape (N,)
    n_symbols : int
    searched, judged : arrays of shape (C,) * n
        log p of a label given the ones before it, of a lower order and of a higher one.
    rng : Generator
    """
    first = _search(codes, n_symbols, searched, rng)
    found = _search(codes, n_symbols, judged, rng, start=first.key)
    keys = distinct_keys([found.key, *first.restart_keys], np.arange(n_symbols))
    scores = [score_key(key, [codes], judged, entropy_weight=ENTROPY_WEIGHT) for key in keys]
    return RankedKeys(np.array(keys), np.array(scores), first.n_recurrences / len(first.restart_keys))


def _search(
    codes: NDArray, n_symbols: int, log_prob: NDArray, rng: np.random.Generator, start: NDArray | None = None
) -> KeySearch:
    hot, most = (_HOT, _MOST) if start is None else (_WARM, 1)
    return anneal_key(
        [codes], log_prob, n_symbols=n_symbols, one_to_one=False, entropy_weight=ENTROPY_WEIGHT, start=start,
        moves=_MOVES * n_symbols, temperatures=(hot, _COLD), min_restarts=min(_LEAST, most),
        max_restarts=most, recurrences=_RECURRENCES, random_state=rng,
    )  # fmt: skip
