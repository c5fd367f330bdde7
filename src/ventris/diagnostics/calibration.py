"""From signs of a fit to an honest number: a table learnt on random problems says what they are worth.

A fit is either right (within 5 points of the best classifier of single points) or wrong. Three logistic
models on the same signs say how probable it is that the fit is wrong, how many points are wrong if the fit is
right, and how many if it is wrong; a fourth, how probable it is that names are wrong. The estimate lies
between the mean of the mixture, by which every right fit pays for the few wrong ones that look like it, and
its median, which keeps silent about these; the interval holds the middle of the mixture of both models'
residuals.

The table is plain JSON:

    signs          [{name, kind, scale, centre, spread}]: a sign x becomes z = (f(x) − centre) / spread, f
                   the logit of x clipped to [0.001, 0.999] for kind "logit" and sign(x) ln(1 + |x| / scale)
                   for "log"; a sign that is missing or no number has z = 0; z is clipped to [−4, 4]
    products       whether products z_i z_j, i ≤ j (row by row of the upper triangle), follow the z's
    wrong, names   {intercept, weights, x, y}: probability = y at logistic(intercept + weights · z), read off
                   the line through the points (x, y)
    right_error, wrong_error
                   {intercept, weights, residuals}: logit of the share of wrong points; residuals are its
                   errors' quantiles, evenly spaced, in logits
    lean           how far the estimate lies from the mean (0) towards the median (1): as near as what is
                   estimated of seeds not learnt from stays without bias; 0 if it is not there
    level          the share of the mixture that the 90 % interval holds, so chosen that 90 % are covered
    n_fits         fits the table was learnt from
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

Table = dict[str, Any]
Row = Mapping[str, Any]

CLIP, FURTHEST = 1e-3, 4.0  # unmeasured: where shares and standardised signs are cut off


@cache
def calibration() -> Table:
    """The table that `python -m bench.calibration write` wrote."""
    return json.loads(files("ventris.diagnostics").joinpath("calibration.json").read_text(encoding="utf-8"))


def estimate(table: Table, signs: Mapping[str, float]) -> dict[str, float]:
    """Estimated error, its interval's ends, and the probabilities that the fit and its names are right.

    Examples
    --------
    >>> sign = {"name": "expected", "kind": "logit", "scale": 1.0, "centre": 0.0, "spread": 1.0}
    >>> line = {"x": [0.0, 1.0], "y": [0.0, 1.0]}
    >>> never = {"intercept": -30.0, "weights": [0.0]} | line
    >>> share = {"intercept": 0.0, "weights": [1.0], "residuals": [-0.1, 0.0, 0.1]}
    >>> table = {"signs": [sign], "products": False, "wrong": never, "names": never,
    ...          "right_error": share, "wrong_error": share, "level": 0.9}
    >>> round(estimate(table, {"expected": 0.25})["estimated_error"], 3)
    0.25
    """
    z = design(table["signs"], [signs], table["products"])[0]
    wrong, names = (_probability(table[head], z) for head in ("wrong", "names"))
    logits = [table[head]["intercept"] + float(z @ table[head]["weights"]) for head in ERRORS]
    means = [float(logistic(logit)) for logit in logits]
    atoms = [
        logistic(np.asarray(table[h]["residuals"]) + logit) for h, logit in zip(ERRORS, logits, strict=True)
    ]
    shares = (1 - wrong, wrong)
    low, high = _middle(atoms, shares, table["level"])
    mean, median = shares[0] * means[0] + shares[1] * means[1], _middle(atoms, shares, 0.0)[0]
    found = mean + table.get("lean", 0.0) * (median - mean)
    return {
        "estimated_error": found,
        "low": min(low, found),
        "high": max(high, found),
        "right_probability": 1 - wrong,
        "naming_probability": 1 - names,
    }


ERRORS = ("right_error", "wrong_error")


def design(signs: Sequence[Row], rows: Sequence[Mapping[str, float]], products: bool) -> NDArray:
    """Signs as the models take them: shape (n, number of weights)."""
    raw = np.array([[row.get(sign["name"], np.nan) for sign in signs] for row in rows], dtype=float)
    z = np.empty_like(raw)
    for k, sign in enumerate(signs):
        z[:, k] = (bent(raw[:, k], sign["kind"], sign["scale"]) - sign["centre"]) / sign["spread"]
    z = np.clip(np.where(np.isfinite(z), z, 0.0), -FURTHEST, FURTHEST)
    if not products:
        return z
    i, j = np.triu_indices(len(signs))
    return np.hstack([z, z[:, i] * z[:, j]])


def bent(x: NDArray, kind: str, scale: float) -> NDArray:
    if kind == "logit":
        x = np.clip(x, CLIP, 1 - CLIP)
        return np.log(x / (1 - x))
    return np.sign(x) * np.log1p(np.abs(x) / scale)


def logistic(x: Any) -> Any:
    return 1 / (1 + np.exp(-np.clip(x, -30, 30)))


def _curve(points: Row) -> tuple[list[float], list[float]]:
    return points["x"], points["y"]


def _probability(head: Row, z: NDArray) -> float:
    return float(np.interp(logistic(head["intercept"] + float(z @ head["weights"])), *_curve(head)))


def _middle(atoms: list[NDArray], shares: Sequence[float], level: float) -> tuple[float, float]:
    """Ends of the middle part of a mixture of equally weighted atoms."""
    values = np.concatenate(atoms)
    weights = np.concatenate([np.full(len(a), s / len(a)) for a, s in zip(atoms, shares, strict=True)])
    order = np.argsort(values, kind="stable")
    reached = weights[order].cumsum()
    ends = np.searchsorted(reached, [(1 - level) / 2, (1 + level) / 2])
    low, high = values[order][np.minimum(ends, len(values) - 1)]
    return float(low), float(high)
