"""The story: `story.md` with the run's own numbers put in.

A block is shown if everything it names is there: figures, tables, snippets, and {numbers}. So the same text
serves a full run, a quick one, and a part of one, and every number in it comes from the run at hand.
"""

from __future__ import annotations

import re
from pathlib import Path

from ventris.paper.blocks import Block, Chapter, Code, Content, Formula, Picture, Sources, Tabled, Text
from ventris.paper.quoted import quoted_numbers

_FILE = Path(__file__).with_name("story.md")
_HEADING = re.compile(r"^## (\w+): (.+)$")
_DIRECTIVE = re.compile(r"^\[(\w+)(?: ([\w-]+))?\]\s*(.*)$", re.S)


def tell(content: Content) -> list[Chapter]:
    """The chapters that have something to show."""
    numbers = quoted_numbers(content)
    chapters = []
    for part in re.split(r"^(?=## )", _FILE.read_text(encoding="utf-8"), flags=re.M)[1:]:
        heading, *paragraphs = re.split(r"\n\s*\n", part.strip())
        blocks = [block for p in paragraphs if (block := _block(p, content, numbers)) is not None]
        found = _HEADING.match(heading)
        if found and any(not isinstance(block, Text | Formula) for block in blocks):
            chapters.append(Chapter(found[1], found[2], tuple(blocks)))
    return chapters


def _block(paragraph: str, content: Content, numbers: dict[str, str]) -> Block | None:
    """One block, or None if the run has not computed what it shows."""
    if paragraph.startswith("    "):
        return Formula(paragraph.strip())
    directive = _DIRECTIVE.match(paragraph)
    text = _filled(directive[3] if directive else paragraph, numbers)
    if text is None:
        return None
    return _shown(directive[1], directive[2], text, content) if directive else Text(text)


def _filled(text: str, numbers: dict[str, str]) -> str | None:
    """The text on one line with its numbers, or None if one of them is missing.

    Examples
    --------
    >>> _filled("{a} of {b}\\nchains", {"a": "9", "b": "10"}), _filled("{c}", {})
    ('9 of 10 chains', None)
    """
    try:
        return " ".join(text.split("\n")).format_map(numbers)
    except KeyError:
        return None


def _shown(kind: str, name: str, text: str, content: Content) -> Block | None:
    if kind in ("figure", "turning"):
        return Picture(name, text, turns=kind == "turning") if name in content.figures else None
    if kind == "table":
        return Tabled(name) if name in content.tables else None
    if kind == "code":
        return Code(name) if content.has("snippets") else None
    return Sources() if content.has("computation") else None
