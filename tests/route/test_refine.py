"""Rounds: expectation–maximisation never loses likelihood; labels that are known; when rounds end."""

from __future__ import annotations

import numpy as np
import pytest

from ventris.classifiers.loglinear import Coordinates
from ventris.classifiers.loglinear_learner import LogLinearLearner
from ventris.classifiers.table import TableLearner
from ventris.data.known_labels import KnownLabels
from ventris.datasets import make_gaussian_hmm, random_hmm
from ventris.inference.decoding import label_posteriors
from ventris.inference.score import clamp_known, infer_labels
from ventris.label_model.model import NgramModel
from ventris.route.refine import refine
from ventris.route.settings import RouteSettings


class Likelihoods:
    """p(symbol | label) up to a factor of the symbol, from a table and how often its labels came."""

    def __init__(self, table, symbols):
        self.counts = np.bincount(symbols, minlength=len(table))
        joint = table * self.counts[:, None]
        self.emission = joint / joint.sum(axis=0)  # (K, C), columns sum to one


def log_likelihood(table, symbols, lengths, lm):
    """ln Σ_paths P(path) Π p(symbol_t | label_t): what EM with fixed transitions raises."""
    emission = Likelihoods(table, symbols).emission
    return label_posteriors(emission[symbols], lengths, [lm.joint(1)], lm.conditional(2))[1].sum()


@pytest.mark.parametrize("seed", range(3))
def test_rounds_on_a_table_never_lose_likelihood(seed):
    """With p(label | symbol) / p̄(label) ∝ p(symbol | label), a round is exactly one step of EM."""
    rng = np.random.default_rng(seed)
    lm = random_hmm(4, random_state=seed)[0]
    emission = rng.dirichlet(np.full(12, 0.4), size=4)
    y = lm.sample(3_000, rng)
    symbols = np.array([rng.choice(12, p=emission[label]) for label in y])
    lengths = np.array([1_000, 1, 1_999])
    learner = TableLearner(12, rng.dirichlet(np.ones(4), size=12))
    values = [log_likelihood(learner.table, symbols, lengths, lm)]
    for _ in range(12):
        refine(learner, symbols, lengths, lm, [2])
        values.append(log_likelihood(learner.table, symbols, lengths, lm))
    # The table's thousandth of a count is the only departure from EM.
    assert np.diff(values).min() > -1e-3
    assert values[-1] > values[0] + 10


def test_one_round_is_one_step_of_em_by_hand():
    rng = np.random.default_rng(0)
    lm = NgramModel.from_transition_matrix([[0.1, 0.9], [0.5, 0.5]])
    symbols, table = rng.integers(3, size=200), rng.dirichlet(np.ones(2), size=3)
    emission = Likelihoods(table, symbols).emission
    gamma, _ = label_posteriors(emission[symbols], None, [lm.joint(1)], lm.conditional(2))
    learner = TableLearner(3, table)
    refine(learner, symbols, np.array([200]), lm, [2])
    expected = np.stack([gamma[symbols == symbol].mean(axis=0) for symbol in range(3)])
    np.testing.assert_allclose(learner.table, expected, atol=1e-4)


# -------------------------------------------------------------------------------- known labels


def test_known_labels_are_all_but_certain():
    p, known = np.full((3, 2), 0.5), KnownLabels(np.array([-1, 1, 0]))
    clamped = clamp_known(p, known)
    np.testing.assert_allclose(clamped, [[0.5, 0.5], [0, 1], [1, 0]], atol=1e-5)
    assert (clamped > 0).all()  # a label model that forbids it must still have a path
    np.testing.assert_array_equal(p, 0.5)
    assert clamp_known(p, None) is p and clamp_known(p, KnownLabels(np.full(3, -1))) is p


def test_known_labels_name_what_the_label_model_cannot():
    """A symmetric label model and a table that knows nothing: two known points decide every other."""
    lm = NgramModel.from_transition_matrix([[0.9, 0.1], [0.1, 0.9]])
    y = lm.sample(2_000, np.random.default_rng(0))
    for names in ([0, 1], [1, 0]):
        truth = np.array(names)[y]
        known = np.full(2_000, -1)
        known[[np.argmax(y == 0), np.argmax(y == 1)]] = names
        learner = TableLearner(2, np.full((2, 2), 0.5))
        refine(
            learner,
            y,
            np.array([2_000]),
            lm,
            [2] * 30,
            known=KnownLabels(known),
            settings=RouteSettings(converged=0.0),
        )
        np.testing.assert_array_equal(learner.predict_proba(y).argmax(axis=1), truth)


def test_a_refit_is_taught_the_known_labels():
    class Spy(TableLearner):
        def fit(self, X, soft_targets, sample_weight=None):
            self.taught = soft_targets
            return super().fit(X, soft_targets, sample_weight)

    lm = NgramModel.from_transition_matrix([[0.5, 0.5], [0.4, 0.6]])
    learner, known = Spy(2, np.array([[0.9, 0.1], [0.1, 0.9]])), np.array([-1, 1, -1, 0])
    refine(learner, np.array([0, 0, 1, 1]), np.array([4]), lm, [2], known=KnownLabels(known))
    assert learner.taught[1, 1] > 0.999 and learner.taught[3, 0] > 0.999
    assert learner.taught[0, 0] > 0.5


# -------------------------------------------------------------------------------- the rounds


@pytest.fixture(scope="module")
def gaussian():
    lm, means = random_hmm(3, 2, random_state=1)
    return lm, means, make_gaussian_hmm(lm, means, n_samples=4_000, random_state=2)


def rough_learner(means, data):
    """A log-linear classifier taught by the distance to the true means, blurred."""
    learner = LogLinearLearner(Coordinates.of(data.X, len(means)))
    blurred = np.exp(-0.1 * np.sum((data.X[:, None] - means) ** 2, axis=2))
    return learner.fit(data.X, blurred / blurred.sum(axis=1, keepdims=True))


def test_rounds_raise_the_score_and_tell_of_themselves(gaussian):
    lm, means, data = gaussian
    told = []
    rounds = refine(
        rough_learner(means, data),
        data.X,
        np.array([4_000]),
        lm,
        [2] * 6,
        settings=RouteSettings(converged=0.0),
        on_round=told.append,
    )
    assert rounds == told and [r.order for r in rounds] == [2] * 6
    assert rounds[-1].score > rounds[0].score + 0.01


def test_the_score_of_a_round_is_that_before_its_refit(gaussian):
    lm, means, data = gaussian
    learner = rough_learner(means, data)
    expected = infer_labels(learner.predict_proba(data.X), np.array([4_000]), lm, 2)[1]
    assert refine(learner, data.X, np.array([4_000]), lm, [2])[0].score == pytest.approx(expected, rel=1e-12)


def test_rounds_of_an_order_end_when_the_score_stands_still(gaussian):
    _, means, data = gaussian
    lm = NgramModel.from_sequences([gaussian[0].sample(3_000, 5)], order=3)
    rounds = refine(
        rough_learner(means, data),
        data.X,
        np.array([4_000]),
        lm,
        [2] * 50 + [3] * 50,
        settings=RouteSettings(converged=1e-2),
    )
    orders = [r.order for r in rounds]
    assert 2 <= orders.count(2) < 50 and 2 <= orders.count(3) < 50
    last, before = [r.score for r in rounds if r.order == 3][-1:-3:-1]
    assert abs(last - before) <= 1e-2 * abs(last)
