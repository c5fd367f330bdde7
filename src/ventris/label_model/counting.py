"""Label sequences counted: every order, and pairs at several lags."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ventris.data.alphabet import check_label
from ventris.data.ngrams import count_ngrams, count_pairs
from ventris.errors import DataTypeError, LanguageModelError, ParameterError
from ventris.label_model.smoothing import Smoothing, check_method
from ventris.label_model.statistics import CountedStatistics


def label_lists(label_sequences: Sequence[Any]) -> list[list[Any]]:
    """Label sequences as lists of plain Python labels, or the reason they are not usable."""
    if isinstance(label_sequences, str) or not isinstance(label_sequences, Iterable):
        raise DataTypeError(
            "label_sequences must be a list of sequences of labels",
            f"it is a {type(label_sequences).__name__}",
            "Give a list of lists; use from_text for text",
        )
    parts = list(label_sequences)
    if all(np.ndim(part) == 0 for part in parts):  # one flat sequence of labels
        parts = [parts]
    lists = [part.tolist() if isinstance(part, np.ndarray) else list(part) for part in parts]
    if not any(lists):
        raise LanguageModelError(
            "There must be at least one label", "all sequences are empty", "Check how the labels were read"
        )
    return [labels for labels in lists if labels]


def sorted_labels(parts: list[list[Any]]) -> list[Any]:
    """The labels that occur; text after numbers, so that a mixture reaches the sentence that refuses it."""
    try:
        return sorted(
            {label for part in parts for label in part}, key=lambda label: (isinstance(label, str), label)
        )
    except TypeError:  # neither text nor numbers: no set, or no order
        for label in (label for part in parts for label in part):
            check_label(label)
        raise


def counted(
    codes: NDArray,
    lengths: NDArray,
    n_classes: int,
    order: int,
    smoothing: Smoothing,
    pseudo_count: float,
    max_lag: int,
) -> CountedStatistics:
    check_method(smoothing)
    if not isinstance(order, int | np.integer) or order < 1:
        raise ParameterError("order must be a positive whole number", f"it is {order!r}", "Give 1, 2, 3, …")
    check_pseudo_count(pseudo_count)
    if not isinstance(max_lag, int | np.integer):
        raise ParameterError("max_lag must be a whole number", f"it is {max_lag!r}", "Give 4")
    counts = [count_ngrams(codes, k, n_classes, lengths) for k in range(1, order + 1)]
    if not counts[-1].total:
        raise LanguageModelError(
            f"At least one sequence must hold {order} labels in a row",
            "none does",
            "Give longer sequences or a lower order",
        )
    pairs = {lag: count_pairs(codes, lag, n_classes, lengths) for lag in range(2, max_lag + 1)}
    seen = {lag: table for lag, table in pairs.items() if table.any()}
    return CountedStatistics(counts, seen, smoothing, pseudo_count)


def check_pseudo_count(pseudo_count: float) -> None:
    if not isinstance(pseudo_count, Real) or not 0 < pseudo_count < np.inf:
        raise ParameterError("pseudo_count must be positive", f"it is {pseudo_count!r}", "Give 1, or 0.1")
