"""The order in which columns of a text were written: annealed for every number of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ventris.deciphering.key_score import Tables, log_likelihood
from ventris.deciphering.key_settings import KEYS, KeySettings


@dataclass(frozen=True)
class ColumnKeys:
    """Orders of columns that were found, one for each number of them and the best one turned, best first.

    Attributes
    ----------
    keys : tuple of int arrays
        Rank of each column: that of rank 0 was written first.
    scores : array of shape (S,)
        Log-likelihood of the text under each, in nats.
    """

    keys: tuple[NDArray[np.int64], ...]
    scores: NDArray[np.float64]


def write_columns(letters: NDArray, ranks: NDArray) -> NDArray[np.int64]:
    """Letters in rows under the columns, written out column by column in the order of their ranks.

    Examples
    --------
    >>> write_columns(np.array([0, 1, 2, 3, 4]), np.array([1, 0])).tolist()
    [1, 3, 0, 2, 4]
    """
    columns = [letters[column :: len(ranks)] for column in np.argsort(ranks)]
    return np.concatenate(columns)


def read_columns(letters: NDArray, ranks: NDArray) -> NDArray[np.int64]:
    """The inverse of `write_columns`."""
    places = write_columns(np.arange(len(letters)), ranks)
    plain = np.empty_like(letters)
    plain[places] = letters
    return plain


def find_columns(
    letters: NDArray,
    tables: Tables,
    rng: np.random.Generator,
    *,
    opening: Callable[[NDArray], float] | None = None,
    settings: KeySettings = KEYS,
) -> ColumnKeys:
    """The likeliest order of columns (simulated annealing).

    The best order turned around, so that the text begins in another column, reads nearly as well: all turns
    are compared.

    Parameters
    ----------
    letters : int array of shape (N,)
    tables : sequence of arrays of shapes (C,), (C, C), …
        log p of a letter given the ones before it.
    rng : Generator
    opening : callable, optional
        Nats that a reading gains by how it begins.
    settings : KeySettings
    """
    from ventris.kernels.key_climbs import anneal_columns

    letters, log_prob = np.asarray(letters, dtype=np.int64), tables[-1].ravel()
    hot, cold = settings.columns_temperatures
    keys, scores = [], []
    for n_columns in range(2, min(settings.most_columns, len(letters) // 2) + 1):
        runs = [
            anneal_columns(
                letters, n_columns, log_prob, len(tables[0]), len(tables), hot, cold, settings.columns_moves,
                np.uint64(rng.integers(1, 2**63)),
            )
            for _ in range(settings.columns_runs)
        ]  # fmt: skip
        best = max(runs, key=lambda run: run[1])[0]
        keys.append(best)
        scores.append(_score(letters, best, tables, None))
    best = keys.pop(int(np.argmax(scores)))
    keys += [np.roll(best, turn) for turn in range(len(best))]
    scores = [_score(letters, key, tables, opening) for key in keys]
    order = np.argsort(scores)[::-1]
    return ColumnKeys(tuple(keys[i] for i in order), np.array(scores)[order])


def _score(
    letters: NDArray, ranks: NDArray, tables: Tables, opening: Callable[[NDArray], float] | None
) -> float:
    reading = read_columns(letters, ranks)
    return float(log_likelihood(reading[None], tables)[0]) + (opening(reading) if opening else 0.0)
