"""The same answer under other names: what a renaming of the labels costs, and which one is best."""

from __future__ import annotations

from itertools import combinations, permutations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ventris.objective.dense import TINY, _pair, cost

Array = NDArray[np.floating]


def relabelled(table: Array, permutation: ArrayLike) -> Array:
    """The table after output label c is renamed ``permutation[c]``.

    Examples
    --------
    >>> relabelled(np.array([0.2, 0.8]), [1, 0])
    array([0.8, 0.2])
    """
    inverse = np.argsort(np.asarray(permutation))
    return table[np.ix_(*[inverse] * table.ndim)]


def best_relabelling(lm_prob: ArrayLike, expected_prob: ArrayLike, exhaustive_up_to: int = 6) -> NDArray:
    """The renaming of the output labels that lowers J most.

    Renaming labels only permutes P̄, so it costs nothing beside a pass over the data. Every permutation is
    tried up to `exhaustive_up_to` classes; beyond, pairwise swaps descend from the identity.

    Returns
    -------
    int array of shape (C,)
        ``permutation[c]`` is the new name of output label c.

    Examples
    --------
    >>> best_relabelling([[0.6, 0.2], [0.2, 0.0]], [[0.0, 0.2], [0.2, 0.6]])
    array([1, 0])
    """
    lm, expected = _pair(lm_prob, expected_prob)
    expected = np.maximum(expected, TINY)
    n_classes = lm.shape[0]
    if n_classes <= exhaustive_up_to:
        options = [np.array(p) for p in permutations(range(n_classes))]
        return min(options, key=lambda p: cost(lm, relabelled(expected, p)))
    return _swap_descent(lm, expected)


def _swap_descent(lm: Array, expected: Array) -> NDArray:
    current = np.arange(lm.shape[0])
    best = cost(lm, expected)
    improved = True
    while improved:
        improved = False
        for a, b in combinations(range(len(current)), 2):
            trial = current.copy()
            trial[[a, b]] = trial[[b, a]]
            value = cost(lm, relabelled(expected, trial))
            if value < best - 1e-12:
                best, current, improved = value, trial, True
    return current


def swap_gains(wanted: Array, found: Array) -> Array:
    """By how much Σ wanted · found grows when two labels of `found` exchange their places, for every two.

    All are had from two products a lag, where trying each would sum over its rows and columns anew.

    Parameters
    ----------
    wanted, found : arrays of shape (L, C, C)

    Returns
    -------
    array of shape (C, C)

    Examples
    --------
    >>> swap_gains(np.array([[[0.0, 1.0], [0.0, 0.0]]]), np.array([[[5.0, 2.0], [3.0, 5.0]]]))
    array([[0., 1.],
           [1., 0.]])
    """
    gains = np.zeros(wanted.shape[1:])
    for P, M in zip(wanted, found, strict=True):
        for products in (P @ M.T, P.T @ M):  # rows against rows, columns against columns
            gains += _crossed(products)
        gains += _crossed(P) * _crossed(M)  # the four places where the two rows and the two columns meet
    return gains


def _crossed(square: Array) -> Array:
    """s_ab + s_ba − s_aa − s_bb for every two a and b: shape (C, C)."""
    own = np.diag(square)
    return square + square.T - own[:, None] - own
