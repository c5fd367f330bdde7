"""Between the back-off lists of ARPA files and dense conditional tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ventris.data.alphabet import Alphabet
from ventris.data.ngrams import grams_of
from ventris.errors import LanguageModelError
from ventris.label_model.arpa import IMPOSSIBLE, ArpaOrder, token_of
from ventris.label_model.smoothing import Layer, conditionals, dense_conditional, layers
from ventris.label_model.statistics import CountedStatistics, LabelStatistics, conditional_of


def dense_backoff(
    codes: NDArray, prob: NDArray, contexts: NDArray, weight: NDArray, below: NDArray, n_symbols: int
) -> NDArray:
    """The probability listed for an n-gram, else ``weight(h) P(w | h′)``: shape (C,) * N."""
    table = dense_conditional(Layer(codes[:0], prob[:0], contexts, weight), below, n_symbols)
    table.reshape(-1)[codes] = prob
    return table


def conditional_from_arpa(orders: Sequence[ArpaOrder], alphabet: Alphabet) -> NDArray:
    """The full-order conditional an ARPA file defines, over the classes alone."""
    number = {token_of(label): k for k, label in enumerate(alphabet.classes)}
    missing = set(number) - {gram[0] for gram in orders[0].grams}
    if missing:
        raise LanguageModelError(
            "Every class must be a unigram of the ARPA file", f"{min(missing)!r} is not", "Check the classes"
        )
    size = len(alphabet)
    table = np.asarray(1.0)
    contexts, weight = np.zeros(1, dtype=np.int64), np.ones(1)
    for order in orders:
        kept = [k for k, gram in enumerate(order.grams) if all(token in number for token in gram)]
        codes = np.zeros(len(kept), dtype=np.int64)
        for place in range(table.ndim + 1):
            codes = codes * size + np.array([number[order.grams[k][place]] for k in kept], dtype=np.int64)
        table = dense_backoff(codes, _power_of_ten(order.log10_prob[kept]), contexts, weight, table, size)
        contexts, weight = codes, _power_of_ten(order.log10_backoff[kept])
    if not table.any():
        raise LanguageModelError(
            "Some n-gram of the classes must have a probability", "all have none", "Check the ARPA file"
        )
    return conditional_of(table)


def _power_of_ten(logarithm: NDArray) -> NDArray:
    """10**x, and exactly zero for ARPA's log10 of zero: what a label model calls impossible stays so."""
    return np.where(logarithm <= IMPOSSIBLE, 0.0, 10.0**logarithm)


def arpa_orders(statistics: LabelStatistics, alphabet: Alphabet) -> list[ArpaOrder]:
    """The sections of an ARPA file: what was counted with its back-off, or every n-gram of a chain."""
    if isinstance(statistics, CountedStatistics) and statistics.smoothing != "additive":
        tables = conditionals(statistics.counts, statistics.smoothing)
        shares = layers(statistics.counts, statistics.smoothing)
        listed = [layer.codes for layer in shares]
        weights = [dict(zip(up.contexts.tolist(), up.share.tolist(), strict=True)) for up in shares[1:]]
    else:
        tables = [statistics.conditional(k) for k in range(1, statistics.order + 1)]
        listed = [np.arange(table.size) for table in tables]
        weights = [{} for _ in tables[1:]]
    listed[0] = np.arange(len(alphabet))  # every label needs a unigram line, seen or not
    # A history must be listed to carry its back-off weight, also one seen only at the start of a sequence,
    # which Kneser–Ney's lower orders do not count.
    for k in range(len(listed) - 1, 0, -1):
        listed[k - 1] = np.union1d(listed[k - 1], listed[k] // len(alphabet))
    tokens = [token_of(label) for label in alphabet.classes]
    sections = zip(listed, tables, [*weights, {}], strict=True)
    return [_arpa_order(codes, table, weight, tokens) for codes, table, weight in sections]


def _arpa_order(codes: NDArray, table: NDArray, weights: Mapping[int, float], tokens: list[str]) -> ArpaOrder:
    rows = grams_of(codes, table.ndim, len(tokens)).tolist()
    with np.errstate(divide="ignore"):  # an impossible n-gram has log10 −∞, written as ARPA's −99
        backoff = np.log10([weights.get(code, 1.0) for code in codes.tolist()])
        return ArpaOrder(
            [tuple(tokens[k] for k in row) for row in rows], np.log10(table.ravel()[codes]), backoff
        )
