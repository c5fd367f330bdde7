"""Learners: what they share, the table's fit as one M-step (E10), scikit-learn's behind the same face."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

from ventris.classifiers.base import Capability
from ventris.classifiers.loglinear import Coordinates
from ventris.classifiers.loglinear_learner import LogLinearLearner
from ventris.classifiers.own import OwnLearner
from ventris.classifiers.scikit import ScikitLearner
from ventris.classifiers.settings import LearnerSettings
from ventris.classifiers.table import TableLearner
from ventris.errors import DataTypeError, ParameterError

RNG = np.random.default_rng(0)
Y = RNG.integers(3, size=600)
X = np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]])[Y] + RNG.standard_normal((600, 2))
SOFT = 0.9 * np.eye(3)[Y] + 0.1 / 3
MLP = MLPClassifier((8,), solver="lbfgs", max_iter=40, tol=1e-2, random_state=0)


class Means:
    """A user's own minimal learner: soft means, and a softmax of the distances to them."""

    def fit(self, X, soft_targets, sample_weight=None):
        weight = soft_targets if sample_weight is None else soft_targets * np.asarray(sample_weight)[:, None]
        self.means, self.prior = weight.T @ X / weight.sum(axis=0)[:, None], weight.sum(axis=0)

    def predict_proba(self, X):
        weights = self.prior * np.exp(-0.5 * np.sum((X[:, None] - self.means) ** 2, axis=2))
        return weights / weights.sum(axis=1, keepdims=True)

    def get_state(self):
        return {"means": self.means, "prior": self.prior}, {}

    def set_state(self, arrays, meta):
        self.means, self.prior = arrays["means"], arrays["prior"]


LEARNERS = {
    "own": (lambda: OwnLearner(Means()), X),
    "log-linear": (lambda: LogLinearLearner(Coordinates.of(X, 3)), X),
    "table": (lambda: TableLearner(3), Y),
    "tree": (lambda: ScikitLearner(DecisionTreeClassifier(max_depth=4, random_state=0)), X),
    "sampled": (lambda: ScikitLearner(LogisticRegression(), "sample", random_state=4), X),
}


@pytest.fixture(params=sorted(LEARNERS))
def case(request):
    make, points = LEARNERS[request.param]
    return make, points


def test_every_learner_learns_and_gives_probabilities(case):
    make, points = case
    learner = make()
    assert learner.fit(points, SOFT) is learner
    proba = learner.predict_proba(points)
    assert proba.shape == (600, 3) and (proba >= 0).all()
    np.testing.assert_allclose(proba.sum(axis=1), 1, rtol=1e-6)
    assert np.mean(proba.argmax(axis=1) == Y) > 0.93


def test_every_learner_gives_the_same_answer_twice(case):
    make, points = case
    np.testing.assert_array_equal(*[make().fit(points, SOFT).predict_proba(points) for _ in range(2)])


def test_every_learner_goes_back_to_a_snapshot(case):
    make, points = case
    learner = make()
    learner.fit(points, SOFT)
    before, kept = learner.predict_proba(points), learner.snapshot()
    learner.fit(points, np.roll(SOFT, 1, axis=1))
    assert np.abs(learner.predict_proba(points) - before).max() > 0.1
    learner.restore(kept)
    np.testing.assert_array_equal(learner.predict_proba(points), before)


def test_every_learner_with_a_state_gives_it_to_another(case):
    make, points = case
    learner = make().fit(points, SOFT)
    if Capability.STATE not in learner.capabilities:
        with pytest.raises(ParameterError, match=r"does not declare Capability\.STATE"):
            learner.get_state()
        return
    arrays, meta = learner.get_state()
    other = make()
    other.set_state({name: array.copy() for name, array in arrays.items()}, json.loads(json.dumps(meta)))
    np.testing.assert_array_equal(other.predict_proba(points), learner.predict_proba(points))


def test_every_learner_that_listens_is_told_which_round_it_is(case):
    learner = case[0]()
    if Capability.ROUNDS not in learner.capabilities:
        with pytest.raises(ParameterError, match="which round it is"):
            learner.begin_round(0, order=2)


def test_every_learner_has_logits(case):
    make, points = case
    learner = make()
    learner.fit(points, SOFT)
    np.testing.assert_array_equal(
        learner.logits(points).argmax(axis=1), learner.predict_proba(points).argmax(axis=1)
    )


def test_every_learner_with_a_penalty_is_held_back_by_it(case):
    make, points = case
    learner = make()
    if Capability.PENALTY not in learner.capabilities:
        with pytest.raises(ParameterError, match="L2 regularisation"):
            learner.needs_penalty(points)
        return
    assert learner.needs_penalty(points)  # 600 points
    assert learner.choose_penalty(points, Y) in (1e-3, 1e-4, 1e-5)
    sure = []
    for l2 in (1e-5, 1.0):
        learner.l2 = l2
        learner.forget()
        sure.append(learner.fit(points, SOFT).predict_proba(points).max(axis=1).mean())
    assert sure[1] < sure[0]


