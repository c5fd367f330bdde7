"""Inputs that come again and again: each counted once, and one label for all its copies."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ventris.classifiers.loglinear import one_hot
from ventris.data.counts import content_numbers

Array = NDArray[np.floating]


def one_label_an_input(X: Array, targets: Array) -> tuple[Array, float]:
    """Targets in which all copies of an input have one label, and how sure that is (majority vote).

    Parameters
    ----------
    X : array of shape (n, D)
    targets : array of shape (n, C)

    Returns
    -------
    targets : array of shape (n, C)
        Zeros and ones.
    agreement : float
        Share of the points whose label before was what the other copies of their input say: none says
        anything about an input that comes only once.

    Examples
    --------
    >>> X = np.array([[0.0], [0.0], [0.0], [1.0]])
    >>> agreed, share = one_label_an_input(X, np.array([[0.9, 0.1], [0.2, 0.8], [0.9, 0.1], [0.1, 0.9]]))
    >>> agreed.argmax(axis=1), share
    (array([0, 0, 0, 1]), 0.5)
    """
    _, row, copies = np.unique(content_numbers(X), return_inverse=True, return_counts=True)
    votes = _votes(row, targets)[row]
    of_others = (votes - targets).argmax(axis=1)
    agrees = (copies[row] > 1) & (of_others == targets.argmax(axis=1))
    return one_hot(votes.argmax(axis=1), targets.shape[1], targets.dtype.type), float(np.mean(agrees))


def distinct_inputs(X: Array, targets: Array) -> tuple[Array, Array, NDArray]:
    """Each input once, its content's number, and its label: what most of its copies have.

    It weighs as much as its copies together, the mean weight being one. A label that the sequence forced on
    a single copy against all others is a mistake that no penalty should be judged by.
    """
    content, first, row = np.unique(content_numbers(X), return_index=True, return_inverse=True)
    if len(first) == len(X):
        return X[first], targets[first], content
    votes = _votes(row, targets)
    weight = votes.sum(axis=1, keepdims=True) * (len(first) / len(X))
    winners = one_hot(votes.argmax(axis=1), votes.shape[1], X.dtype.type)
    return X[first], (weight * winners).astype(X.dtype), content


def _votes(row: NDArray, targets: Array) -> Array:
    """Targets of equal rows added up: shape (number of distinct rows, C)."""
    columns = [np.bincount(row, weights=column) for column in targets.T]
    return np.stack(columns, axis=1)
