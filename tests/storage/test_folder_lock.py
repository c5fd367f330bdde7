"""A folder has one holder at a time, whatever became of the one before."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import ventris as vt
from ventris.errors import FileFormatError, InUseError, ParameterError
from ventris.storage import folder_lock
from ventris.storage.folder_lock import hold_folder

CHAIN = vt.datasets.make_paper_chain(2, n_samples=3_000, random_state=0)
HOLDER = """
import sys
from ventris.storage.folder_lock import hold_folder
with hold_folder(sys.argv[1]):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def holder(tmp_path):
    """Another process that holds a folder until its standard input is closed."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path / "c")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "held\n"
    yield process
    process.communicate()


def fit(folder: Path) -> vt.SequenceClassifier:
    clf = vt.SequenceClassifier(CHAIN.lm, n_init=2, refine=False, checkpoint=folder, random_state=0)
    return clf.fit(CHAIN.train.X)


def test_another_process_is_refused_and_told_whose_it_is_until_that_lets_go(tmp_path, holder):
    folder = tmp_path / "c"
    with pytest.raises(InUseError) as caught:
        fit(folder)
    assert str(caught.value).startswith(f"{folder} must be free for this fit, but process {holder.pid} on ")
    assert [file.name for file in folder.iterdir()] == ["lock"]  # nothing of the second one's
    holder.communicate()
    fit(folder)
    assert not (folder / "lock").exists() and (folder / "manifest.json").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
def test_a_process_ended_by_kill_9_holds_nothing(tmp_path, holder):
    holder.send_signal(signal.SIGKILL)
    holder.wait()
    assert (tmp_path / "c" / "lock").exists()  # it had no time to remove it
    with hold_folder(tmp_path / "c"):
        assert str(os.getpid()) in (tmp_path / "c" / "lock").read_text()
    assert not (tmp_path / "c" / "lock").exists()


def test_another_thread_is_refused_and_the_same_one_may_enter_again(tmp_path):
    said: list[str] = []

    def try_it() -> None:
        try:
            fit(tmp_path)
        except InUseError as error:
            said.append(str(error))

    with hold_folder(tmp_path):
        thread = threading.Thread(target=try_it)
        thread.start()
        thread.join()
        fit(tmp_path)
        assert (tmp_path / "lock").exists()  # what was entered twice is left twice
    assert len(said) == 1 and f"process {os.getpid()} " in said[0]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")
def test_a_fork_is_another_process(tmp_path):
    with hold_folder(tmp_path):
        child = os.fork()
        if child == 0:
            try:
                with hold_folder(tmp_path):
                    os._exit(0)
            except InUseError:
                os._exit(7)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7


def test_an_error_inside_lets_go(tmp_path):
    with pytest.raises(KeyboardInterrupt), hold_folder(tmp_path):
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []
    with hold_folder(tmp_path):
        pass


def test_a_lock_file_removed_while_it_was_opened_is_not_taken_for_the_lock(tmp_path, monkeypatch):
    """The holder leaves between our opening its file and our locking it: that file has no name any more."""
    lock, tries = folder_lock._lock, []

    def late(descriptor: int) -> None:
        tries.append(descriptor)
        if len(tries) == 1:
            (tmp_path / "lock").unlink()
        lock(descriptor)

    monkeypatch.setattr(folder_lock, "_lock", late)
    with hold_folder(tmp_path):
        assert len(tries) == 2
        with pytest.raises(InUseError):
            folder_lock._acquire(tmp_path)


def test_a_lock_file_somebody_put_in_place_of_ours_is_not_removed(tmp_path):
    with hold_folder(tmp_path):
        (tmp_path / "lock").unlink()
        (tmp_path / "lock").write_text("another's")
    assert (tmp_path / "lock").read_text() == "another's"


def test_a_file_system_without_locks_is_worked_on_without(tmp_path, monkeypatch):
    def none(descriptor: int) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(folder_lock, "_lock", none)
    with hold_folder(tmp_path):
        fit(tmp_path)
    assert (tmp_path / "manifest.json").exists()


def test_a_file_in_the_way_and_a_folder_that_takes_no_files_are_refused(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with (
        pytest.raises(ParameterError, match=r"file must be a folder, but .* is a file"),
        hold_folder(tmp_path / "file"),
    ):
        pass
    (tmp_path / "c" / "lock").mkdir(parents=True)
    with (
        pytest.raises(FileFormatError, match="c must take new files, but it does not"),
        hold_folder(tmp_path / "c"),
    ):
        pass


def test_none_holds_nothing():
    with hold_folder(None):
        pass
