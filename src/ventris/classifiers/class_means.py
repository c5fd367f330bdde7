"""Weights from class means and one covariance (linear discriminant analysis)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ventris.classifiers.loglinear import LogLinear

Array = NDArray[np.floating]


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
