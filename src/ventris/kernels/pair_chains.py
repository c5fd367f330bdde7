"""Compiled messages of labels read through a channel that changes, adds and drops symbols (pair HMM).

Between two symbols that were seen there are two lists of states: those after the first symbol was accounted
for, and those that one dropped label further leads to. Each list holds the few states worth following; A row
of `slots`, as long as there are states, says where in a list a state stands (−1: nowhere) and is wiped after
use.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

_FAST = {"contract", "reassoc", "nsz"}
_jit = njit(cache=True, nogil=True, error_model="numpy", fastmath=_FAST)
# A part that is called by a fastmath kernel must be inlined: see `kernels.baum_welch`.
_inline = njit(cache=True, nogil=True, error_model="numpy", fastmath=_FAST, inline="always")

DEEPEST = 4  # nodes that may stand on a context, one upon the other


class Contexts(NamedTuple):
    """How labels follow one another: the last N − 1 of them, and nodes that remember more."""

    table: np.ndarray  # (C**(N−1), C) float32, P(label | the N − 1 before)
    overlay: np.ndarray  # (C**(N−1),) int32, the node that a context is as well, or −1
    lower: np.ndarray  # (M,) int32, the state that remembers less than a node
    share: np.ndarray  # (M,) float32, how much of a node's probability is that state's
    last: np.ndarray  # (M,) int16, the newest label of a node
    first: np.ndarray  # (M + 1,) int32, where the node's own followers begin
    label: np.ndarray  # (E,) int16, a follower
    weight: np.ndarray  # (E,) float32, what it adds to the lower state's share
    target: np.ndarray  # (E,) int32, the state that it leads to; −1: the one the lower state says


class Operations(NamedTuple):
    """What may happen to a label, and with what probability."""

    substitute: np.ndarray  # (V, C) P(symbol seen | label), dropping apart
    insert: np.ndarray  # (V, C) P(symbol added after it | label)
    go_on: np.ndarray  # (C,) P(nothing added after it | label)
    drop: np.ndarray  # (C,) P(not seen at all | label)
    drop_again: np.ndarray  # (C,) the same where the label repeats the one before


class Lists(NamedTuple):
    """States followed at each place of a stretch, with their messages."""

    states: np.ndarray  # (capacity,) int32
    alpha: np.ndarray  # (capacity,) float64
    begin: np.ndarray  # (n + 2,) int64, where the list of a place begins
    dropped: np.ndarray  # (n + 1,) int64, where those after a dropped label begin in it
    scale: np.ndarray  # (n + 1,) float64


class Expected(NamedTuple):
    """Expected numbers of each event, to which these kernels add."""

    substituted: np.ndarray  # (V, C)
    inserted: np.ndarray  # (V, C)
    went_on: np.ndarray  # (C,)
    dropped: np.ndarray  # (C,)
    dropped_again: np.ndarray  # (C,)
    kept_again: np.ndarray  # (C,) labels that repeat the one before and were seen


class Reading(NamedTuple):
    """What is likeliest at each symbol."""

    label: np.ndarray  # (n,) int16
    probability: np.ndarray  # (n,) of that label
    unchanged: np.ndarray  # (n,) of the label that the symbol itself would be
    added: np.ndarray  # (n,) that it stands for no label
    gap: np.ndarray  # (n,) int16, the label likeliest dropped before it
    gap_probability: np.ndarray  # (n,)


# ------------------------------------------------------------------------------------------- one state


@_inline
def _last(contexts, state):
    n_contexts, n_classes = contexts.table.shape
    return state % n_classes if state < n_contexts else contexts.last[state - n_contexts]


@_inline
def _followers(contexts, state, stack, row, to):
    """P(label | state) to `row` (C,), and the states they lead to, `to` (C,)."""
    n_contexts, n_classes = contexts.table.shape
    depth = 0
    while state >= n_contexts:
        stack[depth] = state - n_contexts
        depth += 1
        state = contexts.lower[state - n_contexts]
    if contexts.overlay[state] >= 0:
        stack[depth] = contexts.overlay[state]
        depth += 1
    base = (state % (n_contexts // n_classes)) * n_classes
    for y in range(n_classes):
        row[y] = contexts.table[state, y]
        to[y] = base + y
    while depth > 0:
        depth -= 1
        node = stack[depth]
        share = contexts.share[node]
        for y in range(n_classes):
            row[y] *= share
        for e in range(contexts.first[node], contexts.first[node + 1]):
            row[contexts.label[e]] += contexts.weight[e]
            if contexts.target[e] >= 0:
                to[contexts.label[e]] = contexts.target[e]


@_inline
def _add(slot, states, alpha, begin, n, state, value):
    """Add to a state's message, a new one at the end; returns how many there are."""
    place = slot[state]
    if place < 0:
        if begin + n < states.size:
            slot[state] = n
            states[begin + n] = state
            alpha[begin + n] = value
            n += 1
    else:
        alpha[begin + place] += value
    return n


