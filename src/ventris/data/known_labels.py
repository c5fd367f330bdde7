"""Labels known in part: certain ones, with any mark of what is missing, or probabilities of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ventris.data.alphabet import Alphabet
from ventris.errors import DataError
from ventris.storage.checkpoint import hash_array

Array = NDArray[np.floating]

_CERTAIN = 1e6  # unmeasured: how much likelier a known label is made than any other
_ROUNDED = 0.01  # how far from one a row may sum: probabilities written with two digits still pass
_NAMED = 5.0  # nats for a label over all others at which it counts as named, as where scores decide


@dataclass(frozen=True)
class KnownLabels:
    """What is known of the labels of T points, at each nothing, the label, or probabilities.

    Attributes
    ----------
    hard : int array of shape (T,)
        Class numbers, −1 where the label is not certain.
    soft : array of shape (T, C), optional
        Probabilities of the classes, rows of NaN where nothing is known or the label is certain.

    Examples
    --------
    >>> known = KnownLabels(np.array([-1, 1, -1]), np.array([[0.2, 0.8], [np.nan] * 2, [np.nan] * 2]))
    >>> known.n, known.named, known[:1].n
    (2, {1}, 1)
    >>> known.clamp(np.full((3, 2), 0.5)).round(3)
    array([[0.2, 0.8],
           [0. , 1. ],
           [0.5, 0.5]])
    """

    hard: NDArray[np.int64]
    soft: Array | None = None

    def __len__(self) -> int:
        return len(self.hard)

    def __getitem__(self, part: slice | NDArray) -> KnownLabels:
        return KnownLabels(self.hard[part], None if self.soft is None else self.soft[part])

    @property
    def mask(self) -> NDArray[np.bool_]:
        """Whether anything is known of each point: shape (T,)."""
        return (self.hard >= 0) | self._has_soft

    @property
    def _has_soft(self) -> NDArray[np.bool_]:
        return np.zeros(len(self), dtype=bool) if self.soft is None else ~np.isnan(self.soft[:, 0])

    @property
    def n(self) -> int:
        """Points of which something is known."""
        return int(np.count_nonzero(self.mask))

    @property
    def named(self) -> set[int]:
        """Labels of which a point is known, or probabilities together say as much.

        Probabilities name a label if the points where it leads make it e⁵ times as likely as the next.
        """
        found = set(self.hard[self.hard >= 0].tolist())
        if self.soft is not None and self._has_soft.any():
            rows = self.soft[self._has_soft]
            second, first = np.sort(np.maximum(rows, 1 / _CERTAIN), axis=1)[:, -2:].T
            led = np.bincount(rows.argmax(axis=1), np.log(first / second), minlength=rows.shape[1])
            found |= set(np.flatnonzero(led >= _NAMED).tolist())
        return found

    def probabilities(self, n_classes: int) -> Array:
        """Probabilities of the n points of which something is known, certain ones 0 and 1: shape (n, C)."""
        places = np.flatnonzero(self.mask)  # only these: of a long sequence a few points may be known
        given = np.zeros((len(places), n_classes)) if self.soft is None else self.soft[places]
        labels = self.hard[places]
        given[labels >= 0] = np.eye(n_classes)[labels[labels >= 0]]
        return given

    def clamp(self, posteriors: Array) -> Array:
        """Outputs with what is known: certain labels replace them, probabilities multiply them (evidence).

        Nothing becomes impossible, for a label model that forbids what is known must still have a path.

        Parameters
        ----------
        posteriors : array of shape (T, C)
        """
        rows = np.flatnonzero(self.hard >= 0)
        soft_rows = np.flatnonzero(self._has_soft)
        if not len(rows) and not len(soft_rows):
            return posteriors
        clamped = posteriors.copy()
        clamped[rows] = 1.0 / _CERTAIN
        clamped[rows, self.hard[rows]] = 1.0
        if self.soft is not None and len(soft_rows):
            clamped[soft_rows] = _product(clamped[soft_rows], self.soft[soft_rows])
        return clamped

    def votes(self, codes: NDArray, n_codes: int, n_classes: int) -> Array:
        """What known points say about their codes, summed: shape (K, C).

        A certain label is one vote. Of probabilities only what exceeds the least of them counts: equal ones
        say nothing.

        Parameters
        ----------
        codes : int array of shape (n,)
            Codes of the points of which something is known, those of `mask`.
        """
        given = self.probabilities(n_classes)
        votes = np.zeros((n_codes, n_classes))
        np.add.at(votes, codes, given - given.min(axis=1, keepdims=True))
        return votes

    def plain(self) -> Any:
        """What is known, or a hash of it, for JSON: the mark of a checkpoint."""
        hard = self.hard.tolist()
        return hard if self.soft is None else {"hard": hard, "soft": hash_array(self.soft)}


def _product(outputs: Array, given: Array) -> Array:
    """Outputs times probabilities, rows summing to one; `given` alone where nothing is left of a row."""
    product = outputs * given
    total = product.sum(axis=1, keepdims=True)
    product = np.where(total > 0, product / np.where(total > 0, total, 1.0), given)
    return np.maximum(product, 1.0 / _CERTAIN)


# ---------------------------------------------------------------------------------------------- reading


def read_known_labels(given: Any, lengths: ArrayLike, alphabet: Alphabet) -> KnownLabels:
    """What a user knows of the labels, in any of its forms.

    Parameters
    ----------
    given : array or list of labels, array of shape (T, C), data frame, or a list of such for each sequence
        Unknown is −1, unless the alphabet has a label −1, or whatever counts as missing: None, NaN,
        pandas' NA, a masked entry. Two axes are probabilities of the classes in their order, a data frame's
        columns by their names, with rows of NaN where nothing is known. In a list for each sequence None is
        a sequence of which nothing is.
    lengths : array of shape (S,)
        Points of each sequence, T in all.
    alphabet : Alphabet

    Examples
    --------
    >>> read_known_labels([["a", None], [-1, "b"]], [2, 2], Alphabet("ab")).hard
    array([ 0, -1, -1,  1])
    >>> read_known_labels(np.array([[0.3, 0.7], [1.0, 0.0]]), [2], Alphabet("ab"))
    KnownLabels(hard=array([-1,  0]), soft=array([[0.3, 0.7],
           [nan, nan]]))
    """
    counts = np.asarray(lengths)
    parts = _parts_of(given)
    if parts is None:
        raise _not_one_entry_a_point("it is neither one list of labels nor one for each sequence")
    _check_parts(parts, counts)
    read = [
        _nothing(int(counts[number])) if part is None else _read_part(part, alphabet)
        for number, part in enumerate(parts)
    ]
    known = _joined(read, len(alphabet))
    if len(known) != counts.sum():
        raise _not_one_entry_a_point(f"it has {len(known)} for {int(counts.sum())} points")
    return known


def _not_one_entry_a_point(got: str) -> DataError:
    return DataError(
        "partial_labels must have one entry for each point",
        got,
        "Put −1 or None where the label is unknown, a row of NaN where its probabilities are",
    )


def _parts_of(given: Any) -> list[Any] | None:
    """`given` as a list of parts, None for a sequence of which nothing is known; None if it is no such."""
    if _is_table(given):
        return [given]
    if not hasattr(given, "__iter__") or getattr(given, "ndim", 1) != 1:
        return None
    parts = list(given)
    nested = [_is_sequence(part) for part in parts]
    if not any(nested):
        return [parts]
    fits = all(is_sequence or _is_missing(part) for part, is_sequence in zip(parts, nested, strict=True))
    return [part if one else None for part, one in zip(parts, nested, strict=True)] if fits else None


def _check_parts(parts: Sequence[Any], counts: NDArray) -> None:
    """Labels of other lengths than their sequences belong to other points, though the sum may be right."""
    if len(parts) != len(counts):
        if any(part is None for part in parts):
            raise _not_one_entry_a_point(f"it has {len(parts)} lists for {len(counts)} sequences")
        return
    for number, (part, count) in enumerate(zip(parts, counts.tolist(), strict=True)):
        if len(counts) > 1 and part is not None and len(part) != count:
            raise _not_one_entry_a_point(f"sequence {number} has {len(part)} for {count} points")


def _read_part(part: Any, alphabet: Alphabet) -> KnownLabels:
    return _read_soft(part, alphabet) if _is_table(part) else _read_hard(list(part), alphabet)


def _nothing(n_points: int) -> KnownLabels:
    return KnownLabels(np.full(n_points, -1, dtype=np.int64))


def _joined(parts: list[KnownLabels], n_classes: int) -> KnownLabels:
    hard = np.concatenate([part.hard for part in parts])
    if all(part.soft is None for part in parts):
        return KnownLabels(hard)
    return KnownLabels(hard, np.concatenate(list(_soft_rows(parts, n_classes))))


def _soft_rows(parts: list[KnownLabels], n_classes: int) -> Iterator[Array]:
    for part in parts:
        yield np.full((len(part), n_classes), np.nan) if part.soft is None else part.soft


# ---------------------------------------------------------------------------------------- certain labels


def _read_hard(labels: list[Any], alphabet: Alphabet) -> KnownLabels:
    known = _nothing(len(labels))
    # −1 means unknown, unless the label model itself has a class −1: then only what is missing does.
    hidden = () if -1 in alphabet.classes else (-1,)
    rows = [row for row, label in enumerate(labels) if not _is_missing(label) and label not in hidden]
    known.hard[rows] = alphabet.encode([_plain(labels[row]) for row in rows])
    return known


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


# ----------------------------------------------------------------------------------------- probabilities


def _is_table(part: Any) -> bool:
    """An array or data frame of two axes: a list of lists is labels, one list a sequence."""
    return hasattr(part, "__array__") and getattr(part, "ndim", len(getattr(part, "shape", ()))) == 2


def _read_soft(table: Any, alphabet: Alphabet) -> KnownLabels:
    soft = _as_numbers(table, alphabet)
    if soft.shape[1] != len(alphabet):
        raise DataError(
            f"partial_labels of two axes must have a column for each of the {len(alphabet)} classes",
            f"it has {soft.shape[1]}",
            "Give probabilities, or labels as one list or one list for each sequence",
        )
    n_missing = np.isnan(soft).sum(axis=1)
    unknown = n_missing == soft.shape[1]
    total = soft.sum(axis=1)
    _refuse_rows((n_missing > 0) & ~unknown, soft, "be all known or all NaN")
    _refuse_rows(np.fmin.reduce(soft, axis=1) < 0, soft, "not be negative")
    _refuse_rows(~unknown & ~(np.abs(total - 1) <= _ROUNDED), soft, "sum to one")
    soft = soft / total[:, None]
    # Compared with what a float32 rounds: a row that is 0 and 1 but for rounding is a certain label.
    certain = soft.max(axis=1, initial=0.0) >= 1 - np.finfo(np.float32).eps
    hard = np.where(certain, soft.argmax(axis=1), -1)
    soft[certain] = np.nan
    return KnownLabels(hard.astype(np.int64), soft)


def _as_numbers(table: Any, alphabet: Alphabet) -> Array:
    """A new array of numbers, what is masked or missing NaN, a data frame's columns as the classes are."""
    try:
        if hasattr(table, "columns"):
            columns = [_column(table, name) for name in _columns_of(table, alphabet)]
            return np.column_stack(columns)
        if isinstance(table, np.ma.MaskedArray):
            return np.ma.filled(table.astype(float), np.nan)
        return np.array(table, dtype=float)
    except DataError:  # about columns: it is a ValueError too, and says all there is to say
        raise
    except (TypeError, ValueError) as problem:
        raise DataError(
            "partial_labels of two axes must hold probabilities of the classes",
            str(problem).rstrip("."),
            "Give numbers, or labels as one list or one list for each sequence",
        ) from None


