"""A file is written whole or not at all, and through what is found in its place."""

from __future__ import annotations

import ast
import os
import re
import socket
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import ventris as vt
from ventris.errors import FileFormatError, ParameterError
from ventris.storage.files import atomic_path, find_target, make_folder

posix = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such files")


def write(path: Path | str, text: str = "new", *, force: bool = True) -> None:
    with atomic_path(path, force=force) as temporary:
        temporary.write_text(text)


def refusal(path: Path | str, *, force: bool = True) -> str:
    """What is said to who wants to write there; nothing may be left behind."""
    with pytest.raises(FileFormatError) as caught:
        write(path, force=force)
    return str(caught.value)


def test_the_new_file_replaces_the_old_one(tmp_path):
    target = tmp_path / "model.txt"
    target.write_text("old")
    with atomic_path(target) as temporary:
        temporary.write_text("new")
        assert target.read_text() == "old"  # until the block ends, readers see the old one
    assert target.read_text() == "new"
    assert os.listdir(tmp_path) == ["model.txt"]


def test_an_error_leaves_the_old_file_and_no_debris(tmp_path):
    target = tmp_path / "model.txt"
    target.write_text("old")
    with pytest.raises(KeyboardInterrupt), atomic_path(target) as temporary:
        temporary.write_text("half of the n")
        raise KeyboardInterrupt
    assert target.read_text() == "old"
    assert os.listdir(tmp_path) == ["model.txt"]


def test_others_may_read_what_the_umask_allows(tmp_path):
    before = os.umask(0o027)
    try:
        with atomic_path(tmp_path / "model.txt") as temporary:
            temporary.write_text("new")
        assert os.umask(0o027) == 0o027  # reading the umask did not change it
    finally:
        os.umask(before)
    assert (tmp_path / "model.txt").stat().st_mode & 0o777 == 0o640


def test_an_existing_file_is_kept_unless_overwriting_is_allowed(tmp_path):
    target = tmp_path / "model.txt"
    target.write_text("old")
    with pytest.raises(FileFormatError) as caught, atomic_path(target, force=False):
        pass
    assert str(caught.value) == (
        f"{target} must not exist yet, but it does. Choose another name, or allow overwriting (--force)."
    )
    assert target.read_text() == "old"


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(FileFormatError) as caught, atomic_path(tmp_path / "none" / "model.txt"):
        pass
    assert str(caught.value) == f"{tmp_path / 'none'} must be a folder, but it is not. Create it first."


# ---------------------------------------------------------------------------------- what is found there


def test_a_file_that_is_replaced_keeps_its_mode(tmp_path):
    target = tmp_path / "model.txt"
    target.write_text("old")
    target.chmod(0o600)
    write(target)
    assert target.read_text() == "new" and stat.S_IMODE(target.stat().st_mode) == 0o600


@posix
def test_links_are_followed_to_their_file_which_is_replaced(tmp_path):
    (tmp_path / "store").mkdir()
    target, first, second = tmp_path / "store" / "model-7", tmp_path / "a", tmp_path / "b"
    first.symlink_to("b")
    second.symlink_to(Path("store") / "model-7")
    write(first, force=False)  # a link that leads nowhere is no file to be lost
    assert target.read_text() == "new"
    before = target.stat().st_ino
    assert "must not exist yet" in refusal(first, force=False)
    write(first, "newer")
    assert target.read_text() == "newer" and target.stat().st_ino != before  # whole, so another file
    assert first.is_symlink() and second.is_symlink()
    assert sorted(os.listdir(tmp_path)) == ["a", "b", "store"]
    assert os.listdir(tmp_path / "store") == ["model-7"]


@posix
def test_links_in_a_circle_to_a_folder_or_to_no_folder_are_refused(tmp_path):
    for name, leads_to in (("a", "b"), ("b", "a"), ("up", "."), ("away", "none/model")):
        (tmp_path / name).symlink_to(leads_to)
    assert "must lead to a file, but it leads in a circle" in refusal(tmp_path / "a")
    assert "up must be a file, but it is a folder" in refusal(tmp_path / "up")
    assert "none must be a folder, but it is not" in refusal(tmp_path / "away")
    assert sorted(os.listdir(tmp_path)) == ["a", "away", "b", "up"]


