"""Any scikit-learn classifier as a learner."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ventris.classifiers.base import Learner
from ventris.errors import DataTypeError, ParameterError

Array = NDArray[np.floating]


class ScikitLearner(Learner):
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

    kind: ClassVar[str] = "scikit-learn"

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

    def snapshot(self) -> dict[str, Any]:
        """Every fit makes a new clone, so none is copied."""
        return dict(vars(self))
