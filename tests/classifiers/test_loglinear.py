"""The log-linear classifier (E9): posteriors, gradients by central differences."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import log_softmax
from scipy.special import softmax as scipy_softmax

from ventris.classifiers import loglinear
from ventris.classifiers.loglinear import LogLinear, cross_entropy, softmax


def random_model(n_classes, n_features, gamma=1.7, seed=0):
    rng = np.random.default_rng(seed)
    return LogLinear(rng.standard_normal((n_classes, n_features)), rng.standard_normal(n_classes), gamma)


def test_posteriors_are_the_softmax_of_sharpened_scores():
    """(E9)."""
    model, X = random_model(4, 3), np.random.default_rng(1).standard_normal((50, 3))
    expected = scipy_softmax(1.7 * (X @ model.coef.T + model.intercept), axis=1)
    np.testing.assert_allclose(model.posteriors(X), expected, rtol=1e-13)


def test_two_classes_with_a_diagonal_are_the_papers_model():
    """p(0) = e^{γ w^a x^a} / (e^{γ w^a x^a} + e^{γ w^b x^b}) is (E9) with W = diag(w^a, w^b) and b = 0."""
    wa, wb, gamma = 0.3, -0.8, 10.0
    X = np.random.default_rng(0).standard_normal((20, 2))
    a, b = np.exp(gamma * wa * X[:, 0]), np.exp(gamma * wb * X[:, 1])
    posteriors = LogLinear(np.diag([wa, wb]), np.zeros(2), gamma).posteriors(X)
    np.testing.assert_allclose(posteriors, np.stack([a, b], axis=1) / (a + b)[:, None], rtol=1e-12)


def test_huge_scores_neither_overflow_nor_warn():
    posteriors = LogLinear(np.array([[1e4], [-1e4]]), np.zeros(2), gamma=10.0).posteriors(
        np.array([[1.0], [-1.0]])
    )
    np.testing.assert_array_equal(posteriors, [[1, 0], [0, 1]])


def test_softmax_works_in_place():
    z = np.random.default_rng(0).standard_normal((3, 4))
    assert np.shares_memory(softmax(z), z)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_blocks_of_rows_change_nothing(dtype, monkeypatch):
    model, X = random_model(3, 2), np.random.default_rng(1).standard_normal((100, 2)).astype(dtype)
    targets = np.random.default_rng(2).dirichlet(np.ones(3), 100).astype(dtype)
    whole, whole_loss = model.posteriors(X), cross_entropy(model, X, targets, 0.1)
    monkeypatch.setattr(loglinear, "_ROWS", 7)
    blocks, blocks_loss = model.posteriors(X), cross_entropy(model, X, targets, 0.1)
    assert blocks.dtype == whole.dtype == dtype
    np.testing.assert_allclose(blocks, whole, rtol=1e-6)
    for got, expected in zip(blocks_loss, whole_loss, strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-5)


def test_relabelling_renames_the_columns():
    model, X = random_model(4, 3), np.random.default_rng(1).standard_normal((9, 3))
    permutation = [2, 0, 3, 1]
    np.testing.assert_allclose(
        model.relabelled(permutation).posteriors(X)[:, permutation], model.posteriors(X), rtol=1e-14
    )


def test_centring_changes_no_posterior():
    model, X = random_model(4, 3), np.random.default_rng(1).standard_normal((9, 3))
    centred = model.centred()
    np.testing.assert_allclose(centred.posteriors(X), model.posteriors(X), rtol=1e-12)
    np.testing.assert_allclose(centred.coef.sum(axis=0), 0, atol=1e-14)
    np.testing.assert_allclose(centred.intercept.sum(), 0, atol=1e-14)


def test_zeros_know_nothing():
    np.testing.assert_array_equal(LogLinear.zeros(4, 2).posteriors(np.ones((3, 2))), 0.25)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_the_cross_entropy_and_its_gradients(n_classes, weighted):
    rng = np.random.default_rng(0)
    model, X = random_model(n_classes, 3), rng.standard_normal((40, 3))
    targets = rng.dirichlet(np.ones(n_classes), 40)
    if weighted:
        targets *= rng.uniform(0, 3, (40, 1))

    def value(coef, intercept):
        logs = log_softmax(1.7 * (X @ coef.T + intercept), axis=1)
        return -np.sum(targets * logs) / 40 + 0.5 * 0.3 * np.sum((1.7 * coef) ** 2)

    loss, coef_gradient, intercept_gradient = cross_entropy(model, X, targets, l2=0.3)
    assert loss == pytest.approx(value(model.coef, model.intercept), rel=1e-12)
    for index in np.ndindex(model.coef.shape):
        ahead, behind = model.coef.copy(), model.coef.copy()
        ahead[index] += 1e-5
        behind[index] -= 1e-5
        numerical = (value(ahead, model.intercept) - value(behind, model.intercept)) / 2e-5
        assert coef_gradient[index] == pytest.approx(
            numerical, rel=1e-6, abs=1e-6 * np.abs(coef_gradient).max()
        )
    for c in range(n_classes):
        step = 1e-5 * np.eye(n_classes)[c]
        numerical = (
            value(model.coef, model.intercept + step) - value(model.coef, model.intercept - step)
        ) / 2e-5
        assert intercept_gradient[c] == pytest.approx(
            numerical, rel=1e-6, abs=1e-6 * np.abs(intercept_gradient).max()
        )
