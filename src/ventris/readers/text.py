"""Opening text files: UTF-8 with or without a mark, `-` for standard input; complaints name the place."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TextIO

from ventris.errors import FileFormatError
from ventris.storage.files import as_path

Location = str | os.PathLike[str]
STDIN = "-"


def is_stdin(path: Location) -> bool:
    """Whether the path stands for standard input."""
    return os.fspath(path) == STDIN


def check_exists(path: Location) -> Path:
    """The path, if there is something there."""
    found = as_path(path)
    if not is_stdin(path) and not found.exists():
        raise FileFormatError(f"{found} must be a file or a folder", "there is no such", "Check the path")
    return found


def stored(path: Location) -> Path:
    """A path to read from: binary data on standard input, which readers must see whole, goes to a file first.

    What they are is told by how they begin: .npy, .npz, .parquet, or a model file. Text is left where it is.
    """
    head = peek_stdin() if is_stdin(path) else b""
    ending = next((name for mark, name in _BEGINNINGS.items() if head.startswith(mark)), None)
    return as_path(path) if ending is None else keep_stdin(ending)


def peek_stdin() -> bytes:
    """How standard input begins, without taking it: as much as came at once; nothing where it is no file."""
    peek = getattr(getattr(sys.stdin, "buffer", None), "peek", None)
    return bytes(peek()) if peek else b""


_BEGINNINGS = {b"\x93NUMPY": ".npy", b"PK": ".npz", b"PAR1": ".parquet"}
_kept: list[TemporaryDirectory[str]] = []  # gone when Python ends


def keep_stdin(ending: str) -> Path:
    """Standard input as a file that lasts as long as the program."""
    folder = TemporaryDirectory(prefix="ventris-")
    _kept.append(folder)
    temporary = Path(folder.name) / f"stdin{ending}"
    with temporary.open("wb") as file:
        shutil.copyfileobj(sys.stdin.buffer, file)
    return temporary


@contextmanager
def open_text(path: Location) -> Iterator[TextIO]:
    """A text file, or standard input for `-`; a file that is not UTF-8 text is refused by name."""
    try:
        if is_stdin(path):
            yield sys.stdin
            return
        with open(check_exists(path), encoding="utf-8-sig", newline="") as file:
            yield file
    except UnicodeDecodeError as problem:
        raise FileFormatError(
            f"{path} must be text in UTF-8", f"byte {problem.start} is not", "Convert it, or check the path"
        ) from None
    except IsADirectoryError:
        raise FileFormatError(f"{path} must be a file", "it is a folder", "Check the path") from None


def lines_of(path: Location) -> Iterator[tuple[int, str]]:
    """The lines that are not blank, with their numbers from 1.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "lines.txt"
    >>> _ = path.write_text("a b\\n\\nc\\n")
    >>> list(lines_of(path))
    [(1, 'a b'), (3, 'c')]
    """
    with open_text(path) as file:
        for number, line in enumerate(file, start=1):
            text = line.rstrip("\r\n")
            if text.strip():
                yield number, text
