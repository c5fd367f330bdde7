"""Counting letter n-grams against the memory: a plain sum over the same bytes. Both in one thread.

Rates are symbols a CPU second, so that whatever else runs on the machine does not count. A sum reads each
byte once and keeps one number; a count also finds its cell.
"""

from __future__ import annotations

from statistics import median

import numpy as np
from numpy.typing import NDArray

from bench.clocks import interleaved, paired_ratio
from bench.rows import Measured, Row, alone
from ventris.data.ngrams import count_ngrams

N_SYMBOLS, N_LETTERS, ORDERS = 40_000_000, 27, (2, 3, 4)
WANTED = 50e6  # symbols a second; it was asked of two cores
ROUNDS, QUICK_ROUNDS = 7, 3


def letters(n_symbols: int, seed: int = 0) -> NDArray[np.int8]:
    """Letters drawn one by one from uneven shares."""
    rng = np.random.default_rng(seed)
    shares = np.cumsum(rng.dirichlet(np.ones(N_LETTERS)))
    return np.searchsorted(shares[:-1], rng.random(n_symbols)).astype(np.int8)


def plain_sum(symbols: NDArray[np.int8]) -> int:
    """The sum of the bytes, eight at a time."""
    return int(symbols.view(np.int64).sum())


def measure(quick: bool = False) -> Measured:
    """For each order a row against the sum, and one against the rate that is asked for."""
    symbols = letters(N_SYMBOLS // 4 if quick else N_SYMBOLS)
    sides = {"sum": lambda: plain_sum(symbols)}
    for order in ORDERS:
        sides[str(order)] = lambda n=order: count_ngrams(symbols, n, N_LETTERS)
    times = interleaved(sides, QUICK_ROUNDS if quick else ROUNDS)
    rates = {name: len(symbols) / np.array(taken) for name, taken in times.items()}
    return Measured([row for order in ORDERS for row in _rows(order, rates)])


def _rows(order: int, rates: dict[str, NDArray]) -> list[Row]:
    ours = rates[str(order)]
    against_sum, spread = paired_ratio(ours, rates["sum"])
    against_bar, bar_spread = paired_ratio(ours, np.full(len(ours), WANTED))
    common = {"suite": "counting", "unit": "M symbols/s", "alone": alone("counting")}
    name, rate = f"n-gram counts, order {order}, {N_LETTERS} letters", median(ours) / 1e6
    return [
        Row(
            compared=f"{name} / {WANTED / 1e6:.0f} M symbols/s",
            ours=rate,
            peer=WANTED / 1e6,
            ratio=against_bar,
            spread=bar_spread,
            bar=1.0,
            **common,
        ),
        Row(
            compared=f"{name} / plain sum of the bytes",
            ours=rate,
            peer=median(rates["sum"]) / 1e6,
            ratio=against_sum,
            spread=spread,
            limit=True,
            note=_note(order),
            **common,
        ),
    ]


def _note(order: int) -> str:
    size = 8 * N_LETTERS**order
    return f"one scattered add a symbol into a table of {size / 1024:.0f} KiB"
