"""The story: every number it quotes can be had, and a block without its number stays away."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ventris.paper import computation, story
from ventris.paper.blocks import Content, Picture, Text
from ventris.paper.quoted import quoted_numbers
from ventris.paper.results import RESULTS
from ventris.paper.settings import Settings
from ventris.paper.snippets import SNIPPETS

SOURCE = (Path(story.__file__).parent / "story.md").read_text(encoding="utf-8")
DOCS = Path(__file__).parents[2] / "docs" / "method"
TUTORIAL = (DOCS / "tutorial.md").read_text(encoding="utf-8")


def content(data, tables=(), figures=()):
    environment = {"settings": Settings.quick().to_dict()}
    return Content(data, dict.fromkeys(tables), tuple(figures), {}, environment, Path())


def test_what_the_story_shows_is_made_by_some_result():
    figures = {name for result in RESULTS.values() for name in result.figures}
    shown = re.findall(r"^\[(figure|turning) ([\w-]+)\]", SOURCE, re.M)
    assert {name for _, name in shown} == figures  # and every figure is shown
    turning = {name for kind, name in shown if kind == "turning"}
    assert turning == {name for result in RESULTS.values() for name in result.scenes}


def test_with_nothing_computed_there_is_nothing_to_tell():
    assert story.tell(content({})) == []


def test_a_figure_with_a_number_that_is_missing_stays_away():
    data = {"caesar": {"n_letters": 10, "scores": {"excess": [0.5, 0.1, 0.4]}}}
    found = story.tell(content(data, figures=("figure1", "figure2", "figure5")))
    assert [chapter.anchor for chapter in found] == ["cipher", "points"]
    pictures = [block for block in found[0].blocks if isinstance(block, Picture)]
    assert [picture.name for picture in pictures] == ["figure1", "figure2"]
    assert "10 letters" in pictures[1].caption and "0.30 nats worse" in pictures[1].caption
    assert not any("{" in block.text for block in found[0].blocks if isinstance(block, Text))


def test_a_shortened_run_says_that_its_updates_are_too_few():
    assert "0.4 million updates are far too few" in quoted_numbers(content({}))["short_run"]
    full = content({})
    full.environment["settings"] = Settings().to_dict()
    assert "short_run" not in quoted_numbers(full)


@pytest.mark.parametrize("name", sorted(set(re.findall(r"\{(\w+)\}", SOURCE))))
def test_every_number_in_the_text_has_a_source(name):
    """Its name is written as a key in `quoted.py`; that it is there is seen on the quick page."""
    source = (Path(story.__file__).parent / "quoted.py").read_text(encoding="utf-8")
    assert f'"{name}"' in source


def test_the_tutorial_on_the_web_is_the_same_story():
    """`docs/method/tutorial.md` is what a full run wrote: every chapter and figure, no number left open."""
    titles = re.findall(r"^## \w+: (.+)$", SOURCE, re.M)
    assert re.findall(r"^## (.+)$", TUTORIAL, re.M) == titles
    shown = {name for _, name in re.findall(r"^\[(figure|turning) ([\w-]+)\]", SOURCE, re.M)}
    assert set(re.findall(r"\]\(figures/([\w-]+)\.png\)", TUTORIAL)) == shown
    assert all((DOCS / "figures" / f"{name}.png").stat().st_size < 250_000 for name in shown)
    assert "100 million updates" in TUTORIAL and "far too few" not in TUTORIAL
    assert "](errata.md)" in TUTORIAL


def test_the_tutorial_on_the_web_shows_the_code_as_it_is():
    """A name that moves must not live on in a page which a full run wrote before."""
    names = re.findall(r"^\[code ([\w-]+)\]", SOURCE, re.M)
    assert sorted(names) == sorted(SNIPPETS)  # every snippet is shown, once
    assert re.findall(r"^```python\n(.*?)^```$", TUTORIAL, re.M | re.S) == [SNIPPETS[name] for name in names]


def test_the_tutorial_on_the_web_names_the_functions_of_the_computation_where_they_are():
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in TUTORIAL.splitlines()]
    named = {row[0]: row[-1] for row in cells if row[-1].startswith("ventris.")}
    assert named == computation.compute()["functions"]