def test_every_learner_that_can_be_cross_fitted_makes_beginners(case):
    make, points = case
    learner = make().fit(points, SOFT)
    if Capability.CROSS_FITTING not in learner.capabilities:
        with pytest.raises(ParameterError, match="taught by half"):
            learner.beginner()
        return
    before = learner.predict_proba(points)
    fresh = learner.beginner().fit(points, np.roll(SOFT, 1, axis=1)).predict_proba(points)
    assert np.abs(fresh - before).max() > 0.1
    np.testing.assert_array_equal(learner.predict_proba(points), before)
    learner.resharpen(2.0)
    assert learner.predict_proba(points).max(axis=1).mean() > before.max(axis=1).mean()


def test_every_learner_with_class_means_takes_them_when_asked(case):
    make, points = case
    learner = make()
    if Capability.CLASS_MEANS in learner.capabilities:
        learner.by_means = True
        coef = learner.fit(points, SOFT).model.coef
        assert not np.array_equal(coef, make().fit(points, SOFT).model.coef)


def test_every_learner_follows_sample_weights(case):
    """All the weight on one class: that class is what it says everywhere it can."""
    make, points = case
    weight = np.where(Y == 1, 1.0, 1e-9)
    plain = make().fit(points, SOFT).predict_proba(points).mean(axis=0)
    proba = make().fit(points, SOFT, sample_weight=weight).predict_proba(points).mean(axis=0)
    assert proba[1] > plain[1]


# -------------------------------------------------------------------------------- the log-linear one


def test_a_refit_starts_from_the_present_weights():
    learner = LogLinearLearner(Coordinates.of(X, 3), settings=LearnerSettings(first_iter=200, next_iter=1))
    first = learner.fit(X, SOFT).model
    second = learner.fit(X, SOFT).model
    np.testing.assert_allclose(second.coef, first.coef, atol=1e-4)  # already there
    cold = LogLinearLearner(Coordinates.of(X, 3), settings=LearnerSettings(first_iter=1)).fit(X, SOFT).model
    assert np.abs(cold.coef - first.coef).max() > 0.1


