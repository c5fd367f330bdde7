"""A table of names and sentences, as a notebook shows it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape

FIRST, QUIET = "font-weight:bold", "opacity:0.65"
STANDS_OUT = "background-color:#ffe9a8;color:#000"  # dark letters on it in a dark notebook too


def html_table(caption: str, rows: Iterable[tuple[str, str]], styles: Mapping[str, str]) -> str:
    """Rows of a name and a sentence below a caption; `styles` has the CSS of rows by their names.

    Examples
    --------
    >>> html_table("Doctor", [("go", "a < b")], {}).partition("</th>")[2]
    '<td style="text-align:left">a &lt; b</td></tr></table>'
    """
    lines = []
    for name, sentence in rows:
        style = f' style="{styles[name]}"' if name in styles else ""
        lines.append(
            f'<tr{style}><th style="text-align:left">{escape(name)}</th>'
            f'<td style="text-align:left">{escape(sentence)}</td></tr>'
        )
    return f"<table><caption>{escape(caption)}</caption>{''.join(lines)}</table>"
