"""The log-linear classifier p_θ = softmax(γ(Wx + b)) (E9), its gradients, its weights in the data's units."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ventris.data.sequences import ROWS
from ventris.errors import DataError
from ventris.kernels.softmax import residuals, softmax_rows

Array = NDArray[np.floating]
_ROWS = 4096  # a block of rows whose logits stay in cache


@dataclass(frozen=True)
class LogLinear:
    """Weights of a log-linear classifier.

    Attributes
    ----------
    coef : array of shape (C, D)
    intercept : array of shape (C,)
    gamma : float
        γ, the sharpness the paper fixes at 10.

    Examples
    --------
    >>> model = LogLinear(np.array([[1.0], [-1.0]]), np.zeros(2))
    >>> model.posteriors(np.array([[0.0], [1.0]])).round(3)
    array([[0.5  , 0.5  ],
           [0.881, 0.119]])
    """

    coef: Array
    intercept: Array
    gamma: float = 1.0

    @classmethod
    def zeros(cls, n_classes: int, n_features: int, gamma: float = 1.0) -> LogLinear:
        """The classifier that knows nothing: every class equally likely."""
        return cls(np.zeros((n_classes, n_features)), np.zeros(n_classes), gamma)

    def logits(self, X: Array) -> Array:
        """γ(Wx + b) for each row of X: shape (n, C)."""
        z = X @ self.coef.T.astype(X.dtype, copy=False)
        z += self.intercept.astype(X.dtype, copy=False)
        z *= X.dtype.type(self.gamma)
        return z  # (E9)

    def posteriors(self, X: Array) -> Array:
        """p_θ(y | x) for each row of X: shape (n, C), rows sum to one; computed in blocks of rows."""
        if len(X) <= _ROWS:
            return softmax(self.logits(X))
        out = np.empty((len(X), len(self.intercept)), dtype=X.dtype)
        for first in range(0, len(X), _ROWS):
            out[first : first + _ROWS] = softmax(self.logits(X[first : first + _ROWS]))
        return out

    def relabelled(self, permutation: ArrayLike) -> LogLinear:
        """The same classifier with output c renamed ``permutation[c]``."""
        inverse = np.argsort(np.asarray(permutation))
        return replace(self, coef=self.coef[inverse], intercept=self.intercept[inverse])

    def sharpened(self, factor: float) -> LogLinear:
        """The classifier with the same favourites, surer of them by `factor`: every logit times it."""
        return replace(self, coef=self.coef * factor, intercept=self.intercept * factor)

    def centred(self) -> LogLinear:
        """The equal classifier whose weights sum to zero over classes: softmax ignores a common shift."""
        return replace(
            self, coef=self.coef - self.coef.mean(axis=0), intercept=self.intercept - self.intercept.mean()
        )


def softmax(z: Array) -> Array:
    """Softmax over the last axis, in place if z is contiguous.

    Examples
    --------
    >>> softmax(np.array([[0.0, np.log(3.0)]]))
    array([[0.25, 0.75]])
    """
    rows = z.reshape(-1, z.shape[-1])
    softmax_rows(rows, np.zeros(z.shape[-1], dtype=z.dtype))
    return rows.reshape(z.shape)


def through_softmax(posteriors: Array, gradient: Array) -> Array:
    """∂/∂logits from ∂/∂p: p_c (g_c − Σ_c′ p_c′ g_c′) over the last axis; its twin is `pull_back`.

    Examples
    --------
    >>> through_softmax(np.array([0.5, 0.5]), np.array([1.0, 0.0]))
    array([ 0.25, -0.25])
    """
    return posteriors * (gradient - np.sum(posteriors * gradient, axis=-1, keepdims=True))


def weight_gradient(X: Array, logit_gradient: Array, gamma: float) -> tuple[Array, Array]:
    """Gradients with respect to (W, b) from the gradient with respect to the logits, by (E9)'s chain rule."""
    # A product with ones: NumPy's sum over the long axis of a narrow array takes four times as long.
    column_sums = np.ones(len(logit_gradient), dtype=logit_gradient.dtype) @ logit_gradient
    return gamma * (logit_gradient.T @ X), gamma * column_sums


def cross_entropy(model: LogLinear, X: Array, targets: Array, l2: float = 0.0) -> tuple[float, Array, Array]:
    """Mean cross-entropy to soft targets with its gradients, in blocks of rows so that logits stay in cache.

    ``−(1/n) Σ_t Σ_c q_{t,c} ln p_{t,c} + (l2/2) ‖γW‖²``

    Returns
    -------
    loss : float
    coef_gradient : array of shape (C, D)
    intercept_gradient : array of shape (C,)
    """
    loss, coef_gradient = 0.0, np.zeros_like(model.coef)
    intercept_gradient = np.zeros_like(model.intercept)
    for first in range(0, len(X), _ROWS):
        rows, q = X[first : first + _ROWS], targets[first : first + _ROWS]
        z = model.logits(rows)
        loss += residuals(z, q)  # z is now ∂/∂logits
        coef, intercept = weight_gradient(rows, z, model.gamma)
        coef_gradient += coef
        intercept_gradient += intercept
    n = float(len(X))
    sharp = model.gamma**2 * l2
    return (
        loss / n + 0.5 * sharp * float(np.sum(model.coef**2)),
        coef_gradient / n + sharp * model.coef,
        intercept_gradient / n,
    )


def one_hot(y: NDArray, n_classes: int, dtype: type = np.float64) -> Array:
    """Labels as rows of zeros with a single one: shape (n, C).

    Examples
    --------
    >>> one_hot(np.array([1, 0]), 2)
    array([[0., 1.],
           [1., 0.]])
    """
    return np.eye(n_classes, dtype=dtype)[np.asarray(y)]


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
        for start in range(0, len(X), ROWS):
            rows = X[start : start + ROWS] - origin
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
