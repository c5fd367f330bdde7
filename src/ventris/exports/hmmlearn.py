"""A fitted answer as an hmmlearn model: transitions of the label model, emissions of each label's points."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ventris.errors import MissingExtraError
from ventris.label_model.model import NgramModel

Array = NDArray[np.floating]
_RIDGE = 1e-6  # of each feature's variance: a pixel that never changes must not make a covariance singular
_NEVER = 1e-6  # added to what each label makes of each symbol: never seen is not impossible


def gaussian_hmm(X: Array, posteriors: Array, lm: NgramModel) -> Any:
    """A GaussianHMM whose states are the labels: class means, and one covariance for all.

    ``μ_c = Σ_t q_{t,c} x_t / Σ_t q_{t,c},  Σ = (1/T) Σ_t Σ_c q_{t,c} (x_t − μ_c)(x_t − μ_c)ᵀ``

    Parameters
    ----------
    X : array of shape (T, D)
    posteriors : array of shape (T, C)
        q, the probability of each label of each point given its sequence.
    lm : NgramModel
    """
    q, points = np.asarray(posteriors, dtype=float), np.asarray(X, dtype=float)
    weight = np.maximum(q.sum(axis=0), np.finfo(float).tiny)
    means = (q.T @ points) / weight[:, None]
    residuals = points - q @ means  # of hard posteriors; what soft ones add is the scatter of the means
    within = residuals.T @ residuals / len(points)
    scatter = (means.T * q.sum(axis=0)) @ means / len(points) - (q @ means).T @ (q @ means) / len(points)
    covariance = within + scatter
    covariance[np.diag_indices_from(covariance)] += _RIDGE * np.maximum(points.var(axis=0), _RIDGE)
    model = _hmm().GaussianHMM(lm.n_classes, covariance_type="tied", init_params="", params="")
    model.means_, model.covars_ = means, (covariance + covariance.T) / 2
    return _with_chain(model, lm, points.shape[1])


def categorical_hmm(symbols: NDArray, posteriors: Array, lm: NgramModel, n_symbols: int) -> Any:
    """A CategoricalHMM whose states are the labels: how often each makes each symbol."""
    counts = np.full((lm.n_classes, n_symbols), _NEVER)
    for label in range(lm.n_classes):
        counts[label] += np.bincount(symbols, weights=posteriors[:, label], minlength=n_symbols)
    model = _hmm().CategoricalHMM(lm.n_classes, n_features=n_symbols, init_params="", params="")
    model.emissionprob_ = counts / counts.sum(axis=1, keepdims=True)
    return _with_chain(model, lm, n_symbols)


def _with_chain(model: Any, lm: NgramModel, n_features: int) -> Any:
    model.startprob_, model.transmat_ = lm.stationary().copy(), np.array(lm.conditional(min(2, lm.order)))
    if lm.order == 1:
        model.transmat_ = np.tile(lm.stationary(), (lm.n_classes, 1))
    model.n_features = n_features
    return model


def _hmm() -> Any:
    try:
        from hmmlearn import hmm
    except ImportError:
        raise MissingExtraError("An hmmlearn model", "hmmlearn", "hmmlearn") from None
    return hmm
