"""Fitting the log-linear classifier to soft targets: the one supervised step inside label-free learning."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ventris.coordinates import Coordinates
from ventris.kernels.cross_entropy import logistic_moments
from ventris.loglinear import LogLinear, cross_entropy, one_hot

Array = NDArray[np.floating]
_FOLDS = 5  # penalties are judged on each fifth of the distinct inputs in turn
_MANY = 3_000  # distinct inputs from which halves of them learn enough to judge each other


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
    """The classifier whose outputs are closest to the targets in cross-entropy.

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


def class_means_fit(X: Array, targets: Array, gamma: float = 1.0, ridge: float = 1e-3) -> LogLinear:
    """The log-linear classifier of Gaussian classes that share one covariance, from soft targets.

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


def choose_l2(
    X: Array,
    labels: NDArray,
    units: Coordinates,
    candidates: tuple[float, ...] = (1e-3, 1e-4, 1e-5),
) -> float:
    """The penalty under which a fit to four fifths of the distinct inputs best predicts the others' labels.

    Equal rows stay together: where the same input comes again and again, a held-out copy of it would prove
    nothing. Labels are hard for a like reason: soft ones show how the classifier that made them answers
    between its inputs, so the weakest penalty would copy it best, overfitting and all.

    Parameters
    ----------
    X : array of shape (n, D)
    labels : int array of shape (n,)
    units : Coordinates
    candidates : tuple of float
        Strong first: each fit starts from the one before.
    """
    n_classes, n_features = units.mask.shape
    X, targets, content = _distinct(X, one_hot(labels, n_classes, X.dtype.type))
    folds = [content % _FOLDS == fold for fold in range(_FOLDS)]
    folds = [left_out for left_out in folds if left_out.any() and not left_out.all()]
    models = [LogLinear.zeros(n_classes, n_features, units.gamma)] * len(folds)
    best, least = candidates[0], np.inf
    for l2 in candidates:
        models = [
            distil(X[~left_out], targets[~left_out], model, units, l2=l2, max_iter=40)
            for left_out, model in zip(folds, models, strict=True)
        ]
        losses = (
            cross_entropy(model, X[left_out], targets[left_out])[0]
            for left_out, model in zip(folds, models, strict=True)
        )
        loss = sum(losses)
        if loss >= least:  # weaker ones, which take longest to fit, will not do better
            break
        best, least = l2, loss
    return best


def _distinct(X: Array, targets: Array) -> tuple[Array, Array, NDArray]:
    """Each input once, its content's number, and its label: what most of its copies have.

    It weighs as much as its copies together, the mean weight being one. A label that the sequence forced on
    a single copy against all others is a mistake that no penalty should be judged by.
    """
    content, first, row = np.unique(content_numbers(X), return_index=True, return_inverse=True)
    if len(first) == len(X):
        return X[first], targets[first], content
    votes = _votes(row, targets)
    weight = votes.sum(axis=1, keepdims=True) * (len(first) / len(X))
    winners = one_hot(votes.argmax(axis=1), votes.shape[1], X.dtype.type)
    return X[first], (weight * winners).astype(X.dtype), content


def _votes(row: NDArray, targets: Array) -> Array:
    """Targets of equal rows added up: shape (number of distinct rows, C)."""
    columns = [np.bincount(row, weights=column) for column in targets.T]
    return np.stack(columns, axis=1)


def one_label_an_input(X: Array, targets: Array) -> tuple[Array, float]:
    """Targets in which all copies of an input have the label that most of them had, and how sure that is.

    Parameters
    ----------
    X : array of shape (n, D)
    targets : array of shape (n, C)

    Returns
    -------
    targets : array of shape (n, C)
        Zeros and ones.
    agreement : float
        Share of the points whose label before was what the other copies of their input say: none says
        anything about an input that comes only once.

    Examples
    --------
    >>> X = np.array([[0.0], [0.0], [0.0], [1.0]])
    >>> agreed, share = one_label_an_input(X, np.array([[0.9, 0.1], [0.2, 0.8], [0.9, 0.1], [0.1, 0.9]]))
    >>> agreed.argmax(axis=1), share
    (array([0, 0, 0, 1]), 0.5)
    """
    _, row, copies = np.unique(content_numbers(X), return_inverse=True, return_counts=True)
    votes = _votes(row, targets)[row]
    of_others = (votes - targets).argmax(axis=1)
    agrees = (copies[row] > 1) & (of_others == targets.argmax(axis=1))
    return one_hot(votes.argmax(axis=1), targets.shape[1], targets.dtype.type), float(np.mean(agrees))


def has_plenty(X: Array, enough: int = 1000) -> bool:
    """Whether there are so many distinct inputs for each weight of a class that no penalty is needed."""
    needed = enough * (X.shape[1] + 1)
    return len(X) >= needed and len(np.unique(content_numbers(X[: 2 * needed]))) >= needed


def has_many(X: Array) -> bool:
    """Whether there are so many distinct inputs that half of them is enough to learn from."""
    return len(X) >= _MANY and len(np.unique(content_numbers(X))) >= _MANY


def content_numbers(X: Array) -> NDArray[np.uint64]:
    """A number for each row that depends on nothing but what the row holds."""
    from zlib import crc32

    return np.array([crc32(row) for row in np.ascontiguousarray(X)], dtype=np.uint64)
