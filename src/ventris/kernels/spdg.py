"""Algorithm 1 compiled, for any number of classes and features and orders 1 to 3.

The readable twin is `solvers.spdg.spdg_step`. Every kernel of the algorithm shares this module's dual step
and its watch over divergence; the two-class ones, made for speed, are in `ventris.kernels.spdg_binary`.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from ventris.kernels.exponential import vector_exp

DIRECT, LOG, NAIVE = 0, 1, 2
# A run is looked over at least this often, and falls back to the last sound state.
CHECK_EVERY = 1000
# The log form's step, bounded: one rare n-gram in a small batch would otherwise throw its dual to zero.
MAX_LOG_STEP = 1.0
# Optimal duals of real alphabets reach 1e6; a value beyond this one is a run gone astray.
DUAL_LIMIT = 1e15
TINY = 1e-300
# Sums may be reordered and products fused; infinities and NaN keep their meaning, for `is_sound` needs them.
FAST = {"reassoc", "contract", "arcp", "nsz"}


@njit(inline="always", fastmath=FAST, error_model="numpy")
def ascended(v, lm_prob, expected_prob, rate, form, floor):
    """One dual variable after its ascent step (E8)."""
    if form == LOG:
        if lm_prob <= 0.0:
            return v
        step = rate * (1.0 + v * expected_prob)
        return v * vector_exp(min(max(step, -MAX_LOG_STEP), MAX_LOG_STEP))
    return min(v + rate * lm_prob * (expected_prob + 1.0 / v), -floor)  # (E6)


@njit(cache=True, nogil=True)
def is_sound(weights, dual, bound):
    """Whether every weight is finite and within its column's bound, and every dual finite and negative."""
    sound = True
    for c in range(weights.shape[0]):
        for d in range(weights.shape[1]):
            sound &= abs(weights[c, d]) <= bound[d]  # false for NaN as well
    for i in range(dual.size):
        sound &= -DUAL_LIMIT <= dual[i] < 0.0
    return sound


@njit(cache=True, nogil=True)
def keep(trial, trial_dual, weights, dual):
    """Make a trial state the state. Written out: numba compiles slice assignment ten times as long."""
    for c in range(weights.shape[0]):
        for d in range(weights.shape[1]):
            weights[c, d] = trial[c, d]
    for i in range(dual.size):
        dual[i] = trial_dual[i]


@njit(cache=True, nogil=True, fastmath=FAST, error_model="numpy")
def _softmax_rows(X, starts, length, gamma, weights, posteriors):
    """p(y | x) of the batch's points, subsequence after subsequence: (B * length, C) (E9)."""
    n_classes, n_columns = weights.shape
    for b in range(starts.size):
        for t in range(length):
            row = posteriors[b * length + t]
            largest = -np.inf
            for c in range(n_classes):
                logit = weights[c, n_columns - 1]
                for d in range(n_columns - 1):
                    logit += weights[c, d] * X[starts[b] + t, d]
                row[c] = gamma * logit
                largest = max(largest, row[c])
            total = 0.0
            for c in range(n_classes):
                row[c] = vector_exp(row[c] - largest)
                total += row[c]
            for c in range(n_classes):
                row[c] /= total


@njit(cache=True, nogil=True, fastmath=FAST, error_model="numpy")
def _add_unigram(p, t, pressure, expected, field):
    for i in range(p.shape[1]):
        expected[i] += p[t, i]
        field[t, i] += pressure[i]


@njit(cache=True, nogil=True, fastmath=FAST, error_model="numpy")
def _add_bigram(p, t, pressure, expected, field):
    n_classes = p.shape[1]
    for i in range(n_classes):
        first, pull, row = p[t, i], 0.0, i * n_classes
        for j in range(n_classes):
            expected[row + j] += first * p[t + 1, j]
            field[t + 1, j] += first * pressure[row + j]
            pull += pressure[row + j] * p[t + 1, j]
        field[t, i] += pull


@njit(cache=True, nogil=True, fastmath=FAST, error_model="numpy")
def _add_trigram(p, t, pressure, expected, field):
    n_classes = p.shape[1]
    for i in range(n_classes):
        for j in range(n_classes):
            pair, pull, row = p[t, i] * p[t + 1, j], 0.0, (i * n_classes + j) * n_classes
            for k in range(n_classes):
                expected[row + k] += pair * p[t + 2, k]
                field[t + 2, k] += pair * pressure[row + k]
                pull += pressure[row + k] * p[t + 2, k]
            field[t, i] += p[t + 1, j] * pull
            field[t + 1, j] += p[t, i] * pull


