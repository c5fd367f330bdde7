"""Sequences of inputs: a list of arrays or one array with lengths, converted once.

This is the only place that checks lengths. Windows never cross the boundary between two sequences.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import ArrayLike, NDArray

from ventris.data.inputs import Unpacked, lengths_of_groups, numbered_symbols, unpack
from ventris.data.points import ROWS as ROWS
from ventris.data.points import as_points, is_text, to_array
from ventris.errors import DataError


def check_lengths(lengths: ArrayLike | None, n_points: int) -> NDArray[np.int64]:
    """Sequence lengths as an int64 array that adds up to `n_points`.

    Examples
    --------
    >>> check_lengths([2, 3], 5)
    array([2, 3])
    >>> check_lengths(None, 5)
    array([5])
    """
    if lengths is None:
        return np.array([n_points], dtype=np.int64)
    given = to_array(lengths, "lengths")
    if given.ndim != 1 or not np.issubdtype(given.dtype, np.integer):
        raise DataError(
            "lengths must be a 1-D array of whole numbers",
            f"it is {given.ndim}-D of type {given.dtype}",
            "Give the number of points of each sequence, in order",
        )
    if np.any(given < 1):
        raise DataError(
            "Every length must be at least 1",
            f"sequence {int(np.argmax(given < 1))} has length {int(given.min())}",
            "Leave empty sequences out",
        )
    # Silent truncation here is how labels and inputs drift apart inside a grid search: always refuse. Each is
    # compared too, because lengths near 2**63 can add up to anything.
    if given.max(initial=0) > n_points or given.sum() != n_points:
        raise DataError(
            "lengths must add up to the number of points",
            f"they add up to {sum(given.tolist())} for {n_points} points",
            "Pass the lengths of this very array, or a list of sequences, which needs none; under "
            "cross-validation groups=, which sequence each point belongs to, is cut along with the points",
        )
    return given.astype(np.int64)


def named_parts(X: Any) -> list[Any]:
    """What of X may have names of columns: X itself, or the data frames among its sequences.

    Examples
    --------
    >>> named_parts([[0.5], [1.0]]), len(named_parts(np.zeros((3, 2))))
    ([], 1)
    """
    if isinstance(X, Mapping) and not hasattr(X, "toarray"):
        X = list(X.values())
    if isinstance(X, list | tuple):
        return [part for part in X if hasattr(part, "columns")]
    return [X]


def refuse_lengths_as_labels(y: Any, n_points: int, method: str) -> None:
    """Refuse hmmlearn's call, ``fit(X, lengths)``: `y` is ignored, and the sequences would run together.

    Examples
    --------
    >>> refuse_lengths_as_labels([2, 3], 5, "fit")
    Traceback (most recent call last):
    ...
    ventris.errors.DataError: fit takes lengths by keyword, but they came in the place of y, which is \
