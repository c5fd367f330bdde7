"""Paragraphs of plain text out of the file formats that Debian's text packages use."""

from __future__ import annotations

import gettext
import gzip
import html
import re
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path

# Contents that are not prose: programs, commands, keys, navigation.
_DROPPED = re.compile(
    r"<(script|style|head|header|nav|footer|pre|code|tt|kbd|samp|screen|input|cmd|sys|key|keyseq|file|info|aside)"
    r"\b[^>]*(?<!/)>.*?</\1\s*>",
    re.S | re.I,
)
_BLOCK = re.compile(
    r"</?(p|div|li|ul|ol|dl|dt|dd|h\d|td|th|tr|table|br|title|item|section|note|page)\b[^>]*>", re.I
)
_TAG = re.compile(r"<[^>]*>")


def plain(markup: str) -> Iterator[str]:
    """Paragraphs of an HTML or XML page, without tags, code and navigation."""
    text = _TAG.sub("", _BLOCK.sub("\n\n", _DROPPED.sub(" ", markup)))
    return blocks(html.unescape(text))


def blocks(text: str) -> Iterator[str]:
    """Paragraphs of a plain text: what empty lines separate."""
    return (" ".join(block.split()) for block in re.split(r"\n\s*\n", text) if block.strip())


def decode(data: bytes) -> str:
    """Text of a file in UTF-8, or in Latin-1 where it is not."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def read_markup(path: Path) -> Iterator[str]:
    return plain(decode(path.read_bytes()))


def read_text(path: Path) -> Iterator[str]:
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return blocks(decode(data))


def read_fortunes(path: Path) -> Iterator[str]:
    """Quotations of a fortune file, without their authors."""
    if path.suffix in {".dat", ".u8"}:
        return
    for entry in re.split(r"^%.*$", decode(path.read_bytes()), flags=re.M):
        yield " ".join(re.sub(r"^\s*(--|—|―).*\Z", "", entry, flags=re.M | re.S).split())


def read_catalogue(path: Path) -> Iterator[str]:
    """Translations of a gettext catalogue that differ from their originals and hold no variable ($)."""
    for original, translation in _catalogue(path).items():
        if isinstance(original, str) and translation != original and "$" not in translation:
            yield from plain(translation.replace("\\n", "\n"))


def read_originals(path: Path) -> Iterator[str]:
    """English originals of a gettext catalogue; `^` ends the translator's context."""
    for original in _catalogue(path):
        if isinstance(original, str) and original and "$" not in original:
            yield from plain(original.split("\x04")[-1].split("^")[-1])


def _catalogue(path: Path) -> dict:
    with path.open("rb") as file:
        return gettext.GNUTranslations(file)._catalog


def read_sword(path: Path) -> Iterator[str]:
    """Verses of a SWORD module: the index `.bzs` says where each compressed block lies."""
    data, index = path.read_bytes(), path.with_suffix(".bzs").read_bytes()
    for offset, size, _ in struct.iter_unpack("<III", index):
        block = decode(zlib.decompress(data[offset : offset + size]))
        yield from plain(re.sub(r"<note\b.*?</note>", "", block, flags=re.S).replace("\n", "\n\n"))


def read_glosses(path: Path) -> Iterator[str]:
    """Definitions and examples of a WordNet data file: what follows the bar."""
    for line in decode(path.read_bytes()).splitlines():
        if not line.startswith("  ") and " | " in line:
            yield line.split(" | ", 1)[1]
