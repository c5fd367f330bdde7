"""A classifier's labels beside those known: how many contradict, and which other names would agree more."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from ventris.data.known_labels import KnownLabels

Array = NDArray[np.floating]
_LEAST = 1e-3  # unmeasured: as unlikely as an output makes a known label, which may itself be a slip
_ROUNDING = 1e-6  # of counts: sums of probabilities that differ by less are equal


class Contradictions(NamedTuple):
    """Known labels against a classifier's.

    Attributes
    ----------
    n_contradicted : float
        Known labels that were given another. A point known by probabilities counts for what the label it
        was given falls short of the likeliest.
    n_known : int
    confusion : array of shape (C, C)
        Points by known label (row) and label given (column).
    """

    n_contradicted: float
    n_known: int
    confusion: Array


class Names(NamedTuple):
    """Names for a classifier's labels that agree with the most known ones.

    Attributes
    ----------
    permutation : int array of shape (C,)
        ``permutation[c]`` is the name for output label c.
    n_agreeing, n_before : float
        Known labels that agree under these names, and under those it has.
    tied : tuple of int
        Output labels that known labels give a name, where other names for all agree with as many.
    """

    permutation: NDArray[np.int64]
    n_agreeing: float
    n_before: float
    tied: tuple[int, ...]

    @property
    def gain(self) -> float:
        """Known labels more that agree."""
        return self.n_agreeing - self.n_before


def contradictions(known: KnownLabels, found: NDArray, n_classes: int | None = None) -> Contradictions:
    """Count the known labels that a classifier contradicts (confusion matrix).

    Parameters
    ----------
    known : KnownLabels
    found : array of shape (T, C), or int array of shape (T,)
        Its outputs, or the labels it gives.
    n_classes : int, optional
        C, needed if `found` is labels.

    Examples
    --------
    >>> known = KnownLabels(np.array([0, 1, -1, 1]))
    >>> contradictions(known, np.array([0, 0, 0, 1]), 2)
    Contradictions(n_contradicted=1.0, n_known=3, confusion=array([[1., 0.],
           [1., 1.]]))
    """
    size = int(found.shape[1] if n_classes is None else n_classes)
    labels = found[known.mask]
    labels = labels.argmax(axis=1) if labels.ndim == 2 else labels
    given = known.probabilities(size)
    confusion = np.zeros((size, size))
    np.add.at(confusion.T, labels, given)
    short = given.max(axis=1, initial=0.0) - given[np.arange(len(labels)), labels]
    return Contradictions(float(short.sum()), len(labels), confusion)


def expected_contradictions(known: KnownLabels, outputs: Array) -> float:
    """Known labels that the classifier expects to contradict, by what its outputs leave to other labels.

    Examples
    --------
    >>> known = KnownLabels(np.array([0, 1, -1]))
    >>> expected_contradictions(known, np.array([[0.9, 0.1], [0.7, 0.3], [0.5, 0.5]]))
    0.4
    """
    return round(float(np.sum(1 - outputs[known.mask].max(axis=1, initial=0.0))), 12)


def evidence_for_names(known: KnownLabels, outputs: Array, floor: float) -> Array:
    """Nats that known points speak for each name of each output label: shape (C, C), names in rows.

    Unlike a count of labels given, it lets a point count for little that the classifier is not sure of.

    Parameters
    ----------
    known : KnownLabels
    outputs : array of shape (n, C)
        Of the points of which something is known.
    floor : float
        The least probability that an output is believed to have.

    Examples
    --------
    >>> known = KnownLabels(np.array([0, 0]))
    >>> evidence_for_names(known, np.array([[0.1, 0.9], [0.5, 0.5]]), 0.01).round(1)
    array([[6.2, 8.4],
           [0. , 0. ]])
    """
    return known.probabilities(outputs.shape[1]).T @ np.log(np.maximum(outputs, floor) / floor)


def best_names(confusion: Array) -> Names:
    """The renaming of a classifier's labels that agrees with the most known labels (linear assignment).

    Labels that nobody vouches for keep their names where they can, and so do all that would gain nothing.

    Parameters
    ----------
    confusion : array of shape (C, C)
        Points by known label (row) and label given (column), of `contradictions`; or nats of evidence.

    Examples
    --------
    >>> best_names(np.array([[0, 9, 0], [8, 1, 0], [0, 0, 0]]))
    Names(permutation=array([1, 0, 2]), n_agreeing=17.0, n_before=1.0, tied=())

    One point known, called b by the classifier: b must be a, and the name b is free for what was a.

    >>> best_names(np.array([[0, 1], [0, 0]])).permutation
    array([1, 0])
    """
    votes = np.asarray(confusion, dtype=float).T  # row: label given; column: name
    kept = np.eye(len(votes)) * _ROUNDING / (len(votes) + 1)
    rows, names = linear_sum_assignment(votes + kept, maximize=True)
    n_agreeing, n_before = float(votes[rows, names].sum()), float(np.trace(votes))
    return Names(names.astype(np.int64), n_agreeing, n_before, _tied(votes, names))


def _tied(votes: Array, names: NDArray) -> tuple[int, ...]:
    """Labels with votes for a name that lie on a cycle along which names can be handed on for nothing.

    ``loss[g, h]`` is what it costs that g takes the name of h. No cycle of the best names gains; shortest
    ways find those that cost nothing.
    """
    taken = votes[:, names]  # column: the label whose name it is
    loss = np.diag(taken)[:, None] - taken
    way = loss.copy()
    for middle in range(len(votes)):
        way = np.minimum(way, way[:, middle, None] + way[None, middle])
    around = loss + way.T
    np.fill_diagonal(around, np.inf)
    # Two names that nobody gives a label are no tie: it keeps the one it has.
    spoken_of = taken + np.diag(taken)[:, None] > 0
    return tuple(np.flatnonzero(np.any((around <= _ROUNDING) & spoken_of, axis=1)).tolist())


def likeliest_names(known: KnownLabels, outputs: Array) -> tuple[NDArray[np.int64], float]:
    """The renaming that makes known labels likeliest, and the nats it gains (maximum likelihood, assignment).

    Counts ask which label won at each known point, this how sure the outputs were of it: where classes
    overlap a few lost points rename nothing. The gain can be set against what the renaming costs a label
    sequence.

    Parameters
    ----------
    known : KnownLabels
    outputs : array of shape (T, C)

    Examples
    --------
    >>> known = KnownLabels(np.array([0, 0, 0]))
    >>> unsure = np.array([[0.45, 0.55], [0.45, 0.55], [0.95, 0.05]])  # two of three points lost, narrowly
    >>> likeliest_names(known, unsure)
    (array([0, 1]), 0.0)
    >>> names, gain = likeliest_names(known, np.array([[0.1, 0.9]] * 3))
    >>> names, round(gain, 3)
    (array([1, 0]), 6.592)
    """
    said = np.log(np.maximum(outputs[known.mask], _LEAST))
    nats = said.T @ known.probabilities(outputs.shape[1])  # row: label given; column: name
    kept = np.eye(len(nats)) * _ROUNDING / (len(nats) + 1)
    rows, names = linear_sum_assignment(nats + kept, maximize=True)
    gain = float(nats[rows, names].sum() - np.trace(nats))
    return names.astype(np.int64), gain if gain > _ROUNDING else 0.0


def renaming_in_words(permutation: NDArray | tuple[int, ...], classes: tuple[Any, ...]) -> str:
    """The labels that change their names, at most six of them: "a→b, b→a".

    Examples
    --------
    >>> renaming_in_words((1, 0, 2), ("a", "b", "c"))
    'a→b, b→a'
    """
    moved = [f"{classes[c]}→{classes[int(name)]}" for c, name in enumerate(permutation) if name != c]
    return ", ".join(moved[:6]) + (", …" if len(moved) > 6 else "")
