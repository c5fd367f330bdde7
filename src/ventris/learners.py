"""What the route can train: anything that fits soft targets and gives probabilities.

Three learners share one face: `fit(X, soft_targets, sample_weight=None)` and `predict_proba(X)`.
`LogLinearLearner` is the default; `TableLearner` reads symbols, where fitting to label posteriors is one step
of expectation–maximisation; `ScikitLearner` wraps any scikit-learn classifier.
"""

from __future__ import annotations

import copy
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ventris.coordinates import Coordinates
from ventris.deciphering.expectation import mean_rows
from ventris.distillation import class_means_fit, distil
from ventris.errors import DataTypeError, ParameterError
from ventris.loglinear import LogLinear

Array = NDArray[np.floating]


class Learner(Protocol):
    """A classifier that can be fitted to soft targets, again and again."""

    def fit(self, X: Any, soft_targets: Array, sample_weight: ArrayLike | None = None) -> Any:
        """Fit to rows of probabilities, shape (n, C)."""

    def predict_proba(self, X: Any) -> Array:
        """Probabilities of each class, shape (n, C)."""


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


class TableLearner:
    """p(label | symbol) as a table of shape (K, C): a cipher key when its rows are zeros and ones (E10)."""

    def __init__(self, n_symbols: int, table: Array | None = None) -> None:
        self.n_symbols, self.table = n_symbols, table

    def fit(self, X: NDArray, soft_targets: Array, sample_weight: ArrayLike | None = None) -> TableLearner:
        """Mean target of each symbol; a symbol never seen takes the mean of all."""
        weight = None if sample_weight is None else np.asarray(sample_weight, dtype=float)
        self.table = mean_rows(X, soft_targets, self.n_symbols, weight)
        return self

    def predict_proba(self, X: NDArray) -> Array:
        """The rows of the table; an unknown symbol has no row and gets the mean one."""
        assert self.table is not None
        known = np.less(X, self.n_symbols)
        rows = self.table[np.where(known, X, 0)]
        if not known.all():
            rows[~known] = self.table.mean(axis=0)
        return rows


class ScikitLearner:
    """A scikit-learn classifier behind the learners' face.

    Parameters
    ----------
    estimator : scikit-learn classifier with `fit(X, y)` and `predict_proba`
    targets : {"harden", "sample"}
        Models without soft targets get the likeliest label of each point, weighted by its probability, or a
        label drawn from its posterior.
    random_state : int
        For the drawing.
    """

    def __init__(
        self, estimator: Any, targets: Literal["harden", "sample"] = "harden", random_state: int = 0
    ) -> None:
        if not hasattr(estimator, "predict_proba") or not hasattr(estimator, "fit"):
            raise DataTypeError(
                "classifier must have fit and predict_proba",
                f"{type(estimator).__name__} has not",
                "Choose a probabilistic classifier, or wrap it in CalibratedClassifierCV",
            )
        if targets not in ("harden", "sample"):
            raise ParameterError("targets must be 'harden' or 'sample'", f"it is {targets!r}", "Choose one")
        self.estimator, self.targets, self.random_state = estimator, targets, random_state
        self.fitted: Any = None
        self.n_classes = 0

    def fit(self, X: Array, soft_targets: Array, sample_weight: ArrayLike | None = None) -> ScikitLearner:
        """Turn the soft targets into labels and fit a fresh clone."""
        from sklearn.base import clone
        from sklearn.utils.validation import has_fit_parameter

        self.n_classes = soft_targets.shape[1]
        labels, weight = self._labels(soft_targets)
        if sample_weight is not None:
            weight = weight * np.asarray(sample_weight)
        self.fitted = clone(self.estimator)
        extra = {"sample_weight": weight} if has_fit_parameter(self.fitted, "sample_weight") else {}
        self.fitted.fit(X, labels, **extra)
        return self

    def _labels(self, soft: Array) -> tuple[NDArray, Array]:
        if self.targets == "harden":
            return soft.argmax(axis=1), soft.max(axis=1)
        uniform = np.random.default_rng(self.random_state).random((len(soft), 1))
        drawn = (soft.cumsum(axis=1) < uniform * soft.sum(axis=1, keepdims=True)).sum(axis=1)
        return np.minimum(drawn, soft.shape[1] - 1), np.ones(len(soft))

    def predict_proba(self, X: Array) -> Array:
        """Probabilities over all classes, those the estimator has never seen included."""
        out = np.full((len(X), self.n_classes), 1e-6)
        out[:, self.fitted.classes_] += self.fitted.predict_proba(X)
        return out / out.sum(axis=1, keepdims=True)
