"""How often each n-gram of labels is expected in sequences read under a label model (ξ of Baum–Welch).

These sums are all that a label model can learn from a reading: the maximum-likelihood transitions of the next
round of expectation–maximisation are ξ divided by its row sums.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ventris.inference import chains, decoding
from ventris.inference.score import scaled_likelihoods
from ventris.kernels import expected_ngrams as kernels
from ventris.kernels import lattice, two_labels
from ventris.label_model.model import NgramModel

Array = NDArray[np.floating]


class Expected(NamedTuple):
    """A reading, and the n-grams expected in it.

    Attributes
    ----------
    labels : array of shape (T, C)
        Posterior of each label given its whole sequence.
    ngrams : array of shape (C,) * N
        Expected number of each n-gram, oldest label first, summed over all steps.
    firsts : array of shape (C,) * (N − 1)
        Expected number of sequences that begin with these labels.
    logliks : array of shape (S,)
        Log-likelihood of each sequence.
    """

    labels: Array
    ngrams: NDArray[np.float64]
    firsts: NDArray[np.float64]
    logliks: NDArray[np.float64]


def expected_pairs(
    posteriors: Array,
    lengths: ArrayLike | None,
    model: NgramModel | tuple[NDArray, NDArray],
    usage: Array | None = None,
) -> Expected:
    """Label posteriors, expected pairs (C, C), expected first labels (C,) and logliks (S,), at order 2.

    Parameters
    ----------
    posteriors : array of shape (T, C)
        A classifier's outputs; divided by `usage` they are the scaled likelihoods.
    lengths : array of shape (S,) or None
    model : NgramModel, or (opening, transition)
        P(first label), shape (C,), and P(label | the one before), shape (C, C).
    usage : array of shape (C,), optional
        Mean output on the data the classifier was learnt from; by default on these points.

    Examples
    --------
    >>> lm = NgramModel.from_transition_matrix([[0.9, 0.1], [0.1, 0.9]])
    >>> found = expected_pairs(np.array([[0.9, 0.1], [0.6, 0.4], [0.1, 0.9]]), None, lm)
    >>> found.ngrams.round(2), round(float(found.ngrams.sum()), 9)
    (array([[0.78, 0.5 ],
           [0.01, 0.71]]), 2.0)
    >>> found.firsts.round(2)
    array([0.74, 0.26])
    """
    if isinstance(model, NgramModel):
        model = model.joint(1), model.conditional(2)
    opening, transition = model
    return _expected(scaled_likelihoods(posteriors, usage), lengths, [opening], transition)


def expected_ngrams(
    posteriors: Array,
    lengths: ArrayLike | None,
    lm: NgramModel,
    order: int,
    usage: Array | None = None,
    *,
    prune: bool | None = None,
) -> Expected:
    """The same for n-grams of any order from 2 on.

    Orders 2 and 3 take every path into account. Above, only the labels worth following at each step are, as
    in `decoding.label_posteriors`, and the sums are exact on the lattice of these: closer than counting label
    sequences drawn from the posterior, and no dearer. `prune=True` does so at order 3 as well: quicker for
    many labels, with n-grams that one order below are all but excluded counted as zero.

    Sequences shorter than N − 1 labels have no n-grams and no first state; their labels are read.

    Examples
    --------
    >>> lm = NgramModel.from_text("abracadabra " * 9, order=3)
    >>> sure = np.eye(lm.n_classes)[lm.alphabet.encode(list("abra cadabra"))]
    >>> found = expected_ngrams(sure, None, lm, 3)
    >>> a, b, r = lm.alphabet.encode(list("abr"))
    >>> round(float(found.ngrams[a, b, r]), 3)
    2.0
    """
    joints = [lm.joint(k) for k in range(1, order)]
    return _expected(
        scaled_likelihoods(posteriors, usage), lengths, joints, lm.conditional(order), prune=prune
    )


def _expected(
    scores: Array,
    lengths: ArrayLike | None,
    joints: list[NDArray],
    conditional: NDArray,
    *,
    prune: bool | None = None,
    threshold: float = decoding.THRESHOLD,
    beam: int = decoding.BEAM,
) -> Expected:
    scores, spans = decoding._check(scores, lengths, joints, conditional)
    memory, sizes = conditional.ndim - 1, spans[:, 1] - spans[:, 0]
    ngrams, firsts = np.zeros(conditional.shape), np.zeros(conditional.shape[1:])
    found = Expected(np.zeros_like(scores), ngrams, firsts, np.empty(len(spans)))
    try:
        for size in np.unique(sizes[sizes < memory]):
            which, short = sizes == size, chains.dense(scores, joints[size - 1], None)
            logs = chains.walk(short, spans[which], chains.POSTERIORS, 1, out=found.labels)
            found.logliks[which] = logs
        which = sizes >= memory
        if which.any():
            if conditional.ndim > 3 or (prune and conditional.ndim == 3):
                chain = chains.coarse_to_fine(
                    scores, spans, joints, conditional, threshold=threshold, beam=beam, n_jobs=1
                )
            else:
                chain = chains.dense(scores, joints[memory - 1], conditional)
            found.logliks[which] = _walk(chain, spans[which], conditional, found)
    except chains.NoPath as stop:
        raise decoding._no_path(stop.position, scores, spans) from None
    return found


def _walk(chain: chains.Chain, spans: NDArray, conditional: NDArray, found: Expected) -> NDArray:
    """Fill labels, n-grams and firsts from sequences of at least N − 1 labels; their logliks."""
    logs, firsts = np.empty(len(spans)), found.firsts.reshape(-1)
    if chain.kernels is lattice:
        broken = kernels.walk_followed(
            chain.tables, spans, found.labels, found.ngrams.reshape(-1), firsts, logs
        )
    else:
        n_classes, longest = len(conditional), int((spans[:, 1] - spans[:, 0]).max())
        # Blocks of √T steps at least, so that checkpoints take no more room than blocks.
        n_steps = max(chains.MESSAGE_BUDGET // chain.max_states, int(np.ceil(np.sqrt(longest))))
        walk = kernels.walk_two if chain.kernels is two_labels else kernels.walk
        sums = np.zeros((n_classes, chain.max_states // n_classes, n_classes))
        broken = walk(chain.tables, spans, min(n_steps, longest), found.labels, sums, firsts, logs)
        np.multiply(sums.reshape(conditional.shape), conditional, out=found.ngrams, where=conditional > 0)
    if broken >= 0:
        raise chains.NoPath(broken)
    return logs
