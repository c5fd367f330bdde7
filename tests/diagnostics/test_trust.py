"""How far an answer is trusted: a made-up calibration table says which doubts are voiced, which remarked."""

from __future__ import annotations

import numpy as np
import pytest

from ventris.classifier import SequenceClassifier
from ventris.data.known_labels import KnownLabels
from ventris.datasets import make_weather
from ventris.diagnostics import trust
from ventris.diagnostics.goodness import Mismatch
from ventris.diagnostics.report import examine
from ventris.diagnostics.signs import Fresh
from ventris.diagnostics.thresholds import DEFAULT
from ventris.diagnostics.trust import Learnt, in_words
from ventris.label_model.identifiability import identifiability
from ventris.label_model.model import NgramModel

LINE = {"x": [0.0, 1.0], "y": [0.0, 1.0]}


def certain(probability):
    """A head that gives this probability whatever the signs are."""
    odds = np.clip(probability, 1e-9, 1 - 1e-9)
    return {"intercept": float(np.log(odds / (1 - odds))), "weights": [0.0]} | LINE


def table(wrong, names_wrong=0.001):
    """A calibration table that finds every fit wrong, and misnamed, with these probabilities."""
    share = {"intercept": 0.0, "weights": [1.0], "residuals": [-0.2, 0.0, 0.2]}
    return {
        "signs": [{"name": "alone", "kind": "logit", "scale": 1.0, "centre": 0.0, "spread": 1.0}],
        "wrong": certain(wrong),
        "names": certain(names_wrong),
        "right_error": share,
        "wrong_error": share,
        "forest": [],
        "forest_share": 0.0,
        "point": 0.5,
        "level": 0.9,
    }


STEPS = [
    {
        "step": "adapt",
        "gain": -3.0,
        "misfit": 0.01,
        "rival_misfit": 0.1,
        "rival_names": [1, 0],
        "kept": False,
    },
    {"step": "again", "disagreement": 0.01, "gain": 0.0, "unsteady": [], "kept": False},
]


@pytest.fixture
def judged(chain, outputs, monkeypatch):
    """The report of a right classifier, but for what is said otherwise."""

    def judged(
        calibrated, *, history=STEPS, known=None, named=(), posteriors=outputs, lm=chain.lm, given=None
    ):
        monkeypatch.setattr(trust, "calibration", lambda: calibrated)
        lengths = np.array([len(posteriors)])
        fresh = Fresh(outputs[: len(posteriors)], lengths)
        decoded = None if known is None else outputs[known.mask]
        part = None if known is None else known[known.mask]
        return examine(
            posteriors,
            lengths,
            lm,
            2,
            method="auto",
            rng=np.random.default_rng(0),
            history=history,
            named=named,
            learnt=Learnt(given or lm, lm, 2, fresh, decoded, part),
        )

    return judged


def names_of(pairs):
    return [name for name, _ in pairs]


def test_a_right_answer_has_an_estimate_and_no_doubt(judged, chain, outputs):
    report = judged(table(wrong=0.01))
    assert report.warnings == []
    assert report.estimated_error == pytest.approx(1 - outputs.max(axis=1).mean())
    low, high = report.error_interval
    assert low < report.estimated_error < high
    assert report.right_probability == pytest.approx(0.99) and report.naming_probability > 0.99
    assert report.signs["alone"] == pytest.approx(report.estimated_error)
    assert set(report.mismatch) >= {"z", "excess", "pairs"} and report.adapted == {} and report.known == {}
    assert report.rows()[0] == ("answer", report.in_words())


def weak_use(outputs):
    """Outputs that lean to one of the labels, in their order still: a rule has a doubt about these."""
    leaning = outputs * np.array([1.0, 0.02])
    return leaning / leaning.sum(axis=1, keepdims=True)