@njit(cache=True, nogil=True)
def _pass(posteriors, length, order, pressure, expected, field):
    """Sums over the batch's windows: P̄ (E2), and for each point Σ P v Π p over the window's other points."""
    expected.fill(0.0)
    field.fill(0.0)
    n_windows = 0
    for begin in range(0, len(posteriors), length):
        for t in range(begin, begin + length - order + 1):
            if order == 1:
                _add_unigram(posteriors, t, pressure, expected, field)
            elif order == 2:
                _add_bigram(posteriors, t, pressure, expected, field)
            else:
                _add_trigram(posteriors, t, pressure, expected, field)
            n_windows += 1
    for i in range(expected.size):
        expected[i] /= n_windows
    for t in range(field.shape[0]):
        for c in range(field.shape[1]):
            field[t, c] /= n_windows


@njit(cache=True, nogil=True, fastmath=FAST, error_model="numpy")
def _descend(X, starts, length, posteriors, field, step, mask, weights):
    """Move the weights down ∂L/∂logits = p (field − Σ p field) (E7), as far as `mask` lets them move."""
    n_classes, n_columns = weights.shape
    for b in range(starts.size):
        for t in range(length):
            row = b * length + t
            mean = 0.0
            for c in range(n_classes):
                mean += posteriors[row, c] * field[row, c]
            for c in range(n_classes):
                pull = step * posteriors[row, c] * (field[row, c] - mean)
                for d in range(n_columns - 1):
                    weights[c, d] -= mask[c, d] * pull * X[starts[b] + t, d]
                weights[c, n_columns - 1] -= mask[c, n_columns - 1] * pull


@njit(cache=True, nogil=True)
def _run(X, starts, length, order, gamma, lm_prob, weights, dual, mask, rates, form, floor, first):
    """All of `starts`' updates, unwatched."""
    n_updates, batch_size = starts.shape
    posteriors = np.empty((batch_size * length, weights.shape[0]))
    field = np.empty_like(posteriors)
    expected, pressure = np.empty_like(dual), np.empty_like(dual)
    for u in range(n_updates):
        slowing = 1.0 / (1.0 + rates[2] * (first + u))
        _softmax_rows(X, starts[u], length, gamma, weights, posteriors)
        for i in range(dual.size):
            pressure[i] = lm_prob[i] * dual[i]
        _pass(posteriors, length, order, pressure, expected, field)
        if form == NAIVE:  # the batch's own optimal dual (E5) instead of a running one
            for i in range(dual.size):
                pressure[i] = -lm_prob[i] / max(expected[i], TINY)
            _pass(posteriors, length, order, pressure, expected, field)
        step = rates[0] * slowing * gamma
        _descend(X, starts[u], length, posteriors, field, step, mask, weights)
        if form != NAIVE:
            for i in range(dual.size):
                dual[i] = ascended(dual[i], lm_prob[i], expected[i], rates[1] * slowing, form, floor)


@njit(cache=True, nogil=True)
def run_updates(
    X, starts, length, order, gamma, lm_prob, weights, dual, mask, bound, rates, form, floor, first
):
    """Run the SPDG updates of `starts` in place; stop at the last sound state.

    Parameters
    ----------
    X : array of shape (T, D)
    starts : int array of shape (n_updates, B)
        First point of each subsequence of each batch.
    length, order : int
        Points in a subsequence; labels in a window.
    gamma : float
    lm_prob, dual : arrays of shape (C**order,)
    weights, mask : arrays of shape (C, D + 1)
        The last column is the intercept; a weight whose mask is 0 never moves.
    bound : array of shape (D + 1,)
        A weight beyond its column's bound means divergence.
    rates : array of shape (3,)
        Primal rate, dual rate, decay: update τ uses rate / (1 + decay τ).
    form : int
        DIRECT, LOG or NAIVE.
    floor : float
        DIRECT keeps every dual variable at or below −floor.
    first : int
        τ of the first update.

    Returns
    -------
    int
        Updates done and kept; fewer than n_updates when divergence was noticed.
    """
    n_updates = len(starts)
    for begin in range(0, n_updates, CHECK_EVERY):
        part = starts[begin : begin + CHECK_EVERY]
        trial, trial_dual = weights.copy(), dual.copy()
        _run(
            X, part, length, order, gamma, lm_prob, trial, trial_dual, mask, rates, form, floor, first + begin
        )
        if not is_sound(trial, trial_dual, bound):
            return begin
        keep(trial, trial_dual, weights, dual)
    return n_updates
