"""Fits to soft targets: two optimisers against a third and scikit-learn; weights, masks, penalties."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import log_softmax
from sklearn.linear_model import LogisticRegression

from ventris.classifiers import fitting as distillation
from ventris.classifiers.copies import distinct_inputs, one_label_an_input
from ventris.classifiers.fitting import class_means_fit, distil, ledoit_wolf
from ventris.classifiers.loglinear import Coordinates, LogLinear, cross_entropy, one_hot
from ventris.classifiers.penalty import choose_l2
from ventris.classifiers.settings import LearnerSettings
from ventris.data.counts import has_plenty

TIGHT = {"max_iter": 500, "tol": 1e-9}


def blobs(n_classes=3, n=400, seed=0):
    """Points around random centres, features of unlike scales and places."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n)
    points = 1.5 * rng.standard_normal((n_classes, 2))[y] + rng.standard_normal((n, 2))
    return points * [3.0, 0.2] + [10.0, -1.0], y


def soft_targets(n, n_classes, seed=1):
    return np.random.default_rng(seed).dirichlet(np.ones(n_classes), n)


def standardised(X):
    return (X - X.mean(axis=0)) / X.std(axis=0)


def independent_optimum(Z, targets, l2, mask=None, fit_intercept=True):
    """Posteriors at the minimum of the penalised cross-entropy, by BFGS on central differences."""
    n_classes, (n, n_features) = targets.shape[1], Z.shape
    free = np.ones((n_classes, n_features), bool) if mask is None else mask

    def logits(flat):
        W = np.zeros(free.shape)
        W[free] = flat[: free.sum()]
        return Z @ W.T + (flat[free.sum() :] if fit_intercept else 0.0)

    def value(flat):
        return -np.sum(targets * log_softmax(logits(flat), axis=1)) / n + 0.5 * l2 * np.sum(
            flat[: free.sum()] ** 2
        )

    start = np.zeros(free.sum() + n_classes * fit_intercept)
    found = minimize(value, start, method="BFGS", jac="3-point", options={"gtol": 1e-8})
    return np.exp(log_softmax(logits(found.x), axis=1))


@pytest.mark.parametrize("gamma", [1.0, 10.0])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_every_optimiser_reaches_the_same_classifier(n_classes, fit_intercept, gamma):
    X, _ = blobs()
    targets, start = soft_targets(len(X), n_classes), LogLinear.zeros(n_classes, 2, gamma)
    units = Coordinates.of(X, n_classes, gamma=gamma, fit_intercept=fit_intercept)
    Z = standardised(X) if fit_intercept else X / np.sqrt(np.mean(X**2, axis=0))
    expected = independent_optimum(Z, targets, 1e-2, fit_intercept=fit_intercept)
    found = [distil(X, targets, start, units, l2=1e-2, **TIGHT)]
    found.append(distillation._lbfgs(X, targets, start, units, 1e-2, 500, 1e-9))
    for model in found:
        np.testing.assert_allclose(model.posteriors(X), expected, atol=1e-5)
        assert model.gamma == gamma and (fit_intercept or not model.intercept.any())


def test_two_classes_take_newton_steps(monkeypatch):
    X, _ = blobs()
    units = Coordinates.of(X, 2)
    expected = distil(X, soft_targets(len(X), 2), LogLinear.zeros(2, 2), units, l2=1e-2, **TIGHT)
    monkeypatch.setattr(distillation, "_lbfgs", None)  # must not be called
    newton = distil(X, soft_targets(len(X), 2), LogLinear.zeros(2, 2), units, l2=1e-2, max_iter=6, tol=1e-9)
    np.testing.assert_allclose(newton.coef, expected.coef, rtol=1e-7)  # six steps are plenty


@pytest.mark.parametrize("gamma", [1.0, 10.0])
def test_hard_labels_give_scikit_learns_classifier(gamma):
    """The same penalised maximum likelihood on standardised features: scikit-learn's C is 1/(n·l2)."""
    X, y = blobs()
    ours = distil(
        X, one_hot(y, 3), LogLinear.zeros(3, 2, gamma), Coordinates.of(X, 3, gamma=gamma), l2=1e-2, **TIGHT
    )
    theirs = LogisticRegression(C=1 / (len(X) * 1e-2), tol=1e-10, max_iter=1000).fit(standardised(X), y)
    np.testing.assert_allclose(ours.posteriors(X), theirs.predict_proba(standardised(X)), atol=1e-5)


