"""Opening text files: UTF-8 with or without a mark, `-` for standard input; complaints name the place."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
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
