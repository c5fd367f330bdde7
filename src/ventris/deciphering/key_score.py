"""How likely a text is under a key: n-grams of what it reads, looked up and summed.

A key is a table: the label of each symbol, shape (K,). What it is judged by are `tables`, log p of a label
given the ones before it, at every order up to the highest: arrays of shapes (C,), (C, C), …
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ventris.errors import DataError

SPACE, BREAK = -1, -2  # in a layout: the space, which no key touches, and what no n-gram crosses
Tables = Sequence[NDArray[np.float32]]


@dataclass(frozen=True)
class SymbolText:
    """Symbols in the order they were written, and what stands between them.

    Attributes
    ----------
    symbols : int array of shape (N,)
        What a key gives labels to: numbers from 0.
    layout : int array of shape (L,)
        The text as a row: numbers of places in `symbols`, SPACE or BREAK.
    space : int or None
        Label of the space; None where spaces are no labels, and then the layout has none.
    fixed : dict
        Symbols, other than the space, whose label is known.

    Examples
    --------
    >>> text = SymbolText(np.array([3, 4]), np.array([0, SPACE, 1, BREAK]), space=26)
    >>> text.rows(np.array([[10, 11]])).tolist()
    [[10, 26, 11, -2]]
    """

    symbols: NDArray[np.int64]
    layout: NDArray[np.int64]
    space: int | None = None
    fixed: dict[int, int] = field(default_factory=dict)

    def rows(self, labels: NDArray) -> NDArray[np.int64]:
        """Readings of the symbols, shape (S, N), as rows with spaces and breaks, shape (S, L)."""
        rows = np.take(labels, np.maximum(self.layout, 0), axis=1)
        if self.space is not None:
            rows[:, self.layout == SPACE] = self.space
        rows[:, self.layout == BREAK] = BREAK
        return rows

    @property
    def parts(self) -> list[NDArray[np.int64]]:
        """The symbols between breaks, the space a symbol of its label's number."""
        row = self.rows(self.symbols[None])[0]
        return [part[part != BREAK] for part in np.split(row, np.flatnonzero(row == BREAK)) if len(part)]

    def whole(self, keys: NDArray) -> NDArray[np.int64]:
        """Keys of shape (S, C) with the space added that they leave as it is."""
        if self.space is None:
            return keys
        return np.column_stack([keys, np.full(len(keys), self.space)])


@dataclass(frozen=True)
class RankedKeys:
    """Keys that a search found, perhaps with their neighbours.

    Attributes
    ----------
    keys : int array of shape (S, K)
        They read the text differently.
    scores : array of shape (S,)
        Score of each, in nats.
    agreement : float
        Share of independent searches that ended at the best key.
    """

    keys: NDArray[np.int64]
    scores: NDArray[np.float64]
    agreement: float


# ---------------------------------------------------------------------------- readings
def score_readings(labels: NDArray, text: SymbolText, tables: Tables) -> NDArray[np.float64]:
    """log p of readings of a text, shape (S, N), in nats: shape (S,)."""
    return log_likelihood(text.rows(labels), tables)


def log_likelihood(rows: NDArray, tables: Tables) -> NDArray[np.float64]:
    """log p of each row of labels, histories cut at the row's start and at breaks: shape (S,).

    Parameters
    ----------
    rows : int array of shape (S, L)
        All rows have their breaks (BREAK) in the same places.
    tables : sequence of arrays of shapes (C,), (C, C), …

    Examples
    --------
    >>> tables = np.log([0.5, 0.5]), np.log([[0.1, 0.9], [0.8, 0.2]])
    >>> np.exp(log_likelihood(np.array([[0, 1, 0], [1, 1, 1]]), tables)).round(3)
    array([0.36, 0.02])
    """
    edges = [-1, *np.flatnonzero(rows[0] == BREAK), rows.shape[1]]
    parts = [rows[:, left + 1 : right] for left, right in pairwise(edges)]
    return np.sum([_part_likelihood(part, tables) for part in parts], axis=0)


def _part_likelihood(part: NDArray, tables: Tables) -> NDArray[np.float64]:
    length, order, n_labels = part.shape[1], len(tables), len(tables[0])
    total = np.zeros(len(part))
    for t in range(min(length, order - 1)):  # the first labels have shorter histories
        total += tables[t][tuple(part[:, : t + 1].T)]
    if length >= order:
        codes = np.zeros((len(part), length - order + 1), dtype=np.int64)
        for i in range(order):
            codes = codes * n_labels + part[:, i : length - order + 1 + i]
        total += tables[-1].ravel()[codes].sum(axis=1, dtype=np.float64)
    return total


