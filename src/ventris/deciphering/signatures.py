"""What sets a label apart whatever it is called, and the naming of codes that follows from it.

Calling labels by other names permutes their statistics and changes nothing else: a label keeps how often it
comes, how soon it comes again, how various its neighbours are, and, as each neighbour has such a signature
too, beside which kinds of labels it is seen. Two rounds of looking at the neighbours tell hundreds of labels
apart, so that groups of codes can be named by their likeness to labels without any search. Such a key errs on
many codes, but from the few it names rightly descent puts the others right.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ventris.deciphering.ciphertext import Ciphertext
from ventris.deciphering.settings import DEFAULT

Array = NDArray[np.floating]


def signature(pairs: Array, n_points: float = np.inf, depth: int = DEFAULT.signature_depth) -> Array:
    """What pairs say about each label without naming any: shape (C, M) (Weisfeiler–Leman refinement).

    Parameters
    ----------
    pairs : array of shape (L, C, C)
        Shares of label c and, at each lag, label d.
    n_points : float
        How many were counted, or infinity where the shares are exact.
    depth : int
        How often the signatures of its neighbours are added to a label's own.

    References
    ----------
    .. [1] B. Weisfeiler and A. Leman, "The reduction of a graph to canonical form and the algebra which
       appears therein", Nauchno-Technicheskaya Informatsiya, Series 2, 9 (1968), 12-16.
    .. [2] N. Shervashidze, P. Schweitzer, E. J. van Leeuwen, K. Mehlhorn and K. M. Borgwardt,
       "Weisfeiler-Lehman graph kernels", Journal of Machine Learning Research 12 (2011), 2539-2561.

    Examples
    --------
    >>> pairs = np.array([[[0.1, 0.2, 0.0], [0.1, 0.0, 0.1], [0.1, 0.0, 0.4]]])
    >>> other_names = [2, 0, 1]
    >>> renamed = signature(pairs[:, other_names][:, :, other_names])
    >>> bool(np.allclose(renamed, signature(pairs)[other_names]))
    True
    """
    follows, precedes = _rows(pairs[0]), _rows(pairs[0].T)
    layers = [_standardised(own_features(pairs, 1 / n_points))]
    for layer in range(depth):
        company = layers[-1] if layer else np.hstack([layers[0], layers[0] ** 2])
        layers.append(_standardised(np.hstack([follows @ company, precedes @ company])))
    return np.hstack(layers)


def own_features(pairs: Array, share: float) -> Array:
    """Frequency, returns after each lag, concentration of the neighbours: (C, L + 3) (index of coincidence).

    A label's neighbours, on either side of it, are concentrated if two of them are often the same label.
    `share` is what one point counts for: one point drawn twice is no sign of concentration.

    References
    ----------
    .. [1] W. F. Friedman, "The index of coincidence and its applications in cryptography", Riverbank
       Laboratories Publication 22 (1922).
    """
    frequency = np.maximum(pairs[0].sum(axis=1), max(share / 2, 1e-12))
    returns = np.diagonal(pairs, axis1=1, axis2=2).T / frequency[:, None]
    squares = [np.sum(P * (P - share), axis=1) for P in (pairs[0], pairs[0].T)]
    chances = np.maximum(frequency * (frequency - share), 1e-24)  # a label seen once has no second neighbour
    concentrations = np.stack(squares, axis=1) / chances[:, None]
    # Roots and logarithms: chance then moves small and large values by about as much.
    return np.column_stack([np.log(frequency), np.sqrt(returns), np.sqrt(np.maximum(concentrations, 0.0))])


def _rows(counts: Array) -> Array:
    return counts / np.maximum(counts.sum(axis=1, keepdims=True), 1e-12)  # a row never seen stays zero


def _standardised(features: Array) -> Array:
    spread = features.std(axis=0)
    # What is the same for all labels differs by rounding alone, which must not be blown up.
    return (features - features.mean(axis=0)) / np.where(spread > 1e-9, spread, 1.0)


def signature_key(groups: NDArray, ciphertext: Ciphertext, rng: np.random.Generator) -> NDArray[np.int64]:
    """Groups get the labels they resemble most, no label two: shape (K,) (linear assignment).

    A feature counts for as much as it can be trusted, which counts drawn from the label model show. The
    counts of codes are drawn anew as well, around what they are, so that no two guesses are alike.

    References
    ----------
    .. [1] H. W. Kuhn, "The Hungarian method for the assignment problem", Naval Research Logistics Quarterly 2
       (1955), 83-97.
    .. [2] D. F. Crouse, "On implementing 2D rectangular assignment algorithms", IEEE Transactions on
       Aerospace and Electronic Systems 52 (2016), 1679-1696.
    """
    from scipy.optimize import linear_sum_assignment
    from scipy.spatial.distance import cdist

    statistics, n_points = ciphertext.statistics, ciphertext.n_points
    depth, least_variance = ciphertext.settings.signature_depth, ciphertext.settings.signature_variance
    labels = signature(statistics.label_pairs, depth=depth)
    drawn = rng.poisson(n_points * statistics.label_pairs) / n_points
    variance = np.mean((signature(drawn, n_points, depth) - labels) ** 2, axis=0)
    member = np.eye(statistics.n_classes)[groups]  # (K, C): a group for each label, some perhaps empty
    counts = rng.poisson(n_points * (member.T @ statistics.code_pairs @ member))
    found = signature(counts / n_points, n_points, depth)
    weight = np.sqrt(1 / (variance + least_variance))
    unlikeness = cdist(weight * found, weight * labels, "sqeuclidean")  # (groups, labels)
    if ciphertext.anchor is not None:
        unlikeness -= (1 + unlikeness.max()) * (member.T @ ciphertext.anchor)  # known labels come first
    _, label_of_group = linear_sum_assignment(unlikeness)
    return label_of_group[groups]
