"""What every solver is given: inputs, their sequences, the label model's n-grams, the form of the weights."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ventris import objective
from ventris.classifiers.loglinear import LogLinear
from ventris.errors import ParameterError

Array = NDArray[np.floating]


@dataclass(frozen=True)
class Problem:
    """Find weights whose outputs have the label model's n-gram statistics: the least J (E1).

    Attributes
    ----------
    X : array of shape (T, D)
    lengths : int array of shape (S,)
    lm_prob : array of shape (C,) * N
        The label model's joint of N successive labels.
    gamma : float
        γ of (E9).
    fit_intercept : bool
    mask : bool array of shape (C, D), optional
        Weights outside it stay zero; the identity gives the paper's two-weight form.
    validation : (X, lengths), optional
        A held-out, contiguous part for solvers that stop early.

    Examples
    --------
    >>> flip = np.array([[0.0, 0.5], [0.5, 0.0]])
    >>> problem = Problem(np.array([[-1.0], [1.0], [-1.0]]), np.array([3]), flip)
    >>> problem.n_classes, problem.order, problem.n_features, problem.n_windows
    (2, 2, 1, 2)
    >>> right = LogLinear(np.array([[-50.0], [50.0]]), np.zeros(2))
    >>> round(problem.cost(right) - objective.entropy(problem.lm_prob), 6)
    0.0
    """

    X: Array
    lengths: NDArray[np.int64]
    lm_prob: Array
    gamma: float = 1.0
    fit_intercept: bool = True
    mask: NDArray[np.bool_] | None = None
    validation: tuple[Array, NDArray[np.int64]] | None = None

    def __post_init__(self) -> None:
        shape = (self.n_classes, self.n_features)
        if self.mask is not None and self.mask.shape != shape:
            raise ParameterError(
                f"The mask must have one row a class and one column a feature, {shape}",
                f"its shape is {self.mask.shape}",
                'features="diagonal" needs as many features as classes',
            )

    @property
    def n_classes(self) -> int:
        """C, the number of labels."""
        return self.lm_prob.shape[0]

    @property
    def n_features(self) -> int:
        """D, the number of features of a point."""
        return self.X.shape[1]

    @property
    def order(self) -> int:
        """N, the number of labels in a window."""
        return self.lm_prob.ndim

    @property
    def n_windows(self) -> int:
        """W, the number of windows that lie inside a sequence."""
        return int(np.maximum(self.lengths - self.order + 1, 0).sum())

    def expected(self, model: LogLinear) -> Array:
        """P̄ of a classifier on the whole data (E2), shape (C,) * N: one pass."""
        return objective.expected_ngrams(model.posteriors(self.X), self.order, self.lengths)

    def cost(self, model: LogLinear) -> float:
        """J of a classifier on the whole data (E1); a starved n-gram costs much, never infinity."""
        return objective.floored_cost(self.lm_prob, self.expected(model))
