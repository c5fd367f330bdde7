"""The search for the code table: batches of starts, the best few carried on, until the best one recurs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations

import numpy as np
from numpy.typing import NDArray

from ventris.deciphering.key_search import anneal_map
from ventris.deciphering.table import (
    PairStatistics,
    batched_cost_and_gradient,
    descend,
    expected_pairs,
    random_starts,
    stack_pairs,
    table_cost,
)
from ventris.loglinear import softmax

Array = NDArray[np.floating]

SAME = 0.95  # two tables that agree on this share of the points are one answer
_SCOUT_STEPS, _CARRIED, _CARRY_STEPS = 80, 12, 150
_SETTLED = 4  # carried tables followed to the bottom of their basins
_RELABELLED = 3  # labels up to which every relabelling is followed as well
# An annealed map: with pairs at four lags and a start hot enough to melt, 8 of 8 starts at 50 labels arrived;
# with two lags or a cooler start, 1 in 4.
_MAP_MOVES, _MAP_TEMPERATURES = 2000, (6.0, 1.0)


@dataclass(frozen=True)
class Decipherment:
    """The best table found and how sure the search is of it.

    Attributes
    ----------
    table : array of shape (K, C)
    cost : float
        J summed over the lags (E11).
    excess_cost : float
        J − H: what the table could not explain.
    recurrence : int
        Independent starts that ended in this answer.
    n_starts : int
        Starts made in all.
    margin : float or None
        How much higher J is for the best different answer, where one was found.
    """

    table: Array
    cost: float
    excess_cost: float
    recurrence: int
    n_starts: int
    margin: float | None


def search_table(
    statistics: PairStatistics,
    rng: np.random.Generator,
    *,
    n_starts: int = 48,
    max_batches: int = 4,
    anchor: Array | None = None,
    on_batch: Callable[[float], None] | None = None,
) -> Decipherment:
    """Descend from batches of `n_starts` tables until the best answer has been reached twice.

    Parameters
    ----------
    statistics : PairStatistics
    rng : Generator
    n_starts : int
    max_batches : int
        The budget: after it the best so far is returned, with the recurrence it has.
    anchor : array of shape (K, C), optional
        Added to the starting logits: what known labels say about codes.
    on_batch : callable, optional
        Told the least J − H so far.
    """
    frequency = statistics.code_pairs[0].sum(axis=1)
    tables: list[Array] = []
    for batch in range(1, max_batches + 1):
        carried = [relabel_by_swaps(t, statistics) for t in _descend_batch(statistics, n_starts, anchor, rng)]
        tables += [settle(table, statistics) for table in _settled_candidates(carried, statistics)]
        found = _judge(tables, statistics, frequency, batch * n_starts)
        if on_batch:
            on_batch(found.excess_cost)
        if found.recurrence >= 2:
            break
    return found


def search_map(
    statistics: PairStatistics, n_points: int, rng: np.random.Generator, *, max_restarts: int = 6
) -> Decipherment:
    """Anneal a hard map from codes to labels until the best recurs: for label sets too large for descent.

    It wants hardly more codes than labels: pairs of fewer, fuller codes are the surer guide, and what such a
    coarse codebook confuses, a finer one and the refits put right.
    """
    n_classes, frequency = statistics.n_classes, statistics.code_pairs[0].sum(axis=1)
    found = anneal_map(
        n_points * statistics.code_pairs,
        np.log(np.maximum(statistics.label_pairs, 1e-12)),
        moves=_MAP_MOVES * statistics.n_codes * n_classes,
        temperatures=_MAP_TEMPERATURES,
        max_restarts=max_restarts,
        random_state=rng,
    )
    # A hard map is never quite sure: the share left to other labels lets the later steps change their mind.
    tables = [0.9 * np.eye(n_classes)[key] + 0.1 / n_classes for key in found.restart_keys]
    return _judge(tables, statistics, frequency, len(tables))


def _descend_batch(
    statistics: PairStatistics, n_starts: int, anchor: Array | None, rng: np.random.Generator
) -> Array:
    """Scout from every start, carry on with the best few: tables of shape (R, K, C), best first."""
    starts = random_starts(n_starts, statistics.n_codes, statistics.n_classes, rng)
    if anchor is not None:
        starts = starts + anchor
    scouts, cost = descend(statistics, starts, n_steps=_SCOUT_STEPS)
    carried, cost = descend(statistics, scouts[np.argsort(cost)[:_CARRIED]], n_steps=_CARRY_STEPS)
    return softmax(carried[np.argsort(cost)].astype(float))


def _settled_candidates(carried: list[Array], statistics: PairStatistics) -> list[Array]:
    """The tables worth the last digits: the best few and, for very few labels, all their relabellings.

    With two or three labels a relabelled answer is a basin of its own that no start may have reached.
    """
    best = carried[:_SETTLED]
    if statistics.n_classes > _RELABELLED:
        return best
    orders = permutations(range(statistics.n_classes))
    softened = 0.5 * best[0] + 0.5 / statistics.n_classes
    return best + [softened[:, list(order)] for order in orders]


def _judge(
    tables: Sequence[Array], statistics: PairStatistics, frequency: Array, n_starts: int
) -> Decipherment:
    costs = np.array([table_cost(table, statistics) for table in tables])
    best = int(np.argmin(costs))
    labels = np.stack([table.argmax(axis=1) for table in tables])  # (R, K)
    agreement = (labels == labels[best]) @ frequency / frequency.sum()
    different = costs[agreement < SAME]
    return Decipherment(
        tables[best],
        float(costs[best]),
        float(costs[best]) - statistics.entropy,
        int(np.count_nonzero(agreement >= SAME)),
        n_starts,
        float(different.min() - costs[best]) if len(different) else None,
    )


def settle(table: Array, statistics: PairStatistics, max_iter: int = 100) -> Array:
    """Descend from one table to the bottom of its basin, by L-BFGS: J's last digits tell basins apart."""
    from scipy.optimize import minimize

    stacked = stack_pairs(statistics.code_pairs)

    def value(flat: Array) -> tuple[float, Array]:
        Q = softmax(flat.reshape(1, *table.shape).copy())
        cost, gradient = batched_cost_and_gradient(Q, statistics.label_pairs, stacked)
        return float(cost[0]), (Q * (gradient - np.sum(Q * gradient, axis=2, keepdims=True))).ravel()

    start = np.log(np.maximum(table, 1e-4)).ravel()
    found = minimize(value, start, jac=True, method="L-BFGS-B", options={"maxiter": max_iter})
    return softmax(found.x.reshape(table.shape))


