"""A label model moved towards n-grams expected in data, as far as they insist (maximum a posteriori).

The given model is worth a number of n-grams, its pseudo-counts: n-grams that it expects that often. To these
the ones expected in the data are added. Where the data say nothing, the given model stays; what it calls
impossible stays impossible, since nothing was ever counted there.

References
----------
J.-L. Gauvain and C.-H. Lee, "Maximum a posteriori estimation for multivariate Gaussian mixture observations
of Markov chains", IEEE Transactions on Speech and Audio Processing 2(2), 1994: Dirichlet priors on
transitions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ventris.errors import ParameterError
from ventris.label_model.durations import DurationStatistics
from ventris.label_model.markov import stationary_contexts
from ventris.label_model.model import NgramModel
from ventris.label_model.statistics import MarkovStatistics, conditional_of
from ventris.settings import Settings, setting


@dataclass(frozen=True)
class AdaptationSettings(Settings):
    """How a label model moves, and what is told about it."""

    history_counts: float = setting(
        10.0,
        "trigrams of letters moved from one kind of prose to another by 5,000 to 80,000 letters: with the "
        "best strength it costs at most 0.003 nats a letter beside none, and where the strength is a tenth "
        "of the best it saves up to 0.12; pairs of 5 to 26 labels recover 67 % of the decoded gap with 0, 3 "
        "or 10, and 64 % with 30",
    )
    named_pairs: int = setting(5, "unmeasured: pairs of labels that a reader will look at")
    pair_nats: float = setting(
        3.0, "unmeasured: nats that a pair must have gained to be told, odds of 20 to 1 against chance"
    )
    least_factor: float = setting(1.1, "unmeasured: a change that a reader would call one")


DEFAULT = AdaptationSettings()


def map_model(
    given: NgramModel, counts: NDArray, pseudo_counts: float, *, settings: AdaptationSettings = DEFAULT
) -> NgramModel:
    """The given model moved towards expected n-grams (maximum a posteriori, Dirichlet prior).

    (E12):

        P(j | h) = ((s P₀(h) + s₀) P₀(j | h) + n(h, j)) / (s P₀(h) + s₀ + n(h)),

    h the N − 1 labels before, s the pseudo-counts, n the counts, and s₀ a few more for each history, so that
    one that is hardly ever expected does not follow the first n-gram it meets.

    Parameters
    ----------
    given : NgramModel
        P₀, of order 2 or more.
    counts : array of shape (C,) * k
        Expected n-grams n, of order k ≥ 2 and at most the model's. Those of a lower order than the model's
        move its conditional of full order in proportion to what they do at their own.
    pseudo_counts : float
        s: how many n-grams the given model is worth; infinity leaves it as it is.
    settings : AdaptationSettings

    Returns
    -------
    NgramModel
        Of the same labels and order, stationary.

    Examples
    --------
    >>> given = NgramModel.from_transition_matrix([[0.5, 0.5], [0.5, 0.5]], classes="ab")
    >>> moved = map_model(given, np.array([[0.0, 100.0], [0.0, 0.0]]), pseudo_counts=200)
    >>> moved.conditional(2).round(2)
    array([[0.26, 0.74],
           [0.5 , 0.5 ]])
    """
    order = counts.ndim
    if not 2 <= order <= given.order or set(counts.shape) != {given.n_classes}:
        raise ParameterError(
            f"counts must be n-grams of 2 to {given.order} of {given.n_classes} labels",
            f"their shape is {counts.shape}",
            "Count with expected_ngrams at an order of the label model",
        )
    if not pseudo_counts > 0:
        raise ParameterError(
            "pseudo_counts must be positive", f"they are {pseudo_counts!r}", "Give 1000, or infinity"
        )
    if np.isinf(pseudo_counts):
        return given
    conditional = _moved(given, counts, pseudo_counts, settings.history_counts)
    if order < given.order:
        conditional = _carried_up(given, conditional)
    contexts = stationary_contexts(conditional, start=given.joint(given.order - 1))
    return NgramModel(given.alphabet, MarkovStatistics(conditional, contexts))


def renamed(lm: NgramModel, names: NDArray) -> NgramModel:
    """The model once label i is called `names[i]`; its classes are the same, in the same order.

    Examples
    --------
    >>> lm = NgramModel.from_transition_matrix([[0.9, 0.1], [0.4, 0.6]])
    >>> renamed(lm, np.array([1, 0])).conditional(2)
    array([[0.6, 0.4],
           [0.1, 0.9]])
    """
    old, order = np.argsort(names), lm.order
    if lm.durations is not None:
        return NgramModel(lm.alphabet, DurationStatistics(lm.durations.renamed(old)))
    conditional = lm.conditional(order)[np.ix_(*[old] * order)]
    contexts = lm.joint(order - 1)[np.ix_(*[old] * (order - 1))]
    return NgramModel(lm.alphabet, MarkovStatistics(conditional, contexts))


def of_order(lm: NgramModel, order: int) -> NgramModel:
    """The model of shorter n-grams inside a model; itself, if it has none longer.

    Examples
    --------
    >>> lm = NgramModel.from_text("abracadabra", order=3)
    >>> of_order(lm, 2), bool(np.array_equal(of_order(lm, 2).conditional(2), lm.conditional(2)))
    (NgramModel(order=2, n_classes=5), True)
    """
    if order >= lm.order:
        return lm
    return NgramModel(lm.alphabet, MarkovStatistics(lm.conditional(order), lm.joint(order - 1)))


def _moved(given: NgramModel, counts: NDArray, pseudo_counts: float, least: float) -> NDArray[np.float64]:
    """The conditional of the counts' order, moved."""
    before, history = given.conditional(counts.ndim), given.joint(counts.ndim - 1)
    # Counts where the given model has nothing are rounding, or of another model.
    added = np.where(before > 0, counts, 0.0)
    total = (pseudo_counts * history + least)[..., None] * before + added  # (E12)
    return total / total.sum(axis=-1, keepdims=True)


