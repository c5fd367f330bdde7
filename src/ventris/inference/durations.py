"""Labels of whole sequences under a label model with durations: exact, and without a state too many."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ventris.data.sequences import check_lengths
from ventris.errors import DataError
from ventris.kernels import durations as kernel
from ventris.label_model.durations import Durations

Array = NDArray[np.floating]


def lasting_posteriors(scores: Array, lengths: NDArray | None, durations: Durations) -> tuple[Array, Array]:
    """Posterior of each label given its sequence, and log-likelihoods (explicit-duration forward–backward).

    Parameters
    ----------
    scores : array of shape (T, C)
        b_t(y) ≥ 0, sequences one after another.
    lengths : array of shape (S,) or None
    durations : Durations

    References
    ----------
    .. [1] S.-Z. Yu and H. Kobayashi, "An efficient forward-backward algorithm for an explicit-duration hidden
       Markov model", IEEE Signal Processing Letters 10 (2003), 11-14.
    """
    rows, spans, tables = _ready(scores, lengths, durations)
    out, logs = np.empty_like(rows), np.empty(len(spans))
    _refuse_dead_end(kernel.posteriors(tables, rows, spans, out, logs), spans)
    return out.astype(np.asarray(scores).dtype, copy=False), logs


def lasting_path(scores: Array, lengths: NDArray | None, durations: Durations) -> tuple[NDArray, Array]:
    """The likeliest labels, with their stays, and the log of their weight (explicit-duration Viterbi)."""
    rows, spans, tables = _ready(scores, lengths, durations)
    labels, logs = np.empty(len(rows), dtype=np.int64), np.empty(len(spans))
    _refuse_dead_end(kernel.best_paths(tables, rows, spans, labels, logs), spans)
    return labels, logs


def lasting_loglik(scores: Array, lengths: NDArray | None, durations: Durations) -> Array:
    """Log-likelihood of each sequence, shape (S,) (explicit-duration forward algorithm)."""
    rows, spans, tables = _ready(scores, lengths, durations)
    logs = np.empty(len(spans))
    _refuse_dead_end(kernel.log_likelihoods(tables, rows, spans, logs), spans)
    return logs


def _ready(
    scores: Array, lengths: NDArray | None, durations: Durations
) -> tuple[NDArray[np.float64], NDArray[np.int64], kernel.Tables]:
    rows = np.ascontiguousarray(scores, dtype=np.float64)
    stops = np.cumsum(check_lengths(lengths, len(rows)))
    spans = np.column_stack([np.r_[0, stops[:-1]], stops]).astype(np.int64)
    tables = kernel.Tables(
        durations.first,
        durations.enter,
        np.ascontiguousarray(durations.stay),
        np.ascontiguousarray(durations.moves),
        durations.opening(),
    )
    return rows, spans, tables


def _refuse_dead_end(position: int, spans: NDArray[np.int64]) -> None:
    if position < 0:
        return
    sequence = int(np.searchsorted(spans[:, 1], position, side="right"))
    raise DataError(
        "Every sequence needs a label path of positive probability",
        f"none is left at position {position - spans[sequence, 0]} of sequence {sequence}",
        "Allow longer or shorter stays, or keep scores away from zero",
    )
