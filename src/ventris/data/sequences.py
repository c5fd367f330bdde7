"""Sequences of inputs: a list of arrays or one array with lengths, converted once.

This is the only place that checks lengths. Windows never cross the boundary between two sequences.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import ArrayLike, NDArray

from ventris.errors import DataError, DataTypeError

# Rows of a large array that are worked on at a time: a few megabytes at ten features, so that a memory-mapped
# file is never whole in memory, and so many that a call costs nothing beside its work. Others: unmeasured.
ROWS = 65_536


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
    given = _to_array(lengths, "lengths")
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
            "Pass the lengths of this very array, or a list of sequences, which needs none",
        )
    return given.astype(np.int64)


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
    n_points: int = field(init=False)
    is_symbolic: bool = field(init=False)

    def __post_init__(self) -> None:
        vars(self).update(n_points=len(self.data), is_symbolic=self.data.ndim == 1)

    @classmethod
    def of(cls, X: Any, lengths: ArrayLike | None = None) -> Sequences:
        """Sequences from a list of arrays, from one array with `lengths`, or unchanged from Sequences."""
        if isinstance(X, Sequences):
            if lengths is not None:
                raise DataError(
                    "Sequences carry their own lengths", "lengths was given as well", "Drop lengths"
                )
            return X
        if _is_list_of_sequences(X):
            return cls._of_list(X, lengths)
        data = _as_points(X, "X")
        return cls(data, check_lengths(lengths, len(data)))

    @classmethod
    def _of_list(cls, X: Sequence[Any], lengths: ArrayLike | None) -> Sequences:
        if lengths is not None:
            raise DataError(
                "A list of sequences carries its own lengths",
                "lengths was given as well",
                "Drop lengths, or pass one concatenated array",
            )
        parts = [_as_points(part, f"sequence {index}") for index, part in enumerate(X)]
        shapes = {part.shape[1:] for part in parts}
        if len(shapes) > 1:
            widths = sorted(shape[0] if shape else 1 for shape in shapes)
            raise DataError(
                "All sequences must have the same number of features",
                f"they have {widths}",
                "Check how each sequence was cut out",
            )
        # A list of one is not concatenated, which would read a memory-mapped file whole.
        data = parts[0] if len(parts) == 1 else np.concatenate(parts)
        return cls(data, np.array([len(part) for part in parts], dtype=np.int64), True)

    def __len__(self) -> int:
        return len(self.lengths)

    def __iter__(self) -> Iterator[NDArray]:
        for start, stop in zip(self.offsets[:-1], self.offsets[1:], strict=True):
            yield self.data[start:stop]

    @property
    def offsets(self) -> NDArray[np.int64]:
        """Where each sequence starts, and at the end the number of points: shape (S + 1,)."""
        return np.concatenate([[0], np.cumsum(self.lengths)]).astype(np.int64)

    def restore(self, per_point: NDArray) -> NDArray | list[NDArray]:
        """Per-point results in the shape the inputs came in: list in, list out; array in, array out.

        Examples
        --------
        >>> Sequences.of([np.zeros((2, 1)), np.ones((1, 1))]).restore(np.array([7, 8, 9]))
        [array([7, 8]), array([9])]
        """
        return np.split(per_point, self.offsets[1:-1]) if self.came_as_list else per_point

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


def _is_list_of_sequences(X: Any) -> bool:
    """A list or tuple whose entries are themselves arrays or lists: not one table written as nested lists."""
    if not isinstance(X, list | tuple) or not X:
        return False
    return all(isinstance(part, np.ndarray) and part.ndim >= 1 for part in X) or np.ndim(X[0]) == 2


def _as_points(X: Any, name: str) -> NDArray:
    """A (T, D) float array or a (T,) integer array; float32, float64 and memory maps pass untouched."""
    if hasattr(X, "toarray"):  # scipy sparse: refuse rather than densify behind the user's back
        raise DataTypeError(
            f"{name} must be a dense array", "it is a sparse matrix", "Convert it with .toarray() if it fits"
        )
    given = _unmasked(X, name)
    array = given if type(given) in (np.ndarray, np.memmap) else _to_array(given, name)
    if np.iscomplexobj(array):
        raise DataError(
            f"{name} must hold real numbers",
            "Complex data not supported: it holds complex ones",
            "Take the real part, the magnitude or both as features",
        )
    if array.ndim == 1 and np.issubdtype(array.dtype, np.integer):
        return _as_symbols(array, name)
    if array.ndim != 2:
        raise DataError(
            f"{name} must be 2-D, one row a point, or 1-D integers, one symbol a point. Expected 2D array",
            f"it is {array.ndim}-D of type {array.dtype}",
            "Reshape your data, for one feature with array.reshape(-1, 1)",
        )
    return _as_features(array, name)


def _to_array(X: Any, name: str) -> NDArray:
    """A plain array: of a subclass, as np.matrix, the meaning of * and of axes would be another."""
    try:
        return np.asarray(X)
    except ValueError:
        raise DataError(
            f"{name} must be a table of numbers or a list of arrays",
            "its rows differ in length",
            "Turn each sequence into an array with numpy.asarray",
        ) from None


def _unmasked(X: Any, name: str) -> Any:
    if not isinstance(X, np.ma.MaskedArray):
        return X
    if np.ma.is_masked(X):
        raise DataError(
            f"{name} must hold a number everywhere",
            f"{int(np.ma.getmaskarray(X).sum())} of its numbers are masked",
            "Fill them in with .filled(), or leave those rows out",
        )
    return X.data


def _as_symbols(array: NDArray, name: str) -> NDArray:
    _refuse_empty(array, name)
    if array.min() < 0:
        raise DataError(
            f"{name} must hold symbols numbered from 0",
            f"the smallest is {int(array.min())}",
            "Number the symbols 0, 1, 2, … with numpy.unique(return_inverse=True)",
        )
    return array


def _as_features(array: NDArray, name: str) -> NDArray:
    if array.dtype not in (np.float32, np.float64):
        array = _to_float(array, name)
    _refuse_empty(array, name)
    if not _all_finite(array):
        row = int(np.argmax(~np.isfinite(array).all(axis=1)))
        raise DataError(
            f"{name} must hold finite numbers",
            f"row {row} holds NaN or infinity",
            "Remove or impute such rows, for example with sklearn.impute.SimpleImputer",
        )
    return array


def _to_float(array: NDArray, name: str) -> NDArray:
    if array.dtype.kind in "mM":
        raise DataTypeError(
            f"{name} must hold numbers",
            f"it holds dates or time spans ({array.dtype})",
            "Turn them into numbers of seconds or days since a date of your choice",
        )
    try:
        with np.errstate(over="ignore"):  # what is too large becomes infinite, which is refused by row
            return array.astype(np.float64)
    except (TypeError, ValueError) as problem:
        raise _number_error(problem, name, array) from problem


def _number_error(problem: Exception, name: str, array: NDArray) -> DataError | DataTypeError:
    kind = DataTypeError if isinstance(problem, TypeError) else DataError
    return kind(
        f"{name} must hold numbers",
        f"type {array.dtype} could not be read as such: {problem} (argument must be a string or a number)",
        "Encode categories as numbers first",
    )


def _refuse_empty(array: NDArray, name: str) -> None:
    if array.shape[0] == 0:
        raise DataError(
            f"{name} must hold at least one point",
            f"it has 0 sample(s) (shape={array.shape}) while a minimum of 1 is required",
            "Leave empty sequences out",
        )
    if array.ndim == 2 and array.shape[1] == 0:
        raise DataError(
            f"{name} must have at least one feature",
            f"it has 0 feature(s) (shape={array.shape}) while a minimum of 1 is required",
            "Check how the features were selected",
        )


def _all_finite(array: NDArray, rows: int = ROWS) -> bool:
    """Block by block, so that a memory-mapped file is never read whole into memory."""
    return all(np.isfinite(array[first : first + rows]).all() for first in range(0, len(array), rows))


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
