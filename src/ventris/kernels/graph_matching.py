"""Annealed swaps of a one-to-one naming, scored by the moves between neighbours (quadratic assignment)."""

from __future__ import annotations

import numpy as np
from numba import njit

from ventris.kernels.annealing import random_below, random_unit


@njit(cache=True, nogil=True)
def swap_names(moves, log_prob, own, names, temperatures, swaps, seed):
    """Anneal `names` (C,) in place; the best found is returned, with its score.

    The score is Σ moves(i, j) · log_prob(names[i], names[j]) + Σ own(i, names[i]). At each of `temperatures`
    so many `swaps` of two names are tried; at temperature zero none that lowers the score is taken.
    """
    state = np.array([seed], dtype=np.uint64)
    n = names.size
    score = 0.0
    for i in range(n):
        score += own[i, names[i]]
        for j in range(n):
            score += moves[i, j] * log_prob[names[i], names[j]]
    best, kept = score, names.copy()
    for temperature in temperatures:
        for _ in range(swaps):
            a, b = random_below(state, n), random_below(state, n)
            if a == b:
                continue
            x, y = names[a], names[b]
            gain = own[a, y] + own[b, x] - own[a, x] - own[b, y]
            gain += (moves[a, b] - moves[b, a]) * (log_prob[y, x] - log_prob[x, y])
            gain += (moves[a, a] - moves[b, b]) * (log_prob[y, y] - log_prob[x, x])
            for k in range(n):
                if k != a and k != b:
                    z = names[k]
                    gain += (moves[a, k] - moves[b, k]) * (log_prob[y, z] - log_prob[x, z])
                    gain += (moves[k, a] - moves[k, b]) * (log_prob[z, y] - log_prob[z, x])
            if gain >= 0.0 or (temperature > 0.0 and random_unit(state) < np.exp(gain / temperature)):
                names[a], names[b] = y, x
                score += gain
                if score > best + 1e-9:
                    best = score
                    kept[:] = names
    return kept, best