def test_two_hard_classes_give_scikit_learns_classifier():
    """Its binary model penalises one vector where ours penalises two: w = w₁ − w₀ costs half."""
    X, y = blobs(n_classes=2)
    ours = distil(X, one_hot(y, 2), LogLinear.zeros(2, 2), Coordinates.of(X, 2), l2=2e-2, **TIGHT)
    theirs = LogisticRegression(C=1 / (len(X) * 1e-2), tol=1e-10).fit(standardised(X), y)
    np.testing.assert_allclose(ours.posteriors(X), theirs.predict_proba(standardised(X)), atol=1e-6)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_row_counted_twice_is_a_row_of_weight_two(n_classes):
    X, _ = blobs(n=80)
    targets, units = soft_targets(80, n_classes), Coordinates.of(X, n_classes)
    heavy = targets.copy()
    heavy[:30] *= 2
    start = LogLinear.zeros(n_classes, 2)
    twice = distil(np.r_[X, X[:30]], np.r_[targets, targets[:30]], start, units, l2=8e-3, **TIGHT)
    # The loss is a mean over rows: the penalty of the shorter data must be larger to weigh the same.
    weighted = distil(X, heavy, start, units, l2=8e-3 * 110 / 80, **TIGHT)
    np.testing.assert_allclose(weighted.posteriors(X), twice.posteriors(X), atol=1e-6)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_weights_outside_the_mask_stay_zero(n_classes):
    rng = np.random.default_rng(3)
    X, mask = rng.standard_normal((300, n_classes)), np.eye(n_classes, dtype=bool)
    targets = soft_targets(300, n_classes)
    units = Coordinates.of(X, n_classes, mask=mask, fit_intercept=False)
    model = distil(X, targets, LogLinear.zeros(n_classes, n_classes), units, l2=1e-3, **TIGHT)
    expected = independent_optimum(X / np.sqrt(np.mean(X**2, axis=0)), targets, 1e-3, mask, False)
    np.testing.assert_allclose(model.posteriors(X), expected, atol=1e-5)
    np.testing.assert_array_equal(model.coef[~mask], 0)


def test_a_stronger_penalty_gives_smaller_weights():
    X, y = blobs(n_classes=2)
    norms = [
        np.linalg.norm(distil(X, one_hot(y, 2), LogLinear.zeros(2, 2), Coordinates.of(X, 2), l2=l2).coef)
        for l2 in (1e-4, 1e-2, 1.0)
    ]
    assert norms[0] > norms[1] > norms[2]


@pytest.mark.parametrize("n_classes", [2, 3])
def test_separable_classes_end_in_finite_weights(n_classes):
    X = np.repeat(np.arange(n_classes, dtype=float), 50)[:, None] * 20
    y = np.repeat(np.arange(n_classes), 50)
    model = distil(X, one_hot(y, n_classes), LogLinear.zeros(n_classes, 1), Coordinates.of(X, n_classes))
    assert np.isfinite(model.coef).all()
    np.testing.assert_array_equal(model.posteriors(X).argmax(axis=1), y)


def test_a_good_start_is_kept_and_no_steps_change_nothing():
    X, _ = blobs()
    targets, units = soft_targets(len(X), 3), Coordinates.of(X, 3)
    best = distil(X, targets, LogLinear.zeros(3, 2), units, l2=1e-3, **TIGHT)
    again = distil(X, targets, best, units, l2=1e-3, max_iter=1)
    np.testing.assert_allclose(again.coef, best.coef, atol=1e-6)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_single_precision_inputs_fit_too(n_classes):
    X, y = blobs(n_classes)
    targets = one_hot(y, n_classes)
    start, units = LogLinear.zeros(n_classes, 2), Coordinates.of(X, n_classes)
    single = distil(X.astype(np.float32), targets.astype(np.float32), start, units, l2=1e-4)
    double = distil(X, targets, start, units, l2=1e-4)
    assert single.posteriors(X.astype(np.float32)).dtype == np.float32
    np.testing.assert_allclose(single.posteriors(X), double.posteriors(X), atol=2e-3)


def test_a_repeated_input_is_left_out_with_all_its_copies():
    """Learning 60 noisy inputs by heart is punished although each comes fifty times; seed 0."""
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=60)
    inputs = np.column_stack([2.0 * y - 1, np.zeros((60, 20))]) + rng.standard_normal((60, 21))
    X = np.repeat(inputs, 50, axis=0)
    tried = LearnerSettings(penalties=(1e-1, 1e-3, 1e-6))
    assert choose_l2(X, np.repeat(y, 50), Coordinates.of(X, 2), tried) > 1e-6


def test_plenty_counts_distinct_inputs():
    X = np.random.default_rng(0).standard_normal((3000, 2))
    assert has_plenty(X, 1_000)
    assert not has_plenty(np.repeat(X[:1000], 3, axis=0), 1_000)


BARE = LearnerSettings(ridge=0.0, pull=0.0)  # class means as they are