def _carried_up(given: NgramModel, moved: NDArray) -> NDArray[np.float64]:
    """The conditional of full order, each label as many times likelier as it became after fewer labels."""
    before, full = given.conditional(moved.ndim), given.conditional()
    ratio = np.divide(moved, before, out=np.ones_like(moved), where=before > 0)
    carried = full * ratio  # the older labels are leading axes
    sums = carried.sum(axis=-1, keepdims=True)
    return np.divide(carried, sums, out=full.copy(), where=sums > 0)


class Moved(NamedTuple):
    """Two labels, and how many times as often the second follows the first as the given model says."""

    first: Any
    second: Any
    factor: float

    def __str__(self) -> str:
        return f"{self.second!r} follows {self.first!r} {self.factor:.2g} times as often as you said"


def what_moved(
    given: NgramModel, adapted: NgramModel, counts: NDArray, *, settings: AdaptationSettings = DEFAULT
) -> list[Moved]:
    """The pairs of labels whose change matters most, by what it gains on the n-grams seen.

    With n(i, ·) the labels seen after i, P₀ the given and P the adapted conditional, a pair gains

        n(i, ·) (P(j | i) ln (P(j | i) / P₀(j | i)) − P(j | i) + P₀(j | i))  ≥  0,

    half the square of the change in standard deviations of a count, if it is small: it weighs how frequent
    and how sure the change is.

    Parameters
    ----------
    given, adapted : NgramModel
        Of one order.
    counts : array of shape (C,) * k
        What the model was adapted to.
    settings : AdaptationSettings

    Examples
    --------
    >>> given = NgramModel.from_transition_matrix([[0.5, 0.5], [0.5, 0.5]], classes="ab")
    >>> counts = np.array([[0.0, 100.0], [50.0, 50.0]])
    >>> [str(pair) for pair in what_moved(given, map_model(given, counts, 200), counts)]
    ["'a' follows 'a' 0.52 times as often as you said", "'b' follows 'a' 1.5 times as often as you said"]
    """
    if adapted is given:
        return []
    before, after = _of_pairs(given, adapted), _of_pairs(adapted, adapted)
    seen = counts.sum(axis=tuple(range(1, counts.ndim)))[:, None]  # (C, 1)
    ratio = np.divide(after, before, out=np.ones_like(after), where=before > 0)
    change = np.maximum(ratio, np.finfo(float).tiny)
    nats = seen * (after * np.log(change) - after + before)
    told = (nats >= settings.pair_nats) & (np.maximum(change, 1 / change) >= settings.least_factor)
    order = np.argsort(-np.where(told, nats, -1.0), axis=None, kind="stable")[: settings.named_pairs]
    pairs = [np.unravel_index(k, told.shape) for k in order if told.flat[k]]
    names = given.classes
    return [Moved(names[i], names[j], float(ratio[i, j])) for i, j in pairs]


def _of_pairs(model: NgramModel, histories: NgramModel) -> NDArray[np.float64]:
    """P(label | the one before) of `model`, older labels as they come in `histories`.

    A counted model smooths its pairs by themselves, so that its own pairs differ from what its longer n-grams
    say: that difference is no move.
    """
    order = model.order
    if order == 2:
        return model.conditional(2)
    full = histories.joint(order - 1)[..., None] * model.conditional(order)
    return conditional_of(full.sum(axis=tuple(range(order - 2))))
