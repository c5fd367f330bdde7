"""A fit that was ended goes on to the same bits, and refuses to go on with something else."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import numpy as np
import pytest
from tests.quick_fits import CHAIN, METHODS, X, learn

import ventris as vt
from ventris.callbacks import Callback
from ventris.datasets import make_paper_chain
from ventris.errors import ParameterError
from ventris.storage.checkpoint import Step


@pytest.fixture(scope="module")
def auto():
    return learn()


class EndedIn(Callback):
    """Ends a fit when a step begins."""

    def __init__(self, step):
        self.step = step

    def on_step_begin(self, event):
        if event.step == self.step:
            raise KeyboardInterrupt


@pytest.mark.parametrize("step", ["codebook", "decipher", "adapt", "again", "distil", "refine", "finish"])
def test_a_fit_ended_inside_any_step_goes_on_to_the_same_bits(step, tmp_path, auto):
    with pytest.raises(KeyboardInterrupt):
        learn(checkpoint=tmp_path, callbacks=[EndedIn(step)])
    again = learn(checkpoint=tmp_path)
    np.testing.assert_array_equal(again.coef_, auto.coef_)
    np.testing.assert_array_equal(again.intercept_, auto.intercept_)
    assert again.report_.null == auto.report_.null  # the generator went on too


@pytest.mark.parametrize("step", ["again", "refine", "finish"])
def test_a_fit_whose_label_model_has_moved_goes_on_to_the_same_bits(step, tmp_path):
    given, known = make_paper_chain(7, n_samples=12).lm, [*CHAIN.train.y[:20], *[None] * (len(X) - 20)]
    moving = {"lm": given, "adapt": True, "fit": {"partial_labels": known}}
    whole = learn(**moving)
    assert whole.lm_ is not given
    with pytest.raises(KeyboardInterrupt):
        learn(checkpoint=tmp_path, callbacks=[EndedIn(step)], **moving)
    again = learn(checkpoint=tmp_path, **moving)
    np.testing.assert_array_equal(again.coef_, whole.coef_)
    np.testing.assert_array_equal(again.lm_.conditional(2), whole.lm_.conditional(2))
    assert again.report_.to_dict() == whole.report_.to_dict()


@pytest.mark.parametrize("method", ["full-batch", "spdg"])
def test_a_solver_that_is_ended_goes_on_to_the_same_bits(method, tmp_path, monkeypatch):
    whole = learn(method=method, **METHODS[method])
    store, stores = Step.store, []

    def end_after_two(self, arrays, meta):
        store(self, arrays, meta)
        stores.append(self.name)
        if len(stores) == 2:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Step, "store", end_after_two)
        with pytest.raises(KeyboardInterrupt):
            learn(method=method, checkpoint=tmp_path, **METHODS[method])
    again = learn(method=method, checkpoint=tmp_path, **METHODS[method])
    np.testing.assert_array_equal(again.coef_, whole.coef_)


def test_states_are_kept_as_often_as_asked(tmp_path, monkeypatch):
    stored = []
    monkeypatch.setattr(Step, "store", lambda self, arrays, meta: stored.append(meta["update"]))
    learn(method="spdg", checkpoint=tmp_path, checkpoint_every=700, **METHODS["spdg"])
    assert stored[:2] == [700, 1400]


@pytest.mark.parametrize("state", [lambda: np.random.default_rng(4), lambda: None], ids=["generator", "none"])
def test_a_fit_without_a_seed_goes_on_too(state, tmp_path):
    with pytest.raises(KeyboardInterrupt):
        learn(checkpoint=tmp_path, random_state=state(), callbacks=[EndedIn("distil")])
    first, second = (learn(checkpoint=tmp_path, random_state=state()) for _ in range(2))
    np.testing.assert_array_equal(first.coef_, second.coef_)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"data": X[:-1]}, "data differ"),
        ({"data": X + 1e-12}, "data differ"),
        ({"fit": {"lengths": [2_000, 2_000]}}, "data differ"),
        ({"lm": make_paper_chain(3, n_samples=100).lm}, "label model differs"),
        ({"n_init": 9}, "n_init was 8 and is 9"),
        ({"random_state": 1}, "random_state was 0 and is 1"),
        ({"fit": {"partial_labels": [0, *[-1] * 3_999]}}, "partial_labels"),
    ],
)
def test_other_data_or_parameters_in_the_same_folder_raise(change, sentence, tmp_path):
    learn(checkpoint=tmp_path, refine=False)
    with pytest.raises(ParameterError, match=sentence):
        learn(checkpoint=tmp_path, refine=False, **change)


def test_threads_and_verbosity_may_change_between_the_two_runs(tmp_path):
    first = learn(checkpoint=tmp_path, n_jobs=1)
    second = learn(checkpoint=tmp_path, n_jobs=2, verbose=0)
    np.testing.assert_array_equal(first.coef_, second.coef_)


KILLED = """
import sys, time
import numpy as np
import ventris as vt
from ventris.callbacks import Callback
lm = vt.NgramModel.from_transition_matrix(np.load(sys.argv[2]))
class Wait(Callback):
    def on_step_begin(self, event):
        if event.step == "distil":
            print("deciphered", flush=True)
            time.sleep(60)
clf = vt.SequenceClassifier(lm, random_state=0, n_init=8, checkpoint=sys.argv[3], callbacks=[Wait()])
clf.fit(np.load(sys.argv[1]))
"""


@pytest.mark.skipif(os.name == "nt", reason="needs SIGKILL")
def test_a_killed_process_leaves_a_folder_that_can_be_gone_on_with(tmp_path, auto):
    np.save(tmp_path / "X.npy", X)
    np.save(tmp_path / "lm.npy", CHAIN.lm.conditional(2))
    folder = tmp_path / "kept"
    command = [sys.executable, "-c", KILLED, tmp_path / "X.npy", tmp_path / "lm.npy", folder]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "deciphered\n"
        process.send_signal(signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    lm = vt.NgramModel.from_transition_matrix(np.load(tmp_path / "lm.npy"))
    again = learn(lm, checkpoint=folder)
    np.testing.assert_array_equal(again.coef_, auto.coef_)
