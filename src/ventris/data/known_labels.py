"""Labels known in part: in one list or one a sequence, with any mark of what is missing."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ventris.data.alphabet import Alphabet
from ventris.errors import DataError


def read_known_labels(given: Any, n_points: int, alphabet: Alphabet) -> NDArray[np.int64]:
    """Known labels as class numbers, −1 where unknown: shape (T,).

    Parameters
    ----------
    given : array or list of labels, or a list of such for each sequence
        Unknown is −1, unless the alphabet has a label −1, or whatever counts as missing: None, NaN,
        pandas' NA, a masked entry.
    n_points : int
        T.
    alphabet : Alphabet

    Examples
    --------
    >>> read_known_labels([["a", None], [-1, "b"]], 4, Alphabet("ab"))
    array([ 0, -1, -1,  1])
    """
    flat = _flat_labels(given)
    if flat is None or len(flat) != n_points:
        raise DataError(
            "partial_labels must have one entry for each point",
            "it is neither one list of labels nor one for each sequence"
            if flat is None
            else f"it has {len(flat)} for {n_points} points",
            "Put −1 or None where the label is unknown",
        )
    known = np.full(len(flat), -1, dtype=np.int64)
    # −1 means unknown, unless the label model itself has a class −1: then only what is missing does.
    hidden = () if -1 in alphabet.classes else (-1,)
    rows = [row for row, label in enumerate(flat) if not _is_missing(label) and label not in hidden]
    known[rows] = alphabet.encode([_plain(flat[row]) for row in rows])
    return known


def _flat_labels(given: Any) -> list[Any] | None:
    """Labels of all points in one list, or None if `given` is neither a list of labels nor of such lists."""
    if np.ndim(given) > 1 if isinstance(given, np.ndarray) else not hasattr(given, "__iter__"):
        return None
    parts = list(given)
    nested = [_is_sequence(part) for part in parts]
    if any(nested):
        return [label for part in parts for label in part] if all(nested) else None
    return parts


def _is_sequence(part: Any) -> bool:
    """A list, an array or a Series; NumPy's own mark of a masked entry is an array of no axes."""
    return isinstance(part, list | tuple) or (hasattr(part, "__array__") and getattr(part, "ndim", 0) > 0)


def _is_missing(label: Any) -> bool:
    """None, a masked entry, NaN or pandas' NA: the last two do not plainly equal themselves."""
    if label is None or label is np.ma.masked:
        return True
    same = label == label
    return not (isinstance(same, bool | np.bool_) and same)


def _plain(label: Any) -> Any:
    return label.item() if isinstance(label, np.generic) else label
