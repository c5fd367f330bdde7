"""Simulated annealing of a hard map from symbols to labels, scored incrementally.

Two kernels share one idea: a move exchanges the labels of two symbols, or changes that of one, and only what
that touches is scored again. `anneal_ngrams` scores the n-grams that occur in a text under a one-to-one key;
`anneal_pairs` scores counts of code pairs, and its map may be many-to-one.

The score is Σ counts · log p, for `anneal_pairs` + weight · N · H(usage), H the entropy of how often each
label is used: a one-to-one map permutes its usage, but a many-to-one map collapses without that term.
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True, inline="always")
def next_random(state):
    """The next 64 random bits (xorshift64*); `state` is a uint64 array of one non-zero number."""
    x = state[0]
    x ^= x >> np.uint64(12)
    x ^= x << np.uint64(25)
    x ^= x >> np.uint64(27)
    state[0] = x
    return x * np.uint64(2685821657736338717)


@njit(cache=True, nogil=True, inline="always")
def random_below(state, n):
    """A random integer in [0, n)."""
    return np.int64(((next_random(state) >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32))


@njit(cache=True, nogil=True, inline="always")
def random_unit(state):
    """A random number in (0, 1]."""
    return (np.float64(next_random(state) >> np.uint64(11)) + 1.0) * (1.0 / 9007199254740992.0)


@njit(cache=True, nogil=True)
def anneal_ngrams(
    key, movable, index, counts, first, member, place, occurrences, log_prob, temperatures,
    moves_per_temperature, seed,
):  # fmt: skip
    """Anneal a one-to-one key; see `ventris.deciphering.key_search.anneal_key` for what it is for.

    Parameters
    ----------
    key : int64 array of shape (K,)
        Label of each symbol; changed in place, the best one is returned.
    movable : int64 array
        Symbols whose label may change.
    index : int64 array of shape (M,)
        Code of each distinct n-gram under `key`; changed in place.
    counts : float32 array of shape (M,)
    first, member, place : int64 arrays of shapes (K + 1,), (L,), (L,)
        Symbol s occurs in the n-grams ``member[first[s]:first[s + 1]]``; raising its label by one raises
        their codes by ``place``.
    occurrences : int64 array of shape (K,)
        How often each symbol occurs in the text.
    log_prob : float32 array of shape (C ** n,)
    temperatures : float64 array
        One after the other, `moves_per_temperature` moves each.

    Returns
    -------
    best_key : int64 array of shape (K,)
    best : float
        Its score.
    """
    state = np.array([seed], dtype=np.uint64)
    n_movable = len(movable)
    value = np.empty(len(index), dtype=np.float32)
    score = 0.0
    for i in range(len(index)):
        value[i] = counts[i] * log_prob[index[i]]
        score += value[i]
    best, best_key = score, key.copy()
    touched = np.empty(len(index), dtype=np.int64)
    stamp = np.zeros(len(index), dtype=np.int64)
    pending = np.empty(len(index), dtype=np.int64)
    fresh = np.empty(len(index), dtype=np.float32)
    clock = 0
    for temperature in temperatures:
        for _ in range(moves_per_temperature):
            a, b = movable[random_below(state, n_movable)], movable[random_below(state, n_movable)]
            old, new = key[a], key[b]
            if new == old or (occurrences[a] == 0 and occurrences[b] == 0):
                continue
            # New codes of the n-grams that hold a, then of those that hold b; some hold both.
            clock += 1
            n_touched = 0
            step = new - old
            for q in range(first[a], first[a + 1]):
                i = member[q]
                stamp[i] = clock
                pending[i] = index[i] + place[q] * step
                touched[n_touched] = i
                n_touched += 1
            for q in range(first[b], first[b + 1]):
                i = member[q]
                if stamp[i] == clock:
                    pending[i] -= place[q] * step
                else:
                    pending[i] = index[i] - place[q] * step
                    touched[n_touched] = i
                    n_touched += 1
            gain = 0.0
            for q in range(n_touched):
                i = touched[q]
                fresh[q] = counts[i] * log_prob[pending[i]]
                gain += fresh[q] - value[i]
            if gain < 0.0 and gain < temperature * np.log(random_unit(state)):
                continue
            key[a], key[b] = new, old
            for q in range(n_touched):
                i = touched[q]
                index[i] = pending[i]
                value[i] = fresh[q]
            score += gain
            if score > best + 1e-6:
                best = score
                best_key[:] = key
    return best_key, best


@njit(cache=True, nogil=True, inline="always")
def relabel_gain(code, old, new, following, preceding, self_pairs, log_prob, log_prob_by_next):
    """Change of Σ counts · log p when one code goes from label `old` to label `new`: O(C) a lag."""
    gain = 0.0
    for lag in range(log_prob.shape[0]):
        after, before = following[lag, code], preceding[lag, code]
        row_new, row_old = log_prob[lag, new], log_prob[lag, old]
        column_new, column_old = log_prob_by_next[lag, new], log_prob_by_next[lag, old]
        for j in range(len(after)):
            gain += after[j] * (row_new[j] - row_old[j]) + before[j] * (column_new[j] - column_old[j])
        # The pairs of the code with itself were counted twice, at a neighbour that moves as well.
        gain += self_pairs[lag, code] * (row_new[new] + row_old[old] - row_new[old] - row_old[new])
    return gain


@njit(cache=True, nogil=True)
def relabel(code, old, new, pairs, following, preceding):
    """Move a code in the label counts that surround every other code: O(K) a lag."""
    for lag in range(pairs.shape[0]):
        for other in range(pairs.shape[1]):
            following[lag, other, old] -= pairs[lag, other, code]
            following[lag, other, new] += pairs[lag, other, code]
            preceding[lag, other, old] -= pairs[lag, code, other]
            preceding[lag, other, new] += pairs[lag, code, other]


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def anneal_pairs(
    key, pairs, log_prob, occurrences, entropy_weight, swap_share, temperatures, moves_per_temperature, seed
):
    """Anneal a map scored by pair counts; see `ventris.deciphering.key_search.anneal_map`.

    Parameters
    ----------
    key : int64 array of shape (K,)
        Label of each code; changed in place.
    pairs : float64 array of shape (G, K, K)
        Counts of code k and code m, one axis entry a lag.
    log_prob : float64 array of shape (G, C, C)
    occurrences : float64 array of shape (K,)

    Returns
    -------
    best_key : int64 array of shape (K,)
    best : float
        Its score.
    """
    state = np.array([seed], dtype=np.uint64)
    n_lags, n_codes = pairs.shape[0], pairs.shape[1]
    n_labels = log_prob.shape[1]
    log_prob_by_next = np.ascontiguousarray(log_prob.transpose(0, 2, 1))
    following = np.zeros((n_lags, n_codes, n_labels))
    preceding = np.zeros((n_lags, n_codes, n_labels))
    self_pairs = np.zeros((n_lags, n_codes))
    usage = np.zeros(n_labels)
    score = 0.0
    for k in range(n_codes):
        usage[key[k]] += occurrences[k]
        for lag in range(n_lags):
            self_pairs[lag, k] = pairs[lag, k, k]
            for m in range(n_codes):
                following[lag, k, key[m]] += pairs[lag, k, m]
                preceding[lag, k, key[m]] += pairs[lag, m, k]
                score += pairs[lag, k, m] * log_prob[lag, key[k], key[m]]
    score += entropy_weight * (_n_log_n(usage.sum()) - _sum_n_log_n(usage))
    best, best_key = score, key.copy()
    for temperature in temperatures:
        for _ in range(moves_per_temperature):
            a = random_below(state, n_codes)
            old = key[a]
            b = -1
            if random_unit(state) <= swap_share:
                b = random_below(state, n_codes)
                new = key[b]
            else:
                new = random_below(state, n_labels)
            if new == old:
                continue
            gain = relabel_gain(a, old, new, following, preceding, self_pairs, log_prob, log_prob_by_next)
            moved = occurrences[a]
            if b >= 0:
                moved -= occurrences[b]
                gain += relabel_gain(
                    b, new, old, following, preceding, self_pairs, log_prob, log_prob_by_next
                )
                for lag in range(n_lags):  # each gain took the other code for one that stays
                    p = log_prob[lag]
                    shared = pairs[lag, a, b] + pairs[lag, b, a]
                    gain += shared * (p[old, new] + p[new, old] - p[old, old] - p[new, new])
            gain += entropy_weight * (
                _n_log_n(usage[old]) + _n_log_n(usage[new])
                - _n_log_n(usage[old] - moved) - _n_log_n(usage[new] + moved)
            )  # fmt: skip
            if gain < 0.0 and gain < temperature * np.log(random_unit(state)):
                continue
            key[a] = new
            relabel(a, old, new, pairs, following, preceding)
            if b >= 0:
                key[b] = old
                relabel(b, new, old, pairs, following, preceding)
            usage[old] -= moved
            usage[new] += moved
            score += gain
            if score > best + 1e-9 * abs(best):
                best = score
                best_key[:] = key
    return best_key, best


@njit(cache=True, nogil=True, inline="always")
def _n_log_n(n):
    return n * np.log(n) if n > 1e-9 else 0.0


@njit(cache=True, nogil=True)
def _sum_n_log_n(usage):
    total = 0.0
    for n in usage:
        total += _n_log_n(n)
    return total
