"""Codes that are a many-to-one cipher of labels: every test of the search knows the key."""

from __future__ import annotations

import numpy as np

from ventris.data.counts import lagged_pairs
from ventris.deciphering.ciphertext import Ciphertext, PairStatistics, Stretch

LAGS = range(1, 5)


def homophonic(lm, n_codes, n=20_000, seed=0, centres=False, anchor=None):
    """The ciphertext, with a tenth of the codes fresh, and the key that undoes it.

    With `centres` the codes of a label lie near each other, far from all others.
    """
    rng = np.random.default_rng(seed)
    y = lm.sample(n, rng)
    key = np.concatenate([np.arange(lm.n_classes), rng.integers(lm.n_classes, size=n_codes - lm.n_classes)])
    draws = rng.random(n)
    homophones = [np.flatnonzero(key == label) for label in range(lm.n_classes)]
    codes = np.array(
        [homophones[label][int(u * len(homophones[label]))] for label, u in zip(y, draws, strict=True)]
    )
    places = 10.0 * rng.standard_normal((lm.n_classes, 3))[key] + 0.01 * rng.standard_normal((n_codes, 3))
    return ciphertext_of(codes, lm, n_codes, places if centres else None, anchor), key


def ciphertext_of(codes, lm, n_codes, centres=None, anchor=None):
    """Any codes as the search sees them."""
    train, fresh = np.split(codes, [len(codes) * 9 // 10])
    labels = np.stack([lm.pair(lag) for lag in LAGS])
    pairs = lagged_pairs(train, n_codes, np.array([len(train)]), len(LAGS))
    return Ciphertext(
        PairStatistics(labels, pairs), len(train), stretch(train), stretch(fresh), lm, 2, centres, anchor
    )


def stretch(codes):
    """One unbroken sequence."""
    return Stretch(codes, np.array([len(codes)]))
