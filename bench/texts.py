"""English text found on the machine at run time: nothing is shipped, nothing is fetched."""

from __future__ import annotations

import ast
import re
import string
import sysconfig
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from ventris.datasets.letters import BREAK, fold_text
from ventris.errors import DataError

LICENCES = Path("/usr/share/common-licenses")  # where Debian's policy puts them


@cache
def language_reference() -> str:
    """The prose of Python's language reference, from `pydoc_data.topics`: technical, 277,000 letters."""
    from pydoc_data.topics import topics

    return _folded(_prose("\n\n".join(topics[name] for name in sorted(topics))))


@cache
def docstrings() -> str:
    """The prose in the docstrings of Python's standard library: technical, some 470,000 letters."""
    files = sorted(Path(sysconfig.get_path("stdlib")).glob("*.py"))
    return _folded(_prose("\n\n".join(text for file in files for text in _docstrings_of(file))))


@cache
def licences() -> str:
    """The free licences of a Debian system: legal prose, 220,000 letters."""
    files = sorted(file for file in LICENCES.glob("*") if file.is_file() and not file.is_symlink())
    if not files:
        raise DataError(
            f"{LICENCES} must hold licences", "there are none", "Run on Debian or one of its derivatives"
        )
    return _folded("\n\n".join(file.read_text(encoding="utf-8", errors="replace") for file in files))


def _docstrings_of(file: Path) -> Iterator[str]:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            yield ast.get_docstring(node) or ""


def _prose(text: str) -> str:
    """Paragraphs that end in a full stop and are no grammar and no code."""
    paragraphs = (paragraph.strip() for paragraph in re.split(r"\n\s*\n", text))
    return "\n\n".join(p for p in paragraphs if _is_prose(p))


def _is_prose(paragraph: str) -> bool:
    ends = paragraph.endswith((".", '."', ".)"))
    return ends and len(paragraph.split()) >= 12 and "::=" not in paragraph and ">>>" not in paragraph


def _folded(text: str) -> str:
    return fold_text(text, string.ascii_lowercase).replace(BREAK, " ")
