"""What people hand over as X, unpacked: a list of sequences, or one array; symbols by name become numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ventris.errors import DataError


@dataclass(frozen=True)
class Unpacked:
    """A list of sequences (`parts`) or one array (`array`), and how it came.

    Attributes
    ----------
    array : array-like, optional
    parts : list of array-likes, optional
    keys : tuple, optional
        Names of the parts, of a dictionary.
    n_stacked : int, optional
        S of an (S, T, D) array, which is laid out as (S·T, D).
    notes : tuple of str
        How it was read, where it could have been read otherwise.
    is_ambiguous : bool
        Whether another reading is as likely, so that the notes must be said aloud.
    """

    array: Any = None
    parts: list[Any] | None = None
    keys: tuple[Any, ...] | None = None
    n_stacked: int | None = None
    notes: tuple[str, ...] = ()
    is_ambiguous: bool = False


def unpack(X: Any, symbolic: bool | None = None) -> Unpacked:
    """Tell a list of sequences from one sequence, whatever container it comes in.

    Parameters
    ----------
    X : anything
    symbolic : bool, optional
        Whether symbols are expected: then nested lists of whole numbers are sequences of such.

    Examples
    --------
    >>> unpack({"a": [[0.0]], "b": [[1.0], [2.0]]}).keys
    ('a', 'b')
    >>> unpack(np.zeros((3, 5, 2))).array.shape
    (15, 2)
    >>> unpack("ACGT").array
    ['A', 'C', 'G', 'T']
    """
    if isinstance(X, str):
        return Unpacked(array=list(X), notes=(f"as a text of {len(X):,} characters, each a symbol",))
    if isinstance(X, Mapping) and not hasattr(X, "toarray"):  # a sparse matrix may be one; it is refused
        return _of_mapping(X)
    if isinstance(X, Iterator) or _is_column_of_sequences(X):
        X = list(X)
    X = as_array_like(X)
    if isinstance(X, list | tuple):
        return _of_list([as_array_like(part) for part in X], symbolic)
    shape: tuple[int, ...] = getattr(X, "shape", ())
    if len(shape) == 3 and isinstance(X, np.ndarray):
        note = f"as an array of shape {shape}, {shape[0]:,} sequences of {shape[1]:,} points each"
        return Unpacked(array=X.reshape(-1, shape[2]), n_stacked=shape[0], notes=(note,))
    if len(shape) == 2 and shape[1] == 1 and _is_whole(X):
        note = (
            "as one numeric feature, a column of whole numbers of shape (T, 1); for symbols, as hmmlearn "
            "takes it, pass X.ravel(), or X.astype(float) to say that numbers are meant"
        )
        return Unpacked(array=X, notes=(note,), is_ambiguous=True)
    return Unpacked(array=X)


def as_array_like(X: Any) -> Any:
    """A tensor or a polars frame or column as a NumPy array; anything else as it is.

    Examples
    --------
    >>> as_array_like([1, 2])
    [1, 2]
    """
    if hasattr(X, "detach") and hasattr(X, "numpy"):  # a torch tensor, wherever it is and comes from
        return X.detach().cpu().numpy()
    if type(X).__module__.split(".")[0] == "polars" and hasattr(X, "to_numpy"):
        return X.to_numpy()
    return X


def _of_mapping(X: Mapping[Any, Any]) -> Unpacked:
    parts = [as_array_like(part) for part in X.values()]
    flat = next((key for key, part in X.items() if np.ndim(part) == 0 and not isinstance(part, str)), None)
    if not parts or flat is not None:
        raise DataError(
            "A dictionary must hold a sequence under each name",
            "it is empty" if not parts else f"{flat!r} holds a {type(X[flat]).__name__}",
            "Give {name: array, …}",
        )
    if all(np.ndim(part) == 1 and np.asarray(part).dtype.kind == "f" for part in parts):
        raise DataError(
            "A dictionary must hold a sequence under each name, one row a point",
            "it holds columns of numbers",
            "For a table of columns pass pandas.DataFrame(X); for one feature array.reshape(-1, 1) each",
        )
    parts = [list(part) if isinstance(part, str) else part for part in parts]
    return Unpacked(parts=parts, keys=tuple(X))


def _of_list(X: list[Any], symbolic: bool | None) -> Unpacked:
    """One table as nested lists, one sequence of symbols, or a list of sequences."""
    if not X:
        return Unpacked(array=X)
    if all(isinstance(part, str) for part in X):
        if all(len(part) <= 1 for part in X):
            return Unpacked(array=X)
        note = f"as {len(X):,} texts, each a symbol of one sequence; for sequences of characters pass {_EACH}"
        return Unpacked(array=X, notes=(note,), is_ambiguous=True)
    if all(isinstance(part, np.ndarray) and part.ndim >= 1 for part in X) or _depth(X[0]) == 2:
        return Unpacked(parts=X)
    if all(isinstance(part, list | tuple) and part for part in X):
        return _of_lists(X, symbolic)
    if all(hasattr(part, "__array__") and np.ndim(part) >= 1 for part in X):
        return Unpacked(parts=X)
    return Unpacked(array=X)


_EACH = "[list(text) for text in X]"


def _of_lists(X: list[Sequence[Any]], symbolic: bool | None) -> Unpacked:
    """Lists of lists: of texts, sequences of symbols; of whole numbers, sequences or rows of features."""
    if all(isinstance(each, str) for each in X[0]):
        return Unpacked(parts=X)
    if not all(isinstance(each, Integral) and not isinstance(each, bool) for part in X for each in part):
        return Unpacked(array=X)
    if symbolic is False:
        return Unpacked(array=X)
    if symbolic or len({len(part) for part in X}) > 1:
        return Unpacked(parts=X)
    raise DataError(
        "X must say whether it holds features or symbols",
        f"it is {len(X)} lists of {len(X[0])} whole numbers each, which could be either",
        "For rows of features pass numpy.array(X); for sequences of symbols "
        "[numpy.array(part) for part in X]",
    )


def _depth(part: Any) -> int:
    """Axes of a nested list; of a ragged one those down to where rows differ."""
    try:
        return np.ndim(part)
    except ValueError:
        return 1


def _is_column_of_sequences(X: Any) -> bool:
    """A pandas or polars column, or an array of objects, whose entries are themselves arrays or lists."""
    if isinstance(X, list | tuple | np.ndarray) or not (hasattr(X, "to_numpy") and hasattr(X, "name")):
        return (
            isinstance(X, np.ndarray)
            and X.ndim == 1
            and X.dtype == object
            and len(X) > 0
            and _depth(X[0]) > 0
        )
    first = next(iter(X), None)
    return first is not None and not isinstance(first, str) and _depth(as_array_like(first)) > 0


def _is_whole(X: Any) -> bool:
    kinds = [getattr(kind, "kind", "O") for kind in getattr(X, "dtypes", [getattr(X, "dtype", None)])]
    return all(kind in "iu" for kind in kinds)


# ---------------------------------------------------------------------------------------- symbols by name


def numbered_symbols(
    texts: NDArray, known: Sequence[str] | None = None
) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    """Texts as numbers: places among the `known` ones, or among those that occur, sorted.

    Examples
    --------
    >>> numbered_symbols(np.array(["G", "A", "G"]))
    (array([1, 0, 1]), ('A', 'G'))
    """
    found, codes = np.unique(texts.astype(str), return_inverse=True)
    names = sorted_symbols(found.tolist()) if known is None else tuple(known)
    place = {name: k for k, name in enumerate(names)}
    strange = next((name for name in found.tolist() if name not in place), None)
    if strange is not None:
        raise DataError(
            f"Symbols must be among the {len(names)} that were fitted on",
            f"{strange!r} is not",
            "Correct it, or fit again on data that has it; a text is read by character, [text] as one symbol",
        )
    return np.array([place[name] for name in found.tolist()], dtype=np.int64)[codes.ravel()], names


def sorted_symbols(symbols: Iterable[str]) -> tuple[str, ...]:
    """Whole numbers by value, anything else as text.

    Examples
    --------
    >>> sorted_symbols(["10", "9"]), sorted_symbols(["b", "a"])
    (('9', '10'), ('a', 'b'))
    """
    listed = list(symbols)
    return tuple(sorted(listed, key=int) if all(each.isdecimal() for each in listed) else sorted(listed))


# ---------------------------------------------------------------------------------------- whose point it is


def lengths_of_groups(groups: ArrayLike, lengths: ArrayLike | None, n_points: int) -> NDArray[np.int64]:
    """Lengths of the runs of points that belong to one sequence.

    Examples
    --------
    >>> lengths_of_groups(["a", "a", "b"], None, 3)
    array([2, 1])
    """
    if lengths is not None:
        raise DataError("Sequences are told by lengths or by groups", "both were given", "Drop one")
    names = np.asarray(groups)
    if names.ndim != 1 or len(names) != n_points:
        raise DataError(
            f"groups must name the sequence of each of the {n_points} points",
            f"its shape is {names.shape}",
            "Give one value a point",
        )
    starts = np.flatnonzero(np.r_[True, names[1:] != names[:-1]])
    firsts = names[starts].tolist()
    if len(set(firsts)) < len(firsts):
        again = next(name for name in firsts if firsts.count(name) > 1)
        raise DataError(
            "The points of one sequence must stand together",
            f"{again!r} is there again after another",
            "Sort the points by sequence, keeping their order of time",
        )
    return np.diff(np.r_[starts, n_points]).astype(np.int64)