def null_device(folder: Path) -> Path:
    """A device of the test's own, so that a failure cannot take the machine's."""
    path = folder / "null"
    try:
        os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 3))
        path.write_bytes(b"")
    except (AttributeError, OSError) as problem:
        pytest.skip(f"this process may not make or use a device: {problem}")
    return path


@pytest.mark.skipif(sys.platform != "linux", reason="device numbers are Linux's")
@pytest.mark.parametrize("force", [True, False])
def test_a_device_is_written_into_and_stays_a_device(tmp_path, force):
    device = null_device(tmp_path)
    write(device, force=force)
    assert stat.S_ISCHR(device.lstat().st_mode) and os.listdir(tmp_path) == ["null"]


@pytest.mark.skipif(sys.platform != "linux", reason="device numbers are Linux's")
def test_a_classifier_saved_to_a_device_leaves_the_device(tmp_path):
    device = null_device(tmp_path)
    chain = vt.datasets.make_paper_chain(2, n_samples=3_000, random_state=0)
    clf = vt.SequenceClassifier(chain.lm, n_init=2, refine=False, random_state=0).fit(chain.train.X)
    clf.save(device)
    assert stat.S_ISCHR(device.lstat().st_mode) and os.listdir(tmp_path) == ["null"]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
def test_a_device_that_takes_nothing_says_why():
    assert refusal("/dev/full") == (
        "/dev/full must take what is written to it, but it does not: No space left on device. "
        "Choose another name."
    )


@posix
@pytest.mark.parametrize("force", [True, False])
def test_a_fifo_hands_everything_to_its_reader(tmp_path, force):
    pipe, read = tmp_path / "pipe", []
    os.mkfifo(pipe)
    text = "0123456789" * 100_000  # more than a pipe holds at once
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    write(pipe, text, force=force)
    reader.join(30)
    assert read == [text] and stat.S_ISFIFO(pipe.lstat().st_mode) and os.listdir(tmp_path) == ["pipe"]


@posix
def test_a_fifo_gets_nothing_of_what_failed_half_way(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    end = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        with pytest.raises(KeyboardInterrupt), atomic_path(pipe) as temporary:
            temporary.write_text("half of the n")
            raise KeyboardInterrupt
        assert os.read(end, 100) == b""
    finally:
        os.close(end)


@posix
def test_a_reader_that_leaves_early_is_told_of(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: pipe.open("rb").close())
    reader.start()
    with pytest.raises(FileFormatError, match="it does not: Broken pipe"):
        write(pipe, "0123456789" * 100_000)
    reader.join(30)


@posix
def test_a_socket_is_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # a socket's path may have about a hundred bytes
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("s")
        assert refusal("s") == "s must be a file, but it is a socket. Choose another name."
        assert stat.S_ISSOCK(os.lstat("s").st_mode)


@posix
@pytest.mark.parametrize("folder", ["/dev/fd", "/proc/self/fd"])
def test_an_open_descriptor_is_written_into_where_it_is(tmp_path, folder):
    """A shell's `> file` is appended to, not replaced under the shell's hands."""
    if not os.path.isdir(folder):
        pytest.skip(f"there is no {folder}")
    with open(tmp_path / "log", "wb") as file:
        file.write(b"head\n")
        file.flush()
        write(f"{folder}/{file.fileno()}", "body\n", force=False)
        file.write(b"tail\n")
    assert (tmp_path / "log").read_bytes() == b"head\nbody\ntail\n"


@posix
def test_descriptors_that_are_sockets_take_it_and_closed_or_read_only_ones_do_not(tmp_path):
    ours, theirs = socket.socketpair()
    with ours, theirs:
        write(f"/dev/fd/{ours.fileno()}")
        assert theirs.recv(10) == b"new"
    (tmp_path / "log").write_text("old")
    with open(tmp_path / "log", "rb") as file:
        assert "must take what is written to it, but it does not" in refusal(f"/dev/fd/{file.fileno()}")
    assert "is not open" in refusal("/dev/fd/9999")
    assert (tmp_path / "log").read_text() == "old"


@posix
@pytest.mark.parametrize("to_file", [True, False])
def test_standard_output_is_known_and_appended_to(tmp_path, to_file):
    code = """
from ventris.storage.files import atomic_path, find_target
print(find_target('/dev/stdout').into, flush=True)
with atomic_path('/dev/stdout') as temporary:
    temporary.write_text('new')
"""
    with open(tmp_path / "out", "w+") as file:
        output = file if to_file else subprocess.PIPE
        done = subprocess.run([sys.executable, "-c", code], stdout=output, text=True, timeout=60, check=True)
        file.seek(0)
        assert (file.read() if to_file else done.stdout) == "1\nnew"


def test_what_may_not_be_written_is_refused_before_any_work(tmp_path, monkeypatch):
    target = tmp_path / "model.txt"
    target.write_text("old")
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) == tmp_path)  # root may write anything
    assert "model.txt must be writable, but it is not" in refusal(target)
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    assert f"The folder {tmp_path} must be writable, but it is not" in refusal(tmp_path / "other.txt")
    assert target.read_text() == "old" and os.listdir(tmp_path) == ["model.txt"]


@pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's")
def test_a_folder_that_takes_no_files_is_refused_with_a_sentence():
    assert re.match(r"The folder /proc/self must .*, but it (is|does) not\. ", refusal("/proc/self/model"))


def test_a_target_is_where_links_lead(tmp_path):
    assert find_target(tmp_path / "model").file == tmp_path / "model"
    (tmp_path / "link").symlink_to("model")
    assert find_target(tmp_path / "link").file == tmp_path / "model"
    if os.path.exists("/dev/stdout"):
        assert find_target("/dev/stdout").file is None


def test_a_folder_is_made_with_those_above_it_unless_a_file_is_in_the_way(tmp_path):
    assert make_folder(tmp_path / "a" / "b").is_dir() and make_folder(str(tmp_path)) == tmp_path
    (tmp_path / "file").write_text("in the way")
    for path in (tmp_path / "file", tmp_path / "file" / "b"):
        with pytest.raises(
            ParameterError, match=r"b? must be a folder, but .*file is a file\. Choose another"
        ):
            make_folder(path)


# ------------------------------------------------------------------------------------------ every writer


SOURCE = Path(vt.__file__).parent
WRITERS = {"write_text", "write_bytes", "savefig", "to_csv", "tofile", "save_file"}
BARRED = {"replace", "rename", "mkstemp", "NamedTemporaryFile"}  # of os and tempfile
# This module itself, and a server's own folder, new for each file: nothing can be there yet.
OWN = {"storage/files.py", "web/uploads.py", "web/app.py"}


def is_writing(call: ast.Call) -> bool:
    """Whether a call opens or writes a file by its name."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    owner = ast.unparse(call.func.value) if isinstance(call.func, ast.Attribute) else ""
    if name == "open":
        modes = [
            a.value for a in [*call.args, *(k.value for k in call.keywords)] if isinstance(a, ast.Constant)
        ]
        return any(isinstance(mode, str) and re.fullmatch(r"[rwaxbt+]{1,3}", mode) and set(mode) & {*"wax+"}
                   for mode in modes)  # fmt: skip
    if owner in ("os", "tempfile", "shutil"):
        return name in BARRED or (owner == "shutil" and name.startswith(("copy", "move")))
    return (name in WRITERS and bool(call.args)) or (owner == "np" and name.startswith("save"))


def test_everything_that_writes_goes_through_here():
    """Inside its block the path to write to is called `temporary`, what was opened from it `file`."""
    strays = []
    for path in sorted(SOURCE.rglob("*.py")):
        where = path.relative_to(SOURCE).as_posix()
        calls = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)]
        written = [ast.unparse(call) for call in calls if is_writing(call)]
        strays += [
            (where, c) for c in written if where not in OWN and not re.search(r"\b(temporary|file)\b", c)
        ]
    assert strays == []


def test_the_reader_of_writers_sees_what_it_should():
    seen = [
        "open(p, 'w')", "open(p, mode='ab')", "p.open('wb')", "p.write_text(t)", "np.save(p, a)",
        "np.savez(p)", "figure.savefig(p)", "table.to_csv(p)", "os.replace(a, b)", "shutil.move(a, b)",
        "open(p, 'r+b')",
    ]  # fmt: skip
    unseen = ["open(p)", "open(p, 'rb')", "p.open()", "text.replace('a', 'w')", "np.load(p)", "t.to_csv()"]
    assert [is_writing(ast.parse(code).body[0].value) for code in seen] == [True] * len(seen)
    assert [is_writing(ast.parse(code).body[0].value) for code in unseen] == [False] * len(unseen)
