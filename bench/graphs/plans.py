"""Rooms from radio readings: walks on a floor plan beside a discriminant that was given the rooms.

10 access points, 30,000 frames, stay .8; both are decoded under the same label model, on 10,000 frames that
follow. What the plan's symmetries leave open is named beforehand, from the plan alone, and no error: of the
labellings that look the same the one that agrees best is counted ("up to symmetries"). The doctor's list of
rooms then ends that: one frame of each, drawn at random, is labelled, and the names themselves are counted.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from bench.family import Family, Row
from bench.trust.fits import doubt_numbers, ending, fit, numbered, percent
from ventris import SequenceClassifier
from ventris.datasets import FloorPlan, make_floor_plan
from ventris.datasets.references import smooth
from ventris.label_model.symmetries import best_symmetry, symmetries

# A doubt about names is in place wherever the plan has symmetries: it says nothing of the rest.
ABOUT_SYMMETRY = ("UnidentifiableWarning",)
POINTS = 0.002  # of the error, beside the factor, where it is asked for


@dataclass(frozen=True)
class Case:
    """A plan, its seed, how its runs are called, and whether the doctor's rooms are labelled as well."""

    plan: FloorPlan
    seed: int
    name: str
    asks: bool = False


def case(
    name: str, kind: str, rooms: int, seed: int, *, asks: bool = False, noise: float = 5.0,
    popularity: float | None = None,
) -> Case:  # fmt: skip
    """One plan and one walk a seed."""
    plan = make_floor_plan(kind, rooms, noise=noise, popularity=popularity, random_state=seed)  # type: ignore[arg-type]
    return Case(plan, seed, name, asks)


def measure(case: Case) -> Row:
    """A fit without any label, beside supervised; and one with the doctor's rooms, where that is asked."""
    plan = case.plan
    clf, row = fit(plan.lm, plan.train.X, seed=case.seed)
    found = symmetries(plan.lm)
    truth = numbered(clf, plan.test.y)
    decoded = numbered(clf, clf.decode(plan.test.X))
    row |= {
        "task": case.name,
        "seed": case.seed,
        "supervised_decoded": supervised(plan),
        "raw": float(np.mean(decoded != truth)),
        "decoded": up_to_symmetry(plan, decoded, truth),
        "labellings": found.n_labellings,
        "expected_error": found.expected_error,
        "asked": len(found.to_label),
    }
    if case.asks:
        row |= _with_help(case, found.to_label, clf)
    return row


def _with_help(case: Case, to_label: tuple[int, ...], clf: SequenceClassifier) -> Row:
    """The same fit told one frame of each room of the list; without a list it is the one there is."""
    plan = case.plan
    if to_label:
        rooms, rng = numbered(clf, plan.train.y), np.random.default_rng([case.seed, 24])
        told: list[str | None] = [None] * len(rooms)
        for room in to_label:
            told[rng.choice(np.flatnonzero(rooms == room))] = plan.rooms[room]
        clf, helped = fit(plan.lm, plan.train.X, seed=case.seed, known=told)
    else:
        helped = {"cpu": 0.0}
    decoded = numbered(clf, clf.decode(plan.test.X))
    return {
        "helped": float(np.mean(decoded != numbered(clf, plan.test.y))),
        "helped_cpu": helped["cpu"],
    }


def supervised(plan: FloorPlan) -> float:
    """Decoded error of class means with one covariance, learnt from the true rooms."""
    X, y = plan.train.X, plan.lm.alphabet.encode(plan.train.y)
    n_rooms = len(plan.rooms)
    counts = np.bincount(y, minlength=n_rooms)
    means = np.stack([np.bincount(y, weights=x, minlength=n_rooms) for x in X.T], axis=1)
    means /= np.maximum(counts, 1)[:, None]
    residual = X - means[y]
    whiten = np.linalg.inv(residual.T @ residual / len(X))
    logits = plan.test.X @ whiten @ means.T - 0.5 * np.einsum("ij,jk,ik->i", means, whiten, means)
    scores = np.exp(np.maximum(logits - logits.max(axis=1, keepdims=True), -30.0))
    return float(np.mean(smooth(scores, plan.lm, n_jobs=1) != plan.lm.alphabet.encode(plan.test.y)))


def up_to_symmetry(plan: FloorPlan, decoded: NDArray, truth: NDArray) -> float:
    """The error under that one of the labellings that look the same which agrees best."""
    agreement = np.zeros((len(plan.rooms),) * 2)
    np.add.at(agreement, (decoded, truth), 1)
    return float(np.mean(best_symmetry(plan.lm, agreement)[decoded] != truth))


# ------------------------------------------------------------------------------------------------ numbers


def is_close(row: Row, whose: str, factor: float, points: float = 0.0) -> bool:
    """Whether an error is within a factor of supervised, and so many points."""
    return bool(row[whose] <= factor * row["supervised_decoded"] + points)


def _numbers(rows: list[Row], factor: float, points: float) -> Row:
    right = [is_close(row, "decoded", factor, points) for row in rows]
    ratios = [row["decoded"] / max(row["supervised_decoded"], 1e-9) for row in rows]
    helped = [row for row in rows if "helped" in row]
    return {
        "runs": len(rows),
        "close": sum(right),
        "mean ratio": float(np.mean(ratios)),
        "worst ratio": float(np.max(ratios)),
        **doubt_numbers(rows, right, ABOUT_SYMMETRY),
        "named with help": sum(is_close(row, "helped", factor, points) for row in helped),
        "frames labelled, most": max((row["asked"] for row in helped), default=0),
        "cpu": float(np.mean([row["cpu"] for row in rows])),
    }


def line(row: Row) -> str:
    """A run."""
    helped = f"  with {row['asked']} frames {percent(row['helped'])}" if "helped" in row else ""
    return (
        f"{row['task']:<22} seed {row['seed']}  supervised decoded {percent(row['supervised_decoded'])}  "
        f"decoded {percent(row['decoded'])} (names {percent(row['raw'])}, {row['labellings']:,} alike)"
        f"{helped}  {ending(row)}"
    )


def _family(name: str, makers: tuple[partial[Case], ...], factor: float, points: float = 0.0) -> Family:
    numbers = partial(_numbers, factor=factor, points=points)
    return Family(name, makers, 5, measure=measure, numbers=numbers, line=line)


FAMILIES = (
    _family(
        "graphs: 24 to 30 rooms",
        (
            partial(case, "walled grid, 30", "walled", 30, asks=True),
            partial(case, "grid, 24", "grid", 24, asks=True),
            partial(case, "grid, 30", "grid", 30, asks=True),
            partial(case, "corridor, 27", "corridor", 27, asks=True),
        ),
        1.1,
        POINTS,
    ),
    _family("graphs: 40 rooms", (partial(case, "random plan, 40", "random", 40),), 1.15),
    _family("graphs: 60 rooms", (partial(case, "random plan, 60", "random", 60),), 1.2),
    _family("graphs: 7 dB", (partial(case, "random plan, 30", "random", 30, noise=7.0),), 1.2),
    _family(
        "graphs: unequal popularity",
        (partial(case, "random plan, 30", "random", 30, popularity=1.0),),
        1.5,
    ),
)
