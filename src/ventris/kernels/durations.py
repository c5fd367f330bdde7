"""Compiled messages for labels that last: a state is a label and the steps it must still stay.

A label with durations up to D has D such states, but they are not a chain of D labels: a state with steps
left passes them down by one, and only a label that may be left moves on. A step costs C² for the moves and
one operation a state, not their square.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

_jit = njit(cache=True, nogil=True, error_model="numpy")
_BLOCK = 1024  # steps kept at a time on the way back; the others are walked again


class Tables(NamedTuple):
    """A label model with durations as these kernels want it."""

    first: np.ndarray  # (C + 1,) int64: label i has the states first[i] … first[i + 1] − 1, fewest left first
    enter: np.ndarray  # (N,) probability to begin a stay in each state, given its label
    stay: np.ndarray  # (C,) probability to stay on where no step is left
    moves: np.ndarray  # (C, C) which label is next, once one is left
    opening: np.ndarray  # (N,) probability of each state at any time


@_jit
def _advance(tables, row, source, target, maximise):
    """α_t from α_{t−1} (or, maximised, the best weight), scaled; returns the scale."""
    first, n_labels, total = tables.first, row.size, 0.0
    for i in range(n_labels):
        entering = 0.0
        for j in range(n_labels):
            term = source[first[j]] * (1.0 - tables.stay[j]) * tables.moves[j, i]
            entering = max(entering, term) if maximise else entering + term
        for state in range(first[i], first[i + 1]):
            value = entering * tables.enter[state]
            if state + 1 < first[i + 1]:
                value = max(value, source[state + 1]) if maximise else value + source[state + 1]
            if state == first[i]:
                kept = tables.stay[i] * source[state]
                value = max(value, kept) if maximise else value + kept
            target[state] = row[i] * value
    for state in range(target.size):
        total = max(total, target[state]) if maximise else total + target[state]
    for state in range(target.size):
        target[state] /= total
    return total


@_jit
def _open(tables, row, target, maximise):
    total = 0.0
    for i in range(row.size):
        for state in range(tables.first[i], tables.first[i + 1]):
            target[state] = row[i] * tables.opening[state]
            total = max(total, target[state]) if maximise else total + target[state]
    for state in range(target.size):
        target[state] /= total
    return total


@_jit
def _retreat(tables, row, source, target):
    """β_{t−1} from β_t, scaled by its largest."""
    first, n_labels = tables.first, row.size
    begun = np.empty(n_labels)
    for j in range(n_labels):
        begun[j] = 0.0
        for state in range(first[j], first[j + 1]):
            begun[j] += tables.enter[state] * source[state]
        begun[j] *= row[j]
    largest = 0.0
    for i in range(n_labels):
        moved = 0.0
        for j in range(n_labels):
            moved += tables.moves[i, j] * begun[j]
        stayed = tables.stay[i] * row[i] * source[first[i]]
        target[first[i]] = stayed + (1.0 - tables.stay[i]) * moved
        for state in range(first[i] + 1, first[i + 1]):
            target[state] = row[i] * source[state - 1]
    for state in range(target.size):
        largest = max(largest, target[state])
    for state in range(target.size):
        target[state] /= largest


@_jit
def log_likelihoods(tables, scores, spans, logs):
    """ln Σ over all paths of each sequence, to `logs` (S,): the step where no path is left, or −1."""
    now, then = np.empty(tables.enter.size), np.empty(tables.enter.size)
    for s in range(spans.shape[0]):
        log = 0.0
        for t in range(spans[s, 0], spans[s, 1]):
            if t == spans[s, 0]:
                total = _open(tables, scores[t], then, False)
            else:
                total = _advance(tables, scores[t], now, then, False)
            if not 0.0 < total < np.inf:
                return t
            log += np.log(total)
            now, then = then, now
        logs[s] = log
    return -1


@_jit
def posteriors(tables, scores, spans, out, logs):
    """γ_t(y) to `out` (T, C) and log-likelihoods to `logs`: the step where no path is left, or −1."""
    n_states, n_labels = tables.enter.size, scores.shape[1]
    block = np.empty((_BLOCK, n_states))
    beta, before = np.empty(n_states), np.empty(n_states)
    for s in range(spans.shape[0]):
        begin, end = spans[s]
        n_blocks = (end - begin + _BLOCK - 1) // _BLOCK
        doors = np.empty((n_blocks, n_states))  # α at the first step of each block
        log = 0.0
        for t in range(begin, end):
            place = (t - begin) % _BLOCK
            if t == begin:
                total = _open(tables, scores[t], block[0], False)
            else:
                total = _advance(tables, scores[t], block[(place - 1) % _BLOCK], block[place], False)
            if not 0.0 < total < np.inf:
                return t
            if place == 0:
                doors[(t - begin) // _BLOCK] = block[0]
            log += np.log(total)
        logs[s] = log
        beta[:] = 1.0
        for number in range(n_blocks - 1, -1, -1):
            start = begin + number * _BLOCK
            stop = min(end, start + _BLOCK)
            block[0] = doors[number]
            for t in range(start + 1, stop):
                _advance(tables, scores[t], block[t - start - 1], block[t - start], False)
            for t in range(stop - 1, start - 1, -1):
                if t < end - 1:
                    _retreat(tables, scores[t + 1], beta, before)
                    beta, before = before, beta
                alpha, total = block[t - start], 0.0
                for i in range(n_labels):
                    share = 0.0
                    for state in range(tables.first[i], tables.first[i + 1]):
                        share += alpha[state] * beta[state]
                    out[t, i] = share
                    total += share
                for i in range(n_labels):
                    out[t, i] /= total
    return -1


@_jit
def best_paths(tables, scores, spans, labels, logs):
    """The likeliest labels and stays of each sequence (Viterbi): the step where no path is left, or −1."""
    first, n_labels, n_states = tables.first, scores.shape[1], tables.enter.size
    longest = 0
    for s in range(spans.shape[0]):
        longest = max(longest, spans[s, 1] - spans[s, 0])
    came, source = np.empty((longest, n_states), np.uint8), np.empty((longest, n_labels), np.int16)
    now, then = np.empty(n_states), np.empty(n_states)
    for s in range(spans.shape[0]):
        begin, end = spans[s]
        log = 0.0
        for t in range(begin, end):
            if t == begin:
                total = _open(tables, scores[t], then, True)
            else:
                _remember(tables, now, came[t - begin], source[t - begin])
                total = _advance(tables, scores[t], now, then, True)
            if not 0.0 < total < np.inf:
                return t
            log += np.log(total)
            now, then = then, now
        logs[s] = log
        state = now.argmax()
        label = np.searchsorted(first, state, side="right") - 1
        for t in range(end - 1, begin - 1, -1):
            labels[t] = label
            if t == begin:
                break
            how = came[t - begin, state]
            if how == 0:
                state += 1
            elif how == 2:
                label = source[t - begin, label]
                state = first[label]
    return -1


@_jit
def _remember(tables, source, came, best):
    """How each state is best reached: 0 with a step less to stay, 1 by staying on, 2 from another label."""
    first, n_labels = tables.first, best.size
    for i in range(n_labels):
        entering, best[i] = -1.0, 0
        for j in range(n_labels):
            term = source[first[j]] * (1.0 - tables.stay[j]) * tables.moves[j, i]
            if term > entering:
                entering, best[i] = term, j
        for state in range(first[i], first[i + 1]):
            value, came[state] = entering * tables.enter[state], 2
            if state + 1 < first[i + 1] and source[state + 1] >= value:
                value, came[state] = source[state + 1], 0
            if state == first[i] and tables.stay[i] * source[state] >= value:
                came[state] = 1
