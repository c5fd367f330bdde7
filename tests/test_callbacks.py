"""Watching a fit: every moment is told with what is known then, and a watcher may stop it."""

from __future__ import annotations

from io import StringIO

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV
from tests.quick_fits import CHAIN, METHODS, X, Y, learn

import ventris as vt
from ventris.callbacks import MOMENTS, Callback, Event, checked_callback
from ventris.errors import DataTypeError
from ventris.progress import Progress


class Recorder:
    """Keeps every event; it is no `Callback`, only looks like one."""

    def __init__(self):
        self.told = []

    def __getattr__(self, name):
        if name.removeprefix("on_") not in MOMENTS:
            raise AttributeError(name)
        return lambda event: self.told.append((name.removeprefix("on_"), event))

    def events(self, moment):
        return [event for name, event in self.told if name == moment]


@pytest.fixture(scope="module")
def watched():
    recorder = Recorder()
    return learn(callbacks=[recorder]), recorder


def test_a_fit_begins_and_ends_once_and_its_steps_in_turn(watched):
    clf, recorder = watched
    moments = [name for name, _ in recorder.told]
    assert moments[0] == "fit_begin" and moments[-1] == "fit_end"
    assert moments.count("fit_begin") == moments.count("fit_end") == 1
    steps = [event.step for event in recorder.events("step_end")]
    assert steps == [event.step for event in recorder.events("step_begin")]
    assert steps == [row["step"] for row in clf.history_]
    assert [event.row for event in recorder.events("step_end")] == clf.history_


def test_the_share_done_grows_to_the_end(watched):
    shares = [event.share for _, event in watched[1].told]
    assert shares == sorted(shares) and shares[0] == 0 and shares[-1] == 1


def test_every_moment_tells_what_is_known_then(watched):
    clf, recorder = watched
    assert all(event.excess_cost > 0 for event in recorder.events("start"))
    deciphered = next(event for event in recorder.events("step_end") if event.step == "decipher")
    codes = deciphered.codebook.codes(X)
    np.testing.assert_array_equal(deciphered.predict(X), deciphered.table[codes])
    rounds = recorder.events("round")
    assert [event.number for event in rounds] == list(range(1, len(rounds) + 1))
    assert all(event.order == 2 and event.score > 0 and event.model is not None for event in rounds)
    end = recorder.events("fit_end")[0]
    np.testing.assert_array_equal(end.model.coef, clf.coef_)
    np.testing.assert_array_equal(end.predict(X), clf.predict_proba(X))


def test_watching_changes_nothing(watched):
    np.testing.assert_array_equal(watched[0].coef_, learn().coef_)


@pytest.mark.parametrize("method", ["full-batch", "spdg"])
def test_solvers_tell_their_updates_and_starts(method):
    recorder = Recorder()
    clf = learn(method=method, callbacks=[recorder], **METHODS[method])
    updates = [event for event in recorder.events("update") if event.cost is not None]
    assert len(updates) > 2 and all(event.model is not None for event in updates)
    assert (method == "spdg") == all(event.dual is not None for event in updates)
    assert min(event.cost for event in updates) == pytest.approx(clf.cost_, abs=0.02)
    assert recorder.events("start")[-1].share == 1
    np.testing.assert_array_equal(recorder.events("step_end")[0].model.coef, clf.coef_)


class StopAfter(Callback):
    def __init__(self, moment, step):
        self.step = step
        setattr(self, f"on_{moment}", lambda event: event.step == step)


@pytest.mark.parametrize(
    ("moment", "step", "last"),
    [
        ("step_end", "distil", "distil"),
        ("start", "decipher", "distil"),  # before there is a classifier to give
        ("round", "refine", "refine"),
    ],
)
def test_a_watcher_may_stop_a_fit_which_ends_with_what_it_has(moment, step, last):
    clf = learn(callbacks=[StopAfter(moment, step)])
    steps = [row["step"] for row in clf.history_]
    assert steps[-2:] == [last, "stopped"]
    assert clf.predict(X).shape == (len(X),) and clf.report_ is not None


def test_the_report_says_who_ended_it():
    stopped = learn(callbacks=[StopAfter("step_end", "distil")]).report_
    assert stopped.stopped_because == "callback" and "callback" in str(stopped)
    assert learn().report_.stopped_because == ""


def test_every_round_is_counted(watched):
    clf, recorder = watched
    assert clf.report_.n_iter == len(recorder.events("round"))


def test_a_race_that_is_asked_to_stop_makes_no_other_turn():
    class First(Recorder):
        def on_start(self, event):
            self.told.append(("start", event))
            return True

    first = First()
    learn(callbacks=[first])
    assert len(first.events("start")) == 1


@pytest.mark.parametrize(
    ("method", "moment", "step"),
    [("auto", "round", "refine"), ("full-batch", "update", "full-batch"), ("spdg", "update", "spdg")],
)
def test_a_fit_that_was_stopped_goes_on_as_if_nobody_had_asked(method, moment, step, tmp_path):
    settings = {"method": method, "checkpoint": tmp_path, **METHODS.get(method, {})}
    learn(callbacks=[StopAfter(moment, step)], **settings)
    whole = learn(method=method, **METHODS.get(method, {}))
    np.testing.assert_array_equal(learn(**settings).coef_, whole.coef_)


def test_symbols_are_answered_by_the_table_before_there_is_a_learner():
    recorder = Recorder()
    symbols = 2 * Y + (np.arange(len(Y)) % 2)
    learn(data=symbols, callbacks=[recorder], refine=False)
    event = next(each for each in recorder.events("step_end") if each.step == "decipher")
    np.testing.assert_array_equal(event.predict(symbols[:9]), event.table[symbols[:9]])


def test_whoever_watches_an_estimator_watches_its_clones():
    class Count(Callback):
        fits = 0

        def on_fit_end(self, event):
            self.fits += 1

    count = Count()
    search = GridSearchCV(
        vt.SequenceClassifier(CHAIN.lm, random_state=0, callbacks=[count, Progress(1, StringIO())]),
        {"n_init": [4, 8]}, cv=2, refit=False,
    )  # fmt: skip
    search.fit(X[:2_000])
    assert count.fits == 4


@pytest.mark.parametrize("method", ["full-batch", "spdg"])
def test_a_watcher_may_stop_a_solver(method):
    clf = learn(method=method, callbacks=[StopAfter("update", method)], **METHODS[method])
    assert len(clf.history_) <= 2 and clf.coef_.shape == (2, 2)


def test_what_a_watcher_raises_ends_the_fit_at_once():
    class Hasty(Callback):
        def on_start(self, event):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        learn(callbacks=[Hasty()])


@pytest.mark.parametrize("given", [print, 3, Callback], ids=["function", "number", "class"])
def test_what_cannot_listen_is_refused(given):
    with pytest.raises(
        DataTypeError, match="A callback must be an object with some of the methods on_fit_begin"
    ):
        checked_callback(given)


def test_watchers_are_no_part_of_a_model_file(tmp_path):
    clf = learn(callbacks=[Recorder()], refine=False)
    clf.save(tmp_path / "m.ventris")
    assert vt.load(tmp_path / "m.ventris").callbacks is None


def test_every_event_has_a_method_that_does_nothing():
    assert [getattr(Callback(), f"on_{moment}")(Event("x")) for moment in MOMENTS] == [None] * len(MOMENTS)
    assert len(CHAIN.lm.classes) == 2 and len(MOMENTS) == 7
