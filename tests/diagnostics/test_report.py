"""The report: a right fit raises no doubt, wrong ones do; it prints, and survives JSON."""

from __future__ import annotations

import io
import json
import warnings
from xml.etree import ElementTree

import numpy as np
import pytest

import ventris as vt
from ventris import errors
from ventris.classifiers.fitting import distil
from ventris.classifiers.loglinear import Coordinates, LogLinear, one_hot
from ventris.datasets import make_paper_chain
from ventris.diagnostics.report import Report, examine
from ventris.errors import CollapsedOutputWarning, NotRecurredWarning
from ventris.solvers.full_batch import match_full_batch
from ventris.solvers.problem import Problem
from ventris.solvers.restarts import restart
from ventris.solvers.starts import draw_starts


def _fit(number, n_samples=24_000, n_init=3, max_iter=60):
    chain = make_paper_chain(number, n_samples=n_samples, random_state=0)
    problem = Problem(chain.train.X, np.array([len(chain.train.X)]), chain.lm.joint(2))
    rng = np.random.default_rng(0)

    def solve(starts, rng):
        return [
            match_full_batch(problem.X, problem.lengths, problem.lm_prob, each, max_iter=max_iter)
            for each in starts
        ]

    return chain, restart(problem, solve, draw_starts(problem, n_init, rng), rng)


def _examine(chain, model, found=None):
    outputs = model.posteriors(chain.train.X)
    solution = found.best if found else None
    rng = np.random.default_rng(1)
    return examine(
        outputs, None, chain.lm, 2, method="full-batch", rng=rng, solution=solution, restarts=found
    )


@pytest.mark.parametrize("number", [1, 2, 7, 10])
def test_a_right_fit_raises_no_doubt(number):
    chain, found = _fit(number)
    report = _examine(chain, found.best.model, found)
    assert report.warnings == []
    np.testing.assert_allclose(report.cost, found.best.cost, rtol=1e-12)
    np.testing.assert_allclose(report.excess_cost, report.cost - chain.lm.entropy(2), rtol=1e-12)
    assert report.restarts["recurrence"] == 3 and report.null["is_above"]


def test_the_papers_failing_chain_is_doubted():
    chain, found = _fit(9)
    names = {name for name, _ in _examine(chain, found.best.model, found).warnings}
    assert {"WeakLabelModelWarning", "CloseRunnerUpWarning"} <= names


def test_a_label_swapped_and_a_constant_classifier_are_doubted():
    chain = make_paper_chain(10, n_samples=12_000, random_state=0)
    units = Coordinates.of(chain.train.X, 2)
    right = distil(chain.train.X, one_hot(chain.train.y, 2), LogLinear.zeros(2, 2), units)
    swapped = {name for name, _ in _examine(chain, right.relabelled([1, 0])).warnings}
    constant = LogLinear(np.zeros((2, 2)), np.log(chain.lm.stationary()))
    flat = {name for name, _ in _examine(chain, constant).warnings}
    assert {"ExcessCostWarning", "CollapsedOutputWarning"} <= swapped
    assert {"ExcessCostWarning", "NoStructureWarning"} <= flat


def test_doubts_are_voiced_once_and_kept():
    report = Report("spdg", 2, 2, 10, 1, 1.0, 1.1, 0.1, 0.0)
    report.add([NotRecurredWarning("One of 8 starts"), CollapsedOutputWarning("Label 1 is never given")])
    with pytest.warns() as caught:
        report.warn()
    assert [w.category for w in caught] == [NotRecurredWarning, CollapsedOutputWarning]
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        report.warn()
    assert report.warnings[0] == ("NotRecurredWarning", "One of 8 starts. Raise n_init.")


@pytest.fixture(scope="module")
def by_default():
    """A fit by the default method, its tenth held out for the check on fresh points."""
    chain = make_paper_chain(2, n_samples=6_000, random_state=0)
    return vt.SequenceClassifier(chain.lm, n_init=8, random_state=0).fit(chain.train.X)


def test_the_default_method_tells_its_starts_its_margin_and_its_rounds(by_default):
    report, (found,) = by_default.report_, [r for r in by_default.history_ if r["step"] == "decipher"]
    rounds = [row["rounds"] for row in by_default.history_ if "rounds" in row]
    assert (report.n_starts, report.recurrence) == (found["n_starts"], found["recurrence"])
    assert report.n_starts >= 8 and 2 <= report.recurrence <= report.n_starts
    assert report.margin == found["fresh_margin"] > 0 and report.search["n_fresh"] == 500
    assert report.n_iter == sum(rounds) > len(rounds) > 1
    shown = str(report)
    assert f"best answer from {report.recurrence} of {report.n_starts} starts" in shown
    assert f"{report.margin:.2g} nats a symbol less likely on 500 fresh points" in shown
    assert f"{report.n_iter} rounds" in shown


