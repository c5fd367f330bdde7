"""Label models that are off: another matrix mixed in, too few pairs counted, some labels too frequent."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ventris import NgramModel

CONCENTRATION, FLOOR = 0.3, 0.02  # of the rows of a random matrix, as in `random_hmm`
KINDS = ("mixed", "few pairs", "reweighted")
_N_PAIRS = np.unique(np.geomspace(30, 100_000, 400).astype(int))  # numbers of pairs that are tried


def random_matrix(n_classes: int, rng: np.random.Generator) -> NDArray:
    """Rows (1 − FLOOR)·Dirichlet(CONCENTRATION) + FLOOR/C: shape (C, C)."""
    rows = rng.dirichlet(np.full(n_classes, CONCENTRATION), size=n_classes)
    return (1 - FLOOR) * rows + FLOOR / n_classes


def divergence(true: NgramModel, given: NDArray) -> float:
    """KL(true‖given) of the next label, in nats a symbol.

    Examples
    --------
    >>> fair = NgramModel.from_transition_matrix([[0.5, 0.5], [0.5, 0.5]])
    >>> round(divergence(fair, np.array([[0.5, 0.5], [0.25, 0.75]])), 4)
    0.0719
    """
    matrix = np.asarray(true.conditional(2))
    return float(np.sum(true.joint(2) * np.log(np.maximum(matrix, 1e-300) / np.maximum(given, 1e-300))))


def mixed(true: NDArray, other: NDArray, share: float) -> NDArray:
    """A share of another matrix mixed into the true one."""
    return (1 - share) * true + share * other


def off_by_divergence(true: NgramModel, kind: str, nats: float, rng: np.random.Generator) -> NDArray:
    """A transition matrix of the kind, KL(true‖given) as near to `nats` as the kind allows: shape (C, C)."""
    matrix = np.asarray(true.conditional(2))
    if kind == "few pairs":
        return _counted(true, nats, rng)
    if kind == "mixed":
        other = random_matrix(len(matrix), rng)
        return _at_divergence(true, nats, lambda share: mixed(matrix, other, share), 1.0)
    weights = rng.standard_normal(len(matrix))

    def reweighted(amount: float) -> NDArray:
        rows = matrix * np.exp(amount * weights)
        return rows / rows.sum(axis=1, keepdims=True)

    return _at_divergence(true, nats, reweighted, 4.0)


def _at_divergence(true: NgramModel, nats: float, off: Callable[[float], NDArray], most: float) -> NDArray:
    """Bisection: all these divergences grow with the amount."""
    low, high = 0.0, most
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if divergence(true, off(middle)) < nats else (low, middle)
    return off(high)


def _counted(true: NgramModel, nats: float, rng: np.random.Generator) -> NDArray:
    """Counted from so many pairs that the divergence comes nearest, the pairs a stretch of one sequence."""
    y, best, nearest = true.sample(int(_N_PAIRS[-1]) + 1, rng), None, np.inf
    for n_pairs in _N_PAIRS:
        counted = NgramModel.from_sequences([y[: n_pairs + 1]], 2, classes=range(true.n_classes))
        rows = np.asarray(counted.conditional(2))
        distance = abs(np.log(divergence(true, rows) / nats))
        if distance < nearest:
            best, nearest = rows, distance
        if divergence(true, rows) < nats / 2:
            break
    assert best is not None
    return best


def off_by_entry(true: NDArray, most: float, rng: np.random.Generator) -> NDArray:
    """Another random matrix mixed in until one transition is off by `most`, and none by more."""
    while True:
        other = random_matrix(len(true), rng)
        furthest = float(np.abs(other - true).max())
        if furthest >= most:
            return mixed(true, other, most / furthest)
