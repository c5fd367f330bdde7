"""Rounds of reading and learning: label posteriors under the label model, then a refit to them.

Each round asks what the whole sequence says about every point (forward–backward), and teaches the classifier
that (self-training). For a table of symbols this is expectation–maximisation with fixed transitions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ventris.classifiers.base import Capability, Learner
from ventris.inference.score import clamp_known, infer_labels
from ventris.kernels.softmax import column_means
from ventris.label_model.model import NgramModel
from ventris.route.settings import RouteSettings

Array = NDArray[np.floating]


@dataclass(frozen=True)
class Round:
    """One round: the order of the label model it used, and the sequence score before its refit."""

    order: int
    score: float


# Told of each round; a true answer ends the rounds.
OnRound = Callable[[Round], bool | None]


def refine(
    learner: Learner,
    X: NDArray,
    lengths: NDArray,
    lm: NgramModel,
    orders: Sequence[int],
    *,
    known: NDArray | None = None,
    settings: RouteSettings | None = None,
    on_round: OnRound | None = None,
    n_before: int = 0,
) -> list[Round]:
    """Refit `learner` to label posteriors, one round for each entry of `orders` (self-training).

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
    settings : RouteSettings, optional
        Says when rounds of one order end early.
    on_round : callable, optional
        Told of each round; a true answer ends them.
    n_before : int
        Lessons the learner has had already: it is told which round it is.

    Returns
    -------
    list of Round

    References
    ----------
    A. P. Dempster, N. M. Laird, D. B. Rubin, "Maximum likelihood from incomplete data via the EM algorithm",
    Journal of the Royal Statistical Society B 39, 1977.
    """
    settings = settings or RouteSettings()
    rounds: list[Round] = []
    converged = 0  # the order whose rounds have
    for order in orders:
        if order == converged:
            continue
        if Capability.ROUNDS in learner.capabilities:
            learner.begin_round(n_before + len(rounds), order=order)
        rounds.append(_read_and_learn(learner, X, lengths, lm, order, known, settings.n_jobs))
        if on_round and on_round(rounds[-1]):
            break
        if _has_converged(rounds, settings):
            converged = order
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


def _has_converged(rounds: list[Round], settings: RouteSettings) -> bool:
    """Whether the last two rounds are of one order and hardly differ; weak label models have tiny scores."""
    if len(rounds) < 2 or rounds[-1].order != rounds[-2].order:
        return False
    before, now = rounds[-2].score, rounds[-1].score
    scale = min(max(abs(now), settings.weak_score), settings.strong_score)
    return abs(now - before) <= settings.converged * scale