def relabel_by_swaps(table: Array, statistics: PairStatistics) -> Array:
    """Exchange pairs of labels as long as that lowers J: renaming labels only permutes P̄."""
    expected = np.maximum(expected_pairs(table, statistics.code_pairs), 1e-300)
    log_expected = np.log(expected)  # (L, C, C)
    names = np.arange(statistics.n_classes)

    def cost(order: NDArray) -> float:
        return float(-np.sum(statistics.label_pairs * log_expected[:, order][:, :, order]))

    least, improved = cost(names), True
    while improved:
        improved = False
        for a, b in combinations(range(len(names)), 2):
            trial = names.copy()
            trial[[a, b]] = trial[[b, a]]
            if (value := cost(trial)) < least - 1e-9:
                least, names, improved = value, trial, True
    return table[:, names]


def transfer_table(table: Array, old_codes: NDArray, new_codes: NDArray, n_new: int) -> Array:
    """The table of a finer codebook, from the points the two codebooks share: shape (n_new, C).

    Each new code takes the mean row of the old codes its points had.
    """
    sums = [np.bincount(new_codes, weights=column[old_codes], minlength=n_new) for column in table.T]
    rows = np.stack(sums, axis=1) + 1e-6  # a code without points is read evenly
    return rows / rows.sum(axis=1, keepdims=True)
