"""The story as one HTML page that needs nothing but itself."""

from __future__ import annotations

import base64
import html
import json
from pathlib import Path
from string import Template
from typing import Any

from ventris.paper import printed
from ventris.paper.blocks import Block, Chapter, Code, Content, Formula, Picture, Sources, Tabled, Text
from ventris.paper.markup import indexed, inline
from ventris.paper.settings import Settings
from ventris.paper.story import tell
from ventris.paper.tables import Column, Table
from ventris.storage.files import atomic_path

_HERE = Path(__file__).parent
_SMALL = 120_000  # bytes up to which a drawing goes in as SVG, sharp at any size
LEAD = (
    f"{printed.AUTHORS}: *{printed.TITLE}*. Every table and figure of it, ours beside theirs; what is "
    "wrong in the print, and the number that proves it; told from the beginning. Every number here was "
    "computed by the run that wrote it."
)


def write_page(content: Content, path: Path) -> Path:
    """Compose the page and write it whole."""
    from plotly.offline import get_plotlyjs

    chapters = tell(content)
    parts = {
        "css": (_HERE / "page.css").read_text(encoding="utf-8"),
        "js": (_HERE / "page.js").read_text(encoding="utf-8"),
        "lead": inline(LEAD),
        "notice": _notice(content),
        "contents": "\n".join(f'<li><a href="#{c.anchor}">{inline(c.title)}</a></li>' for c in chapters),
        "chapters": "\n".join(_chapter(chapter, content) for chapter in chapters),
        "made": _made(content),
        "plotly": get_plotlyjs() if content.scenes else "",
        "scenes": json.dumps(content.scenes).replace("</", "<\\/"),
    }
    text = Template((_HERE / "page.html").read_text(encoding="utf-8")).substitute(parts)
    with atomic_path(path) as temporary:
        temporary.write_text(text, encoding="utf-8")
    return path


def _notice(content: Content) -> str:
    """A word where less was computed than the full run would."""
    now, full = content.environment["settings"], Settings().to_dict()
    less = [name for name, value in full.items() if now[name] < value]
    if not less:
        return ""
    words = ", ".join(f"{name.replace('_', ' ')} {now[name]:,} instead of {full[name]:,}" for name in less)
    return f'<p class="notice">A shortened run: {html.escape(words)}. Its numbers are rougher, and real.</p>'


def _chapter(chapter: Chapter, content: Content) -> str:
    title = f'<h2 id="{chapter.anchor}"><a href="#{chapter.anchor}">{inline(chapter.title)}</a></h2>'
    return "\n".join([title, *(_block(block, content) for block in chapter.blocks)])


def _block(block: Block, content: Content) -> str:
    match block:
        case Text(text):
            return f"<p>{inline(text)}</p>"
        case Formula(text):
            return f'<div class="formula">{inline(text)}</div>'
        case Code(name):
            return _code(content.data["snippets"][name])
        case Picture():
            return _picture(block, content)
        case Tabled(name):
            return _table(content.tables[name])
        case Sources():
            return _sources(content.data["computation"]["sources"])


def _code(snippet: dict[str, str]) -> str:
    code, output = (html.escape(snippet[name].rstrip(), quote=False) for name in ("code", "printed"))
    return (
        f'<pre class="code" tabindex="0"><code>{code}</code></pre>\n'
        f'<pre class="printed" tabindex="0"><samp>{output}</samp></pre>'
    )


# --------------------------------------------------------------------------------------------- figures


def _picture(block: Picture, content: Content) -> str:
    scene, spoken = "", html.escape(block.caption.replace("*", ""))
    if block.turns:
        label = f"Surface that can be turned: {spoken}"
        scene = (
            '<p class="hint">Drag to turn it.</p>'
            f'<div class="scene" data-scene="{block.name}" role="img" aria-label="{label}"></div>'
        )
    files = f'<a href="figures/{block.name}.png">PNG</a> · <a href="figures/{block.name}.svg">SVG</a>'
    caption = f'{inline(block.caption)} <span class="files">{files}</span>'
    name = block.name
    number = f"<strong>Figure {name[6:]}.</strong> " if name.startswith("figure") else ""
    image = f'<img src="{_data_address(content.folder, name)}" alt="{spoken}">'
    return (
        f'<figure class="picture" id="{name}">{scene}<div class="card" tabindex="0">{image}</div>'
        f"<figcaption>{number}{caption}</figcaption></figure>"
    )


