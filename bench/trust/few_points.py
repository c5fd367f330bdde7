"""Few points: Gaussian HMMs of 5, 10 and 26 labels from 300, 1,000 and 3,000 points.

Supervised is the better of two: logistic regression, its penalty chosen on the last fifth of the training
points, and the linear discriminant with Ledoit–Wolf shrinkage.
"""

from __future__ import annotations

import warnings
from functools import partial

import numpy as np

from bench.family import Family, Row
from bench.metrics import error_rate
from bench.tasks import Task
from bench.trust.fits import doubt_numbers, doubted, ending, errors, fit, percent
from bench.trust.label_model_off import gaussian_task

SIZES, LABELS, SPREAD = (300, 1_000, 3_000), (5, 10, 26), 1.5
PENALTIES = (0.01, 0.1, 1.0, 10.0)  # scikit-learn's C
HOPELESS = (26, 300)  # labels, points: here a doubt is asked for
CLOSE = {300: 1.3, 1_000: 1.1, 3_000: 1.1}  # times the supervised error


def few(n_classes: int, n_points: int, seed: int) -> Task:
    """A random Gaussian HMM as in the family HMM 5, 10, 26, cut short."""
    return gaussian_task(n_classes, seed, 80, SPREAD, n_points)


def supervised_errors(task: Task) -> dict[str, float]:
    """Test errors of the two classifiers that were given the labels."""
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    X, y, cut = task.X_train, task.y_train, len(task.y_train) * 4 // 5

    def logistic(penalty: float, n_points: int) -> object:
        model = make_pipeline(StandardScaler(), LogisticRegression(C=penalty, max_iter=300))
        return model.fit(X[:n_points], y[:n_points])

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of iterations that ended early, and of labels seen once
        held_out = {c: error_rate(y[cut:], logistic(c, cut).predict(X[cut:])) for c in PENALTIES}
        best = logistic(min(held_out, key=held_out.__getitem__), len(y))
        discriminant = LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto").fit(X, y)
    models = {"logistic": best, "discriminant": discriminant}
    return {name: error_rate(task.y_test, model.predict(task.X_test)) for name, model in models.items()}


def measure(task: Task) -> Row:
    """A fit beside both supervised ones."""
    clf, row = fit(task.lm, task.X_train, seed=task.seed)
    supervised = supervised_errors(task)
    return (
        row
        | errors(clf, task.X_test, task.y_test)
        | supervised
        | {
            "task": f"{task.lm.n_classes} labels, {len(task.X_train)} points",
            "seed": task.seed,
            "labels": task.lm.n_classes,
            "points": len(task.X_train),
            "supervised": min(supervised.values()),
        }
    )


def is_close(row: Row) -> bool:
    """Within what is asked of its number of points."""
    return row["error"] <= CLOSE[row["points"]] * row["supervised"]


def numbers(rows: list[Row]) -> Row:
    """The median ratio of each cell of labels and points; the worst cells, and who was doubted."""
    cells: dict[tuple[int, int], list[float]] = {}
    for row in rows:
        cells.setdefault((row["labels"], row["points"]), []).append(row["error"] / row["supervised"])
    medians = {cell: float(np.median(ratios)) for cell, ratios in cells.items()}
    hopeless = [row for row in rows if (row["labels"], row["points"]) == HOPELESS]
    others = [row for row in rows if (row["labels"], row["points"]) != HOPELESS]
    return {
        "runs": len(rows),
        "worst median from 1,000 on": max(
            (m for (_, n), m in medians.items() if n >= 1_000), default=float("nan")
        ),
        "worst median at 300": max(
            (m for (c, n), m in medians.items() if n == 300 and (c, n) != HOPELESS), default=float("nan")
        ),
        "26 at 300, neither close nor doubted": sum(
            not is_close(row) and not doubted(row) for row in hopeless
        ),
        "close, doubted": doubt_numbers(others, [is_close(row) for row in others])["right, doubted"],
        **{f"{c} labels, {n} points": m for (c, n), m in sorted(medians.items())},
        "cpu": float(np.mean([row["cpu"] for row in rows])),
    }


def line(row: Row) -> str:
    """A run."""
    return (
        f"{row['task']:<22} seed {row['seed']}  logistic {percent(row['logistic'])}  discriminant "
        f"{percent(row['discriminant'])}  unsupervised {percent(row['error'])} "
        f"({row['error'] / row['supervised']:.2f}x)  decoded {percent(row['decoded'])}  {ending(row)}"
    )


FAMILY = Family(
    "few points",
    tuple(partial(few, n_classes, n_points) for n_classes in LABELS for n_points in SIZES),
    5,
    measure=measure,
    numbers=numbers,
    line=line,
)
