"""Counting n-grams, and the table that holds n-gram probabilities with its residual mass explicit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ventris.data.sequences import check_lengths, check_symbols
from ventris.errors import LanguageModelError, ParameterError
from ventris.kernels import counting

# The largest dense table: 2**26 cells hold order 5 for 33 letters and take half a gigabyte of float64.
DENSE_CELLS = 2**26


@dataclass(frozen=True)
class NgramCounts:
    """How often each n-gram occurred: sorted mixed-radix codes (oldest symbol most significant) and counts.

    Examples
    --------
    >>> pairs = count_ngrams(np.array([0, 1, 0, 1]), order=2, n_symbols=2)
    >>> pairs.codes, pairs.counts
    (array([1, 2]), array([2, 1]))
    >>> pairs.dense()
    array([[0, 2],
           [1, 0]])
    """

    order: int
    n_symbols: int
    codes: NDArray[np.int64]
    counts: NDArray[np.int64]

    @property
    def total(self) -> int:
        """Number of n-grams counted."""
        return int(self.counts.sum())

    def dense(self) -> NDArray[np.int64]:
        """Counts as an array of shape (C,) * order."""
        table = np.zeros(check_dense(self.n_symbols, self.order), dtype=np.int64)
        table[self.codes] = self.counts
        return table.reshape((self.n_symbols,) * self.order)

    def grams(self) -> NDArray[np.int64]:
        """The n-grams themselves, shape (M, order)."""
        return grams_of(self.codes, self.order, self.n_symbols)


@dataclass(frozen=True)
class NgramTable:
    """Probabilities of some n-grams; what they leave to all others is the residual.

    Attributes
    ----------
    grams : int array of shape (M, N)
    prob : array of shape (M,)
    mass : float
        Sum of `prob`; one for a full table.

    Examples
    --------
    >>> table = NgramTable.from_dense(np.array([[0.5, 0.2], [0.3, 0.0]]), top=2)
    >>> table.grams.tolist(), table.mass, round(table.residual, 6)
    ([[0, 0], [1, 0]], 0.8, 0.2)
    """

    grams: NDArray[np.int64]
    prob: NDArray[np.float64]
    mass: float

    @classmethod
    def from_dense(cls, joint: NDArray, top: int | None = None) -> NgramTable:
        """The non-zero entries of a dense table `joint`, the most probable first, at most `top` of them."""
        flat = joint.ravel()
        codes = np.flatnonzero(flat)
        codes = codes[np.argsort(-flat[codes], kind="stable")][:top]
        return cls(grams_of(codes, joint.ndim, joint.shape[0]), flat[codes], float(flat[codes].sum()))

    @property
    def order(self) -> int:
        """N, the number of labels in an n-gram."""
        return self.grams.shape[1]

    @property
    def residual(self) -> float:
        """Probability of all the n-grams that are not listed."""
        return max(0.0, 1.0 - self.mass)


def check_counts(counts: Sequence[NgramCounts], n_classes: int) -> None:
    """Refuse counts that are not of orders 1 … N over these classes, or are no counts."""
    if not counts or not counts[0].total:
        raise LanguageModelError(
            "Counts must begin with order 1 and hold at least one label",
            "they do not",
            "Count with count_ngrams for every order from 1",
        )
    for order, table in enumerate(counts, start=1):
        problem = _why_no_counts(table, order, n_classes)
        if problem:
            raise LanguageModelError(
                f"Counts of order {order} must be whole numbers for sorted n-grams of {n_classes} classes",
                problem,
                "Count with count_ngrams for every order from 1",
            )


def check_pairs(table: NDArray, lag: int, n_classes: int) -> None:
    """Refuse counts of pairs that are not of these classes, or are no counts."""
    good = table.shape == (n_classes, n_classes) and np.issubdtype(table.dtype, np.number)
    if not (good and np.isfinite(table).all() and (table >= 0).all() and table.any()):
        raise LanguageModelError(
            f"Counts of pairs {lag} apart must be a table of {n_classes} classes, not negative, not all zero",
            f"this one is not (shape {table.shape})",
            "Count with count_pairs",
        )


def _why_no_counts(table: NgramCounts, order: int, n_classes: int) -> str:
    codes, values = np.asarray(table.codes), np.asarray(table.counts)
    if (table.order, table.n_symbols) != (order, n_classes):
        return f"these are of order {table.order} over {table.n_symbols} classes"
    if codes.ndim != 1 or codes.shape != values.shape:
        return f"there is not one count for each n-gram: shapes {codes.shape} and {values.shape}"
    if not (np.issubdtype(codes.dtype, np.integer) and np.issubdtype(values.dtype, np.integer)):
        return f"they are of types {codes.dtype} and {values.dtype}, not whole numbers"
    if len(codes) and (np.any(np.diff(codes) <= 0) or codes[0] < 0 or codes[-1] >= n_classes**order):
        return "the n-grams are not sorted, occur twice, or are not of these classes"
    return "some are negative" if np.any(values < 0) else ""


def grams_of(codes: NDArray, order: int, n_symbols: int) -> NDArray[np.int64]:
    """Symbols of mixed-radix codes, oldest first: shape (M, order).

    Examples
    --------
    >>> grams_of(np.array([5]), order=3, n_symbols=2)
    array([[1, 0, 1]])
    """
    powers = n_symbols ** np.arange(order - 1, -1, -1, dtype=np.int64)
    return np.asarray(codes)[:, None] // powers % n_symbols


def check_dense(n_symbols: int, order: int) -> int:
    """Number of cells of a dense table, refused above the limit."""
    cells = n_symbols**order
    if cells > DENSE_CELLS:
        raise ParameterError(
            f"A dense table may have at most {DENSE_CELLS:,} cells",
            f"order {order} over {n_symbols} symbols has {cells:,}",
            "Use a lower order, or the sparse table(order, top=…)",
        )
    return cells


def count_ngrams(
    symbols: NDArray, order: int, n_symbols: int, lengths: ArrayLike | None = None
) -> NgramCounts:
    """Count the n-grams of integer symbols; a negative symbol is a break that no n-gram crosses.

    Parameters
    ----------
    symbols : int array of shape (T,)
    order : int
    n_symbols : int
        Symbols are 0 … n_symbols − 1.
    lengths : array of shape (S,), optional
        Length of each sequence; one sequence by default.
    """
    symbols = check_symbols(symbols, n_symbols)
    ends = np.cumsum(check_lengths(lengths, len(symbols)))
    if n_symbols**order >= 2**63:
        raise ParameterError(
            "n-grams must be numbered below 2**63",
            f"order {order} over {n_symbols} symbols has {float(n_symbols) ** order:.0e} of them",
            "Use a lower order",
        )
    if n_symbols**order > DENSE_CELLS:
        codes, counts = np.unique(counting.ngram_codes(symbols, ends, order, n_symbols), return_counts=True)
        return NgramCounts(order, n_symbols, codes, counts)
    table = np.zeros(n_symbols**order, dtype=np.int64)
    counting.add_ngrams(symbols, ends, order, n_symbols, table)
    codes = np.flatnonzero(table)
    return NgramCounts(order, n_symbols, codes, table[codes])


def count_pairs(symbols: NDArray, lag: int, n_symbols: int, lengths: ArrayLike | None = None) -> NDArray:
    """Counts of symbol pairs `lag` apart inside one sequence: int array of shape (C, C).

    Examples
    --------
    >>> count_pairs(np.array([0, 0, 1, 1]), lag=2, n_symbols=2)
    array([[0, 2],
           [0, 0]])
    """
    symbols = check_symbols(symbols, n_symbols)
    ends = np.cumsum(check_lengths(lengths, len(symbols)))
    table, singles = np.zeros((1, n_symbols, n_symbols), np.int64), np.zeros(n_symbols, np.int64)
    counting.add_pairs(symbols, ends, lag, 0, table, singles)
    return table[0]


def encode_text(text: str, alphabet: str) -> NDArray[np.int16]:
    """Position of each character in `alphabet`, −1 for one that is not there.

    Examples
    --------
    >>> encode_text("abba!", "ab").tolist()
    [0, 1, 1, 0, -1]
    """
    if text.isascii():
        points = np.frombuffer(text.encode("ascii"), dtype=np.uint8)
    else:
        points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    table = np.full(max(0x80, 1 + int(points.max(initial=0))), -1, dtype=np.int16)
    for number, character in enumerate(alphabet):
        if ord(character) < len(table):
            table[ord(character)] = number
    return table[points]
