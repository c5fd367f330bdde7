"""The code table by expectation–maximisation: label transitions stay fixed, what codes mean is learnt."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ventris.deciphering.ciphertext import Ciphertext, Stretch
from ventris.sequence_score import clamp_known, infer_labels, sequence_score

Array = NDArray[np.floating]
_PRIOR = 1e-3  # points' worth of the mean row in every row: a code never seen takes it
_SLOW = 5  # rounds that may gain next to nothing: from a nearly even table the climb begins slowly
_SETTLED, _WEAK = 0.01, 0.01  # share of the score a round must gain to count; of this score, if it is weak


def mean_rows(codes: NDArray, targets: Array, n_codes: int, weight: Array | None = None) -> Array:
    """Mean target of each code; a code never seen takes the mean of all: shape (K, C).

    Examples
    --------
    >>> mean_rows(np.array([0, 0, 1]), np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]]), 2).round(2)
    array([[0.5, 0.5],
           [0. , 1. ]])
    """
    columns = targets.T if weight is None else weight * targets.T
    sums = np.stack([np.bincount(codes, weights=column, minlength=n_codes) for column in columns], axis=1)
    sums += _PRIOR * sums.sum(axis=0) / sums.sum()
    return sums / sums.sum(axis=1, keepdims=True)


def read_and_learn(table: Array, stretch: Stretch, ciphertext: Ciphertext, n_rounds: int) -> Array:
    """Rounds of reading the codes with the table and learning the table from what was read: shape (K, C).

    Each round is one step of expectation–maximisation of the sequence's likelihood, so the score never falls
    but for the smoothing of codes that are hardly ever seen.
    """
    before = -np.inf
    for made in range(n_rounds):
        reading = clamp_known(table[stretch.codes], stretch.known)
        labels, score = infer_labels(reading, stretch.lengths, ciphertext.lm, ciphertext.order, n_jobs=1)
        table = mean_rows(stretch.codes, labels, len(table))
        if made >= _SLOW and score - before < _SETTLED * max(abs(score), _WEAK):
            break
        before = score
    return table


def table_score(table: Array, stretch: Stretch, ciphertext: Ciphertext) -> float:
    """Sequence score of a stretch read with the table, in nats a symbol."""
    usage = ciphertext.code_frequency @ table
    reading = table[stretch.codes]
    return sequence_score(reading, stretch.lengths, ciphertext.lm, ciphertext.order, usage, n_jobs=1)
