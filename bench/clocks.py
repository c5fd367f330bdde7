"""Times of rivals that take turns: a slow spell of the machine hits all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import ArrayLike


def interleaved(
    sides: Mapping[str, Callable[[], Any]],
    rounds: int,
    clock: Callable[[], float] = process_time,
    *,
    twice: bool = False,
) -> dict[str, list[float]]:
    """Seconds of each side in each round, after a round that compiles and warms up.

    With `twice`, each timed call follows an untimed one of the same side: what a loop over the same data
    sees, where otherwise every side finds the caches full of its rival's numbers.

    Examples
    --------
    >>> times = interleaved({"a": lambda: sum(range(1000)), "b": lambda: None}, rounds=3)
    >>> len(times["a"]), min(times["a"]) >= 0
    (3, True)
    """
    for side in sides.values():
        side()
    taken: dict[str, list[float]] = {name: [] for name in sides}
    for _ in range(rounds):
        for name, side in sides.items():
            if twice:
                side()
            began = clock()
            side()
            taken[name].append(clock() - began)
    return taken


def paired_ratio(peer: ArrayLike, ours: ArrayLike) -> tuple[float, tuple[float, float]]:
    """Median over rounds of peer / ours, and its quartiles.

    Examples
    --------
    >>> paired_ratio([2.0, 4.0, 6.0], [1.0, 1.0, 1.0])
    (4.0, (3.0, 5.0))
    """
    ratios = np.asarray(peer, dtype=float) / np.maximum(np.asarray(ours, dtype=float), 1e-12)
    low, middle, high = np.quantile(ratios, [0.25, 0.5, 0.75])
    return float(middle), (float(low), float(high))
