"""What a chapter is made of: paragraphs, code, figures, scenes, tables. One story, two renderings."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ventris.paper.tables import Table
from ventris.paper.units import Plain


@dataclass(frozen=True)
class Text:
    """A paragraph: `code`, **strong**, *emphasis* and [links](address) as in Markdown."""

    text: str


@dataclass(frozen=True)
class Formula:
    """A line that stands alone."""

    text: str


@dataclass(frozen=True)
class Code:
    """A snippet that ran, and what it printed."""

    name: str


@dataclass(frozen=True)
class Picture:
    """A figure with its caption; `turns` if it can also be turned by hand."""

    name: str
    caption: str
    turns: bool = False


@dataclass(frozen=True)
class Tabled:
    """A table."""

    name: str


@dataclass(frozen=True)
class Sources:
    """The functions that Table 4 names."""


Block = Text | Formula | Code | Picture | Tabled | Sources


@dataclass(frozen=True)
class Chapter:
    """A title and its blocks."""

    anchor: str
    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Content:
    """All that the story is told from.

    Attributes
    ----------
    data : dict
        Unit → what it computed.
    tables : dict of Table
    figures : tuple of str
        Names of the files in `folder`, without their ending.
    scenes : dict
        Plotly traces and layout by figure.
    environment : dict
    folder : path
    """

    data: dict[str, Plain]
    tables: dict[str, Table]
    figures: tuple[str, ...]
    scenes: dict[str, dict[str, Any]]
    environment: dict[str, Any]
    folder: Path

    def has(self, *units: str) -> bool:
        """Whether these units were computed."""
        return all(unit in self.data for unit in units)
