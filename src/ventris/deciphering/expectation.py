"""The code table by expectation–maximisation: label transitions stay fixed, what codes mean is learnt."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ventris.classifiers.loglinear import softmax
from ventris.classifiers.table import mean_rows
from ventris.deciphering.ciphertext import Ciphertext, Contender, Stretch
from ventris.deciphering.starts import draw_starts
from ventris.inference.score import clamp_known, infer_labels, sequence_score

Array = NDArray[np.floating]
_READ_STARTS, _READ_ROUNDS = 2, 30
_SLOW = 5  # rounds that may gain next to nothing: from a nearly even table the climb begins slowly
_SETTLED, _WEAK = 0.01, 0.01  # share of the score a round must gain to count; of this score, if it is weak


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


def _by_expectation(
    ciphertext: Ciphertext, n_starts: int, rng: np.random.Generator
) -> tuple[list[Array], int]:
    """Reading and learning from a few guesses."""
    starts = softmax(draw_starts(ciphertext, min(_READ_STARTS, n_starts), rng))
    lesson = ciphertext.lesson
    return [read_and_learn(table, lesson, ciphertext, _READ_ROUNDS) for table in starts], len(starts)


EXPECTATION = Contender("expectation", _by_expectation, has_read=True)
