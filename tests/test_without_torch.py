"""Torch is an extra: without it everything else works, and who asks for a network is told what to install."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import ventris as vt
from ventris.cli import run
from ventris.errors import MissingExtraError

CHAIN = vt.datasets.make_paper_chain(2, n_samples=600, random_state=0)


class Absent:
    """Finds neither torch nor skorch."""

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("torch", "skorch"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


@pytest.fixture
def no_torch(monkeypatch):
    """As if neither torch nor skorch were installed."""
    gone = ("torch", "skorch")
    for name in [each for each in sys.modules if each.partition(".")[0] in gone or "ventris.torch." in each]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "meta_path", [Absent(), *sys.meta_path])


@pytest.mark.parametrize("name", ["mlp", "cnn", "tcn"])
def test_a_preset_says_in_one_sentence_what_to_install(no_torch, name):
    with pytest.raises(MissingExtraError, match=r"'torch'.*pip install 'ventris\[torch\]'"):
        vt.SequenceClassifier(CHAIN.lm, classifier=name).fit(CHAIN.train.X)


def test_so_do_the_learner_and_the_loss(no_torch):
    with pytest.raises(MissingExtraError, match=r"ventris\[torch\]"):
        _ = vt.TorchLearner
    with pytest.raises(MissingExtraError, match=r"ventris\[torch\]"):
        from ventris.torch import NgramMatchingLoss  # noqa: F401


def test_so_does_the_command_line(no_torch, tmp_path, capfd):
    np.save(tmp_path / "points.npy", CHAIN.train.X)
    CHAIN.lm.to_arpa(tmp_path / "labels.arpa")
    files = [str(tmp_path / "points.npy"), "--lm", str(tmp_path / "labels.arpa"), "-o", str(tmp_path / "m")]
    assert run(["fit", *files, "--classifier", "cnn", "--quiet"]) != 0
    assert "pip install 'ventris[torch]'" in " ".join(capfd.readouterr().err.split())


def test_nothing_of_it_is_imported_unless_asked_for():
    code = (
        "import sys, numpy as np, ventris as vt\n"
        "chain = vt.datasets.make_paper_chain(2, n_samples=300)\n"
        "import ventris.torch\n"
        "assert 'TorchLearner' in dir(vt) and vt.SequenceClassifier(chain.lm)\n"
        "assert not {'torch', 'skorch'} & set(sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
