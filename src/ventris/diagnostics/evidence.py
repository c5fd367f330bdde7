"""After a fit: does the result deserve trust? Measures on outputs alone, and the doubts they raise.

Every threshold has its reason beside it. Nothing here needs a true label.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ventris import errors, objective
from ventris.data.sequences import check_lengths, first_points
from ventris.deciphering.race import Decipherment
from ventris.errors import Doubt
from ventris.inference.score import DECISIVE, sequence_score
from ventris.label_model.identifiability import Identifiability
from ventris.label_model.model import NgramModel
from ventris.solvers.restarts import Restarts
from ventris.solvers.solution import Solution

Array = NDArray[np.floating]

# A classifier of independent outputs with the right frequencies leaves exactly the label model's total
# correlation unmatched. On the paper's chains (50,000 points, seeds 0-2) right answers leave at most 5 %
# and runner-ups 8 to 89 %, 9 of 30 of them below this share: it is a coarse alarm, not a test.
UNMATCHED_SHARE = 0.25
# Costs that differ by less than this many times the sampling noise are equal for all the data can tell;
# neighbouring windows overlap, so the noise of independent windows is an underestimate.
NOISE_FACTOR = 10.0
# A label used less than a tenth as often as expected is starved; 1 % spares an alphabet's rarest letters.
STARVED, STARVED_MASS = 0.1, 0.01
USAGE_DISTANCE = 0.2  # total variation from the label model's frequencies
# Windows for each n-gram that is effectively there (the joint's perplexity), but no more pairs than so many a
# label: a label is known by all its pairs together, and fifty are read rightly from 40 points each (tested).
WINDOWS_PER_NGRAM, PAIRS_PER_LABEL = 100, 200
# Starts below which a single success says nothing.
RECURRENCE_STARTS = 4
# Standard deviations of the shuffled scores by which a score must exceed them, and at least these nats.
NULL_DEVIATIONS, NULL_DIFFERENCE = 3.0, 1e-4
_NULL_POINTS = 20_000  # enough for the score; shuffles of a whole large file would cost more than the fit


# ------------------------------------------------------------------------------------------- measures


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

    def starved(self) -> list[int]:
        """Labels used less than a tenth as often as expected."""
        pairs = enumerate(zip(self.usage, self.expected, strict=True))
        return [label for label, (used, wanted) in pairs if used < STARVED * wanted]


def output_use(posteriors: Array, stationary: ArrayLike) -> OutputUse:
    """Usage and entropy of outputs, shape (T, C), beside the label model's frequencies, shape (C,).

    Examples
    --------
    >>> use = output_use(np.array([[1.0, 0.0], [1.0, 0.0]]), [0.7, 0.3])
    >>> use.usage, round(use.distance, 6), use.starved(), use.point_entropy
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
    """Excess cost that W windows of the right labels still show, by chance: (cells − 1)/(2W) nats.

    Examples
    --------
    >>> sampling_noise(np.full((2, 2), 0.25), 1500)
    0.001
    """
    return float(np.count_nonzero(lm_prob) - 1) / (2 * max(1, n_windows))


def total_correlation(lm_prob: Array) -> float:
    """N H(1) − H(N) in nats: what independent outputs with the right frequencies leave unmatched.

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
    """What the same outputs are worth once time is shuffled inside each sequence.

    Attributes
    ----------
    score, excess_cost : float
        Sequence likelihood per symbol, and J − H, in true order.
    null_scores, null_excess_costs : tuple of float
        The same for each shuffle.
    """

    score: float
    null_scores: tuple[float, ...]
    excess_cost: float
    null_excess_costs: tuple[float, ...]

    @property
    def is_above(self) -> bool:
        """Whether the score exceeds what shuffled time gives: if not, nothing sequential was learnt."""
        needed = max(NULL_DEVIATIONS * float(np.std(self.null_scores)), NULL_DIFFERENCE)
        return self.score > float(np.mean(self.null_scores)) + needed

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for a report."""
        plain = {k: list(v) if isinstance(v, tuple) else v for k, v in vars(self).items()}
        return plain | {"is_above": self.is_above}


def shuffled_null(
    posteriors: Array,
    lengths: ArrayLike | None,
    lm: NgramModel,
    order: int,
    rng: np.random.Generator,
    *,
    n_shuffles: int = 5,
) -> ShuffledNull:
    """Score outputs in true and in shuffled time, on at most the first 20,000 points.

    Parameters
    ----------
    posteriors : array of shape (T, C)
    lengths : array of shape (S,), optional
    lm : NgramModel
    order : int
    rng : Generator
    n_shuffles : int, default 5

    Examples
    --------
    >>> lm = NgramModel.from_transition_matrix([[0.1, 0.9], [0.9, 0.1]])
    >>> outputs = np.tile([[0.99, 0.01], [0.01, 0.99]], (200, 1))
    >>> shuffled_null(outputs, None, lm, 2, np.random.default_rng(0)).is_above
    True
    """
    p, kept = first_points(posteriors, check_lengths(lengths, len(posteriors)), _NULL_POINTS)
    lm_prob = lm.joint(order)
    sequence = np.repeat(np.arange(len(kept)), kept)
    # A stream of its own: synthetic data are often drawn from the same seed, and a shuffle by the very
    # numbers that drew the labels is no shuffle.
    own = rng.spawn(1)[0]
    runs = [_values(p, kept, lm, order, lm_prob)]
    for _ in range(n_shuffles):
        runs.append(_values(p[np.argsort(sequence + own.random(len(p)))], kept, lm, order, lm_prob))
    scores, excess = zip(*runs, strict=True)
    return ShuffledNull(scores[0], scores[1:], excess[0], excess[1:])


