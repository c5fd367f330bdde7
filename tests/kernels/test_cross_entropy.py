"""The compiled cross-entropy against the same sums written with NumPy and SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import log_softmax, softmax

from ventris.kernels.softmax import column_means, logistic_moments, residuals


def residuals_numpy(z: np.ndarray, q: np.ndarray) -> tuple[float, np.ndarray]:
    """The readable twin."""
    weight = q.sum(axis=1, keepdims=True)
    return float(-np.sum(q * log_softmax(z, axis=1))), weight * softmax(z, axis=1) - q


@pytest.mark.parametrize(("dtype", "rtol"), [(np.float64, 1e-12), (np.float32, 2e-6)])
@pytest.mark.parametrize("n_classes", [2, 5, 27, 200])
def test_agrees_with_numpy(n_classes: int, dtype: type, rtol: float) -> None:
    rng = np.random.default_rng(n_classes)
    z = (5 * rng.standard_normal((300, n_classes))).astype(dtype)
    q = (rng.dirichlet(np.ones(n_classes), size=300) * rng.random((300, 1))).astype(dtype)
    loss, gradient = residuals_numpy(z.astype(float), q.astype(float))
    assert residuals(z, q) == pytest.approx(loss, rel=rtol)
    np.testing.assert_allclose(z, gradient, rtol=rtol, atol=rtol)


def test_large_logits_do_not_overflow() -> None:
    z = np.array([[0.0, 5000.0], [-5000.0, 0.0]])
    assert residuals(z, np.array([[1.0, 0.0], [0.0, 1.0]])) == pytest.approx(5000.0)
    np.testing.assert_allclose(z, [[-1.0, 1.0], [0.0, 0.0]], atol=1e-300)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_columns", [1, 2, 27])
def test_column_means_are_summed_in_double_precision(n_columns: int, dtype: type) -> None:
    p = np.random.default_rng(n_columns).random((3000, n_columns)).astype(dtype)
    np.testing.assert_allclose(column_means(p), p.mean(axis=0, dtype=float), rtol=1e-12)


def test_logistic_moments_agree_with_numpy() -> None:
    """Weighted targets, among them points whose odds are beyond all doubt; seed 0."""
    rng = np.random.default_rng(0)
    Z, u, weight = rng.standard_normal((3, 400)), np.array([0.3, -30.0, 1.0]), rng.random(400)
    first = weight * rng.random(400)
    p = 1 / (1 + np.exp(-np.clip(u @ Z, -35, 35)))
    gradient, curvature = logistic_moments(Z, first, weight, u)
    np.testing.assert_allclose(gradient, Z @ (weight * p - first), rtol=1e-10)
    bend = weight * np.maximum(p * (1 - p), 1e-10)
    np.testing.assert_allclose(curvature, (Z * bend) @ Z.T, rtol=1e-10)
