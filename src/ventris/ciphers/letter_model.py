"""A language as the decipherer uses it: log-probabilities of letters, ready to be summed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ventris.ciphers.own_language import own_language
from ventris.ciphers.spelling import Spelling, alphabet_of
from ventris.datasets.language import load_language
from ventris.datasets.letters import load_counts
from ventris.deciphering.joint_table import JointTable
from ventris.deciphering.key_score import SymbolText

# Of the n-grams that keys are sought by, and judged by in the end. docs/proof/ciphers.md has these measured;
# others are unmeasured.
SEARCH_ORDER, RESCORE_ORDER = 4, 5
MAX_TABLE = 20_000_000  # entries of a dense table, 80 MB: 28 symbols at order 5; with more it is order 4


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

    def symbols(self, alphabet: str) -> NDArray[np.int64]:
        """Number of each letter of an alphabet among the language's: shape (C',)."""
        return _places(alphabet, alphabet_of(self.language))

    def text_of(self, spelling: Spelling) -> SymbolText:
        """A text as the search for its key sees it: spaces are symbols if the model has them."""
        layout = spelling.layout(space=self.space)
        return SymbolText(spelling.letters, layout, self.n_letters if self.space else None)

    def pairs(self, n_lags: int) -> NDArray[np.float64]:
        """P⁽ᵏ⁾, shares of symbol i and, k = 1 … `n_lags` places later, symbol j: shape (L, C, C)."""
        own = own_language(self.language)
        if own is not None:
            return np.array([own.model(own.order, self.space).pair(lag) for lag in range(1, n_lags + 1)])
        counts = load_counts(self.language, order=1, space=self.space)
        pairs = np.array([counts.pairs(lag) for lag in range(1, n_lags + 1)], dtype=float)
        return pairs / pairs.sum(axis=(1, 2), keepdims=True)


@lru_cache
def _places(alphabet: str, whole: str) -> NDArray[np.int64]:
    return np.array([whole.index(letter) for letter in alphabet], dtype=np.int64)


@lru_cache(maxsize=24)
def letter_model(language: str, order: int, space: bool, books: bool = False) -> LetterModel:
    """The model of a language; order 5 becomes 4 where a dense table would be too large.

    With `books` the n-grams of books are added, where a language has them and the space is no symbol. A
    language of one's own that knows no space has none.

    Examples
    --------
    >>> from ventris.deciphering.key_score import log_likelihood
    >>> english = letter_model("en", 3, True)
    >>> the, xqz = np.array([26, 19, 7, 4, 26]), np.array([26, 23, 16, 25, 26])
    >>> good, bad = log_likelihood(np.array([the, xqz]), english.tables)
    >>> bool(good > bad)
    True
    """
    own = own_language(language)
    if own is not None:
        space, order = space and own.has_space, min(order, own.order)
    size = len(alphabet_of(language)) + space
    while size**order > MAX_TABLE:
        order -= 1
    if own is not None:
        lm = own.model(order, space)
        tables = tuple(np.log(lm.conditional(k)).astype(np.float32) for k in range(1, order + 1))
        rate = -float(np.sum(lm.joint(order) * tables[-1]))
        return LetterModel(language, space, tables, lm.stationary(), rate)
    lm = load_language(language, order, space=space, books=books)
    tables = tuple(np.log(lm.conditional(k)).astype(np.float32) for k in range(1, order + 1))
    codes, counts = load_counts(language, order=order, space=space, books=books).counts(order)
    rate = float(-(counts @ tables[-1].ravel()[codes]) / counts.sum())
    return LetterModel(language, space, tables, lm.stationary(), rate)


@lru_cache(maxsize=12)
def joint_table(language: str) -> JointTable:
    """The language as the search for homophonic keys sees it, without spaces."""
    return JointTable.of(letter_model(language, RESCORE_ORDER, False, books=True).tables)
