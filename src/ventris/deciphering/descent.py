"""The code table by descent on J: many starts at once, label pairs matched at several lags (E10, E11)."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ventris.classifiers.loglinear import softmax, through_softmax
from ventris.deciphering.ciphertext import Ciphertext, Contender, PairStatistics
from ventris.deciphering.starts import draw_starts
from ventris.objective.relabelling import swap_gains

Array = NDArray[np.floating]
Divergence = Literal["forward", "reverse"]
_FLOOR = 1e-7  # keeps ln P̄ finite while a start has not yet learnt to use a label
_UNKNOWN = 1e-6  # probability given to a pair the label model rules out, where ln P is needed
_MANY_CODES = 400  # from here on one wide product beats a product a table
_DENSE = 0.1  # share of pairs seen from which a dense product is faster
_SCOUT_STEPS, _CARRY_STEPS = 80, 150
_CARRIED = 1 / 4  # share of the scouts that are carried on
_SETTLED = 4  # carried tables followed to the bottom of their basins


def expected_pairs(table: Array, code_pairs: Array) -> Array:
    """P̄⁽ᵏ⁾ = Qᵀ F⁽ᵏ⁾ Q for every lag (E10): shape (L, C, C).

    Examples
    --------
    >>> Q = np.array([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]])
    >>> expected_pairs(Q, np.full((1, 3, 3), 1 / 9))[0]
    array([[0.25, 0.25],
           [0.25, 0.25]])
    """
    return table.T @ code_pairs @ table  # (E10)


def table_cost(table: Array, statistics: PairStatistics) -> float:
    """J of a table, summed over lags (E11): forward, and so comparable whatever found the table."""
    expected = np.maximum(expected_pairs(table, statistics.code_pairs), 1e-300)
    return float(-np.sum(statistics.label_pairs * np.log(expected)))  # (E11)


def stack_pairs(code_pairs: Array) -> Any:
    """F⁽ᵏ⁾ and its transpose for all lags in one matrix, so that one product serves them all: (2·K·L, K).

    Sparse where codes are many and most pairs of them never occur.
    """
    L, K, _ = code_pairs.shape
    if K >= _MANY_CODES and np.count_nonzero(code_pairs) < _DENSE * code_pairs.size:
        from scipy.sparse import csr_array

        lag, first, second = np.nonzero(code_pairs)
        rows = np.concatenate([first * L + lag, (K + second) * L + lag])
        columns, values = np.concatenate([second, first]), np.tile(code_pairs[lag, first, second], 2)
        return csr_array((values, (rows, columns)), shape=(2 * K * L, K))
    both = np.stack([code_pairs, code_pairs.swapaxes(1, 2)])  # (2, L, K, K)
    return np.ascontiguousarray(both.transpose(0, 2, 1, 3)).reshape(-1, K)


def batched_cost_and_gradient(
    Q: Array, label_pairs: Array, stacked: Any, divergence: Divergence = "forward"
) -> tuple[Array, Array]:
    """J of R tables and ∂J/∂Q (E11), or the divergence the other way round.

    Forward, −Σ P ln P̄, asks that every pair the label model knows be seen; reverse, Σ P̄ ln(P̄ / P), that no
    pair be seen which it does not know.

    Parameters
    ----------
    Q : array of shape (R, K, C)
    label_pairs : array of shape (L, C, C)
    stacked : array or sparse array of shape (2·K·L, K)
        From `stack_pairs`.
    divergence : {"forward", "reverse"}

    Returns
    -------
    cost : array of shape (R,)
    gradient : array of shape (R, K, C)
    """
    R, K, C = Q.shape
    L = len(label_pairs)
    products = _products(stacked, Q).reshape(R, 2, K, L * C)  # F Q, then Fᵀ Q, lags side by side
    expected = Q.swapaxes(1, 2) @ products[:, 0] + _FLOOR  # (R, C, L·C): P̄ of first label, lag, second
    wanted = label_pairs.transpose(1, 0, 2).reshape(C, L * C)
    if divergence == "forward":
        cost = -np.einsum("ck,rck->r", wanted, np.log(expected))  # (E11)
        weights = -wanted / expected  # ∂J/∂P̄, (R, C, L·C)
    else:
        log_ratio = np.log(expected) - np.log(np.maximum(wanted, wanted.dtype.type(_UNKNOWN)))
        cost, weights = np.einsum("rck,rck->r", expected, log_ratio), log_ratio + 1
    turned = weights.reshape(R, C, L, C).transpose(0, 2, 1, 3).reshape(R, L * C, C)
    # P̄ = Qᵀ F Q holds Q twice: ∂J/∂Q = F Q wᵀ + Fᵀ Q w, summed over lags.
    return cost, products[:, 0] @ weights.swapaxes(1, 2) + products[:, 1] @ turned


def _products(stacked: Any, Q: Array) -> Array:
    """stacked @ Q for each of R tables: shape (R, 2·K·L, C)."""
    R, K, C = Q.shape
    if K < _MANY_CODES:
        return stacked @ Q
    side_by_side = stacked @ Q.transpose(1, 0, 2).reshape(K, R * C)  # reads the large matrix once
    return side_by_side.reshape(-1, R, C).transpose(1, 0, 2)


def descend(
    statistics: PairStatistics,
    starts: Array,
    *,
    n_steps: int,
    learning_rate: float = 0.3,
    divergence: Divergence = "forward",
) -> tuple[Array, Array]:
    """Adam on the logits of many tables at once, the step following a cosine down.

    Parameters
    ----------
    statistics : PairStatistics
    starts : array of shape (R, K, C)
        Logits of R tables.
    n_steps : int
    learning_rate : float
    divergence : {"forward", "reverse"}

    Returns
    -------
    logits : array of shape (R, K, C)
    cost : array of shape (R,)
        J of each, before the last step.
    """
    P = statistics.label_pairs.astype(np.float32)
    stacked = stack_pairs(statistics.code_pairs.astype(np.float32))
    logits = starts.astype(np.float32)
    first, second = np.zeros_like(logits), np.zeros_like(logits)
    cost = np.full(len(logits), np.inf)
    for step in range(n_steps):
        Q = softmax(logits.copy())
        cost, gradient = batched_cost_and_gradient(Q, P, stacked, divergence)
        gradient = through_softmax(Q, gradient)
        first += np.float32(0.1) * (gradient - first)
        second += np.float32(0.01) * (gradient**2 - second)
        rate = learning_rate * (0.5 * (1 + np.cos(np.pi * step / n_steps)) + 0.02)
        correction = np.sqrt(1 - 0.99 ** (step + 1)) / (1 - 0.9 ** (step + 1))
        logits -= np.float32(rate * correction) * first / (np.sqrt(second) + np.float32(1e-8))
    return logits, cost


def descent(divergence: Divergence = "forward") -> Contender:
    """Scouts from every start, the best few carried on, the best of these to the bottom of their basins."""

    def search(ciphertext: Ciphertext, n_starts: int, rng: np.random.Generator) -> tuple[list[Array], int]:
        statistics, starts = ciphertext.statistics, draw_starts(ciphertext, n_starts, rng)
        scouts, cost = descend(statistics, starts, n_steps=_SCOUT_STEPS, divergence=divergence)
        n_carried = round(_CARRIED * n_starts)
        if n_carried > _SETTLED:  # else there is no choice left to make
            best = scouts[np.argsort(cost)[:n_carried]]
            scouts, cost = descend(statistics, best, n_steps=_CARRY_STEPS, divergence=divergence)
        tables = softmax(scouts[np.argsort(cost)[:_SETTLED]].astype(float))
        renamed = [relabel_by_swaps(table, statistics) for table in tables]
        settled = [settle(table, statistics, divergence=divergence) for table in renamed]
        return sorted(settled, key=lambda table: table_cost(table, statistics)), n_starts

    return Contender("descent", search)


def settle(
    table: Array, statistics: PairStatistics, max_iter: int = 100, divergence: Divergence = "forward"
) -> Array:
    """Descend from one table to the bottom of its basin, by L-BFGS: J's last digits tell basins apart."""
    from scipy.optimize import minimize

    stacked = stack_pairs(statistics.code_pairs)

    def value(flat: Array) -> tuple[float, Array]:
        Q = softmax(flat.reshape(1, *table.shape).copy())
        cost, gradient = batched_cost_and_gradient(Q, statistics.label_pairs, stacked, divergence)
        return float(cost[0]), through_softmax(Q, gradient).ravel()

    start = np.log(np.maximum(table, 1e-4)).ravel()
    found = minimize(value, start, jac=True, method="L-BFGS-B", options={"maxiter": max_iter})
    return softmax(found.x.reshape(table.shape))


def relabel_by_swaps(table: Array, statistics: PairStatistics) -> Array:
    """Exchange the pair of labels that lowers J most, as long as one does: renaming only permutes P̄."""
    log_expected = np.log(np.maximum(expected_pairs(table, statistics.code_pairs), 1e-300))  # (L, C, C)
    names = np.arange(statistics.n_classes)
    while True:
        gains = swap_gains(statistics.label_pairs, log_expected[:, names][:, :, names])
        first, second = np.unravel_index(np.argmax(gains), gains.shape)
        if gains[first, second] < 1e-9:
            return table[:, names]
        names[[first, second]] = names[[second, first]]
