"""How far an answer can be trusted: an estimated error, names, the label model, and which doubts are voiced.

Doubts of the rules say what was noticed. Whether they are a reason to doubt this answer, a calibration table
says: where it takes the answer for right they are remarks, and where not they are voiced, with the number.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ventris.data.contradictions import best_names, contradictions, expected_contradictions
from ventris.data.known_labels import KnownLabels
from ventris.diagnostics.calibration import calibration, estimate
from ventris.diagnostics.contradicted import doubts_about_known
from ventris.diagnostics.evidence import Findings, windows_needed
from ventris.diagnostics.goodness import Mismatch, doubts_about_mismatch, goodness_of_fit
from ventris.diagnostics.signs import Array, Fresh, signs_of
from ventris.diagnostics.thresholds import Thresholds
from ventris.errors import (
    AmbiguousNamesWarning,
    ContradictedLabelsWarning,
    Doubt,
    DoubtfulAnswerWarning,
    FewCodesWarning,
    LabelModelMismatchWarning,
    NoStructureWarning,
    TooFewSamplesWarning,
    UnidentifiableWarning,
)
from ventris.label_model.identifiability import SHOWN, identifiability
from ventris.label_model.model import NgramModel

# So whether or not the answer is right.
_ALWAYS_VOICED: tuple[type[Doubt], ...] = (
    ContradictedLabelsWarning,
    FewCodesWarning,
    NoStructureWarning,
    UnidentifiableWarning,
)


@dataclass(frozen=True)
class Learnt:
    """What "auto" leaves behind to judge its answer by.

    Attributes
    ----------
    given, lm : NgramModel
        The label model as it was given, and as it was learnt with.
    order : int
        Learnt with.
    fresh : Fresh
    decoded : array of shape (n, C), optional
        Posteriors, in their sequences, of the points of which something is known.
    known : KnownLabels, optional
        Of these points.
    """

    given: NgramModel
    lm: NgramModel
    order: int
    fresh: Fresh
    decoded: Array | None = None
    known: KnownLabels | None = None


def judge(
    found: Findings,
    learnt: Learnt,
    history: Sequence[Mapping[str, Any]],
    doubts: Sequence[Doubt],
    rng: np.random.Generator,
) -> tuple[dict[str, Any], list[Doubt], list[Doubt]]:
    """Fields of the report that say how far to trust it, the doubts to voice, and those to remark upon."""
    order = min(2, learnt.order)
    # Of inputs that hang together beyond their labels it would test something else.
    can_test = order == 2 and not any(row.get("misleads") for row in history)
    mismatch = goodness_of_fit(*_plain(learnt.fresh), learnt.given, rng) if can_test else None
    told = found.identifiability
    if learnt.given is not learnt.lm:  # names are the given model's, whatever it became
        told = identifiability(learnt.given, order, n_points=found.n_windows)
    signs = signs_of(found, learnt.fresh, mismatch, learnt.lm, order, history)
    read = estimate(calibration(), signs)
    if any(isinstance(doubt, NoStructureWarning) for doubt in doubts):
        read = _of_nothing(read, found)
    fields = {
        "signs": signs,
        "estimated_error": read["estimated_error"],
        "error_interval": (read["low"], read["high"]),
        "naming_probability": read["naming_probability"],
        "right_probability": read["right_probability"],
        "mismatch": mismatch.to_dict() if mismatch else {},
        "adapted": _adapted(history),
    }
    every = [*doubts, *(doubts_about_mismatch(mismatch, found.classes) if mismatch else [])]
    if learnt.known is not None and learnt.decoded is not None:
        against = contradictions(learnt.known, learnt.decoded)
        names = best_names(against.confusion)
        expected = expected_contradictions(learnt.known, learnt.decoded)
        every += doubts_about_known(against, names, found.classes, expected=expected)
        fields["known"] = {"n": against.n_known, "contradicted": against.n_contradicted}
    is_doubtful = 1 - read["right_probability"] > found.thresholds.doubtful
    always = _ALWAYS_VOICED
    if mismatch is not None and _is_mismatch_serious(mismatch, history, found.thresholds):
        always += (LabelModelMismatchWarning,)
    if found.n_windows < found.thresholds.far_too_few * windows_needed(found.lm_prob):
        always += (TooFewSamplesWarning,)  # beyond what the table has seen
    voiced = [doubt for doubt in every if is_doubtful or isinstance(doubt, always)]
    first = [_doubtful(read)] if is_doubtful else []
    voiced = [*first, *_ambiguous(replace(found, identifiability=told), read, history), *voiced]
    return fields, voiced, [doubt for doubt in every if doubt not in voiced]


def _is_mismatch_serious(
    mismatch: Mismatch, history: Sequence[Mapping[str, Any]], thresholds: Thresholds
) -> bool:
    """Whether a label model that is off is a reason to doubt an answer that looks right.

    Most answers stand it. Not names, where the search left the label model and only they rest on it; and not
    a reading of which a good part hangs on it.
    """
    return bool(_left_in_search(history)) or mismatch.changed > thresholds.read_otherwise


def _left_in_search(history: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The row of the step that moved the label model before a classifier was learnt, if one did."""
    return [row for row in history if row["step"] == "adapt" and row["kept"] and "misfit" in row]


