"""Markov chains of labels: what makes a conditional table proper, and its stationary distribution."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ventris.errors import LanguageModelError, ParameterError


def check_numbers(values: Any, name: str) -> NDArray[np.float64]:
    """Numbers, finite and not negative, as float64; or the reason they are not.

    Examples
    --------
    >>> check_numbers([[0, 1], [1, 0]], "A table")
    array([[0., 1.],
           [1., 0.]])
    """
    try:
        given = np.asarray(values)
        table = given.astype(np.float64, casting="unsafe" if given.dtype == object else "same_kind")
    except (TypeError, ValueError):
        raise LanguageModelError(
            f"{name} must hold real numbers, as many in every row",
            f"it is a {type(values).__name__} that does not",
            "Give a dense array of numbers",
        ) from None
    if not np.all(np.isfinite(table)) or np.any(table < 0):
        raise LanguageModelError(
            f"{name} must hold finite numbers that are not negative", "some are not", "Check the table"
        )
    return table


def check_transition_matrix(matrix: ArrayLike) -> NDArray[np.float64]:
    """A square, stochastic, irreducible ``P(i, j) = p(y_t = j | y_{t−1} = i)``, or the reason it is not.

    Examples
    --------
    >>> check_transition_matrix([[0.5, 0.6], [0.5, 0.5]])
    Traceback (most recent call last):
    ...
    ventris.errors.LanguageModelError: Each row of a transition matrix must sum to 1, but row 0 sums to 1.1. \
