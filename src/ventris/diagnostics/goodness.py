"""Does the label model fit the data? A test on outputs of points not learnt from (parametric bootstrap).

Transitions are freed for one step of expectation–maximisation, with the outputs as they are: a label model
that is right gains by that what chance allows, one that is off gains more. What chance allows is drawn:
labels from the label model itself, and for each a real output from those that the reading gives this label.
So outputs may be overlapping, timid or skewed; only their order in time is put to the test.

It judges the label model and not the answer: an answer with two labels exchanged can follow it well, and one
that mixes several labels up can seem to have another label model. Points that the classifier learnt from may
mislead it, since it is surer of them than of others; with few features they did not (none of 80 doubted).

No two pieces of prose follow one label model: 8,000 letters of a manual are 0.04 nats a letter from the pairs
of the whole manual, and doubted for it.

References
----------
B. Efron and R. Tibshirani, "An introduction to the bootstrap", Chapman & Hall, 1993: tests by drawing from
the hypothesis.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ventris.data.sequences import check_lengths, first_points
from ventris.errors import Doubt, LabelModelMismatchWarning
from ventris.inference.decoding import sequence_loglik
from ventris.inference.expected_ngrams import expected_pairs
from ventris.inference.score import DECISIVE, scaled_likelihoods
from ventris.label_model.model import NgramModel
from ventris.settings import Settings, setting

Array = NDArray[np.floating]


@dataclass(frozen=True)
class GoodnessSettings(Settings):
    """How the label model is put to the test, and when it is doubted."""

    points: int = setting(
        8_000,
        "three label models of 26 labels, off by 0.021 to 0.024 nats, have z = 4.2 to 5.9 with these, two of "
        "them 4.0 and 4.4 with 6,000; 0.3 CPU-s there, 0.1 with 5 labels",
    )
    points_a_label: int = setting(
        2_000, "points for each label that are enough where labels are few: there are fewer pairs to test"
    )
    cells: int = setting(
        416_000, "unmeasured: outputs times labels; 4,160 points of 100 labels, 2,080 of 200, a second"
    )
    draws: int = setting(20, "z of right label models has a standard deviation of 0.95 with them")
    weight: float = setting(0.01, "unmeasured: pairs that a label is worth after which nothing was seen")
    deviations: float = setting(
        3.5,
        "seeds 100-111, each data set with two sets of draws: z of 160 tests of right label models (2 to 26 "
        "labels, 300 to 20,000 points) is -0.2 ± 0.95 and above 3 in two; of 118 of label models off by 0.02 "
        "to 0.15 nats a symbol (5, 10, 26 labels, 10,000 points) it is 4.2 at least; then, on seeds 120-125, "
        "0 of 51 right ones were doubted and 14 of 14 that are off",
    )
    least_deviation: float = setting(
        0.5, "unmeasured: nats; where outputs say next to nothing, draws hardly differ and all z are large"
    )
    nats: float = setting(
        DECISIVE,
        "with two or three labels the gain of chance has a long tail, and z is no normal deviate: 5.2 nats "
        "were the most that a right label model had with z above 3",
    )
    excess: float = setting(
        1e-3,
        "nats a symbol: a label model that is off by 0.02, where decoding begins to suffer, gains 0.003 or "
        "more; a million points would make less than this significant, and it would change no answer",
    )
    pair_deviations: float = setting(
        3.0, "unmeasured: pairs are named only where the label model as a whole is off"
    )
    named_pairs: int = setting(5, "unmeasured: as many as a reader will look at")
    steps: int = setting(5, "unmeasured: a factor of 2 shows as 1.3 after the first step, as 1.9 after these")
    most_times: float = setting(100.0, "unmeasured: beyond this a factor says how rarely it was expected")


DEFAULT = GoodnessSettings()


@dataclass(frozen=True)
class PairOff:
    """Two labels of which the second follows the first more or less often than the label model says.

    Attributes
    ----------
    first, second : int
        Class numbers.
    said : float
        P(second | first) of the label model.
    found : float
        The same once transitions are freed: what the data say.
    z : float
        How far the share of `second` after `first` is from that in the draws, in standard deviations.
    """

    first: int
    second: int
    said: float
    found: float
    z: float

    @property
    def factor(self) -> float:
        """How many times as often as the label model says."""
        return self.found / self.said


@dataclass(frozen=True)
class Mismatch:
    """How far the label model is off, beside what chance makes of a right one.

    Attributes
    ----------
    z : float
        Gain of freed transitions above its mean over the draws, in standard deviations.
    exceedance : float
        Share of draws with as large a gain, the data counted among them: at least 1 / (draws + 1).
    gain : float
        The same difference in nats, over all the points.
    excess : float
        And in nats a symbol.
    n_points : int
        Points looked at.
    pairs : tuple of PairOff
        The pairs that are off, those that cost most first.
    shortfall : float
        Nats a symbol by which the outputs are less likely, read as they come, than in the draws.
    changed : float
        Share of the points that freed transitions give another label, read in their sequences; 0 where
        chance alone may have freed them.
    """

    z: float
    exceedance: float
    gain: float
    excess: float
    n_points: int
    pairs: tuple[PairOff, ...]
    shortfall: float = 0.0
    changed: float = 0.0

    def is_off(self, settings: GoodnessSettings = DEFAULT) -> bool:
        """Whether chance is not believed to do this, and it is enough to matter."""
        by_chance = self.z < settings.deviations or self.gain < settings.nats
        return not by_chance and self.excess >= settings.excess

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for a report."""
        pairs = [asdict(pair) | {"factor": pair.factor} for pair in self.pairs]
        return asdict(self) | {"pairs": pairs}