# ---------------------------------------------------------------------------- keys
@dataclass(frozen=True)
class IndexedText:
    """Distinct n-grams of a text and where each symbol stands in them."""

    grams: NDArray[np.int64]  # (M, n)
    counts: NDArray[np.float32]  # (M,)
    occurrences: NDArray[np.int64]  # (K,)
    first: NDArray[np.int64]  # (K + 1,)
    member: NDArray[np.int64]  # (L,)
    place: NDArray[np.int64]  # (L,)
    powers: NDArray[np.int64]  # (n,)

    def codes(self, key: NDArray) -> NDArray[np.int64]:
        """Number of each n-gram once a key, shape (K,), has read it: shape (M,)."""
        return key[self.grams] @ self.powers


def index_text(texts: Sequence[NDArray], n_symbols: int, order: int, n_labels: int) -> IndexedText:
    """Index the n-grams of texts; none crosses from one text to the next."""
    if not any(len(x) >= order for x in texts):
        raise DataError(
            f"the text must hold at least {order} symbols in a row", "it is shorter", "Use a lower order"
        )
    base = n_symbols ** np.arange(order - 1, -1, -1, dtype=np.int64)
    numbers = np.concatenate([_numbered(x, order, n_symbols) for x in texts if len(x) >= order])
    distinct, counts = np.unique(numbers, return_counts=True)
    grams = distinct[:, None] // base % n_symbols
    powers = n_labels ** np.arange(order - 1, -1, -1, dtype=np.int64)
    n_grams = len(grams)
    pairs = (grams * n_grams + np.arange(n_grams)[:, None]).ravel()  # symbol, then n-gram
    held, place_of = np.unique(pairs, return_inverse=True)
    place = np.bincount(place_of, weights=np.tile(powers, n_grams), minlength=len(held))
    first = np.searchsorted(held, np.arange(n_symbols + 1) * n_grams)
    occurrences = np.bincount(np.concatenate(list(texts)), minlength=n_symbols)
    return IndexedText(
        grams, counts.astype(np.float32), occurrences, first, held % n_grams, np.rint(place).astype(np.int64),
        powers,
    )  # fmt: skip


def _numbered(text: NDArray, order: int, n_symbols: int) -> NDArray[np.int64]:
    """Each n-gram of a text as a number in base K, the oldest symbol first."""
    length = len(text) - order + 1
    numbers = np.zeros(length, dtype=np.int64)
    for i in range(order):
        numbers = numbers * n_symbols + text[i : i + length]
    return numbers


def score_key(key: ArrayLike, texts: Sequence[NDArray], log_prob: NDArray) -> float:
    """Score of a key, computed from its definition: the readable twin of the compiled search.

    Parameters
    ----------
    key : array of shape (K,)
    texts : sequence of int arrays
        Symbols; n-grams do not cross from one to the next.
    log_prob : array of shape (C,) * n

    Examples
    --------
    >>> follows = np.log([[0.1, 0.9], [0.8, 0.2]])
    >>> round(score_key([1, 0], [np.array([0, 1, 0])], follows), 6) == round(float(np.log(0.8 * 0.9)), 6)
    True
    """
    labels = [np.asarray(key)[x] for x in texts]
    windows = [
        np.lib.stride_tricks.sliding_window_view(y, log_prob.ndim) for y in labels if len(y) >= log_prob.ndim
    ]
    return sum(float(log_prob[tuple(w.T)].sum(dtype=np.float64)) for w in windows)


def score_keys(keys: NDArray, texts: Sequence[NDArray], log_prob: NDArray) -> NDArray[np.float64]:
    """Log-likelihoods of many keys, shape (S, K), each distinct n-gram of the text looked up once a key.

    Examples
    --------
    >>> text, follows = [np.array([0, 1, 0, 1])], np.log([[0.1, 0.9], [0.8, 0.2]])
    >>> np.exp(score_keys(np.array([[0, 1], [1, 0]]), text, follows)).round(3)
    array([0.648, 0.576])
    """
    text = index_text(texts, keys.shape[1], log_prob.ndim, log_prob.shape[0])
    flat = log_prob.ravel()
    return np.array([text.counts @ flat[text.codes(key)].astype(np.float64) for key in keys])


def score_whole_keys(keys: NDArray, texts: Sequence[NDArray], tables: Tables) -> NDArray[np.float64]:
    """`score_keys` and the first labels of each text, which have shorter histories: shape (S,)."""
    order = len(tables)
    long = [text for text in texts if len(text) >= order]
    scores = score_keys(keys, long, tables[-1]) if long else np.zeros(len(keys))
    return scores + sum(log_likelihood(keys[:, text[: order - 1]], tables) for text in texts)


def distinct_keys(keys: Sequence[NDArray], used: NDArray) -> list[NDArray]:
    """The keys that read the symbols in use differently, in their order."""
    first: dict[tuple[int, ...], NDArray] = {}
    for key in keys:
        first.setdefault(tuple(key[used]), key)
    return list(first.values())