ignored: 2 whole numbers that add up to the 5 points. Call fit(X, lengths=lengths).
    """
    if y is None or not hasattr(y, "__len__") or not 0 < len(y) < n_points or np.ndim(y[0]) > 0:
        return
    given = np.asarray(y)
    if given.ndim == 1 and given.dtype.kind in "iu" and given.min() > 0 and int(given.sum()) == n_points:
        raise DataError(
            f"{method} takes lengths by keyword",
            f"they came in the place of y, which is ignored: {len(given)} whole numbers that add up to the "
            f"{n_points} points",
            f"Call {method}(X, lengths=lengths)",
        )


def first_lengths(lengths: NDArray[np.int64], n_points: int) -> NDArray[np.int64]:
    """Lengths of the sequences that the first `n_points` points make, the last one cut.

    Examples
    --------
    >>> first_lengths(np.array([3, 4, 5]), 5)
    array([3, 2])
    """
    kept = np.diff(np.minimum(np.cumsum(lengths), n_points), prepend=0)
    return kept[kept > 0]


def first_points(
    rows: NDArray, lengths: NDArray[np.int64], n_points: int
) -> tuple[NDArray, NDArray[np.int64]]:
    """The first `n_points` rows, or all if there are fewer, and the lengths of their sequences.

    Examples
    --------
    >>> first_points(np.arange(12), np.array([3, 4, 5]), 5)
    (array([0, 1, 2, 3, 4]), array([3, 2]))
    """
    kept = first_lengths(lengths, n_points)
    return rows[: int(kept.sum())], kept


# Where a block of windows starts: a slice for an unbroken run (views, no copies), else the positions.
WindowBlock = slice | NDArray[np.int64]


def window_blocks(
    n_points: int, order: int, lengths: ArrayLike | None = None, size: int = ROWS
) -> Iterator[WindowBlock]:
    """Windows of `order` points that lie inside one sequence, in blocks of at most `size`.

    Only one block exists at a time, so memory does not grow with the number of points.

    Examples
    --------
    >>> list(window_blocks(5, 2, [5], size=3))
    [slice(0, 3, None), slice(3, 4, None)]
    >>> list(window_blocks(5, 2, [2, 3]))
    [array([0, 2, 3])]
    """
    checked = check_lengths(lengths, n_points)
    if checked.max() < order:
        raise DataError(
            f"At least one sequence must hold {order} points, the order of the label model",
            f"the longest has {int(checked.max())}",
            "Give longer sequences or a lower order",
        )
    ends = np.cumsum(checked)
    last = n_points - order + 1
    for first in range(0, last, size):
        positions = np.arange(first, min(first + size, last))
        inside = positions + order <= ends[np.searchsorted(ends, positions, side="right")]
        if inside.all():
            yield slice(first, first + len(positions))
        elif inside.any():
            yield positions[inside]


def shifted(block: WindowBlock, places: int) -> WindowBlock:
    """The same windows' points `places` after their first.

    Examples
    --------
    >>> shifted(slice(0, 3), 2), shifted(np.array([0, 4]), 1)
    (slice(2, 5, None), array([1, 5]))
    """
    if isinstance(block, slice):
        return slice(block.start + places, block.stop + places)
    return block + places


@dataclass(frozen=True)
class Sequences:
    """Sequences one after another in a single array.

    Attributes
    ----------
    data : array of shape (T, D), float32 or float64; or (T,), integer symbols
    lengths : int64 array of shape (S,)
    came_as_list : bool
        Whether results go back as a list with one entry per sequence.
    keys : tuple, optional
        Names of the sequences of a dictionary: results go back as one.
    n_stacked : int, optional
        Sequences of an (S, T, D) array: results go back as an array that begins with axes S and T.
    symbols : tuple of str, optional
        What symbol 0, 1, … was called where they came as texts.
    notes : tuple of str
        How what came was read, where it could have been read otherwise.
    is_ambiguous : bool
        Whether another reading is as likely, so that the notes must be said aloud.
    n_points : int
        T, the number of points over all sequences.
    is_symbolic : bool
        Whether the points are integer symbols rather than feature vectors.

    Examples
    --------
    >>> pair = Sequences.of([np.zeros((2, 3)), np.ones((4, 3))])
    >>> len(pair), pair.n_points, pair.data.shape
    (2, 6, (6, 3))
    >>> [part.shape for part in pair]
    [(2, 3), (4, 3)]
    """

    data: NDArray
    lengths: NDArray[np.int64]
    came_as_list: bool = False
    keys: tuple[Any, ...] | None = None
    n_stacked: int | None = None
    symbols: tuple[str, ...] | None = None
    notes: tuple[str, ...] = ()
    is_ambiguous: bool = False
    n_points: int = field(init=False)
    is_symbolic: bool = field(init=False)

    def __post_init__(self) -> None:
        vars(self).update(n_points=len(self.data), is_symbolic=self.data.ndim == 1)

    @classmethod
    def of(
        cls,
        X: Any,
        lengths: ArrayLike | None = None,
        *,
        groups: ArrayLike | None = None,
        symbols: Sequence[str] | None = None,
        symbolic: bool | None = None,
    ) -> Sequences:
        """Sequences from whatever people have; unchanged from Sequences.

        Parameters
        ----------
        X : list, tuple, generator or dictionary of sequences, one array or data frame, or (S, T, D) array
            A sequence is (n, D) features, or (n,) symbols: whole numbers from 0, or texts.
        lengths : array of shape (S,), optional
            Of the sequences in one array.
        groups : array of shape (T,), optional
            Instead of `lengths`: which sequence each point belongs to.
        symbols : sequence of str, optional
            What symbols are called already, in their order; others are refused.
        symbolic : bool, optional
            Whether symbols are expected, where nested lists of whole numbers could also be features.

        Examples
        --------
        >>> words = Sequences.of([["the", "cat"], ["the", "dog", "sat"]])
        >>> words.data, words.lengths, words.symbols
        (array([3, 0, 3, 1, 2]), array([2, 3]), ('cat', 'dog', 'sat', 'the'))
        """
        if isinstance(X, Sequences):
            if lengths is not None or groups is not None:
                raise DataError(
                    "Sequences carry their own lengths", "lengths or groups was given as well", "Drop them"
                )
            return X
        is_plain = isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype.kind == "f"
        given = Unpacked(array=X) if is_plain else unpack(X, symbolic)
        if given.parts is not None:
            if lengths is not None or groups is not None:
                raise DataError(
                    "A list of sequences carries its own lengths",
                    f"{'lengths' if groups is None else 'groups'} was given as well",
                    "Drop it, or pass one concatenated array",
                )
            data, spans = _joined_parts(given.parts)
        else:
            data = as_points(given.array, "X")
            if given.n_stacked:
                spans = np.full(given.n_stacked, len(data) // given.n_stacked)
                _refuse_lengths(lengths, groups)
            else:
                spans = (
                    check_lengths(lengths, len(data))
                    if groups is None
                    else lengths_of_groups(groups, lengths, len(data))
                )
        return cls._named(data, spans, given, symbols)

    @classmethod
    def _named(
        cls, data: NDArray, lengths: NDArray[np.int64], given: Unpacked, symbols: Sequence[str] | None
    ) -> Sequences:
        names = None
        if is_text(data):
            data, names = numbered_symbols(data, symbols)
        return cls(
            data,
            lengths,
            came_as_list=given.parts is not None,
            keys=given.keys,
            n_stacked=given.n_stacked,
            symbols=names,
            notes=given.notes,
            is_ambiguous=given.is_ambiguous,
        )

    def __len__(self) -> int:
        return len(self.lengths)

    def __iter__(self) -> Iterator[NDArray]:
        for start, stop in zip(self.offsets[:-1], self.offsets[1:], strict=True):
            yield self.data[start:stop]

    @property
    def offsets(self) -> NDArray[np.int64]:
        """Where each sequence starts, and at the end the number of points: shape (S + 1,)."""
        return np.concatenate([[0], np.cumsum(self.lengths)]).astype(np.int64)

    def restore(self, per_point: NDArray) -> NDArray | list[NDArray] | dict[Any, NDArray]:
        """Per-point results in the shape the inputs came in: list in, list out; array in, array out.

        Parameters
        ----------
        per_point : array of shape (T, …)

        Examples
        --------
        >>> Sequences.of([np.zeros((2, 1)), np.ones((1, 1))]).restore(np.array([7, 8, 9]))
        [array([7, 8]), array([9])]
        """
        if self.n_stacked:
            return per_point.reshape(self.n_stacked, -1, *per_point.shape[1:])
        if not self.came_as_list:
            return per_point
        parts = np.split(per_point, self.offsets[1:-1])
        return parts if self.keys is None else dict(zip(self.keys, parts, strict=True))

    def like(self, per_point: Any) -> Any:
        """Something given along with the inputs, dictionaries and stacks turned into lists as those were.

        Parameters
        ----------
        per_point : dict, array or list

        Examples
        --------
        >>> named = Sequences.of({"a": np.zeros((2, 1)), "b": np.ones((1, 1))})
        >>> named.like({"b": [1]})
        [None, [1]]
        """
        if self.keys is not None and isinstance(per_point, Mapping):
            return [per_point.get(key) for key in self.keys]
        if self.n_stacked and len(per_point) == self.n_stacked:
            return list(per_point)
        return per_point

    def split(self, fraction: float) -> tuple[Sequences, Sequences]:
        """A leading and a trailing part, cut contiguously: a random split would destroy the n-grams.

        The cut falls where `fraction` says, so at most one sequence is cut in two.
        """
        cut = self.n_points - max(1, round(fraction * self.n_points))
        first = int(np.searchsorted(np.cumsum(self.lengths), cut, side="right"))
        inside = cut - int(self.offsets[first])
        left = [*self.lengths[:first], *([inside] if inside else [])]
        right = [int(self.lengths[first]) - inside, *self.lengths[first + 1 :]]
        return (
            Sequences(self.data[:cut], np.array(left, dtype=np.int64), self.came_as_list),
            Sequences(self.data[cut:], np.array(right, dtype=np.int64), self.came_as_list),
        )


def _joined_parts(parts: Sequence[Any]) -> tuple[NDArray, NDArray[np.int64]]:
    """One array of all sequences, and how long each is."""
    read = [as_points(part, f"sequence {index}") for index, part in enumerate(parts)]
    shapes = {part.shape[1:] for part in read}
    if len(shapes) > 1:
        widths = sorted(shape[0] if shape else 1 for shape in shapes)
        raise DataError(
            "All sequences must have the same number of features",
            f"they have {widths}",
            "Check how each sequence was cut out",
        )
    if len({is_text(part) for part in read}) > 1:
        raise DataError(
            "All sequences must hold texts or all of them numbers", "they are mixed", "Check what was read"
        )
    # A list of one is not concatenated, which would read a memory-mapped file whole.
    data = read[0] if len(read) == 1 else np.concatenate(read)
    return data, np.array([len(part) for part in read], dtype=np.int64)


def _refuse_lengths(lengths: ArrayLike | None, groups: ArrayLike | None) -> None:
    if lengths is not None or groups is not None:
        raise DataError(
            "An array of shape (S, T, D) holds S sequences of T points each",
            f"{'lengths' if groups is None else 'groups'} was given as well",
            "Drop it, or reshape the array to (S·T, D)",
        )


def joined(first: Sequences, second: Sequences) -> Sequences:
    """The sequences of both parts; a sequence that was cut in two stays cut.

    Neighbours in one array, as `Sequences.split` leaves them, are not copied: the copy would be as large as
    all the data.
    """
    one = _are_neighbours(first.data, second.data)
    shape = (first.n_points + second.n_points, *first.data.shape[1:])
    data = as_strided(first.data, shape) if one else np.concatenate([first.data, second.data])
    return Sequences(data, np.concatenate([first.lengths, second.lengths]))


def _are_neighbours(first: NDArray, second: NDArray) -> bool:
    """Whether both are slices of one array, the second beginning where the first ends."""
    one_owner = first.base is not None and first.base is second.base
    alike = first.dtype == second.dtype and first.shape[1:] == second.shape[1:]
    unbroken = first.flags.c_contiguous and second.flags.c_contiguous
    return one_owner and alike and unbroken and first.ctypes.data + first.nbytes == second.ctypes.data


def check_symbols(symbols: NDArray, n_symbols: int) -> NDArray:
    """The compiled kernels check no bounds, so a symbol too large must not reach them."""
    largest = int(np.max(symbols, initial=0))
    if largest >= n_symbols:
        raise DataError(
            f"Symbols must be below {n_symbols}, the number of symbols",
            f"the largest is {largest}",
            "Give the true number of symbols, or number them 0, 1, 2, …",
        )
    return np.ascontiguousarray(symbols)
