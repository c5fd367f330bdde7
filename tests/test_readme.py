"""The README's example is run, and prints what the README says."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

import pytest

README = Path(__file__).parents[1] / "README.md"


def test_the_example_prints_what_it_says(capsys):
    text = README.read_text(encoding="utf-8")
    code, after = re.search(r"```python\n(.*?)```\n\n((?:    [^\n]*\n)+)", text, re.DOTALL).groups()
    exec(compile(code, README.name, "exec"), {})
    assert capsys.readouterr().out == textwrap.dedent(after)


@pytest.mark.parametrize("link", re.findall(r"\]\(([^)#]+)\)", README.read_text(encoding="utf-8")))
def test_every_link_leads_somewhere(link):
    assert (README.parent / link).exists()
