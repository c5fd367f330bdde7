"""The search for the code table: contenders start until the best answer recurs, and fresh points confirm it.

Every contender has a measure of its own, and a wrong answer can be the best by it, again and again. So the
ends of all starts are put on one footing, by a few rounds of expectation–maximisation, and compared by how
likely they make a stretch of the codes as a label sequence, which is what counts in the end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from ventris.deciphering.ciphertext import Ciphertext
from ventris.deciphering.contenders import Contender, settle
from ventris.deciphering.expectation import read_and_learn, table_score
from ventris.deciphering.table import table_cost

Array = NDArray[np.floating]

SAME = 0.95  # two tables that agree on this share of the points are one answer
RECURRENCES = 2  # starts that must have led to the best answer
_LAPS = 4
FOOTING = 5  # rounds of reading and learning after which tables of different contenders are compared
_RELABELLED = 3  # labels up to which every relabelling of the best is followed as well


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
    found_by : str
        The contender whose table it is.
    fresh_score : float or None
        Sequence score on points not used to find it, in nats a symbol; None where none were held out.
    fresh_margin : float or None
        By how much the best different answer scores less there; negative if it scores more.
    n_fresh : int
        Points of that check.
    """

    table: Array
    cost: float
    excess_cost: float
    recurrence: int
    n_starts: int
    found_by: str = ""
    fresh_score: float | None = None
    fresh_margin: float | None = None
    n_fresh: int = 0


@dataclass(frozen=True)
class _End:
    """Where a start ended; a relabelling of another end is an answer, but no start of its own."""

    table: Array
    score: float
    found_by: str
    is_start: bool = True


def race(
    contenders: Sequence[Contender],
    ciphertext: Ciphertext,
    rng: np.random.Generator,
    *,
    n_starts: int = 48,
    max_laps: int = _LAPS,
    on_turn: Callable[[float], None] | None = None,
) -> Decipherment:
    """Let contenders start in turn until the best answer has been reached twice.

    The first two always take part, so that an answer one of them gives again and again meets an answer found
    another way; the others join while there is no recurrence, lap after lap.

    Parameters
    ----------
    contenders : sequence of Contender
        The likeliest to arrive first.
    ciphertext : Ciphertext
    rng : Generator
    n_starts : int
        Starts of a descent; the others make fewer, dearer ones.
    max_laps : int
        The budget: after it the best so far is returned, with the recurrence it has.
    on_turn : callable, optional
        Told J − H of the best so far.
    """
    ends: list[_End] = []
    renamed: list[_End] = []  # answers whose other namings are among the ends already
    made = 0
    for lap in range(max_laps):
        for number, contender in enumerate(contenders):
            if (lap or number > 1) and _recurrence(ends, ciphertext) >= RECURRENCES:
                return _verdict(ends, ciphertext, made)
            tables, starts = contender.search(ciphertext, n_starts, rng)
            made += starts
            ends += [_end(table, contender.name, ciphertext) for table in tables]
            best = _best(ends)
            if not any(_agrees(end, best, ciphertext) for end in renamed):
                others = _relabellings(best, ciphertext)
                ends, renamed = ends + others, [*renamed, best, *others]
            if on_turn:
                on_turn(_excess(_best(ends).table, ciphertext))
    return _verdict(ends, ciphertext, made)


def _end(table: Array, found_by: str, ciphertext: Ciphertext, *, is_start: bool = True) -> _End:
    table = read_and_learn(table, ciphertext.lesson, ciphertext, FOOTING)
    return _End(table, table_score(table, ciphertext.sample, ciphertext), found_by, is_start)


def _relabellings(best: _End, ciphertext: Ciphertext) -> list[_End]:
    """The other namings of the best answer, for very few labels.

    With two or three labels each is a basin of its own that no start may have reached.
    """
    n_classes = best.table.shape[1]
    if n_classes > _RELABELLED or ciphertext.anchor is not None:
        return []
    softened = 0.5 * best.table + 0.5 / n_classes
    others = [list(order) for order in permutations(range(n_classes))][1:]
    settled = [settle(softened[:, order], ciphertext.statistics) for order in others]
    return [_end(table, best.found_by, ciphertext, is_start=False) for table in settled]


def _best(ends: Sequence[_End]) -> _End:
    return max(ends, key=lambda end: end.score)


def _agrees(end: _End, best: _End, ciphertext: Ciphertext) -> bool:
    same = end.table.argmax(axis=1) == best.table.argmax(axis=1)
    return bool(same @ ciphertext.code_frequency >= SAME)


def _recurrence(ends: Sequence[_End], ciphertext: Ciphertext) -> int:
    best = _best(ends)
    return sum(end.is_start and _agrees(end, best, ciphertext) for end in ends)


def _excess(table: Array, ciphertext: Ciphertext) -> float:
    return table_cost(table, ciphertext.statistics) - ciphertext.statistics.entropy


def _verdict(ends: Sequence[_End], ciphertext: Ciphertext, made: int) -> Decipherment:
    """The best end, and what points no contender has seen say about it and its best rival."""
    best, fresh = _best(ends), ciphertext.fresh
    rivals = [end for end in ends if not _agrees(end, best, ciphertext)]
    # Of tables that are one answer, the one whose pairs fit best: they were counted over all the points.
    same = [end for end in ends if _agrees(end, best, ciphertext)]
    best = min(same, key=lambda end: table_cost(end.table, ciphertext.statistics))
    score = margin = None
    if len(fresh.codes):
        score = table_score(best.table, fresh, ciphertext)
        margin = score - table_score(_best(rivals).table, fresh, ciphertext) if rivals else None
    return Decipherment(
        best.table,
        table_cost(best.table, ciphertext.statistics),
        _excess(best.table, ciphertext),
        _recurrence(ends, ciphertext),
        made,
        best.found_by,
        score,
        margin,
        len(fresh.codes),
    )
