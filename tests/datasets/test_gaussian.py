"""Gaussian emissions over a label model: moments, seeds, refusals."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chi2

from ventris import NgramModel
from ventris.data.ngrams import count_ngrams
from ventris.datasets import make_gaussian_hmm, make_unigram, random_hmm
from ventris.errors import DataError

CHAIN = [[0.6, 0.4], [0.9, 0.1]]
MEANS = np.array([[-1.0, 0.5, 2.0], [3.0, -0.5, 0.0]])
COVARIANCE = np.array([[1.0, 0.3, 0.0], [0.3, 0.5, -0.2], [0.0, -0.2, 2.0]])


@pytest.mark.parametrize("covariance", [0.4, COVARIANCE], ids=["number", "matrix"])
def test_points_have_their_classs_mean_and_the_shared_covariance(covariance):
    lm = NgramModel.from_transition_matrix(CHAIN)
    data = make_gaussian_hmm(lm, MEANS, covariance, n_samples=50_000, random_state=0)
    expected = 0.4 * np.eye(3) if np.ndim(covariance) == 0 else covariance
    for c in (0, 1):
        points = data.X[data.y == c]
        error = np.sqrt(np.diag(expected) / len(points))
        np.testing.assert_array_less(np.abs(points.mean(axis=0) - MEANS[c]), 5 * error)
        np.testing.assert_allclose(np.cov(points.T), expected, atol=0.06)


def test_labels_follow_the_label_model():
    lm = NgramModel.from_transition_matrix(CHAIN)
    y = make_gaussian_hmm(lm, MEANS, n_samples=50_000, random_state=0).y
    counts = count_ngrams(y, 2, 2).dense()
    expected = counts.sum(axis=1, keepdims=True) * lm.conditional(2)
    assert np.sum((counts - expected) ** 2 / expected) < chi2.ppf(1 - 1e-4, df=2)


def test_unigram_labels_have_no_order():
    data = make_unigram([0.7, 0.3], [[0.0], [4.0]], n_samples=50_000, random_state=0)
    counts = count_ngrams(data.y, 2, 2).dense()
    expected = counts.sum(axis=1, keepdims=True) * [0.7, 0.3]  # the same after either label
    assert np.sum((counts - expected) ** 2 / expected) < chi2.ppf(1 - 1e-4, df=2)
    np.testing.assert_allclose(np.bincount(data.y) / 50_000, [0.7, 0.3], atol=0.01)


def test_a_seed_names_the_data_and_a_generator_moves_on():
    lm = NgramModel.from_transition_matrix(CHAIN)
    one, two = (make_gaussian_hmm(lm, MEANS, n_samples=20, random_state=5) for _ in range(2))
    np.testing.assert_array_equal(one.X, two.X)
    rng = np.random.default_rng(5)
    three, four = (make_gaussian_hmm(lm, MEANS, n_samples=20, random_state=rng) for _ in range(2))
    np.testing.assert_array_equal(one.X, three.X)
    assert not np.array_equal(three.X, four.X)


def test_a_part_is_contiguous_and_copies_nothing():
    data = make_unigram([0.5, 0.5], [[0.0], [1.0]], n_samples=10, random_state=0)
    part = data.part(2, 5)
    np.testing.assert_array_equal(part.X, data.X[2:5])
    np.testing.assert_array_equal(part.y, data.y[2:5])
    assert np.shares_memory(part.X, data.X)


@pytest.mark.parametrize("n_classes", [2, 10, 50])
def test_random_problems_are_proper_label_models(n_classes):
    lm, means = random_hmm(n_classes, 6, floor=0.1, random_state=n_classes)
    assert means.shape == (n_classes, 6)
    assert lm.conditional(2).min() >= 0.1 / n_classes
    np.testing.assert_allclose(lm.conditional(2).sum(axis=1), 1, rtol=1e-12)


@pytest.mark.parametrize("means", [np.zeros((3, 2)), np.zeros(2), 0.0])
def test_means_that_do_not_fit_are_refused(means):
    with pytest.raises(DataError) as caught:
        make_gaussian_hmm(NgramModel.from_transition_matrix(CHAIN), means)
    assert str(caught.value) == (
        f"means must have one row for each of the 2 classes, but its shape is {np.shape(means)}. "
        "Give an array of shape (n_classes, n_features)."
    )
