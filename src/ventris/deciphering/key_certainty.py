"""How sure each symbol of a key is: what the text says of its label, the other symbols as they are read."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ventris.deciphering.joint_table import WindowIndex


def label_posteriors(codes: NDArray, key: NDArray, log_prob: NDArray) -> NDArray[np.float64]:
    """p(label of a symbol | the labels of all others), under n-grams and free use of homophones: (K, C).

    The log-likelihood of the text and of which symbol a label got, Σ log p(symbol | label), is N·H(usage)
    and what no key changes. Windows of n labels are counted; the first labels of the text have none.

    Parameters
    ----------
    codes : int array of shape (N,)
        Symbols; a negative one is unknown.
    key : int array of shape (K,)
    log_prob : array of shape (C,) * n
        log p of a label given the ones before it.

    Examples
    --------
    >>> follows = np.log([[0.1, 0.9], [0.8, 0.2]])
    >>> label_posteriors(np.array([0, 1] * 20), np.array([0, 1]), follows).round(3)
    array([[1., 0.],
           [0., 1.]])
    """
    index = WindowIndex.of(codes, len(key), log_prob.shape[0], log_prob.ndim)
    scores = np.array([_label_scores(index, key, symbol, log_prob) for symbol in range(len(key))])
    posteriors = np.exp(scores - scores.max(axis=1, keepdims=True))
    return posteriors / posteriors.sum(axis=1, keepdims=True)


def _label_scores(index: WindowIndex, key: NDArray, symbol: int, log_prob: NDArray) -> NDArray[np.float64]:
    """Log-likelihood, up to a constant, under each label that a symbol might have: shape (C,)."""
    n_labels, occurrences = log_prob.shape[0], index.occurrences
    held = slice(index.first[symbol], index.first[symbol + 1])
    base = index.numbers(key, n_labels, index.member[held]).astype(np.int64)
    steps = (np.arange(n_labels) - key[symbol])[:, None] * index.weight[held].astype(np.int64)
    scores = log_prob.ravel()[base + steps].sum(axis=1, dtype=np.float64)
    without = np.bincount(key, weights=occurrences, minlength=n_labels)
    without[key[symbol]] -= occurrences[symbol]
    return scores - _n_log_n(without + occurrences[symbol]) + _n_log_n(without)


def settle_labels(
    codes: NDArray,
    key: NDArray,
    log_prob: NDArray,
    doubtful: NDArray,
    *,
    allowed: NDArray[np.bool_] | None = None,
    laps: int = 3,
) -> NDArray[np.int64]:
    """A key whose doubtful symbols get their likeliest labels in turn (iterated conditional modes).

    Parameters
    ----------
    codes, key, log_prob : as in `label_posteriors`
    doubtful : int array
        Symbols whose labels may change.
    allowed : bool array of shape (K, C), optional
        Labels that each symbol may have.
    laps : int
        Turns of every symbol at most.
    """
    key = np.array(key, dtype=np.int64)
    index = WindowIndex.of(codes, len(key), log_prob.shape[0], log_prob.ndim)
    for _ in range(laps if len(doubtful) else 0):
        before = key.copy()
        for symbol in doubtful:
            scores = _label_scores(index, key, symbol, log_prob)
            if allowed is not None:
                scores = np.where(allowed[symbol], scores, -np.inf)
            key[symbol] = int(np.argmax(scores))
        if np.array_equal(before, key):
            break
    return key


def share_certain(codes: NDArray, key: NDArray, log_prob: NDArray) -> float:
    """Share of the symbols of a text that are expected to be read right, each given all others."""
    known = codes[codes >= 0]
    posteriors = label_posteriors(codes, key, log_prob)
    return float(posteriors[known, key[known]].mean())


def _n_log_n(n: NDArray) -> NDArray[np.float64]:
    return n * np.log(np.maximum(n, 1))
