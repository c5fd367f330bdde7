"""A user's own learner, 25 lines of it: rounds, checkpoint, save and load."""

from __future__ import annotations

import numpy as np
import pytest
from tests.quick_fits import CHAIN, X, Y, learn

import ventris as vt
from ventris.callbacks import Callback
from ventris.classifiers.base import Capability, Learner
from ventris.errors import FileFormatError, ParameterError

# What a user writes: everything the route can do for a learner, it does for this one.
MINE = """
import numpy as np

class Quadratic:
    \"\"\"Gaussian classes, each with variances of its own.\"\"\"

    def __init__(self, ridge=1e-3):
        self.ridge = ridge

    def fit(self, X, soft_targets, sample_weight=None):
        weight = soft_targets if sample_weight is None else soft_targets * np.asarray(sample_weight)[:, None]
        total = weight.sum(axis=0)[:, None]
        self.prior = total[:, 0] / total.sum()
        self.mean = weight.T @ X / total
        self.variance = weight.T @ X**2 / total - self.mean**2 + self.ridge
        return self

    def predict_proba(self, X):
        squares = ((X[:, None] - self.mean) ** 2 / self.variance + np.log(self.variance)).sum(axis=2)
        weights = self.prior * np.exp(-0.5 * (squares - squares.min(axis=1, keepdims=True)))
        return weights / weights.sum(axis=1, keepdims=True)

    def get_state(self):
        return {"prior": self.prior, "mean": self.mean, "variance": self.variance}, {"ridge": self.ridge}

    def set_state(self, arrays, meta):
        vars(self).update(arrays | meta)
"""
space: dict = {}
exec(MINE, space)
Quadratic = space["Quadratic"]


def test_it_is_written_in_25_lines():
    assert len([line for line in MINE.splitlines() if line.strip()]) <= 25


@pytest.fixture(scope="module")
def fitted():
    return learn(classifier=Quadratic())


def test_it_gets_rounds_and_reads_what_it_was_never_taught(fitted):
    rows = [row for row in fitted.history_ if row["step"] == "refine"]
    assert rows and rows[0]["kept"] and rows[0]["rounds"] >= 2
    assert np.mean(fitted.predict(X) != Y) < np.mean(learn().predict(X) != Y) + 0.01


def test_it_is_saved_and_loaded_into_one_of_its_kind(fitted, tmp_path):
    fitted.save(tmp_path / "own.ventris")
    again = vt.load(tmp_path / "own.ventris", classifier=Quadratic(ridge=7.0))
    np.testing.assert_array_equal(again.predict_proba(X), fitted.predict_proba(X))
    np.testing.assert_array_equal(again.decode(X), fitted.decode(X))
    assert again.learner_.classifier.ridge == 1e-3


@pytest.mark.parametrize("given", [None, object()], ids=["nothing", "something else"])
def test_a_file_never_says_which_code_to_run(fitted, tmp_path, given):
    fitted.save(tmp_path / "own.ventris")
    with pytest.raises(FileFormatError, match=r"one's own classifier.*ventris.load\(path, classifier=…\)"):
        vt.load(tmp_path / "own.ventris", classifier=given)


@pytest.mark.parametrize("step", ["decipher", "refine", "finish"])
def test_a_killed_fit_of_it_goes_on_to_the_same_bits(step, fitted, tmp_path):
    class Ended(Callback):
        def on_step_begin(self, event):
            if event.step == step:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        learn(classifier=Quadratic(), checkpoint=tmp_path, callbacks=[Ended()])
    again = learn(classifier=Quadratic(), checkpoint=tmp_path)
    np.testing.assert_array_equal(again.predict_proba(X), fitted.predict_proba(X))


def test_it_is_told_which_round_it_is():
    class Told(Quadratic):
        rounds: list = []  # noqa: RUF012, shared by the clones on purpose

        def begin_round(self, number, order):
            self.rounds.append((number, order))

    learn(classifier=Told())
    assert [number for number, _ in Told.rounds] == list(range(len(Told.rounds))) and len(Told.rounds) > 3
    assert {order for _, order in Told.rounds} == {2}


