"""Run the code of the how-to pages, and write what it prints where the page shows it.

    python tools/run_pages.py                              # every page of docs/howto and docs/start/index.md
    python tools/run_pages.py docs/howto/missing_values.md

A page is run from top to bottom in a folder of its own: ```python blocks in one namespace, the `$ ` lines of
```console blocks in a shell. A ```text block below either holds what came out, doubts included; whatever
prints has one. `tests/docs/test_pages.py` runs the pages without writing, and holds what comes out against
what is shown, numbers aside: they come from a run, but not every machine rounds alike.

What a page needs and its reader need not see stands between `<!--` and `-->`, and is run as well. A page or a
story that says `pip install 'ventris[torch]'` is left out where that extra is missing (`is_runnable`).
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from unittest import mock

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "docs" / "start" / "index.md", *sorted((ROOT / "docs" / "howto").rglob("*.md"))]
_BLOCK = re.compile(
    r"^```(?P<kind>python|console)\n(?P<code>.*?)^```\n(?:\n^```text\n(?P<shown>.*?)^```\n)?", re.M | re.S
)
_EXTRAS = re.compile(r"pip install '?(?:ventris|\.)\[([\w,]+)\]")
_PART_OF_ALL = {"all", "plot", "glyphs", "graph", "tables", "hmmlearn", "paper", "web", "docs", "test"}


def is_runnable(path: Path) -> bool:
    """Whether every extra that a page or a story tells its reader to install is there.

    What `all` brings is there wherever the site is built; any other extra is named as its package is.
    """
    named = {
        extra for found in _EXTRAS.findall(path.read_text(encoding="utf-8")) for extra in found.split(",")
    }
    return all(find_spec(extra) is not None for extra in named - _PART_OF_ALL)


@dataclass(frozen=True)
class Block:
    """Code of a page, what the page shows below it, and the place of both in the page."""

    kind: str
    code: str
    shown: str
    span: tuple[int, int]

    def with_output(self, printed: str) -> str:
        shown = f"\n```text\n{printed}```\n" if printed else ""
        return f"```{self.kind}\n{self.code}```\n{shown}"


def blocks_of(text: str) -> list[Block]:
    return [
        Block(found["kind"], found["code"], found["shown"] or "", found.span())
        for found in _BLOCK.finditer(text)
    ]


def run_page(page: Path, folder: Path, *, here: bool = False) -> Iterator[tuple[Block, str]]:
    """Each block with what it prints, in order; `folder` is where its files go.

    With `here`, lines that begin with `ventris` are run in this process, which has imported already what one
    of their own would begin with: for tests. What follows a `|` or `>` is the shell's all the same.
    """
    names: dict[str, Any] = {"__name__": "__page__"}
    for block in blocks_of(page.read_text(encoding="utf-8")):
        with contextlib.chdir(folder):
            if block.kind == "python":
                yield block, _in_python(block, names, page)
            else:
                lines = [line[2:] for line in block.code.splitlines() if line.startswith("$ ")]
                printed = map(_line_here, lines) if here else [_in_shell("\n".join(lines))]
                yield block, _tidy("".join(printed))


def _in_python(block: Block, names: dict[str, Any], page: Path) -> str:
    out = io.StringIO()
    with contextlib.redirect_stdout(out), warnings.catch_warnings():
        warnings.simplefilter("always")
        # The sentence alone: file and line are this program's.
        warnings.showwarning = lambda message, kind, *_, **__: print(f"{kind.__name__}: {message}")
        exec(compile(block.code, page.name, "exec"), names)
    return _tidy(out.getvalue())


_AS_ON_A_TERMINAL = {"PYTHONIOENCODING": "utf-8", "NO_COLOR": "1", "COLUMNS": "100"}


def _in_shell(commands: str, given: str = "") -> str:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        ["bash", "-euc", commands], input=given,
        env=os.environ | {"PATH": path} | _AS_ON_A_TERMINAL, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError(f"{commands}\nended with {done.returncode}: {done.stderr}")
    return done.stdout


def _line_here(line: str) -> str:
    """What a line prints, its `ventris` run in this process."""
    from ventris.cli import run

    command, rest = re.fullmatch(r"(ventris [^|>]*)?(.*)", line).groups()
    if not command or "2>" in line:  # where errors go is the shell's matter
        return _in_shell(line)
    out, err = io.StringIO(), io.StringIO()
    terminal = mock.patch.dict(os.environ, _AS_ON_A_TERMINAL)
    with terminal, contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run(shlex.split(command)[1:])
    if code:
        raise RuntimeError(f"{line}\nended with {code}: {err.getvalue()}")
    return _in_shell(f"cat {rest}", out.getvalue()) if rest else out.getvalue()


def _tidy(printed: str) -> str:
    return "".join(f"{line.rstrip()}\n" for line in printed.rstrip().splitlines())


def without_numbers(text: str) -> str:
    """The text, with every number, its sign and the spaces that align it as one mark."""
    return re.sub(r"[ −-]*\d[\d.,]* *", "#", text)


def write_page(page: Path) -> bool:
    """Run a page and write what it prints into it; whether anything changed."""
    text = page.read_text(encoding="utf-8")
    parts, at = [], 0
    with tempfile.TemporaryDirectory() as folder:
        for block, printed in run_page(page, Path(folder)):
            parts += [text[at : block.span[0]], block.with_output(printed)]
            at = block.span[1]
    written = "".join([*parts, text[at:]])
    page.write_text(written, encoding="utf-8")
    return written != text


if __name__ == "__main__":
    for page in [Path(name).resolve() for name in sys.argv[1:]] or filter(is_runnable, PAGES):
        print(f"{page.relative_to(ROOT)}: {'changed' if write_page(page) else 'as it was'}", flush=True)
