"""Weights in the units of the data: what a solver moves, whatever the scale of each feature."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ventris.classifiers.loglinear import LogLinear
from ventris.errors import DataError

Array = NDArray[np.floating]
_ROWS = 65_536


def feature_moments(X: Array) -> tuple[Array, Array]:
    """Mean and standard deviation of each feature, block by block; a constant feature has spread 1.

    A feature whose changes are too small for weights of its precision (1e-30 in float32) counts as constant.

    Examples
    --------
    >>> feature_moments(np.array([[1.0, 5.0], [3.0, 5.0]]))
    (array([2., 5.]), array([1., 1.]))
    """
    origin = np.asarray(X[0], dtype=float)  # sums around a point of the data lose no digits
    first, second = np.zeros(X.shape[1]), np.zeros(X.shape[1])
    with np.errstate(over="ignore", invalid="ignore"):
        for start in range(0, len(X), _ROWS):
            rows = X[start : start + _ROWS] - origin
            first += rows.sum(axis=0)
            second += np.einsum("td,td->d", rows, rows)
        mean = first / len(X)
        variance = np.maximum(second / len(X) - mean**2, 0.0)
        squares = len(X) * (variance + (origin + mean) ** 2)  # the largest sums that fitting forms
    limits = np.finfo(X.dtype)
    if not (squares < limits.max).all():  # NaN, from infinity less infinity, is refused too
        raise DataError(
            "Features must be small enough to be squared",
            f"feature {int(np.argmin(squares < limits.max))} overflows",
            "Scale the features, for example with sklearn.preprocessing.StandardScaler",
        )
    least = max(1e8 * float(limits.tiny), 1e-150)  # weights, inverse to the spread, must not overflow
    constant = variance <= np.maximum(1e-24 * (origin**2 + mean**2), least**2)
    return origin + mean, np.where(constant, 1.0, np.sqrt(variance))


@dataclass(frozen=True)
class Coordinates:
    """A one-to-one map between a classifier's free weights and a flat vector in standardised units.

    With a = γ·w·spread and b = γ·(intercept + w·centre), the logits are Σ a (x − centre)/spread + b, so a
    step of one means the same for every feature and every γ.

    Attributes
    ----------
    centre, spread : arrays of shape (D,)
        The centre is zero without an intercept to absorb it.
    mask : bool array of shape (C, D)
        Weights outside it are zero and not part of the vector.
    fit_intercept : bool
    gamma : float

    Examples
    --------
    >>> X = np.array([[100.0, 0.1], [102.0, 0.3]])
    >>> model = LogLinear(np.array([[1.0, 2.0], [-1.0, 0.0]]), np.array([0.5, -0.5]))
    >>> units = Coordinates.of(X, 2, gamma=1.0)
    >>> back = units.model(units.flat(model))
    >>> bool(np.allclose(back.coef, model.coef) and np.allclose(back.intercept, model.intercept))
    True
    """

    centre: Array
    spread: Array
    mask: NDArray[np.bool_]
    fit_intercept: bool
    gamma: float

    @classmethod
    def of(
        cls,
        X: Array,
        n_classes: int,
        *,
        gamma: float = 1.0,
        fit_intercept: bool = True,
        mask: NDArray[np.bool_] | None = None,
    ) -> Coordinates:
        """The units of this data."""
        centre, spread = feature_moments(X)
        if not fit_intercept:
            spread, centre = np.sqrt(spread**2 + centre**2), np.zeros_like(centre)
        full = np.ones((n_classes, X.shape[1]), dtype=bool)
        return cls(centre, spread, full if mask is None else mask, fit_intercept, gamma)

    def flat(self, model: LogLinear) -> Array:
        """The free weights as one vector."""
        a = (self.gamma * model.coef * self.spread)[self.mask]
        if not self.fit_intercept:
            return a
        return np.concatenate([a, self.gamma * (model.intercept + model.coef @ self.centre)])

    def model(self, flat: Array) -> LogLinear:
        """The classifier of a vector."""
        n_free = int(self.mask.sum())
        coef = np.zeros(self.mask.shape)
        coef[self.mask] = flat[:n_free]
        coef /= self.gamma * self.spread
        intercept = np.zeros(len(coef))
        if self.fit_intercept:
            intercept = flat[n_free:] / self.gamma - coef @ self.centre
        return LogLinear(coef, intercept, self.gamma)

    def gradient(self, coef_gradient: Array, intercept_gradient: Array) -> Array:
        """Gradient with respect to the vector, from those with respect to W and the intercept."""
        if not self.fit_intercept:
            return (coef_gradient / (self.gamma * self.spread))[self.mask]
        moved = coef_gradient - np.outer(intercept_gradient, self.centre)
        a = (moved / (self.gamma * self.spread))[self.mask]
        return np.concatenate([a, intercept_gradient / self.gamma])