Divide each row by its sum; if the columns sum to 1 instead, transpose it.
    """
    P = check_numbers(matrix, "A transition matrix")
    if P.ndim != 2 or P.shape[0] != P.shape[1] or not P.size:
        raise LanguageModelError(
            "A transition matrix must be square",
            f"its shape is {P.shape}",
            "Give one row and one column a class",
        )
    sums = P.sum(axis=1)
    if np.any(np.abs(sums - 1) > 1e-6):
        row = int(np.argmax(np.abs(sums - 1)))
        raise LanguageModelError(
            "Each row of a transition matrix must sum to 1",
            f"row {row} sums to {sums[row]:.6g}",
            "Divide each row by its sum; if the columns sum to 1 instead, transpose it",
        )
    _refuse_reducible(P)
    return P / sums[:, None]


def check_conditional(conditional: NDArray, n_classes: int) -> None:
    """Refuse a table that is no p(last | the others) over this many classes: a file may hold anything."""
    table = check_numbers(conditional, "A conditional")
    if table.ndim < 1 or set(table.shape) != {n_classes}:
        raise LanguageModelError(
            f"A conditional over {n_classes} classes has axes of that length",
            f"its shape is {table.shape}",
            "Check the table",
        )
    if np.any(np.abs(table.sum(axis=-1) - 1) > 1e-6):
        raise LanguageModelError(
            "A conditional must sum to 1 over its last axis", "it does not", "Divide by the sums"
        )


def check_distribution(values: NDArray, shape: tuple[int, ...]) -> None:
    """Refuse what is no distribution of this shape."""
    table = check_numbers(values, "A distribution")
    if table.shape != shape or abs(table.sum() - 1) > 1e-6:
        raise LanguageModelError(
            f"A distribution of shape {shape} must sum to 1",
            f"this one, of shape {table.shape}, sums to {table.sum():.6g}",
            "Check the table",
        )


def _refuse_reducible(P: NDArray) -> None:
    """Every class must be reachable from every other, or the chain has no single long-run behaviour."""
    reach = ((P > 0) | np.eye(len(P), dtype=bool)).astype(float)
    for _ in range(int(np.ceil(np.log2(len(P)))) + 1):
        reach = (reach @ reach > 0).astype(float)
    if not reach.all():
        start, goal = (int(index) for index in np.argwhere(reach == 0)[0])
        raise LanguageModelError(
            "Every class must be reachable from every other",
            f"class {goal} cannot be reached from class {start} (the chain is reducible)",
            "Drop classes that are never left or never entered, or give every transition some probability",
        )


def random_walk(adjacency: ArrayLike, stay: float, visits: ArrayLike | None = None) -> NDArray[np.float64]:
    """Transitions of a walk that stays with probability `stay`, else follows an edge chosen by its weight.

    Given how often each node is to be visited, an edge to a node that is too popular for it is not always
    followed (Metropolis–Hastings): the walk then stays at least as long as `stay` says.

    References
    ----------
    .. [1] W. K. Hastings, "Monte Carlo sampling methods using Markov chains and their applications",
       Biometrika 57 (1970), 97-109.

    Examples
    --------
    >>> random_walk([[0, 3, 1], [1, 0, 0], [1, 0, 0]], 0.5)
    array([[0.5  , 0.375, 0.125],
           [0.5  , 0.5  , 0.   ],
           [0.5  , 0.   , 0.5  ]])
    >>> stationary_distribution(random_walk([[0, 1], [1, 0]], 0.5, visits=[3, 1])).round(2)
    array([0.75, 0.25])
    """
    weights = check_numbers(adjacency, "An adjacency matrix")
    if not 0 <= stay < 1:
        raise ParameterError("stay must be in [0, 1)", f"it is {stay}", "Give a probability below 1")
    if weights.ndim != 2 or weights.shape[0] != weights.shape[1]:
        raise LanguageModelError(
            "An adjacency matrix must be square",
            f"its shape is {weights.shape}",
            "Give one row and one column a node",
        )
    degree = weights.sum(axis=1, keepdims=True)
    if np.any(degree <= 0):
        raise LanguageModelError(
            "Every node needs an edge that leaves it",
            f"node {int(np.argmin(degree))} has none",
            "Remove it or connect it",
        )
    moves = (1 - stay) * weights / degree
    if visits is None:
        return stay * np.eye(len(weights)) + moves
    share = _check_visits(visits, len(weights))
    flow = share[:, None] * moves
    moves = np.minimum(flow, flow.T) / share[:, None]  # as many go there as come back
    return moves + np.diag(1 - moves.sum(axis=1))


def _check_visits(visits: ArrayLike, n_nodes: int) -> NDArray[np.float64]:
    share = check_numbers(visits, "visits")
    if share.shape != (n_nodes,) or not np.all(share > 0):
        raise LanguageModelError(
            f"visits must say how often each of the {n_nodes} nodes is visited",
            f"its shape is {share.shape}" if share.shape != (n_nodes,) else "some are zero or less",
            "Give a positive number a node",
        )
    return share / share.sum()


def stay_and_doors(P: NDArray) -> tuple[float, float]:
    """Mean probability of the same label again, and how many others follow a label, in effect (perplexity).

    Examples
    --------
    >>> ring = np.roll(np.eye(12), 1, axis=1)
    >>> stay_and_doors(random_walk(ring + ring.T, 0.8))
    (0.8, 2.0)
    """
    often = stationary_distribution(P)
    moves = P * ~np.eye(len(P), dtype=bool)
    shares = moves / np.maximum(moves.sum(axis=1, keepdims=True), 1e-300)
    doors = np.exp(-np.sum(shares * np.log(np.maximum(shares, 1e-300)), axis=1))
    return round(float(often @ np.diag(P)), 12), round(float(often @ doors), 12)


def stationary_distribution(P: NDArray) -> NDArray[np.float64]:
    """The π with πP = π and Σπ = 1, solved for, as periodic chains have no P^∞ (stationary distribution).

    Examples
    --------
    >>> stationary_distribution(np.array([[0.0, 1.0], [1.0, 0.0]]))
    array([0.5, 0.5])
    """
    n = len(P)
    equations = np.vstack([P.T - np.eye(n), np.ones(n)])  # (C + 1, C)
    solution = np.linalg.lstsq(equations, np.r_[np.zeros(n), 1.0], rcond=None)[0]
    positive = np.maximum(solution, 0.0)
    return positive / positive.sum()


def stationary_contexts(
    conditional: NDArray, tol: float = 1e-13, max_iter: int = 10_000, start: NDArray | None = None
) -> NDArray:
    """Long-run probability of each history of an order-N conditional: shape (C,) * (N − 1).

    The chain is made lazy (half of each step stays put), which has the same limit and always converges. From
    a `start` near the limit it does so sooner, and histories that can neither be there nor come keep zero.
    """
    if conditional.ndim <= 2:
        return stationary_distribution(conditional) if conditional.ndim == 2 else np.ones(())
    contexts = np.full(conditional.shape[:-1], 1.0 / conditional[..., 0].size) if start is None else start
    for _ in range(max_iter):
        moved = np.sum(contexts[..., None] * conditional, axis=0)  # the oldest symbol is forgotten
        if np.abs(moved - contexts).sum() < tol:
            break
        contexts = 0.5 * (contexts + moved)
    return contexts / contexts.sum()
