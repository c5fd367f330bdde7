"""The table that turns signs of a fit into an honest number, fitted: the library only reads it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ventris.diagnostics.calibration import CLIP, SCALE, Row, Table, bent, design, estimate, logistic, outlook

__all__ = ["Table", "estimate", "fit_table", "outlook", "rounded"]

N_KNOTS, N_RESIDUALS, DIGITS = 17, 21, 4
# Fits of a leaf at least, and numbers in it; the file is to stay below 100 kB.
N_TREES, LEAST_LEAF, N_LEAF = 24, 8, 3
PENALTY = 1.0  # unmeasured: scikit-learn's C
NAMES_WRONG, RIGHT = 0.02, 0.05  # as in bench.trust


def fit_table(
    rows: Sequence[Row], *, forest_share: float = 0.5, point: float = 0.5, level: float = 0.9
) -> Table:
    """The table of these fits: rows hold `signs`, `error`, `renamed` and `best`."""
    signs = rounded([_describe(name, rows) for name in _names(rows)])
    z = design(signs, [row["signs"] for row in rows])
    error, renamed, best = (np.array([row[key] for row in rows]) for key in ("error", "renamed", "best"))
    wrong = error > best + RIGHT
    models = {
        "wrong": _probable(z, wrong),
        "names": _probable(z, error > renamed + NAMES_WRONG),
        "right_error": _share(z[~wrong], error[~wrong]),
        "wrong_error": _share(z[wrong], error[wrong]),
    }
    forest = _forest(z, error)
    chosen = {"forest_share": forest_share, "point": point, "level": level}
    return {"signs": signs, **rounded(models), "forest": forest, **chosen, "n_fits": len(rows)}


def _forest(z: NDArray, error: NDArray) -> list[Any]:
    """Trees whose leaves hold what errors are in them (extremely randomised trees)."""
    from sklearn.ensemble import ExtraTreesRegressor

    forest = ExtraTreesRegressor(N_TREES, min_samples_leaf=LEAST_LEAF, random_state=0).fit(z, error)
    return [_nodes(tree.tree_, tree.apply(z.astype(np.float32)), error) for tree in forest.estimators_]


def _nodes(tree: Any, at: NDArray, error: NDArray, number: int = 0) -> list[Any]:
    """A tree as nested lists; `at` is the leaf that each row falls into."""
    children = tree.children_left[number], tree.children_right[number]
    if children[0] < 0:
        parts = np.array_split(np.sort(error[at == number]), N_LEAF)
        return [round(SCALE * float(part.mean())) for part in parts]
    below, above = (_nodes(tree, at, error, child) for child in children)
    return [int(tree.feature[number]), round(SCALE * float(tree.threshold[number])), below, above]


def _names(rows: Sequence[Row]) -> list[str]:
    """Signs that most rows have, and that differ."""
    names = sorted({name for row in rows for name in row["signs"]})
    values = {name: np.array([row["signs"].get(name, np.nan) for row in rows], dtype=float) for name in names}
    return [
        name for name, x in values.items() if np.isfinite(x).mean() > 0.5 and np.ptp(x[np.isfinite(x)]) > 0
    ]


def _describe(name: str, rows: Sequence[Row]) -> Table:
    x = np.array([row["signs"].get(name, np.nan) for row in rows], dtype=float)
    x = x[np.isfinite(x)]
    kind = "logit" if x.min() >= 0 and x.max() <= 1 else "log"
    scale = float(np.median(np.abs(x[x != 0]))) if kind == "log" and np.any(x) else 1.0
    shown = bent(x, kind, scale)
    spread = float(shown.std()) or 1.0
    return {"name": name, "kind": kind, "scale": scale, "centre": float(shown.mean()), "spread": spread}


def _logit_model(z: NDArray, share: NDArray) -> tuple[float, list[float]]:
    """Logistic regression on shares: each row counts as both answers, by its share of each."""
    from sklearn.linear_model import LogisticRegression

    rows, answers = np.vstack([z, z]), np.repeat([1, 0], len(z))
    model = LogisticRegression(C=PENALTY, max_iter=2000)
    model.fit(rows, answers, sample_weight=np.concatenate([share, 1 - share]))
    return float(model.intercept_[0]), model.coef_[0].tolist()


def _probable(z: NDArray, happened: NDArray) -> Table:
    intercept, weights = _logit_model(z, happened.astype(float))
    return {"intercept": intercept, "weights": weights} | _monotone(
        logistic(intercept + z @ np.array(weights)), happened.astype(float)
    )


def _share(z: NDArray, error: NDArray) -> Table:
    intercept, weights = _logit_model(z, error)
    clipped = np.clip(error, CLIP, 1 - CLIP)
    missed = np.log(clipped / (1 - clipped)) - (intercept + z @ np.array(weights))
    levels = (np.arange(N_RESIDUALS) + 0.5) / N_RESIDUALS
    return {"intercept": intercept, "weights": weights, "residuals": np.quantile(missed, levels).tolist()}


def _monotone(x: NDArray, y: NDArray) -> Table:
    """A rising line through the means of y over equal parts of x, from 0 to 1."""
    from sklearn.isotonic import IsotonicRegression

    parts = np.array_split(np.argsort(x, kind="stable"), min(N_KNOTS - 2, max(1, len(x) // 20)))
    centres = np.array([x[part].mean() for part in parts])
    means, sizes = np.array([y[part].mean() for part in parts]), [len(part) for part in parts]
    risen = IsotonicRegression(y_min=0, y_max=1).fit(centres, means, sample_weight=sizes).predict(centres)
    return {
        "x": [0.0, *centres.tolist(), 1.0],
        "y": [min(0.0, risen[0]), *risen.tolist(), max(1.0, risen[-1])],
    }


def rounded(table: Any, digits: int = DIGITS) -> Any:
    """The same table with numbers short enough for a small file."""
    if isinstance(table, dict):
        return {key: rounded(value, digits) for key, value in table.items()}
    if isinstance(table, list):
        return [rounded(value, digits) for value in table]
    return float(f"{table:.{digits}g}") if isinstance(table, float) else table
