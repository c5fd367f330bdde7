"""Before a fit: which labels may end with one another's names, and how many points decide it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ventris.diagnostics.thresholds import DEFAULT, Thresholds
from ventris.label_model.renamings import Renaming, roughly

Decided = Literal["yes", "perhaps", "no", "by known labels"]


@dataclass(frozen=True)
class HardToTell:
    """Labels that might end with one another's names, and the points at which that is decided.

    Attributes
    ----------
    labels : str
        Which is mistaken for which.
    nats : float
        What that costs a label sequence, nats a symbol.
    share : float
        Of the points that it would make wrong.
    points : int, optional
        That decide it if their labels were seen without error; None if none do.
    points_as_seen : int, optional
        About how many decide it as these inputs show their labels: too many rather than too few where labels
        stay for long. None if none do, or if nothing of the labels' order was seen.
    decided : {"yes", "perhaps", "no", "by known labels"}
        "perhaps" where there are enough points only if labels show better than was seen.
    """

    labels: str
    nats: float
    share: float
    points: int | None
    points_as_seen: int | None
    decided: Decided

    def in_points(self) -> str:
        """A line of words: the points that decide it, without error and as seen, and what is at stake."""
        clean = roughly(np.inf if self.points is None else self.points)
        seen = "?" if self.points_as_seen is None else roughly(self.points_as_seen)
        return f"{clean} points ({seen}), {100 * self.share:.1f} % at stake; decided: {self.decided}"


def hard_to_tell(
    near: Collection[Renaming],
    classes: Sequence[Any],
    n_points: int,
    visible: float,
    named: Collection[int] = (),
    *,
    thresholds: Thresholds = DEFAULT,
) -> list[HardToTell]:
    """The nearest renamings beside the points there are, those decided last first.

    Parameters
    ----------
    near : collection of Renaming
        Cheapest first.
    classes : sequence
    n_points : int
    visible : float
        Of what a renaming costs, the part that shows; 0 if nothing was seen. From `visible_share`.
    named : collection of int
        Labels of which a point is known.
    thresholds : Thresholds

    Examples
    --------
    >>> pair = Renaming(((0, 1), (1, 0)), 0.01, 0.4, 1000.0)
    >>> [hard_to_tell([pair], "abc", n, 0.25)[0].decided for n in (500, 2000, 5000)]
    ['no', 'perhaps', 'yes']
    """
    told = _told(near)[: thresholds.told_renamings]
    return [_beside(each, classes, n_points, visible, named) for each in told]


def _told(near: Collection[Renaming]) -> list[Renaming]:
    """Leave out renamings of labels of which some are more easily mistaken without the others."""
    told: list[Renaming] = []
    labels: list[set[int]] = []
    for each in near:
        moved = {label for label, _ in each.moved}
        if not any(known <= moved for known in labels):
            told.append(each)
            labels.append(moved)
    return told


def _beside(
    each: Renaming, classes: Sequence[Any], n_points: int, visible: float, named: Collection[int]
) -> HardToTell:
    as_seen = each.points_needed / visible if visible else np.inf
    decided: Decided = "yes" if n_points >= as_seen else "perhaps" if n_points >= each.points_needed else "no"
    if decided != "yes" and each.is_excluded_by(named):
        decided = "by known labels"
    points, seen = (int(n) if np.isfinite(n) else None for n in (each.points_needed, as_seen))
    return HardToTell(each.in_words(classes), each.nats, each.share, points, seen, decided)


def visible_share(share: float, pairs: NDArray, *, thresholds: Thresholds = DEFAULT) -> float:
    """About how much of what a renaming costs label sequences it costs these inputs: between 0 and 1.

    Inputs in a run of one label say the same again, so runs longer than chance makes them add up. How far
    that goes is a guess, mostly on the safe side: it gives 0.05, 0.07 and 1 where sticky labels showed
    0.15, 0.63 and 0.65.

    Parameters
    ----------
    share : float
        Of the labels' information that shows in neighbouring codes.
    pairs : array of shape (C, C)
        Probabilities of neighbouring labels.

    Examples
    --------
    >>> visible_share(0.25, np.full((2, 2), 0.25))  # 0.25 ** 1.5
    0.125
    """
    often = pairs.sum(axis=1)
    changes = max(1 - float(np.trace(pairs)), 1 / thresholds.examined_points)
    longer = (1 - float(np.sum(often**2))) / changes
    return float(min(1.0, share * max(1.0, longer)) ** thresholds.visible_power)
