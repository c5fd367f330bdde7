"""Three ways to find the code table: descent on J, expectation–maximisation, annealing of a hard map.

Each gives the tables its independent starts ended in, best first by J or by its own measure. None is best
everywhere: descent is the quickest and, from guesses by signature, arrives nearly always; annealing needs no
guess; expectation–maximisation finds, now and then, what both miss. Which of their answers is right only a
measure none of them optimises can say (`race`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ventris.deciphering.ciphertext import Ciphertext
from ventris.deciphering.expectation import read_and_learn
from ventris.deciphering.key_search import anneal_map
from ventris.deciphering.starts import draw_starts
from ventris.deciphering.table import (
    Divergence,
    PairStatistics,
    batched_cost_and_gradient,
    descend,
    expected_pairs,
    stack_pairs,
    table_cost,
)
from ventris.loglinear import softmax

Array = NDArray[np.floating]

_SCOUT_STEPS, _CARRY_STEPS = 80, 150
_CARRIED = 1 / 4  # share of the scouts that are carried on
_SETTLED = 4  # carried tables followed to the bottom of their basins
_READ_STARTS, _READ_ROUNDS = 2, 30
# An annealed map: with pairs at four lags and a start hot enough to melt, 8 of 8 starts at 50 labels arrived;
# with two lags or a cooler start, 1 in 4.
_MAP_MOVES, _MAP_TEMPERATURES = 2000, (6.0, 1.0)
_ALL_MOVES = 300  # codes up to which a map makes them all: beyond, each costs ever more
_STARTS_PER_MAP = 48  # one annealing takes as long as about this many starts of descent
_HARD = 0.9  # how sure a hard map is: what is left to other labels lets later steps change their mind


@dataclass(frozen=True)
class Contender:
    """A way to search: its name, and a function of the codes, a number of starts, and chance.

    The function gives the tables it ended in, best first, and how many starts it made. Tables that come from
    reading the codes, as `race` has all of them do before it compares them, need not do so again.
    """

    name: str
    search: Callable[[Ciphertext, int, np.random.Generator], tuple[list[Array], int]]
    has_read: bool = False


# ------------------------------------------------------------------------------------------------ descent


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
        return float(cost[0]), (Q * (gradient - np.sum(Q * gradient, axis=2, keepdims=True))).ravel()

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


# --------------------------------------------------------------------------- expectation–maximisation


def _by_expectation(
    ciphertext: Ciphertext, n_starts: int, rng: np.random.Generator
) -> tuple[list[Array], int]:
    """Reading and learning from a few guesses."""
    starts = softmax(draw_starts(ciphertext, min(_READ_STARTS, n_starts), rng))
    lesson = ciphertext.lesson
    return [read_and_learn(table, lesson, ciphertext, _READ_ROUNDS) for table in starts], len(starts)


EXPECTATION = Contender("expectation", _by_expectation, has_read=True)


# ---------------------------------------------------------------------------------------------- annealing


def _by_annealing(ciphertext: Ciphertext, n_starts: int, rng: np.random.Generator) -> tuple[list[Array], int]:
    """Hard maps from codes to labels, each from a random one.

    They want hardly more codes than labels: pairs of fewer, fuller codes are the surer guide, and what such a
    coarse codebook confuses, a finer one and the refits put right.
    """
    statistics, restarts = ciphertext.statistics, max(1, n_starts // _STARTS_PER_MAP)
    moves = _MAP_MOVES * statistics.n_codes * statistics.n_classes
    found = anneal_map(
        ciphertext.n_points * statistics.code_pairs,
        np.log(np.maximum(statistics.label_pairs, 1e-12)),
        moves=round(moves * min(1.0, (_ALL_MOVES / statistics.n_codes) ** 2)),
        temperatures=_MAP_TEMPERATURES,
        min_restarts=restarts,
        max_restarts=restarts,
        random_state=rng,
    )
    keys = [found.restart_keys[number] for number in np.argsort(found.restart_scores)[::-1]]
    others = (1 - _HARD) / statistics.n_classes
    return [_HARD * np.eye(statistics.n_classes)[key] + others for key in keys], restarts


ANNEALING = Contender("annealing", _by_annealing)
