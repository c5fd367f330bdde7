"""Symmetries of a label model: which labels no amount of data can tell apart, and whom to ask about.

A plan of rooms may be its own mirror image; two rooms off one corridor may be twins. Walks then look the same
under other names. All that can be said of that follows from the label model's pairs alone: the labels that
can be exchanged (orbits of the group of automorphisms), how many labellings look the same (its order), what a
blind choice among them costs, and the fewest labels, found greedily, that leave only one.

Labels are told apart by the company they keep, round after round; a search opens what that leaves together.
The search can be exponential: it does a bounded amount of work, and says if that was not enough.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from ventris.label_model.model import NgramModel

Array = NDArray[np.floating]
Colours = NDArray[np.int64]
_WORK = 20_000  # unmeasured: rounds of telling labels apart, of a few hundredths of a millisecond each
_DIGITS = 10  # of a probability: what differs by less comes from rounding, not from the plan


@dataclass(frozen=True)
class Symmetries:
    """What exchanging labels leaves as it is.

    Attributes
    ----------
    classes : tuple
    orbits : tuple of tuple of int
        Labels that can stand for one another, a tuple each; labels alone in theirs are left out.
    n_labellings : int
        Labellings that look the same, the right one included (order of the automorphism group).
    expected_error : float
        Share of points named wrongly, on average, by a blind choice among these.
    to_label : tuple of int
        Labels of which one known point each leaves a single labelling.
    exact : bool
        False where the search was given up: labels it could not tell apart in time count as exchangeable.

    Examples
    --------
    >>> from ventris import NgramModel
    >>> ring = np.roll(np.eye(6), 1, axis=1)
    >>> found = symmetries(NgramModel.from_graph(ring + ring.T, stay=0.5))
    >>> found.n_labellings, found.to_label, round(found.expected_error, 3)
    (12, (0, 1), 0.833)
    """

    classes: tuple[Any, ...]
    orbits: tuple[tuple[int, ...], ...]
    n_labellings: int
    expected_error: float
    to_label: tuple[int, ...]
    exact: bool
    _search: _Search = field(repr=False, compare=False)

    def settled_by(self, named: Collection[int] = ()) -> tuple[int, ...]:
        """Further labels to ask for, where points of some are known already."""
        if not named:
            return self.to_label
        return _asked(self._search, sorted(named))[0]

    @property
    def labels_to_ask(self) -> list[Any]:
        """Names of the labels of `to_label`."""
        return [self.classes[label] for label in self.to_label]

    def __str__(self) -> str:
        if not self.orbits:
            return "No symmetry: every label has a place of its own."
        groups = "; ".join(", ".join(str(self.classes[c]) for c in orbit) for orbit in self.orbits[:_SHOWN])
        more = f"; and {len(self.orbits) - _SHOWN} groups more" if len(self.orbits) > _SHOWN else ""
        asked = ", ".join(map(str, self.labels_to_ask))
        unsure = "" if self.exact else " The search was given up: there may be fewer."
        return (
            f"{self.n_labellings:,} labellings look the same. Labels that can be exchanged: {groups}{more}. "
            f"Without help {100 * self.expected_error:.0f} % of the points are named wrongly on average. "
            f"One known point each of {asked} leaves nothing open.{unsure}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON; labels by their names."""
        return {
            "orbits": [[self.classes[c] for c in orbit] for orbit in self.orbits],
            "n_labellings": self.n_labellings,
            "expected_error": self.expected_error,
            "to_label": self.labels_to_ask,
            "exact": self.exact,
        }


_SHOWN = 12  # groups written out


def symmetries(lm: NgramModel) -> Symmetries:
    """The symmetries of a label model's pairs: what no data can tell (graph automorphisms).

    Parameters
    ----------
    lm : NgramModel

    References
    ----------
    .. [1] B. D. McKay and A. Piperno, "Practical graph isomorphism, II", Journal of Symbolic Computation 60
       (2014), 94-112.
    """
    return symmetries_of_pairs(np.asarray(lm.joint(2), dtype=float), lm.classes)


