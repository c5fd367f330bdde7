"""From n-gram counts to conditional probabilities: additive, Witten–Bell and Kneser–Ney smoothing.

Each method writes the conditional of one order as what was counted plus a share of the order below:
``P(w | h) = α(h w) + λ(h) P(w | h′)``, h′ being h without its oldest symbol. That is all a dense table or an
ARPA file needs, so a method is one small function from counts to (α, λ).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ventris.data.ngrams import NgramCounts, check_dense
from ventris.errors import ParameterError

Smoothing = Literal["additive", "witten-bell", "kneser-ney"]


@dataclass(frozen=True)
class Layer:
    """One order of an interpolated model.

    Attributes
    ----------
    codes, alpha : arrays of shape (M,)
        Seen n-grams and their own share α.
    contexts, share : arrays of shape (H,)
        Seen histories and the share λ they leave to the order below; a history not listed leaves 1.
    """

    codes: NDArray[np.int64]
    alpha: NDArray[np.float64]
    contexts: NDArray[np.int64]
    share: NDArray[np.float64]


def _by_context(counts: NgramCounts) -> tuple[NDArray, NDArray, NDArray]:
    """Histories, the index of each n-gram's history, and each history's total count."""
    contexts, index = np.unique(counts.codes // counts.n_symbols, return_inverse=True)
    return contexts, index, np.bincount(index, weights=counts.counts)


def witten_bell(counts: NgramCounts) -> Layer:
    """A history leaves to the order below by how many distinct followers it has had (Witten–Bell smoothing).

    References
    ----------
    I. H. Witten and T. C. Bell, "The Zero-Frequency Problem: Estimating the Probabilities of Novel Events in
    Adaptive Text Compression", IEEE Transactions on Information Theory 37 (4), 1991, 1085–1094.
    """
    contexts, index, totals = _by_context(counts)
    followers = np.bincount(index).astype(np.float64)
    alpha = counts.counts / (totals + followers)[index]
    return Layer(counts.codes, alpha, contexts, followers / (totals + followers))


def kneser_ney(counts: NgramCounts) -> Layer:
    """Every seen n-gram gives up d = n₁/(n₁ + 2n₂) of its count (Kneser–Ney, absolute discounting).

    References
    ----------
    R. Kneser and H. Ney, "Improved Backing-Off for M-Gram Language Modeling", ICASSP 1995, 181–184.

    S. F. Chen and J. Goodman, "An Empirical Study of Smoothing Techniques for Language Modeling", Computer
    Speech and Language 13 (4), 1999, 359–394.
    """
    contexts, index, totals = _by_context(counts)
    once, twice = np.count_nonzero(counts.counts == 1), np.count_nonzero(counts.counts == 2)
    # Without singletons the estimate is 0 and unseen n-grams would be impossible: discount a half instead.
    discount = once / (once + 2 * twice) if once else 0.5
    alpha = np.maximum(counts.counts - discount, 0) / totals[index]
    left = 1.0 - np.bincount(index, weights=alpha).astype(np.float64)
    return Layer(counts.codes, alpha, contexts, left)


def additive(counts: NgramCounts, pseudo_count: float) -> Layer:
    """`pseudo_count` added to every n-gram, evenly shared (additive or Lidstone smoothing)."""
    contexts, index, totals = _by_context(counts)
    added = pseudo_count * counts.n_symbols
    return Layer(counts.codes, counts.counts / (totals + added)[index], contexts, added / (totals + added))


def continuation_counts(counts: NgramCounts) -> NgramCounts:
    """Kneser–Ney's counts of the order below: in how many distinct left contexts an n-gram was seen."""
    shorter = counts.codes % counts.n_symbols ** (counts.order - 1)
    codes, lefts = np.unique(shorter, return_counts=True)
    return NgramCounts(counts.order - 1, counts.n_symbols, codes, lefts)


def layers(counts: Sequence[NgramCounts], method: Smoothing, pseudo_count: float = 1.0) -> list[Layer]:
    """Layers of orders 1 … N from the counts of orders 1 … N."""
    check_method(method)
    if method == "kneser-ney":
        below = [continuation_counts(above) for above in counts[1:]]
        return [kneser_ney(c) for c in [*below, counts[-1]]]
    estimate: Callable[[NgramCounts], Layer] = (
        witten_bell if method == "witten-bell" else lambda c: additive(c, pseudo_count)
    )
    return [estimate(c) for c in counts]


def check_method(method: str) -> None:
    """Refuse an unknown smoothing by name."""
    if method not in ("additive", "witten-bell", "kneser-ney"):
        raise ParameterError(
            "smoothing must be 'additive', 'witten-bell' or 'kneser-ney'", f"it is {method!r}", "Choose one"
        )


def dense_conditional(layer: Layer, below: NDArray, n_symbols: int) -> NDArray:
    """``P(w | h) = α(h w) + λ(h) P(w | h′)`` as an array with one axis more than `below`.

    Parameters
    ----------
    layer : Layer of order N
    below : array of shape (C,) * (N − 1)
        The conditional of the order below; for N = 1, the uniform probability as a 0-d array.
    """
    order = below.ndim + 1
    check_dense(n_symbols, order)
    share = np.ones(n_symbols ** (order - 1))
    share[layer.contexts] = layer.share
    table = np.empty((n_symbols,) * order)
    # Broadcasting over the oldest axis is exactly "forget the oldest symbol".
    table[...] = below if order > 1 else float(below)
    table *= share.reshape((n_symbols,) * (order - 1) + (1,))
    table.reshape(-1)[layer.codes] += layer.alpha
    return table


def conditionals(
    counts: Sequence[NgramCounts], method: Smoothing, pseudo_count: float = 1.0
) -> list[NDArray]:
    """Dense conditionals of orders 1 … N from their counts, each interpolated with the one below."""
    n_symbols = counts[0].n_symbols
    uniform = np.asarray(1.0 / n_symbols)
    tables: list[NDArray] = []
    for layer in layers(counts, method, pseudo_count):
        order = len(tables) + 1
        # Additive smoothing spreads evenly; the other two fall back on the shorter history.
        even = np.broadcast_to(uniform, (n_symbols,) * (order - 1))
        below = even if method == "additive" or not tables else tables[-1]
        tables.append(dense_conditional(layer, below, n_symbols))
    return tables
