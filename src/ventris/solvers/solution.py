"""What every solver gives back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ventris.classifiers.loglinear import LogLinear

# One line of a history: plain numbers and text, so that it can be written as JSON.
Row = dict[str, Any]
# Called with each new row; a true answer ends the solver at its present state.
Callback = Callable[[Row], bool | None]
Reason = Literal["converged", "max_iter", "callback", "validation", "line_search", "diverged"]


@dataclass(frozen=True)
class Solution:
    """A classifier found, and how.

    Attributes
    ----------
    model : LogLinear
    dual : array of shape (C,) * N, all negative
    cost : float
        J over the whole data: batch costs are biased and are never compared.
    history : list of dict
        One row an iteration or block of updates.
    n_iter : int
    converged : bool
    stopped_because : str
        "converged", "max_iter", "callback", "validation", "line_search" or "diverged"; in the last case
        the model is the last good one.
    """

    model: LogLinear
    dual: NDArray[np.floating]
    cost: float
    history: list[Row] = field(default_factory=list)
    n_iter: int = 0
    converged: bool = False
    stopped_because: Reason = "max_iter"


def solutions_to_state(solutions: Sequence[Solution]) -> tuple[dict[str, NDArray], dict[str, Any]]:
    """Solutions as arrays and JSON-able values, for a `Memory`."""
    arrays = {
        "coef": np.stack([s.model.coef for s in solutions]),
        "intercept": np.stack([s.model.intercept for s in solutions]),
        "dual": np.stack([s.dual for s in solutions]),
        "gamma_cost": np.array([[s.model.gamma, s.cost] for s in solutions]),
    }
    names = ("history", "n_iter", "converged", "stopped_because")
    return arrays, {"solutions": [{name: getattr(s, name) for name in names} for s in solutions]}


def solutions_from_state(arrays: dict[str, NDArray], meta: dict[str, Any]) -> list[Solution]:
    """The solutions that `solutions_to_state` took apart."""
    parts = zip(arrays["coef"], arrays["intercept"], arrays["dual"], arrays["gamma_cost"], strict=True)
    return [
        Solution(LogLinear(coef, intercept, float(gamma)), dual, float(cost), **rest)
        for (coef, intercept, dual, (gamma, cost)), rest in zip(parts, meta["solutions"], strict=True)
    ]
