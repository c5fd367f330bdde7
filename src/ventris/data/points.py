"""The points of one sequence as an array: rows of features or a column of symbols, or why it is neither."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ventris.errors import DataError, DataTypeError

# Rows of a large array that are worked on at a time: a few megabytes at ten features, so that a memory-mapped
# file is never whole in memory, and so many that a call costs nothing beside its work. Others: unmeasured.
ROWS = 65_536


def as_points(X: Any, name: str) -> NDArray:
    """A (T, D) float array, or a (T,) array of integers or texts; float32, float64, memory maps untouched."""
    if hasattr(X, "toarray"):  # scipy sparse: refuse rather than densify behind the user's back
        raise DataTypeError(
            f"{name} must be a dense array", "it is a sparse matrix", "Convert it with .toarray() if it fits"
        )
    given = _unmasked(X, name)
    array = given if type(given) in (np.ndarray, np.memmap) else to_array(given, name)
    if np.iscomplexobj(array):
        raise DataError(
            f"{name} must hold real numbers",
            "Complex data not supported: it holds complex ones",
            "Take the real part, the magnitude or both as features",
        )
    if array.ndim == 1 and np.issubdtype(array.dtype, np.integer):
        return _as_symbols(array, name)
    if is_text(array):
        _refuse_empty(array, name)
        return array
    if array.ndim != 2:
        raise DataError(
            f"{name} must be 2-D, one row a point, or 1-D integers, one symbol a point. Expected 2D array",
            f"it is {array.ndim}-D of type {array.dtype}",
            "Reshape your data, for one feature with array.reshape(-1, 1), "
            "for one point with array.reshape(1, -1)",
        )
    return _as_features(array, name)


def to_array(X: Any, name: str) -> NDArray:
    """A plain array: of a subclass, as np.matrix, the meaning of * and of axes would be another."""
    try:
        return np.asarray(X)
    except (TypeError, RuntimeError) as problem:  # a tensor that does not give itself as an array
        raise DataTypeError(
            f"{name} must give itself as an array", f"it does not: {problem}", "Turn it into a NumPy array"
        ) from None
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
        "Encode categories as numbers first; symbols go as a 1-D array or one column (a Series), not a table",
    )


def is_text(array: NDArray) -> bool:
    """Whether an array is one column of texts: symbols by their names.

    Examples
    --------
    >>> is_text(np.array(["A", "C"])), is_text(np.array([["1.5"]])), is_text(np.array([1, "C"], dtype=object))
    (True, False, False)
    """
    if array.ndim != 1 or array.dtype.kind not in "UTO":
        return False
    return array.dtype.kind != "O" or (
        len(array) > 0 and all(isinstance(each, str) for each in array.tolist())
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
