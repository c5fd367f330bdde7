"""Many two-class runs of Algorithm 1 at once, one to a SIMD lane.

The runs differ in their weights and duals and share their batches, so each point is read once for all of them
and every loop is over lanes, the innermost axis. The formulas are those of `ventris.kernels.spdg_binary`.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from ventris.kernels.exponential import vector_exp
from ventris.kernels.spdg import CHECK_EVERY, FAST, ascended, is_sound, keep
from ventris.kernels.spdg_binary import differences, expected_table, moved_weights


@njit(inline="always", fastmath=FAST, error_model="numpy")
def _sigmoids(rows, start, length, delta, z, q):
    """q of every point (row t + 1 of `q`, between two rows of zeros) and lane."""
    n_rows, n_lanes = rows.shape[0], z.size
    for t in range(length):
        for d in range(0, n_rows - 2, 2):
            x, y, kept = rows[d, start + t], rows[d + 1, start + t], 1.0 if d > 0 else 0.0
            for r in range(n_lanes):
                z[r] = kept * z[r] - delta[d, r] * x - delta[d + 1, r] * y
        x, y = rows[n_rows - 2, start + t], rows[n_rows - 1, start + t]
        for r in range(n_lanes):
            logit = z[r] - delta[n_rows, r] - delta[n_rows - 2, r] * x - delta[n_rows - 1, r] * y
            q[t + 1, r] = 1.0 / (1.0 + vector_exp(logit))


@njit(inline="always", fastmath=FAST, error_model="numpy")
def _gradient(rows, start, length, order, field, h, q, gradient, sums):
    """Add ∂L/∂δ to `gradient` and, over the windows, Σ q_t q_{t+1}, Σ q_t, Σ (q_{t+1} − q_t) to `sums`."""
    n_rows, n_lanes = rows.shape[0], h.size
    for t in range(length):
        x, y = rows[n_rows - 2, start + t], rows[n_rows - 1, start + t]
        ahead = 1.0 if t < length - order + 1 else 0.0
        behind = 1.0 if order == 2 and t > 0 else 0.0
        for r in range(n_lanes):
            here, right, left = q[t + 1, r], q[t + 2, r], q[t, r]
            sums[0, r] += ahead * (here * right)
            sums[1, r] += ahead * here
            slope = field[0, r]
            pull = ahead * (field[1, r] + slope * right) + behind * (field[2, r] + slope * left)
            h[r] = pull * (here - here * here)  # (E7)
            gradient[n_rows - 2, r] += h[r] * x
            gradient[n_rows - 1, r] += h[r] * y
            gradient[n_rows, r] += h[r]
        for d in range(n_rows - 2):
            x = rows[d, start + t]
            for r in range(n_lanes):
                gradient[d, r] += h[r] * x
    for r in range(n_lanes):
        sums[2, r] += q[length, r] - q[1, r]


@njit(inline="always", fastmath=FAST, error_model="numpy")
def _fields(lm_prob, dual, field):
    """slope, before and after of every lane: (3, R)."""
    p0, p1 = lm_prob[0], lm_prob[1]
    if len(lm_prob) == 2:
        for r in range(dual.shape[1]):
            field[1, r] = p0 * dual[0, r] - p1 * dual[1, r]
    else:
        p2, p3 = lm_prob[2], lm_prob[3]
        for r in range(dual.shape[1]):
            a1, a2, a3 = p1 * dual[1, r], p2 * dual[2, r], p3 * dual[3, r]
            field[0, r] = p0 * dual[0, r] - a1 - a2 + a3
            field[1, r] = a1 - a3
            field[2, r] = a2 - a3


@njit(inline="always", fastmath=FAST, error_model="numpy")
def _ascend(lm_prob, sums, scale, rate, form, floor, alive, expected, dual):
    """The dual step of every lane."""
    order = 1 if len(lm_prob) == 2 else 2
    for r in range(dual.shape[1]):
        first = scale * sums[1, r]
        e0, e1, e2, e3 = expected_table(order, scale * sums[0, r], first, first + scale * sums[2, r])
        expected[0, r] = e0
        expected[1, r] = e1
        expected[2, r] = e2
        expected[3, r] = e3
    for i in range(len(lm_prob)):  # one n-gram at a time: a loop over lanes with few arrays becomes SIMD code
        p = lm_prob[i]
        for r in range(dual.shape[1]):
            dual[i, r] = ascended(dual[i, r], p, expected[i, r], rate * alive[r], form, floor)


@njit(cache=True, nogil=True, fastmath=FAST, error_model="numpy")
def _run(
    rows, starts, length, order, gamma, lm_prob, weights, dual, mask, rates, form, floor, first_update, alive
):
    """All of `starts`' updates of all lanes, unwatched; a lane that is not alive stays where it is."""
    n_updates, batch_size = starts.shape
    n_lanes, n_columns = dual.shape[1], len(rows) + 1
    delta, gradient = np.zeros((n_columns, n_lanes)), np.zeros((n_columns, n_lanes))
    mobility = np.zeros(n_columns)
    for r in range(n_lanes):
        differences(gamma, weights[:, :, r], mask, delta[:, r], mobility)
    q, z, h = np.zeros((length + 2, n_lanes)), np.zeros(n_lanes), np.zeros(n_lanes)
    field, sums, expected = np.zeros((3, n_lanes)), np.zeros((3, n_lanes)), np.zeros((4, n_lanes))
    scale = 1.0 / (batch_size * (length - order + 1))
    primal_lr, dual_lr, decay = rates[0], rates[1], rates[2]
    for u in range(n_updates):
        _fields(lm_prob, dual, field)
        for d in range(n_columns):
            for r in range(n_lanes):
                gradient[d, r] = 0.0
        for k in range(3):
            for r in range(n_lanes):
                sums[k, r] = 0.0
        for b in range(batch_size):
            _sigmoids(rows, starts[u, b], length, delta, z, q)
            _gradient(rows, starts[u, b], length, order, field, h, q, gradient, sums)
        slowing = 1.0 / (1.0 + decay * (first_update + u))
        for d in range(n_columns):
            step = scale * slowing * primal_lr * mobility[d]
            for r in range(n_lanes):
                delta[d, r] -= step * alive[r] * gradient[d, r]
        _ascend(lm_prob, sums, scale, slowing * dual_lr, form, floor, alive, expected, dual)
    for r in range(n_lanes):
        moved_weights(gamma, delta[:, r], weights[:, :, r], mask)


