"""What is measured about a classifier once its labels may be seen."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


def error_rate(y_true: ArrayLike, y_pred: ArrayLike) -> float:
    """Share of wrong labels.

    Examples
    --------
    >>> error_rate([0, 1, 1, 0], [0, 1, 0, 0])
    0.25
    """
    return float(np.mean(np.asarray(y_true) != np.asarray(y_pred)))


def best_permutation_error(y_true: ArrayLike, y_pred: ArrayLike, n_classes: int) -> float:
    """Error after the renaming of predicted labels that suits them best.

    Far below `error_rate`, it tells a wrong basin (right groups, wrong names) from a poor classifier.

    Examples
    --------
    >>> best_permutation_error([0, 0, 1, 1], [1, 1, 0, 1], 2)
    0.25
    """
    from scipy.optimize import linear_sum_assignment

    pairs = np.asarray(y_true) * n_classes + np.asarray(y_pred)
    confusion = np.bincount(pairs, minlength=n_classes**2).reshape(n_classes, n_classes)
    rows, columns = linear_sum_assignment(confusion, maximize=True)
    return float(1 - confusion[rows, columns].sum() / len(pairs))


def expected_calibration_error(probabilities: NDArray, y_true: ArrayLike, n_bins: int = 15) -> float:
    """Mean distance between confidence and accuracy, over bins of equal width in confidence.

    ``Σ_b (n_b / n) |accuracy_b − confidence_b|``, confidence the largest probability of a point.

    Parameters
    ----------
    probabilities : array of shape (n, C)
    y_true : int array of shape (n,)
    n_bins : int, default 15

    Examples
    --------
    >>> certain = np.array([[1.0, 0.0], [1.0, 0.0]])
    >>> expected_calibration_error(certain, [0, 1])
    0.5
    """
    confidence = probabilities.max(axis=1).astype(float)
    right = probabilities.argmax(axis=1) == np.asarray(y_true)
    bins = np.minimum((confidence * n_bins).astype(int), n_bins - 1)
    gaps = np.bincount(bins, weights=right - confidence, minlength=n_bins)  # n_b (accuracy_b − confidence_b)
    return float(np.abs(gaps).sum() / len(confidence))


def bootstrap_interval(
    values: ArrayLike, *, level: float = 0.95, n_draws: int = 10_000, random_state: int = 0
) -> tuple[float, float]:
    """Percentile bootstrap interval of a mean.

    Examples
    --------
    >>> low, high = bootstrap_interval(np.arange(100))
    >>> 40 < low < 49.5 < high < 59
    True
    """
    sample = np.asarray(values, dtype=float)
    rng = np.random.default_rng(random_state)
    means = sample[rng.integers(len(sample), size=(n_draws, len(sample)))].mean(axis=1)
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)
