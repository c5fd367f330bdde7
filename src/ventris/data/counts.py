"""Counts that add: how often codes, and pairs of codes some lags apart, occurred (sufficient statistics).

Sums of whole numbers, never averages. Whoever holds part of the rows counts them alone, and any cutting into
chunks and any order of merging ends in the same bits; shares are taken once, at the end.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ventris.data.sequences import ROWS, check_lengths, check_symbols
from ventris.errors import DataError, ParameterError
from ventris.kernels import counting

# Distances at which pairs are counted. A wrong table that matches neighbours by chance rarely matches pairs
# two, three and four apart as well (E11). docs/proof/ablation.md has lag 1 alone, one seed a task: the
# table of glyphs then errs 25.2 % instead of 22.6, that of digits 10.5 instead of 11.6, those of two Gaussian
# HMMs hardly change. More than four: unmeasured, and pairs of 4,096 codes already fill half a gigabyte.
N_LAGS = 4

_PRIOR = 1e-3  # points' worth of the mean row in every row: a code never seen takes it


class PairCounts:
    """How often each code, and each pair of codes 1 … `n_lags` rows apart, occurred (sufficient statistics).

    Parameters
    ----------
    n_codes : int
        K; codes are 0 … K − 1, and a negative one is a break that no pair crosses.
    n_lags : int, default 4
        L; with 0 single codes alone are counted.

    Attributes
    ----------
    pairs : int64 array of shape (L, K, K)
        Its entry (k − 1, i, j) says how often code j came k rows after code i in one sequence.
    singles : int64 array of shape (K,)

    Examples
    --------
    >>> whole = PairCounts(2, n_lags=1).add(np.array([0, 1, 0, 1]))
    >>> whole.pairs[0]
    array([[0, 2],
           [1, 0]])

    The same from two chunks, of which the second is given a row of what was before it:

    >>> left, right = PairCounts(2, n_lags=1), PairCounts(2, n_lags=1)
    >>> parts = left.add(np.array([0, 1])).merge(right.add(np.array([1, 0, 1]), context=1))
    >>> bool(np.array_equal(parts.pairs, whole.pairs)), parts.singles
    (True, array([2, 2]))
    """

    def __init__(self, n_codes: int, n_lags: int = N_LAGS) -> None:
        if n_codes < 1 or n_lags < 0:
            raise ParameterError(
                "Pairs need at least one code, and no negative number of lags",
                f"there are {n_codes} codes and {n_lags} lags",
                "Give the number of codes, and 4 lags",
            )
        self.pairs = np.zeros((n_lags, n_codes, n_codes), dtype=np.int64)
        self.singles = np.zeros(n_codes, dtype=np.int64)

    @property
    def n_codes(self) -> int:
        """K, the number of codes."""
        return len(self.singles)

    @property
    def n_lags(self) -> int:
        """L, the number of lags."""
        return len(self.pairs)

    def add(self, codes: NDArray, lengths: ArrayLike | None = None, *, context: int = 0) -> PairCounts:
        """Count the rows of a chunk: each of its codes, and the pairs whose second row it owns.

        Parameters
        ----------
        codes : int array of shape (n,)
        lengths : array of shape (S,), optional
            Rows of each sequence, or piece of one, in this chunk; one by default.
        context : int, default 0
            The first so many rows belong to the chunk before and only stand as first rows of pairs. A
            chunk that begins inside a sequence needs `n_lags` of them, or all that the sequence has.

        Returns
        -------
        PairCounts
            This one.
        """
        symbols = check_symbols(codes, self.n_codes)
        ends = np.cumsum(check_lengths(lengths, len(symbols)))
        if not 0 <= context <= len(symbols):
            raise DataError(
                "context must be a number of the rows given",
                f"it is {context} of {len(symbols)} rows",
                "Give the chunk with the rows before it, and their number",
            )
        counting.add_pairs(symbols, ends, 1, context, self.pairs, self.singles)
        return self

    def merge(self, other: PairCounts) -> PairCounts:
        """Add what another one counted; returns this one."""
        if self.pairs.shape != other.pairs.shape:
            raise ParameterError(
                f"Counts of {self.n_codes} codes at {self.n_lags} lags add to their like alone",
                f"the others are of {other.n_codes} codes at {other.n_lags} lags",
                "Count every chunk with one number of codes and of lags",
            )
        self.pairs += other.pairs
        self.singles += other.singles
        return self

    def frequencies(self) -> NDArray[np.float64]:
        """Relative frequencies F⁽ᵏ⁾ of the pairs (E11): shape (L, K, K); zeros at a lag that has none."""
        shares = np.empty(self.pairs.shape)
        for table, share in zip(self.pairs, shares, strict=True):
            np.divide(table, max(1, int(table.sum())), out=share)  # (E11)
        return shares

    def code_frequencies(self) -> NDArray[np.float64]:
        """Relative frequencies of single codes: shape (K,)."""
        return self.singles / max(1, int(self.singles.sum()))


class Chunk(NamedTuple):
    """Rows ``start`` to ``stop``, of which the first `context` are another's, in pieces of `lengths`."""

    start: int
    stop: int
    context: int
    lengths: NDArray[np.int64]


