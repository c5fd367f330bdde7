"""Rounds of reading and learning: label posteriors under the label model, then a refit to them.

Each round asks what the whole sequence says about every point (forward–backward), and teaches the classifier
that. For a table of symbols this is expectation–maximisation with fixed transitions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ventris.classifiers.base import Learner
from ventris.inference.score import clamp_known, infer_labels
from ventris.kernels.cross_entropy import column_means
from ventris.label_model.model import NgramModel

Array = NDArray[np.floating]


@dataclass(frozen=True)
class Round:
    """One round: the order of the label model it used, and the sequence score before its refit."""

    order: int
    score: float


def refine(
    learner: Learner,
    X: NDArray,
    lengths: NDArray,
    lm: NgramModel,
    orders: Sequence[int],
    *,
    known: NDArray | None = None,
    tol: float = 2e-3,
    on_round: Callable[[Round], None] | None = None,
    n_jobs: int = -1,
) -> list[Round]:
    """Refit `learner` to label posteriors, one round for each entry of `orders`.

    Parameters
    ----------
    learner : Learner
        Already fitted; it is changed in place.
    X : array of shape (T, …)
    lengths : array of shape (S,)
    lm : NgramModel
    orders : sequence of int
        Order of the label model in each round, low to high: low orders forgive, high orders decide.
    known : int array of shape (T,), optional
        Known labels, −1 where unknown.
    tol : float
        Rounds of one order end early when the score changes by less than this share of itself.

    Returns
    -------
    list of Round
    """
    rounds: list[Round] = []
    settled = 0  # the order whose rounds have converged
    for order in orders:
        if order == settled:
            continue
        rounds.append(_read_and_learn(learner, X, lengths, lm, order, known, n_jobs))
        if on_round:
            on_round(rounds[-1])
        if _has_settled(rounds, tol):
            settled = order
    return rounds


def _read_and_learn(
    learner: Learner,
    X: NDArray,
    lengths: NDArray,
    lm: NgramModel,
    order: int,
    known: NDArray | None,
    n_jobs: int,
) -> Round:
    """One round; a function of its own so that no round's posteriors outlive it into the next."""
    posteriors = learner.predict_proba(X)
    usage = column_means(posteriors)
    labels, score = infer_labels(clamp_known(posteriors, known), lengths, lm, order, usage, n_jobs)
    learner.fit(X, labels)
    return Round(order, score)


def _has_settled(rounds: list[Round], tol: float) -> bool:
    """Whether the last two rounds are of one order and hardly differ; weak label models have tiny scores."""
    if len(rounds) < 2 or rounds[-1].order != rounds[-2].order:
        return False
    before, now = rounds[-2].score, rounds[-1].score
    return abs(now - before) <= tol * min(max(abs(now), 1e-4), 0.1)
