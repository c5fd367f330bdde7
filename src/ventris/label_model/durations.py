"""How long labels last: at least so many steps, or as long as a histogram says, instead of geometrically.

In a chain of labels a stay ends with the same probability at every step, however long it has lasted: short
stays are the likeliest. A machine that needs five seconds to start does not behave like that. Here a stay of
label i lasts d − 1 steps for certain, d drawn from a histogram of its own, and then ends with probability
1 − sᵢ at each step: a histogram alone has s = 0, a least stay has all its mass at one d, and d = 1 is the
geometric stay of an ordinary chain.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ventris.errors import LanguageModelError, ParameterError
from ventris.label_model.markov import stationary_distribution
from ventris.label_model.statistics import MarkovStatistics

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Durations:
    """Stays of each label, and where it goes afterwards (semi-Markov chain).

    Attributes
    ----------
    histograms : tuple of arrays, one a label
        Its entry d − 1 is the probability that a stay lasts d steps before it may end.
    stay : array of shape (C,)
        Probability that it goes on for another step, from then on.
    moves : array of shape (C, C)
        p(next label | this one is left); its diagonal is zero.

    References
    ----------
    .. [1] S.-Z. Yu, "Hidden semi-Markov models", Artificial Intelligence 174 (2010), 215-243.
    """

    histograms: tuple[Array, ...]
    stay: Array
    moves: Array

    @property
    def first(self) -> NDArray[np.int64]:
        """Number of the first state of each label, and of all states: shape (C + 1,)."""
        return np.cumsum([0, *(len(each) for each in self.histograms)])

    @property
    def enter(self) -> Array:
        """Probability that a stay begins in each state, given its label: shape (N,)."""
        return np.concatenate(self.histograms)

    def mean(self) -> Array:
        """Steps that a stay lasts on average: shape (C,).

        Examples
        --------
        >>> Durations((np.array([0.0, 0.0, 1.0]),), np.array([0.5]), np.zeros((1, 1))).mean()
        array([4.])
        """
        sure = np.array([each @ np.arange(1, len(each) + 1) for each in self.histograms])
        return sure - 1 + 1 / (1 - self.stay)

    def opening(self) -> Array:
        """Long-run probability of each state, a label and the steps it must still stay: shape (N,)."""
        visits = stationary_distribution(self.moves)
        steps = [np.append(h[::-1].cumsum()[::-1][1:], 0.0) for h in self.histograms]
        spent = [visits[i] * np.r_[1 / (1 - self.stay[i]), each[:-1]] for i, each in enumerate(steps)]
        weights = np.concatenate(spent)
        return weights / weights.sum()

    def pair(self, lag: int) -> Array:
        """P(y_t, y_{t+lag}), exactly: shape (C, C)."""
        first, enter = self.first, self.enter
        label = np.repeat(np.arange(len(self.stay)), np.diff(first))
        carried = np.where(label[None, :] == np.arange(len(self.stay))[:, None], self.opening(), 0.0)
        for _ in range(lag):
            may_leave = carried[:, first[:-1]]
            moved = np.zeros_like(carried)
            moved[:, :-1] = np.where(label[1:] == label[:-1], carried[:, 1:], 0.0)
            moved[:, first[:-1]] += self.stay * may_leave
            moved += (((1 - self.stay) * may_leave) @ self.moves)[:, label] * enter
            carried = moved
        return np.add.reduceat(carried, first[:-1], axis=1)

    def sample(self, n: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """A label sequence of length n, begun at any time of a stay."""
        first, opening = self.first, self.opening()
        state = int(rng.choice(len(opening), p=opening))
        label = int(np.searchsorted(first, state, side="right")) - 1
        left, parts, made = state - int(first[label]), [], 0
        while made < n:
            lasts = left + int(rng.geometric(1 - self.stay[label]))
            parts.append(np.full(lasts, label))
            made += lasts
            label = int(rng.choice(len(self.stay), p=self.moves[label]))
            left = int(rng.choice(len(self.histograms[label]), p=self.histograms[label]))
        return np.concatenate(parts)[:n] if parts else np.zeros(0, dtype=np.int64)

    def renamed(self, old: NDArray) -> Durations:
        """The same once label i stands for what label `old[i]` was."""
        grid = np.ix_(old, old)
        return Durations(tuple(self.histograms[i] for i in old), self.stay[old], self.moves[grid])


class DurationStatistics(MarkovStatistics):
    """Pairs of labels that last; beyond pairs, only what walks the durations themselves is exact."""

    def __init__(self, durations: Durations) -> None:
        self.durations = durations
        joint = durations.pair(1)
        super().__init__(joint / joint.sum(axis=1, keepdims=True), joint.sum(axis=1))

    def pair(self, lag: int) -> NDArray | None:
        """P(y_t, y_{t+lag}) with its durations."""
        return self.durations.pair(lag)


def durations_of(
    transitions: Array, classes: Sequence[Any], min_dwell: Any = None, histograms: Any = None
) -> Durations:
    """Durations from transitions, and a least stay or histograms.

    Parameters
    ----------
    transitions : array of shape (C, C)
        Their diagonal tells how long a stay goes on beyond `min_dwell`; beside histograms it says nothing.
    classes : sequence
    min_dwell : int, sequence of int or mapping of label to int, optional
    histograms : mapping of label to sequence, or sequence of them, optional
    """
    if (min_dwell is None) == (histograms is None):
        raise ParameterError(
            "How long labels last is told by min_dwell or by durations",
            "neither was given" if min_dwell is None else "both were given",
            "Give one of them",
        )
    P = np.array(transitions, dtype=float)
    stay = np.diag(P).copy()
    leaving = P * ~np.eye(len(P), dtype=bool)
    total = leaving.sum(axis=1, keepdims=True)
    moves = leaving / np.where(total > 0, total, 1.0)
    if histograms is not None:
        parts = _of_each(histograms, classes, "durations")
        return Durations(
            tuple(_histogram(h, c) for h, c in zip(parts, classes, strict=True)), 0 * stay, moves
        )
    steps = [min_dwell] * len(P) if np.ndim(min_dwell) == 0 and not isinstance(min_dwell, Mapping) else None
    least = [_least(each) for each in (steps or _of_each(min_dwell, classes, "min_dwell"))]
    return Durations(tuple(np.eye(d)[d - 1] for d in least), stay, moves)


def _of_each(given: Any, classes: Sequence[Any], name: str) -> list[Any]:
    """One entry a label, in the order of the labels."""
    if isinstance(given, Mapping):
        missing = [label for label in classes if label not in given]
        if missing:
            raise LanguageModelError(
                f"{name} must have an entry for every label", f"{missing[0]!r} has none", "Add it"
            )
        return [given[label] for label in classes]
    entries = list(given)
    if len(entries) != len(classes):
        raise LanguageModelError(
            f"{name} must have an entry for each of the {len(classes)} labels",
            f"it has {len(entries)}",
            "Give one a label, in the order of classes, or a dictionary",
        )
    return entries


def _least(steps: Any) -> int:
    if isinstance(steps, bool) or not isinstance(steps, int | np.integer) or steps < 1:
        raise ParameterError(
            "min_dwell must be a whole number of steps, at least 1", f"it is {steps!r}", "Give 5, for example"
        )
    return int(steps)


def _histogram(values: Any, label: Any) -> Array:
    h = np.asarray(values, dtype=float)
    if h.ndim != 1 or not len(h) or not np.all(np.isfinite(h)) or h.min() < 0 or h.sum() <= 0:
        raise LanguageModelError(
            f"The durations of {label!r} must be how often a stay lasted 1, 2, 3, … steps",
            "they are empty, negative or no numbers",
            "Give counts or probabilities that are not all zero",
        )
    return np.trim_zeros(h, "b") / h.sum()
