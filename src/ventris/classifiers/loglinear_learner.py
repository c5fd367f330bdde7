"""The log-linear classifier as a learner: the default."""

from __future__ import annotations

import copy
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ventris.classifiers.base import Capability, Learner, State
from ventris.classifiers.fitting import class_means_fit, distil
from ventris.classifiers.loglinear import Coordinates, LogLinear
from ventris.classifiers.penalty import choose_l2
from ventris.classifiers.settings import DEFAULT, LearnerSettings
from ventris.data.counts import has_plenty
from ventris.data.sequences import Sequences

Array = NDArray[np.floating]
_ALWAYS = frozenset({Capability.STATE, Capability.PENALTY, Capability.CROSS_FITTING, Capability.ANEW})
_KEPT = ("l2", "sharpness", "by_means")  # what fits to come depend on, beside the weights


class LogLinearLearner(Learner):
    """The log-linear classifier (E9), each fit started from the last.

    Parameters
    ----------
    units : Coordinates
    l2 : float, optional
        The penalty; by default the settings'.
    settings : LearnerSettings, optional
    """

    kind: ClassVar[str] = "log-linear"

    def __init__(
        self,
        units: Coordinates,
        *,
        l2: float | None = None,
        settings: LearnerSettings = DEFAULT,
    ) -> None:
        self.units, self.settings = units, settings
        self.l2 = settings.l2 if l2 is None else float(l2)
        self.model: LogLinear | None = None
        self.by_means = False  # whether weights come from class means and one covariance instead
        self.sharpness = 1.0  # a penalty makes weights timid: each fit's are multiplied by this

    @property
    def capabilities(self) -> frozenset[Capability]:
        """Class means need all weights and the intercepts to be free."""
        free = bool(self.units.mask.all()) and self.units.fit_intercept
        return _ALWAYS | {Capability.CLASS_MEANS} if free else _ALWAYS

    def fit(self, X: Array, soft_targets: Array, sample_weight: ArrayLike | None = None) -> LogLinearLearner:
        """Fit by Newton (two classes) or L-BFGS, from the present weights."""
        targets = np.asarray(soft_targets, dtype=X.dtype)
        if sample_weight is not None:
            targets = targets * np.asarray(sample_weight, dtype=X.dtype)[:, None]
        return self._fit(X, targets, self.settings.next_iter if self.model else self.settings.first_iter)

    def fit_to_the_end(self, X: Array, soft_targets: Array) -> LogLinearLearner:
        """Fit until the weights are where they belong: labels in between do not need it, single points do."""
        return self._fit(X, np.asarray(soft_targets, dtype=X.dtype), self.settings.last_iter)

    def _fit(self, X: Array, targets: Array, n_iterations: int) -> LogLinearLearner:
        if self.by_means:
            self.model = class_means_fit(X, targets, self.units.gamma, self.settings)
            return self
        start = LogLinear.zeros(targets.shape[1], X.shape[1], self.units.gamma)
        if self.model:
            start = self.model.sharpened(1 / self.sharpness)
        found = distil(X, targets, start, self.units, l2=self.l2, max_iter=n_iterations)
        self.model = found.sharpened(self.sharpness)
        return self

    @property
    def n_weights(self) -> int:
        """A weight of all classes at once changes nothing: those of one class are not free."""
        n_classes = len(self.units.mask)
        of_all = int(self.units.mask.sum()) + n_classes * self.units.fit_intercept
        return of_all * (n_classes - 1) // n_classes

    def beginner(self) -> LogLinearLearner:
        """A learner with the same settings that has learnt nothing yet."""
        new = copy.copy(self)
        new.model, new.sharpness = None, 1.0
        return new

    def resharpen(self, sharpness: float) -> None:
        """Make the present weights, and those of fits to come, as sure as `sharpness` says."""
        if self.model:
            self.model = self.model.sharpened(sharpness / self.sharpness)
        self.sharpness = sharpness

    def predict_proba(self, X: Array) -> Array:
        """Posteriors of each row."""
        assert self.model is not None
        return self.model.posteriors(X)

    def logits(self, X: Array) -> Array:
        """γ(Wx + b) of each row."""
        assert self.model is not None
        return self.model.logits(X)

    # ---------------------------------------------------------------- sequences: each point is read alone

    def fit_sequences(self, points: Sequences, soft_targets: Array) -> LogLinearLearner:
        return self.fit(points.data, soft_targets)

    def predict_sequences(self, points: Sequences) -> Array:
        return self.predict_proba(points.data)

    # ---------------------------------------------------------------- penalty

    def needs_penalty(self, X: Array) -> bool:
        """Whether there are too few distinct inputs for each weight of a class."""
        return not has_plenty(X, self.settings.plenty)

    def choose_penalty(self, X: Array, labels: NDArray) -> float:
        """By the cross-entropy on inputs left out (cross-validation)."""
        return choose_l2(X, labels, self.units, self.settings)

    def forget(self) -> None:
        """A few steps from weights of another penalty would not leave them behind."""
        self.model = None

    # ---------------------------------------------------------------- to go back to, and to keep

    def snapshot(self) -> dict[str, Any]:
        """Models are never changed in place, so no array is copied."""
        return dict(vars(self))

    def get_state(self) -> State:
        """Weights, their units, and how fits to come are made."""
        units = self.units
        arrays = {"centre": units.centre, "spread": units.spread, "mask": units.mask.astype(np.uint8)}
        if self.model is not None:
            arrays |= {"coef": self.model.coef, "intercept": self.model.intercept}
        return arrays, {name: getattr(self, name) for name in _KEPT}

    def set_state(self, arrays: dict[str, NDArray], meta: dict[str, Any]) -> None:
        """The units are those it was made with."""
        if "coef" in arrays:
            self.model = LogLinear(arrays["coef"], arrays["intercept"], self.units.gamma)
        vars(self).update({name: meta[name] for name in _KEPT if name in meta})