def _of_nothing(read: Mapping[str, float], found: Findings) -> dict[str, float]:
    """What can be promised of outputs that follow no order in time: no better than labels drawn by chance."""
    by_chance = 1 - float(np.sum(np.square(found.use.expected)))
    wrong = max(read["estimated_error"], by_chance)
    return {
        "estimated_error": wrong,
        "low": min(read["low"], wrong),
        "high": 1.0,
        "right_probability": 0.0,
        "naming_probability": min(read["naming_probability"], 1 / len(found.classes)),
    }


def _plain(fresh: Fresh) -> tuple[Any, Any]:
    return fresh.outputs, fresh.lengths


def _adapted(history: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    kept = [row for row in history if row["step"] == "adapt" and row["kept"]]
    return {name: kept[-1][name] for name in ("gain", "pseudo_counts", "moved")} if kept else {}


def _doubtful(read: Mapping[str, float]) -> Doubt:
    wrong = 1 - read["right_probability"]
    low, high = (100 * read[end] for end in ("low", "high"))
    return DoubtfulAnswerWarning(
        f"Of fits that look like this one, {100 * wrong:.0f} in 100 are wrong: "
        f"{low:.0f} to {high:.0f} in 100 points are expected to be"
    )


def _ambiguous(
    found: Findings, read: Mapping[str, float], history: Sequence[Mapping[str, Any]]
) -> list[Doubt]:
    """Labels that may have one another's names: a second answer gave them otherwise, or others fit too."""
    unsteady = {label for row in history if row["step"] == "again" for label in row["unsteady"]}
    undecided, how = _undecided(found, unsteady)
    certain = read["naming_probability"] >= found.thresholds.names_certain
    guessed = _is_guess(found, history)
    if certain and not undecided and not guessed:
        return []
    seen = []
    if not certain:
        seen.append(f"names are right with a probability of {read['naming_probability']:.2f}")
    if undecided:
        seen.append(f"{found.n_windows:,} points {how} the names of {_listed(undecided, found.classes)}")
    if guessed:
        seen.append("the data moved the label model, and what you gave is nearly as near to other names")
    if len(unsteady - set(found.named)) > 1:
        seen.append(
            f"a second answer gave other labels where this one gives {_listed(unsteady, found.classes)}"
        )
    names = _nearest_names(found, history)
    if names is not None:
        seen.append(f"the nearest other naming is {in_words(names, found.classes)}")
    sentence = "; ".join(seen)
    return [AmbiguousNamesWarning(sentence[0].upper() + sentence[1:])]


def _undecided(found: Findings, unsteady: Collection[int]) -> tuple[set[int], str]:
    """Labels whose names the points leave open, and in what word.

    Points are counted as if each showed its label. They show less, so of labels that a part of them would
    leave open the names are too, where a second answer did give them otherwise.
    """
    told, n_points, named = found.identifiability, found.n_windows, found.named
    if told.undecided(n_points, named):
        return told.alike(n_points, named), "do not decide"
    nearly = told.alike(n_points / SHOWN, named)
    return (nearly, "hardly decide") if nearly & set(unsteady) else (set(), "")


def _listed(labels: Collection[int], classes: Sequence[Any]) -> str:
    return ", ".join(repr(classes[label]) for label in sorted(labels))


def _is_guess(found: Findings, history: Sequence[Mapping[str, Any]]) -> bool:
    """Whether the given label model, from which the learnt one has moved away, is as far off other names."""
    moved = _left_in_search(history)
    if not moved or len(found.named) >= len(found.classes) - 1:
        return False
    return bool(moved[0]["rival_misfit"] < found.thresholds.names_ratio * moved[0]["misfit"])


def _nearest_names(found: Findings, history: Sequence[Mapping[str, Any]]) -> Sequence[int] | None:
    """What the labels would be called otherwise: by the search, by adapting, or by the label model."""
    if found.search is not None and found.search.rivals:
        return found.search.rivals[0][0]
    rivals = [row["rival_names"] for row in history if row["step"] == "adapt" and "rival_names" in row]
    return rivals[0] if rivals else found.identifiability.nearest


def in_words(names: Sequence[int], classes: Sequence[Any]) -> str:
    """A renaming as a reader would say it.

    Examples
    --------
    >>> in_words([0, 2, 1], "abc")
    "'b' for 'c' and 'c' for 'b'"
    """
    moved = [(old, new) for old, new in enumerate(names) if old != new]
    return " and ".join(f"{classes[old]!r} for {classes[new]!r}" for old, new in moved[:6])
