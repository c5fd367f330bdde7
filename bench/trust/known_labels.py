"""A few known labels, spread in six ways, under the right label model and under a wrong one.

A run contradicts its known labels if it reads at least two more of them wrong than the classifier that was
given all labels does: a point near a boundary is no quarrel about names. Names are right if the test error is
within 5 points of supervised. Under the wrong label model a doubt is always in place: false alarms are those
under the right one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from bench.family import Family, Row
from bench.reference import predict
from bench.tasks import Task
from bench.trust.fits import (
    NAMES_WRONG,
    doubt_numbers,
    doubted,
    ending,
    errors,
    fit,
    numbered,
    percent,
)
from bench.trust.label_model_off import gaussian_task
from bench.trust.wrong_models import mixed, random_matrix
from ventris import NgramModel
from ventris.datasets.references import fit_supervised

N_CLASSES, N_POINTS, N_SEQUENCES, SPREAD = 5, 10_000, 10, 1.5
SHARE_OF_OTHER = 0.4  # of another random matrix in the wrong label model
CLOSE, L2 = 0.05, 1e-4
Rng = np.random.Generator


def _scattered(y: NDArray, rng: Rng, n_known: int) -> NDArray:
    return rng.choice(len(y), n_known, replace=False)


def _of_each(y: NDArray, rng: Rng, n_known: int) -> NDArray:
    return np.concatenate(
        [rng.choice(np.flatnonzero(y == c), n_known, replace=False) for c in range(N_CLASSES)]
    )


def _of_one(y: NDArray, rng: Rng, n_known: int) -> NDArray:
    return rng.choice(np.flatnonzero(y == rng.integers(N_CLASSES)), n_known, replace=False)


def _of_a_sequence(y: NDArray, rng: Rng) -> NDArray:
    length = N_POINTS // N_SEQUENCES
    return np.arange(length) + length * int(rng.integers(N_SEQUENCES))


WAYS: dict[str, Callable[[NDArray, Rng], NDArray]] = {
    "20 scattered": partial(_scattered, n_known=20),
    "2 a class": partial(_of_each, n_known=2),
    "3 a class": partial(_of_each, n_known=3),
    "5 a class": partial(_of_each, n_known=5),
    "one class 20": partial(_of_one, n_known=20),
    "one sequence": _of_a_sequence,
}


@dataclass(frozen=True)
class Known:
    """A task, the label model that is given, and the points whose labels are known."""

    task: Task
    given: NgramModel
    model: str
    way: str
    rows: NDArray


def known(model: str, way: str, seed: int) -> Known:
    """One data set and one wrong label model a seed; known points differ from way to way."""
    task = gaussian_task(N_CLASSES, seed, 40, SPREAD, N_POINTS)
    matrix = np.asarray(task.lm.conditional(2))
    if model == "wrong":
        other = random_matrix(N_CLASSES, np.random.default_rng([seed, 41]))
        matrix = mixed(matrix, other, SHARE_OF_OTHER)
    rows = WAYS[way](task.y_train, np.random.default_rng([seed, 42, list(WAYS).index(way)]))
    return Known(task, NgramModel.from_transition_matrix(matrix), model, way, np.sort(rows))


def measure(case: Known) -> Row:
    """A fit that is told the known labels, and how it reads them."""
    task, rows = case.task, case.rows
    told = np.full(N_POINTS, -1)
    told[rows] = task.y_train[rows]
    lengths = np.full(N_SEQUENCES, N_POINTS // N_SEQUENCES)
    clf, row = fit(case.given, task.X_train, lengths, seed=task.seed, known=told)
    supervised = fit_supervised(task.X_train, task.y_train, N_CLASSES, l2=L2)
    truth, X = task.y_train[rows], task.X_train[rows]
    return (
        row
        | errors(clf, task.X_test, task.y_test)
        | {
            "task": f"{case.way}, {case.model} model",
            "seed": task.seed,
            "model": case.model,
            "known": len(rows),
            "fewest_a_class": int(np.bincount(truth, minlength=N_CLASSES).min()),
            "contradicted": int(np.sum(numbered(clf, clf.predict(X)) != truth)),
            "supervised_contradicted": int(np.sum(predict(supervised, X) != truth)),
            "supervised": float(np.mean(predict(supervised, task.X_test) != task.y_test)),
        }
    )


def contradicts(row: Row) -> bool:
    """Two known labels or more beyond those that supervised learning misreads; of many, one in a hundred."""
    allowed = max(1, row["known"] // 100)
    return row["contradicted"] > row["supervised_contradicted"] + allowed


def names_right(row: Row) -> bool:
    """Within 5 points of supervised."""
    return row["error"] <= row["supervised"] + CLOSE


def numbers(rows: list[Row]) -> Row:
    """Contradictions, those in silence, and the share of right names where every class has two labels."""
    enough = [row for row in rows if row["fewest_a_class"] >= 2]
    quarrels = [row for row in rows if contradicts(row)]
    right_model = [row for row in rows if row["model"] == "right"]
    return {
        "runs": len(rows),
        "contradicted": len(quarrels),
        "contradicted, silent": sum(not doubted(row) for row in quarrels),
        "names right, two a class": sum(map(names_right, enough)) / len(enough) if enough else float("nan"),
        "runs with two a class": len(enough),
        "names right": sum(map(names_right, rows)) / len(rows),
        "no better renaming": sum(row["error"] <= row["renamed"] + NAMES_WRONG for row in rows) / len(rows),
        "names right, right model": sum(map(names_right, right_model)) / max(1, len(right_model)),
        "right, doubted": doubt_numbers(right_model, [names_right(r) for r in right_model])["right, doubted"],
        "cpu": float(np.mean([row["cpu"] for row in rows])),
    }


def line(row: Row) -> str:
    """A run."""
    return (
        f"{row['task']:<26} seed {row['seed']}  supervised {percent(row['supervised'])}  unsupervised "
        f"{percent(row['error'])} (renamed {percent(row['renamed'])})  {row['contradicted']} of "
        f"{row['known']} contradicted ({row['supervised_contradicted']})  {ending(row)}"
    )


FAMILY = Family(
    "known labels",
    tuple(partial(known, model, way) for model in ("right", "wrong") for way in WAYS),
    5,
    measure=measure,
    numbers=numbers,
    line=line,
)
