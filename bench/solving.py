"""The paper's method on its ten chains: both solvers from scratch, with and without an intercept."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from bench.metrics import error_rate
from bench.reference import supervised_reference
from bench.tasks import paper_chain
from ventris import SequenceClassifier
from ventris.errors import VentrisWarning

Row = dict[str, Any]
METHODS = ("full-batch", "spdg")


def rows(seeds: int = 3, methods: tuple[str, ...] = METHODS) -> Iterator[Row]:
    """One row for each chain, seed, method and form of the classifier."""
    for number in range(1, 11):
        for seed in range(seeds):
            task = paper_chain(number, seed)
            supervised = supervised_reference(task).error_rate
            for method in methods:
                for intercept in (True, False) if seed == 0 else (True,):
                    yield _measure(task, supervised, method, intercept) | {"chain": number, "seed": seed}


def _measure(task: Any, supervised: float, method: str, intercept: bool) -> Row:
    features = "full" if intercept else "diagonal"  # the printed model: two weights, no intercept
    clf = SequenceClassifier(
        task.lm, method=method, fit_intercept=intercept, features=features, random_state=task.seed
    )
    began = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", VentrisWarning)
        clf.fit(task.X_train)
    return {
        "method": method,
        "intercept": intercept,
        "supervised": supervised,
        "error": error_rate(task.y_test, clf.predict(task.X_test)),
        "excess_cost": clf.excess_cost_,
        "cpu": time.process_time() - began,
        "doubts": [name for name, _ in clf.report_.warnings],
    }


def summarise(measured: list[Row]) -> dict[str, Row]:
    """Right basins and gaps to supervised, in points, of each method with an intercept."""
    out = {}
    for method in METHODS:
        chosen = [row for row in measured if row["method"] == method and row["intercept"]]
        gaps = np.array([100 * (row["error"] - row["supervised"]) for row in chosen])
        right = sum(row["error"] < 0.5 for row in chosen)
        out[method] = {
            "runs": len(chosen),
            "right": right,
            "mean gap": float(gaps.mean()),
            "worst gap": float(gaps.max()),
            "cpu": float(np.mean([row["cpu"] for row in chosen])),
        }
    return out


def line(row: Row) -> str:
    """One run in one line."""
    form = "intercept" if row["intercept"] else "as printed"
    return (
        f"chain {row['chain']:2} seed {row['seed']} {row['method']:10} {form:10} "
        f"supervised {100 * row['supervised']:5.2f} %  error {100 * row['error']:5.2f} %  "
        f"J − H {row['excess_cost']:.4f}  CPU {row['cpu']:.1f} s  {' '.join(row['doubts'])}"
    )