def _data_address(folder: Path, name: str) -> str:
    """The picture itself as an address: vector where that is small."""
    vector = folder / f"{name}.svg"
    kind, path = "svg+xml", vector
    if vector.stat().st_size > _SMALL:
        kind, path = "png", folder / f"{name}.png"
    return f"data:image/{kind};base64,{base64.b64encode(path.read_bytes()).decode()}"


# ---------------------------------------------------------------------------------------------- tables


def _table(table: Table) -> str:
    numeric = [_is_numeric(table, k) for k in range(len(table.columns))]
    head = "".join(_cell("th", c.heading, n) for c, n in zip(table.columns, numeric, strict=True))
    body = "\n".join(
        "<tr>" + "".join(_cell("td", v, n) for v, n in zip(row, numeric, strict=True)) + "</tr>"
        for row in table.cells()
    )
    wide = " wide" if len(table.columns) > 10 else ""
    number = f"Table {table.name[5:]}. " if table.name.startswith("table") else ""
    files = f'<a href="tables/{table.name}.csv">CSV</a> · <a href="tables/{table.name}.json">JSON</a>'
    note = f'<p class="note">{inline(table.note)}</p>' if table.note else ""
    return (
        f'<figure class="table{wide}" id="{table.name}"><figcaption>{number}{inline(table.title)} '
        f'<span class="files">{files}</span></figcaption>'
        f'<div class="scroll" tabindex="0" role="region" aria-label="{html.escape(table.title)}">'
        f"<table><thead><tr>{head}</tr></thead><tbody>\n{body}\n</tbody></table></div>{note}</figure>"
    )


def _is_numeric(table: Table, k: int) -> bool:
    column: Column = table.columns[k]
    values = [row[k] for row in table.rows if row[k] is not None]
    return column.digits is not None or all(isinstance(value, int | float) for value in values)


def _cell(tag: str, text: str, numeric: bool) -> str:
    if text.startswith("ventris."):
        return (
            f'<{tag} class="text"><a href="#{text}"><code>{text.removeprefix("ventris.")}</code></a></{tag}>'
        )
    kind = "number" if numeric else "text brief" if len(text) < 16 else "text"
    return f'<{tag} class="{kind}">{indexed(html.escape(text))}</{tag}>'


def _sources(sources: dict[str, str]) -> str:
    parts = [
        f'<details id="{name}"><summary><code>{name}</code></summary>'
        f'<pre tabindex="0"><code>{html.escape(text, quote=False)}</code></pre></details>'
        for name, text in sources.items()
    ]
    return "\n".join(parts)


# ------------------------------------------------------------------------------------------------ made


def _made(content: Content) -> str:
    found = content.environment
    seconds: dict[str, Any] = found["cpu_seconds"]
    packages = ", ".join(f"{name} {number}" for name, number in found["packages"].items() if number)
    commit = f", commit {found['commit']}" if found["commit"] else ""
    lines = (
        f"Ventris {found['ventris']}{commit}; Python {found['python']}; {packages}; `{found['machine']}`.",
        f"Data seeds: {', '.join(map(str, found['seeds']))}. {sum(seconds.values()):,.0f} CPU seconds in "
        f"{len(seconds)} units; `environment.json` beside this page lists them, and the settings.",
        "The same again: `ventris reproduce`, or `ventris reproduce --quick` for the short one. A run that "
        "is ended goes on where it was.",
    )
    return "\n".join(f'<p class="made">{inline(line)}</p>' for line in lines)