def symmetries_of_pairs(pairs: Array, classes: Sequence[Any]) -> Symmetries:
    """The same from P(y₁, y₂), shape (C, C), and the labels' names."""
    search = _Search.of(pairs)
    first = search.orbits(())
    to_label, n_labellings = _asked(search, ())
    wrong = sum(float(search.frequency[list(orbit)].sum()) * (1 - 1 / len(orbit)) for orbit in first)
    groups = tuple(tuple(orbit) for orbit in first if len(orbit) > 1)
    return Symmetries(tuple(classes), groups, n_labellings, wrong, to_label, search.is_complete, search)


def _asked(search: _Search, named: Sequence[int]) -> tuple[tuple[int, ...], int]:
    """Labels to ask for beyond those named, each the most telling there is, and the labellings they end."""
    fixed, n_labellings = list(named), 1
    orbits = search.orbits(fixed)
    while any(len(orbit) > 1 for orbit in orbits):
        chosen, left = _most_telling(search, fixed, orbits)
        n_labellings *= next(len(orbit) for orbit in orbits if chosen in orbit)
        fixed.append(chosen)
        orbits = left
    return tuple(fixed[len(named) :]), n_labellings


def _most_telling(
    search: _Search, fixed: Sequence[int], orbits: list[list[int]]
) -> tuple[int, list[list[int]]]:
    """The label whose known point leaves the fewest open, the more frequent of equals, and what it leaves."""
    best: tuple[tuple[float, float], int, list[list[int]]] | None = None
    frequency = search.frequency
    for orbit in (each for each in orbits if len(each) > 1):
        chosen = max(orbit, key=lambda c: (round(float(frequency[c]), _DIGITS), -c))
        left = search.orbits((*fixed, chosen))
        n_open = sum(len(each) for each in left if len(each) > 1)
        rank = (-float(n_open), round(float(frequency[chosen]), _DIGITS))
        if best is None or rank > best[0]:
            best = rank, chosen, left
    assert best is not None
    return best[1], best[2]


def best_symmetry(lm: NgramModel, agreement: Array) -> NDArray[np.int64]:
    """The symmetry under which an answer agrees best with the truth: label i is to be called `names[i]`.

    Parameters
    ----------
    lm : NgramModel
    agreement : array of shape (C, C)
        How often label i of the answer met label j of the truth.

    Examples
    --------
    >>> from ventris import NgramModel
    >>> path = NgramModel.from_graph([[0, 1, 0], [1, 0, 1], [0, 1, 0]], stay=0.5)
    >>> best_symmetry(path, np.array([[1, 0, 9], [0, 5, 0], [8, 0, 1]]))
    array([2, 1, 0])
    """
    return best_symmetry_of_pairs(np.asarray(lm.joint(2), dtype=float), np.asarray(agreement, dtype=float))


def best_symmetry_of_pairs(pairs: Array, agreement: Array) -> NDArray[np.int64]:
    """The same from P(y₁, y₂), shape (C, C)."""
    return _Search.of(pairs).best(agreement)