def test_where_nothing_is_held_out_the_margin_is_that_of_the_points_searched():
    chain = make_paper_chain(2, n_samples=1_080, random_state=0)  # 900 to learn from
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", errors.VentrisWarning)
        report = vt.SequenceClassifier(chain.lm, n_init=8, random_state=0).fit(chain.train.X).report_
    assert report.search["fresh_margin"] is None and report.margin == report.search["margin"] > 0
    assert "fresh" not in str(report)


@pytest.mark.parametrize(
    ("search", "told"),
    [
        ({"margin": None, "fresh_margin": None, "n_fresh": 100}, "no other answer"),
        ({"margin": 0.2, "fresh_margin": None, "n_fresh": 0}, "runner-up 0.2 nats a symbol less likely"),
        ({"margin": 0.2, "fresh_margin": -0.1, "n_fresh": 9}, "0.1 nats a symbol likelier on 9 fresh points"),
    ],
)
def test_the_runner_up_of_the_search_in_words(search, told):
    report = Report("auto", 2, 2, 10, 1, 1.0, 1.1, 0.1, 0.0, search=search | {"n_starts": 5, "recurrence": 2})
    assert dict(report.rows())["starts"].endswith(told)


def test_doubts_about_the_search_are_raised_with_the_others(chain, outputs):
    class Lonely:
        table, recurrence, n_starts, found_by, excess_cost = np.ones((1, 2)), 1, 24, "descent", 0.1
        margin, fresh_margin, n_fresh = 0.5, -0.5, 100

    report = examine(outputs, None, chain.lm, 2, method="auto", rng=np.random.default_rng(0), search=Lonely())
    assert [name for name, _ in report.warnings] == [
        "FewCodesWarning", "NotRecurredWarning", "CloseRunnerUpWarning",
    ]  # fmt: skip


def test_a_report_of_0_1_0_is_read_and_shown():
    """It told nothing about the search, and its own solvers' starts as they are told now."""
    plain = _plain_report() | {"restarts": {"costs": [1.1, 1.2], "recurrence": 1, "margin": 0.1}}
    assert "search" not in plain
    report = Report.from_dict(plain)
    assert (report.n_starts, report.recurrence, report.margin) == (2, 1, 0.1)
    assert "best answer from 1 of 2 starts, runner-up 0.1 nats higher" in str(report)
    bare = Report.from_dict(_plain_report())
    assert (bare.n_starts, bare.recurrence, bare.margin) == (0, 0, None) and "starts" not in str(bare)


def _plain_report():
    plain = Report("auto", 2, 2, 10, 1, 1.0, 1.1, 0.1, 0.0).to_dict()
    del plain["search"]
    return plain


def test_its_html_shows_every_row_and_escapes_it():
    report = Report("auto", 2, 2, 10, 1, 1.0, 1.1, 0.1, 0.0, label_model={"sentence": "<script>x</script>"})
    report.add([CollapsedOutputWarning("Label '<b>' is never given")])
    html = report._repr_html_()
    assert "<script>" not in html and "<b>" not in html
    root = ElementTree.fromstring(html)
    told = [tuple("".join(cell.itertext()) for cell in row) for row in root.iter("tr")]
    assert told == report.rows()
    assert [row.get("style") is not None for row in root.iter("tr")] == [False] * 5 + [True]


def _adapted_report():
    """All that can be said of an answer, a doubt and a remark among it."""
    report = Report(
        "auto", 2, 2, 10, 1, 1.0, 1.1, 0.1, 0.0, estimated_error=0.034, error_interval=(0.02, 0.06),
        naming_probability=0.95, remarks=[("NotRecurredWarning", "One of 8 starts")],
        adapted={"gain": 12.3, "pseudo_counts": 300.0, "moved": [["a", "b", 1.84]]},
    )  # fmt: skip
    report.add([CollapsedOutputWarning("Label 1 is never given")])
    return report