@njit(cache=True, nogil=True)
def run_lane_updates(
    rows, starts, length, order, gamma, lm_prob, weights, dual, mask, bound, rates, form, floor, first, alive
):
    """`run_binary_updates` for R runs on the same batches.

    Parameters
    ----------
    weights : array of shape (2, D + 1, R)
    dual : array of shape (2**order, R)
    alive : array of shape (R,)
        1 for a running lane, 0 for one that has diverged; changed in place, with the lane's last sound state
        kept. The other arguments are those of `run_binary_updates`. Multiples of four lanes fill registers.

    Returns
    -------
    int array of shape (R,)
        Updates done and kept by each lane.
    """
    n_updates, n_lanes = len(starts), len(alive)
    done = np.zeros(n_lanes, np.int64)
    for begin in range(0, n_updates, CHECK_EVERY):
        part = starts[begin : begin + CHECK_EVERY]
        trial, trial_dual = weights.copy(), dual.copy()
        _run(
            rows, part, length, order, gamma, lm_prob, trial, trial_dual,
            mask, rates, form, floor, first + begin, alive,
        )  # fmt: skip
        for r in range(n_lanes):
            if alive[r] == 0.0:
                continue
            if is_sound(trial[:, :, r], trial_dual[:, r], bound):
                keep(trial[:, :, r], trial_dual[:, r], weights[:, :, r], dual[:, r])
                done[r] += len(part)
            else:
                alive[r] = 0.0
    return done
