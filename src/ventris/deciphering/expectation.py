"""The code table by expectation–maximisation (EM): label transitions stay fixed, tables are learnt."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ventris.classifiers.loglinear import softmax
from ventris.data.counts import mean_rows
from ventris.deciphering.ciphertext import Ciphertext, Contender, Stretch
from ventris.deciphering.starts import draw_tables
from ventris.inference.score import clamp_known, infer_labels, sequence_score

Array = NDArray[np.floating]


def read_and_learn(
    table: Array, stretch: Stretch, ciphertext: Ciphertext, n_rounds: int, order: int | None = None
) -> Array:
    """Rounds of reading the codes and learning the table from what was read: shape (K, C) (EM, Baum–Welch).

    Each round is one step of expectation–maximisation of the sequence's likelihood, so the score never falls
    but for the smoothing of codes that are hardly ever seen. The order is the ciphertext's unless another is
    given.

    References
    ----------
    .. [1] A. P. Dempster, N. M. Laird and D. B. Rubin, "Maximum likelihood from incomplete data via the EM
       algorithm", Journal of the Royal Statistical Society B 39 (1977), 1-38.
    .. [2] L. E. Baum, T. Petrie, G. Soules and N. Weiss, "A maximization technique occurring in the
       statistical analysis of probabilistic functions of Markov chains", Annals of Mathematical Statistics 41
       (1970), 164-171.
    """
    before, settings, order = -np.inf, ciphertext.settings, order or ciphertext.order
    for made in range(n_rounds):
        reading = clamp_known(table[stretch.codes], stretch.known)
        labels, score = infer_labels(reading, stretch.lengths, ciphertext.lm, order, n_jobs=1)
        table = mean_rows(stretch.codes, labels, len(table))
        enough = settings.round_gain * max(abs(score), settings.weak_score)
        if made >= settings.slow_rounds and score - before < enough:
            break
        before = score
    return table


def table_score(table: Array, stretch: Stretch, ciphertext: Ciphertext, order: int | None = None) -> float:
    """Sequence score of a stretch read with the table, in nats a symbol (forward algorithm)."""
    usage = ciphertext.code_frequency @ table
    reading = table[stretch.codes]
    return sequence_score(reading, stretch.lengths, ciphertext.lm, order or ciphertext.order, usage, n_jobs=1)


def disagreement(one: Array, other: Array, ciphertext: Ciphertext) -> tuple[float, Array]:
    """Share of the points that two tables, reading their sequences, give different labels.

    Of all, and of those that the first table gives each label: shape (C,).
    """
    sample, lm, order = ciphertext.sample, ciphertext.lm, ciphertext.order
    first, second = (
        infer_labels(clamp_known(table[sample.codes], sample.known), sample.lengths, lm, order, n_jobs=1)[0]
        for table in (one, other)
    )
    given = first.argmax(axis=1)
    differs = np.bincount(given, weights=given != second.argmax(axis=1), minlength=one.shape[1])
    of_each = differs / np.maximum(np.bincount(given, minlength=one.shape[1]), 1)
    return float(differs.sum() / len(given)), of_each


def _by_expectation(
    ciphertext: Ciphertext, n_starts: int, rng: np.random.Generator
) -> tuple[list[Array], int]:
    """Reading and learning from a few guesses."""
    settings, lesson = ciphertext.settings, ciphertext.lesson
    starts = softmax(draw_tables(ciphertext, min(settings.read_starts, n_starts), rng))
    return [read_and_learn(table, lesson, ciphertext, settings.read_rounds) for table in starts], len(starts)


EXPECTATION = Contender("expectation", _by_expectation, has_read=True)
