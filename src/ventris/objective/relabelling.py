"""The same answer under other names: what exchanging labels gains, and where exchanges lead."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ventris.objective.dense import TINY, _pair

Array = NDArray[np.floating]

EXHAUSTIVE = 6  # classes up to which every renaming is tried: 720 tables are judged in a blink, 5,040 are not
GAIN = 1e-12  # nats an exchange must gain to be made: rounding in J stays below it


def relabelled(table: Array, permutation: ArrayLike) -> Array:
    """The table after output label c is renamed ``permutation[c]``.

    Examples
    --------
    >>> relabelled(np.array([0.2, 0.8]), [1, 0])
    array([0.8, 0.2])
    """
    inverse = np.argsort(np.asarray(permutation))
    return table[np.ix_(*[inverse] * table.ndim)]


def descend_by_swaps(lm_prob: ArrayLike, expected_prob: ArrayLike) -> NDArray:
    """Exchange the names of two output labels as long as that lowers J (local search by transpositions).

    Renaming labels only permutes P̄, so it costs nothing beside a pass over the data. Pairs are gone through
    in their order, and each that gains is exchanged at once.

    Returns
    -------
    int array of shape (C,)
        ``permutation[c]`` is the new name of output label c.

    Examples
    --------
    >>> descend_by_swaps([[0.6, 0.2], [0.2, 0.0]], [[0.0, 0.2], [0.2, 0.6]])
    array([1, 0])
    """
    lm, expected = _pair(lm_prob, expected_prob)
    log_expected = np.log(np.maximum(expected, TINY))
    names = np.arange(len(lm))
    first, second = np.triu_indices(len(lm), k=1)
    improved = True
    while improved:
        improved, place = False, 0
        while True:
            gains = swap_gains(lm[None], relabelled(log_expected, names)[None])
            better = np.flatnonzero(gains[names[first[place:]], names[second[place:]]] > GAIN)
            if not len(better):
                break
            pair = [first[place + better[0]], second[place + better[0]]]
            names[pair] = names[pair[::-1]]
            improved, place = True, place + int(better[0]) + 1
    return names


def swap_gains(wanted: Array, found: Array) -> Array:
    """By how much Σ wanted · found grows when two labels of `found` exchange their places, for every two.

    An exchange is the reflection I − d dᵀ with d = e_a − e_b, made at every place of an n-gram. Multiplied
    out, each set of places S gives (−1)^|S| times the product of both tables, contracted with d at S. All
    pairs are had at once, by a matrix product for each single place, where trying each would sum over its
    cells anew.

    Parameters
    ----------
    wanted, found : arrays of shape (L, C, …, C)
        L tables of one order, whose gains add up.

    Returns
    -------
    array of shape (C, C)

    Examples
    --------
    >>> swap_gains(np.array([[[0.0, 1.0], [0.0, 0.0]]]), np.array([[[5.0, 2.0], [3.0, 5.0]]]))
    array([[0., 1.],
           [1., 0.]])
    """
    n_classes, order = wanted.shape[1], wanted.ndim - 1
    gains = np.zeros((n_classes, n_classes))
    for P, M in zip(wanted, found, strict=True):
        for place in range(order):  # for pairs: rows against rows, columns against columns
            gains += _crossed(_unfolded(P, place) @ _unfolded(M, place).T)
        for size in range(2, order + 1):  # for pairs: the four places where the two rows and columns meet
            for places in combinations(range(order), size):
                gains += (-1) ** size * _contracted_product(P, M, places)
    return gains


def _unfolded(table: Array, place: int) -> Array:
    """The labels at one place against all the other places: shape (C, C**(N − 1))."""
    return np.moveaxis(table, place, 0).reshape(len(table), -1)


def _contracted_product(P: Array, M: Array, places: tuple[int, ...]) -> Array:
    """Both tables contracted with d at these places, multiplied and summed over the others: shape (C, C)."""
    both = [_contracted(np.moveaxis(table, places, range(len(places))), len(places)) for table in (P, M)]
    return np.multiply(*both).sum(axis=tuple(range(2, both[0].ndim)))


def _contracted(table: Array, size: int) -> Array:
    """Σ ± table[x₁, …, x_size, …] over all xᵢ ∈ {a, b}, a minus for each b: shape (C, C, …), up to a sign."""
    if size == 2:
        return _crossed(table)
    label = np.arange(len(table))
    names = label[:, None], label[None, :]
    return sum(
        (-1) ** sum(chosen) * table[tuple(names[each] for each in chosen)]
        for chosen in product((0, 1), repeat=size)
    )


def _crossed(square: Array) -> Array:
    """s_ab + s_ba − s_aa − s_bb for every two a and b, the first two axes: shape (C, C, …)."""
    own = square[np.arange(len(square)), np.arange(len(square))]
    return square + square.swapaxes(0, 1) - own[:, None] - own
