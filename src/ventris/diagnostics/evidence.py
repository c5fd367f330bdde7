"""What a fit shows without a true label: measures of its outputs, and the doubts that rules raise."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ventris import errors, objective
from ventris.data.sequences import check_lengths, first_points
from ventris.diagnostics.thresholds import DEFAULT, Thresholds
from ventris.errors import Doubt
from ventris.inference.score import DECISIVE, sequence_score
from ventris.label_model.identifiability import Identifiability
from ventris.label_model.model import NgramModel
from ventris.solvers.restarts import Restarts
from ventris.solvers.solution import Solution

Array = NDArray[np.floating]


@dataclass(frozen=True)
class OutputUse:
    """How a classifier uses its labels.

    Attributes
    ----------
    usage : tuple of float
        Mean output p̄ of each label.
    expected : tuple of float
        The label model's long-run frequencies.
    distance : float
        Total variation between the two: half the sum of absolute differences.
    usage_entropy : float
        Entropy of the mean output in nats: 0 when one label is always given.
    point_entropy : float
        Mean entropy of one point's output: 0 when every output is sure.
    """

    usage: tuple[float, ...]
    expected: tuple[float, ...]
    distance: float
    usage_entropy: float
    point_entropy: float

    def starved(self, share: float) -> list[int]:
        """Labels used less than `share` times as often as expected."""
        pairs = enumerate(zip(self.usage, self.expected, strict=True))
        return [label for label, (used, wanted) in pairs if used < share * wanted]


def output_use(posteriors: Array, stationary: ArrayLike) -> OutputUse:
    """Usage of the labels in outputs (T, C) beside the label model's frequencies (C,) (total variation).

    Examples
    --------
    >>> use = output_use(np.array([[1.0, 0.0], [1.0, 0.0]]), [0.7, 0.3])
    >>> use.usage, round(use.distance, 6), use.starved(0.1), use.point_entropy
    ((1.0, 0.0), 0.3, [1], 0.0)
    """
    usage, expected = posteriors.mean(axis=0, dtype=float), np.asarray(stationary, dtype=float)
    surprise = -np.einsum("tc,tc->", posteriors, np.log(np.maximum(posteriors, 1e-30)), dtype=float)
    return OutputUse(
        usage=tuple(usage.tolist()),
        expected=tuple(expected.tolist()),
        distance=0.5 * float(np.abs(usage - expected).sum()),
        usage_entropy=objective.entropy(usage),
        point_entropy=abs(float(surprise)) / len(posteriors),
    )


def sampling_noise(lm_prob: Array, n_windows: int) -> float:
    """Excess cost that W windows of the right labels still show: (cells − 1)/(2W) nats (plug-in bias).

    The mean of KL(P ‖ P̂) for a table P̂ counted from W independent draws, to first order in 1/W.

    Examples
    --------
    >>> sampling_noise(np.full((2, 2), 0.25), 1500)
    0.001
    """
    return float(np.count_nonzero(lm_prob) - 1) / (2 * max(1, n_windows))


def windows_needed(lm_prob: Array, *, thresholds: Thresholds = DEFAULT) -> int:
    """How many n-grams of the outputs must be seen to compare them with the label model's.

    Examples
    --------
    >>> windows_needed(np.full((2, 2), 1 / 4)), windows_needed(np.full((50, 50), 1 / 2500))
    (400, 10000)
    """
    # Pairs tell labels apart together; longer n-grams are needed one by one.
    needed = round(thresholds.windows_per_ngram * np.exp(objective.entropy(lm_prob)))
    return min(needed, thresholds.pairs_per_label * len(lm_prob)) if lm_prob.ndim <= 2 else needed


def total_correlation(lm_prob: Array) -> float:
    """N H(1) − H(N) in nats: what independent outputs leave unmatched (total correlation).

    References
    ----------
    .. [1] S. Watanabe, "Information theoretical analysis of multivariate correlation", IBM Journal of
       Research and Development 4 (1960), 66-82.

    Examples
    --------
    >>> round(total_correlation(np.array([[0.5, 0.0], [0.0, 0.5]])), 4)
    0.6931
    """
    axes = range(lm_prob.ndim)
    single = [objective.entropy(lm_prob.sum(axis=tuple(a for a in axes if a != kept))) for kept in axes]
    return max(0.0, sum(single) - objective.entropy(lm_prob))


@dataclass(frozen=True)
class ShuffledNull:
    """What the same outputs are worth once time is shuffled inside each sequence (permutation test).

    Attributes
    ----------
    score, excess_cost : float
        Sequence likelihood per symbol, and J − H, in true order.
    null_scores, null_excess_costs : tuple of float
        The same for each shuffle.
    is_above : bool
        Whether the score exceeds what shuffled time gives: if not, nothing sequential was learnt.
    """

    score: float
    null_scores: tuple[float, ...]
    excess_cost: float
    null_excess_costs: tuple[float, ...]
    is_above: bool

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for a report."""
        return {k: list(v) if isinstance(v, tuple) else v for k, v in vars(self).items()}


def shuffled_null(
    posteriors: Array,
    lengths: ArrayLike | None,
    lm: NgramModel,
    order: int,
    rng: np.random.Generator,
    *,
    n_shuffles: int | None = None,
    thresholds: Thresholds = DEFAULT,
) -> ShuffledNull:
    """Score outputs in true and in shuffled time, on at most the first 20,000 points (permutation test).

    Parameters
    ----------
    posteriors : array of shape (T, C)
    lengths : array of shape (S,), optional
    lm : NgramModel
    order : int
    rng : Generator
    n_shuffles : int, optional
        By default what the thresholds say.
    thresholds : Thresholds

    Examples
    --------
    >>> lm = NgramModel.from_transition_matrix([[0.1, 0.9], [0.9, 0.1]])
    >>> outputs = np.tile([[0.99, 0.01], [0.01, 0.99]], (200, 1))
    >>> shuffled_null(outputs, None, lm, 2, np.random.default_rng(0)).is_above
    True
    """
    p, kept = first_points(posteriors, check_lengths(lengths, len(posteriors)), thresholds.null_points)
    lm_prob = lm.joint(order)
    sequence = np.repeat(np.arange(len(kept)), kept)
    # A stream of its own: synthetic data are often drawn from the same seed, and a shuffle by the very
    # numbers that drew the labels is no shuffle.
    own = rng.spawn(1)[0]
    runs = [_values(p, kept, lm, order, lm_prob)]
    for _ in range(n_shuffles or thresholds.null_shuffles):
        runs.append(_values(p[np.argsort(sequence + own.random(len(p)))], kept, lm, order, lm_prob))
    scores, excess = zip(*runs, strict=True)
    needed = max(thresholds.null_deviations * float(np.std(scores[1:])), thresholds.null_difference)
    is_above = scores[0] > float(np.mean(scores[1:])) + needed
    return ShuffledNull(scores[0], scores[1:], excess[0], excess[1:], is_above)


def _values(
    p: Array, lengths: NDArray[np.int64], lm: NgramModel, order: int, lm_prob: Array
) -> tuple[float, float]:
    expected = np.maximum(objective.expected_ngrams(p, order, lengths), objective.TINY)
    return sequence_score(p, lengths, lm, order), objective.excess_cost(lm_prob, expected)


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

    @property
    def rivals(self) -> tuple[tuple[tuple[int, ...], float, float], ...]:
        """Other namings: names, nats they lose, and the standard error of that."""


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
    if judged.is_decided_by(named):
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
