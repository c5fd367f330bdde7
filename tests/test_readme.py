"""The README's examples are run, and print what the README says."""

from __future__ import annotations

import re
import textwrap
import warnings
from pathlib import Path

import pytest

import ventris as vt

README = Path(__file__).parents[1] / "README.md"


def test_the_examples_print_what_they_say(capsys):
    """One goes on where the other ended. An estimate is held to its words: its numbers come from a table."""
    text, names = README.read_text(encoding="utf-8"), {}
    blocks = re.findall(r"```python\n(.*?)```\n\n((?:    [^\n]*\n)+)", text, re.DOTALL)
    assert len(blocks) == 2 == text.count("```python")
    for code, after in blocks:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", vt.errors.LabelModelMismatchWarning)  # of the guess, as it should
            exec(compile(code, README.name, "exec"), names)
        printed, shown = capsys.readouterr().out.splitlines(), textwrap.dedent(after).splitlines()
        assert [_of_a_table(line) for line in printed] == [_of_a_table(line) for line in shown]


def _of_a_table(line):
    return re.sub(r"[\d.]+", "#", line) if "nine fits of ten" in line else line


def test_the_report_tells_what_the_readme_says_it_tells():
    """Each part of the sentence, for the default method."""
    text = " ".join(README.read_text(encoding="utf-8").split())
    (told,) = re.findall(r"`print\(clf.report_\)` tells what can be told without labels: (.*?)\.", text)
    chain = vt.datasets.make_paper_chain(2, n_samples=6_000)
    report = vt.SequenceClassifier(chain.lm, n_init=8, random_state=0).fit(chain.train.X).report_
    report.add([vt.errors.ExcessCostWarning("J − H is high")])
    shown = str(report)
    patterns = {
        "the cost": r"J = [\d.]+, J − H = [\d.]+ nats",
        "the margin to the next answer": r"runner-up [\d.]+ nats",
        "how many starts led to this one": r"best answer from \d+ of \d+ starts",
        "the iterations made": r"\d+ rounds",
        "how labels are used": r"label usage",
        "every doubt by name": r"ExcessCostWarning",
    }
    assert re.split(r", (?:and )?", told) == list(patterns)
    assert [part for part, pattern in patterns.items() if not re.search(pattern, shown)] == []


@pytest.mark.parametrize("link", re.findall(r"\]\(([^)#]+)\)", README.read_text(encoding="utf-8")))
def test_every_link_leads_somewhere(link):
    assert (README.parent / link).exists()
