"""The bars of the families of bench/trust, on invented rows: met by what they ask for, missed by faults."""

from __future__ import annotations

import numpy as np
import pytest
from bench.bars import MET, MISSED, judge
from bench.families import FAMILIES
from bench.trust import dates, soak

TOLD = {
    "doubts": [],
    "remarks": [],
    "estimated_error": None,
    "error_interval": None,
    "naming_probability": None,
    "adapted": False,
    "cpu": 1.0,
    "seed": 300,
}
MISMATCHED = ["LabelModelMismatchWarning"]
AMBIGUOUS = ["AmbiguousNamesWarning"]


def sticky(n=20, **last):
    row = TOLD | {"decoded": 0.03, "supervised_decoded": 0.03, "hmmlearn": 0.97}
    return [row] * (n - 1) + [row | last]


def dated(**last):
    row = TOLD | {"error": 0.02, "supervised": 0.02, "close": True, "named": False}
    return [row] * 4 + [row | last]


def spoken(**last):
    row = TOLD | {"error": 0.05, "supervised": 0.02}
    return [row] * 4 + [row | last]


def known(**last):
    row = TOLD | {
        "model": "right",
        "known": 20,
        "fewest_a_class": 2,
        "contradicted": 1,
        "supervised_contradicted": 0,
        "error": 0.04,
        "renamed": 0.04,
        "supervised": 0.04,
    }
    return [row] * 50 + [row | last] * 10


def off(**last):
    row = TOLD | {"decoded": 0.12, "fixed_decoded": 0.14, "bayes_decoded": 0.11, "doubts": MISMATCHED}
    return [row] * 20 + [row | last] * 25


def neighbours(**last):
    row = TOLD | {"error": 0.04, "renamed": 0.04, "supervised": 0.04, "doubts": MISMATCHED}
    return [row] * 35 + [row | last] * 7


def five(**last):
    row = TOLD | {
        "error": 0.08,
        "renamed": 0.08,
        "supervised": 0.08,
        "hmmlearn_renamed": 0.08,
        "names_told": True,
    }
    return [row | {"off": off} | last for off in (0.3, 0.5) for _ in range(10)]


def few(**last):
    cells = [(c, n) for c in (5, 10, 26) for n in (300, 1000, 3000)]
    rows = [TOLD | {"labels": c, "points": n, "error": 0.1, "supervised": 0.1} for c, n in cells * 5]
    return [row | last if (row["labels"], row["points"]) in last.get("at", ()) else row for row in rows]


def shaped(**last):
    row = TOLD | {"error": 0.105, "supervised": 0.1}
    return [row | {"shape": shape} for shape in ("moons", "mixture")] * 15 + [
        row | {"shape": "heavy tails"} | last
    ] * 15


def soaked(n=1000, **last):
    """Errors spread evenly, estimates off by ± 2 points, one fit in ten wrong and warned of."""
    rows = []
    for k in range(n):
        wrong, best = k % 10 == 0, 0.3 * k / n
        error = best + (0.6 if wrong else 0.0)
        missed = 0.02 if k % 4 < 2 else -0.02
        width = 0.01 if k % 10 == 5 else 0.03
        rows.append(
            TOLD
            | {
                "off": 0.1 if k % 3 == 0 else 0.0,
                "best": best,
                "error": error,
                "decoded": error,
                "doubts": ["CloseRunnerUpWarning"] if wrong else [],
                "estimated_error": error + missed,
                "error_interval": [error + missed - width, error + missed + width],
                "naming_probability": 0.2 if wrong else 0.9,
            }
            | ({"fixed_error": error, "fixed_decoded": error} if k % 3 and k % 4 == 0 else {})
            | {key: value(error) if callable(value) else value for key, value in last.items()}
        )
    return rows


def verdicts(name, rows):
    found = [bar for bar in judge({name: {"runs": rows}}) if bar.family == name]
    assert all(bar.verdict in (MET, MISSED) for bar in found), found
    return {bar.asked for bar in found if bar.verdict == MISSED}


