"""The code table by expectation–maximisation (EM): label transitions stay fixed, tables are learnt."""

from __future__ import annotations

from typing import NamedTuple

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


class Apart(NamedTuple):
    """How far two answers are from one another.

    Attributes
    ----------
    share : float
        Share of the points that they give different labels.
    renamed : float
        The same under the names for the second that agree best: what is left is not a matter of names.
    of_each : array of shape (C,)
        The share of those points that the first gives each label.
    """

    share: float
    renamed: float
    of_each: Array

    @classmethod
    def of(cls, one: NDArray, other: NDArray, n_classes: int, weights: Array | None = None) -> Apart:
        """From the labels that each gives, and what each of them counts.

        Examples
        --------
        >>> Apart.of(np.array([0, 0, 1, 1]), np.array([1, 1, 0, 1]), 2)[:2]
        (0.75, 0.25)
        """
        from scipy.optimize import linear_sum_assignment  # heavy to import

        size = n_classes * n_classes
        counts = np.bincount(one * n_classes + other, weights, size).reshape(n_classes, n_classes)
        given = np.maximum(counts.sum(axis=1), np.finfo(float).tiny)
        agreeing = counts[linear_sum_assignment(counts, maximize=True)].sum()
        share, renamed = (float(1 - part / counts.sum()) for part in (np.trace(counts), agreeing))
        return cls(share, renamed, 1 - np.diag(counts) / given)


def disagreement(one: Array, other: Array, ciphertext: Ciphertext) -> Apart:
    """How far two tables are apart where each reads its sequences."""
    sample, lm, order = ciphertext.sample, ciphertext.lm, ciphertext.order
    first, second = (
        infer_labels(clamp_known(table[sample.codes], sample.known), sample.lengths, lm, order, n_jobs=1)[0]
        for table in (one, other)
    )
    return Apart.of(first.argmax(axis=1), second.argmax(axis=1), one.shape[1])


def _by_expectation(
    ciphertext: Ciphertext, n_starts: int, rng: np.random.Generator
) -> tuple[list[Array], int]:
    """Reading and learning from a few guesses."""
    settings, lesson = ciphertext.settings, ciphertext.lesson
    starts = softmax(draw_tables(ciphertext, min(settings.read_starts, n_starts), rng))
    return [read_and_learn(table, lesson, ciphertext, settings.read_rounds) for table in starts], len(starts)


EXPECTATION = Contender("expectation", _by_expectation, has_read=True)