def test_a_fit_to_the_end_arrives_where_a_refit_is_still_on_its_way():
    """Against scikit-learn's optimum: its C is 1 / (n · l2) and it penalises standardised weights; seed 0."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((2_000, 40)) @ (np.eye(40) + 0.3 * rng.standard_normal((40, 40)))
    y = (X @ rng.standard_normal((40, 5)) + 2 * rng.standard_normal((2_000, 5))).argmax(axis=1)
    standardised = (X - X.mean(axis=0)) / X.std(axis=0)
    peer = LogisticRegression(C=1 / (2_000 * 1e-4), max_iter=5_000, tol=1e-8).fit(standardised, y)
    learner = LogLinearLearner(Coordinates.of(X, 5), l2=1e-4, settings=LearnerSettings(first_iter=5))
    away = []
    for fit in (learner.fit, learner.fit, learner.fit_to_the_end):
        outputs = fit(X, np.eye(5)[y]).predict_proba(X)
        away.append(np.abs(outputs - peer.predict_proba(standardised)).max())
    assert away[2] < 0.01 < away[1] < away[0]


def test_single_precision_inputs_give_single_precision_outputs():
    single = X.astype(np.float32)
    learner = LogLinearLearner(Coordinates.of(single, 3)).fit(single, SOFT)
    assert learner.predict_proba(single).dtype == np.float32


# -------------------------------------------------------------------------------- the table


def test_the_tables_fit_is_one_m_step():
    """p(label | symbol) = Σ_t [x_t = symbol] q_t(label) / Σ_t [x_t = symbol]: rows of Q in (E10)."""
    rng = np.random.default_rng(1)
    symbols, soft, weight = rng.integers(4, size=300), rng.dirichlet(np.ones(3), 300), rng.uniform(0, 2, 300)
    table = TableLearner(4).fit(symbols, soft, sample_weight=weight).table
    for symbol in range(4):
        rows = symbols == symbol
        expected = np.average(soft[rows], axis=0, weights=weight[rows])
        np.testing.assert_allclose(table[symbol], expected, atol=1e-4)  # a thousandth of a count is added


def test_a_symbol_never_seen_is_read_as_the_mean():
    soft = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    learner = TableLearner(4).fit(np.array([0, 0, 1]), soft)
    np.testing.assert_allclose(learner.predict_proba(np.array([3])), [[2 / 3, 1 / 3]], rtol=1e-12)


def test_a_symbol_beyond_the_table_is_read_as_the_mean_row():
    learner = TableLearner(2, np.array([[1.0, 0.0], [0.5, 0.5]]))
    np.testing.assert_array_equal(learner.predict_proba(np.array([0, 7])), [[1.0, 0.0], [0.75, 0.25]])


# -------------------------------------------------------------------------------- scikit-learn's


@pytest.mark.parametrize("targets", ["soft", "harden", "sample"])
@pytest.mark.parametrize(
    "estimator", [HistGradientBoostingClassifier(max_iter=5), MLP], ids=["boosting", "mlp"]
)
def test_scikit_learns_classifiers_take_every_kind_of_targets(estimator, targets):
    with threadpool_limits(1):  # boosting's threads would spend their time waiting for one another
        learner = ScikitLearner(estimator, targets).fit(X, SOFT)
    assert np.mean(learner.predict_proba(X).argmax(axis=1) == Y) > 0.93
    assert not hasattr(estimator, "classes_")  # the user's object stays as it was


def test_classes_the_estimator_never_saw_stay_improbable():
    soft = np.eye(4)[Y]  # label 3 is never given
    proba = ScikitLearner(LogisticRegression()).fit(X, soft).predict_proba(X)
    assert proba.shape == (600, 4)
    assert 0 < proba[:, 3].max() < 1e-5
    np.testing.assert_allclose(proba.sum(axis=1), 1, rtol=1e-12)


def test_hard_targets_weigh_what_they_are_sure_of():
    soft = np.array([[0.6, 0.4], [0.1, 0.9]])
    for learner, weighted in ((ScikitLearner(MLP, "harden"), True), (ScikitLearner(MLP), False)):
        rows, labels, weight = learner._labels(soft, weighted)
        np.testing.assert_array_equal(np.arange(2)[rows], [0, 1])
        np.testing.assert_array_equal(labels, [0, 1])
        np.testing.assert_array_equal(weight, [0.6, 0.9])


def test_soft_targets_are_rows_of_their_own():
    """A label hardly possible has none, but every point has one."""
    soft = np.array([[0.6, 0.39, 0.01], [0.0, 0.1, 0.9]])
    rows, labels, weight = ScikitLearner(LogisticRegression())._labels(soft, weighted=True)
    assert (rows.tolist(), labels.tolist(), weight.tolist()) == (
        [0, 0, 1, 1],
        [0, 1, 1, 2],
        [0.6, 0.39, 0.1, 0.9],
    )
    even = np.full((3, 200), 1 / 200)
    assert ScikitLearner(LogisticRegression())._labels(even, weighted=True)[0].tolist() == [0, 1, 2]


@pytest.mark.parametrize("scaled", [False, True], ids=["alone", "in a pipeline"])
def test_soft_rows_teach_what_soft_targets_teach(scaled):
    """Scikit-learn's logistic regression of the rows is our fit to the probabilities: its C is 1/(n·l2)."""
    soft = np.random.default_rng(3).dirichlet(np.ones(3), 600) / 2 + SOFT / 2
    standardised = (X - X.mean(axis=0)) / X.std(axis=0)
    peer = LogisticRegression(C=1 / (600 * 1e-2), tol=1e-9, max_iter=1_000)
    # Rows repeated would move a scaler's mean: this one has seen the points, and stays.
    estimator = make_pipeline(FunctionTransformer(), peer) if scaled else peer
    found = ScikitLearner(estimator, settings=LearnerSettings(least_share=0.0)).fit(standardised, soft)
    ours = LogLinearLearner(Coordinates.of(X, 3), l2=1e-2).fit_to_the_end(X, soft)
    np.testing.assert_allclose(found.predict_proba(standardised), ours.predict_proba(X), atol=1e-3)


def test_an_estimator_that_takes_no_weights_learns_likeliest_labels():
    learner = ScikitLearner(KNeighborsClassifier(5)).fit(X, SOFT)
    np.testing.assert_array_equal(
        learner.fitted.predict(X), KNeighborsClassifier(5).fit(X, SOFT.argmax(axis=1)).predict(X)
    )


def test_drawn_targets_have_the_posteriors_frequencies():
    soft = np.tile([[0.2, 0.5, 0.3]], (30_000, 1))
    _, labels, weight = ScikitLearner(LogisticRegression(), "sample", random_state=1)._labels(soft, True)
    shares = np.bincount(labels, minlength=3) / 30_000
    np.testing.assert_allclose(shares, soft[0], atol=4 * np.sqrt(0.25 / 30_000))
    np.testing.assert_array_equal(weight, 1)


def test_an_estimator_without_probabilities_is_refused():
    with pytest.raises(DataTypeError, match=r"LinearSVC has not.*CalibratedClassifierCV"):
        ScikitLearner(LinearSVC())


def test_an_unknown_kind_of_targets_is_refused():
    with pytest.raises(ParameterError, match="'soften'"):
        ScikitLearner(LogisticRegression(), "soften")