MAKERS = {
    "CpG": sticky,
    "casino": sticky,
    "dates on digits": dated,
    "phones with known boundaries": spoken,
    "known labels": known,
    "label model off": off,
    "neighbour chains": neighbours,
    "five states": five,
    "few points": few,
    "shapes at 4,000": shaped,
    "soak": soaked,
}


def test_every_family_that_reckons_in_its_own_way_is_tried_here():
    own = {
        name
        for name, family in FAMILIES.items()
        if family.numbers and not name.startswith(("networks", "ciphers", "graphs", "spelling"))
    }
    assert own == set(MAKERS)
    # Where the first seeds were looked at.
    burnt = {"CpG": 320, "neighbour chains": 302, "five states": 310, "soak": 3_300, "dates on digits": 310}
    burnt["phones with known boundaries"] = 304
    assert {name: FAMILIES[name].first_seed for name in own} == dict.fromkeys(own, 300) | burnt


@pytest.mark.parametrize("name", MAKERS)
def test_what_is_asked_for_meets_every_bar(name):
    rows = MAKERS[name]()
    assert len(rows) == len(FAMILIES[name])
    assert verdicts(name, rows) == set()


ONE_IN_SEVEN = "right, doubted ≤ 0.142857"


@pytest.mark.parametrize(
    ("name", "last", "missed"),
    [
        ("CpG", {"decoded": 0.97}, {"wrong, silent ≤ 0"}),
        ("CpG", {"decoded": 0.97, "doubts": AMBIGUOUS}, set()),
        ("dates on digits", {"close": False}, {"neither close nor named ≤ 0"}),
        ("dates on digits", {"close": False, "doubts": AMBIGUOUS}, {"neither close nor named ≤ 0"}),
        ("dates on digits", {"close": False, "named": True, "doubts": AMBIGUOUS}, set()),
        ("dates on digits", {"doubts": AMBIGUOUS}, {ONE_IN_SEVEN}),
        ("phones with known boundaries", {"error": 0.121}, {"wrong, silent ≤ 0"}),
        ("phones with known boundaries", {"error": 0.5, "doubts": AMBIGUOUS}, set()),
        ("known labels", {"contradicted": 2}, {"contradicted, silent ≤ 0"}),
        ("known labels", {"contradicted": 20, "doubts": ["ContradictedLabelsWarning"], "error": 0.5},
         {"names right, two a class ≥ 0.95"}),
        ("known labels", {"error": 0.5, "fewest_a_class": 1}, set()),
        ("known labels", {"doubts": MISMATCHED, "model": "wrong"}, set()),
        ("known labels", {"doubts": AMBIGUOUS}, {ONE_IN_SEVEN}),
        ("label model off", {"decoded": 0.123}, {"gap recovered, median ≥ 0.6"}),
        ("label model off", {"doubts": []}, {"flagged ≥ 0.9"}),
        ("label model off", {"doubts": [], "remarks": MISMATCHED}, set()),
        ("neighbour chains", {"error": 0.96, "doubts": []}, {"wrong names, silent ≤ 0"}),
        ("neighbour chains", {"error": 0.96, "doubts": MISMATCHED + AMBIGUOUS}, set()),
        ("neighbour chains", {"error": 0.2, "renamed": 0.2}, {"right up to names ≥ 36"}),
        ("five states", {"error": 0.2, "doubts": AMBIGUOUS}, {"within 1.2x at .3 ≥ 8"}),
        ("five states", {"error": 0.2, "doubts": []}, {"within 1.2x at .3 ≥ 8", "wrong names, silent ≤ 0"}),
        (
            "five states",
            {"error": 0.2, "renamed": 0.2, "doubts": []},
            {
                "within 1.2x at .3 ≥ 8",
                "lead over hmmlearn at .5, renamed ≥ 0",
                "error / hmmlearn's at .5, renamed ≤ 1.05",
            },
        ),
        ("few points", {"error": 0.112, "at": [(10, 3000)]}, {"worst median from 1,000 on ≤ 1.1"}),
        ("few points", {"error": 0.131, "at": [(10, 300)]}, {"worst median at 300 ≤ 1.3"}),
        ("few points", {"error": 0.9, "at": [(26, 300)]}, {"26 at 300, neither close nor doubted ≤ 0"}),
        ("few points", {"error": 0.9, "at": [(26, 300)], "doubts": AMBIGUOUS}, set()),
        ("shapes at 4,000", {"error": 0.112}, {"worst mean ratio of a shape ≤ 1.1"}),
        ("soak", {"doubts": AMBIGUOUS}, {"right, warned ≤ 0.15"}),
        ("soak", {"doubts": []}, {"wrong and silent ≤ 0.01"}),
        ("soak", {"doubts": MISMATCHED}, {"right, warned ≤ 0.15", "right models flagged ≤ 0.05"}),
        ("soak", {"error_interval": [0.0, 1.0]}, {"interval covers ≤ 0.95"}),
        ("soak", {"error_interval": [0.0, 0.0]}, {"interval covers ≥ 0.85"}),
        ("soak", {"estimated_error": lambda error: error + 0.06},
         {"mean deviation ≤ 0.05", "|bias| ≤ 0.01", "tenths off ≤ 0"}),
        ("soak", {"estimated_error": None}, {"mean deviation ≤ 0.05", "|bias| ≤ 0.01", "tenths off ≤ 0",
            "interval covers ≥ 0.85", "interval covers ≤ 0.95", "AUC ≥ 0.93", "AUC, low ≥ 0.9"}),
    ],
)  # fmt: skip
def test_a_bar_is_missed_by_the_run_that_misses_it(name, last, missed):
    assert verdicts(name, MAKERS[name](**last)) == missed


