"""Labels read through a channel that changes, adds and drops symbols, stretch by stretch.

What was seen need not be as long as what was meant: a label may be seen as another symbol, be dropped, or be
followed by a symbol that stands for nothing. Pages cut wrongly, sounds and typed text are all of this kind.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ventris.errors import DataError
from ventris.kernels.pair_chains import (
    Contexts,
    Expected,
    Lists,
    Operations,
    Reading,
    fill_forward,
    read_backward,
)
from ventris.settings import Settings, setting


@dataclass(frozen=True)
class BeamSettings(Settings):
    """How many states are followed, and how far a stretch looks ahead."""

    threshold: float = setting(
        1e-4,
        "times the likeliest state of a place: others are not followed; 1e-5 errs as often, in 2.3x the time",
    )
    beam: int = setting(400, "states of a place that are followed at most; memory is bounded by it")
    stretch: int = setting(2000, "unmeasured: symbols between two returns; memory grows with it")
    ahead: int = setting(60, "unmeasured: symbols that a stretch looks ahead, ten words or so")


class Symbols(NamedTuple):
    """What was seen.

    Attributes
    ----------
    codes : int array of shape (T,)
        Numbers of the symbols, below V.
    own : int array of shape (V,)
        The label that each symbol is where nothing went wrong.
    may_drop : bool array of shape (T,)
        Whether a label may have been dropped before the symbol.
    may_add : bool array of shape (T,)
        Whether the symbol may stand for no label.
    """

    codes: NDArray[np.int64]
    own: NDArray[np.int64]
    may_drop: NDArray[np.bool_]
    may_add: NDArray[np.bool_]


class Through(NamedTuple):
    """What was read: the likeliest at each symbol, events expected in all, ln likelihood."""

    reading: Reading
    expected: Expected
    log_likelihood: float


def read_through(
    contexts: Contexts,
    operations: Operations,
    symbols: Symbols,
    *,
    opening: int,
    settings: BeamSettings | None = None,
    watch: Callable[[int], None] | None = None,
) -> Through:
    """Posteriors of labels, of symbols added and of labels dropped (forward–backward, pair HMM, beam).

    Parameters
    ----------
    contexts : Contexts
        How labels follow one another.
    operations : Operations
        What the channel does to a label.
    symbols : Symbols
    opening : int
        The state before the first symbol.
    settings : BeamSettings, optional
    watch : function of the number of symbols read, optional

    References
    ----------
    R. Durbin, S. R. Eddy, A. Krogh, G. Mitchison, Biological sequence analysis, chapter 4 (1998).
    """
    settings = settings or BeamSettings()
    n_symbols, n_classes = operations.substitute.shape
    expected = Expected(
        np.zeros((n_symbols, n_classes)), np.zeros((n_symbols, n_classes)), *np.zeros((4, n_classes))
    )
    n = len(symbols.codes)
    reading = Reading(
        np.zeros(n, np.int16), np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(n, np.int16), np.zeros(n)
    )
    slots = np.full((2, len(contexts.table) + len(contexts.lower)), -1, np.int32)
    lists = _room(min(n, settings.stretch + settings.ahead), settings.beam)
    lists.states[0], lists.alpha[0], lists.dropped[0] = opening, 1.0, 1
    total = 0.0
    for begin in range(0, n, settings.stretch):
        kept = min(settings.stretch, n - begin)
        part = slice(begin, min(n, begin + settings.stretch + settings.ahead))
        seen = (symbols.codes[part], symbols.may_drop[part], symbols.may_add[part])
        log = fill_forward(contexts, operations, *seen, settings.threshold, settings.beam, slots, lists)
        if np.isnan(log):
            raise DataError(
                "Every symbol must be possible under the channel",
                f"none of the symbols {begin} to {part.stop} can be read",
                "Give each symbol some probability",
            )
        rows = Reading(*(array[begin : begin + kept] for array in reading))
        read_backward(
            contexts, operations, seen[0], symbols.own, *seen[1:], kept, slots, lists, expected, rows
        )
        total += float(np.log(lists.scale[1 : kept + 1]).sum())
        _carry_on(lists, kept)
        if watch is not None:
            watch(begin + kept)
    return Through(reading, expected, total)


def _room(n: int, beam: int) -> Lists:
    capacity = 2 * beam * (n + 3)
    return Lists(
        np.zeros(capacity, np.int32),
        np.zeros(capacity),
        np.zeros(n + 2, np.int64),
        np.zeros(n + 2, np.int64),
        np.ones(n + 1),
    )


def _carry_on(lists: Lists, place: int) -> None:
    """The states of a place become those that the next stretch begins with."""
    begin, end = lists.begin[place], lists.dropped[place]
    lists.states[: end - begin] = lists.states[begin:end].copy()
    lists.alpha[: end - begin] = lists.alpha[begin:end].copy()
    lists.dropped[0] = end - begin
