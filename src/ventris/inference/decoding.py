"""Labels of whole sequences: forward–backward and Viterbi under an n-gram label model of any order.

Every path y₁ … y_T of a sequence weighs P(y₁ … y_T) Π_t b_t(y_t), with b_t(y) = p(y | x_t) / p̄(y) the scaled
likelihood of each label. Orders 1 to 3 take every path into account. Above, they go coarse to fine: the
posteriors of each order choose the few labels worth following at each step, and the next order runs exactly
on the lattice of these.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ventris.data.sequences import check_lengths
from ventris.errors import DataError, LanguageModelError
from ventris.inference import chains

THRESHOLD = 1e-6  # unmeasured: a label less probable than this, one order below, is not followed
BEAM = 2**14  # unmeasured: most transitions of one step of a pruned lattice


def label_posteriors(
    scores: ArrayLike,
    lengths: ArrayLike | None,
    joints: Sequence[NDArray],
    conditional: NDArray,
    *,
    threshold: float = THRESHOLD,
    beam: int = BEAM,
    n_jobs: int = -1,
) -> tuple[NDArray, NDArray]:
    """Posterior of each label given its whole sequence, and log-likelihood of each (forward–backward).

        γ_t(y) = Σ_{paths with y at t} w(path) / Σ_{all paths} w(path),   w = P(y₁ … y_T) Π_t b_t(y_t)

    Parameters
    ----------
    scores : array of shape (T, C)
        b_t(y) ≥ 0, sequences one after another. float32 and float64 are kept; sums are in float64.
    lengths : array of shape (S,) or None
        Length of each sequence; None for a single one.
    joints : sequence of arrays of shape (C,), (C, C), …
        P(y₁), P(y₁, y₂), … up to order N − 1, for the first labels of a sequence.
    conditional : array of shape (C,) * N
        P(last label | the N − 1 before it), oldest first.
    threshold : float
        Orders above 3: labels whose posterior one order below is smaller are not followed; 0 follows all.
        A tenth of it leaves about a tenth of the error, at one to three times the cost.
    beam : int
        Orders above 3: most transitions per step; the least likely labels are dropped to stay below.
    n_jobs : int
        Threads; −1 for one per core. The result does not depend on it.

    Returns
    -------
    posteriors : array of shape (T, C)
    log_likelihood : array of shape (S,)

    Examples
    --------
    >>> sticky = np.array([[0.9, 0.1], [0.1, 0.9]])
    >>> scores = np.array([[1.8, 0.2], [0.8, 1.2], [1.8, 0.2]])
    >>> label_posteriors(scores, None, [np.array([0.5, 0.5])], sticky)[0].round(3)
    array([[0.955, 0.045],
           [0.933, 0.067],
           [0.955, 0.045]])

    References
    ----------
    L. R. Rabiner, "A tutorial on hidden Markov models and selected applications in speech recognition",
    Proceedings of the IEEE 77(2), 1989: α, β and γ, here over the last N − 1 labels.

    D. Weiss and B. Taskar, "Structured prediction cascades", AISTATS 2010: the low orders prune for the high.
    """
    scores, spans = _check(scores, lengths, joints, conditional)
    if conditional.ndim == 1:
        weights = scores * conditional.astype(scores.dtype)
        logs = _sum_logs(weights.sum(axis=1, dtype=np.float64), scores, spans)
        return weights / weights.sum(axis=1, keepdims=True), logs
    out = np.zeros_like(scores)
    options = {"threshold": threshold, "beam": beam, "n_jobs": n_jobs}
    return out, _solve(scores, spans, joints, conditional, chains.POSTERIORS, options, out=out)


def best_path(
    scores: ArrayLike,
    lengths: ArrayLike | None,
    joints: Sequence[NDArray],
    conditional: NDArray,
    *,
    threshold: float = THRESHOLD,
    beam: int = BEAM,
    n_jobs: int = -1,
) -> tuple[NDArray, NDArray]:
    """Path of the largest weight in each sequence, and the log of that weight (Viterbi).

        y₁ … y_T = arg max P(y₁ … y_T) Π_t b_t(y_t)

    Parameters are those of `label_posteriors`; above order 3 the path is the best one on the pruned lattice.

    Returns
    -------
    labels : array of shape (T,)
    log_weight : array of shape (S,)

    Examples
    --------
    >>> sticky = np.array([[0.9, 0.1], [0.1, 0.9]])
    >>> scores = np.array([[1.8, 0.2], [0.8, 1.2], [1.8, 0.2]])
    >>> best_path(scores, None, [np.array([0.5, 0.5])], sticky)[0]
    array([0, 0, 0])

    References
    ----------
    A. J. Viterbi, "Error bounds for convolutional codes and an asymptotically optimum decoding algorithm",
    IEEE Transactions on Information Theory 13(2), 1967.
    """
    scores, spans = _check(scores, lengths, joints, conditional)
    if conditional.ndim == 1:
        weights = scores * conditional
        return weights.argmax(axis=1), _sum_logs(weights.max(axis=1), scores, spans)
    labels = np.empty(len(scores), dtype=np.int64)
    options = {"threshold": threshold, "beam": beam, "n_jobs": n_jobs}
    return labels, _solve(scores, spans, joints, conditional, chains.BEST_PATH, options, labels=labels)


def sequence_loglik(
    scores: ArrayLike,
    lengths: ArrayLike | None,
    joints: Sequence[NDArray],
    conditional: NDArray,
    *,
    threshold: float = THRESHOLD,
    beam: int = BEAM,
    n_jobs: int = -1,
) -> NDArray:
    """Log-likelihood of each sequence, shape (S,) (forward algorithm).

        ln Σ_{all paths} P(y₁ … y_T) Π_t b_t(y_t)

    At orders 1 to 3 no T × C array is made. Parameters are those of `label_posteriors`; above order 3 it is a
    lower bound, tight for peaked scores.

    Examples
    --------
    >>> half = np.array([0.5, 0.5])
    >>> sequence_loglik(np.ones((4, 2)), [1, 3], [half], np.array([half, half]))
    array([0., 0.])
    """
    scores, spans = _check(scores, lengths, joints, conditional)
    if conditional.ndim == 1:
        return _sum_logs(scores @ conditional, scores, spans)
    options = {"threshold": threshold, "beam": beam, "n_jobs": n_jobs}
    return _solve(scores, spans, joints, conditional, chains.LOGLIK, options)


# ----------------------------------------------------------------------------------------- what comes in


def _check(
    scores: ArrayLike, lengths: ArrayLike | None, joints: Sequence[NDArray], conditional: NDArray
) -> tuple[NDArray, NDArray]:
    """Scores as a float array and the (start, stop) of each sequence, shape (S, 2)."""
    b = np.asarray(scores)
    b = np.ascontiguousarray(b, dtype=np.float32 if b.dtype == np.float32 else np.float64)
    n_classes, order = conditional.shape[0], conditional.ndim
    if b.ndim != 2 or b.shape[1] != n_classes or not len(b):
        raise DataError(
            f"Scores must have shape (points, {n_classes}), one column per label of the label model",
            f"they have shape {b.shape}",
            "Pass one row of scaled likelihoods per point",
        )
    if not b.min() >= 0:  # NaN is not either
        raise _bad_scores(int(np.argmax(~(b >= 0).all(axis=1))))
    shapes = [np.shape(joint) for joint in joints[: order - 1]]
    expected = [(n_classes,) * k for k in range(1, order)]
    if conditional.shape != (n_classes,) * order or shapes != expected:
        raise LanguageModelError(
            f"An order-{order} label model of {n_classes} labels needs joints of shapes {expected}",
            f"conditional has shape {conditional.shape} and the joints {shapes}",
            "Pass joint(1), …, joint(order − 1) and conditional(order) of one label model",
        )
    stops = np.cumsum(check_lengths(lengths, len(b)))
    return b, np.column_stack([np.r_[0, stops[:-1]], stops])


def _bad_scores(row: int) -> DataError:
    return DataError(
        "Scores must be finite and not negative", f"row {row} is not", "Pass p(y|x) / p̄(y), not its logarithm"
    )


def _no_path(position: int, scores: NDArray, spans: NDArray) -> DataError:
    if not np.isfinite(scores[position]).all():
        return _bad_scores(position)
    sequence = int(np.searchsorted(spans[:, 1], position, side="right"))
    start, stop = spans[sequence]
    return DataError(
        "Every sequence needs a label path of positive probability",
        f"none is left at position {position - start} of sequence {sequence} ({stop - start} points)",
        "Smooth the label model, keep scores away from zero, or (orders above 3) lower the threshold",
    )


def _sum_logs(totals: NDArray, scores: NDArray, spans: NDArray) -> NDArray:
    """Order 1: log weight of each sequence from the sum (or maximum) over labels at each point."""
    fine = (totals > 0) & (totals < np.inf)
    if not fine.all():
        raise _no_path(int(np.argmin(fine)), scores, spans)
    return np.add.reduceat(np.log(totals, dtype=np.float64), spans[:, 0])


# ---------------------------------------------------------------------------------------------- the work


def _solve(
    scores: NDArray,
    spans: NDArray,
    joints: Sequence[NDArray],
    conditional: NDArray,
    task: int,
    options: dict[str, Any],
    **results: NDArray,
) -> NDArray:
    """Log weight of each sequence; sequences shorter than N − 1 labels need their joint only."""
    memory, lengths = conditional.ndim - 1, spans[:, 1] - spans[:, 0]
    logs, n_jobs = np.empty(len(spans)), options["n_jobs"]
    try:
        for length in np.unique(lengths[lengths < memory]):
            chain = chains.dense(scores, np.asarray(joints[length - 1]), None)
            which = lengths == length
            logs[which] = chains.walk(chain, spans[which], task, n_jobs, **results)
        which = lengths >= memory
        if which.any():
            chain = _chain(scores, spans, joints, conditional, options)
            logs[which] = chains.walk(chain, spans[which], task, n_jobs, **results)
    except chains.NoPath as stop:
        raise _no_path(stop.position, scores, spans) from None
    return logs


def _chain(
    scores: NDArray, spans: NDArray, joints: Sequence[NDArray], conditional: NDArray, options: dict[str, Any]
) -> chains.Chain:
    if conditional.ndim <= 3:
        return chains.dense(scores, np.asarray(joints[conditional.ndim - 2]), conditional)
    return chains.coarse_to_fine(scores, spans, joints, conditional, **options)
