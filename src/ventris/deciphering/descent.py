"""The code table by descent on J: many starts at once, label pairs matched at several lags (E10, E11)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ventris.classifiers.loglinear import softmax, through_softmax
from ventris.deciphering.ciphertext import Ciphertext, Contender, PairStatistics
from ventris.deciphering.settings import DEFAULT, SearchSettings
from ventris.deciphering.starts import draw_tables
from ventris.objective.dense import TINY
from ventris.objective.relabelling import swap_gains

Array = NDArray[np.floating]


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
    """J of a table, summed over lags (E11): comparable whatever found the table (cross-entropy)."""
    expected = np.maximum(expected_pairs(table, statistics.code_pairs), TINY)
    return float(-np.sum(statistics.label_pairs * np.log(expected)))  # (E11)


def is_matched(table: Array, ciphertext: Ciphertext, share: float) -> bool:
    """Whether J − H is below a share of what outputs that do not hang together leave."""
    statistics = ciphertext.statistics
    return table_cost(table, statistics) - statistics.entropy < share * statistics.dependence


def stack_pairs(code_pairs: Array, *, settings: SearchSettings = DEFAULT) -> Any:
    """F⁽ᵏ⁾ and its transpose for all lags in one matrix, so that one product serves them all: (2·K·L, K).

    Sparse where codes are many and most pairs of them never occur.
    """
    L, K, _ = code_pairs.shape
    dense = settings.dense_share * code_pairs.size
    if settings.many_codes <= K and np.count_nonzero(code_pairs) < dense:
        from scipy.sparse import csr_array

        lag, first, second = np.nonzero(code_pairs)
        rows = np.concatenate([first * L + lag, (K + second) * L + lag])
        columns, values = np.concatenate([second, first]), np.tile(code_pairs[lag, first, second], 2)
        return csr_array((values, (rows, columns)), shape=(2 * K * L, K))
    both = np.stack([code_pairs, code_pairs.swapaxes(1, 2)])  # (2, L, K, K)
    return np.ascontiguousarray(both.transpose(0, 2, 1, 3)).reshape(-1, K)


def batched_cost_and_gradient(
    Q: Array, label_pairs: Array, stacked: Any, *, settings: SearchSettings = DEFAULT
) -> tuple[Array, Array]:
    """J of R tables and ∂J/∂Q (E11).

    Parameters
    ----------
    Q : array of shape (R, K, C)
    label_pairs : array of shape (L, C, C)
    stacked : array or sparse array of shape (2·K·L, K)
        From `stack_pairs`.
    settings : SearchSettings
        `pair_floor` is added to P̄.

    Returns
    -------
    cost : array of shape (R,)
    gradient : array of shape (R, K, C)
    """
    R, K, C = Q.shape
    L = len(label_pairs)
    products = _products(stacked, Q, settings=settings).reshape(
        R, 2, K, L * C
    )  # F Q, then Fᵀ Q, lags side by side
    expected = (
        Q.swapaxes(1, 2) @ products[:, 0] + settings.pair_floor
    )  # (R, C, L·C): P̄ of first label, lag, second
    wanted = label_pairs.transpose(1, 0, 2).reshape(C, L * C)
    cost = -np.einsum("ck,rck->r", wanted, np.log(expected))  # (E11)
    weights = -wanted / expected  # ∂J/∂P̄, (R, C, L·C)
    turned = weights.reshape(R, C, L, C).transpose(0, 2, 1, 3).reshape(R, L * C, C)
    # P̄ = Qᵀ F Q holds Q twice: ∂J/∂Q = F Q wᵀ + Fᵀ Q w, summed over lags.
    return cost, products[:, 0] @ weights.swapaxes(1, 2) + products[:, 1] @ turned


def _products(stacked: Any, Q: Array, *, settings: SearchSettings) -> Array:
    """stacked @ Q for each of R tables: shape (R, 2·K·L, C)."""
    R, K, C = Q.shape
    if settings.many_codes > K:
        return stacked @ Q
    side_by_side = stacked @ Q.transpose(1, 0, 2).reshape(K, R * C)  # reads the large matrix once
    return side_by_side.reshape(-1, R, C).transpose(1, 0, 2)


def descend(
    statistics: PairStatistics, starts: Array, *, n_steps: int, settings: SearchSettings = DEFAULT
) -> tuple[Array, Array]:
    """Lower J of many tables at once, a gradient step on their logits at a time (Adam, cosine annealing).

    Parameters
    ----------
    statistics : PairStatistics
    starts : array of shape (R, K, C)
        Logits of R tables.
    n_steps : int
    settings : SearchSettings

    Returns
    -------
    logits : array of shape (R, K, C)
    cost : array of shape (R,)
        J of each, before the last step.

    References
    ----------
    .. [1] D. P. Kingma and J. Ba, "Adam: a method for stochastic optimization", International Conference on
       Learning Representations (2015), arXiv:1412.6980.
    .. [2] I. Loshchilov and F. Hutter, "SGDR: stochastic gradient descent with warm restarts", International
       Conference on Learning Representations (2017), arXiv:1608.03983.
    """
    P = statistics.label_pairs.astype(np.float32)
    stacked = stack_pairs(statistics.code_pairs.astype(np.float32), settings=settings)
    logits = starts.astype(np.float32)
    first, second = np.zeros_like(logits), np.zeros_like(logits)
    cost = np.full(len(logits), np.inf)
    beta, beta_2 = settings.momentum, settings.second_momentum
    for step in range(n_steps):
        Q = softmax(logits.copy())
        cost, gradient = batched_cost_and_gradient(Q, P, stacked, settings=settings)
        gradient = through_softmax(Q, gradient)
        first += np.float32(1 - beta) * (gradient - first)
        second += np.float32(1 - beta_2) * (gradient**2 - second)
        cosine = 0.5 * (1 + np.cos(np.pi * step / n_steps))
        rate = settings.learning_rate * (cosine + settings.last_rate)
        correction = np.sqrt(1 - beta_2 ** (step + 1)) / (1 - beta ** (step + 1))
        logits -= np.float32(rate * correction) * first / (np.sqrt(second) + np.float32(settings.adam_floor))
    return logits, cost


def _by_descent(ciphertext: Ciphertext, n_starts: int, rng: np.random.Generator) -> tuple[list[Array], int]:
    """Scouts from every start, the best few carried on, the best of these to the bottom of their basins."""
    statistics, settings = ciphertext.statistics, ciphertext.settings
    starts = draw_tables(ciphertext, n_starts, rng)
    scouts, cost = descend(statistics, starts, n_steps=settings.scout_steps, settings=settings)
    n_carried = round(settings.carried_share * n_starts)
    if n_carried > settings.n_settled:  # else there is no choice left to make
        best = scouts[np.argsort(cost)[:n_carried]]
        scouts, cost = descend(statistics, best, n_steps=settings.carry_steps, settings=settings)
    tables = softmax(scouts[np.argsort(cost)[: settings.n_settled]].astype(float))
    renamed = [relabel_by_swaps(table, statistics, settings=settings) for table in tables]
    settled = [settle(table, statistics, settings=settings) for table in renamed]
    return sorted(settled, key=lambda table: table_cost(table, statistics)), n_starts


DESCENT = Contender("descent", _by_descent)


def settle(table: Array, statistics: PairStatistics, *, settings: SearchSettings = DEFAULT) -> Array:
    """Descend from one table to the bottom of its basin: J's last digits tell basins apart (L-BFGS).

    References
    ----------
    .. [1] R. H. Byrd, P. Lu, J. Nocedal and C. Zhu, "A limited memory algorithm for bound constrained
       optimization", SIAM Journal on Scientific Computing 16 (1995), 1190-1208.
    """
    from scipy.optimize import minimize

    stacked = stack_pairs(statistics.code_pairs, settings=settings)

    def value(flat: Array) -> tuple[float, Array]:
        Q = softmax(flat.reshape(1, *table.shape).copy())
        cost, gradient = batched_cost_and_gradient(Q, statistics.label_pairs, stacked, settings=settings)
        return float(cost[0]), through_softmax(Q, gradient).ravel()

    start = np.log(np.maximum(table, settings.settle_floor)).ravel()
    options = {"maxiter": settings.settle_iterations}
    found = minimize(value, start, jac=True, method="L-BFGS-B", options=options)
    return softmax(found.x.reshape(table.shape))


def relabel_by_swaps(
    table: Array, statistics: PairStatistics, *, settings: SearchSettings = DEFAULT
) -> Array:
    """Exchange the two labels that lower J most, as long as any do (quadratic assignment by 2-exchange).

    Renaming only permutes P̄, so no exchange costs a pass over the codes.

    References
    ----------
    .. [1] T. C. Koopmans and M. Beckmann, "Assignment problems and the location of economic activities",
       Econometrica 25 (1957), 53-76.
    """
    log_expected = np.log(np.maximum(expected_pairs(table, statistics.code_pairs), TINY))  # (L, C, C)
    names = np.arange(statistics.n_classes)
    while True:
        gains = swap_gains(statistics.label_pairs, log_expected[:, names][:, :, names])
        first, second = np.unravel_index(np.argmax(gains), gains.shape)
        if gains[first, second] < settings.least_gain:
            return table[:, names]
        names[[first, second]] = names[[second, first]]
