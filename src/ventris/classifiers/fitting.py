"""The log-linear classifier fitted to soft targets: the one supervised step inside label-free learning.

Free weights by Newton or L-BFGS (multinomial logistic regression), or class means and one covariance (linear
discriminant analysis).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ventris.classifiers.loglinear import Coordinates, LogLinear, cross_entropy
from ventris.classifiers.settings import DEFAULT, LearnerSettings
from ventris.data.sequences import ROWS
from ventris.kernels.softmax import logistic_moments

Array = NDArray[np.floating]
_NO_POINTS = 1e-12  # the weight of a class without points, whose logarithm is to be taken


def distil(
    X: Array,
    targets: Array,
    start: LogLinear,
    units: Coordinates,
    *,
    l2: float = 1e-6,
    max_iter: int = 100,
    tol: float = 1e-6,
) -> LogLinear:
    """The classifier whose outputs are nearest the soft targets (multinomial logistic regression).

    Two classes take Newton steps on their log-odds; more take L-BFGS in the data's own units.

    Parameters
    ----------
    X : array of shape (n, D)
    targets : array of shape (n, C)
        Rows that sum to one; rows scaled by a weight count that much.
    start : LogLinear
    units : Coordinates
        Which weights are free, and the scale of each feature.
    l2 : float
        Strength of the penalty on the weights, in the data's units.
    max_iter : int
    tol : float
        Stop when no entry of the gradient exceeds it.
    """
    if len(start.intercept) == 2 and units.mask.all() and X.shape[1] <= 16:
        return _newton(X, targets, start, units, l2, max_iter, tol)
    return _lbfgs(X, targets, start, units, l2, max_iter, tol)


def _lbfgs(
    X: Array, targets: Array, start: LogLinear, units: Coordinates, l2: float, max_iter: int, tol: float
) -> LogLinear:
    from scipy.optimize import minimize

    n_weights = int(units.mask.sum())

    def value(flat: Array) -> tuple[float, Array]:
        loss, coef, intercept = cross_entropy(units.model(flat), X, targets)
        gradient = units.gradient(coef, intercept)
        gradient[:n_weights] += l2 * flat[:n_weights]
        return loss + 0.5 * l2 * float(flat[:n_weights] @ flat[:n_weights]), gradient

    # A long memory costs nothing beside a pass over the data, and saves about a fifth of the passes.
    options = {"maxiter": max_iter, "gtol": tol, "ftol": 1e-12, "maxcor": 30}
    found = minimize(value, units.flat(start), jac=True, method="L-BFGS-B", options=options)
    model = units.model(found.x)
    return model.centred() if units.mask.all() else model  # centring would fill the masked zeros


def _newton(
    X: Array, targets: Array, start: LogLinear, units: Coordinates, l2: float, max_iter: int, tol: float
) -> LogLinear:
    """Newton on the log-odds u·[z, 1] of class 0 against class 1, z the standardised features."""
    Z = (X - units.centre) / units.spread
    if units.fit_intercept:
        Z = np.concatenate([Z, np.ones((len(Z), 1))], axis=1)
    Z = np.ascontiguousarray(Z.T)  # (D + 1, n): each row one feature, so the sums below run along memory
    first, weight = np.ascontiguousarray(targets[:, 0]), targets[:, 0] + targets[:, 1]
    u = _log_odds(start, units)
    penalty = np.full(len(u), l2 / 2)  # ½·l2·(|u/2|² + |u/2|²) over the two classes
    if units.fit_intercept:
        penalty[-1] = 0.0
    for _ in range(max_iter):
        slope, curvature = logistic_moments(Z, first, weight, u)
        gradient = slope / len(X) + penalty * u
        if np.abs(gradient).max() < tol:
            break
        step = np.linalg.solve(curvature / len(X) + np.diag(penalty + 1e-12), gradient)
        u = u - step * min(1.0, 10.0 / np.abs(step).max())  # far from the optimum a full step overshoots
    flat = np.concatenate([u[: X.shape[1]] / 2, -u[: X.shape[1]] / 2])
    if units.fit_intercept:
        flat = np.concatenate([flat, [u[-1] / 2, -u[-1] / 2]])
    return units.model(flat)


def _log_odds(model: LogLinear, units: Coordinates) -> Array:
    flat = units.flat(model)
    n = model.coef.shape[1]
    odds = flat[:n] - flat[n : 2 * n]
    return np.append(odds, flat[2 * n] - flat[2 * n + 1]) if units.fit_intercept else odds


def class_means_fit(
    X: Array,
    targets: Array,
    gamma: float = 1.0,
    settings: LearnerSettings = DEFAULT,
    shrinkage: float | None = None,
) -> LogLinear:
    """The log-linear classifier of Gaussian classes of one covariance (linear discriminant analysis).

    ``w_c = Σ⁻¹ μ_c,  b_c = ln π_c − ½ μ_cᵀ Σ⁻¹ μ_c``

    Where the inputs are of that kind, means and one covariance need far fewer points than free weights do.

    Parameters
    ----------
    X : array of shape (n, D)
    targets : array of shape (n, C)
    gamma : float
    settings : LearnerSettings
        Its `ridge` is added in each feature's own units, for a class may have no variance of its own; its
        `pull` holds the mean of a class of hardly any points near the centre of all.
    shrinkage : float, optional
        Share of the correlations within classes that is given up; by default as much as their own scatter
        says (Ledoit and Wolf).

    Examples
    --------
    >>> X = np.array([[-1.0], [-3.0], [1.0], [3.0]])
    >>> class_means_fit(X, np.repeat(np.eye(2), 2, axis=0), settings=LearnerSettings(ridge=0, pull=0)).coef
    array([[-2.],
           [ 2.]])
    """
    weight, centre, means, total, within = _class_moments(X, targets, settings.pull)
    if shrinkage is None:
        shrinkage = _own_shrinkage(X, targets, centre, means, within, settings.shrinkage_points)
    variance = np.diag(total)
    within = (1 - shrinkage) * within + shrinkage * np.diag(np.diag(within))
    # A constant has no variance: any will do, for its means do not differ.
    within[np.diag_indices_from(within)] += np.where(variance > 0, settings.ridge * variance, 1.0)
    coef = np.linalg.solve(within, means.T).T
    intercept = np.log(weight / weight.sum()) - 0.5 * np.sum(coef * means, axis=1) - coef @ centre
    return LogLinear(coef / gamma, intercept / gamma, gamma).centred()


def _class_moments(X: Array, targets: Array, pull: float) -> tuple[Array, Array, Array, Array, Array]:
    """Weights (C,), the centre of all (D,), means from there (C, D), covariance of all and within (D, D)."""
    weight = np.maximum(targets.sum(axis=0, dtype=float), _NO_POINTS)
    of_point = targets.sum(axis=1)  # (n,): not one where points are weighted
    n = weight.sum()
    centre = (of_point @ X).astype(float) / n
    sums = (targets.T @ X).astype(float) - weight[:, None] * centre
    means = sums / (weight + pull)[:, None]
    blocks = (slice(first, first + ROWS) for first in range(0, len(X), ROWS))  # no copy as large as X
    squares = sum(((X[rows] * of_point[rows, None]).T @ X[rows]).astype(float) for rows in blocks)
    total = squares / n - np.outer(centre, centre)
    cross = means.T @ sums  # Σ (x − μ)(x − μ)ᵀ of means that may be pulled: not Σ xxᵀ − Σ μμᵀ
    within = total - (cross + cross.T - (means * weight[:, None]).T @ means) / n
    return weight, centre, means, total, within


def _own_shrinkage(
    X: Array, targets: Array, centre: Array, means: Array, within: Array, n_points: int
) -> float:
    """Ledoit and Wolf's, of the residuals in units of their spread; so many points give the fourth moment."""
    scale = np.sqrt(np.where(np.diag(within) > 0, np.diag(within), 1.0))
    some = slice(None, None, max(1, len(X) // n_points))
    sizes = _squared_distances((X[some] - centre) / scale, means / scale)
    fourth = float(np.sum(targets[some] * sizes**2) / targets[some].sum(dtype=float))
    return ledoit_wolf(within / np.outer(scale, scale), fourth, float(targets.sum(dtype=float)))


def _squared_distances(X: Array, means: Array) -> Array:
    """‖x_t − μ_c‖²: shape (n, C)."""
    squares = np.sum(X**2, axis=1)[:, None] + np.sum(means**2, axis=1) - 2 * X @ means.T
    return np.maximum(squares, 0.0)


def ledoit_wolf(covariance: Array, fourth: float, n: float) -> float:
    """How far a covariance is to be drawn towards a multiple of the identity: between 0 and 1.

    Its own scatter over the points, against its distance from that multiple.

    Parameters
    ----------
    covariance : array of shape (D, D)
        Of centred points x_t.
    fourth : float
        Mean of ‖x_t‖⁴.
    n : float
        How many points there are.

    Examples
    --------
    >>> X = np.array([[2.0, 1.0], [-2.0, -1.0], [1.0, -1.0], [-1.0, 1.0]])
    >>> round(ledoit_wolf(X.T @ X / 4, np.mean(np.sum(X**2, axis=1) ** 2), n=40), 4)
    0.1038

    References
    ----------
    O. Ledoit and M. Wolf, "A well-conditioned estimator for large-dimensional covariance matrices", Journal
    of Multivariate Analysis 88, 2004.
    """
    n_features = len(covariance)
    even = float(np.trace(covariance)) / n_features * np.eye(n_features)
    distance = float(np.sum((covariance - even) ** 2))
    scatter = max(0.0, fourth - float(np.sum(covariance**2))) / n
    return float(min(1.0, scatter / distance)) if distance > 0 else 0.0
