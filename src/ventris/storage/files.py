"""Writing files so that nothing is ever lost: all of the new file, or the old one untouched.

What is found in a file's place decides how it is written. A file is replaced whole, and links that lead to it
stay; a device, a FIFO and an open descriptor such as /dev/stdout are written into, since nothing can take
their place; what can take no file is refused with a sentence.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from ventris.errors import DataTypeError, FileFormatError, ParameterError

_MOST_LINKS = 40  # as many as Linux follows


def as_path(path: str | os.PathLike[str]) -> Path:
    """A path that can be handed to the operating system, or the reason it cannot.

    Examples
    --------
    >>> as_path(None)
    Traceback (most recent call last):
    ...
    ventris.errors.DataTypeError: A path must be a str or a pathlib.Path, but it is a NoneType. Name a file.
    """
    if not isinstance(path, str | os.PathLike):
        raise DataTypeError(
            "A path must be a str or a pathlib.Path", f"it is a {type(path).__name__}", "Name a file"
        )
    if "\0" in os.fspath(path):
        raise FileFormatError(
            "A path must be a name the system can hold", f"{path!r} has a null in it", "Check the name"
        )
    return Path(path)


def make_folder(path: str | os.PathLike[str]) -> Path:
    """The folder of this name, made with those above it if it is not there."""
    folder = as_path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        blocking = next(part for part in (folder, *folder.parents) if part.exists())
        raise ParameterError(
            f"{folder} must be a folder", f"{blocking} is a file", "Choose another path"
        ) from None
    return folder


# ----------------------------------------------------------------------------------------- what is there


@dataclass(frozen=True)
class Target:
    """Where a path leads.

    Attributes
    ----------
    name : Path
        As it was given.
    into : Path or int, optional
        A device, a FIFO or the number of an open descriptor, to be written into.
    file : Path, optional
        Otherwise: the file to make or to replace, no link itself.
    kept : stat result, optional
        Of the file that is there already.
    """

    name: Path
    into: Path | int | None = None
    file: Path | None = None
    kept: os.stat_result | None = None


def find_target(path: str | os.PathLike[str], *, force: bool = True) -> Target:
    """What writing to `path` will write to, or the reason why nothing can be written.

    Parameters
    ----------
    path : path
    force : bool, default True
        Whether what is there may be lost: an existing file, the content of a disk. Character devices, FIFOs
        and open descriptors lose nothing.

    Examples
    --------
    >>> import tempfile
    >>> find_target(tempfile.gettempdir())
    Traceback (most recent call last):
    ...
    ventris.errors.FileFormatError: ... must be a file, but it is a folder. Choose another name.
    """
    name = as_path(path)
    place = _follow(name)
    if isinstance(place, int):
        return Target(name, into=place)
    there = _status(place)
    if there is None:
        _check_folder(place.parent)
        return Target(name, file=place)
    _check_kind(name, there.st_mode, force)
    if not os.access(place, os.W_OK):
        raise FileFormatError(f"{name} must be writable", "it is not", "Choose another name")
    if not stat.S_ISREG(there.st_mode):
        return Target(name, into=place)
    _check_folder(place.parent)
    return Target(name, file=place, kept=there)


def _follow(path: Path) -> Path | int:
    """Where links lead: to what is no link, be it there or not, or to an open descriptor."""
    place = path
    for _ in range(_MOST_LINKS):
        number = _descriptor(place)
        if number is not None:
            _check_open(path, number)
            return number
        if not place.is_symlink():
            return place
        after = place.parent / os.readlink(place)
        if place.exists() and not os.path.lexists(after):  # another process's pipe, which has no path
            return place
        place = after
    raise FileFormatError(f"{path} must lead to a file", "it leads in a circle", "Choose another name")


def _descriptor(path: Path) -> int | None:
    """The number of a descriptor of this process; opened anew by its name, it would begin at its start."""
    if not path.name.isdecimal():
        return None
    folder = os.path.realpath(path.parent)  # /proc/self is a link, and /dev/fd one to it
    named = re.fullmatch(rf"/dev/fd|/proc/{os.getpid()}(/task/\d+)?/fd", folder)
    return int(path.name) if named else None


def _status(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except OSError:  # nothing there, a link into a circle, or a folder that may not be entered
        return None


def _check_open(path: Path, number: int) -> None:
    try:
        os.fstat(number)
    except OSError:
        raise FileFormatError(
            f"{path} must be open", f"descriptor {number} is not open", "Name a file"
        ) from None


def _check_kind(name: Path, mode: int, force: bool) -> None:
    if stat.S_ISDIR(mode) or stat.S_ISSOCK(mode):
        what = "folder" if stat.S_ISDIR(mode) else "socket"
        raise FileFormatError(f"{name} must be a file", f"it is a {what}", "Choose another name")
    if (stat.S_ISREG(mode) or stat.S_ISBLK(mode)) and not force:
        raise FileFormatError(
            f"{name} must not exist yet", "it does", "Choose another name, or allow overwriting (--force)"
        )


def _check_folder(folder: Path) -> None:
    if not folder.is_dir():
        raise FileFormatError(f"{folder} must be a folder", "it is not", "Create it first")
    if not os.access(folder, os.W_OK):
        raise FileFormatError(f"The folder {folder} must be writable", "it is not", "Choose another")


# ----------------------------------------------------------------------------------------------- writing


@contextmanager
def atomic_path(path: str | os.PathLike[str], *, force: bool = True) -> Iterator[Path]:
    """A temporary path, whose content reaches `path` when the block ends without an error.

    A file is replaced by renaming: readers see all of the old one or all of the new one. What is written into
    (a device, a FIFO, an open descriptor) gets everything at the end of the block, and nothing if it fails.

    Parameters
    ----------
    path : path
    force : bool, default True
        Whether an existing file may be replaced.

    Examples
    --------
    >>> folder = Path(tempfile.mkdtemp())
    >>> with atomic_path(folder / "labels.txt") as temporary:
    ...     _ = temporary.write_text("a b a")
    >>> [file.name for file in folder.iterdir()]
    ['labels.txt']
    """
    target = find_target(path, force=force)
    temporary = _temporary(target.file)
    try:
        yield temporary
        if target.file is None:
            _pour(temporary, target)
        else:
            _dress(temporary, target.kept)
            _rename(temporary, target.file)
    finally:
        temporary.unlink(missing_ok=True)


def _temporary(file: Path | None) -> Path:
    """An empty file beside `file`, so that it can be renamed to it, or in the system's folder for such."""
    if file is None:
        handle, name = tempfile.mkstemp()
    else:
        try:
            handle, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
        except (FileNotFoundError, PermissionError):
            raise FileFormatError(
                f"The folder {file.parent} must take new files", "it does not", "Choose another"
            ) from None
    os.close(handle)
    return Path(name)


