"""Forward–backward and Viterbi in plain NumPy, as they are written in books: the compiled ones' twins."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def posteriors_twin(
    scores: NDArray, joints: Sequence[NDArray], conditional: NDArray
) -> tuple[NDArray, float]:
    """`decoding.label_posteriors` of one sequence, every path followed, any order above 1.

    α_t has one axis per label of the state, oldest first: fewer than N − 1 axes for the first steps.
    """
    n_points, order = len(scores), conditional.ndim
    factors = _factors(n_points, joints, conditional)
    alpha, log_likelihood = [], 0.0
    message = np.ones(())
    for b, factor in zip(scores, factors, strict=True):
        message = message[..., None] * factor * b  # (C,) * N, or less at the start
        message = message.sum(axis=0) if message.ndim == order else message
        log_likelihood += np.log(message.sum())
        message = message / message.sum()
        alpha.append(message)
    posteriors = np.empty(scores.shape)
    message = np.ones_like(alpha[-1])
    for t in range(n_points - 1, -1, -1):
        joint = alpha[t] * message
        posteriors[t] = joint.sum(axis=tuple(range(joint.ndim - 1))) / joint.sum()
        message = (factors[t] * scores[t] * message).sum(axis=-1)
        message = message / message.sum()
    return posteriors, log_likelihood


def best_path_twin(scores: NDArray, joints: Sequence[NDArray], conditional: NDArray) -> tuple[NDArray, float]:
    """`decoding.best_path` of one sequence, in logs and with stored argmaxes."""
    order, best, origins = conditional.ndim, np.zeros(()), []
    with np.errstate(divide="ignore"):
        log_factors = [np.log(factor) for factor in _factors(len(scores), joints, conditional)]
        log_scores = np.log(scores)
    for b, factor in zip(log_scores, log_factors, strict=True):
        best = best[..., None] + factor + b
        full = best.ndim == order
        origins.append(best.argmax(axis=0) if full else None)
        best = best.max(axis=0) if full else best
    state = np.unravel_index(best.argmax(), best.shape)
    path = list(state[::-1])  # newest label first
    for origin in reversed(origins):
        if origin is not None:
            path.append(origin[tuple(path[len(path) - order + 1 :][::-1])])
    return np.array(path[::-1]), float(best.max())


def _factors(n_points: int, joints: Sequence[NDArray], conditional: NDArray) -> list[NDArray]:
    """Label-model factor of each step: the joint of the first labels enters at the last of them."""
    n_start = min(n_points, conditional.ndim - 1)
    before = [np.ones((1,) * t) for t in range(1, n_start)]
    return [*before, joints[n_start - 1], *[conditional] * (n_points - n_start)]
