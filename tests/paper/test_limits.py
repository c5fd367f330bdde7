"""Closed forms against draws, and the readers against another library."""

from __future__ import annotations

import numpy as np
import pytest

from ventris.datasets import make_paper_chain
from ventris.datasets.paper_chains import COVARIANCE, MEANS
from ventris.datasets.references import bayes_model
from ventris.label_model.markov import stationary_distribution
from ventris.paper import limits, readings
from ventris.paper.settings import CHAINS

THROUGH_ORIGIN = [9.02, 12.97, 7.49, 7.11, 3.12, 11.03, 13.59, 12.51, 8.56, 13.99]
BAYES = [4.12, 3.74, 3.99, 3.94, 2.63, 4.06, 3.58, 3.84, 4.10, 3.45]


@pytest.mark.parametrize("number", CHAINS)
def test_closed_forms_are_those_of_the_errata(number):
    prior = stationary_distribution(limits_transition(number))
    assert 100 * limits.bayes_error(prior) == pytest.approx(BAYES[number - 1], abs=0.01)
    assert 100 * limits.best_through_origin(prior) == pytest.approx(THROUGH_ORIGIN[number - 1], abs=0.01)


def limits_transition(number):
    return make_paper_chain(number, n_samples=12).transition


def test_the_bayes_classifier_errs_as_often_as_its_formula_says():
    """A million points, seed 3: the standard error is 0.02 points."""
    chain = make_paper_chain(2, n_samples=1_200_000, random_state=3)
    model = bayes_model(MEANS, limits.VARIANCE, chain.lm.stationary())
    wrong = np.mean(model.posteriors(chain.train.X).argmax(axis=1) != chain.train.y)
    assert wrong == pytest.approx(limits.bayes_error(chain.lm.stationary()), abs=8e-4)


def test_least_cost_misleads_without_an_intercept_and_not_with_one():
    """(E1) on a grid, endless data: chain 6, where the errata have 83 % and Bayes has 4.06 %."""
    joint = make_paper_chain(6, n_samples=12).lm.joint(2)
    assert limits.error_at_least_cost(joint, (0.0,)) > 0.8
    assert limits.error_at_least_cost(joint, tuple(np.linspace(-2, 2, 41))) < 0.0406 + 0.006


def test_the_smoother_is_hmmlearns_with_the_true_parameters():
    hmm = pytest.importorskip("hmmlearn.hmm").GaussianHMM(2, covariance_type="full")
    chain = readings.draw_chain(8, 0)
    hmm.startprob_, hmm.transmat_ = chain.lm.stationary(), chain.transition
    hmm.means_, hmm.covars_ = MEANS, np.stack([COVARIANCE] * 2)
    theirs = hmm.predict_proba(chain.test.X).argmax(axis=1)
    assert readings.smoother_error(chain) == pytest.approx(np.mean(theirs != chain.test.y), abs=1e-12)


def test_supervised_is_scikit_learns_logistic_regression():
    from sklearn.linear_model import LogisticRegression

    chain = make_paper_chain(4, n_samples=12_000, random_state=1)
    theirs = LogisticRegression(C=np.inf, tol=1e-8).fit(chain.train.X, chain.train.y)
    ours = readings.tuned_supervised(chain)
    mine = ours.posteriors(chain.test.X).argmax(axis=1)
    assert np.mean(mine != theirs.predict(chain.test.X)) < 0.003  # a penalty of at most 1e-3 remains


def test_hmmlearn_is_left_out_where_it_is_missing(monkeypatch):
    monkeypatch.setattr(readings, "find_spec", lambda name: None)
    chain = readings.draw_chain(2, 0)
    assert readings.hmmlearn_error(chain, 0, 1) is None


def test_one_chain_read_by_everyone():
    found = readings.read_chain(2, seeds=1, hmm_starts=1)
    row = found["seeds"][0]
    assert abs(row["unsupervised"] - row["supervised"]) < 0.005
    assert row["decoded"] < row["unsupervised"]
    assert found["bayes"] == pytest.approx(0.0374, abs=1e-4)
    assert (round(found["mutual_information"], 3), round(found["divergence"], 2)) == (0.051, 1.0)
