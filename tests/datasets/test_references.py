"""The readers to compare with, against Bayes' rule, scikit-learn and every path there is."""

from __future__ import annotations

from itertools import product

import numpy as np
from sklearn.linear_model import LogisticRegression

from ventris.datasets import make_unigram
from ventris.datasets.references import bayes_model, fit_supervised, gaussian_likelihood, smooth
from ventris.label_model.model import NgramModel

MEANS = np.array([[0.0, 0.0], [2.0, 0.5], [-1.0, 2.0]])
PRIOR = np.array([0.5, 0.3, 0.2])


def test_the_posterior_is_prior_times_likelihood():
    X = np.random.default_rng(0).normal(size=(50, 2))
    by_hand = PRIOR * np.exp(-0.5 * np.sum((X[:, None] - MEANS) ** 2, axis=2) / 0.7)
    by_hand /= by_hand.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(bayes_model(MEANS, 0.7, PRIOR).posteriors(X), by_hand, rtol=1e-9)
    weighed = PRIOR * gaussian_likelihood(X, MEANS, 0.7)
    np.testing.assert_allclose(weighed / weighed.sum(axis=1, keepdims=True), by_hand, rtol=1e-9)


def test_supervised_is_scikit_learns_logistic_regression_with_and_without_an_intercept():
    data = make_unigram(PRIOR, MEANS, n_samples=2_000, random_state=1)
    for intercept in (True, False):
        theirs = LogisticRegression(C=np.inf, tol=1e-8, fit_intercept=intercept).fit(data.X, data.y)
        ours = fit_supervised(data.X, data.y, 3, fit_intercept=intercept)
        assert np.abs(ours.posteriors(data.X) - theirs.predict_proba(data.X)).max() < 1e-4


def test_the_smoother_sums_every_path_under_the_full_order():
    rng = np.random.default_rng(2)
    lm = NgramModel.from_sequences([(rng.random(300) < 0.4).astype(int).tolist()], 3)
    n, joint, given = 7, lm.joint(2), lm.conditional(3)
    scores, sums = rng.random((n, 2)), np.zeros((n, 2))
    for path in product(range(2), repeat=n):
        weight = joint[path[:2]] * np.prod([given[path[t - 2 : t + 1]] for t in range(2, n)])
        weight *= np.prod(scores[range(n), path])
        sums[range(n), path] += weight
    np.testing.assert_array_equal(smooth(scores, lm), sums.argmax(axis=1))
