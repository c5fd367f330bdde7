"""Processes that die, full disks, folders that cannot be written, inputs that vanish, hostile files."""

from __future__ import annotations

import json
import os
import resource
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from reliability.bad_input.files import CASES as FILE_CASES
from reliability.case import Case, Desk, at, command, desk
from reliability.killing import killed
from reliability.material import LM, X, arpa_file, fit, fitted, model_file, points_file
from reliability.tally import Group, Tally, of_cases
from ventris.errors import FileFormatError
from ventris.readers import read_data
from ventris.storage.checkpoint import Checkpoint

ABOUT = (
    "A fit with checkpoints is killed (SIGKILL) at random moments and taken up again: weights, outputs "
    "and report must equal those of a fit unbroken, bit for bit. A full disk is a limit on the size of "
    "files (RLIMIT_FSIZE: the system refuses the bytes beyond it); a read-only folder is one without the "
    "right to write, entered as an unprivileged user where the tests run as root. Old files must stay as "
    "they are and nothing half-written may be left. Pickles that would run code are put in the place of "
    "every file read."
)
_NOBODY = 65_534


# ------------------------------------------------------------------------------------------- full disk


@contextmanager
def full_disk(n_bytes: int = 100) -> Iterator[None]:
    """No file can grow beyond so many bytes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def _on_a_full_disk(write: Callable[[Path], object]) -> Callable[[Desk], object]:
    def attempt(desk: Desk) -> object:
        with full_disk():
            return write(desk.made / "old")

    return attempt


def _fit_on_a_full_disk(desk: Desk) -> object:
    fit(checkpoint=desk.given)  # whole states to lose
    states = {path.name: path.read_bytes() for path in desk.given.iterdir()}
    try:
        with full_disk():
            kept = Checkpoint(desk.given, _manifest(desk.given))
            kept.store("route", {"w": X}, {})
    finally:
        assert {path.name: path.read_bytes() for path in desk.given.iterdir()} == states, "a state was lost"
    return None


def _manifest(folder: Path) -> dict[str, Any]:
    return json.loads((folder / "manifest.json").read_text())["fingerprint"]


def _command_on_a_full_disk(line: str) -> Callable[[Desk], object]:
    def attempt(desk: Desk) -> object:
        _files(desk)
        with full_disk():
            return command(*at(desk, line))

    return attempt


def _files(desk: Desk) -> None:
    model_file(desk.given)
    arpa_file(desk.given)
    points_file(desk.given)
    (desk.given / "labels.txt").write_text("a b b a b a a b\n" * 50)
    (desk.given / "truth.txt").write_text("0\n" * len(X))


PREDICT = "predict {given}/model.ventris {given}/points.npy -o {made}/old --force"
BUILD = "lm build {given}/labels.txt -o {made}/old --force"
FIT = (
    "fit {given}/points.npy --lm {given}/labels.arpa -o {made}/old --force --quiet --n-init 2 "
    "--checkpoint {given}/state"
)
PLOT = (
    "evaluate {given}/model.ventris {given}/points.npy --labels {given}/truth.txt --plot {made}/old --force"
)
FULL_DISK = [
    Case("saving a model", _on_a_full_disk(lambda path: fitted().save(path)), OSError, "File too large"),
    Case("writing a label model", _on_a_full_disk(LM.to_arpa), OSError, "File too large"),
    Case("keeping a checkpoint", _fit_on_a_full_disk, OSError, "File too large"),
    Case("ventris predict", _command_on_a_full_disk(PREDICT), 1, "File too large"),
    Case("ventris lm build", _command_on_a_full_disk(BUILD), 1, "File too large"),
    Case("ventris fit", _command_on_a_full_disk(FIT), 1, "File too large"),
    Case("ventris evaluate --plot", _command_on_a_full_disk(PLOT), 1, "File too large"),
]


# ------------------------------------------------------------------------------------ read-only folders


@contextmanager
def unprivileged(desk: Desk) -> Iterator[None]:
    """The folder for output is read-only, and we are someone whom that binds: root may write anywhere."""
    desk.made.parent.chmod(0o755)
    desk.given.chmod(0o777)
    desk.made.chmod(0o555)
    root = os.getuid() == 0
    if root:
        os.setresuid(_NOBODY, _NOBODY, 0)
    try:
        yield
    finally:
        if root:
            os.setresuid(0, 0, 0)
        desk.made.chmod(0o755)


def _read_only(attempt: Callable[[Desk], object]) -> Callable[[Desk], object]:
    def inside(place: Desk) -> object:
        _files(place)
        with desk() as other, suppress(Exception):
            _files(other)
            attempt(other)  # whatever it imports is imported now: an unprivileged user may not be able to
        with unprivileged(place):
            return attempt(place)

    return inside


def _read_only_command(line: str) -> Callable[[Desk], object]:
    return _read_only(lambda desk: command(*at(desk, line)))


READ_ONLY = [
    Case(
        "saving a model", _read_only(lambda desk: fitted().save(desk.made / "m")), FileFormatError, "writable"
    ),
    Case(
        "saving over a model",
        _read_only(lambda desk: fitted().save(desk.made / "old")),
        FileFormatError,
        "writable",
    ),
    Case("writing a label model", _read_only(lambda desk: LM.to_arpa(desk.made / "l")), FileFormatError),
    Case("beginning a checkpoint", _read_only(lambda desk: fit(checkpoint=desk.made / "c")), PermissionError),
    Case("ventris predict", _read_only_command(PREDICT), 1, "must be writable"),
    Case("ventris lm build", _read_only_command(BUILD), 1, "must be writable"),
    Case("ventris fit", _read_only_command(FIT), 1, "must be writable"),
]


# --------------------------------------------------------------------------------------- vanished input


def _vanished(line: str, name: str) -> Callable[[Desk], object]:
    def attempt(desk: Desk) -> object:
        _files(desk)
        (desk.given / name).unlink()
        return command(*at(desk, line))

    return attempt


def _vanishes_while_mapped(desk: Desk) -> object:
    read = read_data(points_file(desk.given))
    (desk.given / "points.npy").unlink()
    return fit(read.sequences)


def _checkpoint_vanishes(desk: Desk) -> object:
    """The folder is removed when the first state has been kept."""
    fit(checkpoint=desk.given / "c")
    kept = Checkpoint(desk.given / "c", _manifest(desk.given / "c"))
    shutil.rmtree(desk.given / "c")
    kept.store("route", {"w": X}, {})
    return None


VANISHED = [
    Case("points, ventris predict", _vanished(PREDICT, "points.npy"), 1, "no such"),
    Case("model, ventris predict", _vanished(PREDICT, "model.ventris"), 1, "no such"),
    Case("points, ventris fit", _vanished(FIT, "points.npy"), 1, "no such"),
    Case("label model, ventris fit", _vanished(FIT, "labels.arpa"), 1, "no such"),
    Case("labels, ventris lm build", _vanished(BUILD, "labels.txt"), 1, "no such"),
    Case("true labels, ventris evaluate", _vanished(PLOT, "truth.txt"), 1, "no such"),
    Case("points, once they are mapped", _vanishes_while_mapped),
    Case("the checkpoint's folder", _checkpoint_vanishes, FileFormatError, "must be a folder"),
]
HOSTILE = [case for case in FILE_CASES if "pickle" in case.name or "run code" in case.name]


def quick_groups() -> list[Group]:
    """All but the killing."""
    return [
        of_cases("full disk: old output intact", FULL_DISK),
        of_cases("read-only folder: old output intact", READ_ONLY),
        of_cases("vanished input: old output intact", VANISHED),
        of_cases("files that would run code when unpickled", HOSTILE),
    ]


def run(n_kills: int = 20) -> Tally:
    """Everything that can happen to a process and its files."""
    return Tally("faults", ABOUT, [killed(n_kills), *quick_groups()])
