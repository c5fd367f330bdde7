"""The simplest search for a key: J of every shift of a histogram (Caesar's cipher)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ventris.deciphering.key_settings import KEYS, KeySettings


def shift_costs(prior: ArrayLike, counts: ArrayLike, *, settings: KeySettings = KEYS) -> NDArray[np.float64]:
    """J of a message moved back by each shift k, ``−Σ_i P(i) ln P̄(i + k)`` (E1): shape (C,).

    Parameters
    ----------
    prior : array of shape (C,)
        P, the share of each letter in the language.
    counts : array of shape (C,)
        How often each letter occurs in the message; P̄ are the shares once `added` is added to each.
    settings : KeySettings
        `added`.

    Examples
    --------
    >>> int(shift_costs([0.7, 0.2, 0.1], [1, 6, 2]).argmin())
    1
    """
    P, added = np.asarray(prior, dtype=float), np.asarray(counts) + settings.added
    places = np.arange(len(P))
    moved = (added / added.sum())[(places + places[:, None]) % len(P)]  # (shifts, letters)
    return -np.log(moved) @ P  # (E1)