def test_what_the_rules_notice_is_a_remark_where_the_table_takes_the_answer_for_right(judged, outputs):
    trusted = judged(table(wrong=DEFAULT.doubtful - 0.01), posteriors=weak_use(outputs))
    doubted = judged(table(wrong=DEFAULT.doubtful + 0.01), posteriors=weak_use(outputs))
    assert "ExcessCostWarning" in names_of(trusted.remarks)
    assert "ExcessCostWarning" not in names_of(trusted.warnings)
    assert "DoubtfulAnswerWarning" not in names_of(trusted.warnings)
    assert names_of(doubted.warnings)[0] == "DoubtfulAnswerWarning"
    assert "ExcessCostWarning" in names_of(doubted.warnings) and doubted.remarks == []
    assert ("remark", dict(trusted.remarks)["ExcessCostWarning"]) in trusted.rows()


def test_the_doubt_says_how_many_such_fits_are_wrong(judged):
    [(name, message)] = judged(table(wrong=0.37)).warnings
    assert name == "DoubtfulAnswerWarning" and "37 in 100 are wrong" in message


def test_some_doubts_are_voiced_whatever_the_table_says(judged, chain, outputs):
    """That time was shuffled, say, or that the label model is off."""
    constant = np.broadcast_to(outputs.mean(axis=0), outputs.shape).copy()
    assert "NoStructureWarning" in names_of(judged(table(0.0), posteriors=constant).warnings)
    off = NgramModel.from_transition_matrix(chain.lm.conditional(2)[:, ::-1])
    report = judged(table(0.0), given=off)
    assert "LabelModelMismatchWarning" in names_of(report.warnings)
    assert report.mismatch["z"] > 5
    assert "LabelModelMismatchWarning" not in names_of(judged(table(0.0)).warnings)


@pytest.mark.parametrize(
    ("changed", "left", "is_voiced"), [(0.02, False, False), (0.02, True, True), (0.2, False, True)]
)
def test_a_label_model_that_is_off_is_a_doubt_where_names_or_much_of_the_reading_rest_on_it(
    judged, monkeypatch, changed, left, is_voiced
):
    off = Mismatch(9.0, 0.05, 90.0, 0.01, 9_000, (), changed=changed)
    monkeypatch.setattr(trust, "goodness_of_fit", lambda *_: off)
    moved = {"gain": 50.0, "pseudo_counts": 300.0, "moved": [], "rival_misfit": 1.0, "kept": left}
    report = judged(table(0.0), history=[STEPS[0] | moved, STEPS[1]])
    assert ("LabelModelMismatchWarning" in names_of(report.warnings)) is is_voiced
    assert ("LabelModelMismatchWarning" in names_of(report.remarks)) is not is_voiced
    assert "LabelModelMismatchWarning" in names_of(judged(table(0.5)).warnings)


@pytest.mark.parametrize(("unsteady", "is_doubted"), [([], False), ([0, 1], True)])
def test_names_that_points_hardly_decide_are_doubted_where_a_second_answer_gave_others(
    judged, monkeypatch, chain, outputs, unsteady, is_doubted
):
    [nearest] = identifiability(chain.lm).near
    monkeypatch.setattr(trust, "SHOWN", 1.01 * (len(outputs) - 1) / nearest.points_needed)
    report = judged(table(0.0), history=[STEPS[0], STEPS[1] | {"unsteady": unsteady}])
    assert (names_of(report.warnings) == ["AmbiguousNamesWarning"]) is is_doubted
    if is_doubted:
        assert "points hardly decide the names of 0, 1;" in dict(report.warnings)["AmbiguousNamesWarning"]


@pytest.mark.parametrize(("names_wrong", "is_doubted"), [(0.5, True), (0.02, False)])
def test_names_that_are_not_certain_are_doubted_with_the_nearest_other_ones(judged, names_wrong, is_doubted):
    report = judged(table(0.01, names_wrong))
    assert (names_of(report.warnings) == ["AmbiguousNamesWarning"]) is is_doubted
    if is_doubted:
        message = dict(report.warnings)["AmbiguousNamesWarning"]
        assert "probability of 0.50" in message and "0 for 1 and 1 for 0" in message


