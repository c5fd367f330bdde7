"""The page about doubts: precision, recall and false alarms counted in made-up fits; words of the classes."""

from __future__ import annotations

import json
import re

from bench.doubts import doubt_classes, main, page_of

from ventris import errors


def row(wrong, off=0.0, doubts=(), remarks=(), renamed=0.2):
    """A fit 10 points above the best classifier, or at it."""
    told = {"doubts": list(doubts), "remarks": list(remarks)}
    found = {"best": 0.2, "error": 0.2 + 0.1 * wrong, "renamed": renamed, "off": off}
    return {"seed": 100, "number": 1, "kind": "Gaussian"} | found | told


COST, FEW, OFF = "ExcessCostWarning", "TooFewSamplesWarning", "LabelModelMismatchWarning"
NAMES = "AmbiguousNamesWarning"
ROWS = [
    *[row(True, doubts=[COST])] * 2,
    *[row(True, doubts=[COST, NAMES], renamed=0.3)] * 1,  # wrong, but under its right names
    *[row(True, off=0.3, doubts=[COST, OFF])] * 1,
    *[row(True)] * 1,
    *[row(False, doubts=[COST])] * 2,
    *[row(False, off=0.1, doubts=[OFF])] * 2,
    *[row(False, off=0.1, remarks=[OFF])] * 1,
    *[row(False, off=0.1)] * 4,
    *[row(False, remarks=[FEW, OFF])] * 1,
    *[row(False)] * 5,
]


def cells(page, heading, name):
    """The cells beside a name in the table below a heading."""
    part = page.split(f"## {heading}\n")[1].split("\n## ")[0]
    (line,) = re.findall(rf"^\| {re.escape(name)} \| (.*) \|$", part, re.MULTILINE)
    return line.split(" | ")


def test_precision_recall_and_false_alarms_are_counted():
    page = page_of(ROWS)
    assert cells(page, "As warnings", COST) == ["6", "67 % (4 of 6)", "80 % (4 of 5)", "25 % (2 of 8)"]
    assert cells(page, "As remarks", FEW) == ["1", "0 % (0 of 1)", "0 % (0 of 5)", "12 % (1 of 8)"]
    assert "classifier of single points: 25 % (5 of 20)." in page and "than 2 points: 20 % (4 of 20)." in page
    for words, found in {
        "right fits with a right label model": ["8", "25 % (2 of 8)"],
        "right fits with a label model that is off": ["7", "29 % (2 of 7)"],
        "wrong fits": ["5", "80 % (4 of 5)"],
    }.items():
        assert f"| {words} | {' | '.join(found)} |" in page


def test_the_surest_doubt_comes_first_and_those_never_seen_are_named():
    page = page_of(ROWS)
    warned = page.split("## As warnings\n")[1].split("\n## ")[0]
    assert re.findall(r"^\| (\w+Warning)", warned, re.MULTILINE) == [NAMES, COST, OFF]
    missing = re.findall(r"`(\w+)`", warned.split("In none of these fits:")[1])
    assert {*missing} == {kind.__name__ for kind in doubt_classes()} - {NAMES, COST, OFF}


def test_two_doubts_are_held_against_what_they_are_about():
    page = page_of(ROWS)
    heading = "Label models that are off, names that are wrong"
    assert cells(page, heading, "right") == ["12", "8 % (1 of 12)", "0 % (0 of 12)"]
    assert cells(page, heading, "off, 10 % of another") == ["7", "43 % (3 of 7)", "29 % (2 of 7)"]
    assert cells(page, heading, "off, 30 % of another") == ["1", "100 % (1 of 1)", "100 % (1 of 1)"]
    assert cells(page, heading, OFF)[1:] == ["5", "80 % (4 of 5)", "50 % (4 of 8)"]
    assert cells(page, heading, NAMES)[1:] == ["1", "0 % (0 of 1)", "0 % (0 of 4)"]


def test_every_doubt_is_explained_in_its_own_words():
    page = page_of(ROWS)
    kinds = doubt_classes()
    assert errors.Doubt not in kinds and errors.ShortTextWarning in kinds
    for kind in kinds:
        assert f"* **{kind.__name__}**: {kind.__doc__} *{kind.remedy}.*" in page and kind.remedy


def test_the_command_writes_the_page_of_the_soak(tmp_path, capsys):
    kept, page = tmp_path / "kept.json", tmp_path / "doubts.md"
    kept.write_text(json.dumps({"soak": {"runs": ROWS}, "chains": {"runs": [{}]}}))
    assert main(["--kept", str(kept), "--report", str(page)]) == 0
    assert page.read_text(encoding="utf-8") == page_of(ROWS) and "20 fits" in capsys.readouterr().out


def test_without_fits_there_is_no_page(tmp_path, capsys):
    page = tmp_path / "doubts.md"
    assert main(["--kept", str(tmp_path / "none.json"), "--report", str(page)]) == 1
    assert not page.exists() and "bench.acceptance --only soak" in capsys.readouterr().err
