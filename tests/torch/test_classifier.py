"""Networks behind the front door: fits without labels, files, checkpoints, the command line."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("skorch")

from torch import nn  # noqa: E402

import ventris as vt  # noqa: E402
from ventris.callbacks import Callback  # noqa: E402
from ventris.classifiers.choice import NETWORKS, learner_of  # noqa: E402
from ventris.cli import run  # noqa: E402
from ventris.datasets import make_paper_chain  # noqa: E402
from ventris.errors import FileFormatError, ParameterError, VentrisWarning  # noqa: E402
from ventris.inference.score import sequence_score  # noqa: E402
from ventris.storage.persistence import load_state, save_state  # noqa: E402
from ventris.torch.settings import NetworkSettings  # noqa: E402

CHAIN = make_paper_chain(2, n_samples=1_800, random_state=0)
FEW = NetworkSettings(first_updates=60, next_updates=15, most_updates=60)  # enough for two clouds
QUICK = {"epochs": 4, "weight_decay": 1e-3, "lr": 1e-2, "settings": FEW}


class Net(nn.Module):
    """A user's own."""

    def __init__(self, width=8):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(2, width), nn.Tanh(), nn.Linear(width, 2))

    def forward(self, x):
        return self.layers(x)


class OtherNet(Net):
    """Of another name."""


def learn(classifier, X=CHAIN.train.X, lm=CHAIN.lm, **asked):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", VentrisWarning)
        quick = {"random_state": 0, "n_init": 4, "n_fits": 1, "adapt": False, "n_jobs": 1}
        return vt.SequenceClassifier(lm, classifier=classifier, **quick, **asked).fit(X)


@pytest.fixture(scope="module")
def own():
    torch.set_num_threads(1)
    return learn(vt.TorchLearner(Net, module_args={"width": 6}, **QUICK))


def test_a_network_learns_a_chain_without_labels(own):
    assert np.mean(own.predict(CHAIN.test.X) != CHAIN.test.y) < 0.08
    assert own.history_[-1]["step"] == "finish"
    assert own.learner_.forgot_  # its last fit began anew


def test_presets_have_names():
    for name in NETWORKS:
        learner = learner_of(name, units=None, random_state=3)
        assert (learner.module, learner.random_state) == (name, 3)
    with pytest.raises(ParameterError, match=r"one of 'mlp', 'cnn', 'tcn'.*'rnn'"):
        learn("rnn")


def test_a_reader_with_context_is_given_sequences():
    X = [CHAIN.train.X[:900], CHAIN.train.X[900:905], CHAIN.train.X[905:]]
    clf = learn(vt.TorchLearner("tcn", **QUICK | {"epochs": 12}), X=X)
    found = clf.predict(X)
    assert [len(part) for part in found] == [len(part) for part in X]
    assert np.mean(np.concatenate(found) != CHAIN.train.y) < 0.08


def test_whoever_watches_is_told_of_passes():
    class Passes(Callback):
        def __init__(self):
            self.parts = []

        def on_update(self, event):
            self.parts.append(event.part)
            assert event.predict(CHAIN.train.X[:2]).shape == (2, 2)

    watching = Passes()
    learn(vt.TorchLearner(Net, **QUICK), callbacks=[watching])
    assert len(watching.parts) > 10 and all(0 < part <= 1 for part in watching.parts)


def test_passes_are_judged_by_the_sequence_score_of_points_held_out():
    """The first lesson's judge: what the label model makes of outputs for the last tenth of the points."""
    judged, n_held_out = [], len(CHAIN.train.X) // 10

    class Attends(vt.TorchLearner):
        def attend(self, judge, tell=None):
            def listened(learner):
                score = judge(learner)
                judged.append((score, learner.predict_proba(CHAIN.train.X[-n_held_out:])))
                return score

            super().attend(judge and listened, tell)

    learn(Attends(Net, **QUICK), refine=False)
    assert len(judged) >= 2
    for score, outputs in judged:
        expected = sequence_score(outputs, np.array([n_held_out]), CHAIN.lm, 2)
        assert score == pytest.approx(expected, rel=1e-6)


# ---------------------------------------------------------------- files


