"""What any classifier can reach on the paper's data, in closed form: the Gaussians are known.

With the printed means and covariance 0.4·I every linear classifier's error is a sum of two normal tails.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from ventris.datasets.paper_chains import COVARIANCE, MEANS
from ventris.datasets.references import bayes_model

Array = NDArray[np.floating]
VARIANCE = float(COVARIANCE[0, 0])
SIGMA = float(np.sqrt(VARIANCE))
SHARPNESSES = (1.0, 3.0, 10.0, 30.0, 100.0, 300.0)


def linear_error(directions: Array, offset: float | Array, prior: Array) -> Array:
    """Error of "1 where w·x + b > 0", w of length one: shape of `directions` without its last axis.

    Examples
    --------
    >>> gap = (MEANS[1] - MEANS[0]) / np.linalg.norm(MEANS[1] - MEANS[0])
    >>> round(100 * float(linear_error(gap, -gap @ MEANS.mean(axis=0), np.array([0.5, 0.5]))), 2)
    4.13
    """
    from scipy.stats import norm

    scores = (directions @ MEANS.T + np.asarray(offset)[..., None]) / SIGMA  # (..., class)
    return prior[0] * norm.cdf(scores[..., 0]) + prior[1] * norm.sf(scores[..., 1])


def all_directions(n: int) -> Array:
    """`n` unit vectors evenly around the circle: shape (n, 2)."""
    angles = np.linspace(0, 2 * np.pi, n, endpoint=False)
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


def best_through_origin(prior: Array) -> float:
    """Least error of a boundary through the origin: the printed model has no intercept."""
    return float(linear_error(all_directions(7200), 0.0, prior).min())


def bayes_error(prior: Array) -> float:
    """Error of the true posterior, each point alone: no classifier of single points has less.

    Examples
    --------
    >>> round(100 * bayes_error(np.array([9 / 13, 4 / 13])), 2)
    3.74
    """
    best = bayes_model(MEANS, VARIANCE, prior)
    w, b = best.coef[1] - best.coef[0], best.intercept[1] - best.intercept[0]
    length = np.linalg.norm(w)
    return float(linear_error(w / length, b / length, prior))


@cache
def _usage(offsets: tuple[float, ...], sharpness: float) -> tuple[Array, Array]:
    """Scores of the class centres, and p(output 1 | class): both of shape (angles, offsets, class)."""
    from scipy.special import expit
    from scipy.stats import norm

    scores = (all_directions(360) @ MEANS.T)[:, None, :] + np.array(offsets)[None, :, None]
    nodes = np.linspace(-6, 6, 121)
    weights = norm.pdf(nodes) / norm.pdf(nodes).sum()
    parts = [w * expit(sharpness * (scores + SIGMA * z)) for w, z in zip(weights, nodes, strict=True)]
    return scores, np.sum(parts, axis=0)


def error_at_least_cost(joint: Array, offsets: tuple[float, ...]) -> float:
    """Error of the classifier whose bigram J is least, were there endless data.

    The printed model has the one offset 0. Every direction, offset and sharpness of a grid is tried; points
    are independent given their labels, so P̄ = Qᵀ P Q with Q(class, output) (E1, E10).
    """
    prior, best = joint.sum(axis=1), (np.inf, np.nan)
    for sharpness in SHARPNESSES:
        scores, q = _usage(offsets, sharpness)
        outputs = np.stack([1 - q, q], axis=-1)  # (angles, offsets, class, label)
        expected = np.einsum("ab,xyai,xybj->xyij", joint, outputs, outputs, optimize=True)
        costs = -np.sum(joint * np.log(expected), axis=(2, 3))  # (E1)
        at = np.unravel_index(int(np.argmin(costs)), costs.shape)
        best = min(best, (float(costs[at]), _error_of_scores(scores[at], prior)))
    return best[1]


def _error_of_scores(scores: Array, prior: Array) -> float:
    from scipy.stats import norm

    return float(prior[0] * norm.cdf(scores[0] / SIGMA) + prior[1] * norm.sf(scores[1] / SIGMA))
