"""A many-to-one key, several symbols a label (homophones): annealed with the entropy of the labels' use."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ventris.deciphering.key_score import RankedKeys, distinct_keys, score_key
from ventris.deciphering.key_search import KeySearch, anneal_key
from ventris.deciphering.key_settings import KEYS, KeySettings


def find_many_to_one(
    codes: NDArray,
    n_symbols: int,
    searched: NDArray,
    judged: NDArray,
    rng: np.random.Generator,
    *,
    settings: KeySettings = KEYS,
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
    settings : KeySettings
    """
    first = _search(codes, n_symbols, searched, rng, settings=settings)
    found = _search(codes, n_symbols, judged, rng, start=first.key, settings=settings)
    keys = distinct_keys([found.key, *first.restart_keys], np.arange(n_symbols))
    scores = [score_key(key, [codes], judged, entropy_weight=settings.entropy_weight) for key in keys]
    return RankedKeys(np.array(keys), np.array(scores), first.n_recurrences / len(first.restart_keys))


def _search(
    codes: NDArray,
    n_symbols: int,
    log_prob: NDArray,
    rng: np.random.Generator,
    *,
    start: NDArray | None = None,
    settings: KeySettings,
) -> KeySearch:
    hot, cold = settings.shared_temperatures
    least, most = settings.shared_least, settings.shared_most
    if start is not None:
        hot, least, most = settings.shared_warm, 1, 1
    return anneal_key(
        [codes], log_prob, n_symbols=n_symbols, one_to_one=False, entropy_weight=settings.entropy_weight,
        start=start, moves=settings.shared_moves * n_symbols, temperatures=(hot, cold), min_restarts=least,
        max_restarts=most, recurrences=settings.shared_recurrences, random_state=rng, settings=settings,
    )  # fmt: skip
