"""The objective on sparse n-gram tables, for orders and alphabets whose dense table would not fit.

Only the listed n-grams enter J and L, so ΣP in (E5) is the table's `mass`. The scalar functions of
`objective` (cost, saddle, optimal_dual, dual_gradient) take the 1-D probabilities as they are.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ventris.data.ngrams import NgramTable
from ventris.data.sequences import WindowBlock, window_blocks
from ventris.kernels import sparse_ngrams
from ventris.objective import dual_weights

Array = NDArray[np.floating]


def _positions(block: WindowBlock) -> NDArray[np.int64]:
    return np.arange(block.start, block.stop) if isinstance(block, slice) else block


def expected_grams(posteriors: Array, table: NgramTable, lengths: ArrayLike | None = None) -> Array:
    """Expected frequency of each listed n-gram in a classifier's outputs (E2): shape (M,).

    Examples
    --------
    >>> table = NgramTable(np.array([[0, 1]]), np.array([1.0]), 1.0)
    >>> expected_grams(np.array([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]]), table)
    array([0.5])
    """
    total = np.zeros(len(table.prob))
    n_windows = 0
    for block in window_blocks(len(posteriors), table.order, lengths):
        starts = _positions(block)
        sparse_ngrams.add_expected(posteriors, starts, table.grams, total)  # (E2)
        n_windows += len(starts)
    return total / n_windows


def sparse_logit_gradient(
    posteriors: Array, table: NgramTable, dual: ArrayLike, lengths: ArrayLike | None = None
) -> Array:
    """∂L/∂logits of every point (E7), over the listed n-grams only: shape (T, C)."""
    weights = dual_weights(table.prob, dual, posteriors.dtype)
    partial = np.zeros_like(posteriors)
    n_windows = 0
    for block in window_blocks(len(posteriors), table.order, lengths):
        starts = _positions(block)
        sparse_ngrams.add_partial(posteriors, starts, table.grams, weights, partial)
        n_windows += len(starts)
    r = partial * posteriors
    return (r - posteriors * r.sum(axis=1, keepdims=True)) / n_windows  # (E7)
