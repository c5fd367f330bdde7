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
from ventris.deciphering.signatures import signature_key

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
    groupings = _groupings(ciphertext, n_starts, rng)
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


def _groupings(ciphertext: Ciphertext, n_starts: int, rng: np.random.Generator) -> list[NDArray]:
    """A few ways to put neighbouring codes into as many groups as there are labels: arrays of shape (K,)."""
    n_codes, n_classes = ciphertext.statistics.n_codes, ciphertext.statistics.n_classes
    settings = ciphertext.settings
    if n_codes <= n_classes:
        return [np.arange(n_codes)]  # each code is a group of its own
    if ciphertext.centres is None:
        return []
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
        return [each.fit_predict(ciphertext.centres, sample_weight=weight) for each in means]


def _shaken(frequency: Array, rng: np.random.Generator, spread: float) -> Array:
    shaken = frequency * np.exp(spread * rng.standard_normal(len(frequency)))
    return shaken / shaken.sum()
