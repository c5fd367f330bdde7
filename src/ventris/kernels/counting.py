"""Counting n-grams of integer symbols in one pass."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def add_ngrams(symbols, ends, order, base, counts):
    """Add the n-grams of `symbols` to the dense table `counts` of length base**order.

    A negative symbol is a break: no n-gram runs across it, nor across an end in `ends` (increasing).
    """
    high = base ** (order - 1)
    start = 0
    for end in ends:
        code = 0
        run = 0
        for t in range(start, end):
            symbol = np.int64(symbols[t])
            if symbol < 0:
                code = 0
                run = 0
                continue
            if run >= order:  # drop the oldest symbol before adding the newest
                code -= np.int64(symbols[t - order]) * high
                run -= 1
            code = code * base + symbol
            run += 1
            if run == order:
                counts[code] += 1
        start = end


@njit(cache=True, nogil=True)
def ngram_codes(symbols, ends, order, base):
    """Mixed-radix code of each n-gram, oldest symbol most significant: `add_ngrams` for large tables."""
    codes = np.empty(len(symbols), np.int64)
    filled = 0
    start = 0
    for end in ends:
        run = 0
        for t in range(start, end):
            run = run + 1 if symbols[t] >= 0 else 0
            if run >= order:
                code = np.int64(0)
                for k in range(t - order + 1, t + 1):
                    code = code * base + np.int64(symbols[k])
                codes[filled] = code
                filled += 1
        start = end
    return codes[:filled]


@njit(cache=True, nogil=True)
def add_pairs(symbols, ends, least, first, pairs, singles):
    """Add the pairs of symbols at lags `least`, least + 1, … to `pairs` of shape (L, K, K), breaks as above.

    Symbols are counted in `singles`, of shape (K,), beside them. What ends before place `first` is left out:
    another chunk counts it.
    """
    start = 0
    for end in ends:
        run = start
        while run < end:  # a stretch without a break at a time: nothing to ask inside the hot loops
            while run < end and symbols[run] < 0:
                run += 1
            stop = run
            while stop < end and symbols[stop] >= 0:
                stop += 1
            for t in range(max(run, first), stop):
                singles[np.int64(symbols[t])] += 1
            for k in range(len(pairs)):  # one lag after another: one table fits the cache where all do not
                _add_pairs_of_run(symbols, max(run + least + k, first), stop, least + k, pairs[k])
            run = stop
        start = end


@njit(cache=True, nogil=True)
def _add_pairs_of_run(symbols, start, stop, lag, table):
    flat, base = table.reshape(table.size), len(table)
    for t in range(start, stop):
        flat[np.int64(symbols[t - lag]) * base + np.int64(symbols[t])] += 1


@njit(cache=True, nogil=True)
def draw_labels(cumulative, context, n_classes, uniforms, out):
    """Sample a label sequence from cumulative conditionals of shape (C**(N-1), C), one uniform a symbol."""
    n_contexts = cumulative.shape[0]
    for t in range(len(uniforms)):
        row = cumulative[context]
        label = 0
        while label < n_classes - 1 and uniforms[t] >= row[label]:
            label += 1
        out[t] = label
        context = (context * n_classes + label) % n_contexts
