"""Messages along a chain of two labels, each following the one before: two numbers a step, in registers.

What `kernels.chains` does for any number of labels and any memory; its loops over labels would cost more here
than the four products of a step.
"""

from __future__ import annotations

import numpy as np
from numba import njit

_jit = njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract", "reassoc", "nsz"})


@_jit
def forward(scores, transition, begin, end, entry, store, base, maximise):
    """Store α_t for t in [begin, end), from α_{begin−1}: ln of the scales, and where no path is left (−1)."""
    p00, p01, p10, p11 = transition[0, 0], transition[0, 1], transition[1, 0], transition[1, 1]
    a, b, log = entry[0], entry[1], 0.0
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
def backward(scores, transition, begin, end, entry, store, base, maximise):
    """Store β_t for t in [begin, end), from β_end: ln of the scales, and where no path is left (−1)."""
    p00, p01, p10, p11 = transition[0, 0], transition[0, 1], transition[1, 0], transition[1, 1]
    a, b, log = entry[0], entry[1], 0.0
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
                return log, t + 1
            a, b = a / total, b / total
            log += np.log(total)
        store[2 * t - base], store[2 * t + 1 - base] = a, b
    return log, -1


@_jit
def smooth(begin, end, alphas, base_alpha, betas, base_beta, out):
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
def trace_backward(transition, begin, end, state, store, base, labels):
    """Follow the best path from `state` at `end` down to `begin` through the α in `store`."""
    p00, p01, p10, p11 = transition[0, 0], transition[0, 1], transition[1, 0], transition[1, 1]
    for t in range(end - 1, begin - 1, -1):
        a, b = store[2 * t - base], store[2 * t + 1 - base]
        # Both answers at once, then a choice: a branch on the label just found would be guessed wrong often.
        after_first, after_second = int(b * p10 > a * p00), int(b * p11 > a * p01)
        state = after_second if state else after_first
        labels[t] = state
    return state
