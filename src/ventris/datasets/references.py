"""Readers told more than Ventris is, to compare with: the true labels, or the Gaussians behind the data.

They serve measuring, as `evaluation.py` does; no training code takes them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ventris.classifiers.fitting import distil
from ventris.classifiers.loglinear import Coordinates, LogLinear, one_hot
from ventris.inference.decoding import label_posteriors
from ventris.label_model.model import NgramModel

Array = NDArray[np.floating]
# Penalties of a supervised fit among which validation data choose: one that is not tuned flatters its rivals.
STRENGTHS = (1e-5, 1e-4, 1e-3)


def fit_supervised(
    X: Array,
    y: NDArray,
    n_classes: int,
    *,
    gamma: float = 1.0,
    fit_intercept: bool = True,
    l2: float = 1e-6,
    max_iter: int = 100,
    tol: float = 1e-6,
) -> LogLinear:
    """What the labels themselves would teach the same classifier (multinomial logistic regression).

    Parameters
    ----------
    X : array of shape (T, D)
    y : int array of shape (T,)
    n_classes : int
    gamma : float
    fit_intercept : bool
    l2 : float
        Penalty on weights in the units of each feature.
    max_iter, tol :
        As in `classifiers.fitting.distil`.

    Examples
    --------
    >>> model = fit_supervised(np.array([[-1.0], [2.0], [-2.0], [1.0]]), np.array([0, 0, 1, 1]), 2)
    >>> model.posteriors(np.array([[3.0], [-3.0]])).argmax(axis=1)
    array([0, 1])
    """
    units = Coordinates.of(X, n_classes, gamma=gamma, fit_intercept=fit_intercept)
    start, targets = LogLinear.zeros(n_classes, X.shape[1], gamma), one_hot(y, n_classes, X.dtype.type)
    return distil(X, targets, start, units, l2=l2, max_iter=max_iter, tol=tol)


def bayes_model(means: ArrayLike, variance: float, prior: Array) -> LogLinear:
    """The true posterior p(y | x) of one point: Gaussians of one covariance σ²I make it log-linear.

    ``w_c = μ_c / σ²,  b_c = ln π_c − ‖μ_c‖² / 2σ²``

    Parameters
    ----------
    means : array of shape (C, D)
    variance : float
    prior : array of shape (C,)

    Examples
    --------
    >>> bayes_model([[-1.0], [1.0]], 0.5, np.array([0.5, 0.5])).posteriors(np.zeros((1, 1)))
    array([[0.5, 0.5]])
    """
    mu = np.asarray(means, dtype=float)
    return LogLinear(mu / variance, np.log(prior) - np.sum(mu**2, axis=1) / (2 * variance))


def gaussian_likelihood(X: Array, means: ArrayLike, variance: float) -> Array:
    """exp(−‖x − μ_y‖² / 2σ²), the largest of each point scaled to one: shape (T, C).

    Examples
    --------
    >>> gaussian_likelihood(np.array([[1.0]]), [[-1.0], [1.0]], 2.0).round(4)
    array([[0.3679, 1.    ]])
    """
    mu = np.asarray(means, dtype=float)
    exponent = (X @ mu.T - (mu**2).sum(axis=1) / 2) / variance  # ‖x‖² is common to all classes
    return np.exp(exponent - exponent.max(axis=1, keepdims=True))


def smooth(scores: Array, lm: NgramModel, *, n_jobs: int = -1) -> NDArray[np.int64]:
    """Likeliest label of each point of one sequence under the label model's full order: shape (T,).

    Parameters
    ----------
    scores : array of shape (T, C)
        Likelihoods p(x_t | y), and no reader errs less often (Bayes smoother); or p(y | x_t) / p̄(y).
    lm : NgramModel
    n_jobs : int
        Threads; −1 for one per core.

    Examples
    --------
    >>> sticky = NgramModel.from_transition_matrix([[0.9, 0.1], [0.1, 0.9]])
    >>> smooth(np.array([[0.9, 0.1], [0.4, 0.6], [0.9, 0.1]]), sticky)
    array([0, 0, 0])
    """
    joints = [lm.joint(k) for k in range(1, lm.order)]
    posteriors, _ = label_posteriors(scores, None, joints, lm.conditional(), n_jobs=n_jobs)
    return posteriors.argmax(axis=1)
