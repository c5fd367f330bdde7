"""From signs of a fit to an honest number: a table learnt on random problems says what they are worth.

A fit is either right (within 5 points of the best classifier of single points) or wrong. Three logistic
models on the same signs say how probable it is that the fit is wrong, how many points are wrong if the fit is
right, and how many if it is wrong; a fourth, how probable it is that names are wrong. A forest says the same
without such a form: each of its trees has a leaf for fits that look like this one, and what share of their
points was wrong (quantile regression forest). Both together are a distribution of the share of wrong points.
The estimate lies a little above its median: the median itself keeps silent about the few wrong fits that look
like right ones, the mean lets every right fit pay for them. The interval holds the distribution's middle.

The table is plain JSON:

    signs          [{name, kind, scale, centre, spread}]: a sign x becomes z = (f(x) − centre) / spread, f
                   the logit of x clipped to [0.001, 0.999] for kind "logit" and sign(x) ln(1 + |x| / scale)
                   for "log"; a sign that is missing or no number has z = 0; z is clipped to [−4, 4]
    wrong, names   {intercept, weights, x, y}: probability = y at logistic(intercept + weights · z), read off
                   the line through the points (x, y)
    right_error, wrong_error
                   {intercept, weights, residuals}: logit of the share of wrong points; residuals are its
                   errors' quantiles, evenly spaced, in logits
    forest         trees: a node is [number of a sign, border, node if z ≤ border, node if above], a leaf
                   the shares of wrong points of fits in it, sorted, averaged in equal parts; borders and
                   shares are in thousandths
    forest_share   of the distribution that is the forest's; the rest is the logistic models'
    point          the share of the distribution that lies below the estimate, so chosen that it has no bias
    level          the share of the distribution that the 90 % interval holds, so chosen that 90 % are covered
    n_fits         fits the table was learnt from

References
----------
N. Meinshausen, "Quantile regression forests", Journal of Machine Learning Research 7 (2006), 983-999.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Table = dict[str, Any]
Row = Mapping[str, Any]

ERRORS = ("right_error", "wrong_error")
SCALE = 1000  # of whole numbers, which take less room
CLIP, FURTHEST = 1e-3, 4.0  # unmeasured: where shares and standardised signs are cut off


@cache
def calibration() -> Table:
    """The table that `python -m bench.calibration write` wrote."""
    return json.loads(files("ventris.diagnostics").joinpath("calibration.json").read_text(encoding="utf-8"))


class Outlook(NamedTuple):
    """What is to be expected of a fit with such signs.

    Attributes
    ----------
    errors, weights : array of shape (n,)
        Shares of wrong points, and how probable each is.
    wrong, names : float
        Probabilities that the fit, and that its names, are wrong.
    """

    errors: NDArray
    weights: NDArray
    wrong: float
    names: float

    def quantiles(self, levels: Sequence[float]) -> list[float]:
        """Shares of wrong points below which so much of the distribution lies."""
        order = np.argsort(self.errors, kind="stable")
        at = np.searchsorted(self.weights[order].cumsum(), np.asarray(levels) - 1e-9)
        return self.errors[order][np.minimum(at, len(order) - 1)].tolist()

    def estimated(self, point: float, level: float) -> dict[str, float]:
        """The estimate, an interval that holds so much, and the probabilities of being right."""
        low, found, high = self.quantiles([(1 - level) / 2, point, (1 + level) / 2])
        return {
            "estimated_error": found,
            "low": min(low, found),
            "high": max(high, found),
            "right_probability": 1 - self.wrong,
            "naming_probability": 1 - self.names,
        }


def estimate(table: Table, signs: Mapping[str, float]) -> dict[str, float]:
    """Estimated error, its interval's ends, and the probabilities that the fit and its names are right.

    Examples
    --------
    >>> sign = {"name": "expected", "kind": "logit", "scale": 1.0, "centre": 0.0, "spread": 1.0}
    >>> line = {"x": [0.0, 1.0], "y": [0.0, 1.0]}
    >>> never = {"intercept": -30.0, "weights": [0.0]} | line
    >>> share = {"intercept": 0.0, "weights": [1.0], "residuals": [-0.1, 0.0, 0.1]}
    >>> table = {"signs": [sign], "wrong": never, "names": never, "right_error": share,
    ...          "wrong_error": share, "forest": [], "forest_share": 0.0, "point": 0.5, "level": 0.9}
    >>> round(estimate(table, {"expected": 0.25})["estimated_error"], 3)
    0.25
    """
    return outlook(table, signs).estimated(table["point"], table["level"])


def outlook(table: Table, signs: Mapping[str, float]) -> Outlook:
    """The distribution of the share of wrong points, by the logistic models and by the forest."""
    z = design(table["signs"], [signs])[0]
    wrong, names = (_probability(table[head], z) for head in ("wrong", "names"))
    atoms = [logistic(_logit(table[head], z) + np.asarray(table[head]["residuals"])) for head in ERRORS]
    leaves = np.array([error for tree in table["forest"] for error in leaf(tree, z)]) / SCALE
    by_trees = table["forest_share"] if len(leaves) else 0.0
    shares = ((1 - by_trees) * (1 - wrong), (1 - by_trees) * wrong, by_trees)
    parts = (*atoms, leaves)
    weights = [
        np.full(len(part), share / max(1, len(part))) for part, share in zip(parts, shares, strict=True)
    ]
    return Outlook(np.concatenate(parts), np.concatenate(weights), wrong, names)


def leaf(node: list[Any], z: NDArray) -> list[int]:
    """The leaf of a tree that signs fall into.

    Examples
    --------
    >>> leaf([1, 500, [10, 20], [0, -1000, [30], [40]]], np.array([0.0, 2.0]))
    [40]
    """
    while isinstance(node[-1], list):
        sign, border, below, above = node
        node = below if SCALE * z[sign] <= border else above
    return node


def design(signs: Sequence[Row], rows: Sequence[Mapping[str, float]]) -> NDArray:
    """Signs as the models take them: shape (n, number of signs)."""
    raw = np.array([[row.get(sign["name"], np.nan) for sign in signs] for row in rows], dtype=float)
    z = np.empty_like(raw)
    for k, sign in enumerate(signs):
        z[:, k] = (bent(raw[:, k], sign["kind"], sign["scale"]) - sign["centre"]) / sign["spread"]
    return np.clip(np.where(np.isfinite(z), z, 0.0), -FURTHEST, FURTHEST)


def bent(x: NDArray, kind: str, scale: float) -> NDArray:
    if kind == "logit":
        x = np.clip(x, CLIP, 1 - CLIP)
        return np.log(x / (1 - x))
    return np.sign(x) * np.log1p(np.abs(x) / scale)


def logistic(x: Any) -> Any:
    return 1 / (1 + np.exp(-np.clip(x, -30, 30)))


def _logit(head: Row, z: NDArray) -> float:
    return head["intercept"] + float(z @ head["weights"])


def _probability(head: Row, z: NDArray) -> float:
    return float(np.interp(logistic(_logit(head, z)), head["x"], head["y"]))
