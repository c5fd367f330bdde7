"""A one-to-one key over tens or hundreds of labels, a sign a syllable say: pairs find it, triples finish it.

Exchanges of two labels are annealed under pairs, whose table is small and whose ground is smooth, and the end
is annealed once more, cool, under the longest n-grams there are. Runs start from random keys until two read
alike.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ventris.deciphering.key_score import RankedKeys, Tables, distinct_keys
from ventris.deciphering.key_search import KeySearch, anneal_key
from ventris.deciphering.key_settings import KEYS, KeySettings
from ventris.deciphering.many_to_one import Found, SearchBudget, Watcher
from ventris.errors import DataError


@dataclass(frozen=True)
class LabelledKeys(RankedKeys):
    """Ends of the runs, best first; `agreement` is the share of the symbols that they read alike.

    Attributes
    ----------
    n_runs : int
        Runs that were made.
    """

    n_runs: int


def find_among_many_labels(
    texts: Sequence[NDArray],
    n_symbols: int,
    tables: Tables,
    rng: np.random.Generator,
    *,
    fixed: Mapping[int, int] | None = None,
    budget: SearchBudget | None = None,
    watch: Watcher | None = None,
    settings: KeySettings = KEYS,
) -> LabelledKeys:
    """The likeliest one-to-one keys, whatever the number of labels (simulated annealing).

    Parameters
    ----------
    texts : sequence of int arrays
        Symbols 0 … K − 1; n-grams do not cross from one to the next.
    n_symbols : int
        K, at most as many as labels.
    tables : sequence of arrays of shapes (C,), (C, C), …
        log p of a label given the ones before it; orders 2 and the highest are used.
    rng : Generator
    fixed : dict, optional
        Symbols whose label is known.
    budget : SearchBudget, optional
        Effort multiplies the runs; the clock is looked at between them.
    watch : callable, optional
        Told of every run; True ends the search. Ctrl-C does so too.
    settings : KeySettings

    Returns
    -------
    LabelledKeys
        Keys of shape (C,): symbols that never occur, up to as many as labels, have the labels left over.

    References
    ----------
    .. [1] S. Kirkpatrick, C. D. Gelatt and M. P. Vecchi, "Optimization by simulated annealing", Science 220
       (1983), 671-680.
    """
    n_labels, budget = len(tables[0]), budget or SearchBudget()
    if n_symbols > n_labels:
        raise DataError(
            f"a one-to-one key has at most as many symbols as there are labels, {n_labels}",
            f"the text has {n_symbols} kinds",
            "Give a label model with more labels",
        )
    known = dict(fixed or {})
    read = np.concatenate([np.asarray(text, dtype=np.int64) for text in texts])
    ends: list[KeySearch] = []
    most = max(settings.labelled_alike, round(settings.labelled_runs * min(budget.effort, 1e3)))
    ends_at = np.inf if budget.seconds is None else time.monotonic() + budget.seconds
    try:
        while len(ends) < most and time.monotonic() < ends_at:
            ends.append(_run(texts, tables, known, rng, settings))
            ends.sort(key=lambda end: -end.score)
            n_alike = sum(share >= settings.guided_alike for share in _shares(ends, read))
            found = Found(len(ends), len(ends) / most, ends[0].key, ends[0].score, n_alike)
            if n_alike >= settings.labelled_alike or (watch is not None and watch(found)):
                break
    except KeyboardInterrupt:
        if not ends:
            raise
    shares = _shares(ends, read)[1:]
    keys = distinct_keys([end.key for end in ends], np.unique(read))
    score_of = {id(end.key): end.score for end in ends}
    scores = np.array([score_of[id(key)] for key in keys])
    # One run says nothing about whether another would read alike.
    return LabelledKeys(np.array(keys), scores, max(shares, default=0.0), len(ends))


def _run(
    texts: Sequence[NDArray],
    tables: Tables,
    fixed: dict[int, int],
    rng: np.random.Generator,
    settings: KeySettings,
) -> KeySearch:
    """Pairs from a random key, then the longest n-grams from where they ended."""
    n_labels, longest = len(tables[0]), max(map(len, texts))
    moves = settings.labelled_moves * n_labels * n_labels
    how: dict[str, Any] = {
        "n_symbols": n_labels,
        "fixed": fixed,
        "recurrences": 1,
        "max_restarts": 1,
        "settings": settings,
    }
    found = anneal_key(
        texts, tables[min(2, len(tables), longest) - 1], moves=moves, random_state=rng,
        temperatures=settings.labelled_temperatures, **how,
    )  # fmt: skip
    if min(len(tables), longest) < 3:
        return found
    return anneal_key(
        texts, tables[min(len(tables), longest) - 1], moves=int(moves * settings.polish_moves),
        temperatures=settings.labelled_polish, start=found.key, random_state=rng, **how,
    )  # fmt: skip


def _shares(ends: Sequence[KeySearch], read: NDArray) -> list[float]:
    """Share of the symbols that each run reads like the best one."""
    return [float(np.mean(end.key[read] == ends[0].key[read])) for end in ends]
