"""The numbers that restarts of a solver hang on, each with its reason."""

from __future__ import annotations

from dataclasses import dataclass

from ventris.settings import Settings, setting


@dataclass(frozen=True)
class RestartSettings(Settings):
    """How the answers of many starts are told apart, relabelled and followed.

    Examples
    --------
    >>> RestartSettings(followed=1).followed, RestartSettings.reasons()["followed"]
    (1, 'unmeasured: relabellings of one answer that the solver follows, nearest first')
    """

    distinct: float = setting(
        0.05, "unmeasured: share of the points that different answers must label differently, and more"
    )
    judged_points: int = setting(
        100_000,
        "enough to tell 5 % from 4 %, with a deviation of 0.07, without labelling all of a large file",
    )
    followed: int = setting(
        4, "unmeasured: relabellings of one answer that the solver follows, nearest first"
    )
    answers: int = setting(
        8, "unmeasured: distinct answers whose relabellings are followed, best first, at `followed` runs each"
    )
    soft: float = setting(
        2.0,
        "unmeasured: root mean square of the logits from which a relabelling is followed; where outputs are "
        "0 or 1 no gradient is left",
    )
    rounds: int = setting(3, "unmeasured: how often a best that a relabelling gave is challenged by its own")


DEFAULT = RestartSettings()  # what a function takes that is not told otherwise
