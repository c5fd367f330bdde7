"""Texts in and out: files and pipes, their line ends as they are."""

from __future__ import annotations

import codecs
import sys
from io import TextIOWrapper
from pathlib import Path

STANDARD_INPUT = Path("-")


def read_text(file: Path, encoding: str | None = None) -> str:
    """The text, its line ends as they are."""
    from ventris.errors import DataError

    try:
        if file != STANDARD_INPUT:
            return _decoded(file.read_bytes(), encoding)
        if sys.stdin is None:
            raise OSError("it is closed")
        typed = getattr(sys.stdin, "buffer", None)  # a stream of text alone has none, and is text already
        return sys.stdin.read() if typed is None else _decoded(typed.read(), encoding)
    except (OSError, UnicodeError, LookupError) as error:
        name = "standard input" if file == STANDARD_INPUT else file
        raise DataError(
            f"{name} must be a text file in {encoding or 'UTF-8'}",
            str(error),
            "Check its name and --encoding",
        ) from None


def _decoded(data: bytes, encoding: str | None) -> str:
    """Bytes as text: in the encoding given, in that of a mark at their beginning, or in UTF-8."""
    if encoding is None:
        marked = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
        encoding = "utf-16" if marked else "utf-8"
    return data.decode(encoding)


def print_text(text: str) -> None:
    """Text to standard output, its line ends as they are on every system."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(newline="")
    sys.stdout.write(text)
    sys.stdout.flush()