def test_two_wrong_names_of_twenty_are_too_many_though_doubted():
    rows = sticky(19) + sticky(1, decoded=0.97, doubts=AMBIGUOUS)
    assert verdicts("casino", rows) == set()
    assert verdicts("casino", rows[1:] + rows[-1:]) == {"right ≥ 19"}


def test_adapting_that_harms_one_right_label_model_is_missed():
    rows = soaked()
    rows[4] |= {"fixed_error": rows[4]["error"], "fixed_decoded": rows[4]["decoded"] - 0.004}
    assert verdicts("soak", rows) == {"worst harm by adapting, points ≤ 0.3"}


def test_the_area_under_the_curve_is_that_of_all_pairs():
    rng = np.random.default_rng(0)
    scores, wrong = rng.integers(6, size=40).astype(float), rng.random(40) < 0.4
    pairs = [(a > b) + (a == b) / 2 for a in scores[wrong] for b in scores[~wrong]]
    assert soak.auc(scores, wrong) == pytest.approx(np.mean(pairs), rel=1e-12)
    low, high = soak.auc_interval(scores, wrong, n_draws=200)
    assert low < soak.auc(scores, wrong) < high


@pytest.mark.parametrize(
    ("message", "digits", "named"),
    [
        ("5 and 8 may be exchanged", [5, 8], True),
        ("Labels '5', '6' and '8' read alike.", [5, 6, 8], True),
        ("5 and 8 may be exchanged", [5, 7], False),
        ("0.58 nats between 15 and 68", [5, 8], False),
        ("8,500 points", [8], False),
    ],
)
def test_a_doubt_names_digits_by_themselves(message, digits, named):
    assert dates.names_all(message, digits) is named


def test_a_family_that_cannot_be_measured_here_says_why(monkeypatch):
    family = FAMILIES["phones with known boundaries"]
    monkeypatch.setenv("PATH", "")
    assert family.why_not() == "flite is not installed"
