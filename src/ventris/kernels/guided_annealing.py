"""Simulated annealing of a many-to-one key whose moves are guided by the language.

A move gives one symbol another label. Guided ones take a random window of the text that holds the symbol and
propose the label that completes it best, the other symbols of the window as they are read now; the rest
propose any label. Symbols come in shuffled rounds, so that rare ones have their turn, and the temperature is
proportional to how often a symbol occurs, for the gain of a move is a sum over so many windows. Only windows
that hold the symbol are scored again.

The score is Σ table[n-gram read in a window] · H, H the entropy of how often each label is used.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from ventris.kernels.annealing import random_below, random_unit

HOPELESS = -30.0  # the logarithm of a random number is never seen below
NO_LABEL = 255  # no label completes a window to an n-gram above the floor


@njit(cache=True, nogil=True)
def best_completions(table, n_labels, order):
    """The label that completes an n-gram best, for each place of it that is open.

    Parameters
    ----------
    table : uint8 array of shape (C ** n,)

    Returns
    -------
    uint8 array of shape (n * C ** (n - 1),)
        At [place · C ** (n − 1) + the other labels, the open place left out]; NO_LABEL where all are 0.
    """
    size = n_labels ** (order - 1)
    best = np.empty(order * size, dtype=np.uint8)
    for place in range(order):
        low = n_labels ** (order - 1 - place)
        for others in range(size):
            code = (others // low) * low * n_labels + others % low
            top, label = table[code], 0
            for x in range(1, n_labels):
                if table[code + x * low] > top:
                    top, label = table[code + x * low], x
            best[place * size + others] = label if top > 0 else NO_LABEL
    return best


@njit(cache=True, nogil=True)
def anneal_guided(
    key, movable, allowed, index, first, member, weight, place, occurrences, table, best, order, guided, hot,
    cold, moves, seed, stop,
):  # fmt: skip
    """Anneal a key; see `ventris.deciphering.many_to_one` for what it is for.

    Parameters
    ----------
    key : int64 array of shape (K,)
        Label of each symbol; changed in place, the best one is returned.
    movable : int64 array
        Symbols whose label may change; each occurs.
    allowed : bool array of shape (K, C)
        Labels that each symbol may have.
    index : int32 array of shape (M,)
        N-gram number of each window under `key`; changed in place.
    first, member, weight, place : arrays of shapes (K + 1,), (L,), (L,), (L,)
        Symbol s is in the windows ``member[first[s]:first[s + 1]]``; raising its label by one raises their
        numbers by ``weight``, and ``place`` is one of its places in them.
    occurrences : int64 array of shape (K,)
    table : uint8 array of shape (C ** n,)
    best : uint8 array
        Of `best_completions`.
    guided : float
        Share of moves that are.
    hot, cold : float
        First and last temperature, in units of the score an occurrence.
    moves : int
    stop : bool array of one element
        Set from outside, it ends the search at the next round.

    Returns
    -------
    best_key : int64 array of shape (K,)
    top : float
        Its score.
    """
    state = np.array([seed], dtype=np.uint64)
    n_labels, n_windows = allowed.shape[1], len(index)
    value = np.empty(n_windows, dtype=np.int32)
    total = 0
    for i in range(n_windows):
        value[i] = table[index[i]]
        total += value[i]
    n_symbols = occurrences.sum()
    share = np.zeros(n_symbols + 1)
    for n in range(1, n_symbols + 1):
        share[n] = -(n / n_symbols) * np.log(n / n_symbols)
    usage = np.zeros(n_labels, dtype=np.int64)
    for s in range(len(key)):
        usage[key[s]] += occurrences[s]
    entropy = 0.0
    for label in range(n_labels):
        entropy += share[usage[label]]
    score = total * entropy
    top, top_key = score, key.copy()
    size = n_labels ** (order - 1)
    powers = np.empty(order, dtype=np.int64)
    inverse = np.empty(order + 1)  # (code + ½) · inverse, cut to an integer, is code // power, and faster
    inverse[0] = 1.0 / n_labels**order
    for j in range(order):
        powers[j] = n_labels ** (order - 1 - j)
        inverse[j + 1] = 1.0 / powers[j]
    turn, at = movable.copy(), len(movable)
    temperature, step = hot, (hot - cold) / max(moves, 1)
    for _ in range(moves):
        temperature -= step
        if at == len(turn):
            if stop[0]:
                break
            for i in range(len(turn) - 1, 0, -1):
                j = random_below(state, i + 1)
                turn[i], turn[j] = turn[j], turn[i]
            at = 0
        s = turn[at]
        at += 1
        start, end = first[s], first[s + 1]
        old, new = key[s], np.int64(NO_LABEL)
        if end > start and random_unit(state) <= guided:
            q = start + random_below(state, end - start)
            open_at = place[q]
            low, code = powers[open_at], index[member[q]]
            above = np.int64((code + 0.5) * inverse[open_at]) * low
            below = code - np.int64((code + 0.5) * inverse[open_at + 1]) * low
            new = np.int64(best[open_at * size + above + below])
        if new == NO_LABEL:
            new = random_below(state, n_labels)
        if new == old or not allowed[s, new]:
            continue
        change, gain, moved = new - old, 0, occurrences[s]
        for q in range(start, end):
            i = member[q]
            gain += np.int32(table[index[i] + weight[q] * change]) - value[i]
        fresh = entropy + share[usage[old] - moved] - share[usage[old]]
        fresh += share[usage[new] + moved] - share[usage[new]]
        rise = (total + gain) * fresh - score
        if rise < 0.0:
            odds = rise / (temperature * moved)
            if odds < HOPELESS or odds < np.log(random_unit(state)):
                continue
        for q in range(start, end):
            i = member[q]
            index[i] += weight[q] * change
            value[i] = table[index[i]]
        key[s] = new
        usage[old] -= moved
        usage[new] += moved
        total += gain
        entropy = fresh
        score += rise
        if score > top:
            top = score
            top_key[:] = key
    return top_key, top