@dataclass
class _Search:
    """Two copies of one table of pairs, coloured alike: who is told apart has a colour of its own."""

    values: NDArray[np.int64]  # (C, C): which of the distinct pair probabilities stands there
    keys: NDArray[np.uint64]  # (V, C): random numbers, the same in every run
    frequency: Array  # (C,)
    work: int = field(default=0)

    @classmethod
    def of(cls, pairs: Array) -> _Search:
        table = np.round(pairs, _DIGITS)
        distinct, values = np.unique(table, return_inverse=True)
        shape = (len(distinct), len(table))
        keys = np.random.default_rng(0).integers(1, 2**63, size=shape, dtype=np.uint64)
        return cls(values.reshape(table.shape), keys, pairs.sum(axis=1))

    @property
    def is_complete(self) -> bool:
        return self.work < _WORK

    def orbits(self, fixed: Sequence[int]) -> list[list[int]]:
        """Labels that can stand for one another while those `fixed` keep their names."""
        colours = self._refined(self._with(np.zeros(len(self.values), dtype=np.int64), fixed))
        orbits = []
        for colour in np.unique(colours):
            parts: list[list[int]] = []
            for label in np.flatnonzero(colours == colour).tolist():
                home = next((part for part in parts if self._exchange(colours, part[0], label)), None)
                if home is None:
                    parts.append([label])
                else:
                    home.append(label)
            orbits += parts
        return sorted(orbits)

    def _exchange(self, colours: Colours, one: int, other: int) -> bool:
        """Whether some symmetry that keeps the colours takes one label to the other."""
        names = np.arange(len(colours))
        names[[one, other]] = other, one
        if np.array_equal(self.values[np.ix_(names, names)], self.values):  # twins: nothing else moves
            return True
        left, right = self._both(self._with(colours, [one]), self._with(colours, [other]))
        if left is None or right is None:
            return False
        return any(True for _ in self._symmetries(left, right))

    @staticmethod
    def _with(colours: Colours, fixed: Sequence[int]) -> Colours:
        """Colours in which each of these labels has one of its own."""
        out = colours.copy()
        for number, label in enumerate(fixed):
            out[label] = len(colours) + number
        return out

    def _refined(self, colours: Colours) -> Colours:
        both, _ = self._both(colours, colours)
        assert both is not None
        return both

    def _both(self, left: Colours, right: Colours) -> tuple[Colours | None, Colours | None]:
        """Colours of both copies told apart by their company; None if the copies turn out to differ."""
        n, n_colours = len(left), -1
        while True:
            _, joint = np.unique(np.concatenate([left, right]), return_inverse=True)
            left, right = joint[:n], joint[n:]
            if not np.array_equal(np.bincount(left, minlength=n), np.bincount(right, minlength=n)):
                return None, None
            if joint.max() == n_colours:
                return left, right
            n_colours = int(joint.max())
            self.work += 1
            signs = np.concatenate([self._signs(left), self._signs(right)])
            _, sign = np.unique(signs, return_inverse=True)
            joint = joint * (len(signs) + 1) + sign
            left, right = joint[:n], joint[n:]

    def _signs(self, colours: Colours) -> NDArray[np.uint64]:
        """A number for the colours a label sees, and how often it meets each (sums of random numbers)."""
        out = self.keys[self.values, colours[None, :]].sum(axis=1)
        back = self.keys[self.values.T, colours[None, :]].sum(axis=1)
        return out + np.uint64(31) * back

    def _symmetries(self, left: Colours, right: Colours) -> Iterator[NDArray[np.int64]]:
        """Every symmetry that takes the colours of one copy to those of the other."""
        open_cell = _smallest_cell(left)
        if open_cell is None:
            names = np.empty_like(left)
            names[np.argsort(left)] = np.argsort(right)
            if np.array_equal(self.values[np.ix_(names, names)], self.values):
                yield names
            return
        label = int(open_cell[0])
        for other in np.flatnonzero(right == left[label]).tolist():
            if not self.is_complete:
                yield np.arange(len(left))  # who cannot be told apart in time counts as exchangeable
                return
            one, two = self._both(self._with(left, [label]), self._with(right, [other]))
            if one is not None and two is not None:
                yield from self._symmetries(one, two)

    def best(self, agreement: Array) -> NDArray[np.int64]:
        """The symmetry of the largest agreement (branch and bound)."""
        from scipy.optimize import linear_sum_assignment

        never = -1.0 - 2.0 * float(np.abs(agreement).sum())  # a name of another colour costs more than all
        start = self._refined(np.zeros(len(self.values), dtype=np.int64))
        best: list[Any] = [-np.inf, np.arange(len(start))]

        def follow(left: Colours, right: Colours) -> None:
            possible = np.where(left[:, None] == right[None, :], agreement, never)
            rows, columns = linear_sum_assignment(possible, maximize=True)
            at_most = float(possible[rows, columns].sum())  # no symmetry gives two labels one name
            if at_most <= best[0] or not self.is_complete:
                return
            cell = _smallest_cell(left)
            if cell is None:
                if np.array_equal(self.values[np.ix_(columns, columns)], self.values):
                    best[:] = at_most, columns
                return
            label = int(max(cell, key=lambda c: agreement[c].sum()))
            others = np.flatnonzero(right == left[label])
            for other in others[np.argsort(-agreement[label, others], kind="stable")].tolist():
                one, two = self._both(self._with(left, [label]), self._with(right, [other]))
                if one is not None and two is not None:
                    follow(one, two)

        follow(start, start.copy())
        return best[1]


def _smallest_cell(colours: Colours) -> NDArray[np.int64] | None:
    """The labels of the smallest colour that several share; None if every label has its own."""
    counts = np.bincount(colours)
    shared = np.flatnonzero(counts > 1)
    if not len(shared):
        return None
    return np.flatnonzero(colours == shared[counts[shared].argmin()])
