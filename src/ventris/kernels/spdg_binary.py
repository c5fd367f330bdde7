"""Algorithm 1 compiled for two classes and orders 1 and 2: one run, or many runs as SIMD lanes.

With two classes everything depends on q_t = p(0 | x_t) = σ(δ · x_t + δ_b), δ = γ (w_0 − w_1). With
A = P ⊙ V, the derivative of L by the logit of point t is q_t (1 − q_t) times

    ahead_t (slope q_{t+1} + before) + behind_t (slope q_{t−1} + after)

where slope = A00 − A01 − A10 + A11, before = A01 − A11, after = A10 − A11, and ahead_t, behind_t are 1 when
t has a right, a left neighbour in its subsequence. Order 1 is the case slope = after = 0, before = A0 − A1.
A posterior below 1e-16 of its rival is rounded to zero here, which the readable twin does not do.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ventris.kernels.exponential import vector_exp
from ventris.kernels.spdg import CHECK_EVERY, FAST, ascended, is_sound, keep

# Doubles in a SIMD register of the machines in use; loops over points run in whole registers.
REGISTER = 4
# Longest subsequence the kernels take; longer ones go to the general kernel, where the gain is gone anyway.
LONGEST = 1024
# One scratch array, regions at constant distances: the compiler then sees that they do not overlap. The odd
# 16 keeps equal places of two regions from sharing the low 12 bits of their addresses.
_REGION = LONGEST + 16
_Z, _Q, _H, _AHEAD, _BEHIND, _SCRATCH = (k * _REGION for k in range(6))


def feature_rows(X: NDArray) -> NDArray:
    """X by features, padded with zeros: (D rounded up to even, T + 16).

    Features are read two at a time, and whole registers may be read past the last point.

    Examples
    --------
    >>> feature_rows(np.ones((3, 1))).shape
    (2, 19)
    """
    n_points, n_features = X.shape
    rows = np.zeros((n_features + n_features % 2, n_points + 16))
    rows[:n_features, :n_points] = X.T
    return rows


@njit(cache=True, nogil=True)
def differences(gamma, weights, mask, delta, mobility):
    """δ = γ (w_0 − w_1), and how far δ moves for a unit step on the logit: γ² times the free weights."""
    last = weights.shape[1] - 1
    for d in range(weights.shape[1]):
        row = d if d < last else delta.shape[0] - 1  # δ_b is last, after the padded features
        delta[row] = gamma * (weights[0, d] - weights[1, d])
        mobility[row] = gamma * gamma * (mask[0, d] + mask[1, d])


@njit(cache=True, nogil=True)
def moved_weights(gamma, delta, weights, mask):
    """Give δ's change back to the weights: what w_0 loses w_1 gains, where both are free."""
    last = weights.shape[1] - 1
    for d in range(weights.shape[1]):
        free = mask[0, d] + mask[1, d]
        if free > 0.0:
            row = d if d < last else delta.shape[0] - 1
            share = (delta[row] / gamma - (weights[0, d] - weights[1, d])) / free
            weights[0, d] += mask[0, d] * share
            weights[1, d] -= mask[1, d] * share


@njit(cache=True, nogil=True)
def _neighbours(work, length, width, order):
    """Mark the points with a right and a left neighbour; for order 1 every point stands alone."""
    for t in range(width):
        work[_AHEAD + t] = 1.0 if t < length - order + 1 else 0.0
        work[_BEHIND + t] = 1.0 if order == 2 and 0 < t < length else 0.0


@njit(inline="always", fastmath=FAST, error_model="numpy")
def _sigmoids(rows, start, width, delta, work):
    """q of `width` points from `start`; all features but the last two are summed beforehand."""
    n_rows = rows.shape[0]
    for d in range(0, n_rows - 2, 2):
        u, v, kept = delta[d], delta[d + 1], 1.0 if d > 0 else 0.0
        for t in range(width):
            work[_Z + t] = kept * work[_Z + t] - u * rows[d, start + t] - v * rows[d + 1, start + t]
    u, v, intercept = delta[n_rows - 2], delta[n_rows - 1], delta[n_rows]
    for t in range(width):
        z = work[_Z + t] - intercept - u * rows[n_rows - 2, start + t] - v * rows[n_rows - 1, start + t]
        work[_Q + t] = 1.0 / (1.0 + vector_exp(z))


