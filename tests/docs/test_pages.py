"""The pages a newcomer reads: their code runs, and prints what they show."""

from __future__ import annotations

import re
import tomllib

import pytest
from tools.run_pages import PAGES, ROOT, blocks_of, is_runnable, run_page, without_numbers

DOCS = ROOT / "docs"
LINK = re.compile(r"\]\((?!https?:|#)([^)#\s]+)")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_no_code_of_a_page_goes_unrun(page):
    """A block inside a list would be shown and not be run."""
    text = page.read_text(encoding="utf-8")
    assert len(re.findall(r"```(?:python|console)\b", text)) == len(blocks_of(text))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_code_of_a_page_runs_and_prints_what_it_shows(page, tmp_path):
    if not is_runnable(page):
        pytest.skip("The page is about an extra that is not installed")
    for block, printed in run_page(page, tmp_path, here=True):
        assert without_numbers(printed) == without_numbers(block.shown), block.code


def test_a_page_about_a_missing_extra_is_left_out(tmp_path):
    page = tmp_path / "page.md"
    for text, expected in {
        "pip install '.[all]'": True,
        "pip install 'ventris[numpy]'": True,
        "pip install 'ventris[plot,no_such_package]'": False,
    }.items():
        page.write_text(text)
        assert is_runnable(page) is expected, text


def test_a_page_is_taken_apart_as_it_is_read():
    text = "a\n\n```python\nprint(1)\n```\n\n```text\n1\n```\n\n```console\n$ true\n```\n\n```toml\nx\n```\n"
    blocks = blocks_of(text)
    assert [(block.kind, block.code, block.shown) for block in blocks] == [
        ("python", "print(1)\n", "1\n"),
        ("console", "$ true\n", ""),
    ]
    assert all(text[slice(*block.span)] == block.with_output(block.shown) for block in blocks)


def test_a_line_run_here_prints_what_the_shell_prints(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(
        "```console\n$ printf ',dry,wet\\ndry,0.9,0.1\\nwet,0.4,0.6\\n' > P.csv\n"
        "$ ventris lm show P.csv\n$ ventris lm build P.csv -o P.arpa | tail -n 1\n```\n"
    )
    (tmp_path / "here").mkdir()
    (tmp_path / "shell").mkdir()
    [(_, here)] = run_page(page, tmp_path / "here", here=True)
    [(_, shell)] = run_page(page, tmp_path / "shell")
    assert here == shell and here.endswith("The label model is in P.arpa.\n")
    page.write_text("```console\n$ ventris lm show nothing.csv\n```\n")
    for how in (True, False):
        with pytest.raises(RuntimeError, match=r"ended with 1: ventris: nothing\.csv must be a file"):
            list(run_page(page, tmp_path, here=how))


def test_the_start_lists_every_extra():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
        "optional-dependencies"
    ]
    listed = re.findall(r"^\| `(\w+)` \|", (DOCS / "start" / "index.md").read_text(encoding="utf-8"), re.M)
    assert set(listed) == extras.keys() - {"all", "docs", "test"}


@pytest.mark.parametrize(
    "page",
    sorted(path for part in ("start", "howto", "method", "proof") for path in (DOCS / part).rglob("*.md")),
    ids=lambda page: f"{page.parent.name}/{page.stem}",
)
def test_every_link_of_a_page_leads_somewhere(page):
    links = LINK.findall(re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.S))
    made = ("../gallery/", "../api/")  # by `make docs`, which finds out
    missing = [link for link in links if not link.startswith(made) and not (page.parent / link).exists()]
    assert missing == []
