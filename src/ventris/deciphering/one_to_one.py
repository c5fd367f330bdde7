"""A one-to-one key, no two symbols sharing a label: annealed, or by descent on J where the text is long."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ventris.data.counts import lagged_pairs
from ventris.deciphering.ciphertext import PairStatistics
from ventris.deciphering.descent import descend
from ventris.deciphering.key_score import RankedKeys, SymbolText, Tables, distinct_keys, score_whole_keys
from ventris.deciphering.key_search import KeySearch, anneal_key, default_moves
from ventris.deciphering.key_settings import KEYS, KeySettings
from ventris.deciphering.starts import random_starts


def find_one_to_one(
    text: SymbolText,
    tables: Tables,
    rng: np.random.Generator,
    *,
    start: NDArray | None = None,
    settings: KeySettings = KEYS,
) -> RankedKeys:
    """The likeliest one-to-one key by annealing; the space, where there is one, is known.

    Parameters
    ----------
    text : SymbolText
    tables : sequence of arrays of shapes (C,), (C, C), …
        log p of a label given the ones before it.
    rng : Generator
    start : int array of shape (K,), optional
        A key nearly right, such as `key_by_descent` gives: it is polished, not sought anew.
    settings : KeySettings
    """
    parts = text.parts
    table = tables[min(len(tables), max(map(len, parts))) - 1]
    if start is not None:
        found = anneal_key(
            parts, table, n_symbols=len(table), fixed=_fixed(text), start=start,
            temperatures=settings.polish_temperatures, recurrences=settings.polish_recurrences,
            random_state=rng, settings=settings,
        )  # fmt: skip
    else:
        recurrences = next(n for size, n in settings.recurrences if len(text.layout) < size)
        found = anneal_key(
            parts, table, n_symbols=len(table), fixed=_fixed(text), recurrences=recurrences,
            random_state=rng, settings=settings,
        )  # fmt: skip
    return _with_neighbours(found, text, tables, settings=settings)


def polish_keys(
    keys: Sequence[NDArray],
    text: SymbolText,
    tables: Tables,
    rng: np.random.Generator,
    *,
    settings: KeySettings = KEYS,
) -> RankedKeys:
    """The best end of cool searches, one from each key of shape (C,), under tables of a higher order."""
    n_symbols = len(tables[0])
    n_free = n_symbols - (text.space is not None)
    moves = int(default_moves(len(text.symbols), n_free, settings=settings) * settings.polish_moves)
    found = [
        anneal_key(
            text.parts, tables[-1], n_symbols=n_symbols, fixed=_fixed(text), start=start, moves=moves,
            temperatures=settings.polish_temperatures, recurrences=1, max_restarts=1, random_state=rng,
            settings=settings,
        )
        for start in text.whole(np.array(keys))
    ]  # fmt: skip
    best = max(found, key=lambda search: search.score)
    return _with_neighbours(best, text, tables, settings=settings)


def key_by_descent(
    text: SymbolText,
    label_pairs: NDArray,
    label_frequency: NDArray,
    rng: np.random.Generator,
    *,
    settings: KeySettings = KEYS,
) -> NDArray[np.int64]:
    """The one-to-one key of the table p(label | symbol) with the lowest J (E10, E11): shape (K,).

    J is matched on pairs of symbols at several lags; one start ranks symbols and labels by how often they
    occur, the others are nearly even. The table is then rounded to the one-to-one key it gives most weight.

    Parameters
    ----------
    text : SymbolText
    label_pairs : array of shape (L, K, K)
        P⁽ᵏ⁾ of the label model.
    label_frequency : array of shape (K,)
    rng : Generator
    settings : KeySettings
    """
    from scipy.optimize import linear_sum_assignment

    size, symbols, lengths = len(label_frequency), np.concatenate(text.parts), list(map(len, text.parts))
    code_pairs = lagged_pairs(symbols, size, np.array(lengths), n_lags=len(label_pairs))
    starts = random_starts(settings.n_starts, size, size, rng, settings=settings.descent)
    counts = np.bincount(symbols, minlength=size)
    starts[0, np.argsort(-counts), np.argsort(-label_frequency)] += settings.ranked_leaning
    for symbol, label in _fixed(text).items():
        starts[:, symbol, label] += settings.known_leaning
    statistics = PairStatistics(label_pairs, code_pairs)
    logits, cost = descend(statistics, starts, n_steps=settings.n_steps, settings=settings.descent)
    _, key = linear_sum_assignment(-logits[int(np.argmin(cost))])
    return np.asarray(key, dtype=np.int64)


def settle_key(start: NDArray, text: SymbolText, tables: Tables, doubtful: NDArray) -> NDArray[np.int64]:
    """A key nearly right, climbed by exchanges of labels of which one belongs to a doubtful symbol.

    Parameters
    ----------
    start : int array of shape (K,)
        Without the space.
    text : SymbolText
        However long: its distinct n-grams are looked up, not its symbols.
    tables : sequence of arrays of shapes (C,), (C, C), …
    doubtful : int array
        Symbols that the key was found without.
    """
    used, parts = np.intersect1d(doubtful, text.symbols), text.parts
    key = np.asarray(start, dtype=np.int64)
    while len(used):
        keys = [key, *_neighbours(key, used, text.fixed)]
        scores = score_whole_keys(text.whole(np.array(keys)), parts, tables)
        best = int(np.argmax(scores))
        if best == 0:
            break
        key = keys[best]
    return key


def _fixed(text: SymbolText) -> dict[int, int]:
    """Symbols whose label is known: the space, and what the user fixed."""
    return text.fixed if text.space is None else text.fixed | {text.space: text.space}


def _with_neighbours(
    found: KeySearch, text: SymbolText, tables: Tables, *, settings: KeySettings
) -> RankedKeys:
    """The ends of a search and the neighbours of the best, climbed while one of them is better.

    The search leaves out the first symbols of a text, which have short histories; the climb hears them.
    """
    n_free = len(tables[0]) - (text.space is not None)
    used, parts = np.unique(text.symbols), text.parts
    keys = distinct_keys([key[:n_free] for key in (found.key, *found.restart_keys)], used)
    while True:
        keys = distinct_keys([*keys, *_neighbours(keys[0], used, text.fixed)], used)
        scores = score_whole_keys(text.whole(np.array(keys)), parts, tables)
        best = int(np.argmax(scores))
        if scores[best] <= scores[0] + settings.rise:
            return RankedKeys(np.array(keys), scores, found.n_recurrences / len(found.restart_keys))
        keys.insert(0, keys.pop(best))


def _neighbours(key: NDArray, used: NDArray, fixed: Collection[int]) -> list[NDArray]:
    """All keys that exchange two labels, at least one of which is in use, and none fixed."""
    neighbours = []
    for i, j in combinations([s for s in range(len(key)) if s not in fixed], 2):
        if i in used or j in used:
            other = key.copy()
            other[[i, j]] = other[[j, i]]
            neighbours.append(other)
    return neighbours