def chunks(lengths: ArrayLike, n_context: int, n_rows: int = ROWS) -> Iterator[Chunk]:
    """Cut sequences that lie one after another into chunks of `n_rows` rows, the last one shorter.

    Parameters
    ----------
    lengths : array of shape (S,)
        Of the sequences.
    n_context : int
        Rows a chunk is given of what was before it: `PairCounts.n_lags`.
    n_rows : int, default 65,536
        Rows a chunk owns.

    Examples
    --------
    >>> codes, whole = np.arange(10) % 3, PairCounts(3, n_lags=2)
    >>> for start, stop, context, inside in chunks([6, 4], whole.n_lags, n_rows=5):
    ...     print(start, stop, context, inside)
    ...     whole = whole.add(codes[start:stop], inside, context=context)
    0 5 0 [5]
    3 10 2 [3 4]
    >>> whole.pairs.sum(axis=(1, 2))  # 5 + 3 neighbours, 4 + 2 pairs two apart
    array([8, 6])
    """
    ends = np.cumsum(np.asarray(lengths, dtype=np.int64))
    for first in range(0, int(ends[-1]) if len(ends) else 0, n_rows):
        start, stop = max(0, first - n_context), min(first + n_rows, int(ends[-1]))
        inside = np.diff(np.clip(ends, start, stop), prepend=start).astype(np.int64)
        yield Chunk(start, stop, first - start, inside[inside > 0])


def lagged_pairs(codes: NDArray, n_codes: int, lengths: ArrayLike, n_lags: int = N_LAGS) -> NDArray:
    """Relative frequencies F⁽ᵏ⁾ of code pairs k = 1 … `n_lags` apart (E11): shape (L, K, K).

    Examples
    --------
    >>> lagged_pairs(np.array([0, 1, 0, 1]), 2, np.array([4]), n_lags=1)[0].round(3)
    array([[0.   , 0.667],
           [0.333, 0.   ]])
    """
    return PairCounts(n_codes, n_lags).add(codes, lengths).frequencies()


# ------------------------------------------------------------------------------- by code, and by content


def mean_rows(codes: NDArray, targets: NDArray, n_codes: int, weight: NDArray | None = None) -> NDArray:
    """Mean target of each code; a code never seen takes the mean of all: shape (K, C).

    Examples
    --------
    >>> mean_rows(np.array([0, 0, 1]), np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]]), 2).round(2)
    array([[0.5, 0.5],
           [0. , 1. ]])
    """
    columns = targets.T if weight is None else weight * targets.T
    sums = [np.bincount(codes, weights=column, minlength=n_codes) for column in columns]
    return mean_counts(np.stack(sums, axis=1))


def mean_counts(sums: NDArray) -> NDArray:
    """Rows of summed targets as shares, a row without any taking the mean of all: shape (K, C).

    Examples
    --------
    >>> mean_counts(np.array([[3.0, 1.0], [0.0, 0.0]])).round(2)
    array([[0.75, 0.25],
           [0.75, 0.25]])
    """
    sums = sums + _PRIOR * sums.sum(axis=0) / sums.sum()
    return sums / sums.sum(axis=1, keepdims=True)


def content_numbers(X: NDArray) -> NDArray[np.uint64]:
    """A number for each row that depends on nothing but what the row holds."""
    from zlib import crc32

    return np.array([crc32(row) for row in np.ascontiguousarray(X)], dtype=np.uint64)


def has_plenty(X: NDArray, enough: int) -> bool:
    """Whether there are `enough` distinct inputs for each weight of a class."""
    needed = enough * (X.shape[1] + 1)
    return len(X) >= needed and len(np.unique(content_numbers(X[: 2 * needed]))) >= needed


def has_many(X: NDArray, many: int) -> bool:
    """Whether there are at least so many distinct inputs."""
    return len(X) >= many and len(np.unique(content_numbers(X))) >= many
