"""What the acceptance tables are measured with, against counting by hand and scikit-learn."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from bench.metrics import best_permutation_error, bootstrap_interval, error_rate, expected_calibration_error
from sklearn.calibration import calibration_curve
from sklearn.metrics import accuracy_score


def test_error_rate_is_one_minus_accuracy() -> None:
    rng = np.random.default_rng(0)
    y, guess = rng.integers(4, size=(2, 500))
    assert error_rate(y, guess) == pytest.approx(1 - accuracy_score(y, guess), rel=1e-12)


def test_best_permutation_is_the_best_of_all_renamings() -> None:
    rng = np.random.default_rng(1)
    y = rng.integers(5, size=400)
    guess = np.where(rng.random(400) < 0.6, np.array([3, 0, 4, 1, 2])[y], rng.integers(5, size=400))
    renamings = (np.array(order) for order in itertools.permutations(range(5)))
    brute = min(error_rate(y, renaming[guess]) for renaming in renamings)
    assert best_permutation_error(y, guess, 5) == pytest.approx(brute, rel=1e-12)
    assert brute < 0.4 < error_rate(y, guess)


def test_calibration_error_against_scikit_learn_and_the_known_bias() -> None:
    rng = np.random.default_rng(2)
    p = rng.random(20_000)
    y = (rng.random(20_000) < p).astype(int)
    honest = np.stack([1 - p, p], axis=1)
    assert expected_calibration_error(honest, y) < 0.015
    boast = np.where(honest > 0.5, np.minimum(honest + 0.1, 1.0), np.maximum(honest - 0.1, 0.0))
    confidence, right = boast.max(axis=1), boast.argmax(axis=1) == y
    accuracy, mean = calibration_curve(right, confidence, n_bins=15)
    share = np.histogram(confidence, bins=15, range=(0, 1))[0] / len(y)
    expected = float(np.sum(share[share > 0] * np.abs(accuracy - mean)))
    assert expected_calibration_error(boast, y) == pytest.approx(expected, rel=1e-3)


def test_bootstrap_interval_is_as_wide_as_the_normal_one() -> None:
    rng = np.random.default_rng(3)
    values = rng.normal(2.0, 0.5, size=400)
    low, high = bootstrap_interval(values)
    half = 1.96 * values.std() / np.sqrt(400)
    np.testing.assert_allclose([low, high], values.mean() + np.array([-half, half]), atol=0.1 * half)
    assert bootstrap_interval(values) == (low, high)
