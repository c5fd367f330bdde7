"""One compiled step of expectation over a sequence of codes: what each code means, and which labels follow.

The messages of `kernels.chains` for labels that follow the one before, with the counts taken on the way back,
so that nothing of the size of the sequence outlives its own sequence. Scores stand once for each code.
"""

from __future__ import annotations

import numpy as np
from numba import njit

# Sums may be reordered and fused (SIMD reductions), but NaN and infinity keep their meaning.
_jit = njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract", "reassoc", "nsz"})
# A part that is called, not inlined, is rounded otherwise by the process that compiles it than by those that
# load it from the cache: there the name stands for code optimised alone.
_inline = njit(
    cache=True, nogil=True, error_model="numpy", fastmath={"contract", "reassoc", "nsz"}, inline="always"
)


@_jit
def expect(codes, stops, scores, opening, transitions, counts, pairs, logs):
    """Add expected labels to `counts` (K, C), pairs of them to `pairs` (C, C); ln likelihoods to `logs` (S,).

    `codes` (T,) number the rows of `scores` (K, C); a sequence ends before each of `stops` (S,).
    """
    n_classes, longest, begin = scores.shape[1], 0, 0
    for end in stops:
        longest, begin = max(longest, end - begin), end
    alpha, inverse = np.empty((longest, n_classes)), np.empty(longest)
    begin = 0
    for s in range(stops.size):
        end = stops[s]
        logs[s] = _forward(codes[begin:end], scores, opening, transitions, alpha, inverse)
        _backward(codes[begin:end], scores, transitions, alpha, inverse, counts, pairs)
        begin = end


@_jit
def likelihoods(codes, stops, scores, opening, transitions, logs):
    """The way forward alone: ln likelihood of each sequence to `logs` (S,)."""
    alpha, inverse, begin = np.empty((2, scores.shape[1])), np.empty(2), 0
    for s in range(stops.size):
        end = stops[s]
        logs[s] = _forward(codes[begin:end], scores, opening, transitions, alpha, inverse)
        begin = end


@_inline
def _forward(codes, scores, opening, transitions, alpha, inverse):
    """α of each step, summing to one, and one over its sum before; of the last two if room is short."""
    n_classes = scores.shape[1]
    kept = -1 if alpha.shape[0] >= codes.size else 1  # every step, or every second in the place of another
    log, scale = 0.0, 1.0
    for t in range(codes.size):  # rows are not named: numba counts who holds each, which costs as much as it
        code, now, before = codes[t], t & kept, (t - 1) & kept
        if t == 0:
            for j in range(n_classes):
                alpha[now, j] = opening[j]
        else:
            for j in range(n_classes):
                alpha[now, j] = alpha[before, 0] * transitions[0, j]
            for i in range(1, n_classes):
                a = alpha[before, i]
                for j in range(n_classes):
                    alpha[now, j] += a * transitions[i, j]
        total = 0.0
        for j in range(n_classes):
            alpha[now, j] *= scores[code, j]
            total += alpha[now, j]
        one_over = 1.0 / total
        for j in range(n_classes):
            alpha[now, j] *= one_over
        inverse[now] = one_over
        scale *= total
        if not 1e-200 < scale < 1e200:  # a logarithm costs as much as a step
            log += np.log(scale)
            scale = 1.0
    return log + np.log(scale)


@_inline
def _backward(codes, scores, transitions, alpha, inverse, counts, pairs):
    """β on the way back, and what it and α say of labels and of pairs of them."""
    n_classes = scores.shape[1]
    beta, ahead = np.ones(n_classes), np.empty(n_classes)
    for t in range(codes.size - 1, -1, -1):
        code = codes[t]
        for j in range(n_classes):
            counts[code, j] += alpha[t, j] * beta[j]
        if t == 0:
            return
        for j in range(n_classes):
            ahead[j] = scores[code, j] * beta[j] * inverse[t]
        for i in range(n_classes):
            a, total = alpha[t - 1, i], 0.0
            for j in range(n_classes):
                step = transitions[i, j] * ahead[j]
                total += step
                pairs[i, j] += a * step
            beta[i] = total