def test_the_answer_comes_first_and_remarks_are_quieter_than_doubts():
    from rich.console import Console

    report = _adapted_report()
    assert report.rows()[0] == ("answer", report.in_words())
    root = ElementTree.fromstring(report._repr_html_())
    styles = {row[0].text: row.get("style") or "" for row in root.iter("tr")}
    assert "bold" in styles["answer"] and "opacity" in styles["remark"]
    assert "background" in styles["CollapsedOutputWarning"] and not styles["method"]
    console = Console(file=io.StringIO(), width=200, force_terminal=True, color_system="standard")
    console.print(report)
    (remark,) = (line for line in console.file.getvalue().splitlines() if "One of 8 starts" in line)
    assert "\x1b[2m" in remark  # dim


@pytest.mark.parametrize(("gain", "words"), [(12.3, "12.3 nats likelier"), (-12.3, "12.3 nats less likely")])
def test_what_the_label_model_became_is_told(gain, words):
    report = _adapted_report()
    report.adapted["gain"] = gain
    told = dict(report.rows())["adapted"]
    assert told.startswith("the label model you gave counts as 300 n-grams") and words in told
    assert told.endswith("'b' follows 'a' 1.8 times as often as you said")


def test_it_survives_json_and_prints():
    from rich.console import Console

    chain, found = _fit(8, n_samples=6_000, n_init=2, max_iter=3)
    report = _examine(chain, found.best.model, found)
    again = Report.from_dict(json.loads(json.dumps(report.to_dict(), allow_nan=False)))
    assert again.to_dict() == report.to_dict() and str(again) == str(report)
    console = Console(file=io.StringIO(), width=100)
    console.print(report)
    shown = console.file.getvalue()
    for text in (
        "NotConvergedWarning",
        "J − H",
        "in shuffled time",
        "runner-up",
        "total variation",
        "identifiable",
    ):
        assert text in shown and text in str(report)


def _trusted(**fields):
    given = {"estimated_error": 0.12, "error_interval": (0.05, 0.3), "naming_probability": 0.995}
    return Report("auto", 2, 2, 10, 1, 1.0, 1.1, 0.1, 0.0, **given | fields)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({}, "about 12 in 100 points wrong (5 to 30 in nine fits of ten); names certain"),
        (
            {"estimated_error": 0.004, "error_interval": (0.001, 0.02)},
            "about 0.4 in 100 points wrong (0.1 to 2",
        ),
        ({"naming_probability": 0.95}, "names probable"),
        ({"naming_probability": 0.3}, "names doubtful"),
        ({"warnings": [("AmbiguousNamesWarning", "44 points do not decide")]}, "names doubtful"),
        ({"warnings": [("UnidentifiableWarning", "other names fit as well")]}, "names doubtful"),
        ({"remarks": [("AmbiguousNamesWarning", "no reason to doubt")]}, "names certain"),
        ({"warnings": [("ExcessCostWarning", "J − H is high")]}, "names certain"),
        ({"warnings": [("TooFewSamplesWarning", "44 windows")]}, "certain; too few points to rely on these"),
    ],
)
def test_the_number_is_put_in_words_and_comes_first(fields, words):
    report = _trusted(**fields)
    assert words in report.in_words() and report.rows()[0] == ("answer", report.in_words())
    assert str(report).startswith("answer")


def test_what_was_not_estimated_is_not_said():
    report = Report("full-batch", 2, 2, 10, 1, 1.0, 1.1, 0.1, 0.0)
    assert report.in_words() == "" and "answer" not in dict(report.rows())


def test_how_far_to_trust_it_survives_json():
    report = _trusted(
        right_probability=0.9,
        mismatch={"z": 1.2, "excess": 0.001, "pairs": []},
        adapted={"gain": 12.0, "pseudo_counts": 300.0, "moved": [["a", "b", 1.8]]},
        known={"n": 3, "contradicted": 0.0},
        signs={"alone": 0.1},
        remarks=[("ExcessCostWarning", "J − H is high")],
    )
    again = Report.from_dict(json.loads(json.dumps(report.to_dict(), allow_nan=False)))
    assert again == report and again.error_interval == (0.05, 0.3)
    assert again.remarks == [("ExcessCostWarning", "J − H is high")] and again.warnings == []
    assert str(again) == str(report)
    assert "points not learnt from are 12 nats likelier; 'b' follows 'a' 1.8 times" in str(again)


def test_a_report_written_before_there_were_estimates_is_read():
    new = ("estimated_error", "error_interval", "naming_probability", "right_probability", "mismatch")
    new += ("adapted", "known", "signs", "remarks")
    plain = {name: value for name, value in _plain_report().items() if name not in new}
    report = Report.from_dict(plain)
    assert report.estimated_error is None and report.remarks == [] and report.in_words() == ""
    assert Report.from_dict(report.to_dict()) == report
