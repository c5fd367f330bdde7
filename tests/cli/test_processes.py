"""What only real processes show: start-up, pipes, signals, memory."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import ventris as vt
from ventris.demos.example_files import write_example_files
from ventris.errors import VentrisWarning

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
ENVIRONMENT = os.environ | {"PYTHONIOENCODING": "utf-8"}
HEAVY = ("scipy", "sklearn", "torch", "matplotlib", "pandas", "numba")


def start(*tokens: object, **options: object) -> subprocess.Popen:
    command = [sys.executable, "-m", "ventris", *map(str, tokens)]
    return subprocess.Popen(
        command, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options
    )


def test_help_imports_nothing_heavy():
    code = (
        "import sys; from ventris.cli import run; run(['--help']); "
        "print(*{name.split('.')[0] for name in sys.modules}, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], env=ENVIRONMENT, capture_output=True, text=True)
    modules = done.stderr.split()
    assert "evaluate" in done.stdout
    assert not set(modules) & set(HEAVY)


def test_pipes_that_close_are_full_or_know_only_ascii(session):
    call = f"{sys.executable} -m ventris"
    predict, show = f"{call} predict reader.ventris example/points.npy", f"{call} lm show labels.arpa"
    script = f"""{predict} | head -n 2; echo ${{PIPESTATUS[0]}}; {show} > /dev/full; echo $?
    PYTHONIOENCODING=ascii {show} | tail -n 1; echo ${{PIPESTATUS[0]}}"""
    done = subprocess.run(
        ["bash", "-c", script], cwd=session.folder, env=ENVIRONMENT, capture_output=True, text=True
    )
    lines = done.stdout.splitlines()
    assert lines[0] == "sequence,label" and lines[2:4] == ["1", "1"]
    assert lines[4].isascii() and lines[5] == "0"  # a terminal that knows ASCII only
    assert done.stderr == "ventris: No space left on device\n"


def wait_for(process: subprocess.Popen, ready) -> None:
    deadline = time.monotonic() + 120
    while not ready():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.005)


def test_a_fit_killed_and_then_stopped_goes_on_to_the_same_model(session, tmp_path, ventris):
    write_example_files(tmp_path, n_samples=30_000)
    lm, out = session.folder / "labels.arpa", tmp_path / "model"
    fit = ["fit", tmp_path / "points.npy", "--lm", lm]
    state = tmp_path / "model.checkpoint" / "route.state"

    killed = start(*fit, "-o", out)
    wait_for(killed, state.exists)
    killed.send_signal(signal.SIGKILL)
    killed.communicate()
    assert killed.returncode == -signal.SIGKILL and not out.exists()

    # A test run in the background has SIGINT ignored, and its children would inherit that.
    stopped = start(*fit, "-o", out, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    assert stopped.stderr.readline() == "route: begun\n"
    stopped.send_signal(signal.SIGINT)
    _, said = stopped.communicate()
    assert stopped.returncode == 130 and not out.exists()
    assert f"to go on: ventris fit {tmp_path / 'points.npy'} --lm" in said and "Traceback" not in said

    assert ventris(*fit, "-o", out).code == 0
    assert not state.parent.exists()
    assert ventris(*fit, "-o", tmp_path / "reference").code == 0
    resumed, reference = vt.load(out), vt.load(tmp_path / "reference")
    np.testing.assert_allclose(resumed.coef_, reference.coef_, rtol=1e-6)
    np.testing.assert_allclose(resumed.intercept_, reference.intercept_, rtol=1e-6)
    assert [row["step"] for row in resumed.history_] == [row["step"] for row in reference.history_]


@pytest.mark.parametrize("state", ["model.checkpoint", "one"])
def test_of_two_fits_to_one_file_the_second_says_so_and_the_first_loses_nothing(
    state, session, tmp_path, ventris
):
    write_example_files(tmp_path, n_samples=30_000)
    fit = ["fit", tmp_path / "points.npy", "--lm", session.folder / "labels.arpa"]
    out, folder = tmp_path / "model", tmp_path / "model.checkpoint"
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "link").symlink_to(out)
    first = start(*fit, "-o", out, *([] if state == folder.name else ["--checkpoint", tmp_path / state]))
    wait_for(first, (tmp_path / state / "lock").exists)
    for second in (out, tmp_path / "elsewhere" / "link"):  # by whatever name
        for options in ([], ["--checkpoint", tmp_path / "two"]):  # with its state wherever
            done = ventris(*fit, "-o", second, *options, "--force")
            assert done.code == 1 and not done.out and len(done.err.splitlines()) == 1
            assert f"{folder} must be free for this fit, but process {first.pid} on " in done.err
    assert first.poll() is None  # it was still at work
    _, said = first.communicate(timeout=120)
    assert first.returncode == 0, said
    assert vt.load(out).classes_.tolist() and not folder.exists() and not (tmp_path / "two").exists()
    assert [path.name for path in (tmp_path / "elsewhere").iterdir()] == ["link"]


def test_a_fit_ended_by_kill_9_holds_no_model(session, tmp_path, ventris):
    fit = ["fit", session.folder / "example" / "test.npy", "--lm", session.folder / "labels.arpa"]
    out, folder = tmp_path / "model", tmp_path / "model.checkpoint"
    killed = start(*fit, "-o", out, "--checkpoint", tmp_path / "one")
    wait_for(killed, (folder / "lock").exists)
    killed.send_signal(signal.SIGKILL)
    killed.communicate()
    assert ventris(*fit, "-o", out, "--no-refine", "--checkpoint", tmp_path / "two").code == 0
    assert out.exists() and not folder.exists()


def test_a_model_in_standard_output_is_followed_by_nothing(session, tmp_path):
    fit = [
        "fit",
        session.folder / "example" / "test.npy",
        "--lm",
        session.folder / "labels.arpa",
        "--no-refine",
    ]
    with open(tmp_path / "model", "wb") as file:
        command = [sys.executable, "-m", "ventris", *map(str, fit), "--quiet", "-o", "/dev/stdout"]
        done = subprocess.run(command, env=ENVIRONMENT, stdout=file, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 0 and "The model is in /dev/stdout." in done.stderr
    assert vt.load(tmp_path / "model").n_features_in_ == 4
    assert not os.path.exists("/dev/stdout.checkpoint")
    build = start("lm", "build", session.folder / "example" / "labels.txt", "--json", "-o", "/dev/stdout")
    out, err = build.communicate(timeout=60)
    assert out.startswith("\\data\\") and out.endswith("\\end\\\n") and '"written": "/dev/stdout"' in err


def test_a_gigabyte_is_mapped_and_never_loaded(tmp_path):
    """The process may have 600 MB of its own; pages of the file are not its own, a copy of it would be."""
    rng = np.random.default_rng(0)
    chain = vt.NgramModel.from_transition_matrix([[0.1, 0.9], [0.7, 0.3]])
    X = rng.standard_normal((500, 1024)).astype(np.float32)
    clf = vt.SequenceClassifier(chain, method="full-batch", n_init=1, max_iter=2, random_state=0)
    with pytest.warns(VentrisWarning):  # what it learns does not matter here
        clf.fit(X)
    clf.save(tmp_path / "m")
    shape = (2**18, 1024)
    points = np.lib.format.open_memmap(tmp_path / "large.npy", "w+", np.float32, shape)  # sparse: no disk
    points[-2:] = X[:2]
    points.flush()
    del points
    assert (tmp_path / "large.npy").stat().st_size > 2**30

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_DATA, (600 * 2**20, 600 * 2**20))

    done = start(
        "predict", tmp_path / "m", tmp_path / "large.npy", "-o", tmp_path / "p.csv", preexec_fn=limit
    )
    _, err = done.communicate(timeout=120)
    assert done.returncode == 0, err
    labels = (tmp_path / "p.csv").read_text().splitlines()[1:]
    assert len(labels) == shape[0]
    assert labels[-2:] == [f"0,{label}" for label in vt.load(tmp_path / "m").predict(X[:2])]
    copied = subprocess.run(
        [sys.executable, "-c", "import numpy; numpy.ones(2**30, numpy.uint8)"],
        preexec_fn=limit,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
    )
    assert "MemoryError" in copied.stderr  # the limit is one
