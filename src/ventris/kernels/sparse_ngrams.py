"""Expected counts of listed n-grams: the sparse twin of the dense Khatri–Rao products."""

from __future__ import annotations

from numba import njit


@njit(cache=True, nogil=True)
def add_expected(posteriors, starts, grams, total):
    """Add Π_k p[w + k, gram_k] over the windows at `starts` to `total`, one entry a gram."""
    n_grams, order = grams.shape
    for w in starts:
        for m in range(n_grams):
            product = posteriors[w, grams[m, 0]]
            for k in range(1, order):
                product *= posteriors[w + k, grams[m, k]]
            total[m] += product


@njit(cache=True, nogil=True)
def add_partial(posteriors, starts, grams, weights, partial):
    """Add each gram's weight times the product of the *other* places to `partial` at its place and class."""
    n_grams, order = grams.shape
    for w in starts:
        for m in range(n_grams):
            for k in range(order):
                product = weights[m]
                for other in range(order):
                    if other != k:
                        product *= posteriors[w + other, grams[m, other]]
                partial[w + k, grams[m, k]] += product
