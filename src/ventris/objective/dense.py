"""J, L, their optimal dual and their gradients, on tables of n-gram probabilities (E1–E7).

Arrays in, numbers out: no loop over updates, no model. A *table* of order N over C classes is an array of
shape ``(C,) * N``, oldest symbol first.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from ventris.data.sequences import ROWS, WindowBlock, shifted, window_blocks
from ventris.errors import ParameterError
from ventris.kernels.softmax import pull_back

Array = NDArray[np.floating]

# A block of windows whose Khatri–Rao product stays in cache: 1.5–2.3x faster than one large product.
_BLOCK_CELLS = 512 * 729
# No posterior product is smaller than this in practice; it keeps ln P̄ finite when a class is never used.
TINY = 1e-300


def khatri_rao(factors: list[Array]) -> Array:
    """Row-wise outer product, (n, C) factors to (n, C**k), the first most significant (Khatri–Rao product).

    Examples
    --------
    >>> khatri_rao([np.array([[1.0, 2.0]]), np.array([[3.0, 4.0]])])
    array([[3., 4., 6., 8.]])
    """
    product = factors[0]
    for factor in factors[1:]:
        product = (product[:, :, None] * factor[:, None, :]).reshape(len(product), -1)  # (n, C**k)
    return product


def _blocks(posteriors: Array, order: int, lengths: ArrayLike | None) -> Iterator[WindowBlock]:
    n_points, n_classes = posteriors.shape
    size = max(64, min(ROWS, _BLOCK_CELLS // n_classes ** max(order - 1, 1)))
    if lengths is None and order <= n_points <= size:  # a minibatch: no boundary to look for
        return iter((slice(0, n_points - order + 1),))
    return window_blocks(n_points, order, lengths, size)


def _product_of(factors: list[Array], like: Array) -> Array:
    """Khatri–Rao product, and for no factor at all a column of ones: (n, C**k)."""
    return khatri_rao(factors) if factors else np.ones((len(like), 1), like.dtype)


def expected_ngrams(posteriors: Array, order: int, lengths: ArrayLike | None = None) -> Array:
    """Expected n-gram frequencies of a classifier's outputs (E2).

    ``P̄(i) = (1/W) Σ_w Π_k p(i_k | x_{w+k})``, over the W windows that lie inside a sequence.

    Parameters
    ----------
    posteriors : array of shape (T, C)
        ``p(y | x_t)`` for every point, sequences one after another.
    order : int
        N, the number of labels in a window.
    lengths : array of shape (S,), optional
        Length of each sequence; one sequence by default.

    Returns
    -------
    array of shape (C,) * order
        Sums to one.

    Examples
    --------
    >>> expected_ngrams(np.array([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]]), order=2)
    array([[0.25, 0.5 ],
           [0.  , 0.25]])
    """
    n_classes = posteriors.shape[1]
    total = np.zeros((n_classes ** (order - 1), n_classes))
    n_windows = 0
    for block in _blocks(posteriors, order, lengths):
        *older, newest = (posteriors[shifted(block, k)] for k in range(order))  # N arrays of (n, C)
        total += _product_of(older, newest).T @ newest  # (E2)
        n_windows += len(newest)
    return (total / n_windows).reshape((n_classes,) * order)


def cost(lm_prob: ArrayLike, expected_prob: ArrayLike) -> float:
    """J, how far the classifier's n-grams are from the label model's (E1; cross-entropy).

    ``J = −Σ_i P(i) ln P̄(i)``; it is infinite when the label model asks for an n-gram that never occurs.

    References
    ----------
    Y. Liu, L. Deng, J. Chen and C. W. Chen, "From Caesar Cipher to Unsupervised Learning: A New Method for
    Classifier Parameter Estimation", 2019.

    Examples
    --------
    >>> round(cost([0.5, 0.5], [0.5, 0.5]), 6)
    0.693147
    """
    lm, expected = _pair(lm_prob, expected_prob)
    wanted = lm > 0  # 0 · ln 0 = 0: an n-gram of no probability asks for nothing
    if np.any(expected[wanted] <= 0):
        return float("inf")
    return float(-np.sum(lm[wanted] * np.log(expected[wanted])))  # (E1)


def floored_cost(lm_prob: Array, expected_prob: Array) -> float:
    """J with P̄ kept above the smallest number, so that it ranks classifiers that never use a label.

    Examples
    --------
    >>> 300 < floored_cost(np.array([0.5, 0.5]), np.array([1.0, 0.0])) < 400
    True
    """
    return cost(lm_prob, np.maximum(expected_prob, TINY))


def entropy(lm_prob: ArrayLike) -> float:
    """Entropy in nats of a table: the least value J can take.

    Examples
    --------
    >>> round(entropy([0.25, 0.75]), 6)
    0.562335
    """
    return cost(lm_prob, lm_prob)


def excess_cost(lm_prob: ArrayLike, expected_prob: ArrayLike) -> float:
    """J − H, what is left when the statistics do not agree (Kullback–Leibler divergence).

    Examples
    --------
    >>> excess_cost([0.25, 0.75], [0.25, 0.75])
    0.0
    """
    return cost(lm_prob, expected_prob) - entropy(lm_prob)


def saddle(lm_prob: ArrayLike, expected_prob: ArrayLike, dual: ArrayLike) -> float:
    """The saddle function L at a dual point V < 0 (E4).

    ``L = Σ_i P(i) [v_i P̄(i) + ln(−v_i)]``

    Examples
    --------
    >>> p = np.array([0.25, 0.75])
    >>> bool(np.isclose(saddle(p, p, optimal_dual(p)) + p.sum(), cost(p, p)))
    True
    """
    lm, expected = _pair(lm_prob, expected_prob)
    v = _negative(dual)
    return float(np.sum(lm * (v * expected + np.log(-v))))  # (E4)


def optimal_dual(expected_prob: ArrayLike) -> Array:
    """The dual point that maximises L, ``v* = −1/P̄`` (E5; convex conjugate).

    Examples
    --------
    >>> optimal_dual([0.5, 0.25])
    array([-2., -4.])
    """
    return -1.0 / np.maximum(np.asarray(expected_prob, dtype=float), TINY)  # (E5)


def dual_gradient(lm_prob: ArrayLike, expected_prob: ArrayLike, dual: ArrayLike) -> Array:
    """∂L/∂V, element by element: ``P(i) [P̄(i) + 1/v_i]`` (E6).

    Examples
    --------
    >>> dual_gradient([0.5, 0.5], [0.5, 0.5], [-2.0, -4.0])
    array([0.   , 0.125])
    """
    lm, expected = _pair(lm_prob, expected_prob)
    return lm * (expected + 1.0 / _negative(dual))  # (E6)


def dual_weights(lm_prob: ArrayLike, dual: ArrayLike, dtype: DTypeLike) -> Array:
    """``P(i) v_i`` in the posteriors' own precision.

    The dual of an n-gram that never occurs is huge (−1/TINY) and would be infinite in single precision, and
    infinity times a posterior of zero is NaN: such weights stop short of the largest number.
    """
    weights = np.asarray(lm_prob, dtype=float) * np.asarray(dual, dtype=float)
    return np.maximum(weights, -1e-8 * float(np.finfo(dtype).max)).astype(dtype)


def logit_gradient(
    posteriors: Array, lm_prob: ArrayLike, dual: ArrayLike, lengths: ArrayLike | None = None
) -> Array:
    """∂L/∂logits of every point (E7).

    ``∂L/∂z_{t,c} = (r_{t,c} − p_{t,c} Σ_c′ r_{t,c′}) / W``, where r sums, over the windows that hold t and
    the n-grams with c at t's place, ``P(i) v_i`` times the product of the window's posteriors.

    Parameters
    ----------
    posteriors : array of shape (T, C)
    lm_prob, dual : arrays of shape (C,) * N
    lengths : array of shape (S,), optional

    Returns
    -------
    array of shape (T, C)
    """
    weights = dual_weights(lm_prob, dual, posteriors.dtype)
    order, n_classes = weights.ndim, posteriors.shape[1]
    # One matrix per place k of the window, mapping the other places' product to place k's classes.
    matrices = [np.moveaxis(weights, k, -1).reshape(-1, n_classes) for k in range(order)]
    partial = np.zeros_like(posteriors)  # Σ P v Π_{others} p, before the factor p_{t,c}
    place = np.empty((min(len(posteriors), ROWS), n_classes), dtype=posteriors.dtype)  # for any block
    n_windows = 0
    for block in _blocks(posteriors, order, lengths):
        factors = [posteriors[shifted(block, k)] for k in range(order)]
        for k, matrix in enumerate(matrices):
            others = _product_of(factors[:k] + factors[k + 1 :], factors[k])
            np.matmul(others, matrix, out=place[: len(others)])
            partial[shifted(block, k)] += place[: len(others)]  # a block's windows are distinct: none is lost
        n_windows += len(factors[0])
    pull_back(partial, posteriors, 1.0 / n_windows)  # (E7)
    return partial


def cost_and_logit_gradient(
    posteriors: Array, lm_prob: ArrayLike, lengths: ArrayLike | None = None
) -> tuple[float, Array]:
    """J and ∂J/∂logits: L's gradient at the optimal dual, by the envelope theorem (E1, E5, E7)."""
    lm = np.asarray(lm_prob, dtype=float)
    expected = np.maximum(expected_ngrams(posteriors, lm.ndim, lengths), TINY)
    value = -float(np.sum(lm * np.log(expected)))  # (E1), every P̄ above zero
    return value, logit_gradient(posteriors, lm, optimal_dual(expected), lengths)


def _pair(lm_prob: ArrayLike, expected_prob: ArrayLike) -> tuple[Array, Array]:
    lm, expected = np.asarray(lm_prob, dtype=float), np.asarray(expected_prob, dtype=float)
    if lm.shape != expected.shape:
        raise ParameterError(
            "Label-model and expected tables must have one shape",
            f"they have {lm.shape} and {expected.shape}",
            "Compute both for the same order and classes",
        )
    return lm, expected


def _negative(dual: ArrayLike) -> Array:
    v = np.asarray(dual, dtype=float)
    if not np.all(v < 0):
        raise ParameterError(
            "Dual variables must all be negative",
            f"the largest is {v.max()}",
            "Start from optimal_dual(), or project after each step",
        )
    return v
