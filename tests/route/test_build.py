"""What `fit` sets in motion: the right learner, the right solver, states kept after each step, refusals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

import ventris
from ventris import SequenceClassifier
from ventris.callbacks import Callbacks
from ventris.classifiers.loglinear_learner import LogLinearLearner
from ventris.classifiers.own import OwnLearner
from ventris.classifiers.scikit import ScikitLearner
from ventris.classifiers.table import TableLearner
from ventris.data.known_labels import KnownLabels
from ventris.data.sequences import Sequences
from ventris.datasets import make_paper_chain
from ventris.errors import DataError, LanguageModelError, ParameterError, VentrisError
from ventris.route import build
from ventris.route.build import make_learner, resume_generator, take_steps, train_by_route, train_by_solver
from ventris.route.step import Step
from ventris.storage.checkpoint import Checkpoint

CHAIN = make_paper_chain(2, n_samples=3_600, random_state=0)
X = CHAIN.train.X


def test_the_wrapper_that_samples_targets_is_public_and_is_taken_as_it_is():
    given = ventris.ScikitLearner(DecisionTreeClassifier(max_depth=2), targets="sample", random_state=5)
    found = make_learner(SequenceClassifier(CHAIN.lm, classifier=given), Sequences.of(X))
    assert "ScikitLearner" in ventris.__all__ and ventris.ScikitLearner is ScikitLearner
    assert found is not given and (found.targets, found.random_state) == ("sample", 5)


class Prototypes:
    """A user's own classifier: soft means, and a softmax of the distances to them."""

    def __init__(self, sharpness=1.0):
        self.sharpness = sharpness

    def fit(self, X, soft_targets, sample_weight=None):
        self.means_ = (soft_targets.T @ X) / soft_targets.sum(axis=0)[:, None]
        return self

    def predict_proba(self, X):
        weights = np.exp(-self.sharpness * np.sum((X[:, None] - self.means_) ** 2, axis=2))
        return weights / weights.sum(axis=1, keepdims=True)


def train(clf, data=X, known=None, checkpoint=None, by=train_by_route):
    sequences = data if isinstance(data, Sequences) else Sequences.of(data)
    return by(clf, sequences, known, np.random.default_rng(0), Callbacks(), checkpoint)


# --------------------------------------------------------------------------------------------- learners


def test_the_learner_follows_the_inputs_and_the_classifier():
    features, symbols = Sequences.of(X), Sequences.of(np.array([0, 3, 1]))
    assert isinstance(make_learner(SequenceClassifier(CHAIN.lm), features), LogLinearLearner)
    table = make_learner(SequenceClassifier(CHAIN.lm), symbols)
    assert isinstance(table, TableLearner) and table.n_symbols == 4
    tree = DecisionTreeClassifier()
    assert isinstance(make_learner(SequenceClassifier(CHAIN.lm, classifier=tree), features), ScikitLearner)


def test_a_users_own_classifier_is_copied_not_changed():
    own = Prototypes(sharpness=0.7)
    learner = make_learner(SequenceClassifier(CHAIN.lm, classifier=own), Sequences.of(X))
    assert isinstance(learner, OwnLearner) and isinstance(learner.classifier, Prototypes)
    assert learner.classifier is not own and learner.classifier.sharpness == 0.7


def test_a_classifier_of_symbols_is_refused():
    with pytest.raises(ParameterError, match=r"read with a table.*DecisionTreeClassifier"):
        train(SequenceClassifier(CHAIN.lm, classifier=DecisionTreeClassifier()), np.array([0, 1, 0]))


def test_symbols_too_many_to_count_in_pairs_are_refused_before_memory_runs_out():
    with pytest.raises(DataError, match=r"below 4,096.*largest is 40,000.*numpy.unique"):
        train(SequenceClassifier(CHAIN.lm), np.array([0, 1, 40_000]))


def test_the_diagonal_form_needs_a_feature_for_each_class():
    with pytest.raises(ParameterError, match="2 classes and 3 features"):
        train(SequenceClassifier(CHAIN.lm, features="diagonal"), np.c_[X, X[:, :1]])


# ---------------------------------------------------------------------------------------------- solvers


