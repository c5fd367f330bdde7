"""How far a label model should move towards the data: strengths tried, judged by points held out.

Rounds of reading and moving (expectation–maximisation of the transitions, with the given label model as a
prior) never make the points learnt from less likely, so only others can say whether a move is true.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ventris.data.sequences import first_lengths
from ventris.inference.expected_ngrams import Expected, expected_ngrams
from ventris.inference.score import DECISIVE, sequence_score
from ventris.kernels.softmax import column_means
from ventris.label_model.adaptation import map_model, of_order
from ventris.label_model.model import NgramModel
from ventris.settings import Settings, setting

Array = NDArray[np.floating]
# Labels (T, C) read on the points learnt from → new outputs on these and on the points held out.
Relearn = Callable[[Array], tuple[Array, Array]]


@dataclass(frozen=True)
class StrengthSettings(Settings):
    """How the strength of the given label model is chosen."""

    strengths: tuple[float, ...] = setting(
        (30_000.0, 10_000.0, 3_000.0, 1_000.0, 300.0, 100.0, 30.0),
        "10,000 points: label models off by 0.02 to 0.15 nats choose 30 to 1,000 with 5 and 10 labels and "
        "3,000 or 10,000 with 26; between neighbours held-out points differ by a few nats",
    )
    rounds: int = setting(
        2,
        "of moving at each strength, on from the one before: 1, 2, 3 and 6 recover 65, 67, 65 and 67 % of "
        "the decoded gap (59 label models off by 0.02 to 0.15 nats, median; outputs fixed)",
    )
    decisive: float = setting(
        DECISIVE,
        "nats on the points held out: of 80 right label models (2 to 26 labels, 300 to 20,000 points) none "
        "moves, of 59 that are off by 0.02 to 0.15 one does not; 2 nats let harmful moves through",
    )
    hint: float = setting(
        1.0,
        "unmeasured: nats that must have shown by the time the given model is worth a third of the points",
    )


DEFAULT = StrengthSettings()


class Stretch(NamedTuple):
    """Outputs of a classifier on some sequences."""

    outputs: Array  # (T, C)
    lengths: NDArray  # (S,)


@dataclass(frozen=True)
class Strength:
    """How much the given label model is worth beside the data.

    Attributes
    ----------
    pseudo_counts : float
        Infinity if the label model should stay as it is.
    gain : float
        Nats by which the points held out are likelier than with the given label model; 0 if it stays.
    gains : dict
        The same for each strength tried.
    """

    pseudo_counts: float
    gain: float
    gains: dict[float, float] = field(default_factory=dict)

    @property
    def moves(self) -> bool:
        """Whether the label model should move."""
        return bool(np.isfinite(self.pseudo_counts))


def move(
    stretch: Stretch,
    given: NgramModel,
    pseudo_counts: float,
    *,
    order: int = 2,
    start: NgramModel | None = None,
    rounds: int = DEFAULT.rounds,
) -> tuple[NgramModel, Expected]:
    """Rounds of reading the outputs and moving the label model (expectation–maximisation, MAP).

    Parameters
    ----------
    stretch : Stretch
    given : NgramModel
        The prior.
    pseudo_counts : float
        What it is worth; infinity to read only.
    order : int
        Of the n-grams counted; above the label model's own, its own.
    start : NgramModel, optional
        The model to read with first; by default the given one.
    rounds : int

    Returns
    -------
    lm : NgramModel
    expected : Expected
        The reading it moved by in the last round.

    Examples
    --------
    >>> given = NgramModel.from_transition_matrix([[0.5, 0.5], [0.5, 0.5]])
    >>> alternating = np.tile([[0.9, 0.1], [0.1, 0.9]], (50, 1))
    >>> moved, _ = move(Stretch(alternating, np.array([100])), given, pseudo_counts=10)
    >>> bool(moved.conditional(2)[0, 1] > 0.8)
    True
    """
    order = min(order, given.order)
    short = of_order(given, order)  # all that is read with, and quicker to move
    expected = expected_ngrams(*stretch, start or short, order)
    for _ in range(rounds - 1):
        lm = map_model(short, expected.ngrams, pseudo_counts)
        expected = expected_ngrams(*stretch, lm, order)
    return map_model(given, expected.ngrams, pseudo_counts), expected


def choose_strength(
    learn: Stretch,
    held_out: Stretch,
    given: NgramModel,
    *,
    order: int = 2,
    relearn: Relearn | None = None,
    settings: StrengthSettings = DEFAULT,
) -> Strength:
    """The strength under which points held out are likeliest, if that is no chance; else infinity.

    Strengths are tried from strong to weak, each from where the one before ended, until points held out say
    clearly that it goes too far, or still show nothing.

    Parameters
    ----------
    learn, held_out : Stretch
        Outputs of one classifier; the label model moves towards the first only.
    given : NgramModel
    order : int
        Of the n-grams that move.
    relearn : callable, optional
        Labels (T, C) read on the first stretch → outputs of a classifier taught them, on the first and on the
        second. Without it outputs stay as they are and only the label model moves.
    settings : StrengthSettings

    Examples
    --------
    >>> said, true = (NgramModel.from_transition_matrix([[p, 1 - p], [1 - p, p]]) for p in (0.5, 0.9))
    >>> misread = np.random.default_rng(1).random(3000) < 0.2
    >>> outputs = np.array([[0.8, 0.2], [0.2, 0.8]])[true.sample(3000, 0) ^ misread]
    >>> learn, held_out = (Stretch(part, np.array([len(part)])) for part in (outputs[:2000], outputs[2000:]))
    >>> choose_strength(learn, held_out, said).moves, choose_strength(learn, held_out, true).moves
    (True, False)
    """
    order = min(order, given.order)
    lm = given = of_order(given, order)
    scores: dict[float, float] = {}
    for pseudo_counts in (np.inf, *sorted(settings.strengths, reverse=True)):
        if relearn is None:
            lm, _ = move(learn, given, pseudo_counts, order=order, start=lm, rounds=settings.rounds)
            scores[pseudo_counts] = _loglik(learn, held_out, lm, order)
        else:
            parts = _alternate(learn, held_out, given, pseudo_counts, order, relearn, settings.rounds)
            scores[pseudo_counts] = _loglik(*parts, order)
        best = max(scores.values())
        nothing = best - scores[np.inf] < settings.hint and pseudo_counts < len(learn.outputs) / 3
        if scores[pseudo_counts] < best - settings.decisive or nothing:
            break
    return _decided(scores, settings)


def cross_choose_strength(
    stretch: Stretch, given: NgramModel, *, order: int = 2, settings: StrengthSettings = DEFAULT
) -> Strength:
    """The strength under which each half of a stretch is likeliest once moved towards the other half.

    Every point judges, where a part held out would leave the choice to a few (two-fold cross-validation).

    Examples
    --------
    >>> said, true = (NgramModel.from_transition_matrix([[p, 1 - p], [1 - p, p]]) for p in (0.5, 0.9))
    >>> misread = np.random.default_rng(1).random(3000) < 0.2
    >>> outputs = np.array([[0.8, 0.2], [0.2, 0.8]])[true.sample(3000, 0) ^ misread]
    >>> stretch = Stretch(outputs, np.array([3000]))
    >>> cross_choose_strength(stretch, said).moves, cross_choose_strength(stretch, true).moves
    (True, False)
    """
    halves = _halves(stretch)
    ways = [(halves[0], halves[1]), (halves[1], halves[0])]
    gains = [choose_strength(*way, given, order=order, settings=settings).gains for way in ways]
    tried = [strength for strength in gains[0] if strength in gains[1]]
    together = {strength: gains[0][strength] + gains[1][strength] for strength in tried}
    return _decided(together, settings)


def _halves(stretch: Stretch) -> tuple[Stretch, Stretch]:
    half = len(stretch.outputs) // 2
    first = first_lengths(np.asarray(stretch.lengths, dtype=np.int64), half)
    left = np.array(stretch.lengths, dtype=np.int64)
    left[: len(first)] -= first
    return (
        Stretch(stretch.outputs[:half], first),
        Stretch(stretch.outputs[half:], left[left > 0]),
    )


def _alternate(
    learn: Stretch,
    held_out: Stretch,
    given: NgramModel,
    pseudo_counts: float,
    order: int,
    relearn: Relearn,
    rounds: int,
) -> tuple[Stretch, Stretch, NgramModel]:
    """Rounds of moving the label model and teaching the classifier what is then read, from the start."""
    lm = given
    for _ in range(rounds):
        lm, _ = move(learn, given, pseudo_counts, order=order, start=lm, rounds=1)
        on_learn, on_held_out = relearn(expected_ngrams(*learn, lm, order).labels)
        learn, held_out = learn._replace(outputs=on_learn), held_out._replace(outputs=on_held_out)
    return learn, held_out, lm


def _loglik(learn: Stretch, held_out: Stretch, lm: NgramModel, order: int) -> float:
    """Log-likelihood of the points held out, in nats."""
    usage = column_means(learn.outputs)
    return len(held_out.outputs) * sequence_score(*held_out, lm, order, usage, n_jobs=1)


def _decided(scores: dict[float, float], settings: StrengthSettings) -> Strength:
    gains = {strength: score - scores[np.inf] for strength, score in scores.items()}
    best = max(gains, key=lambda strength: gains[strength])
    if gains[best] < settings.decisive:
        return Strength(np.inf, 0.0, gains)
    return Strength(best, gains[best], gains)
