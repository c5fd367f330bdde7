"""The compiled softmax, the way back, the cross-entropy: against SciPy, NumPy twins, central differences."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit
from scipy.special import log_softmax, softmax

from ventris.classifiers.loglinear import through_softmax
from ventris.kernels.exponential_single import vector_exp_single
from ventris.kernels.softmax import column_means, logistic_moments, pull_back, residuals, softmax_rows


@njit
def exponentials(x):
    out = np.empty_like(x)
    for i in range(len(x)):
        out[i] = vector_exp_single(x[i])
    return out


# Logits up to 40 apart: in single precision the shift less the top, and its sum with z, are rounded by half
# of 2**-18 each, together 3.8e-6; the exponential promises 4e-7; sum, reciprocal and product, a few 2**-24.
@pytest.mark.parametrize(("dtype", "rtol"), [(np.float64, 1e-12), (np.float32, 2**-18 + 4e-7 + 8 * 2**-24)])
@pytest.mark.parametrize("shape", [(1, 1), (300, 2), (700, 27), (3, 5000)], ids=str)
def test_softmax_agrees_with_scipy(shape: tuple[int, int], dtype: type, rtol: float) -> None:
    rng = np.random.default_rng(shape[1])
    z, shift = (5 * rng.standard_normal(shape)).astype(dtype), rng.standard_normal(shape[1]).astype(dtype)
    expected = softmax(z.astype(float) + shift, axis=1)
    softmax_rows(z, shift)
    np.testing.assert_allclose(z, expected, rtol=rtol)


def test_large_logits_do_not_overflow() -> None:
    for dtype in (np.float64, np.float32):
        z = np.array([[0.0, 5000.0], [-5000.0, 0.0]], dtype=dtype)
        softmax_rows(z, np.zeros(2, dtype))
        np.testing.assert_allclose(z, [[0.0, 1.0], [0.0, 1.0]], atol=1e-37)


def test_a_row_that_is_not_finite_becomes_nan_and_harms_no_other() -> None:
    z = np.array([[0.0, 0.0], [np.inf, 0.0], [0.0, np.nan], [-np.inf, 0.0]])
    softmax_rows(z, np.zeros(2))
    np.testing.assert_array_equal(z, [[0.5, 0.5], [np.nan, np.nan], [np.nan, np.nan], [0.0, 1.0]])


@pytest.mark.parametrize(("dtype", "rtol"), [(np.float64, 1e-12), (np.float32, 1e-5)])
@pytest.mark.parametrize("n_classes", [1, 2, 27, 200])
def test_the_way_back_agrees_with_numpy(n_classes: int, dtype: type, rtol: float) -> None:
    rng = np.random.default_rng(n_classes)
    posteriors = rng.dirichlet(np.ones(n_classes), size=300).astype(dtype)
    gradient = rng.standard_normal((300, n_classes)).astype(dtype)
    expected = 0.25 * through_softmax(posteriors.astype(float), gradient.astype(float))
    pull_back(gradient, posteriors, 0.25)
    np.testing.assert_allclose(gradient, expected, rtol=rtol, atol=rtol * np.abs(expected).max(initial=1e-9))


def test_the_way_back_is_the_derivative_of_softmax() -> None:
    rng = np.random.default_rng(5)
    z, weights, step = rng.standard_normal((4, 3)), rng.standard_normal((4, 3)), 1e-6
    measured = np.zeros_like(z)
    for index in np.ndindex(z.shape):
        moved = np.zeros_like(z)
        moved[index] = step
        measured[index] = np.sum(weights * (softmax(z + moved, axis=1) - softmax(z - moved, axis=1)))
    np.testing.assert_allclose(
        through_softmax(softmax(z, axis=1), weights), measured / (2 * step), rtol=1e-6, atol=1e-9
    )
    pull_back(weights, softmax(z, axis=1), 1.0)
    np.testing.assert_allclose(weights, measured / (2 * step), rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize(("reach", "rtol"), [(1.0, 2e-7), (20.0, 2e-7), (87.0, 4e-7)])
def test_single_exponential_keeps_its_promise(reach: float, rtol: float) -> None:
    x = np.linspace(-reach, reach, 200_001).astype(np.float32)
    np.testing.assert_allclose(exponentials(x), np.exp(x.astype(float)), rtol=rtol)


# ----------------------------------------------------------------------------------------- cross-entropy


def residuals_numpy(z: np.ndarray, q: np.ndarray) -> tuple[float, np.ndarray]:
    """The readable twin."""
    weight = q.sum(axis=1, keepdims=True)
    return float(-np.sum(q * log_softmax(z, axis=1))), weight * softmax(z, axis=1) - q


@pytest.mark.parametrize(("dtype", "rtol"), [(np.float64, 1e-12), (np.float32, 2e-6)])
@pytest.mark.parametrize("n_classes", [2, 5, 27, 200])
def test_cross_entropy_agrees_with_numpy(n_classes: int, dtype: type, rtol: float) -> None:
    rng = np.random.default_rng(n_classes)
    z = (5 * rng.standard_normal((300, n_classes))).astype(dtype)
    q = (rng.dirichlet(np.ones(n_classes), size=300) * rng.random((300, 1))).astype(dtype)
    loss, gradient = residuals_numpy(z.astype(float), q.astype(float))
    assert residuals(z, q) == pytest.approx(loss, rel=rtol)
    np.testing.assert_allclose(z, gradient, rtol=rtol, atol=rtol)


def test_large_logits_do_not_overflow_the_cross_entropy() -> None:
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
