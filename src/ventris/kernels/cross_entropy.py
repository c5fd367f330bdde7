"""Cross-entropy with its gradients, and the sums that fits and readings take over and over."""

from __future__ import annotations

import numpy as np
from numba import njit

from ventris.kernels.exponential import vector_exp


# "reassoc" lets the sums over classes become SIMD code; totals are double precision whatever the logits are.
@njit(cache=True, nogil=True, fastmath={"contract", "nnan", "nsz", "reassoc"}, error_model="numpy")
def residuals(z, q):
    """Turn logits into w·softmax(z) − q, in place, and return Σ_t (w_t ln Σ_c e^z − Σ_c q z), w_t = Σ_c q.

    Parameters
    ----------
    z : array of shape (n, C)
        Logits; overwritten with the gradient of the loss.
    q : array of shape (n, C)
        Soft targets.
    """
    n, n_classes = z.shape
    loss = 0.0
    for t in range(n):
        top = z[t, 0]
        for c in range(1, n_classes):
            top = max(top, z[t, c])
        linear, weight, total = 0.0, 0.0, 0.0
        for c in range(n_classes):
            below = z[t, c] - top
            linear += q[t, c] * below
            weight += q[t, c]
            z[t, c] = vector_exp(below)
        for c in range(n_classes):
            total += z[t, c]
        loss += weight * np.log(total) - linear
        share = weight / total
        for c in range(n_classes):
            z[t, c] = z[t, c] * share - q[t, c]
    return loss


@njit(cache=True, nogil=True, fastmath={"contract", "nsz", "reassoc"}, error_model="numpy")
def column_means(p):
    """Mean of each column, in double precision: NumPy's takes ten times as long on a few columns."""
    n, n_columns = p.shape
    sums = np.zeros(n_columns)
    for t in range(n):
        for c in range(n_columns):
            sums[c] += p[t, c]
    for c in range(n_columns):
        sums[c] /= n
    return sums


@njit(cache=True, nogil=True, fastmath={"contract", "nnan", "nsz", "reassoc"}, error_model="numpy")
def logistic_moments(Z, first, weight, u):
    """Gradient Σ_t (w_t p_t − q_t) z_t and curvature Σ_t w_t p_t (1 − p_t) z_t z_tᵀ of the logistic loss.

    Parameters
    ----------
    Z : array of shape (M, n)
        Features, one a row.
    first, weight : arrays of shape (n,)
        q_t, the target of the first class, and w_t, that of both.
    u : array of shape (M,)
        p_t = 1 / (1 + e^(−u·z_t)).
    """
    m, n = Z.shape
    odds = np.zeros(n)
    for i in range(m):
        for t in range(n):
            odds[t] += u[i] * Z[i, t]
    slope, bend = np.empty(n), np.empty(n)
    for t in range(n):
        p = 1.0 / (1.0 + vector_exp(-min(max(odds[t], -35.0), 35.0)))
        slope[t] = weight[t] * p - first[t]
        bend[t] = weight[t] * max(p * (1.0 - p), 1e-10)
    gradient, curvature = np.empty(m), np.empty((m, m))
    for i in range(m):
        total = 0.0
        for t in range(n):
            total += slope[t] * Z[i, t]
        gradient[i] = total
        for j in range(i + 1):
            total = 0.0
            for t in range(n):
                total += bend[t] * Z[i, t] * Z[j, t]
            curvature[i, j] = curvature[j, i] = total
    return gradient, curvature