@pytest.mark.parametrize(
    ("parameters", "data", "known"),
    [
        ({}, np.array([0, 1, 1]), None),
        ({"classifier": DecisionTreeClassifier()}, X, None),
        ({}, X, KnownLabels(np.zeros(len(X), dtype=int))),
    ],
    ids=["symbols", "classifier", "partial labels"],
)
@pytest.mark.parametrize("method", ["spdg", "full-batch"])
def test_solvers_refuse_what_only_the_route_can_use(method, parameters, data, known):
    clf = SequenceClassifier(CHAIN.lm, method=method, **parameters)
    with pytest.raises(ParameterError, match=f"method='{method}'.*method=\"auto\""):
        train(clf, data, known, by=train_by_solver)


def test_the_users_settings_reach_the_solver():
    clf = SequenceClassifier(
        CHAIN.lm, method="spdg", batch_size=3, primal_lr=0.05, dual_lr=0.04, max_iter=2_000, n_init=2
    )
    trained = train(clf, by=train_by_solver)
    assert trained.solution.n_iter <= 2_000 and trained.order == 2
    assert len(trained.restarts.costs) >= 2
    assert (trained.solution.dual < 0).all()
    other = train(SequenceClassifier(**clf.get_params() | {"batch_size": 30}), by=train_by_solver)
    assert not np.array_equal(other.learner.model.coef, trained.learner.model.coef)


def test_full_batch_stops_at_max_iter():
    clf = SequenceClassifier(CHAIN.lm, method="full-batch", max_iter=3, n_init=1)
    assert train(clf, by=train_by_solver).solution.n_iter <= 3


# ------------------------------------------------------------------------------------------------ order


@pytest.mark.parametrize("by", [train_by_route, train_by_solver])
def test_an_order_above_the_label_models_is_refused(by):
    clf = SequenceClassifier(CHAIN.lm, order=5, method="auto" if by is train_by_route else "full-batch")
    with pytest.raises(LanguageModelError, match=r"at most the label model's 2.*it is 5"):
        train(clf, by=by)


@pytest.mark.parametrize("by", [train_by_route, train_by_solver])
def test_sequences_all_shorter_than_a_pair_are_refused(by):
    clf = SequenceClassifier(CHAIN.lm, method="auto" if by is train_by_route else "full-batch")
    with pytest.raises(VentrisError, match=r"sequence must hold.* 2 points.*longest has 1"):
        train(clf, Sequences.of([X[:1], X[1:2]]), by=by)


# ------------------------------------------------------------------------------------------ checkpoints


@dataclass(frozen=True)
class Noted(Step):
    """A step that notes its number, or is ended inside."""

    number: int
    ends: bool = False
    name = words = "noted"

    def run(self, journey, row):
        if self.ends:
            raise KeyboardInterrupt
        journey.table = np.append(journey.table, float(self.number))


@pytest.mark.parametrize("ends_in", range(4))
def test_a_route_goes_on_with_the_step_that_was_ended(tmp_path, monkeypatch, ends_in):
    def journey(ending):
        steps = [Noted(number, number == ending) for number in range(4)]
        monkeypatch.setattr(build, "steps_of", lambda journey: steps)
        new = build.new_journey(SequenceClassifier(CHAIN.lm, random_state=0), Sequences.of(X))
        new.table = np.zeros(0)
        return new

    folder = Checkpoint(tmp_path, {})
    with pytest.raises(KeyboardInterrupt):
        take_steps(journey(ends_in), folder)
    second = journey(None)
    take_steps(second, folder)
    assert second.table.tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("classifier", [Prototypes(), DecisionTreeClassifier()], ids=["own", "scikit-learn"])
def test_a_checkpoint_of_a_foreign_classifier_is_refused(tmp_path, classifier):
    with pytest.raises(ParameterError, match=r"only pickle could keep.*without checkpoint"):
        train(SequenceClassifier(CHAIN.lm, classifier=classifier), checkpoint=Checkpoint(tmp_path, {}))


def test_a_resumed_fit_draws_what_the_first_drew(tmp_path):
    first, second = np.random.default_rng(1), np.random.default_rng(2)
    resume_generator(first, Checkpoint(tmp_path, {}))
    resume_generator(second, Checkpoint(tmp_path, {}))
    assert first.integers(2**62) == second.integers(2**62)
