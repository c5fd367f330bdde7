"""The simplest search for a key: J of every shift of a histogram (Caesar's cipher)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

# Letters added to each count: without them J is infinite for every shift of a message that lacks a letter, as
# all short ones do. Of 4,000 messages of 20 letters 92.7 % are read with 0.01, 94.8 with ½ or 1, 94.4 with 4.
ADDED = 1.0


def shift_costs(prior: ArrayLike, counts: ArrayLike) -> NDArray[np.float64]:
    """J of a message moved back by each shift k, ``−Σ_i P(i) ln P̄(i + k)`` (E1): shape (C,).

    Parameters
    ----------
    prior : array of shape (C,)
        P, the share of each letter in the language.
    counts : array of shape (C,)
        How often each letter occurs in the message; P̄ are the shares after `ADDED` to each.

    Examples
    --------
    >>> int(shift_costs([0.7, 0.2, 0.1], [1, 6, 2]).argmin())
    1
    """
    P, added = np.asarray(prior, dtype=float), np.asarray(counts) + ADDED
    places = np.arange(len(P))
    moved = (added / added.sum())[(places + places[:, None]) % len(P)]  # (shifts, letters)
    return -np.log(moved) @ P  # (E1)
