"""After a fit: does the result deserve trust? Each rule raises its doubts, and none needs a true label."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ventris import errors
from ventris.diagnostics.evidence import OutputUse, ShuffledNull, total_correlation, windows_needed
from ventris.diagnostics.thresholds import DEFAULT, Thresholds
from ventris.errors import Doubt
from ventris.inference.score import DECISIVE
from ventris.label_model.identifiability import Identifiability
from ventris.solvers.restarts import Restarts
from ventris.solvers.solution import Solution

Array = NDArray[np.floating]


class Searched(Protocol):
    """What the search for the code table says of itself, as far as it is doubted or reported."""

    @property
    def table(self) -> Array:
        """The table found: shape (K, C)."""

    @property
    def recurrence(self) -> int:
        """Starts that led to it."""

    @property
    def n_starts(self) -> int:
        """Starts made."""

    @property
    def found_by(self) -> str:
        """The contender whose table it is."""

    @property
    def excess_cost(self) -> float:
        """J − H of the table."""

    @property
    def margin(self) -> float | None:
        """By how much the next answer scores less on the points searched; None without another."""

    @property
    def fresh_margin(self) -> float | None:
        """The same on points not used to find it; None where none are left."""

    @property
    def n_fresh(self) -> int:
        """How many such points there are."""


@dataclass(frozen=True)
class Findings:
    """All that the rules look at.

    Attributes
    ----------
    lm_prob : array of shape (C,) * N
    classes : tuple
    n_windows : int
    noise : float
        Excess cost that chance makes.
    excess_cost : float
    use : OutputUse
    null : ShuffledNull
    identifiability : Identifiability
    named : collection of int
        Labels of which a point is known.
    solution, restarts, search : optional
        What the solver, the restarts, or the search for the table gave.
    thresholds : Thresholds
    """

    lm_prob: Array
    classes: tuple[Any, ...]
    n_windows: int
    noise: float
    excess_cost: float
    use: OutputUse
    null: ShuffledNull
    identifiability: Identifiability
    named: Collection[int] = ()
    solution: Solution | None = None
    restarts: Restarts | None = None
    search: Searched | None = None
    thresholds: Thresholds = DEFAULT


def raise_doubts(found: Findings) -> list[Doubt]:
    """Every doubt that the rules have, in their order."""
    return [doubt for rule in RULES for doubt in rule(found)]


def doubts_about_label_model(judged: Identifiability, named: Collection[int] = ()) -> list[Doubt]:
    """Doubts that need no data; `named` are the labels of which a point is known."""
    if judged.is_settled_by(named):
        return []
    if judged.verdict == "unidentifiable":
        return [errors.UnidentifiableWarning(f"The label model is {judged.sentence}")]
    if judged.verdict == "weak":
        return [errors.WeakLabelModelWarning(f"The label model is {judged.sentence}")]
    return []


def doubts_about_amount(lm_prob: Array, n_windows: int, *, thresholds: Thresholds = DEFAULT) -> list[Doubt]:
    """Too few windows for the n-grams that are effectively there."""
    needed = windows_needed(lm_prob, thresholds=thresholds)
    if n_windows >= needed:
        return []
    seen = f"There are {n_windows:,} windows of {lm_prob.ndim} points where about {needed:,} are needed"
    return [errors.TooFewSamplesWarning(seen)]


def doubts_about_solution(solution: Solution) -> list[Doubt]:
    """The solver diverged, or was stopped before it had converged."""
    if solution.stopped_because == "diverged":
        return [errors.DivergedWarning(f"The solver diverged after {solution.n_iter:,} steps")]
    if solution.stopped_because in ("max_iter", "line_search"):
        how = "reached max_iter" if solution.stopped_because == "max_iter" else "found no lower point"
        return [errors.NotConvergedWarning(f"The solver {how} after {solution.n_iter:,} steps")]
    return []


def doubts_about_restarts(found: Restarts, noise: float, *, thresholds: Thresholds = DEFAULT) -> list[Doubt]:
    """A runner-up too close to tell, or a best answer that only one start gave."""
    out: list[Doubt] = []
    if found.margin is not None and found.margin < thresholds.noise_factor * noise:
        seen = f"A different answer has a cost only {found.margin:.2g} nats higher; chance makes {noise:.2g}"
        out.append(errors.CloseRunnerUpWarning(seen))
    if len(found.costs) >= thresholds.recurrence_starts and found.recurrence <= 1:
        seen = f"The best answer was reached from {found.recurrence} of {len(found.costs)} starts"
        out.append(errors.NotRecurredWarning(seen))
    return out


def doubts_about_search(found: Searched, *, thresholds: Thresholds = DEFAULT) -> list[Doubt]:
    """Fewer codes than labels, a table only one start led to, or one that fresh points speak against."""
    out: list[Doubt] = []
    n_codes, n_classes = found.table.shape
    if n_codes < n_classes:
        out.append(errors.FewCodesWarning(f"The inputs were read as {n_codes} codes of {n_classes} labels"))
    if found.n_starts >= thresholds.recurrence_starts and found.recurrence <= 1:
        seen = f"The best table was reached from {found.recurrence} of {found.n_starts} starts"
        out.append(errors.NotRecurredWarning(seen))
    against = -(found.fresh_margin or 0.0) * found.n_fresh
    if against > DECISIVE:
        points = f"{found.n_fresh:,} points not used to find it"
        seen = f"A different table makes {points} {against:.3g} nats likelier than the one chosen"
        out.append(errors.CloseRunnerUpWarning(seen))
    return out


def doubts_about_cost(
    excess_cost: float, lm_prob: Array, noise: float, *, thresholds: Thresholds = DEFAULT
) -> list[Doubt]:
    """J − H is a large share of what there was to match."""
    to_match = total_correlation(lm_prob)
    if excess_cost <= thresholds.unmatched_share * to_match + thresholds.noise_factor * noise:
        return []
    seen = f"J − H is {excess_cost:.2g} nats, where independent outputs would have {to_match:.2g}"
    return [errors.ExcessCostWarning(seen)]


def doubts_about_use(
    use: OutputUse, classes: tuple[Any, ...], *, thresholds: Thresholds = DEFAULT
) -> list[Doubt]:
    """Labels that the classifier starves."""
    starved = use.starved(thresholds.starved_share)
    mass = sum(use.expected[label] for label in starved)
    if mass > thresholds.starved_mass:
        names = ", ".join(repr(classes[label]) for label in starved[:6]) + (", …" if len(starved) > 6 else "")
        seen = f"{len(starved)} of {len(classes)} labels ({names}) are hardly ever given"
        return [errors.CollapsedOutputWarning(f"{seen}, though {100 * mass:.2g} % of labels should be")]
    if use.distance > thresholds.usage_distance:
        seen = f"The labels' frequencies are {use.distance:.2g} (total variation) from the label model's"
        return [errors.CollapsedOutputWarning(seen)]
    return []


def doubts_about_null(null: ShuffledNull) -> list[Doubt]:
    """The outputs score no better than in shuffled time."""
    if null.is_above:
        return []
    mean = float(np.mean(null.null_scores))
    seen = f"The sequence likelihood is {null.score:.3g} nats a symbol, and {mean:.3g} in shuffled time"
    return [errors.NoStructureWarning(seen)]


Rule = Callable[[Findings], list[Doubt]]
RULES: tuple[Rule, ...] = (
    lambda f: doubts_about_label_model(f.identifiability, f.named),
    lambda f: doubts_about_amount(f.lm_prob, f.n_windows, thresholds=f.thresholds),
    lambda f: doubts_about_solution(f.solution) if f.solution else [],
    lambda f: doubts_about_restarts(f.restarts, f.noise, thresholds=f.thresholds) if f.restarts else [],
    lambda f: doubts_about_cost(f.excess_cost, f.lm_prob, f.noise, thresholds=f.thresholds),
    lambda f: doubts_about_use(f.use, f.classes, thresholds=f.thresholds),
    lambda f: doubts_about_null(f.null),
    lambda f: doubts_about_search(f.search, thresholds=f.thresholds) if f.search else [],
)
