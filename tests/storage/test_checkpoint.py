"""Checkpoints: bit-identical resumption, refusals that say what differs, whole states after any ending."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace

import numpy as np
import pytest

from ventris.classifiers.loglinear import LogLinear
from ventris.datasets import make_paper_chain
from ventris.errors import FileFormatError, ParameterError
from ventris.label_model.model import NgramModel
from ventris.label_model.state import lm_to_state
from ventris.solvers.problem import Problem
from ventris.solvers.registry import SOLVERS
from ventris.storage.checkpoint import Checkpoint, clear_states, fingerprint, hash_array, hash_state

LM = NgramModel.from_transition_matrix([[0.6, 0.4], [0.9, 0.1]])
OTHER = NgramModel.from_transition_matrix([[0.6, 0.4], [0.8, 0.2]])
RENAMED = NgramModel.from_transition_matrix([[0.6, 0.4], [0.9, 0.1]], classes=["a", "b"])
X, LENGTHS = np.arange(12.0).reshape(6, 2), np.array([2, 4])
PARAMETERS = {"order": 2, "gamma": 1.0, "method": "spdg"}


def test_states_come_back_and_are_replaced(tmp_path):
    folder = Checkpoint(tmp_path / "new" / "folder", fingerprint(PARAMETERS, X, LENGTHS, lm_to_state(LM)))
    step = folder.step("solve-0")
    assert step.load() is None
    step.store({"w": np.zeros(2)}, {"update": 1})
    step.store({"w": np.ones(2)}, {"update": 2**100})
    again = Checkpoint(tmp_path / "new" / "folder", fingerprint(PARAMETERS, X, LENGTHS, lm_to_state(LM)))
    arrays, meta = again.load("solve-0")
    np.testing.assert_array_equal(arrays["w"], [1, 1])
    assert meta == {"update": 2**100} and again.load("solve-1") is None


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            {"parameters": PARAMETERS | {"order": 3, "gamma": 2.0}},
            "gamma was 1.0 and is 2.0, order was 2 and is 3",
        ),
        ({"parameters": PARAMETERS | {"extra": 1}}, "extra was None and is 1"),
        ({"X": X + 1e-12}, "the data differ"),
        ({"X": X.astype(np.float32)}, "the data differ"),
        ({"lengths": np.array([3, 3])}, "the data differ"),
        ({"label_model": lm_to_state(OTHER)}, "the label model differs"),
        ({"label_model": lm_to_state(RENAMED)}, "the label model differs"),
    ],
)
def test_another_fit_in_the_same_folder_is_refused_with_what_differs(tmp_path, change, sentence):
    own = {"parameters": PARAMETERS, "X": X, "lengths": LENGTHS, "label_model": lm_to_state(LM)}
    Checkpoint(tmp_path, fingerprint(**own))
    Checkpoint(tmp_path, fingerprint(**own))
    with pytest.raises(ParameterError, match="must belong to this fit, but") as caught:
        Checkpoint(tmp_path, fingerprint(**own | change))
    assert sentence in str(caught.value)


def test_a_half_written_state_is_never_seen_and_is_cleared(tmp_path):
    folder = Checkpoint(tmp_path, fingerprint(PARAMETERS, X, LENGTHS, lm_to_state(LM)))
    folder.store("solve-0", {"w": np.ones(2)}, {"update": 1})
    (tmp_path / ".solve-0.state.abc123").write_bytes(b"half a st")  # what kill −9 leaves
    assert folder.load("solve-0")[1] == {"update": 1}
    clear_states(folder.path)
    assert list(tmp_path.iterdir()) == []


def test_a_damaged_state_a_foreign_manifest_and_a_file_in_the_way_are_refused(tmp_path):
    folder = Checkpoint(tmp_path / "a", fingerprint(PARAMETERS, X, LENGTHS, lm_to_state(LM)))
    folder.store("s", {"w": np.ones(2)}, {})
    state = tmp_path / "a" / "s.state"
    state.write_bytes(state.read_bytes()[:-3])
    with pytest.raises(FileFormatError, match="bytes"):
        folder.load("s")
    for content in (
        "not json",
        "[]",
        '{"format": "other"}',
        '{"format": "ventris-checkpoint", "version": 9}',
    ):
        (tmp_path / "a" / "manifest.json").write_text(content)
        with pytest.raises(FileFormatError, match="manifest of a checkpoint"):
            Checkpoint(tmp_path / "a", {})
    with pytest.raises(ParameterError, match="is a file"):
        Checkpoint(state, {})


def test_hashes_see_every_byte_and_not_the_layout():
    rng = np.random.default_rng(0)
    big = rng.standard_normal((70_000, 2))
    assert hash_array(big) == hash_array(np.asfortranarray(big))
    changed = big.copy()
    changed[69_999, 1] = np.nextafter(changed[69_999, 1], np.inf)
    assert hash_array(big) != hash_array(changed)
    assert hash_array(big) != hash_array(big.reshape(-1)) != hash_array(np.array(1.0))
    counted = NgramModel.from_sequences([[0, 1, 1, 0, 1]], order=2)
    smoothed = NgramModel.from_sequences([[0, 1, 1, 0, 1]], order=2, smoothing="additive")
    assert hash_state(*lm_to_state(counted)) != hash_state(*lm_to_state(smoothed))


@pytest.mark.parametrize("name", ["spdg", "full-batch"])
def test_a_solver_interrupted_at_any_store_goes_on_bit_for_bit(tmp_path, name):
    chain = make_paper_chain(2, n_samples=3_000, random_state=0)
    problem = Problem(chain.train.X, np.array([2_500]), chain.lm.joint(2))
    short = {"max_updates": 4_000, "look_every": 1_000} if name == "spdg" else {"max_iter": 5}
    solver = replace(SOLVERS[name], **short)
    starts = [LogLinear(np.array([[-w, 0.0], [w, 0.0]]), np.zeros(2)) for w in (0.2, 0.5, 1.0)]
    marks = fingerprint(PARAMETERS, problem.X, problem.lengths, lm_to_state(chain.lm))
    whole = solver.solve_all(problem, starts, np.random.default_rng(0))
    for n_rows in range(1, 4):
        seen = []

        def interrupt(row, seen=seen, n_rows=n_rows):
            seen.append(row)
            if len(seen) == n_rows:
                raise KeyboardInterrupt

        memory = Checkpoint(tmp_path / str(n_rows), marks).step("solve-0")
        with pytest.raises(KeyboardInterrupt):
            solver.solve_all(problem, starts, np.random.default_rng(0), interrupt, memory)
        resumed = solver.solve_all(problem, starts, np.random.default_rng(0), None, memory)
        for a, b in zip(whole, resumed, strict=True):
            np.testing.assert_array_equal(a.model.coef, b.model.coef)
            np.testing.assert_array_equal(a.dual, b.dual)
            assert a.cost == b.cost and a.history == b.history


WRITER = """
import sys
import numpy as np
from ventris.storage.checkpoint import Checkpoint
folder = Checkpoint(sys.argv[1], {"parameters": {}})
for update in range(10**9):
    folder.store("solve-0", {"w": np.full(20_000, float(update))}, {"update": update})
"""


def test_kill_9_in_the_middle_of_storing_leaves_a_whole_state(tmp_path):
    writer = subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path)])
    deadline = time.monotonic() + 60
    try:
        while len(list(tmp_path.glob("*.state"))) == 0 and time.monotonic() < deadline:
            time.sleep(0.02)
        time.sleep(0.2)
    finally:
        os.kill(writer.pid, signal.SIGKILL)
        writer.wait()
    arrays, meta = Checkpoint(tmp_path, {"parameters": {}}).load("solve-0")
    np.testing.assert_array_equal(arrays["w"], np.full(20_000, float(meta["update"])))
