"""Compiled sums of how often each n-gram of labels is expected: what a reading says of the label model.

With α and β as in `kernels.chains`, h the oldest label of an n-gram, m the ones between and j the newest,

    ξ_t[h, m, j] = c_t α_{t−1}[h, m] P(j | h, m) b_t(j) β_t[m, j],      c_t such that ξ_t sums to one.

P does not depend on t, so the dense walks add up the rest, a product of two vectors a step, and leave P to
the caller. Messages are kept for one block of steps at a time, and a checkpoint per block from which it is
filled again. Three walks with the same lines, because they call the functions of three kernels.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from ventris.kernels import chains, lattice, two_labels
from ventris.kernels.chains import copy

_jit = njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract", "reassoc", "nsz"})


# ------------------------------------------------------------------------------------------- every label


@_jit
def _add_four(before, after, counts):
    """counts[h, m, j] += Σ_k before[k, h, m] after[k, m, j] over four steps: a quarter of the loads."""
    n_classes, n_middle, _ = counts.shape
    for h in range(n_classes):
        for m in range(n_middle):
            i, row = h * n_middle + m, counts[h, m]
            a0, a1, a2, a3 = before[0, i], before[1, i], before[2, i], before[3, i]
            b0, b1, b2, b3 = after[0, m], after[1, m], after[2, m], after[3, m]
            for j in range(n_classes):
                row[j] += a0 * b0[j] + a1 * b1[j] + a2 * b2[j] + a3 * b3[j]


@_jit
def _factor(tables, t, before, alpha, beta):
    """c_t, from the α_{t−1} before it."""
    n_classes, n_middle, _ = tables.conditional.shape
    total, best = 0.0, 0
    for i in range(alpha.size):
        total += alpha[i] * beta[i]
        best = i if alpha[i] > alpha[best] else best
    m, j, unscaled = best // n_classes, best % n_classes, 0.0
    for h in range(n_classes):  # α_t was perhaps scaled; its largest entry tells by how much
        unscaled += before[h * n_middle + m] * tables.conditional[h, m, j]
    return alpha[best] / (unscaled * tables.scores[t, j] * total)


@_jit
def _count(tables, first, begin, end, before, alphas, betas, counts, firsts):
    """Add Σ_t c_t α_{t−1} b_t β_t of [begin, end) to `counts`; α_{begin−1} is in `before`."""
    n_classes, n_middle, _ = tables.conditional.shape
    size, n = tables.opening.size, 0
    held, after = np.zeros((4, size)), np.zeros((4, n_middle, n_classes))
    for t in range(begin, end):
        alpha = alphas[(t - begin) * size : (t - begin + 1) * size]
        beta = betas[(t - begin) * size : (t - begin + 1) * size]
        if t == first:
            total = (alpha * beta).sum()
            for i in range(size):
                firsts[i] += alpha[i] * beta[i] / total
        else:
            factor, row = _factor(tables, t, before, alpha, beta), tables.scores[t]
            copy(before, held[n])
            for m in range(n_middle):
                for j in range(n_classes):
                    after[n, m, j] = factor * row[j] * beta[m * n_classes + j]
            n += 1
            if n == 4:
                _add_four(held, after, counts)
                n = 0
        before = alpha
    if n > 0:
        held[n:] = 0.0
        after[n:] = 0.0
        _add_four(held, after, counts)


@_jit
def walk(tables, spans, n_steps, out, counts, firsts, logs):
    """Posteriors, n-gram sums (C, M, C), first states and logs; returns where no path was left, or −1."""
    size = tables.opening.size
    alphas, betas = np.empty(n_steps * size), np.empty(n_steps * size)
    ahead, behind = np.empty(size), np.empty(size)
    for i in range(spans.shape[0]):
        first, last = spans[i, 0] + tables.memory - 1, spans[i, 1] - 1
        n_blocks = (last - first) // n_steps + 1
        entries, logs[i] = np.empty((n_blocks, size)), 0.0
        for block in range(n_blocks):
            begin = first + block * n_steps
            end = min(begin + n_steps, last + 1)
            copy(ahead, entries[block])
            log, broken = chains.fill_forward(tables, first, begin, end, ahead, alphas, begin * size, False)
            if broken >= 0:
                return broken
            copy(alphas[(end - 1 - begin) * size :], ahead)
            logs[i] += log
        logs[i] += np.log(ahead.sum())
        for block in range(n_blocks - 1, -1, -1):
            begin, entry = first + block * n_steps, entries[block]
            end, base = min(begin + n_steps, last + 1), begin * size
            if block < n_blocks - 1:
                chains.fill_forward(tables, first, begin, end, entry, alphas, base, False)
            _, broken = chains.fill_backward(tables, last, begin, end, behind, betas, base, False)
            if broken < 0:
                broken = chains._smooth(tables, first, begin, end, alphas, base, betas, base, out)
            if broken >= 0:
                return broken
            _count(tables, first, begin, end, entry, alphas, betas, counts, firsts)
            copy(betas[:size], behind)
    return -1


# -------------------------------------------------------------------------------------------- two labels


@_jit
def _count_two(tables, first, begin, end, entry, alphas, betas, counts, firsts):
    """As `_count`, in registers."""
    scores, p = tables.scores, tables.transition
    p00, p01, p10, p11 = p[0, 0], p[0, 1], p[1, 0], p[1, 1]
    n00, n01, n10, n11 = 0.0, 0.0, 0.0, 0.0
    x, y = entry[0], entry[1]
    for t in range(begin, end):
        k = 2 * (t - begin)
        a, b, u, v = alphas[k], alphas[k + 1], betas[k], betas[k + 1]
        if t == first:
            total = a * u + b * v
            firsts[0] += a * u / total
            firsts[1] += b * v / total
        else:
            u, v = u * scores[t, 0], v * scores[t, 1]
            share = 1.0 / ((x * p00 + y * p10) * u + (x * p01 + y * p11) * v)
            u, v = u * share, v * share
            n00, n01, n10, n11 = n00 + x * u, n01 + x * v, n10 + y * u, n11 + y * v
        x, y = a, b
    counts[0, 0, 0] += n00
    counts[0, 0, 1] += n01
    counts[1, 0, 0] += n10
    counts[1, 0, 1] += n11


@_jit
def walk_two(tables, spans, n_steps, out, counts, firsts, logs):
    """`walk` for two labels, each following the one before."""
    alphas, betas = np.empty(2 * n_steps), np.empty(2 * n_steps)
    ahead, behind = np.empty(2), np.empty(2)
    for i in range(spans.shape[0]):
        first, last = spans[i, 0], spans[i, 1] - 1
        n_blocks = (last - first) // n_steps + 1
        entries, logs[i] = np.empty((n_blocks, 2)), 0.0
        for block in range(n_blocks):
            begin = first + block * n_steps
            end = min(begin + n_steps, last + 1)
            copy(ahead, entries[block])
            log, broken = two_labels.fill_forward(tables, first, begin, end, ahead, alphas, 2 * begin, False)
            if broken >= 0:
                return broken
            copy(alphas[2 * (end - 1 - begin) :], ahead)
            logs[i] += log
        logs[i] += np.log(ahead.sum())
        for block in range(n_blocks - 1, -1, -1):
            begin, entry = first + block * n_steps, entries[block]
            end, base = min(begin + n_steps, last + 1), 2 * begin
            if block < n_blocks - 1:
                two_labels.fill_forward(tables, first, begin, end, entry, alphas, base, False)
            _, broken = two_labels.fill_backward(tables, last, begin, end, behind, betas, base, False)
            if broken < 0:
                broken = two_labels._smooth(begin, end, alphas, base, betas, base, out)
            if broken >= 0:
                return broken
            _count_two(tables, first, begin, end, entry, alphas, betas, counts, firsts)
            copy(betas[:2], behind)
    return -1


# -------------------------------------------------------------------------------- labels worth following


@_jit
def _count_followed(tables, first, last, alphas, betas, counts, firsts):
    """Add Σ_t ξ_t of a whole sequence, label model included, to `counts`, flat in base C."""
    scores, table, candidates, kept, offsets = (
        tables.scores, tables.conditional, tables.candidates, tables.counts, tables.offsets
    )  # fmt: skip
    n_classes, base = scores.shape[1], offsets[first]
    stride = table.size // n_classes
    alpha, beta = alphas[: offsets[first + 1] - base], betas[: offsets[first + 1] - base]
    total = 0.0
    for i in range(alpha.size):
        total += alpha[i] * beta[i]
    for i in range(alpha.size):
        code = lattice._code(candidates, kept, n_classes, first - tables.memory + 1, first + 1, i)
        firsts[code] += alpha[i] * beta[i] / total
    for t in range(first + 1, last + 1):
        oldest, before = t - tables.memory, alphas[offsets[t - 1] - base : offsets[t] - base]
        beta = betas[offsets[t] - base : offsets[t + 1] - base]
        n_middle, total = before.size // kept[oldest], 0.0
        for add in (False, True):  # once for the sum, once to add shares of it
            for m in range(n_middle):
                column = n_classes * lattice._code(candidates, kept, n_classes, oldest + 1, t, m)
                for h in range(kept[oldest]):
                    place = stride * candidates[oldest, h] + column
                    for j in range(kept[t]):
                        label = candidates[t, j]
                        term = table[place + label] * scores[t, label] * beta[m * kept[t] + j]
                        term *= before[h * n_middle + m]
                        if add:
                            counts[place + label] += term / total
                        else:
                            total += term


@_jit
def walk_followed(tables, spans, out, counts, firsts, logs):
    """`walk` on a lattice; a sequence's messages are kept whole, since few labels are followed."""
    offsets = tables.offsets
    for i in range(spans.shape[0]):
        first, last = spans[i, 0] + tables.memory - 1, spans[i, 1] - 1
        base, size = offsets[first], offsets[last + 1] - offsets[first]
        alphas, betas, entry = np.empty(size), np.empty(size), np.empty(0)
        log, broken = lattice.fill_forward(tables, first, first, last + 1, entry, alphas, base, False)
        if broken < 0:
            _, broken = lattice.fill_backward(tables, last, first, last + 1, entry, betas, base, False)
        if broken < 0:
            broken = lattice._smooth(tables, first, first, last + 1, alphas, base, betas, base, out)
        if broken >= 0:
            return broken
        logs[i] = log + np.log(alphas[offsets[last] - base :].sum())
        _count_followed(tables, first, last, alphas, betas, counts, firsts)
    return -1
