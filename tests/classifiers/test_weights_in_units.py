"""Standardised coordinates: moments against NumPy, the map both ways, the chain rule by differences."""

from __future__ import annotations

import numpy as np
import pytest

from ventris.classifiers.loglinear import Coordinates, LogLinear, feature_moments
from ventris.errors import DataError


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_moments_match_numpy_across_blocks_and_far_from_zero(dtype):
    rng = np.random.default_rng(0)
    X = (1e3 + rng.standard_normal((70_000, 3)) * [1.0, 10.0, 0.1]).astype(dtype)
    mean, spread = feature_moments(X)
    np.testing.assert_allclose(mean, X.mean(axis=0, dtype=float), rtol=1e-9)
    np.testing.assert_allclose(spread, X.astype(float).std(axis=0), rtol=1e-6)


def test_a_constant_feature_has_spread_one():
    _, spread = feature_moments(np.full((50, 2), 1234.5678))
    np.testing.assert_array_equal(spread, [1.0, 1.0])


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("masked", [True, False])
def test_flat_and_model_are_inverse_and_gradient_is_the_chain_rule(fit_intercept, masked):
    rng = np.random.default_rng(1)
    X = rng.standard_normal((40, 3)) * [1.0, 30.0, 0.1] + [5.0, 0.0, -2.0]
    mask = rng.random((3, 3)) < 0.6 if masked else None
    units = Coordinates.of(X, 3, gamma=4.0, fit_intercept=fit_intercept, mask=mask)
    pull = rng.standard_normal((40, 3))  # a linear function of the logits, Σ pull · logits
    flat = rng.standard_normal(units.flat(LogLinear.zeros(3, 3, 4.0)).shape)
    np.testing.assert_allclose(units.flat(units.model(flat)), flat, rtol=1e-10)

    def value(vector):
        return float(np.sum(pull * units.model(vector).logits(X)))

    gradient = units.gradient(4.0 * pull.T @ X, 4.0 * pull.sum(axis=0))
    steps = np.eye(len(flat)) * 1e-3
    measured = [(value(flat + step) - value(flat - step)) / 2e-3 for step in steps]
    np.testing.assert_allclose(gradient, measured, rtol=1e-7, atol=1e-9)


def test_masked_weights_stay_zero():
    X = np.array([[1.0, 2.0], [-1.0, -2.0]])  # root mean squares 1 and 2
    units = Coordinates.of(X, 2, mask=np.eye(2, dtype=bool), fit_intercept=False)
    np.testing.assert_allclose(units.model(np.array([3.0, 4.0])).coef, np.diag([3.0, 2.0]), rtol=1e-12)


def test_features_too_large_to_square_are_refused():
    with pytest.raises(DataError, match=r"feature 1 overflows\. Scale"):
        feature_moments(np.array([[0.0, 1e200], [1.0, -1e200]]))