@_inline
def _thin(slot, states, alpha, begin, n, threshold, beam):
    """Wipe `slot`, keep what is worth following; returns how many."""
    best = 0.0
    for i in range(begin, begin + n):
        slot[states[i]] = -1
        best = max(best, alpha[i])
    least = best * threshold
    while True:
        kept = 0
        for i in range(begin, begin + n):
            kept += alpha[i] >= least
        if kept <= beam or least >= best:
            break
        least = min(2.0 * least, best)
    place = begin
    for i in range(begin, begin + n):
        if alpha[i] >= least:
            states[place] = states[i]
            alpha[place] = alpha[i]
            place += 1
    return place - begin


# ----------------------------------------------------------------------------------------------- forward


@_jit
def fill_forward(contexts, operations, symbols, may_drop, may_add, threshold, beam, slots, lists):
    """Messages of a stretch from those of place 0, which stand in `lists`; ln likelihood of each symbol.

    A label is dropped at most once in a row, and then not followed by the same label; nothing is added after
    it. Returns ln likelihood, or NaN where no state is left.
    """
    n_classes = contexts.table.shape[1]
    row, to, stack = np.empty(n_classes), np.empty(n_classes, np.int64), np.empty(DEEPEST, np.int64)
    states, alpha, begin, dropped = lists.states, lists.alpha, lists.begin, lists.dropped
    slot = slots[0]
    new_states, new_alpha = np.empty(states.size // 2, np.int32), np.empty(states.size // 2)
    total, end = 0.0, dropped[0]
    for t in range(symbols.size):
        x = symbols[t]
        n_new, n_dropped, best, dropped[t] = 0, 0, 0.0, end
        stop = end
        for i in range(begin[t], stop):
            state, given = states[i], alpha[i]
            last = _last(contexts, state)
            _followers(contexts, state, stack, row, to)
            if may_add[t]:
                value = given * operations.insert[x, last]
                if value > threshold * best:
                    best = max(best, value)
                    n_new = _add(slot, new_states, new_alpha, 0, n_new, state, value)
            given *= operations.go_on[last]
            for y in range(n_classes):
                value = given * row[y] * operations.substitute[x, y]
                if value > threshold * best:
                    best = max(best, value)
                    n_new = _add(slot, new_states, new_alpha, 0, n_new, to[y], value)
        least = best * threshold
        for i in range(n_new):  # whom dropping cannot reach need not be asked twice
            slot[new_states[i]] = -1
        if may_drop[t]:
            for i in range(begin[t], stop):
                state, given = states[i], alpha[i]
                last = _last(contexts, state)
                given *= operations.go_on[last]
                if given * 0.1 < least:
                    continue
                _followers(contexts, state, stack, row, to)
                for y in range(n_classes):
                    rate = operations.drop_again[y] if y == last else operations.drop[y]
                    value = given * row[y] * rate
                    if value > least:
                        n_dropped = _add(slot, states, alpha, stop, n_dropped, to[y], value)
            n_dropped = _thin(slot, states, alpha, stop, n_dropped, threshold, beam)
            for i in range(n_new):
                slot[new_states[i]] = i
            for i in range(stop, stop + n_dropped):
                state, given = states[i], alpha[i]
                last = _last(contexts, state)
                _followers(contexts, state, stack, row, to)
                for y in range(n_classes):
                    value = given * row[y] * operations.substitute[x, y]
                    if value > threshold * best and y != last:
                        best = max(best, value)
                        n_new = _add(slot, new_states, new_alpha, 0, n_new, to[y], value)
        n_new = _thin(slot, new_states, new_alpha, 0, n_new, threshold, beam)
        begin[t + 1] = stop + n_dropped
        end = begin[t + 1] + n_new
        if n_new == 0 or end + 2 * beam > states.size:
            return np.nan
        scale = 0.0
        for i in range(n_new):
            scale += new_alpha[i]
        for i in range(n_new):
            states[begin[t + 1] + i] = new_states[i]
            alpha[begin[t + 1] + i] = new_alpha[i] / scale
        lists.scale[t + 1] = scale
        total += np.log(scale)
    dropped[symbols.size] = end
    return total


# ---------------------------------------------------------------------------------------------- backward


@_jit
def read_backward(
    contexts, operations, symbols, own, may_drop, may_add, n_kept, slots, lists, expected, reading
):
    """Posteriors of the first `n_kept` symbols to `reading`, expected events of them to `expected`.

    `own` (V,) is the label that a symbol would be itself.
    """
    _n_contexts, n_classes = contexts.table.shape
    row, to, stack = np.empty(n_classes), np.empty(n_classes, np.int64), np.empty(DEEPEST, np.int64)
    states, alpha, begin, dropped = lists.states, lists.alpha, lists.begin, lists.dropped
    widest = 0
    for t in range(symbols.size + 1):
        stop = begin[t + 1] if t < symbols.size else dropped[t]
        widest = max(widest, stop - begin[t])
    beta, beta_next = np.empty(widest), np.ones(widest)
    seen, lost = np.empty(n_classes), np.empty(n_classes)
    slot, slot_lost = slots
    for t in range(symbols.size - 1, -1, -1):
        x, scale, counted = symbols[t], 1.0 / lists.scale[t + 1], t < n_kept
        total = 0.0
        for i in range(begin[t + 1], dropped[t + 1]):
            slot[states[i]] = i - begin[t + 1]
            total += alpha[i] * beta_next[i - begin[t + 1]]
        scale /= total  # what was too little to follow on the way forward is too little to matter here
        added = 0.0
        seen[:] = 0.0
        lost[:] = 0.0
        for i in range(dropped[t], begin[t + 1]):
            _followers(contexts, states[i], stack, row, to)
            last, value = _last(contexts, states[i]), 0.0
            for y in range(n_classes):
                place = slot[to[y]]
                if place >= 0 and y != last:
                    part = row[y] * operations.substitute[x, y] * beta_next[place] * scale
                    value += part
                    seen[y] += alpha[i] * part
            lost[last] += alpha[i] * value
            beta[i - begin[t]] = value
            slot_lost[states[i]] = i - begin[t]
        for i in range(begin[t], dropped[t]):
            state, given = states[i], alpha[i]
            _followers(contexts, state, stack, row, to)
            last, value = _last(contexts, state), 0.0
            go_on = operations.go_on[last]
            for y in range(n_classes):
                place = slot[to[y]]
                if place >= 0:
                    part = row[y] * operations.substitute[x, y] * beta_next[place] * scale
                    value += part
                    seen[y] += given * go_on * part
                    if counted and y == last:
                        expected.kept_again[y] += given * go_on * part
            if may_drop[t]:
                for y in range(n_classes):
                    place = slot_lost[to[y]]
                    if place >= 0:
                        rate = operations.drop_again[y] if y == last else operations.drop[y]
                        part = row[y] * rate * beta[place]
                        value += part
                        if counted and y == last:
                            expected.dropped_again[y] += given * go_on * part
            if counted:
                expected.went_on[last] += given * go_on * value
            value *= go_on
            if may_add[t] and slot[state] >= 0:
                part = operations.insert[x, last] * beta_next[slot[state]] * scale
                value += part
                added += given * part
                if counted:
                    expected.inserted[x, last] += given * part
            beta[i - begin[t]] = value
        for i in range(begin[t + 1], dropped[t + 1]):
            slot[states[i]] = -1
        for i in range(dropped[t], begin[t + 1]):
            slot_lost[states[i]] = -1
        if counted:
            _note(t, x, own, seen, lost, added, expected, reading)
        beta, beta_next = beta_next, beta


@_inline
def _note(t, x, own, seen, lost, added, expected, reading):
    """The likeliest label and loss at one symbol."""
    best, gap = 0, 0
    for y in range(seen.size):
        expected.substituted[x, y] += seen[y]
        expected.dropped[y] += lost[y]
        if seen[y] > seen[best]:
            best = y
        if lost[y] > lost[gap]:
            gap = y
    reading.label[t] = best
    reading.probability[t] = seen[best]
    reading.unchanged[t] = seen[own[x]]
    reading.added[t] = added
    reading.gap[t] = gap
    reading.gap_probability[t] = lost[gap]
