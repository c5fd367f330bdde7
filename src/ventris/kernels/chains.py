"""Compiled messages along a chain of labels that follows every label: sums and maxima over all paths.

A state at step t is the last N − 1 labels up to t, oldest first. With h its oldest label, m the ones between
and j the newest, one step forward and one step back read (with a maximum in place of the sum for best paths)

    α_t[m, j] = b_t(j) Σ_h P(j | h, m) α_{t−1}[h, m]        β_{t−1}[h, m] = Σ_j P(j | h, m) b_t(j) β_t[m, j].

`first` is the step of the first full state of a sequence, the one of its label N − 1, weighed by the joint of
these labels; `last` is its last step. A message is scaled when it has grown or shrunk far from one. A store
holds the messages of consecutive steps one after another, from state number `base` on. `kernels.two_labels`
does the same for the smallest of chains, `kernels.lattice` for the labels worth following alone.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

# Sums may be reordered and fused (SIMD reductions), but NaN and infinity keep their meaning.
_jit = njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract", "reassoc", "nsz"})
# An array is seven arguments to a compiled function: at a few classes the call costs more than the step.
_inline = njit(
    cache=True, nogil=True, error_model="numpy", fastmath={"contract", "reassoc", "nsz"}, inline="always"
)

LOGLIK, POSTERIORS, BEST_PATH = 0, 1, 2
CHUNK = 2**15  # numbers: 256 KB


class Tables(NamedTuple):
    """Scores and label model as these kernels want them."""

    scores: np.ndarray  # (T, C) b_t(y), float32 or float64
    opening: np.ndarray  # (C**(N−1),) joint of the first N − 1 labels
    conditional: np.ndarray  # (C, M, C) P(j | h, m), M = C**(N−2)
    ahead: np.ndarray  # (M, W, W) the same as [m, h, j], zeros added up to W, a multiple of 4 (SIMD lanes)
    behind: np.ndarray  # (M, W, W) the same as [m, j, h]
    memory: int  # N − 1


# ---------------------------------------------------------------------------------------------- one step


@_inline
def larger(a, b):
    return a if a > b else b


@_jit
def copy(source, target):
    """target[:] = source[: target.size]; numba takes a second to compile that line, and none for this."""
    for i in range(target.size):
        target[i] = source[i]


@_inline
def _product(x, matrix, y, maximise):
    """y = x · matrix, or the maximum in place of the sum; four rows at a time, SIMD along each row."""
    y[:] = 0.0
    for i in range(0, x.size, 4):
        a0, a1, a2, a3 = x[i], x[i + 1], x[i + 2], x[i + 3]
        r0, r1, r2, r3 = matrix[i], matrix[i + 1], matrix[i + 2], matrix[i + 3]
        if maximise:
            for j in range(y.size):  # one running maximum: nested ones become slow masks
                best = y[j]
                best = larger(a0 * r0[j], best)
                best = larger(a1 * r1[j], best)
                best = larger(a2 * r2[j], best)
                y[j] = larger(a3 * r3[j], best)
        else:
            for j in range(y.size):
                y[j] += a0 * r0[j] + a1 * r1[j] + a2 * r2[j] + a3 * r3[j]


@_inline
def rescale(message, maximise):
    """Scale a message to sum (or maximum) one if it leaves a safe range: the scale, 0 if no path is left."""
    total = 0.0
    for i in range(message.size):
        total = larger(message[i], total) if maximise else total + message[i]
    if 1e-50 < total < 1e50:
        return 1.0
    for i in range(message.size):
        message[i] /= total
    return total


@_inline
def _advance(row, ahead, source, target, x, y, maximise):
    """α_t from α_{t−1}, scaled; returns the scale."""
    n_middle, n_classes = ahead.shape[0], row.size
    for m in range(n_middle):
        for h in range(n_classes):
            x[h] = source[h * n_middle + m]
        _product(x, ahead[m], y, maximise)
        out = target[m * n_classes : (m + 1) * n_classes]
        for j in range(n_classes):
            out[j] = y[j] * row[j]
    return rescale(target, maximise)


@_inline
def _retreat(row, behind, source, target, x, y, maximise):
    """β_t from β_{t+1}, scaled, with the scores of t + 1; returns the scale."""
    n_middle, n_classes = behind.shape[0], row.size
    for m in range(n_middle):
        given = source[m * n_classes : (m + 1) * n_classes]
        for j in range(n_classes):
            x[j] = row[j] * given[j]
        _product(x, behind[m], y, maximise)
        for h in range(n_classes):
            target[h * n_middle + m] = y[h]
    return rescale(target, maximise)


@_jit
def _open(scores, opening, memory, first, target, maximise):
    """α at the first full state of a sequence: the joint of its labels times their scores."""
    n_classes, stride = scores.shape[1], 1
    copy(opening, target)
    for t in range(first, first - memory, -1):
        for i in range(target.size):
            target[i] *= scores[t, i // stride % n_classes]
        stride *= n_classes
    return rescale(target, maximise)


# -------------------------------------------------------------------------------------------- many steps


@_jit
def fill_forward(tables, first, begin, end, entry, store, base, maximise):
    """Store α_t for t in [begin, end), from α_{begin−1}: ln of the scales, and where no path is left (−1)."""
    scores, ahead, size = tables.scores, tables.ahead, tables.opening.size
    log, source = 0.0, entry
    if begin == first:
        source = store[begin * size - base : (begin + 1) * size - base]
        scale = _open(scores, tables.opening, tables.memory, first, source, maximise)
        if not 0.0 < scale < np.inf:
            return log, begin
        log, begin = np.log(scale), begin + 1
    x, y = np.zeros(ahead.shape[1]), np.empty(ahead.shape[1])
    for t in range(begin, end):
        target = store[t * size - base : (t + 1) * size - base]
        scale = _advance(scores[t], ahead, source, target, x, y, maximise)
        if not 0.0 < scale < np.inf:
            return log, t
        if scale != 1.0:
            log += np.log(scale)
        source = target
    return log, -1


@_jit
def fill_backward(tables, last, begin, end, entry, store, base, maximise):
    """Store β_t for t in [begin, end), from β_end: ln of the scales, and where no path is left (−1)."""
    scores, behind, size = tables.scores, tables.behind, tables.opening.size
    log, source = 0.0, entry
    if end - 1 == last:
        source = store[last * size - base : (last + 1) * size - base]
        source[:] = 1.0
        log, end = np.log(rescale(source, maximise)), end - 1
    x, y = np.zeros(behind.shape[1]), np.empty(behind.shape[1])
    for t in range(end - 1, begin - 1, -1):
        target = store[t * size - base : (t + 1) * size - base]
        scale = _retreat(scores[t + 1], behind, source, target, x, y, maximise)
        if not 0.0 < scale < np.inf:
            return log, t + 1  # the step whose scores or transitions left nothing
        if scale != 1.0:
            log += np.log(scale)
        source = target
    return log, -1


@_inline
def _emit(alpha, beta, mass, row):
    """γ_t(y) ∝ Σ of α β over the states that end in y; returns the sum. `row` may hold α or β."""
    n_classes, total = mass.size, 0.0
    for j in range(n_classes):
        mass[j] = alpha[j] * beta[j]
    for r in range(1, alpha.size // n_classes):
        a, b = alpha[r * n_classes : (r + 1) * n_classes], beta[r * n_classes : (r + 1) * n_classes]
        for j in range(n_classes):
            mass[j] += a[j] * b[j]
    for j in range(n_classes):
        total += mass[j]
    inverse = 1.0 / total
    for j in range(n_classes):
        row[j] = mass[j] * inverse
    return total if inverse < np.inf else 0.0


@_jit
def _emit_opening(alpha, beta, memory, first, out):
    """Posteriors of the labels before the newest of the first state."""
    n_classes = out.shape[1]
    stride = n_classes
    for t in range(first - 1, first - memory, -1):
        mass, total = np.zeros(n_classes), 0.0
        for i in range(alpha.size):
            mass[i // stride % n_classes] += alpha[i] * beta[i]
            total += alpha[i] * beta[i]
        for y in range(n_classes):
            out[t, y] = mass[y] / total
        stride *= n_classes


@_jit
def _smooth(tables, first, begin, end, alphas, base_alpha, betas, base_beta, out):
    """Posteriors of [begin, end) from the stored α and β; returns where no path was left, or −1."""
    size, mass = tables.opening.size, np.empty(out.shape[1])
    for t in range(begin, end):
        alpha = alphas[t * size - base_alpha : (t + 1) * size - base_alpha]
        beta = betas[t * size - base_beta : (t + 1) * size - base_beta]
        if t == first:
            _emit_opening(alpha, beta, tables.memory, first, out)
        if not _emit(alpha, beta, mass, out[t]) > 0.0:
            return t
    return -1


@_jit
def smooth_backward(tables, first, last, begin, end, entry, alphas, base, out):
    """Posteriors of [begin, end) from the stored α and β_end in `entry`, which ends as β_begin.

    Chunks keep the β in the processor's cache. Returns where no path was left, or −1.
    """
    size = tables.opening.size
    n_steps = max(1, CHUNK // size)
    betas = np.empty(n_steps * size)
    for stop in range(end, begin, -n_steps):
        start = max(begin, stop - n_steps)
        _, broken = fill_backward(tables, last, start, stop, entry, betas, start * size, False)
        if broken < 0:
            broken = _smooth(tables, first, start, stop, alphas, base, betas, start * size, out)
        if broken >= 0:
            return broken
        copy(betas[:size], entry)
    return -1


@_jit
def smooth_forward(tables, first, begin, end, entry, betas, base, out):
    """Posteriors of [begin, end) from the stored β and α_{begin−1} in `entry`, which ends as α_{end−1}."""
    size = tables.opening.size
    n_steps = max(1, CHUNK // size)
    alphas = np.empty(n_steps * size)
    for start in range(begin, end, n_steps):
        stop = min(end, start + n_steps)
        _, broken = fill_forward(tables, first, start, stop, entry, alphas, start * size, False)
        if broken < 0:
            broken = _smooth(tables, first, start, stop, alphas, start * size, betas, base, out)
        if broken >= 0:
            return broken
        copy(alphas[(stop - 1 - start) * size :], entry)
    return -1


# --------------------------------------------------------------------------------------------- best path


@_jit
def spell(tables, t, state, labels):
    """Write the labels of a state at t to the N − 1 steps it spans."""
    n_classes = tables.scores.shape[1]
    for u in range(t, t - tables.memory, -1):
        labels[u] = state % n_classes
        state //= n_classes


@_jit
def trace_backward(tables, begin, end, state, store, base, labels):
    """Follow the best path from `state` at `end`, already spelt, down to `begin` through the α in `store`.

    The argmax at each step is taken again rather than stored: C products against C^N on the way up.
    """
    n_classes, n_middle, _ = tables.conditional.shape
    size = tables.opening.size
    for t in range(end - 1, begin - 1, -1):
        m = state // n_classes
        j = state - m * n_classes
        alpha = store[t * size - base : (t + 1) * size - base]
        best, choice = -1.0, 0
        for h in range(n_classes):
            term = alpha[h * n_middle + m] * tables.conditional[h, m, j]
            if term > best:
                best, choice = term, h
        state = choice * n_middle + m
        labels[t - tables.memory + 1] = choice
    return state


@_jit
def trace_forward(tables, begin, end, state, store, base, labels):
    """Follow the best path from `state` at `begin` − 1, already spelt, to `end` through the β in `store`."""
    n_classes, n_middle, _ = tables.conditional.shape
    size = tables.opening.size
    for t in range(begin, end):
        h, m = state // n_middle, state % n_middle
        beta = store[t * size - base : (t + 1) * size - base]
        best, choice = -1.0, 0
        for j in range(n_classes):
            term = tables.conditional[h, m, j] * tables.scores[t, j] * beta[m * n_classes + j]
            if term > best:
                best, choice = term, j
        state = m * n_classes + choice
        labels[t] = choice
    return state


# ------------------------------------------------------------------------------ many sequences, one thread


@_jit
def walk(tables, spans, store, in_place, task, out, labels, logs):
    """Do `task` for each sequence [spans[i, 0], spans[i, 1]); returns where no path was left, or −1.

    `in_place` says that `store` is the output itself; otherwise it has room for the longest sequence.
    """
    size = tables.opening.size
    entry = np.empty(size)
    for i in range(spans.shape[0]):
        first, last = spans[i, 0] + tables.memory - 1, spans[i, 1] - 1
        base = 0 if in_place else first * size
        log, broken = fill_forward(tables, first, first, last + 1, entry, store, base, task == BEST_PATH)
        final = store[last * size - base : (last + 1) * size - base]
        logs[i] = log + np.log(final.max() if task == BEST_PATH else final.sum())
        if broken < 0 and task == POSTERIORS:
            broken = smooth_backward(tables, first, last, first, last + 1, entry, store, base, out)
        if broken >= 0:
            return broken
        if task == BEST_PATH:
            state = final.argmax()
            spell(tables, last, state, labels)
            trace_backward(tables, first, last, state, store, base, labels)
    return -1