def _dress(temporary: Path, kept: os.stat_result | None) -> None:
    """Give a file the mode of the one it replaces, and its owner if we may; a new one follows the umask."""
    if kept is None:
        os.chmod(temporary, 0o666 & ~_umask())
        return
    if hasattr(os, "chown"):
        with suppress(OSError):  # only root may give files away
            os.chown(temporary, kept.st_uid, kept.st_gid)
    os.chmod(temporary, stat.S_IMODE(kept.st_mode))


def _rename(temporary: Path, file: Path) -> None:
    try:
        os.replace(temporary, file)
    except OSError as problem:  # a mount point, a file another program has open on Windows
        raise FileFormatError(
            f"{file} must let a new file take its place",
            f"it does not: {problem.strerror}",
            "Choose another name",
        ) from None


def _pour(temporary: Path, target: Target) -> None:
    """Write what a temporary file holds into a device, a FIFO or an open descriptor."""
    assert target.into is not None
    into = os.dup(target.into) if isinstance(target.into, int) else target.into
    try:
        with temporary.open("rb") as source, open(into, "wb") as sink:
            shutil.copyfileobj(source, sink)
    except OSError as problem:
        raise FileFormatError(
            f"{target.name} must take what is written to it",
            f"it does not: {problem.strerror}",
            "Choose another name",
        ) from None


def _umask() -> int:
    """The process's umask; it can only be read by setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