def _values(
    p: Array, lengths: NDArray[np.int64], lm: NgramModel, order: int, lm_prob: Array
) -> tuple[float, float]:
    expected = np.maximum(objective.expected_ngrams(p, order, lengths), objective.TINY)
    return sequence_score(p, lengths, lm, order), objective.excess_cost(lm_prob, expected)


# --------------------------------------------------------------------------------------------- doubts


def doubts_about_label_model(known: Identifiability, named: Collection[int] = ()) -> list[Doubt]:
    """Doubts that need no data; `named` are the labels of which a point is known."""
    if known.is_settled_by(named):
        return []
    if known.verdict == "unidentifiable":
        return [errors.UnidentifiableWarning(f"The label model is {known.sentence}")]
    if known.verdict == "weak":
        return [errors.WeakLabelModelWarning(f"The label model is {known.sentence}")]
    return []


def windows_needed(lm_prob: Array) -> int:
    """How many n-grams of the outputs must be seen to compare them with the label model's.

    Examples
    --------
    >>> windows_needed(np.full((2, 2), 1 / 4)), windows_needed(np.full((50, 50), 1 / 2500))
    (400, 10000)
    """
    needed = round(WINDOWS_PER_NGRAM * np.exp(objective.entropy(lm_prob)))
    return min(needed, PAIRS_PER_LABEL * len(lm_prob)) if lm_prob.ndim <= 2 else needed


def doubts_about_amount(lm_prob: Array, n_windows: int) -> list[Doubt]:
    """Too few windows for the n-grams that are effectively there."""
    needed = windows_needed(lm_prob)
    if n_windows >= needed:
        return []
    seen = f"There are {n_windows:,} windows of {lm_prob.ndim} points where about {needed:,} are needed"
    return [errors.TooFewSamplesWarning(seen)]


def doubts_about_solution(solution: Solution) -> list[Doubt]:
    """The solver diverged, or was stopped before it settled."""
    if solution.stopped_because == "diverged":
        return [errors.DivergedWarning(f"The solver diverged after {solution.n_iter:,} steps")]
    if solution.stopped_because in ("max_iter", "line_search"):
        how = "reached max_iter" if solution.stopped_because == "max_iter" else "found no lower point"
        return [errors.NotConvergedWarning(f"The solver {how} after {solution.n_iter:,} steps")]
    return []


def doubts_about_restarts(found: Restarts, noise: float) -> list[Doubt]:
    """A runner-up too close to tell, or a best answer that only one start gave."""
    out: list[Doubt] = []
    if found.margin is not None and found.margin < NOISE_FACTOR * noise:
        seen = f"A different answer has a cost only {found.margin:.2g} nats higher; chance makes {noise:.2g}"
        out.append(errors.CloseRunnerUpWarning(seen))
    if len(found.costs) >= RECURRENCE_STARTS and found.recurrence <= 1:
        seen = f"The best answer was reached from {found.recurrence} of {len(found.costs)} starts"
        out.append(errors.NotRecurredWarning(seen))
    return out


def doubts_about_decipherment(found: Decipherment) -> list[Doubt]:
    """Fewer codes than labels, a table only one start led to, or one that fresh points speak against."""
    out: list[Doubt] = []
    n_codes, n_classes = found.table.shape
    if n_codes < n_classes:
        out.append(errors.FewCodesWarning(f"The inputs were read as {n_codes} codes of {n_classes} labels"))
    if found.n_starts >= RECURRENCE_STARTS and found.recurrence <= 1:
        seen = f"The best table was reached from {found.recurrence} of {found.n_starts} starts"
        out.append(errors.NotRecurredWarning(seen))
    against = -(found.fresh_margin or 0.0) * found.n_fresh
    if against > DECISIVE:
        points = f"{found.n_fresh:,} points not used to find it"
        seen = f"A different table makes {points} {against:.3g} nats likelier than the one chosen"
        out.append(errors.CloseRunnerUpWarning(seen))
    return out


def doubts_about_cost(excess_cost: float, lm_prob: Array, noise: float) -> list[Doubt]:
    """J − H is a large share of what there was to match."""
    to_match = total_correlation(lm_prob)
    if excess_cost <= UNMATCHED_SHARE * to_match + NOISE_FACTOR * noise:
        return []
    seen = f"J − H is {excess_cost:.2g} nats, where independent outputs would have {to_match:.2g}"
    return [errors.ExcessCostWarning(seen)]


def doubts_about_use(use: OutputUse, classes: tuple[Any, ...]) -> list[Doubt]:
    """Labels that the classifier starves."""
    starved = use.starved()
    mass = sum(use.expected[label] for label in starved)
    if mass > STARVED_MASS:
        names = ", ".join(repr(classes[label]) for label in starved[:6]) + (", …" if len(starved) > 6 else "")
        seen = f"{len(starved)} of {len(classes)} labels ({names}) are hardly ever given"
        return [errors.CollapsedOutputWarning(f"{seen}, though {100 * mass:.2g} % of labels should be")]
    if use.distance > USAGE_DISTANCE:
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