def goodness_of_fit(
    outputs: Array,
    lengths: ArrayLike | None,
    lm: NgramModel,
    rng: np.random.Generator,
    *,
    settings: GoodnessSettings = DEFAULT,
) -> Mismatch:
    """Test how labels follow one another in the data against the label model (parametric bootstrap).

    Parameters
    ----------
    outputs : array of shape (T, C)
        Of points that the classifier did not learn from; of more than some thousand, the first are taken.
    lengths : array of shape (S,), optional
    lm : NgramModel
        Of order 2 or more; pairs are tested, drawn from the full order.
    rng : Generator
    settings : GoodnessSettings

    Examples
    --------
    >>> said = NgramModel.from_transition_matrix([[0.9, 0.1], [0.1, 0.9]])
    >>> seen = NgramModel.from_transition_matrix([[0.6, 0.4], [0.4, 0.6]])
    >>> outputs = np.array([[0.9, 0.1], [0.1, 0.9]])[seen.sample(2000, 0)]
    >>> rng = np.random.default_rng(0)
    >>> goodness_of_fit(outputs, None, said, rng).is_off(), goodness_of_fit(outputs, None, seen, rng).is_off()
    (True, False)
    """
    most = min(settings.points, settings.points_a_label * lm.n_classes, settings.cells // lm.n_classes)
    rows, kept = first_points(outputs, check_lengths(lengths, len(outputs)), most)
    own = rng.spawn(1)[0]  # synthetic data are often drawn from the same seed
    seen = _gain(rows, kept, lm, settings)
    urn = _Urn(rows, seen.labels, lm)
    drawn = [_gain(urn.draw(own), kept, lm, settings) for _ in range(settings.draws)]
    gains = np.array([one.gain for one in drawn])
    gain = seen.gain - float(gains.mean())
    found = Mismatch(
        z=gain / max(float(gains.std(ddof=1)), settings.least_deviation),  # (E13)
        exceedance=(1 + int((gains >= seen.gain).sum())) / (1 + len(gains)),
        gain=gain,
        excess=gain / len(rows),
        n_points=len(rows),
        pairs=(),
        shortfall=(float(np.mean([one.loglik for one in drawn])) - seen.loglik) / len(rows),
    )
    off = _pairs_off(seen, drawn, settings)
    if not off and not found.is_off(settings):
        return found
    said, freed = lm.conditional(2), _freed_transitions(rows, kept, lm, settings)
    pairs = (PairOff(i, j, float(said[i, j]), float(freed[i, j]), z) for i, j, z in off)
    again = expected_pairs(rows, kept, (lm.joint(1), freed)).labels
    changed = float(np.mean(again.argmax(axis=1) != seen.labels.argmax(axis=1)))
    return replace(found, pairs=tuple(pairs), changed=changed if found.is_off(settings) else 0.0)


class _Freed(NamedTuple):
    gain: float  # nats
    loglik: float  # before
    pairs: NDArray  # (C, C), expected under the label model
    labels: Array  # (T, C)


def _gain(outputs: Array, lengths: NDArray, lm: NgramModel, settings: GoodnessSettings) -> _Freed:
    """By how much the outputs are likelier after one step of freed transitions."""
    opening, transition = lm.joint(1), lm.conditional(2)
    found = expected_pairs(outputs, lengths, (opening, transition))
    counts = found.ngrams + settings.weight * transition
    freed = counts / counts.sum(axis=1, keepdims=True)  # A₁ of (E13)
    after = sequence_loglik(scaled_likelihoods(outputs), lengths, [opening], freed, n_jobs=1)
    before = float(found.logliks.sum())
    return _Freed(float(after.sum()) - before, before, found.ngrams, found.labels)


class _Urn:
    """Outputs to be drawn by label: each with the probability that the reading gives it that label."""

    def __init__(self, outputs: Array, labels: Array, lm: NgramModel) -> None:
        self.outputs, self.lm = outputs, lm
        self.cumulative = np.cumsum(labels.T, axis=1, dtype=np.float64)  # (C, T)

    def draw(self, rng: np.random.Generator) -> Array:
        """As many outputs as there are, of labels in an order drawn from the label model."""
        n_points = len(self.outputs)
        labels, at = self.lm.sample(n_points, rng), rng.random(n_points)
        rows = np.empty(n_points, dtype=np.int64)
        for label, upto in enumerate(self.cumulative):
            own = labels == label
            rows[own] = np.searchsorted(upto, at[own] * upto[-1], side="right")
        return self.outputs[np.minimum(rows, n_points - 1)]


def _pairs_off(seen: _Freed, drawn: list[_Freed], settings: GoodnessSettings) -> list[tuple[int, int, float]]:
    """Pairs whose share of their row is no chance, those that cost the label model most nats first."""
    rows, share = _shares(seen.pairs)
    shares = np.array([_shares(one.pairs)[1] for one in drawn])  # (draws, C, C)
    expected = shares.mean(axis=0)
    # One count more than the draws vary: a pair they never have has no deviation of its own.
    z = (share - expected) / np.hypot(shares.std(axis=0, ddof=1), 1 / rows)
    with np.errstate(divide="ignore", invalid="ignore"):
        lost = np.where(share > 0, share * np.log(share / expected), 0.0) - (share - expected)
    cost = np.where(np.abs(z) >= settings.pair_deviations, rows * lost, -1.0)
    order = np.argsort(-cost, axis=None, kind="stable")[: settings.named_pairs]
    off = [np.unravel_index(k, z.shape) for k in order if cost.flat[k] >= 0]
    return [(int(i), int(j), float(z[i, j])) for i, j in off]


def _shares(pairs: NDArray) -> tuple[NDArray, NDArray]:
    """How often each label comes first in pairs, (C, 1), and how the labels after it share that, (C, C)."""
    rows = np.maximum(pairs.sum(axis=1, keepdims=True), np.finfo(float).tiny)
    return rows, pairs / rows


def _freed_transitions(
    outputs: Array, lengths: NDArray, lm: NgramModel, settings: GoodnessSettings
) -> NDArray[np.float64]:
    """Transitions as the data have them, from a few steps: one step alone still leans to what was said."""
    opening, transition = lm.joint(1), lm.conditional(2)
    prior = settings.weight * transition
    for _ in range(settings.steps):
        counts = expected_pairs(outputs, lengths, (opening, transition)).ngrams + prior
        transition = counts / counts.sum(axis=1, keepdims=True)
    return transition


def doubts_about_mismatch(
    found: Mismatch, classes: tuple[Any, ...], *, settings: GoodnessSettings = DEFAULT
) -> list[Doubt]:
    """The label model is off by more than chance, and by enough to matter."""
    if not found.is_off(settings):
        return []
    seen = (
        "The labels follow one another otherwise than the label model says: freed transitions make the data "
        f"{found.excess:.2g} nats a point likelier than chance does ({found.z:.1f} standard deviations) and "
        f"give {100 * found.changed:.2g} in 100 points another label"
    )
    pairs = [_in_words(pair, classes, settings) for pair in found.pairs]
    return [LabelModelMismatchWarning("; ".join([seen, *pairs]))]


def _in_words(pair: PairOff, classes: tuple[Any, ...], settings: GoodnessSettings) -> str:
    many = pair.factor > settings.most_times
    times = f"more than {settings.most_times:.0f}" if many else f"{pair.factor:.2g}"
    return f"{classes[pair.second]!r} follows {classes[pair.first]!r} {times} times as often as it says"