@njit(inline="always", fastmath=FAST, error_model="numpy")
def _gradient(rows, start, width, slope, before, after, work, gradient):
    """Add the batch's ∂L/∂δ to `gradient`; return Σ q_t q_{t+1}, Σ q_t and Σ q_{t+1} over the windows."""
    n_rows = rows.shape[0]
    both, first, second = 0.0, 0.0, 0.0
    g_u, g_v, g_intercept = 0.0, 0.0, 0.0
    for t in range(width):
        q, right, left = work[_Q + t], work[_Q + t + 1], work[_Q + t - 1]
        ahead, behind = work[_AHEAD + t], work[_BEHIND + t]
        both += ahead * (q * right)
        first += ahead * q
        second += behind * q
        h = (ahead * (before + slope * right) + behind * (after + slope * left)) * (q - q * q)  # (E7)
        work[_H + t] = h
        g_u += h * rows[n_rows - 2, start + t]
        g_v += h * rows[n_rows - 1, start + t]
        g_intercept += h
    for d in range(n_rows - 2):
        total = 0.0
        for t in range(width):
            total += work[_H + t] * rows[d, start + t]
        gradient[d] += total
    gradient[n_rows - 2] += g_u
    gradient[n_rows - 1] += g_v
    gradient[n_rows] += g_intercept
    return both, first, second


@njit(inline="always", fastmath=FAST, error_model="numpy")
def _field(order, a0, a1, a2, a3):
    """slope, before and after of the module's formula, from A = P ⊙ V."""
    if order == 1:
        return 0.0, a0 - a1, 0.0
    return a0 - a1 - a2 + a3, a1 - a3, a2 - a3


@njit(inline="always", fastmath=FAST, error_model="numpy")
def expected_table(order, both, first, second):
    """P̄ (E2) from the means of q_t q_{t+1}, q_t and q_{t+1}; order 1 uses the mean of q_t alone."""
    if order == 1:
        return first, 1.0 - first, 0.0, 0.0
    return both, first - both, second - both, 1.0 - first - second + both


@njit(cache=True, nogil=True, fastmath=FAST, error_model="numpy")
def _run(rows, starts, length, order, gamma, lm_prob, weights, dual, mask, rates, form, floor, first_update):
    """All of `starts`' updates of one run, unwatched; V stays in registers, two of them idle at order 1."""
    n_updates, batch_size = starts.shape
    width = (length + REGISTER - 1) // REGISTER * REGISTER
    work = np.zeros(_SCRATCH)
    _neighbours(work, length, width, order)
    delta, mobility, gradient = np.zeros(len(rows) + 1), np.zeros(len(rows) + 1), np.zeros(len(rows) + 1)
    differences(gamma, weights, mask, delta, mobility)
    p0, p1, p2, p3 = lm_prob[0], lm_prob[1], 0.0, 0.0
    v0, v1, v2, v3 = dual[0], dual[1], -1.0, -1.0
    if order == 2:
        p2, p3, v2, v3 = lm_prob[2], lm_prob[3], dual[2], dual[3]
    scale = 1.0 / (batch_size * (length - order + 1))
    primal_lr, dual_lr, decay = rates[0], rates[1], rates[2]
    for u in range(n_updates):
        slope, before, after = _field(order, p0 * v0, p1 * v1, p2 * v2, p3 * v3)
        both, first, second = 0.0, 0.0, 0.0
        for d in range(len(gradient)):
            gradient[d] = 0.0
        for b in range(batch_size):
            _sigmoids(rows, starts[u, b], width, delta, work)
            sums = _gradient(rows, starts[u, b], width, slope, before, after, work, gradient)
            both, first, second = both + sums[0], first + sums[1], second + sums[2]
        slowing = 1.0 / (1.0 + decay * (first_update + u))
        step, rate = scale * slowing * primal_lr, slowing * dual_lr
        for d in range(len(delta)):
            delta[d] -= step * mobility[d] * gradient[d]
        e0, e1, e2, e3 = expected_table(order, scale * both, scale * first, scale * second)
        v0 = ascended(v0, p0, e0, rate, form, floor)
        v1 = ascended(v1, p1, e1, rate, form, floor)
        v2 = ascended(v2, p2, e2, rate, form, floor)
        v3 = ascended(v3, p3, e3, rate, form, floor)
    moved_weights(gamma, delta, weights, mask)
    dual[0], dual[1] = v0, v1
    if order == 2:
        dual[2], dual[3] = v2, v3


@njit(cache=True, nogil=True)
def run_binary_updates(
    rows, starts, length, order, gamma, lm_prob, weights, dual, mask, bound, rates, form, floor, first
):
    """`ventris.kernels.spdg.run_updates` for two classes and orders 1 and 2, DIRECT or LOG.

    The arguments are the same, but for `rows`: X as `feature_rows` lays it out. At most LONGEST points to a
    subsequence.
    """
    n_updates = len(starts)
    for begin in range(0, n_updates, CHECK_EVERY):
        part = starts[begin : begin + CHECK_EVERY]
        trial, trial_dual = weights.copy(), dual.copy()
        _run(
            rows, part, length, order, gamma, lm_prob, trial, trial_dual,
            mask, rates, form, floor, first + begin,
        )  # fmt: skip
        if not is_sound(trial, trial_dual, bound):
            return begin
        keep(trial, trial_dual, weights, dual)
    return n_updates
