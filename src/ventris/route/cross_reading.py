"""Points read by classifiers that learnt from other points only.

A classifier that reads the points it was taught on finds its own mistakes confirmed: with few points a weight
it is surer than it should be, and a wrong label given once stays. Two halves that read each other are not
lulled so. Their outputs say honestly which penalty is best, how sure the classifier may be, and which
label the sequence gives each point.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ventris.classifiers.copies import content_numbers
from ventris.classifiers.loglinear import one_hot
from ventris.classifiers.loglinear_learner import LogLinearLearner
from ventris.data.sequences import Sequences, first_points
from ventris.inference.score import SCORE_ORDER, clamp_known, infer_labels, sequence_score
from ventris.label_model.model import NgramModel

Array = NDArray[np.floating]
# Strong first: each fit starts from the one before, and the very first lesson has many wrong labels, which a
# classifier with few points a weight would learn by heart under a weaker penalty.
PENALTIES = (1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 3e-5, 1e-5)
_AS_GOOD = 2e-3  # share of the score by which penalties may differ and pass for equal
_SETTLED = 2e-3  # share of the score below which one more round is not worth its while
_SCORED = 20_000  # points on which a sharpness is judged
_LOG_SHARPNESS = (-1.0, 2.0)


class CrossReading:
    """Two halves of the points, and for each a learner that is taught by the other.

    Equal inputs are in one half: where the same input comes again and again, a copy of it in the other half
    would be no stranger there.

    Parameters
    ----------
    learner : LogLinearLearner
        Its settings are taken over, its weights are not.
    points : Sequences
    lm : NgramModel
    known : int array of shape (T,), optional
        Known labels, −1 where unknown.
    n_jobs : int
        Threads; −1 for one per core. The result does not depend on it.
    """

    def __init__(
        self,
        learner: LogLinearLearner,
        points: Sequences,
        lm: NgramModel,
        known: NDArray | None = None,
        *,
        n_jobs: int = -1,
    ) -> None:
        self.points, self.lm, self.known, self.n_jobs = points, lm, known, n_jobs
        self.readers = [learner.beginner(), learner.beginner()]
        self._set_penalty(learner.l2)
        self.half = content_numbers(points.data) % 2

    def outputs(self, targets: Array) -> Array:
        """What each half looks like to the learner that has just been taught the other: shape (T, C)."""
        X = self.points.data
        outputs = np.empty_like(targets)
        for number, reader in enumerate(self.readers):
            own = self.half == number
            outputs[own] = reader.fit(X[~own], targets[~own]).predict_proba(X[own])
        return outputs

    def labels(self, outputs: Array, sharpness: float, order: int) -> Array:
        """Posterior of each label given its whole sequence: shape (T, C)."""
        surer = clamp_known(sharpened(outputs, sharpness), self.known)
        return infer_labels(surer, self.points.lengths, self.lm, order, n_jobs=self.n_jobs)[0]

    def rounds(self, labels: Array, order: int, at_most: int) -> tuple[Array, float, int]:
        """Rounds of learning and reading, until the score settles.

        Returns
        -------
        labels : array of shape (T, C)
        sharpness : float
            Of the last outputs.
        n_rounds : int
        """
        scores, sharpness = [-np.inf], 1.0
        while len(scores) <= at_most:
            outputs = self.outputs(labels)
            sharpness, score = self._judged(outputs, order)
            labels = self.labels(outputs, sharpness, order)
            scores.append(score)
            if scores[-1] - scores[-2] < _SETTLED * abs(score):
                break
        return labels, sharpness, len(scores) - 1

    def choose_penalty(self, labels: Array, order: int) -> tuple[float, float, Array]:
        """The penalty for all points that scores best, its sharpness, and the labels that judged.

        Of penalties that score about as well the weakest is taken: the score wants honest probabilities, and
        single points err less under a weaker penalty than that.

        Readers are taught hard labels: soft ones show how the classifier that made them answers between its
        inputs, so the weakest penalty would copy it best, overfitting and all.
        """
        # A round before the choice: labels the classifier gave its own points would favour a strong penalty.
        self._set_penalty(PENALTIES[0])
        labels, sharpness, _ = self.rounds(_hardened(labels), order, at_most=1)
        hard, best, chosen = _hardened(labels), -np.inf, (PENALTIES[0], sharpness)
        for l2 in PENALTIES:
            self._set_penalty(l2)
            sharpness, score = self._judged(self.outputs(hard), order)
            best = max(best, score)
            if score < best - _AS_GOOD * abs(best):  # weaker ones, which take longest to fit, will do worse
                break
            chosen = l2, sharpness
        return *chosen, labels

    def _judged(self, outputs: Array, order: int) -> tuple[float, float]:
        return best_sharpness(outputs, self.points.lengths, self.lm, order, n_jobs=self.n_jobs)

    def _set_penalty(self, l2: float) -> None:
        """Make readers bear what `l2` is to a learner of all points: theirs are half as many against it."""
        for reader in self.readers:
            reader.l2 = 2 * l2


def _hardened(labels: Array) -> Array:
    return one_hot(labels.argmax(axis=1), labels.shape[1], labels.dtype.type)


def sharpened(posteriors: Array, sharpness: float) -> Array:
    """Probabilities raised to a power and normalised: surer above one, less sure below.

    Examples
    --------
    >>> sharpened(np.array([[0.75, 0.25]]), 2.0)
    array([[0.9, 0.1]])
    """
    powers = posteriors ** posteriors.dtype.type(sharpness)
    return powers / powers.sum(axis=1, keepdims=True)


def best_sharpness(
    posteriors: Array, lengths: NDArray, lm: NgramModel, order: int, *, n_jobs: int = -1
) -> tuple[float, float]:
    """The sharpness under which outputs are likeliest as a label sequence, and their score with it.

    A penalty makes outputs timid: single points lose nothing by that, but in a sequence the label model
    then has too much to say.
    """
    from scipy.optimize import minimize_scalar

    outputs, lengths = first_points(posteriors, lengths, _SCORED)

    def loss(log_sharpness: float) -> float:
        surer = sharpened(outputs, np.exp(log_sharpness))
        return -sequence_score(surer, lengths, lm, min(order, SCORE_ORDER), n_jobs=n_jobs)

    found = minimize_scalar(loss, bounds=_LOG_SHARPNESS, method="bounded", options={"xatol": 0.02})
    return float(np.exp(found.x)), -float(found.fun)