@pytest.mark.filterwarnings("ignore::ventris.errors.VentrisWarning")
def test_words_and_warnings_agree_however_sure_the_table_is():
    """45 days do not decide the names of the weather: the words said that they are certain."""
    days = make_weather(45)
    report = SequenceClassifier(days.lm, n_init=4, random_state=0, n_jobs=1).fit(days.train.X).report_
    voiced = dict(report.warnings)
    assert "44 points do not decide the names of" in voiced["AmbiguousNamesWarning"]
    assert ("right with a probability" in voiced["AmbiguousNamesWarning"]) == (
        report.naming_probability < DEFAULT.names_certain
    )
    assert "TooFewSamplesWarning" in voiced
    assert report.in_words().endswith("names doubtful; too few points to rely on these numbers")


def unsteady(*labels):
    return [STEPS[0], STEPS[1] | {"unsteady": list(labels)}]


def test_labels_that_a_second_answer_gave_otherwise_are_named(judged):
    unsure = table(0.01, names_wrong=0.5)
    doubted = judged(unsure, history=unsteady(0, 1))
    assert (
        "a second answer gave other labels where this one gives 0, 1"
        in dict(doubted.warnings)["AmbiguousNamesWarning"]
    )
    for alone in (
        judged(unsure, history=unsteady(1)),  # exchanged with nobody
        judged(unsure, history=unsteady(0, 1), named={0}),  # a point of the other is known
        judged(unsure, history=STEPS),
    ):
        assert "a second answer" not in dict(alone.warnings)["AmbiguousNamesWarning"]
    assert judged(table(0.01), history=unsteady(0, 1)).warnings == []  # names are certain all the same


def test_outputs_without_order_in_time_are_promised_nothing(judged, chain, outputs):
    constant = np.broadcast_to(outputs.mean(axis=0), outputs.shape).copy()
    report = judged(table(wrong=0.001), posteriors=constant)
    assert "NoStructureWarning" in names_of(report.warnings) and report.right_probability == 0
    by_chance = 1 - np.sum(chain.lm.stationary() ** 2)
    assert report.estimated_error >= by_chance and report.error_interval[1] == 1
    assert report.naming_probability <= 0.5


def test_what_moved_is_told(judged):
    moved = {"gain": 12.0, "pseudo_counts": 300.0, "moved": [["a", "b", 1.8]]}
    history = [*STEPS, {"step": "adapt", "kept": True, **moved}]
    report = judged(table(0.01), history=history)
    assert report.adapted == moved
    assert "'b' follows 'a' 1.8 times as often as you said" in str(report)
    assert judged(table(0.01), history=[*history, {"step": "adapt", "kept": False}]).adapted == moved


@pytest.mark.parametrize("contradict", [False, True])
def test_known_labels_are_counted_and_contradicted_ones_doubted(judged, chain, contradict):
    y = chain.train.y
    known = KnownLabels(np.where(np.arange(len(y)) < 30, 1 - y if contradict else y, -1))
    report = judged(table(0.01), known=known)
    assert report.known["n"] == 30
    assert (report.known["contradicted"] > 20) is contradict
    assert ("ContradictedLabelsWarning" in names_of(report.warnings)) is contradict


def test_words_of_a_renaming():
    assert in_words([1, 2, 0], "abc") == "'a' for 'b' and 'b' for 'c' and 'c' for 'a'"


def test_far_too_few_points_are_told_whatever_the_table_says(judged, chain, outputs):
    few = judged(table(0.001), posteriors=outputs[:20])
    assert "TooFewSamplesWarning" in names_of(few.warnings)
    assert "TooFewSamplesWarning" not in names_of(judged(table(0.001)).warnings)
