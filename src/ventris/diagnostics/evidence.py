"""After a fit: what can be measured on outputs alone, with no true label."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ventris import objective
from ventris.data.sequences import check_lengths, first_points
from ventris.diagnostics.thresholds import DEFAULT, Thresholds
from ventris.inference.score import sequence_score
from ventris.label_model.model import NgramModel

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
