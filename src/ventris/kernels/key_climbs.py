"""Annealing of keys that move letters, or permute them by a period: every reading is scored whole.

Both kernels know a text only as numbers 0 … C − 1 and a table of log p of a letter given the ones before it.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from ventris.kernels.annealing import random_below, random_unit


@njit(cache=True, nogil=True, inline="always")
def score_letters(letters, log_prob, n_labels, order):
    """Σ log p of the letters from number `order` − 1 on."""
    size, code, total = n_labels ** (order - 1), 0, 0.0
    for i in range(len(letters)):
        code = (code % size) * n_labels + letters[i]
        if i >= order - 1:
            total += log_prob[code]
    return total


@njit(cache=True, nogil=True)
def uncolumned(cipher, ranks, plain):
    """Put a columnar transposition back: column c of the plaintext was written as number ranks[c]."""
    n_columns, length = len(ranks), len(cipher)
    rows, longer = length // n_columns, length % n_columns
    at = 0
    for rank in range(n_columns):
        for column in range(n_columns):
            if ranks[column] == rank:
                for row in range(rows + (1 if column < longer else 0)):
                    plain[row * n_columns + column] = cipher[at]
                    at += 1


@njit(cache=True, nogil=True)
def anneal_columns(cipher, n_columns, log_prob, n_labels, order, hot, cold, moves, seed):
    """The order of columns under which a text is likeliest.

    A move exchanges two columns, or takes a run of them elsewhere.

    Parameters
    ----------
    cipher : int64 array of shape (N,)
    log_prob : float32 array of shape (C ** n,)
    hot, cold : float
        First and last temperature, in nats.

    Returns
    -------
    best : int64 array of shape (n_columns,)
        Rank of each column.
    top : float
        Its score.
    """
    state = np.array([seed], dtype=np.uint64)
    order_of = np.arange(n_columns)  # order_of[rank] = column
    for i in range(n_columns - 1, 0, -1):
        j = random_below(state, i + 1)
        order_of[i], order_of[j] = order_of[j], order_of[i]
    plain, ranks, trial = np.empty_like(cipher), np.empty(n_columns, np.int64), order_of.copy()
    for rank in range(n_columns):
        ranks[order_of[rank]] = rank
    uncolumned(cipher, ranks, plain)
    score = score_letters(plain, log_prob, n_labels, order)
    top, best = score, ranks.copy()
    for move in range(moves):
        temperature = hot + (cold - hot) * move / moves
        trial[:] = order_of
        if random_unit(state) < 0.5:
            a, b = random_below(state, n_columns), random_below(state, n_columns)
            trial[a], trial[b] = trial[b], trial[a]
        else:  # columns in plaintext order are ranks; move a run of neighbouring columns among them
            shift = 1 + random_below(state, n_columns - 1) if n_columns > 1 else 0
            start = random_below(state, n_columns)
            length = 1 + random_below(state, n_columns)
            for rank in range(n_columns):
                column = order_of[rank]
                inside = (column - start) % n_columns
                if inside < length:
                    column = (start + (inside + shift) % length) % n_columns
                trial[rank] = column
        for rank in range(n_columns):
            ranks[trial[rank]] = rank
        uncolumned(cipher, ranks, plain)
        fresh = score_letters(plain, log_prob, n_labels, order)
        if fresh < score and (fresh - score) < temperature * np.log(random_unit(state)):
            continue
        order_of[:] = trial
        score = fresh
        if score > top:
            top = score
            best[:] = ranks
    return best, top


@njit(cache=True, nogil=True, inline="always")
def unshift(cipher, place, alphabet, shifts, plain):
    """Vigenère backwards over a keyed alphabet: `place` is its inverse."""
    n_labels, period = len(alphabet), len(shifts)
    for i in range(len(cipher)):
        at = place[cipher[i]] - shifts[i % period]
        plain[i] = alphabet[at + n_labels if at < 0 else at]


@njit(cache=True, nogil=True)
def spell_alphabet(head, n_head, alphabet, place):
    """A keyed alphabet: the letters of the key word, then the others in their order; and its inverse."""
    n_labels = len(alphabet)
    place[:] = -1
    for i in range(n_head):
        alphabet[i] = head[i]
        place[head[i]] = i
    at = n_head
    for letter in range(n_labels):
        if place[letter] < 0:
            alphabet[at] = letter
            place[letter] = at
            at += 1


@njit(cache=True, nogil=True)
def fit_shifts(counts, alphabet, log_frequency, shifts):
    """The likeliest shift of each column by its letters alone, given the alphabet; their log-likelihood."""
    period, n_labels = counts.shape
    total = 0.0
    for column in range(period):
        best = -np.inf
        for shift in range(n_labels):
            score = 0.0
            for i in range(n_labels):
                j = i - shift
                score += counts[column, alphabet[i]] * log_frequency[alphabet[j + n_labels if j < 0 else j]]
            if score > best:
                best = score
                shifts[column] = shift
        total += best
    return total


@njit(cache=True, nogil=True)
def anneal_keyed(cipher, counts, log_frequency, log_prob, order, longest, weight, hot, cold, moves, seed):
    """The keyed alphabet, and the shift of each column, under which a text is likeliest.

    The alphabet is a key word without repeated letters, then the other letters in their order. A move
    replaces, exchanges, inserts or deletes letters of the word; the shifts are those that fit the columns
    best. The score is `weight` times that of n-grams and 1 − `weight` times that of single letters, which
    lead the way.

    Parameters
    ----------
    cipher : int64 array of shape (N,)
    counts : float64 array of shape (P, C)
        Letters of each column.
    log_frequency : float64 array of shape (C,)
    log_prob : float32 array of shape (C ** n,)
    longest : int
        Letters of the key word at most.
    hot, cold : float
        First and last temperature, in nats.

    Returns
    -------
    best : int64 array of shape (C + P,)
        The alphabet, then the shifts.
    top : float
        Its score.
    """
    state = np.array([seed], dtype=np.uint64)
    period, n_labels = counts.shape
    head = np.arange(n_labels)
    for i in range(n_labels - 1, 0, -1):
        j = random_below(state, i + 1)
        head[i], head[j] = head[j], head[i]
    n_head = 1 + random_below(state, longest)
    trial, place = head.copy(), np.empty(n_labels, np.int64)
    alphabet, shifts, plain = np.empty(n_labels, np.int64), np.zeros(period, np.int64), np.empty_like(cipher)
    score = top = -np.inf
    best = np.zeros(n_labels + period, np.int64)
    for move in range(moves + 1):
        temperature = hot + (cold - hot) * move / moves
        trial[:] = head
        n_trial, kind = n_head, random_unit(state)
        if move == 0:
            pass
        elif kind < 0.35:  # another letter
            i, j = random_below(state, n_head), n_head + random_below(state, n_labels - n_head)
            trial[i], trial[j] = trial[j], trial[i]
        elif kind < 0.6:  # two exchanged
            i, j = random_below(state, n_head), random_below(state, n_head)
            trial[i], trial[j] = trial[j], trial[i]
        elif kind < 0.8 and n_head < longest:  # one more
            i, j = random_below(state, n_head + 1), n_head + random_below(state, n_labels - n_head)
            held = trial[j]
            trial[j] = trial[n_head]
            for q in range(n_head, i, -1):
                trial[q] = trial[q - 1]
            trial[i] = held
            n_trial = n_head + 1
        elif n_head > 1:  # one less
            i = random_below(state, n_head)
            held = trial[i]
            for q in range(i, n_head - 1):
                trial[q] = trial[q + 1]
            trial[n_head - 1] = held
            n_trial = n_head - 1
        spell_alphabet(trial, n_trial, alphabet, place)
        fresh = (1 - weight) * fit_shifts(counts, alphabet, log_frequency, shifts)
        unshift(cipher, place, alphabet, shifts, plain)
        fresh += weight * score_letters(plain, log_prob, n_labels, order)
        if fresh < score and (fresh - score) < temperature * np.log(random_unit(state)):
            continue
        head[:] = trial
        n_head = n_trial
        score = fresh
        if score > top:
            top = score
            best[:n_labels] = alphabet
            best[n_labels:] = shifts
    return best, top
