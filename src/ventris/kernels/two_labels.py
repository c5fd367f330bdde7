"""Messages along a chain of two labels, each following the one before: two numbers a step, in registers.

What `kernels.chains` does for any number of labels and any memory, under the same names: its loops over the
labels would cost more here than the four products of a step, and take five times as long to compile.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from ventris.kernels.chains import BEST_PATH, CHUNK, POSTERIORS

_jit = njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract", "reassoc", "nsz"})
_STEPS = CHUNK // 2  # two numbers a step


class Tables(NamedTuple):
    """Scores and label model as these kernels want them."""

    scores: np.ndarray  # (T, 2) b_t(y), float32 or float64
    opening: np.ndarray  # (2,) P(first label)
    transition: np.ndarray  # (2, 2) P(label | the one before)
    memory: int = 1


# -------------------------------------------------------------------------------------------- many steps


@_jit
def fill_forward(tables, first, begin, end, entry, store, base, maximise):
    """Store α_t for t in [begin, end), from α_{begin−1}: ln of the scales, and where no path is left (−1)."""
    scores, p = tables.scores, tables.transition
    p00, p01, p10, p11 = p[0, 0], p[0, 1], p[1, 0], p[1, 1]
    a, b, log = entry[0], entry[1], 0.0
    if begin == first:
        a, b = tables.opening[0] * scores[first, 0], tables.opening[1] * scores[first, 1]
        total = max(a, b) if maximise else a + b
        if not 1e-50 < total < 1e50:
            if not 0.0 < total < np.inf:
                return log, first
            a, b, log = a / total, b / total, np.log(total)
        store[2 * first - base], store[2 * first + 1 - base] = a, b
        begin += 1
    for t in range(begin, end):
        if maximise:
            a, b = max(a * p00, b * p10) * scores[t, 0], max(a * p01, b * p11) * scores[t, 1]
            total = max(a, b)
        else:
            a, b = (a * p00 + b * p10) * scores[t, 0], (a * p01 + b * p11) * scores[t, 1]
            total = a + b
        if not 1e-50 < total < 1e50:
            if not 0.0 < total < np.inf:
                return log, t
            a, b = a / total, b / total
            log += np.log(total)
        store[2 * t - base], store[2 * t + 1 - base] = a, b
    return log, -1


@_jit
def fill_backward(tables, last, begin, end, entry, store, base, maximise):
    """Store β_t for t in [begin, end), from β_end: ln of the scales, and where no path is left (−1)."""
    scores, p = tables.scores, tables.transition
    p00, p01, p10, p11 = p[0, 0], p[0, 1], p[1, 0], p[1, 1]
    a, b, log = entry[0], entry[1], 0.0
    if end - 1 == last:
        a, b, end = 1.0, 1.0, last
        store[2 * last - base], store[2 * last + 1 - base] = a, b
    for t in range(end - 1, begin - 1, -1):
        a, b = a * scores[t + 1, 0], b * scores[t + 1, 1]
        if maximise:
            a, b = max(a * p00, b * p01), max(a * p10, b * p11)
            total = max(a, b)
        else:
            a, b = a * p00 + b * p01, a * p10 + b * p11
            total = a + b
        if not 1e-50 < total < 1e50:
            if not 0.0 < total < np.inf:
                return log, t + 1  # the step whose scores or transitions left nothing
            a, b = a / total, b / total
            log += np.log(total)
        store[2 * t - base], store[2 * t + 1 - base] = a, b
    return log, -1


@_jit
def _smooth(begin, end, alphas, base_alpha, betas, base_beta, out):
    """Posteriors of [begin, end) from the stored α and β; returns where no path was left, or −1."""
    for t in range(begin, end):
        first = alphas[2 * t - base_alpha] * betas[2 * t - base_beta]
        second = alphas[2 * t + 1 - base_alpha] * betas[2 * t + 1 - base_beta]
        inverse = 1.0 / (first + second)
        if not 0.0 < inverse < np.inf:
            return t
        out[t, 0], out[t, 1] = first * inverse, second * inverse
    return -1


@_jit
def smooth_backward(tables, first, last, begin, end, entry, alphas, base, out):
    """Posteriors of [begin, end) from the stored α and β_end in `entry`, which ends as β_begin."""
    betas = np.empty(2 * _STEPS)
    for stop in range(end, begin, -_STEPS):
        start = max(begin, stop - _STEPS)
        _, broken = fill_backward(tables, last, start, stop, entry, betas, 2 * start, False)
        if broken < 0:
            broken = _smooth(start, stop, alphas, base, betas, 2 * start, out)
        if broken >= 0:
            return broken
        entry[0], entry[1] = betas[0], betas[1]
    return -1


@_jit
def smooth_forward(tables, first, begin, end, entry, betas, base, out):
    """Posteriors of [begin, end) from the stored β and α_{begin−1} in `entry`, which ends as α_{end−1}."""
    alphas = np.empty(2 * _STEPS)
    for start in range(begin, end, _STEPS):
        stop = min(end, start + _STEPS)
        _, broken = fill_forward(tables, first, start, stop, entry, alphas, 2 * start, False)
        if broken < 0:
            broken = _smooth(start, stop, alphas, 2 * start, betas, base, out)
        if broken >= 0:
            return broken
        final = 2 * (stop - 1 - start)
        entry[0], entry[1] = alphas[final], alphas[final + 1]
    return -1


# --------------------------------------------------------------------------------------------- best path


@_jit
def spell(tables, t, state, labels):
    """Write the label of a state at t."""
    labels[t] = state


@_jit
def trace_backward(tables, begin, end, state, store, base, labels):
    """Follow the best path from `state` at `end`, already spelt, down to `begin` through the α in `store`."""
    p = tables.transition
    p00, p01, p10, p11 = p[0, 0], p[0, 1], p[1, 0], p[1, 1]
    for t in range(end - 1, begin - 1, -1):
        a, b = store[2 * t - base], store[2 * t + 1 - base]
        # Both answers at once, then a choice: a branch on the label just found would be guessed wrong often.
        after_first, after_second = int(b * p10 > a * p00), int(b * p11 > a * p01)
        state = after_second if state else after_first
        labels[t] = state
    return state


@_jit
def trace_forward(tables, begin, end, state, store, base, labels):
    """Follow the best path from `state` at `begin` − 1, already spelt, to `end` through the β in `store`."""
    scores, p = tables.scores, tables.transition
    for t in range(begin, end):
        first = p[state, 0] * scores[t, 0] * store[2 * t - base]
        second = p[state, 1] * scores[t, 1] * store[2 * t + 1 - base]
        state = int(second > first)
        labels[t] = state
    return state


# ------------------------------------------------------------------------------ many sequences, one thread


@_jit
def walk(tables, spans, store, in_place, task, out, labels, logs):
    """Do `task` for each sequence [spans[i, 0], spans[i, 1]); returns where no path was left, or −1.

    `in_place` says that `store` is the output itself; otherwise it has room for the longest sequence.
    """
    entry, best = np.empty(2), task == BEST_PATH
    for i in range(spans.shape[0]):
        first, last = spans[i, 0], spans[i, 1] - 1
        base = 0 if in_place else 2 * first
        log, broken = fill_forward(tables, first, first, last + 1, entry, store, base, best)
        a, b = store[2 * last - base], store[2 * last + 1 - base]
        logs[i] = log + np.log(max(a, b) if best else a + b)
        if broken < 0 and task == POSTERIORS:
            broken = smooth_backward(tables, first, last, first, last + 1, entry, store, base, out)
        if broken >= 0:
            return broken
        if best:
            state = int(b > a)
            labels[last] = state
            trace_backward(tables, first, last, state, store, base, labels)
    return -1
