"""Where the search for a table starts: guesses from signatures, geometry and frequencies, and random tables.

A start arrives if descent from it ends in the right table. One from signatures nearly always does where
labels differ in the labels seen next to them; where they hardly do, others arrive more often: a batch mixes
the kinds.
"""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import NDArray

from ventris.deciphering.ciphertext import Ciphertext
from ventris.deciphering.settings import DEFAULT, SearchSettings

Array = NDArray[np.floating]


def random_starts(
    n_starts: int,
    n_codes: int,
    n_classes: int,
    rng: np.random.Generator,
    *,
    settings: SearchSettings = DEFAULT,
) -> Array:
    """Nearly even tables, as logits: small starts fall least often into bad basins (random starts)."""
    return settings.start_spread * rng.standard_normal((n_starts, n_codes, n_classes))


def draw_tables(ciphertext: Ciphertext, n_starts: int, rng: np.random.Generator) -> Array:
    """Logits of `n_starts` tables, the kinds taking turns, likeliest first: shape (R, K, C) (multi-start)."""
    statistics, settings = ciphertext.statistics, ciphertext.settings
    starts = random_starts(n_starts, statistics.n_codes, statistics.n_classes, rng, settings=settings)
    rows = np.arange(statistics.n_codes)
    groupings = groupings_of(ciphertext, n_starts, rng)
    kinds = ["signature", "group", "rank", "random"] if groupings else ["rank", "random"]
    for number, start in enumerate(starts):
        turn, kind = number // len(kinds), kinds[number % len(kinds)]
        if kind == "random":
            continue
        if kind == "rank":
            start[rows, ranked_key(ciphertext, rng)] += settings.leaning
            continue
        groups = groupings[turn % len(groupings)]
        if kind == "group":
            start[rows, grouped_key(groups, ciphertext, rng)] += settings.leaning
        else:
            # Known labels, which few codes have, must be able to overrule it.
            leaning = settings.signature_leaning if ciphertext.anchor is None else settings.leaning
            start[rows, signature_key(groups, ciphertext, rng)] += leaning
    return starts if ciphertext.anchor is None else starts + ciphertext.anchor


def ranked_key(ciphertext: Ciphertext, rng: np.random.Generator) -> NDArray[np.int64]:
    """Frequent codes get frequent labels, each as many as fill its share: shape (K,) (frequency analysis)."""
    frequency = _shaken(ciphertext.code_frequency, rng, ciphertext.settings.frequency_spread)
    codes, labels = np.argsort(-frequency), np.argsort(-ciphertext.label_frequency)
    filled = np.cumsum(frequency[codes]) - frequency[codes] / 2  # where the middle of each code lies
    shares = np.cumsum(ciphertext.label_frequency[labels])
    key = np.empty(len(codes), dtype=np.int64)
    key[codes] = labels[np.minimum(np.searchsorted(shares, filled), len(labels) - 1)]
    return key


def grouped_key(groups: NDArray, ciphertext: Ciphertext, rng: np.random.Generator) -> NDArray[np.int64]:
    """Each group gets one label, frequent groups frequent ones: shape (K,) (frequency analysis)."""
    labels = np.argsort(-ciphertext.label_frequency)
    mass = np.bincount(groups, weights=ciphertext.code_frequency, minlength=len(labels)).astype(float)
    label_of_group = np.empty_like(labels)
    label_of_group[np.argsort(-_shaken(mass, rng, ciphertext.settings.frequency_spread))] = labels
    return label_of_group[groups]


def groupings_of(ciphertext: Ciphertext, n_starts: int, rng: np.random.Generator) -> list[NDArray]:
    """A few ways to put neighbouring codes into as many groups as there are labels: arrays of shape (K,)."""
    n_codes, n_classes = ciphertext.statistics.n_codes, ciphertext.statistics.n_classes
    settings = ciphertext.settings
    if n_codes <= n_classes:
        return [np.arange(n_codes)]  # each code is a group of its own
    centres = ciphertext.centres
    if centres is None:
        if n_classes < settings.company_labels:
            return []
        centres = company(ciphertext.statistics.code_pairs[0], n_classes)
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning

    weight = ciphertext.code_frequency + 1e-9  # k-means wants every code to weigh something
    # Of the four kinds of starts two use a grouping, the same one in one turn.
    seeds = rng.integers(2**31, size=min(settings.n_groupings, -(-n_starts // 4)))
    iterations = settings.grouping_iterations
    means = [KMeans(n_classes, n_init=1, max_iter=iterations, random_state=int(seed)) for seed in seeds]
    with warnings.catch_warnings():
        # Fewer distinct places than labels leave some groups empty, which makes a poor guess and no harm.
        warnings.simplefilter("ignore", ConvergenceWarning)
        return [each.fit_predict(centres, sample_weight=weight) for each in means]


def company(pairs: Array, n_dimensions: int) -> Array:
    """Where symbols lie by those seen before and after them: shape (K, M) (distributional similarity).

    Roots of shares, so that a distance is Hellinger's, along the directions in which they differ most.

    Parameters
    ----------
    pairs : array of shape (K, K)
        Shares of symbol k and, next to it, symbol m.
    n_dimensions : int
        Directions at most.

    References
    ----------
    .. [1] P. F. Brown, V. J. Della Pietra, P. V. deSouza, J. C. Lai and R. L. Mercer, "Class-based n-gram
       models of natural language", Computational Linguistics 18 (1992), 467-479.

    Examples
    --------
    >>> pairs = np.array([[0, 0, 0.2], [0, 0, 0.2], [0.3, 0.3, 0]])  # the first two keep the same company
    >>> place = company(pairs, 2)
    >>> bool(np.allclose(place[0], place[1])), place.shape
    (True, (3, 2))
    """
    roots = np.sqrt(np.hstack([_rows(pairs), _rows(pairs.T)]))
    left, lengths, _ = np.linalg.svd(roots - roots.mean(axis=0), full_matrices=False)
    return (left * lengths)[:, :n_dimensions]


def _shaken(frequency: Array, rng: np.random.Generator, spread: float) -> Array:
    shaken = frequency * np.exp(spread * rng.standard_normal(len(frequency)))
    return shaken / shaken.sum()


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


def signature_key(
    groups: NDArray, ciphertext: Ciphertext, rng: np.random.Generator, *, shaken: bool = True
) -> NDArray[np.int64]:
    """Groups get the labels they resemble most, no label two: shape (K,) (linear assignment).

    A feature counts for as much as it can be trusted, which counts drawn from the label model show. Unless
    told otherwise, the counts of codes are drawn anew as well, around what they are, so that no two guesses
    are alike; of 300 labels 3 % are then right, and 14 % if the counts are left as they are.

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
    counts = n_points * (member.T @ statistics.code_pairs @ member)
    if shaken:
        counts = rng.poisson(counts)
    found = signature(counts / n_points, n_points, depth)
    weight = np.sqrt(1 / (variance + least_variance))
    unlikeness = cdist(weight * found, weight * labels, "sqeuclidean")  # (groups, labels)
    if ciphertext.anchor is not None:
        unlikeness -= (1 + unlikeness.max()) * (member.T @ ciphertext.anchor)  # known labels come first
    _, label_of_group = linear_sum_assignment(unlikeness)
    return label_of_group[groups]
