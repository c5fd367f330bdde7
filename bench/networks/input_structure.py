"""Few points, 3,000 glyphs: what a term on the inputs alone is worth to a network learnt without labels."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from bench.family import Family, Row
from bench.networks.fits import label_free, learner, one_thread, supervised, why_not
from bench.tasks import Task, glyphs_mixed_fonts
from bench.trust.fits import percent

N_POINTS = 3_000
WAYS: dict[str, dict[str, Any]] = {
    "without": {},
    "consistency": {"input_loss": "consistency"},
    "reconstruction": {"input_loss": "reconstruction"},
    "pre-trained": {"input_loss": "reconstruction", "input_weight": 0.1, "pretrain_epochs": 30},
}


def few_glyphs(seed: int) -> Task:
    """The first 3,000 symbols of the mixed fonts; as many validate."""
    task = glyphs_mixed_fonts(seed)
    return replace(
        task,
        name="3,000 glyphs",
        X_train=task.X_train[:N_POINTS],
        y_train=task.y_train[:N_POINTS],
        lengths=np.array([N_POINTS]),
        X_validation=task.X_validation[:N_POINTS],
        y_validation=task.y_validation[:N_POINTS],
    )


def measure(task: Task) -> Row:
    """Every way, and the supervised network without any."""
    one_thread()
    found = {name: label_free(task, learner("cnn", task.seed, **asked)) for name, asked in WAYS.items()}
    linear = label_free(task, None)
    return {
        "task": task.name,
        "seed": task.seed,
        "linear": linear["error"],
        **{name: row["error"] for name, row in found.items()},
        "cpu": sum(row["cpu"] for row in (linear, *found.values())),
        "doubts": found["without"]["doubts"],
    } | supervised(task, "cnn")


def numbers(rows: list[Row]) -> Row:
    """The mean error of each way."""
    names = ("supervised", "linear", *WAYS)
    minutes = sum(row["cpu"] + row["supervised_cpu"] for row in rows) / 60
    means = {name: float(np.mean([row[name] for row in rows])) for name in names}
    return {"runs": len(rows), **means, "cpu-minutes in all": minutes}


def line(row: Row) -> str:
    """A run."""
    ways = "  ".join(f"{name} {percent(row[name])}" for name in ("supervised", "linear", *WAYS))
    return f"{row['task']} seed {row['seed']}  {ways}  CPU {row['cpu']:.0f} s"


FAMILY = Family(
    "networks: 3,000 glyphs", (few_glyphs,), 5, measure=measure, numbers=numbers, line=line, why_not=why_not
)
