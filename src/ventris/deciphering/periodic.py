"""A key with a period: a table for each column, out of a family of tables (Vigenère's cipher)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ventris.deciphering.key_score import SymbolText, Tables, score_readings
from ventris.deciphering.key_settings import KEYS, KeySettings


@dataclass(frozen=True)
class PeriodicKeys:
    """The best key and those that differ from it in one column.

    Attributes
    ----------
    keys : int array of shape (S, P)
        Which table of the family reads each column; the best one first.
    scores : array of shape (S,)
        Log-likelihood of the text under each, in nats.
    n_periods : int
        Periods that were tried.
    """

    keys: NDArray[np.int64]
    scores: NDArray[np.float64]
    n_periods: int


def read_periodic(symbols: NDArray, keys: NDArray, family: NDArray) -> NDArray[np.int64]:
    """Readings of symbols, shape (N,), under keys of shape (S, P): shape (S, N).

    Examples
    --------
    >>> shifts = (np.arange(3) - np.arange(3)[:, None]) % 3
    >>> read_periodic(np.array([0, 1, 2, 0]), np.array([[0, 1]]), shifts).tolist()
    [[0, 0, 2, 2]]
    """
    return family[keys[:, np.arange(len(symbols)) % keys.shape[1]], symbols]


def find_periodic(
    text: SymbolText,
    family: NDArray,
    tables: Tables,
    frequency: NDArray,
    *,
    settings: KeySettings = KEYS,
) -> PeriodicKeys:
    """Every period by the label frequencies of its columns; the best few improved in context.

    Parameters
    ----------
    text : SymbolText
    family : int array of shape (F, K)
        Label of each symbol under each table that a column may have.
    tables : sequence of arrays of shapes (C,), (C, C), …
        log p of a label given the ones before it.
    frequency : array of shape (C,)
        How often each label occurs.
    settings : KeySettings
    """
    longest = max(2, min(settings.longest_period, len(text.symbols) // settings.symbols_a_column))
    price = np.log(len(family))  # of one more table in the key, in nats
    starts = [_by_columns(text.symbols, family, frequency, period) for period in range(2, longest + 1)]
    likely = sorted(starts, key=lambda start: price * len(start[0]) - start[1])[: settings.n_periods]
    found = [_improved(key, text, family, tables, settings=settings) for key, _ in likely]
    best, _ = max(found, key=lambda end: end[1] - price * len(end[0]))
    keys = _close_keys(best, len(family))
    scores = score_readings(read_periodic(text.symbols, keys, family), text, tables)
    return PeriodicKeys(keys, scores, len(starts))


def _by_columns(
    symbols: NDArray, family: NDArray, frequency: NDArray, period: int
) -> tuple[NDArray[np.int64], float]:
    """The likeliest table of each column by its labels alone, and the log-likelihood of them all."""
    columns = [np.bincount(symbols[c::period], minlength=family.shape[1]) for c in range(period)]
    scores = np.array(columns) @ np.log(frequency)[family].T  # (P, F)
    return np.argmax(scores, axis=1), float(scores.max(axis=1).sum())


def _improved(
    key: NDArray, text: SymbolText, family: NDArray, tables: Tables, *, settings: KeySettings
) -> tuple[NDArray[np.int64], float]:
    """Coordinate ascent: each column gets its best table given the others', until none changes."""
    score = -np.inf
    for _ in range(settings.laps):
        before = score
        for column in range(len(key)):
            tried = np.repeat(key[None], len(family), axis=0)
            tried[:, column] = np.arange(len(family))
            scores = score_readings(read_periodic(text.symbols, tried, family), text, tables)
            key, score = tried[np.argmax(scores)], float(scores.max())
        if score <= before + settings.rise:
            break
    return key, score


def _close_keys(key: NDArray, n_tables: int) -> NDArray[np.int64]:
    """The key, then all keys that differ from it in one column: shape (1 + P · (F − 1), P)."""
    steps = np.kron(np.eye(len(key), dtype=np.int64), np.arange(1, n_tables)[:, None])
    return np.vstack([key, (key + steps) % n_tables])