def _column(table: Any, name: Any) -> Array:
    return np.array([np.nan if _is_missing(value) else float(value) for value in table[name]])


def _columns_of(table: Any, alphabet: Alphabet) -> list[Any]:
    """The data frame's names of the classes, in the classes' order; text may stand for numbers."""
    names = list(table.columns)
    by_text = {str(name): name for name in names}
    wanted = [str(label) for label in alphabet.classes]
    if sorted(by_text) == sorted(wanted) and len(names) == len(wanted):
        return [by_text[text] for text in wanted]
    absent = [text for text in wanted if text not in by_text]
    foreign = [text for text in by_text if text not in wanted]
    seen = [f"no column is {_listed(absent)}"] if absent else []
    seen += [f"{_listed(foreign)} is no class"] if foreign else []
    raise DataError(
        "partial_labels as a data frame must have the classes as its columns",
        ", and ".join(seen) or "a column is there twice",
        "Give one column of probabilities for each class; a column of labels as table['label']",
    )


def _listed(names: list[str]) -> str:
    return ", ".join(repr(name) for name in names[:6]) + (", …" if len(names) > 6 else "")


def _refuse_rows(wrong: NDArray[np.bool_], soft: Array, must: str) -> None:
    if wrong.any():
        row = int(np.argmax(wrong))
        shown = ", ".join(f"{p:.3g}" for p in soft[row, :8]) + (", …" if soft.shape[1] > 8 else "")
        raise DataError(
            f"Probabilities in partial_labels must {must}",
            f"row {row} is {shown}" + _sum_of(soft[row]) + _others(wrong),
            "Divide each row by its sum, and put a row of NaN where nothing is known",
        )


def _sum_of(row: Array) -> str:
    return "" if np.isnan(row).any() else f", which sums to {row.sum():.4g}"


def _others(wrong: NDArray[np.bool_]) -> str:
    more = int(np.count_nonzero(wrong)) - 1
    return f", and {more} more are wrong" if more else ""
