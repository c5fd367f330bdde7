"""Shapes no Gaussian describes from 4,000 points only: heavy tails, moons, clouds in zigzag."""

from __future__ import annotations

from functools import partial

import numpy as np

from bench.family import Family, Row
from bench.misspecified import SHAPES, misspecified
from bench.reference import supervised_reference
from bench.tasks import Task
from bench.trust.fits import ending, errors, fit, percent

N_POINTS, CHAINS = 4_000, (2, 5, 10)  # names and sequence both tell enough from so few points


def shape(name: str, chain: int, seed: int) -> Task:
    """Labels of one of the paper's chains."""
    return misspecified(name, chain, seed, n_train=N_POINTS)


def measure(task: Task) -> Row:
    """A fit beside the tuned log-linear classifier that was given the labels."""
    clf, row = fit(task.lm, task.X_train, seed=task.seed)
    reference = supervised_reference(task)
    return (
        row
        | errors(clf, task.X_test, task.y_test)
        | {
            "task": task.name,
            "seed": task.seed,
            "shape": task.name.split(",")[0],
            "supervised": reference.error_rate,
        }
    )


def numbers(rows: list[Row]) -> Row:
    """The mean ratio of each shape, and the worst of them."""
    means = {
        name: float(np.mean([r["error"] / r["supervised"] for r in rows if r["shape"] == name]))
        for name in dict.fromkeys(row["shape"] for row in rows)
    }
    return {
        "runs": len(rows),
        "worst mean ratio of a shape": max(means.values()),
        **means,
        "worst ratio": max(row["error"] / row["supervised"] for row in rows),
        "cpu": float(np.mean([row["cpu"] for row in rows])),
    }


def line(row: Row) -> str:
    """A run."""
    return (
        f"{row['task']:<22} seed {row['seed']}  supervised {percent(row['supervised'])}  unsupervised "
        f"{percent(row['error'])} ({row['error'] / row['supervised']:.2f}x)  {ending(row)}"
    )


FAMILY = Family(
    "shapes at 4,000",
    tuple(partial(shape, name, chain) for name in SHAPES for chain in CHAINS),
    5,
    measure=measure,
    numbers=numbers,
    line=line,
)
