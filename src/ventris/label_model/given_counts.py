"""Counts as people have them, a dictionary of n-grams or a table, as the counts of orders 1 … N."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ventris.data.alphabet import Alphabet
from ventris.data.ngrams import NgramCounts
from ventris.errors import LanguageModelError
from ventris.label_model.markov import check_numbers
from ventris.label_model.named_tables import in_order, named_table

_LARGEST = 2**53  # above, a number given as float is no longer a count


def counts_of(counts: Any, classes: Iterable[Any] | None) -> tuple[list[NgramCounts], Alphabet]:
    """Counts of orders 1 … N and their labels.

    Parameters
    ----------
    counts : mapping of n-grams to how often each occurred, data frame, or array of shape (C,) * N
        An n-gram is a tuple of labels, or a text whose characters are the labels. Where an order below the
        longest is missing, it is counted from the next: each n-gram without its last label.
    classes : iterable, optional
        The labels and their order; by default a table's names, or the labels that occur, sorted.

    Examples
    --------
    >>> given, alphabet = counts_of({"ab": 3, "ba": 2}, None)
    >>> alphabet.classes, [table.dense().tolist() for table in given]
    (('a', 'b'), [[3, 2], [[0, 3], [2, 0]]])
    """
    if isinstance(counts, Mapping) and not _holds_rows(counts):
        return _of_mapping(counts, classes)
    values, names = named_table(counts, "A table of counts")
    table, labels = in_order(values, names, classes)
    whole = _whole(check_numbers(table, "A table of counts"))
    if whole.ndim == 0 or len(set(whole.shape)) != 1:
        raise LanguageModelError(
            "Counts of N labels have N axes of one length", f"their shape is {whole.shape}", "Reshape them"
        )
    alphabet = Alphabet(range(len(whole)) if labels is None else labels)
    if len(alphabet) != len(whole):
        raise LanguageModelError(
            f"Counts of {len(whole)} classes need as many names",
            f"classes has {len(alphabet)}",
            "Give one name a row",
        )
    return _orders(whole), alphabet


def _holds_rows(counts: Mapping[Any, Any]) -> bool:
    return any(isinstance(row, Mapping) for row in counts.values())


def _of_mapping(
    counts: Mapping[Any, Any], classes: Iterable[Any] | None
) -> tuple[list[NgramCounts], Alphabet]:
    grams = [tuple(gram) if isinstance(gram, str | tuple) else (gram,) for gram in counts]
    if not grams:
        raise LanguageModelError("Counts must hold at least one n-gram", "they are empty", "Check them")
    seen = {label for gram in grams for label in gram}
    alphabet = Alphabet(
        sorted(seen, key=lambda each: (isinstance(each, str), each)) if classes is None else classes
    )
    values = _whole(check_numbers(list(counts.values()), "Counts"))
    size = len(alphabet)
    by_order: dict[int, dict[int, int]] = {}
    for gram, count in zip(grams, values.tolist(), strict=True):
        code = int(np.ravel_multi_index(tuple(alphabet.encode(gram)), (size,) * len(gram))) if gram else 0
        table = by_order.setdefault(len(gram), {})
        table[code] = table.get(code, 0) + count
    by_order.pop(0, None)
    return _filled(by_order, size), alphabet


def _filled(by_order: dict[int, dict[int, int]], size: int) -> list[NgramCounts]:
    """Every order from 1: what was not given is counted from the order above it."""
    orders: list[NgramCounts] = []
    above: dict[int, int] = {}
    for order in range(max(by_order, default=1), 0, -1):
        shorter: dict[int, int] = {}
        for code, count in above.items():
            shorter[code // size] = shorter.get(code // size, 0) + count
        above = by_order.get(order, shorter)
        codes = sorted(above)
        orders.append(
            NgramCounts(order, size, np.array(codes, np.int64), np.array([above[c] for c in codes], np.int64))
        )
    return orders[::-1]


def _orders(table: NDArray[np.int64]) -> list[NgramCounts]:
    shorter = [table.sum(axis=tuple(range(k, table.ndim))) for k in range(1, table.ndim)]
    flat = [each.ravel() for each in (*shorter, table)]
    return [
        NgramCounts(k, len(table), np.flatnonzero(each), each[np.flatnonzero(each)])
        for k, each in enumerate(flat, start=1)
    ]


def _whole(values: NDArray[np.float64]) -> NDArray[np.int64]:
    if np.any(values != np.round(values)) or np.any(values > _LARGEST):
        raise LanguageModelError(
            "Counts must be whole numbers",
            "some are not",
            "For probabilities use from_transition_matrix or from_probabilities",
        )
    return values.astype(np.int64)
