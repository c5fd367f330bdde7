"""Cross-entropy and its gradient with respect to the logits, in one pass over rows that stay in registers."""

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
