"""The same story as Markdown, for readers on the web."""

from __future__ import annotations

from pathlib import Path

from ventris.paper.blocks import Block, Code, Content, Formula, Picture, Sources, Tabled, Text
from ventris.paper.page import LEAD
from ventris.paper.story import tell
from ventris.paper.tables import Table
from ventris.storage.files import atomic_path


def write_tutorial(content: Content, path: Path) -> Path:
    """Compose the text and write it whole; its figures are beside it in `figures/`."""
    parts = ["# From Caesar to classifiers", LEAD]
    for chapter in tell(content):
        parts.append(f"## {chapter.title}")
        parts += [text for block in chapter.blocks if (text := _block(block, content))]
    parts.append(_made(content))
    with atomic_path(path) as temporary:
        temporary.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    return path


def _block(block: Block, content: Content) -> str:
    match block:
        case Text(text):
            return text.replace("`docs/method/errata.md`", "[errata.md](errata.md)")
        case Formula(text):
            return f"    {text}"
        case Code(name):
            found = content.data["snippets"][name]
            return f"```python\n{found['code'].rstrip()}\n```\n\n```text\n{found['printed'].rstrip()}\n```"
        case Picture(name, caption):
            alt = caption.replace("*", "").split(".")[0].replace("[", "(").replace("]", ")")
            return f"![{alt}](figures/{name}.png)\n\n*{caption.replace('*', '')}*"
        case Tabled(name):
            return _table(content.tables[name])
        case Sources():
            return ""


def _table(table: Table) -> str:
    """A table of Markdown; a bar inside a cell would end it."""
    rows = [[column.heading for column in table.columns], ["---"] * len(table.columns), *table.cells()]
    lines = ["| " + " | ".join(cell.replace("|", "∣") for cell in row) + " |" for row in rows]
    note = f"\n\n{table.note}" if table.note else ""
    return f"**{table.title}**\n\n" + "\n".join(lines) + note


def _made(content: Content) -> str:
    found = content.environment
    commit = f", commit {found['commit']}" if found["commit"] else ""
    return (
        f"*Written by `ventris reproduce` (Ventris {found['ventris']}{commit}, "
        f"{sum(found['cpu_seconds'].values()):,.0f} CPU seconds), which also makes one offline page of it, "
        "with surfaces that turn.*"
    )
