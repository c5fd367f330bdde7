"""The stories of the gallery: short, of one shape, and of everything there is. `make docs` runs them."""

from __future__ import annotations

import re

import pytest
from tools.run_pages import ROOT

STORIES = sorted((ROOT / "examples").glob("plot_*.py"))


def test_there_are_nine_at_least():
    assert len(STORIES) >= 9


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.stem)
def test_a_story_is_short_and_draws(story):
    text = story.read_text(encoding="utf-8")
    assert 30 <= len(text.splitlines()) <= 60
    assert re.match(r'"""\n[^\n]+\n=+\n\n', text), "a title, underlined, opens the story"
    assert text.count("\n# %%\n") >= 3, "make, fit, look, draw"
    assert text.rstrip().endswith("plt.show()")
