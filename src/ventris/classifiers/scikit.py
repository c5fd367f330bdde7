"""Any scikit-learn classifier as a learner."""

from __future__ import annotations

from typing import Any, ClassVar, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ventris.classifiers.base import Learner
from ventris.classifiers.settings import DEFAULT, LearnerSettings
from ventris.errors import DataTypeError, ParameterError

Array = NDArray[np.floating]


Targets = Literal["soft", "harden", "sample"]


class ScikitLearner(Learner):
    """A scikit-learn classifier behind the learners' face.

    Parameters
    ----------
    estimator : scikit-learn classifier with `fit(X, y)` and `predict_proba`
        Or a pipeline that ends in one.
    targets : {"soft", "harden", "sample"}
        What becomes of a point's probabilities. "soft": the point comes once for every label it may have,
        weighted by that label's probability; where the estimator takes no `sample_weight`, as "harden".
        "harden": its likeliest label, weighted by its probability. "sample": a label drawn from them.
    random_state : int
        For the drawing.
    settings : LearnerSettings, optional

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, soft = np.array([[0.0], [0.2], [3.0], [3.1]]), np.array([[0.9, 0.1]] * 2 + [[0.2, 0.8]] * 2)
    >>> ScikitLearner(GaussianNB(), targets="harden").fit(X, soft).predict_proba(X).argmax(axis=1)
    array([0, 0, 1, 1])
    """

    kind: ClassVar[str] = "scikit-learn"

    def __init__(
        self,
        estimator: Any,
        targets: Targets = "soft",
        random_state: int = 0,
        settings: LearnerSettings = DEFAULT,
    ) -> None:
        if not hasattr(estimator, "predict_proba") or not hasattr(estimator, "fit"):
            raise DataTypeError(
                "classifier must have fit and predict_proba",
                f"{type(estimator).__name__} has not",
                "Choose a probabilistic classifier, or wrap it in CalibratedClassifierCV",
            )
        if targets not in get_args(Targets):
            raise ParameterError(
                "targets must be 'soft', 'harden' or 'sample'", f"it is {targets!r}", "Choose one"
            )
        self.estimator, self.targets, self.random_state = estimator, targets, random_state
        self.settings = settings
        self.fitted: Any = None
        self.n_classes = 0

    def fit(self, X: Array, soft_targets: Array, sample_weight: ArrayLike | None = None) -> ScikitLearner:
        """Fit a fresh clone to inputs `X` (n, D) with `soft_targets` (n, C), times `sample_weight` (n,)."""
        from sklearn.base import clone

        self.n_classes = soft_targets.shape[1]
        self.fitted = clone(self.estimator)
        keyword = weight_keyword(self.fitted)
        rows, labels, weight = self._labels(soft_targets, weighted=keyword is not None)
        if sample_weight is not None:
            weight = weight * np.asarray(sample_weight)[rows]
        extra = {keyword: weight} if keyword else {}
        self.fitted.fit(X[rows], labels, **extra)
        return self

    def _labels(self, soft: Array, weighted: bool) -> tuple[NDArray | slice, NDArray, Array]:
        """Rows of the inputs, a label for each, and its weight."""
        likeliest = soft.argmax(axis=1)
        if self.targets == "soft" and weighted:
            possible = soft > self.settings.least_share
            possible[np.arange(len(soft)), likeliest] = True
            rows, labels = np.nonzero(possible)
            return rows, labels, soft[rows, labels]
        if self.targets != "sample":
            return slice(None), likeliest, soft.max(axis=1)
        uniform = np.random.default_rng(self.random_state).random((len(soft), 1))
        drawn = (soft.cumsum(axis=1) < uniform * soft.sum(axis=1, keepdims=True)).sum(axis=1)
        return slice(None), np.minimum(drawn, soft.shape[1] - 1), np.ones(len(soft))

    def predict_proba(self, X: Array) -> Array:
        """Probabilities of inputs `X` (n, D) over all classes, those it has never seen included."""
        out = np.full((len(X), self.n_classes), 1e-6)
        out[:, self.fitted.classes_] += self.fitted.predict_proba(X)
        return out / out.sum(axis=1, keepdims=True)

    def snapshot(self) -> dict[str, Any]:
        """Every fit makes a new clone, so none is copied."""
        return dict(vars(self))


def weight_keyword(estimator: Any) -> str | None:
    """How `fit` of an estimator, or of the last step of a pipeline, is given weights; None if it takes none.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> weight_keyword(LogisticRegression()), weight_keyword(KNeighborsClassifier())
    ('sample_weight', None)
    >>> weight_keyword(make_pipeline(StandardScaler(), LogisticRegression()))
    'logisticregression__sample_weight'
    """
    from sklearn.pipeline import Pipeline
    from sklearn.utils.validation import has_fit_parameter

    if isinstance(estimator, Pipeline):
        name, last = estimator.steps[-1]
        inner = weight_keyword(last)
        return inner and f"{name}__{inner}"
    return "sample_weight" if has_fit_parameter(estimator, "sample_weight") else None
