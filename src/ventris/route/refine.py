"""Rounds of reading and learning: label posteriors under the label model, then a refit to them.

Each round asks what the whole sequence says about every point (forward–backward), and teaches the classifier
that (self-training). For a table of symbols this is expectation–maximisation with fixed transitions.

Rounds on a part of the points, judged by the rest, say beforehand which kind of learner they suit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ventris.classifiers.base import Capability, Learner
from ventris.data.known_labels import KnownLabels
from ventris.data.sequences import Sequences
from ventris.inference.score import (
    SCORE_ORDER,
    clamp_known,
    cut_lengths,
    infer_labels,
    sequence_score,
    stretch_logliks,
)
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
    known: KnownLabels | None = None,
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
    known : KnownLabels, optional
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
    known: KnownLabels | None,
    n_jobs: int,
) -> Round:
    """One round; a function of its own so that no round's posteriors outlive it into the next."""
    points = Sequences(X, lengths)
    posteriors = learner.predict_sequences(points)
    usage = column_means(posteriors)
    labels, score = infer_labels(clamp_known(posteriors, known), lengths, lm, order, usage, n_jobs)
    learner.fit_sequences(points, labels)
    return Round(order, score)


def _has_converged(rounds: list[Round], settings: RouteSettings) -> bool:
    """Whether the last two rounds are of one order and hardly differ; weak label models have tiny scores."""
    if len(rounds) < 2 or rounds[-1].order != rounds[-2].order:
        return False
    before, now = rounds[-2].score, rounds[-1].score
    scale = min(max(abs(now), settings.weak_score), settings.strong_score)
    return abs(now - before) <= settings.converged * scale


class Rehearsal:
    """Stretches in turn to one half and the other, each half learnt alone and read by the other's learner.

    Here not even the labels of a half know of the points that judge it, as they do where halves read each
    other point by point: a flexible learner would find there what it told its neighbours before. So kinds of
    learners can be compared, whatever their number of weights (two-fold cross-validation).

    Parameters
    ----------
    X : array of shape (T, …)
    lengths : array of shape (S,)
    lm : NgramModel
    order : int
    known : int array of shape (T,), optional
        Known labels, −1 where unknown.
    settings : RouteSettings, optional
    """

    def __init__(
        self,
        X: NDArray,
        lengths: NDArray,
        lm: NgramModel,
        order: int,
        known: KnownLabels | None = None,
        *,
        settings: RouteSettings | None = None,
    ) -> None:
        self.lm, self.order, self.settings = lm, order, settings or RouteSettings()
        self.X, self.known = X, known
        settings = self.settings
        size = max(settings.short_stretch, len(self.X) // (settings.folds * settings.fold_stretches))
        cut = cut_lengths(lengths, size)
        turn = np.arange(len(cut)) % settings.folds
        of_point = np.repeat(turn, cut)
        # For each fold: the points and stretches to learn from, and those to judge by.
        self.taught = [(np.flatnonzero(of_point != fold), cut[turn != fold]) for fold in np.unique(turn)]
        self.judging = [(np.flatnonzero(of_point == fold), cut[turn == fold]) for fold in np.unique(turn)]

    def logliks(self, learner: Learner, labels: Array, *, l2: float = 0.0, by_means: bool = False) -> Array:
        """How likely each stretch is to the learner that has not seen it: shape (number of stretches,).

        Parameters
        ----------
        learner : Learner
            One that can be cross-fitted; a beginner with its settings learns from each half.
        labels : array of shape (T, C)
            Where rounds begin: what was read before.
        l2 : float
            The penalty of free weights, as it is for a learner of all points.
        by_means : bool
            Whether weights come from class means instead.
        """
        taught = [self._taught(learner, labels, *part, l2, by_means) for part in self.taught]
        outputs = [
            one.predict_proba(self.X[rows]) for one, (rows, _) in zip(taught, self.judging, strict=True)
        ]
        lengths = [part for _, part in self.judging]
        order, settings = min(self.order, SCORE_ORDER), self.settings
        sharpness = 1.0
        if not by_means:  # whose outputs a penalty made timid, or few points too bold
            every, of_every = np.concatenate(outputs), np.concatenate(lengths)
            sharpness = fit_sharpness(every, of_every, self.lm, order, settings)[0]
        size, n_jobs = stretch_size(len(self.X), settings), settings.n_jobs
        judged = [
            stretch_logliks(sharpened(each, sharpness), part, self.lm, order, n_jobs=n_jobs, size=size)
            for each, part in zip(outputs, lengths, strict=True)
        ]
        return np.concatenate(judged)

    def _taught(
        self, learner: Learner, labels: Array, rows: NDArray, lengths: NDArray, l2: float, by_means: bool
    ) -> Learner:
        """A beginner after rounds on these points alone."""
        one, known = learner.beginner(), None if self.known is None else self.known[rows]
        one.by_means = by_means
        one.l2 = l2 * len(self.X) / len(rows)  # as strong against fewer points
        X = self.X[rows]
        one.fit(X, labels[rows])
        orders = [self.order] * self.settings.rehearsal_rounds
        refine(one, X, lengths, self.lm, orders, known=known, settings=self.settings)
        return one


def stretch_size(n_points: int, settings: RouteSettings) -> int:
    """Points a stretch, the unit of chance, where there are so many to judge by.

    Examples
    --------
    >>> [stretch_size(n_points, RouteSettings()) for n_points in (5_000, 1_000, 200)]
    [100, 50, 20]
    """
    return int(np.clip(n_points // settings.stretches, settings.short_stretch, settings.long_stretch))


def sharpened(posteriors: Array, sharpness: float) -> Array:
    """Probabilities raised to a power and normalised: surer above one, less sure below.

    Examples
    --------
    >>> sharpened(np.array([[0.75, 0.25]]), 2.0)
    array([[0.9, 0.1]])
    """
    powers = posteriors ** posteriors.dtype.type(sharpness)
    return powers / powers.sum(axis=1, keepdims=True)


def fit_sharpness(
    outputs: Array, lengths: NDArray, lm: NgramModel, order: int, settings: RouteSettings
) -> tuple[float, float]:
    """The best sharpness of all these outputs and their score: what `best_sharpness` finds for the first."""
    from scipy.optimize import minimize_scalar

    def loss(log_sharpness: float) -> float:
        surer = sharpened(outputs, np.exp(log_sharpness))
        return -sequence_score(surer, lengths, lm, min(order, SCORE_ORDER), n_jobs=settings.n_jobs)

    options = {"xatol": settings.sharpness_step}
    found = minimize_scalar(loss, bounds=settings.log_sharpness, method="bounded", options=options)
    return float(np.exp(found.x)), -float(found.fun)
