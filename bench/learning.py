"""Label-free learning: every family of tasks, every seed, beside the tuned supervised reference."""

from __future__ import annotations

import time
import warnings
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import numpy as np

from bench.family import Row
from bench.metrics import best_permutation_error, error_rate, expected_calibration_error
from bench.reference import bayes_error, supervised_reference
from bench.tasks import Task, paper_chain
from ventris import SequenceClassifier
from ventris.datasets import load_language
from ventris.datasets.glyphs import make_glyphs
from ventris.errors import VentrisWarning
from ventris.inference.score import infer_labels


def warm_up() -> None:
    """Compile what a fit compiles once, in both precisions: a machine's first fit is not what is measured."""
    text = "the first fit on a machine compiles its loops and would look slow " * 50
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", VentrisWarning)
        letters, glyphs = load_language("en", order=4), make_glyphs(text).X
        outputs = SequenceClassifier(letters, random_state=0).fit(glyphs).predict_proba(glyphs)
        # So little print takes neither the last orders nor the way of long sequences, walked from both ends.
        outputs = np.tile(outputs, (30, 1))
        for order in range(2, letters.order + 1):
            infer_labels(outputs, np.array([len(outputs)]), letters, order)
        chain = paper_chain(1, 0)
        SequenceClassifier(chain.lm, random_state=0).fit(chain.X_train)


def measure(task: Task, **parameters: Any) -> Row:
    """Fit without labels, and only then look at them."""
    clf = SequenceClassifier(task.lm, random_state=task.seed, **parameters)
    wall, cpu = time.perf_counter(), time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", VentrisWarning)  # they stay in the report
        clf.fit(task.X_train, lengths=task.lengths)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    classes = np.asarray(task.lm.classes)
    predicted, truth = clf.predict(task.X_test), classes[task.y_test]
    reference = supervised_reference(task)
    steps: dict[str, float] = defaultdict(float)
    for row in clf.history_:
        steps[row.get("step", "solve")] += row.get("cpu_seconds", 0.0)
    return {
        "task": task.name,
        "seed": task.seed,
        "supervised": reference.error_rate,
        "unsupervised": error_rate(truth, predicted),
        "renamed": best_permutation_error(
            task.y_test, clf.predict_proba(task.X_test).argmax(1), len(classes)
        ),
        "decoded": error_rate(truth, clf.decode(task.X_test)),
        "supervised_decoded": reference.decoded_error,
        "bayes_decoded": bayes_error(task),
        "calibration": expected_calibration_error(clf.predict_proba(task.X_test), task.y_test),
        "excess_cost": clf.excess_cost_,
        "score": clf.report_.score,
        "cpu": cpu,
        "seconds": wall,
        "supervised_cpu": reference.cpu_seconds,
        "steps": dict(steps),
        "doubts": [name for name, _ in clf.report_.warnings],
    }


def right_basin(row: Row) -> bool:
    """Whether the labels have their right names: no renaming would more than halve the error."""
    return row["unsupervised"] <= 2 * row["renamed"] + 0.02


def summarise(rows: Iterable[Row]) -> Row:
    """One line for a family: gaps in points, ratios, worst cases, time."""
    rows = list(rows)
    gaps = np.array([100 * (row["unsupervised"] - row["supervised"]) for row in rows])
    ratios = np.array([row["unsupervised"] / max(row["supervised"], 1e-9) for row in rows])
    return {
        "runs": len(rows),
        "right": sum(right_basin(row) for row in rows),
        "mean gap": float(gaps.mean()),
        "gap s.e.": float(gaps.std(ddof=1) / np.sqrt(len(gaps))) if len(gaps) > 1 else 0.0,
        "worst gap": float(gaps.max()),
        "mean ratio": float(ratios.mean()),
        "worst ratio": float(ratios.max()),
        "decoded": float(np.mean([row["decoded"] for row in rows])),
        "supervised decoded": float(np.mean([row["supervised_decoded"] for row in rows])),
        "bayes decoded": float(np.mean([row["bayes_decoded"] for row in rows])),
        "worst decoded ratio": float(
            max(row["decoded"] / max(row["supervised_decoded"], 1e-9) for row in rows)
        ),
        "calibration": float(np.mean([row["calibration"] for row in rows])),
        "cpu": float(np.mean([row["cpu"] for row in rows])),
        "cpu / supervised": float(np.mean([row["cpu"] / max(row["supervised_cpu"], 1e-9) for row in rows])),
        "unsound, unwarned": sum(
            row["unsupervised"] > 1.25 * row["supervised"] + 0.01 and not row["doubts"] for row in rows
        ),
    }
