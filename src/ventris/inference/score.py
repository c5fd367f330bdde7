"""How likely a classifier's outputs are as a label sequence: the measure that compares classifiers.

J ranks starts within one step; it rewards overconfidence and is no score. The sequence likelihood of
``b_t(y) = p(y | x_t) / p̄(y)`` under the label model is: p̄ is the classifier's own mean output, so a
classifier that says the same everywhere has b = 1 and scores exactly 0.

References
----------
H. Bourlard and N. Morgan, "Connectionist Speech Recognition: A Hybrid Approach", Kluwer, 1994: outputs
divided by their prior take the place of emission probabilities in a hidden Markov model.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ventris.data.known_labels import KnownLabels
from ventris.inference.decoding import best_path, label_posteriors, sequence_loglik
from ventris.inference.durations import lasting_loglik, lasting_path, lasting_posteriors
from ventris.kernels.softmax import column_means
from ventris.label_model.model import NgramModel

Array = NDArray[np.floating]
SCORE_ORDER = 3  # classifiers are compared at one order, exact and quick; that 3 suffices is unmeasured
DECISIVE = 5.0  # nats of a whole stretch by which a difference of scores is no chance: odds of 150 to 1
_RARE = 1e-6  # unmeasured: a class hardly ever put out; dividing by less would let single points decide
# No output rules a label out for good: with a label model that has impossible n-grams, a few outputs rounded
# to 0 and 1 would leave no label sequence at all (unmeasured as a number).
_LEAST = 1e-9


def clamp_known(posteriors: Array, known: KnownLabels | None) -> Array:
    """Posteriors in which certain labels are all but certain, and known probabilities are evidence."""
    return posteriors if known is None else known.clamp(posteriors)


def scaled_likelihoods(posteriors: Array, usage: Array | None = None) -> Array:
    """b_t(y) = p(y | x_t) / p̄(y), shape (T, C): what a point says beyond habit (scaled likelihoods).

    It is kept above 1e-9: certainty that comes from rounding must not contradict the label model.

    Parameters
    ----------
    posteriors : array of shape (T, C)
    usage : array of shape (C,), optional
        p̄, the mean output on the data the classifier was learnt from; by default on these points.

    Examples
    --------
    >>> scaled_likelihoods(np.array([[0.9, 0.1], [0.3, 0.7]])).round(2)
    array([[1.5 , 0.25],
           [0.5 , 1.75]])
    """
    mean = column_means(posteriors) if usage is None else usage
    scaled = posteriors / np.maximum(mean, _RARE).astype(posteriors.dtype)
    return np.maximum(scaled, scaled.dtype.type(_LEAST), out=scaled)


def _label_model(lm: NgramModel, order: int) -> tuple[list[NDArray], NDArray]:
    return [lm.joint(k) for k in range(1, order)], lm.conditional(order)


def sequence_score(
    posteriors: Array,
    lengths: NDArray,
    lm: NgramModel,
    order: int,
    usage: Array | None = None,
    n_jobs: int = -1,
) -> float:
    """Mean log-likelihood per symbol under the label model, in nats (forward algorithm).

    Examples
    --------
    >>> lm = NgramModel.from_transition_matrix([[0.1, 0.9], [0.9, 0.1]])
    >>> constant, alternating = np.full((40, 2), 0.5), np.tile([[0.99, 0.01], [0.01, 0.99]], (20, 1))
    >>> abs(round(sequence_score(constant, [40], lm, 2), 12))
    0.0
    >>> sequence_score(alternating, [40], lm, 2) > 0.5
    True
    """
    logliks = _logliks(scaled_likelihoods(posteriors, usage), lengths, lm, order, n_jobs)
    return float(logliks.sum() / len(posteriors))


def _logliks(scores: Array, lengths: NDArray, lm: NgramModel, order: int, n_jobs: int) -> Array:
    if order > 1 and lm.durations is not None:
        return lasting_loglik(scores, lengths, lm.durations)
    return sequence_loglik(scores, lengths, *_label_model(lm, order), n_jobs=n_jobs)


def cut_lengths(lengths: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    """Lengths of the stretches that sequences fall into when cut evenly, none shorter than `size` by a cut.

    Examples
    --------
    >>> cut_lengths(np.array([3, 11, 8]), 4)
    array([3, 6, 5, 4, 4])
    """
    lengths = np.asarray(lengths)
    n_parts = np.maximum(1, lengths // size)
    place = np.arange(n_parts.sum()) - np.repeat(np.cumsum(n_parts) - n_parts, n_parts)
    return np.repeat(lengths // n_parts, n_parts) + (place < np.repeat(lengths % n_parts, n_parts))


def stretch_logliks(
    posteriors: Array,
    lengths: NDArray,
    lm: NgramModel,
    order: int,
    usage: Array | None = None,
    n_jobs: int = -1,
    *,
    size: int,
) -> Array:
    """Log-likelihood of each stretch of about `size` points, in nats: shape (number of stretches,).

    Stretches are read as sequences of their own, so their sum is a little below that of the whole; but two
    classifiers can be compared stretch by stretch, and their difference then has a standard error.
    """
    scores = scaled_likelihoods(posteriors, usage)
    return _logliks(scores, cut_lengths(lengths, size), lm, order, n_jobs)


def infer_labels(
    posteriors: Array,
    lengths: NDArray,
    lm: NgramModel,
    order: int,
    usage: Array | None = None,
    n_jobs: int = -1,
) -> tuple[Array, float]:
    """Posterior of each label given its sequence, shape (T, C), and the sequence score (forward–backward)."""
    scores = scaled_likelihoods(posteriors, usage)
    if order > 1 and lm.durations is not None:
        gamma, logliks = lasting_posteriors(scores, lengths, lm.durations)
    else:
        gamma, logliks = label_posteriors(scores, lengths, *_label_model(lm, order), n_jobs=n_jobs)
    return gamma, float(logliks.sum() / len(posteriors))


def likeliest_path(
    posteriors: Array,
    lengths: NDArray,
    lm: NgramModel,
    order: int,
    usage: Array | None = None,
    n_jobs: int = -1,
) -> NDArray[np.int64]:
    """The single most likely label sequence, shape (T,) (Viterbi)."""
    scores = scaled_likelihoods(posteriors, usage)
    if order > 1 and lm.durations is not None:
        return lasting_path(scores, lengths, lm.durations)[0]
    return best_path(scores, lengths, *_label_model(lm, order), n_jobs=n_jobs)[0]
