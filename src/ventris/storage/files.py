"""Writing files so that nothing is ever lost: all of the new file, or the old one untouched."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ventris.errors import DataTypeError, FileFormatError


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


@contextmanager
def atomic_path(path: str | os.PathLike[str], *, force: bool = True) -> Iterator[Path]:
    """A temporary path beside `path`, renamed to it when the block ends without an error.

    Parameters
    ----------
    path : path
    force : bool, default True
        Whether an existing file may be replaced.
    """
    target = as_path(path)
    if target.is_dir():
        raise FileFormatError(f"{target} must be a file", "it is a folder", "Choose another name")
    if target.exists() and not force:
        raise FileFormatError(
            f"{target} must not exist yet", "it does", "Choose another name, or allow overwriting (--force)"
        )
    try:
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    except (FileNotFoundError, NotADirectoryError):
        raise FileFormatError(
            f"The folder {target.parent} must exist", "it does not", "Create it first"
        ) from None
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, target)
    finally:
        temporary.unlink(missing_ok=True)


def _umask() -> int:
    """The process's umask; it can only be read by setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