@pytest.mark.parametrize("n_points", [600, 3_000])
def test_one_that_goes_on_from_fit_to_fit_begins_anew_in_the_end(n_points):
    """Its last fit, and no other, owes nothing to earlier labels, and is of all points."""

    class Warm(Quadratic):
        fits: list = []  # noqa: RUF012, shared by the clones on purpose

        def fit(self, X, soft_targets, sample_weight=None):
            self.fits.append((hasattr(self, "mean"), len(X)))
            return super().fit(X, soft_targets)

        def forget(self):
            del self.mean, self.variance, self.prior

    clf = learn(data=X[:n_points], classifier=Warm())
    assert [warm for warm, _ in Warm.fits[:1] + Warm.fits[-1:]] == [False, False]
    assert all(warm for warm, _ in Warm.fits[1:-1]) and Warm.fits[-1][1] == n_points
    assert np.mean(clf.predict(X) != Y) < 0.1


def test_its_own_snapshot_is_asked_for_where_it_has_one():
    class Careful(Quadratic):
        made: list = []  # noqa: RUF012, shared by the clones on purpose

        def snapshot(self):
            self.made.append("snapshot")
            return {"mean": self.mean.copy(), **vars(self)}  # it has been fitted when it is asked

        def restore(self, kept):
            self.made.append("restore")
            vars(self).update(kept)

    learn(classifier=Careful())
    assert "snapshot" in Careful.made


def test_without_a_state_it_is_fitted_but_neither_kept_nor_saved(tmp_path):
    class Bare:
        def fit(self, X, soft_targets, sample_weight=None):
            self.inner = Quadratic().fit(X, soft_targets)

        def predict_proba(self, X):
            return self.inner.predict_proba(X)

    clf = learn(classifier=Bare())
    assert np.mean(clf.predict(X) != Y) < 0.1
    with pytest.raises(ParameterError, match=r"give their state as arrays.*joblib"):
        clf.save(tmp_path / "bare.ventris")
    with pytest.raises(ParameterError, match="get_state and set_state"):
        learn(classifier=Bare(), checkpoint=tmp_path / "kept")
    assert CHAIN.number == 2


def test_a_learner_of_ones_own_class_keeps_its_names_to_itself(tmp_path):
    """Arrays may be called as ours are; numbers may be NumPy's."""

    class Mine(Learner):
        def __init__(self):
            self.inner = Quadratic()

        @property
        def capabilities(self):
            return frozenset({Capability.STATE})

        def fit(self, X, soft_targets, sample_weight=None):
            self.inner.fit(X, soft_targets)

        def predict_proba(self, X):
            return self.inner.predict_proba(X)

        def get_state(self):
            arrays, _ = self.inner.get_state()
            return {"coef": arrays["mean"], "usage": arrays["variance"], "prior": arrays["prior"]}, {"n": 3}

        def set_state(self, arrays, meta):
            names = {"mean": arrays["coef"], "variance": arrays["usage"], "prior": arrays["prior"]}
            self.inner.set_state(names, meta)

    clf = learn(classifier=Mine())
    clf.save(tmp_path / "mine.ventris")
    again = vt.load(tmp_path / "mine.ventris", classifier=Mine())
    np.testing.assert_array_equal(again.decode_proba(X), clf.decode_proba(X))


def test_numbers_of_other_kinds_are_made_ours(tmp_path):
    class Half(Quadratic):
        def predict_proba(self, X):
            return super().predict_proba(X).astype(np.float16)

        def get_state(self):
            arrays, meta = super().get_state()
            return arrays, meta | {"n": np.int64(3)}

    clf = learn(classifier=Half())
    clf.save(tmp_path / "half.ventris")
    assert vt.load(tmp_path / "half.ventris", classifier=Half()).learner_.classifier.n == 3
