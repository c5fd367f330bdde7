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
    n_labels, order = log_prob.shape[0], log_prob.ndim
    index = WindowIndex.of(codes, len(key), n_labels, order)
    numbers, table = index.numbers(key, n_labels), log_prob.ravel()
    occurrences, labels = index.occurrences, np.arange(n_labels)
    usage = np.bincount(key, weights=occurrences, minlength=n_labels)
    posteriors = np.zeros((len(key), n_labels))
    for symbol, label in enumerate(key):
        held = slice(index.first[symbol], index.first[symbol + 1])
        base = numbers[index.member[held]].astype(np.int64)
        steps = (labels - label)[:, None] * index.weight[held].astype(np.int64)
        scores = table[base + steps].sum(axis=1, dtype=np.float64)
        without = usage.copy()
        without[label] -= occurrences[symbol]
        scores -= _n_log_n(without + occurrences[symbol]) - _n_log_n(without)
        posteriors[symbol] = np.exp(scores - scores.max())
    return posteriors / posteriors.sum(axis=1, keepdims=True)


def share_certain(codes: NDArray, key: NDArray, log_prob: NDArray) -> float:
    """Share of the symbols of a text that are expected to be read right, each given all others."""
    known = codes[codes >= 0]
    posteriors = label_posteriors(codes, key, log_prob)
    return float(posteriors[known, key[known]].mean())


def _n_log_n(n: NDArray) -> NDArray[np.float64]:
    return n * np.log(np.maximum(n, 1))
