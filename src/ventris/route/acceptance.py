"""When a step's change stays: three rules, each for a reason of its own.

A rule is given the score before and after, in nats a symbol of points not learnt from, and how many points
those are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


class Rule(Protocol):
    """Says whether a change stays."""

    def keeps(self, before: float, after: float, n_points: int) -> bool:
        """By the score before and after it, on `n_points` points."""


@dataclass(frozen=True)
class Better:
    """It must gain: for changes that cost something, such as a finer codebook.

    Examples
    --------
    >>> Better().keeps(0.5, 0.5, 1000), Better().keeps(0.5, 0.6, 1000)
    (False, True)
    """

    def keeps(self, before: float, after: float, n_points: int) -> bool:
        return after > before


@dataclass(frozen=True)
class NotWorse:
    """It may lose `slack` nats a symbol, as much as chance does: for rounds, which gain nearly always.

    Examples
    --------
    >>> NotWorse(slack=1e-3).keeps(0.5, 0.4995, 1000)
    True
    """

    slack: float

    def keeps(self, before: float, after: float, n_points: int) -> bool:
        return after >= before - self.slack


@dataclass(frozen=True)
class UnlessDisproved:
    """It stays unless the points together speak against it by `nats`: for what is steadier by itself.

    Examples
    --------
    >>> rule = UnlessDisproved(nats=5.0)
    >>> rule.keeps(0.50, 0.499, n_points=1000), rule.keeps(0.50, 0.49, n_points=1000)
    (True, False)
    """

    nats: float

    def keeps(self, before: float, after: float, n_points: int) -> bool:
        return (before - after) * n_points < self.nats
