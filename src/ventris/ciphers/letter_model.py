"""A language as the decipherer uses it: log-probabilities of letters, ready to be summed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ventris.ciphers.spelling import BREAK, SPACE, alphabet_of
from ventris.datasets.language import load_language
from ventris.datasets.letters import load_counts

MAX_TABLE = 20_000_000  # entries of a dense table; larger alphabets stop at order 4


@dataclass(frozen=True)
class LetterModel:
    """log p of a letter given the ones before it, at every order up to the highest.

    Attributes
    ----------
    language : str
    space : bool
        Whether the space is a symbol, the last one.
    tables : tuple of float32 arrays of shapes (C,), (C, C), …
    stationary : array of shape (C,)
        How often each symbol occurs.
    entropy_rate : float
        Nats a symbol at the highest order: what a long text of the language costs.
    """

    language: str
    space: bool
    tables: tuple[NDArray[np.float32], ...]
    stationary: NDArray[np.float64]
    entropy_rate: float

    @property
    def n_symbols(self) -> int:
        """C, the space included."""
        return len(self.tables[0])

    @property
    def n_letters(self) -> int:
        """Letters of the alphabet."""
        return self.n_symbols - self.space

    def log_likelihood(self, rows: NDArray) -> NDArray[np.float64]:
        """log p of each row of symbols, histories cut at the row's start and at breaks.

        Parameters
        ----------
        rows : int array of shape (S, L)
            All rows have their breaks (BREAK) in the same places.
        """
        edges = [-1, *np.flatnonzero(rows[0] == BREAK), rows.shape[1]]
        parts = [rows[:, left + 1 : right] for left, right in pairwise(edges)]
        return np.sum([self._part_likelihood(part) for part in parts], axis=0)

    def _part_likelihood(self, part: NDArray) -> NDArray[np.float64]:
        length, order = part.shape[1], len(self.tables)
        total = np.zeros(len(part))
        for t in range(min(length, order - 1)):  # the first symbols have shorter histories
            total += self.tables[t][tuple(part[:, : t + 1].T)]
        if length >= order:
            codes = np.zeros((len(part), length - order + 1), dtype=np.int64)
            for i in range(order):
                codes = codes * self.n_symbols + part[:, i : length - order + 1 + i]
            total += self.tables[-1].ravel()[codes].sum(axis=1, dtype=np.float64)
        return total

    def symbols(self, alphabet: str) -> NDArray[np.int64]:
        """Number of each letter of an alphabet among the language's: shape (C',)."""
        return _places(alphabet, alphabet_of(self.language))

    def rows(self, letters: NDArray, layout: NDArray) -> NDArray[np.int64]:
        """Rows of symbols from readings of the letters, shape (S, N), and a text's layout, shape (L,)."""
        rows = np.take(letters, np.maximum(layout, 0), axis=1)
        rows[:, layout == SPACE] = self.n_letters
        rows[:, layout == BREAK] = BREAK
        return rows


@lru_cache
def _places(alphabet: str, whole: str) -> NDArray[np.int64]:
    return np.array([whole.index(letter) for letter in alphabet], dtype=np.int64)


def segments(row: NDArray) -> list[NDArray[np.int64]]:
    """The parts of a row between its breaks."""
    return [part[part != BREAK] for part in np.split(row, np.flatnonzero(row == BREAK)) if len(part)]


@lru_cache(maxsize=24)
def letter_model(language: str, order: int, space: bool) -> LetterModel:
    """The model of a language; order 5 becomes 4 where a dense table would be too large.

    Examples
    --------
    >>> english = letter_model("en", 3, True)
    >>> good, bad = english.log_likelihood(np.array([[26, 19, 7, 4, 26], [26, 23, 16, 25, 26]]))  # the, xqz
    >>> bool(good > bad)
    True
    """
    size = len(alphabet_of(language)) + space
    while size**order > MAX_TABLE:
        order -= 1
    lm = load_language(language, order, space=space)
    tables = tuple(np.log(lm.conditional(k)).astype(np.float32) for k in range(1, order + 1))
    codes, counts = load_counts(language, order=order, space=space).counts(order)
    rate = float(-(counts @ tables[-1].ravel()[codes]) / counts.sum())
    return LetterModel(language, space, tables, lm.stationary(), rate)
