"""The two ways label statistics come to us: as a finished Markov chain, or as counts to be smoothed.

Both answer the same three questions, for orders up to their own: the joint of k successive labels, the
conditional of the k-th given the k − 1 before it, and the joint of two labels `lag` apart.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ventris.data.ngrams import NgramCounts
from ventris.label_model.markov import stationary_contexts, stationary_distribution
from ventris.label_model.smoothing import Smoothing, conditionals, witten_bell


class LabelStatistics(Protocol):
    """What a label model needs to know about its labels."""

    order: int
    n_classes: int

    def joint(self, order: int) -> NDArray:
        """P(y₁ … y_k), shape (C,) * order, for order ≤ self.order."""

    def conditional(self, order: int) -> NDArray:
        """P(y_k | y₁ … y_{k−1}), shape (C,) * order, for order ≤ self.order."""

    def pair(self, lag: int) -> NDArray | None:
        """P(y_t, y_{t+lag}) where counts tell it better than the conditionals; else None."""


def conditional_of(joint: NDArray, history: NDArray | None = None) -> NDArray:
    """P(last | the others); a history that never occurs is followed by anything, evenly.

    Parameters
    ----------
    joint : array of shape (C,) * N
    history : array of shape (C,) * (N − 1), optional
        P(the others), where it was counted by itself; by default the sum of `joint` over the last label.

    Examples
    --------
    >>> conditional_of(np.array([[0.3, 0.6], [0.0, 0.0]])).round(2)
    array([[0.33, 0.67],
           [0.5 , 0.5 ]])
    """
    given = (joint.sum(axis=-1) if history is None else history)[..., None]
    even = np.full_like(joint, 1.0 / joint.shape[-1])
    return np.divide(joint, given, out=even, where=given > 0)


class MarkovStatistics:
    """A stationary chain given by its conditional of full order."""

    def __init__(self, conditional: NDArray, contexts: NDArray | None = None) -> None:
        self.order, self.n_classes = conditional.ndim, conditional.shape[-1]
        self._conditional = conditional
        self._contexts = stationary_contexts(conditional) if contexts is None else contexts

    def joint(self, order: int) -> NDArray:
        full = self._contexts[..., None] * self._conditional
        return full.sum(axis=tuple(range(order, self.order)))

    def conditional(self, order: int) -> NDArray:
        return self._conditional if order == self.order else conditional_of(self.joint(order))

    def pair(self, lag: int) -> NDArray | None:
        return None


class CountedStatistics:
    """Counts of orders 1 … N (and of pairs at several lags), smoothed.

    Order k is always smoothed as a k-gram model in its own right: Kneser–Ney's lower orders inside a larger
    model answer another question (how novel a label is) and are no marginals.
    """

    def __init__(
        self,
        counts: Sequence[NgramCounts],
        pairs: Mapping[int, NDArray],
        smoothing: Smoothing = "witten-bell",
        pseudo_count: float = 1.0,
    ) -> None:
        self.order, self.n_classes = len(counts), counts[0].n_symbols
        self.counts, self.pairs = list(counts), dict(pairs)
        self.smoothing, self.pseudo_count = smoothing, pseudo_count

    def conditional(self, order: int) -> NDArray:
        return conditionals(self.counts[:order], self.smoothing, self.pseudo_count)[-1]

    def joint(self, order: int) -> NDArray:
        if order == 1:
            return self.conditional(1) if self.order == 1 else stationary_distribution(self.conditional(2))
        return self.joint(order - 1)[..., None] * self.conditional(order)

    def pair(self, lag: int) -> NDArray | None:
        if lag == 1 or lag not in self.pairs:
            return None
        # Smoothed like a bigram, so that a pair never seen is rare rather than impossible.
        flat = self.pairs[lag].ravel()
        codes = np.flatnonzero(flat)
        layer = witten_bell(NgramCounts(2, self.n_classes, codes, flat[codes]))
        first, second = self.pairs[lag].sum(axis=1), self.pairs[lag].sum(axis=0)
        share = np.ones(self.n_classes)
        share[layer.contexts] = layer.share
        table = share[:, None] * (second / second.sum())[None, :]
        table.reshape(-1)[codes] += layer.alpha
        return (first / first.sum())[:, None] * table
