"""Long texts by descent on J: what teaches a classifier, with letters for codes (E10, E11)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ventris.ciphers.letter_model import LetterModel, segments
from ventris.data.counts import N_LAGS
from ventris.deciphering.ciphertext import PairStatistics
from ventris.deciphering.descent import descend
from ventris.deciphering.starts import random_starts

LAGS = tuple(range(1, N_LAGS + 1))
N_STARTS, N_STEPS = 8, 300
_RANKED, _KNOWN = 3.0, 20.0  # logits of a guess by frequency, and of a symbol that is known


def read_by_descent(row: NDArray, model: LetterModel, rng: np.random.Generator) -> NDArray[np.int64]:
    """The one-to-one reading of a text whose table p(letter | symbol) has the lowest J.

    J is matched on pairs of symbols at lags 1 to 4; one start ranks symbols and letters by how often they
    occur, the others are nearly even. The table is then rounded to the one-to-one key it gives most weight.

    Parameters
    ----------
    row : int array of shape (L,)
        Symbols of the text, the space its own label where there is one.
    model : LetterModel
    rng : Generator

    Returns
    -------
    int array of shape (C,)
        Letter of each symbol.
    """
    from scipy.optimize import linear_sum_assignment

    size = model.n_symbols
    statistics = PairStatistics(_language_pairs(model), _text_pairs(row, size))
    starts = random_starts(N_STARTS, size, size, rng)
    counts = np.bincount(row[row >= 0], minlength=size)
    starts[0, np.argsort(-counts), np.argsort(-model.stationary)] += _RANKED
    if model.space:
        starts[:, -1, -1] += _KNOWN
    logits, cost = descend(statistics, starts, n_steps=N_STEPS)
    _, key = linear_sum_assignment(-logits[int(np.argmin(cost))])
    return np.asarray(key, dtype=np.int64)


def _language_pairs(model: LetterModel) -> NDArray[np.float64]:
    """P⁽ᵏ⁾ of the language, shape (4, C, C)."""
    from ventris.datasets.letters import load_counts

    counts = load_counts(model.language, order=1, space=model.space)
    pairs = np.array([counts.pairs(lag) for lag in LAGS], dtype=float)
    return pairs / pairs.sum(axis=(1, 2), keepdims=True)


def _text_pairs(row: NDArray, size: int) -> NDArray[np.float64]:
    """F⁽ᵏ⁾ of the text, shape (4, C, C); pairs do not cross breaks."""
    pairs = np.zeros((len(LAGS), size * size))
    for part in segments(row):
        for i, lag in enumerate(LAGS):
            pairs[i] += np.bincount(part[:-lag] * size + part[lag:], minlength=size * size)
    return (pairs / pairs.sum(axis=1, keepdims=True)).reshape(-1, size, size)