def test_a_users_module_comes_back_with_its_class_only(own, tmp_path):
    path = tmp_path / "own.ventris"
    own.save(path)
    with pytest.raises(FileFormatError, match=r"never runs code by itself.*module=Net"):
        vt.load(path)
    again = vt.load(path, module=Net)
    X = CHAIN.test.X
    np.testing.assert_array_equal(again.predict_proba(X), own.predict_proba(X))
    np.testing.assert_array_equal(again.decode(X), own.decode(X))
    with pytest.raises(FileFormatError, match=r"OtherNet.*it holds those of .*Net"):
        vt.load(path, module=OtherNet)
    with pytest.raises(FileFormatError, match="layer by layer"):
        vt.load(path, module=Net(width=7))
    np.testing.assert_array_equal(vt.load(path, module=Net(width=6)).predict(X), own.predict(X))


def test_a_preset_comes_back_by_itself(tmp_path):
    clf = learn(vt.TorchLearner("tcn", module_args={"width": 4}, **QUICK))
    clf.save(tmp_path / "tcn.ventris")
    again = vt.load(tmp_path / "tcn.ventris")
    np.testing.assert_array_equal(again.decision_function(CHAIN.test.X), clf.decision_function(CHAIN.test.X))
    assert again.learner_.module == "tcn"


def test_a_file_names_the_module_and_imports_nothing(own, tmp_path):
    own.save(tmp_path / "own.ventris")
    arrays, header = load_state(tmp_path / "own.ventris")
    meta = header["learner"]["meta"]
    assert meta["module"].endswith("Net") and meta["module_args"] == {"width": 6}
    meta["module"] = "os.system"
    save_state(tmp_path / "evil.ventris", arrays, header)
    with pytest.raises(FileFormatError, match="no module was given"):
        vt.load(tmp_path / "evil.ventris")


def test_arguments_that_only_code_could_keep_get_a_sentence(tmp_path):
    class Bends(Net):
        def __init__(self, kind=nn.ReLU):
            super().__init__()
            self.kind = kind()

    learner = vt.TorchLearner(Bends, module_args={"kind": nn.Tanh}, **QUICK)
    learner.fit(CHAIN.train.X[:100], np.eye(2)[CHAIN.train.y[:100]])
    with pytest.raises(ParameterError, match=r"numbers, text, or lists.*an instance of the module"):
        learner.get_state()


@pytest.mark.parametrize("change", ["weights missing", "weights of another shape", "no units"])
def test_a_damaged_state_is_refused(own, tmp_path, change):
    own.save(tmp_path / "own.ventris")
    arrays, header = load_state(tmp_path / "own.ventris")
    name = next(each for each in arrays if each.endswith("layers.0.weight"))
    if change == "weights missing":
        del arrays[name]
    elif change == "weights of another shape":
        arrays[name] = arrays[name][:1]
    else:
        del arrays["own.centre"]
    save_state(tmp_path / "changed.ventris", arrays, header)
    with pytest.raises(FileFormatError):
        vt.load(tmp_path / "changed.ventris", module=Net)


def test_an_ended_fit_goes_on_to_the_same_bits(own, tmp_path):
    class Killed(Exception):
        pass

    class Ends(Callback):
        def on_step_end(self, event):
            if event.step == "refine":
                raise Killed

    learner = vt.TorchLearner(Net, module_args={"width": 6}, **QUICK)
    with pytest.raises(Killed):
        learn(learner, checkpoint=tmp_path / "state", callbacks=[Ends()])
    again = learn(learner, checkpoint=tmp_path / "state")
    np.testing.assert_array_equal(again.predict_proba(CHAIN.test.X), own.predict_proba(CHAIN.test.X))


# ---------------------------------------------------------------- the command line


def test_the_command_line_fits_and_reads_with_a_network(tmp_path, capfd):
    np.save(tmp_path / "points.npy", CHAIN.train.X[:400])
    CHAIN.lm.to_arpa(tmp_path / "labels.arpa")
    model = tmp_path / "reader.ventris"
    files = [str(tmp_path / "points.npy"), "--lm", str(tmp_path / "labels.arpa"), "-o", str(model)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", VentrisWarning)
        assert run(["fit", *files, "--classifier", "mlp", "--quiet", "--n-init", "4", "--n-fits", "1"]) == 0
    assert run(["predict", str(model), str(tmp_path / "points.npy"), "-o", str(tmp_path / "out.csv")]) == 0
    assert vt.load(model).learner_.kind == "torch"
    capfd.readouterr()
    assert run(["inspect", str(model), "--json"]) == 0
    assert json.loads(capfd.readouterr().out)
