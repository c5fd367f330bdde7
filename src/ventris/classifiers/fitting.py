"""The log-linear classifier fitted to soft targets: the one supervised step inside label-free learning.

Free weights by Newton or L-BFGS (multinomial logistic regression), or class means and one covariance (linear
discriminant analysis).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ventris.classifiers.loglinear import Coordinates, LogLinear, cross_entropy
from ventris.classifiers.settings import DEFAULT
from ventris.kernels.softmax import logistic_moments

Array = NDArray[np.floating]


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


def class_means_fit(X: Array, targets: Array, gamma: float = 1.0, ridge: float = DEFAULT.ridge) -> LogLinear:
    """The log-linear classifier of Gaussian classes of one covariance (linear discriminant analysis).

    ``w_c = Σ⁻¹ μ_c,  b_c = ln π_c − ½ μ_cᵀ Σ⁻¹ μ_c``

    Where the inputs are of that kind, means and one covariance need far fewer points than free weights do.

    Parameters
    ----------
    X : array of shape (n, D)
    targets : array of shape (n, C)
    gamma : float
    ridge : float
        Share of a feature's variance added to it, each in its own units: a class may have none of its own.

    Examples
    --------
    >>> X = np.array([[-1.0], [-3.0], [1.0], [3.0]])
    >>> class_means_fit(X, np.repeat(np.eye(2), 2, axis=0), ridge=0).coef
    array([[-2.],
           [ 2.]])
    """
    weight = targets.sum(axis=0, dtype=float)  # (C,)
    centre = X.mean(axis=0, dtype=float)
    means = (targets.T @ X).astype(float) / weight[:, None] - centre  # (C, D)
    total = (X.T @ X).astype(float) / len(X) - np.outer(centre, centre)
    within = total - (means * weight[:, None]).T @ means / len(X)  # (D, D)
    variance = np.diag(total)
    # A constant has no variance: any will do, for its means do not differ.
    within[np.diag_indices_from(within)] += np.where(variance > 0, ridge * variance, 1.0)
    coef = np.linalg.solve(within, means.T).T
    intercept = np.log(weight / weight.sum()) - 0.5 * np.sum(coef * means, axis=1) - coef @ centre
    return LogLinear(coef / gamma, intercept / gamma, gamma).centred()
