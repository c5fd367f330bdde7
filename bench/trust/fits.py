"""One fit, and what its report tells: the only place that knows the report's fields."""

from __future__ import annotations

import inspect
import time
import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.family import Row
from bench.metrics import best_permutation_error, error_rate
from ventris import NgramModel, SequenceClassifier
from ventris.errors import VentrisWarning

MISMATCH = "LabelModelMismatchWarning"
MOST_DOUBTED = 1 / 7  # of right runs, wherever a doubt excuses a wrong one
NAMES_WRONG = 0.02  # a renaming that lowers the error by more shows names that are wrong


def fit(
    lm: NgramModel, X: NDArray, lengths: NDArray | None = None, *, seed: int, known: Any = None, **asked: Any
) -> tuple[SequenceClassifier, Row]:
    """A classifier fitted on one thread; its CPU seconds and what its report tells."""
    there = inspect.signature(SequenceClassifier).parameters  # adapt= and n_fits= are new
    asked = {name: value for name, value in asked.items() if name in there}
    clf = SequenceClassifier(lm, n_jobs=1, random_state=seed, **asked)
    began = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", VentrisWarning)  # they stay in the report
        clf.fit(X, lengths=lengths, partial_labels=known)
    return clf, {"cpu": time.process_time() - began} | told(clf)


def told(clf: SequenceClassifier) -> Row:
    """What the report says about names and error, as plain data; None where it says nothing."""
    report = clf.report_
    interval = getattr(report, "error_interval", None)
    remarks = getattr(report, "remarks", None) or []
    return {
        "doubts": [name for name, _ in report.warnings],
        "remarks": [name for name, _ in remarks],
        "estimated_error": _plain(getattr(report, "estimated_error", None)),
        "error_interval": None if interval is None else [_plain(end) for end in interval],
        "naming_probability": _plain(getattr(report, "naming_probability", None)),
        "adapted": bool(getattr(report, "adapted", None)),
    }


def signs(clf: SequenceClassifier) -> dict[str, float]:
    """The report's features by name, for calibration; those of an older report where it has none."""
    report = clf.report_
    given = getattr(report, "signs", None)
    if given is None:
        given = {
            "excess_cost": report.excess_cost,
            "score": report.score,
            "margin": report.margin,
            "recurrence": report.recurrence / max(1, report.n_starts),
            "usage_distance": report.usage.get("distance"),
            "point_entropy": report.usage.get("point_entropy"),
        }
    return {name: float(value) for name, value in given.items() if value is not None}


def _plain(value: Any) -> float | None:
    return None if value is None or not np.isfinite(value) else float(value)


# -------------------------------------------------------------------------------------- what rows are asked


def numbered(clf: SequenceClassifier, labels: NDArray) -> NDArray:
    """Labels as class numbers."""
    numbers = {name: number for number, name in enumerate(clf.classes_.tolist())}
    return np.array([numbers[label] for label in np.asarray(labels).tolist()])


def errors(clf: SequenceClassifier, X: NDArray, y: NDArray) -> Row:
    """Test errors of each point alone and in its sequence, as named and after the best renaming."""
    alone, decoded = numbered(clf, clf.predict(X)), numbered(clf, clf.decode(X))
    n_classes = len(clf.classes_)
    return {
        "error": error_rate(y, alone),
        "renamed": best_permutation_error(y, alone, n_classes),
        "decoded": error_rate(y, decoded),
        "decoded_renamed": best_permutation_error(y, decoded, n_classes),
    }


def flagged(row: Row) -> bool:
    """Whether the report says that the label model does not belong to the data."""
    return MISMATCH in row["doubts"] or MISMATCH in row["remarks"]


def doubted(row: Row, besides: Iterable[str] = ()) -> bool:
    """Whether any doubt was voiced; `besides` those that are true of the task and say nothing of names."""
    return bool(set(row["doubts"]) - set(besides))


def doubt_numbers(rows: list[Row], right: list[bool], besides: Iterable[str] = ()) -> Row:
    """How many are wrong in silence, and the share of the right ones that are doubted as well."""
    besides = tuple(besides)
    said = [doubted(row, besides) for row in rows]
    n_right = sum(right)
    cried_wolf = sum(d for d, r in zip(said, right, strict=True) if r)
    return {
        "right": n_right,
        "wrong, silent": sum(not d and not r for d, r in zip(said, right, strict=True)),
        "right, doubted": cried_wolf / n_right if n_right else 0.0,
    }


def percent(value: float | None) -> str:
    """An error rate as it is shown."""
    return "–" if value is None else f"{100 * value:.2f} %"


def ending(row: Row) -> str:
    """How every line ends: time, what the report estimates, doubts and remarks."""
    estimate = "" if row["estimated_error"] is None else f"  estimated {percent(row['estimated_error'])}"
    names = "" if row["naming_probability"] is None else f"  names {row['naming_probability']:.2f}"
    remarks = f"  ({' '.join(row['remarks'])})" if row["remarks"] else ""
    return f"CPU {row['cpu']:.2f} s{estimate}{names}  {' '.join(row['doubts'])}{remarks}"
