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
def add_pairs(symbols, ends, lag, base, counts):
    """Add the pairs of symbols `lag` apart to the table `counts` of length base**2, breaks as above."""
    start = 0
    for end in ends:
        clear = 0  # symbols since the last break
        for t in range(start, end):
            clear = clear + 1 if symbols[t] >= 0 else 0
            if clear > lag:
                counts[np.int64(symbols[t - lag]) * base + np.int64(symbols[t])] += 1
        start = end


@njit(cache=True, nogil=True)
def walk(cumulative, context, n_classes, uniforms, out):
    """Sample a label sequence from cumulative conditionals of shape (C**(N-1), C), one uniform a symbol."""
    n_contexts = cumulative.shape[0]
    for t in range(len(uniforms)):
        row = cumulative[context]
        label = 0
        while label < n_classes - 1 and uniforms[t] >= row[label]:
            label += 1
        out[t] = label
        context = (context * n_classes + label) % n_contexts