def test_class_means_agree_with_linear_discriminant_analysis():
    """Hard targets, no ridge, against scikit-learn's; seed 0."""
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    rng = np.random.default_rng(0)
    y = rng.integers(3, size=500)
    X = rng.standard_normal((500, 4)) @ rng.standard_normal((4, 4)) + 2.0 * rng.standard_normal((3, 4))[y]
    ours = class_means_fit(X, one_hot(y, 3), gamma=2.0, settings=BARE, shrinkage=0.0)
    peer = LinearDiscriminantAnalysis(solver="lsqr").fit(X, y)
    np.testing.assert_allclose(ours.posteriors(X), peer.predict_proba(X), rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize("n", [12, 60, 2_000])
def test_shrinkage_is_scikit_learns(n):
    """Ledoit and Wolf's, from a covariance and a fourth moment, against the same from the points; seed 0."""
    from sklearn.covariance import ledoit_wolf_shrinkage

    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 6)) @ rng.standard_normal((6, 6))
    found = ledoit_wolf(X.T @ X / n, np.mean(np.sum(X**2, axis=1) ** 2), n)
    assert 0 < found < 1 and found == pytest.approx(ledoit_wolf_shrinkage(X, assume_centered=True))


def test_class_means_of_few_points_shrink_as_their_residuals_say():
    """Correlations of the residuals under scikit-learn's shrinkage, point by point; seed 0."""
    from sklearn.covariance import ledoit_wolf as peer

    rng = np.random.default_rng(0)
    y = np.arange(30) % 3
    X = rng.standard_normal((30, 8)) * np.geomspace(1e-3, 1e3, 8) + 2.0 * y[:, None]
    means = np.array([X[y == c].mean(axis=0) for c in range(3)])
    spread = np.sqrt(np.mean((X - means[y]) ** 2, axis=0))
    shrunk, _ = peer((X - means[y]) / spread, assume_centered=True)
    coef = np.linalg.solve(shrunk, (means / spread).T).T / spread
    ours = class_means_fit(X, one_hot(y, 3), settings=BARE).coef
    np.testing.assert_allclose(ours - ours[0], coef - coef[0], rtol=1e-6)


def test_a_weight_of_two_is_a_point_that_came_twice():
    X, targets = blobs(n=90)[0], soft_targets(90, 3)
    twice = class_means_fit(np.r_[X, X[:30]], np.r_[targets, targets[:30]])
    targets[:30] *= 2
    np.testing.assert_allclose(class_means_fit(X, targets).coef, twice.coef, rtol=1e-9)


def test_a_class_of_hardly_any_points_stays_in_the_middle():
    """Half a point far out makes no mean of its own, and a class without any no weights that are none."""
    X, y = blobs(n=90, n_classes=2)
    targets = np.c_[one_hot(y, 2), np.zeros((90, 2))]
    targets[0] = [0.0, 0.0, 1e-3, 0.0]
    model = class_means_fit(X, targets)
    assert np.isfinite(model.coef).all() and np.isfinite(model.intercept).all()
    assert model.posteriors(X)[:, 2:].max() < 0.01


def test_class_means_do_not_depend_on_the_units_of_the_features():
    """One feature a trillion times the other; seed 0."""
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=400)
    X, scale = rng.standard_normal((400, 2)) + 2.0 * y[:, None], np.array([1e6, 1e-6])
    plain, scaled = (class_means_fit(points, one_hot(y, 2)).posteriors(points) for points in (X, X * scale))
    np.testing.assert_allclose(scaled, plain, rtol=1e-5)


def test_copies_weigh_as_much_as_distinct_inputs():
    """Each input once gives the loss of all its copies, each with the label most of them have; seed 0."""
    rng = np.random.default_rng(0)
    which = rng.integers(40, size=500)
    X, labels = rng.standard_normal((40, 3))[which], rng.integers(4, size=500)
    distinct, targets, content = distinct_inputs(X, one_hot(labels, 4))
    assert len(distinct) == len(np.unique(X, axis=0)) == len(np.unique(content))
    most = np.array([np.bincount(labels[which == one], minlength=4).argmax() for one in which])
    model = LogLinear(rng.standard_normal((4, 3)), rng.standard_normal(4))
    expected = cross_entropy(model, X, one_hot(most, 4))[0]
    assert cross_entropy(model, distinct, targets)[0] == pytest.approx(expected)


def test_copies_agree_on_the_label_most_of_them_have():
    """By counting, point for point; seed 0."""
    rng = np.random.default_rng(0)
    which = rng.integers(30, size=300)
    X, soft = rng.standard_normal((30, 3))[which], rng.dirichlet(np.ones(4), size=300)
    agreed, share = one_label_an_input(X, soft)
    most = np.array([soft[which == one].sum(axis=0).argmax() for one in which])
    np.testing.assert_array_equal(agreed, np.eye(4)[most])
    points = np.arange(300)
    others = [soft[(which == which[point]) & (points != point)].sum(axis=0).argmax() for point in points]
    assert share == np.mean(soft.argmax(axis=1) == others)


def test_nobody_agrees_about_an_input_that_never_comes_again():
    rng = np.random.default_rng(0)
    _, share = one_label_an_input(rng.standard_normal((50, 2)), rng.dirichlet(np.ones(3), size=50))
    assert share == 0.0
