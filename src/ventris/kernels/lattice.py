"""Compiled messages as in `chains`, on the lattice of the few labels worth following at each step.

The labels followed at step t are the first counts[t] of candidates[t]. A state at t is one of them for each
of the last N − 1 steps, numbered with the newest label fastest, so the steps read as in `chains`, with ragged
sizes. Label strings become places in the dense table of the label model by their code in base C.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from ventris.kernels.chains import BEST_PATH, POSTERIORS, copy, larger, rescale

_jit = njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract", "reassoc", "nsz"})


class Tables(NamedTuple):
    """Scores, label model and lattice as these kernels want them."""

    scores: np.ndarray  # (T, C) b_t(y), float32 or float64
    opening: np.ndarray  # (C**(N−1),) joint of the first N − 1 labels
    conditional: np.ndarray  # (C**N,) P(last | previous)
    candidates: np.ndarray  # (T, K) int16, likeliest first
    counts: np.ndarray  # (T,) int64
    offsets: np.ndarray  # (T + 1,) int64, number of states before each step
    memory: int  # N − 1


# --------------------------------------------------------------------------------------- labels to follow


@_jit
def likeliest(posteriors, threshold, candidates, counts):
    """The labels of each step with posterior ≥ threshold, likeliest first: at most K, at least one."""
    n_kept = candidates.shape[1]
    for t in range(posteriors.shape[0]):
        row, chosen = posteriors[t], candidates[t]
        n, best = 0, 0
        for y in range(row.size):
            if row[y] > row[best]:
                best = y
            if row[y] < threshold:
                continue
            place = n
            while place > 0 and row[chosen[place - 1]] < row[y]:
                if place < n_kept:
                    chosen[place] = chosen[place - 1]
                place -= 1
            if place < n_kept:
                chosen[place] = y
                n = min(n + 1, n_kept)
        if n == 0:
            chosen[0] = best
        counts[t] = max(n, 1)


@_jit
def thin(posteriors, candidates, counts, spans, order, beam):
    """Where `order` steps in a row would make more than `beam` transitions, drop the least likely labels."""
    for i in range(spans.shape[0]):
        start, stop = spans[i]
        for t in range(start, stop):
            first = max(start, t - order + 1)
            while counts[first : t + 1].prod() > beam:
                least, weakest = np.inf, t
                for u in range(first, t + 1):
                    value = posteriors[u, candidates[u, counts[u] - 1]]
                    if counts[u] > 1 and value < least:
                        least, weakest = value, u
                counts[weakest] -= 1


@_jit
def state_offsets(counts, spans, memory, offsets):
    """Number of states before each step; a step with fewer than `memory` − 1 steps before it has none."""
    for i in range(spans.shape[0]):
        start, stop = spans[i]
        for t in range(start, stop):
            first = t - memory + 1
            size = counts[first : t + 1].prod() if first >= start else 0
            offsets[t + 1] = offsets[t] + size


# ----------------------------------------------------------------------------------------------- one step


@_jit
def _code(candidates, counts, n_classes, first, stop, m):
    """Label string number m over the steps first, …, stop − 1, read as a number in base C."""
    code, place = 0, 1
    for u in range(stop - 1, first - 1, -1):
        code += place * candidates[u, m % counts[u]]
        m //= counts[u]
        place *= n_classes
    return code


@_jit
def _advance(row, table, candidates, counts, oldest, t, source, target, maximise):
    """α_t from α_{t−1}, scaled; returns the scale. `oldest` is the step that t forgets."""
    n_classes, n_new = row.size, counts[t]
    n_middle, stride = target.size // n_new, table.size // n_classes
    target[:] = 0.0
    for m in range(n_middle):
        column = n_classes * _code(candidates, counts, n_classes, oldest + 1, t, m)
        out = target[m * n_new : (m + 1) * n_new]
        for h in range(counts[oldest]):
            given, place = source[h * n_middle + m], stride * candidates[oldest, h] + column
            for j in range(n_new):
                term = given * table[place + candidates[t, j]]
                out[j] = larger(term, out[j]) if maximise else out[j] + term
        for j in range(n_new):
            out[j] *= row[candidates[t, j]]
    return rescale(target, maximise)


@_jit
def _retreat(row, table, candidates, counts, oldest, t, source, target, maximise):
    """β_{t−1} from β_t, scaled; returns the scale. `oldest` is the step that t forgets."""
    n_classes, n_new = row.size, counts[t]
    n_middle, stride = target.size // counts[oldest], table.size // n_classes
    for m in range(n_middle):
        column = n_classes * _code(candidates, counts, n_classes, oldest + 1, t, m)
        given = source[m * n_new : (m + 1) * n_new]
        for h in range(counts[oldest]):
            place, total = stride * candidates[oldest, h] + column, 0.0
            for j in range(n_new):
                label = candidates[t, j]
                term = table[place + label] * row[label] * given[j]
                total = larger(term, total) if maximise else total + term
            target[h * n_middle + m] = total
    return rescale(target, maximise)


@_jit
def _open(tables, first, target, maximise):
    """α at the first full state of a sequence: the joint of its labels times their scores."""
    n_classes = tables.scores.shape[1]
    for i in range(target.size):
        state, weight = i, 1.0
        for u in range(first, first - tables.memory, -1):
            weight *= tables.scores[u, tables.candidates[u, state % tables.counts[u]]]
            state //= tables.counts[u]
        begin = first - tables.memory + 1
        code = _code(tables.candidates, tables.counts, n_classes, begin, first + 1, i)
        target[i] = weight * tables.opening[code]
    return rescale(target, maximise)


# --------------------------------------------------------------------------------------------- many steps


@_jit
def fill_forward(tables, first, begin, end, entry, store, base, maximise):
    """Store α_t for t in [begin, end), from α_{begin−1}: ln of the scales, and where no path is left (−1)."""
    scores, table, candidates, counts, offsets = (
        tables.scores, tables.conditional, tables.candidates, tables.counts, tables.offsets
    )  # fmt: skip
    log, source = 0.0, entry
    for t in range(begin, end):
        target = store[offsets[t] - base : offsets[t + 1] - base]
        if t == first:
            scale = _open(tables, first, target, maximise)
        else:
            oldest = t - tables.memory
            scale = _advance(scores[t], table, candidates, counts, oldest, t, source, target, maximise)
        if not 0.0 < scale < np.inf:
            return log, t
        if scale != 1.0:
            log += np.log(scale)
        source = target
    return log, -1


@_jit
def fill_backward(tables, last, begin, end, entry, store, base, maximise):
    """Store β_t for t in [begin, end), from β_end: ln of the scales, and where no path is left (−1)."""
    scores, table, candidates, counts, offsets = (
        tables.scores, tables.conditional, tables.candidates, tables.counts, tables.offsets
    )  # fmt: skip
    log, source = 0.0, entry
    for t in range(end - 1, begin - 1, -1):
        target = store[offsets[t] - base : offsets[t + 1] - base]
        if t == last:
            target[:] = 1.0
            scale = rescale(target, maximise)
        else:
            u = t + 1
            oldest = u - tables.memory
            scale = _retreat(scores[u], table, candidates, counts, oldest, u, source, target, maximise)
        if not 0.0 < scale < np.inf:
            return log, t + 1  # the step whose scores or transitions left nothing
        if scale != 1.0:
            log += np.log(scale)
        source = target
    return log, -1


@_jit
def _emit(candidates, counts, t, alpha, beta, stride, out):
    """γ_t(y) ∝ Σ of α β over the states with y at t, whose number moves by `stride`; returns the sum."""
    total = 0.0
    for i in range(alpha.size):
        total += alpha[i] * beta[i]
    for j in range(counts[t]):
        out[t, candidates[t, j]] = 0.0
    for i in range(alpha.size):
        # Scaled before it is added: α β alone can be beyond what a float32 output can hold.
        out[t, candidates[t, i // stride % counts[t]]] += alpha[i] * beta[i] / total
    return total


@_jit
def _emit_opening(tables, first, alpha, beta, out):
    """Posteriors of the labels before the newest of the first state."""
    stride = tables.counts[first]
    for t in range(first - 1, first - tables.memory, -1):
        _emit(tables.candidates, tables.counts, t, alpha, beta, stride, out)
        stride *= tables.counts[t]


@_jit
def _smooth(tables, first, begin, end, alphas, base_alpha, betas, base_beta, out):
    """Posteriors of [begin, end) from the stored α and β; returns where no path was left, or −1."""
    candidates, counts, offsets = tables.candidates, tables.counts, tables.offsets
    for t in range(begin, end):
        alpha = alphas[offsets[t] - base_alpha : offsets[t + 1] - base_alpha]
        beta = betas[offsets[t] - base_beta : offsets[t + 1] - base_beta]
        if t == first:
            _emit_opening(tables, first, alpha, beta, out)
        if not _emit(candidates, counts, t, alpha, beta, 1, out) > 0.0:
            return t
    return -1


@_jit
def smooth_backward(tables, first, last, begin, end, entry, alphas, base, out):
    """Posteriors of [begin, end) from the stored α and β_end in `entry`, which ends as β_begin."""
    offsets = tables.offsets
    betas = np.empty(offsets[end] - offsets[begin])
    _, broken = fill_backward(tables, last, begin, end, entry, betas, offsets[begin], False)
    if broken < 0:
        broken = _smooth(tables, first, begin, end, alphas, base, betas, offsets[begin], out)
    n_states = offsets[begin + 1] - offsets[begin]
    copy(betas, entry[:n_states])
    return broken


@_jit
def smooth_forward(tables, first, begin, end, entry, betas, base, out):
    """Posteriors of [begin, end) from the stored β and α_{begin−1} in `entry`, which ends as α_{end−1}."""
    offsets = tables.offsets
    alphas = np.empty(offsets[end] - offsets[begin])
    _, broken = fill_forward(tables, first, begin, end, entry, alphas, offsets[begin], False)
    if broken < 0:
        broken = _smooth(tables, first, begin, end, alphas, offsets[begin], betas, base, out)
    n_states = offsets[end] - offsets[end - 1]
    copy(alphas[alphas.size - n_states :], entry[:n_states])
    return broken


# ---------------------------------------------------------------------------------------------- best path


@_jit
def spell(tables, t, state, labels):
    """Write the labels of a state at t to the N − 1 steps it spans."""
    for u in range(t, t - tables.memory, -1):
        labels[u] = tables.candidates[u, state % tables.counts[u]]
        state //= tables.counts[u]


@_jit
def _spelt(labels, n_classes, begin, end):
    """The labels of [begin, end) read as a number in base C."""
    code = 0
    for t in range(begin, end):
        code = code * n_classes + labels[t]
    return code


@_jit
def trace_backward(tables, begin, end, state, store, base, labels):
    """Follow the best path from `state` at `end`, already spelt, down to `begin` through the α in `store`."""
    candidates, counts, offsets = tables.candidates, tables.counts, tables.offsets
    n_classes = tables.scores.shape[1]
    stride = tables.conditional.size // n_classes
    for t in range(end - 1, begin - 1, -1):
        oldest = t - tables.memory + 1
        n_middle = (offsets[t + 1] - offsets[t]) // counts[oldest]
        m, column = state // counts[t + 1], _spelt(labels, n_classes, oldest + 1, t + 2)
        best, choice = -1.0, 0
        for h in range(counts[oldest]):
            factor = tables.conditional[stride * candidates[oldest, h] + column]
            term = store[offsets[t] - base + h * n_middle + m] * factor
            if term > best:
                best, choice = term, h
        state = choice * n_middle + m
        labels[oldest] = candidates[oldest, choice]
    return state


@_jit
def trace_forward(tables, begin, end, state, store, base, labels):
    """Follow the best path from `state` at `begin` − 1, already spelt, to `end` through the β in `store`."""
    candidates, counts, offsets = tables.candidates, tables.counts, tables.offsets
    n_classes = tables.scores.shape[1]
    for t in range(begin, end):
        m = state % ((offsets[t + 1] - offsets[t]) // counts[t])
        row = n_classes * _spelt(labels, n_classes, t - tables.memory, t)
        best, choice = -1.0, 0
        for j in range(counts[t]):
            label = candidates[t, j]
            factor = tables.conditional[row + label] * tables.scores[t, label]
            term = factor * store[offsets[t] - base + m * counts[t] + j]
            if term > best:
                best, choice = term, j
        state = m * counts[t] + choice
        labels[t] = candidates[t, choice]
    return state


# ------------------------------------------------------------------------------- many sequences, one thread


@_jit
def walk(tables, spans, store, in_place, task, out, labels, logs):
    """As `chains.walk`; a lattice is never in place."""
    # The same lines call other functions here, compiled for other tables: one loop for both would have to be
    # handed them, and each would be compiled at every start.  pylint: disable=duplicate-code
    offsets, entry = tables.offsets, np.empty(store.size)
    for i in range(spans.shape[0]):
        first, last = spans[i, 0] + tables.memory - 1, spans[i, 1] - 1
        base = offsets[first]
        log, broken = fill_forward(tables, first, first, last + 1, entry, store, base, task == BEST_PATH)
        final = store[offsets[last] - base : offsets[last + 1] - base]
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
