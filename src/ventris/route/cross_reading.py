"""Points read by classifiers that learnt from other points only (cross-fitting, two folds).

A classifier that reads the points it was taught on finds its own mistakes confirmed: with few points a weight
it is surer than it should be, and a wrong label given once stays. Two halves that read each other are not
lulled so. Their outputs say honestly which penalty is best, how sure the classifier may be, and which
label the sequence gives each point.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ventris.classifiers.base import Learner
from ventris.classifiers.loglinear import one_hot
from ventris.data.counts import content_numbers
from ventris.data.known_labels import KnownLabels
from ventris.data.sequences import Sequences, first_points
from ventris.inference.score import clamp_known, infer_labels
from ventris.label_model.model import NgramModel
from ventris.route.refine import OnRound, Round, fit_sharpness, sharpened
from ventris.route.settings import RouteSettings

Array = NDArray[np.floating]


class CrossReading:
    """Two halves of the points, and for each a learner that is taught by the other (cross-fitting).

    Equal inputs are in one half: where the same input comes again and again, a copy of it in the other half
    would be no stranger there.

    Parameters
    ----------
    learner : Learner
        One that can be cross-fitted. Its settings are taken over, its weights are not.
    points : Sequences
    lm : NgramModel
    known : KnownLabels, optional
    settings : RouteSettings, optional
    """

    def __init__(
        self,
        learner: Learner,
        points: Sequences,
        lm: NgramModel,
        known: KnownLabels | None = None,
        *,
        settings: RouteSettings | None = None,
    ) -> None:
        self.points, self.lm, self.known = points, lm, known
        self.settings = settings or RouteSettings()
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

    def predict(self, X: Array) -> Array:
        """What both readers say of other points, on average: shape (n, C)."""
        return np.mean([reader.predict_proba(X) for reader in self.readers], axis=0)

    def labels(self, outputs: Array, sharpness: float, order: int) -> Array:
        """Posterior of each label given its whole sequence: shape (T, C)."""
        surer = clamp_known(sharpened(outputs, sharpness), self.known)
        return infer_labels(surer, self.points.lengths, self.lm, order, n_jobs=self.settings.n_jobs)[0]

    def rounds(
        self, labels: Array, order: int, at_most: int, on_round: OnRound | None = None
    ) -> tuple[Array, float, int]:
        """Rounds of learning and reading, until the score grows no more.

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
            asked_to_stop = on_round and on_round(Round(order, score))
            if asked_to_stop or scores[-1] - scores[-2] < self.settings.converged * abs(score):
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
        penalties = self.settings.penalties
        self._set_penalty(penalties[0])
        labels, sharpness, _ = self.rounds(_hardened(labels), order, at_most=1)
        hard, best, chosen = _hardened(labels), -np.inf, (penalties[0], sharpness)
        for l2 in penalties:
            self._set_penalty(l2)
            sharpness, score = self._judged(self.outputs(hard), order)
            best = max(best, score)
            if score < best - self.settings.as_good * abs(
                best
            ):  # weaker ones, which take longest to fit, will do worse
                break
            chosen = l2, sharpness
        return *chosen, labels

    def _judged(self, outputs: Array, order: int) -> tuple[float, float]:
        return best_sharpness(outputs, self.points.lengths, self.lm, order, self.settings)

    def _set_penalty(self, l2: float) -> None:
        """Make readers bear what `l2` is to a learner of all points: theirs are half as many against it."""
        for reader in self.readers:
            reader.l2 = 2 * l2


def _hardened(labels: Array) -> Array:
    return one_hot(labels.argmax(axis=1), labels.shape[1], labels.dtype.type)


def best_sharpness(
    posteriors: Array, lengths: NDArray, lm: NgramModel, order: int, settings: RouteSettings | None = None
) -> tuple[float, float]:
    """The sharpness under which outputs are likeliest in sequence, and their score (temperature scaling).

    A penalty makes outputs timid: single points lose nothing by that, but in a sequence the label model
    then has too much to say.

    References
    ----------
    C. Guo, G. Pleiss, Y. Sun, K. Q. Weinberger, "On calibration of modern neural networks", ICML 2017.
    """
    settings = settings or RouteSettings()
    outputs, kept = first_points(posteriors, lengths, settings.scored_points)
    return fit_sharpness(outputs, kept, lm, order, settings)
