"""How far a text is from what was meant: letters and spaces changed, added or missing (Levenshtein)."""

from __future__ import annotations

import numpy as np
from numba import njit

BAND = 400  # places that texts may have run apart


@njit(cache=True)
def _distance(a, b, band):
    far = a.size + b.size
    row = np.empty(2 * band + 1, np.int64)
    for k in range(2 * band + 1):
        row[k] = k - band if k >= band else far
    for i in range(1, a.size + 1):
        left = far
        for k in range(2 * band + 1):
            j = i + k - band
            if j < 0 or j > b.size:
                best = far
            elif j == 0:
                best = i
            else:
                best = row[k] + (a[i - 1] != b[j - 1])
                if k + 1 < row.size:
                    best = min(best, row[k + 1] + 1)
                best = min(best, left + 1)
            row[k] = best
            left = best
    return row[b.size - a.size + band]


def distance(meant: str, read: str) -> int:
    """Single edits between two texts that never run far apart.

    Examples
    --------
    >>> distance("the cat sat", "teh catsat")
    3
    """
    a, b = (np.frombuffer(text.encode("utf-32-le"), np.uint32) for text in (meant, read))
    return int(_distance(a, b, BAND + abs(a.size - b.size)))


def error_rate(meant: str, read: str) -> float:
    """Edits as a share of the letters and spaces that were meant."""
    return distance(meant, read) / len(meant)
