"""Softmax over rows and the way back through it, in passes over blocks that stay in cache."""

from __future__ import annotations

import numpy as np
from numba import njit, types
from numba.extending import overload

from ventris.kernels.exponential import SMALLEST, vector_exp
from ventris.kernels.exponential_single import SMALLEST as SMALLEST_SINGLE
from ventris.kernels.exponential_single import vector_exp_single

_CELLS = 4096  # of a block: small enough for the first cache, long enough for SIMD code


def _exp(x):
    """e^x in the precision of x; compiled code alone calls it."""
    raise NotImplementedError


@overload(_exp)
def _exp_of_its_kind(x):
    # Below its range each ends at the least number it can make; a probability there is zero.
    if x == types.float32:
        return lambda x: vector_exp_single(x) if x > SMALLEST_SINGLE else np.float32(0.0)
    return lambda x: vector_exp(x) if x > SMALLEST else 0.0


@njit(cache=True, nogil=True)
def softmax_rows(z, shift):
    """Turn logits z of shape (n, C) into softmax(z + shift), in place; a row with NaN or +∞ becomes NaN.

    The shift, of shape (C,), is the intercept: added here it costs no pass of its own.
    """
    n_rows = max(1, _CELLS // z.shape[1])
    for first in range(0, len(z), n_rows):
        block = z[first : first + n_rows]
        if _is_finite(block):
            _softmax_block(block, shift)
        else:  # the fast one would make numbers of them, and hide that a step went too far
            _softmax_as_ieee_has_it(block, shift)


# Number by number: the same three lines on whole rows take numba 3 s to compile.
@njit(cache=True, nogil=True, error_model="numpy")
def _softmax_as_ieee_has_it(block, shift):
    n, n_classes = block.shape
    for t in range(n):
        top = block[t, 0] + shift[0]
        for c in range(n_classes):
            block[t, c] += shift[c]
            if block[t, c] > top:
                top = block[t, c]
        total = block.dtype.type(0.0)
        for c in range(n_classes):
            block[t, c] = np.exp(block[t, c] - top)  # ∞ − ∞ is NaN
            total += block[t, c]
        for c in range(n_classes):
            block[t, c] /= total


@njit(cache=True, nogil=True, fastmath={"reassoc"}, error_model="numpy")
def _is_finite(block):
    """Whether a block holds neither NaN nor infinity: either times zero is NaN."""
    flat = block.reshape(block.size)
    zero = block.dtype.type(0.0)
    probe = zero
    for i in range(len(flat)):
        probe += flat[i] * zero
    return probe == zero


# "nnan" and "reassoc" let the maximum and the sums over classes become SIMD code.
@njit(cache=True, nogil=True, fastmath={"contract", "nnan", "nsz", "reassoc"}, error_model="numpy")
def _softmax_block(block, shift):
    n, n_classes = block.shape
    for t in range(n):
        top = block[t, 0] + shift[0]
        for c in range(1, n_classes):
            top = max(top, block[t, c] + shift[c])
        for c in range(n_classes):
            block[t, c] += shift[c] - top
    # All rows at once: a row of 27 would leave three of its numbers, and of 2 both, to scalar code.
    flat = block.reshape(block.size)  # not ravel, which would copy a strided block in silence
    for i in range(len(flat)):
        flat[i] = _exp(flat[i])
    for t in range(n):
        total = block.dtype.type(0.0)  # in their own precision: twice as many singles at once
        for c in range(n_classes):
            total += block[t, c]
        share = block.dtype.type(1.0) / total
        for c in range(n_classes):
            block[t, c] *= share


@njit(cache=True, nogil=True, fastmath={"contract", "nsz", "reassoc"}, error_model="numpy")
def pull_back(gradient, posteriors, scale):
    """Turn ∂/∂p into ``scale``·∂/∂z = scale·p_c (g_c − Σ_c′ p_c′ g_c′), in place: arrays of shape (n, C)."""
    n, n_classes = posteriors.shape
    factor = gradient.dtype.type(scale)
    for t in range(n):
        mean = gradient.dtype.type(0.0)
        for c in range(n_classes):
            mean += posteriors[t, c] * gradient[t, c]
        for c in range(n_classes):
            gradient[t, c] = factor * posteriors[t, c] * (gradient[t, c] - mean)


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
