"""The log-linear classifier as a learner: the default."""

from __future__ import annotations

import copy

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ventris.classifiers.class_means import class_means_fit
from ventris.classifiers.fitting import distil
from ventris.classifiers.loglinear import LogLinear
from ventris.classifiers.units import Coordinates

Array = NDArray[np.floating]


class LogLinearLearner:
    """The log-linear classifier (E9), each fit started from the last.

    Parameters
    ----------
    units : Coordinates
    l2 : float
    first_iter, next_iter, last_iter : int
        L-BFGS iterations of the first fit, of those that start from a good one, and of one to the end.
    """

    def __init__(
        self,
        units: Coordinates,
        *,
        l2: float = 1e-4,
        first_iter: int = 40,
        next_iter: int = 15,
        last_iter: int = 80,
    ) -> None:
        self.units, self.l2 = units, l2
        self.first_iter, self.next_iter, self.last_iter = first_iter, next_iter, last_iter
        self.model: LogLinear | None = None
        self.by_means = False  # whether weights come from class means and one covariance instead
        self.sharpness = 1.0  # a penalty makes weights timid: each fit's are multiplied by this

    @property
    def can_use_means(self) -> bool:
        """Whether all weights and the intercepts are free, as class means need them."""
        return bool(self.units.mask.all()) and self.units.fit_intercept

    def fit(self, X: Array, soft_targets: Array, sample_weight: ArrayLike | None = None) -> LogLinearLearner:
        """Fit by Newton (two classes) or L-BFGS, from the present weights."""
        targets = np.asarray(soft_targets, dtype=X.dtype)
        if sample_weight is not None:
            targets = targets * np.asarray(sample_weight, dtype=X.dtype)[:, None]
        return self._fit(X, targets, self.next_iter if self.model else self.first_iter)

    def fit_to_the_end(self, X: Array, soft_targets: Array) -> LogLinearLearner:
        """Fit until the weights are where they belong: labels in between do not need it, single points do."""
        return self._fit(X, np.asarray(soft_targets, dtype=X.dtype), self.last_iter)

    def _fit(self, X: Array, targets: Array, n_iterations: int) -> LogLinearLearner:
        if self.by_means:
            self.model = class_means_fit(X, targets, self.units.gamma)
            return self
        start = LogLinear.zeros(targets.shape[1], X.shape[1], self.units.gamma)
        if self.model:
            start = self.model.sharpened(1 / self.sharpness)
        found = distil(X, targets, start, self.units, l2=self.l2, max_iter=n_iterations)
        self.model = found.sharpened(self.sharpness)
        return self

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
