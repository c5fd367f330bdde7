"""The numbers that fits of the log-linear classifier hang on, each with its reason."""

from __future__ import annotations

from dataclasses import dataclass

from ventris.settings import Settings, setting


@dataclass(frozen=True)
class LearnerSettings(Settings):
    """How the default learner is fitted."""

    l2: float = setting(1e-4, "unmeasured: the penalty until one is chosen, where points are plenty for good")
    first_iter: int = setting(40, "unmeasured: L-BFGS iterations of a fit that starts from nothing")
    next_iter: int = setting(15, "unmeasured: of one that starts from a good one; labels then change little")
    last_iter: int = setting(
        80, "of the last, which goes to its end: mixed fonts 4.65 → 4.42 and 4.38 → 4.2 %, seeds 104 and 105"
    )
    ridge: float = setting(1e-3, "unmeasured: share of its variance added to a feature's, for class means")
    pull: float = setting(1.0, "points' worth of the centre of all in each class mean")
    shrinkage_points: int = setting(
        20_000, "unmeasured: points whose scatter says how far correlations shrink"
    )
    least_share: float = setting(
        0.02, "unmeasured: probability up to which a label makes no row of its own for scikit-learn's"
    )
    plenty: int = setting(1_000, "unmeasured: distinct inputs a weight of a class that need no penalty")
    penalties: tuple[float, ...] = setting(
        (1e-3, 1e-4, 1e-5), "unmeasured: tried where distinct inputs are few; strong first, as fits go on"
    )
    folds: int = setting(5, "unmeasured: each fifth of the distinct inputs judges penalties in turn")
    fold_iter: int = setting(40, "unmeasured: L-BFGS iterations of a fit that judges a penalty")


DEFAULT = LearnerSettings()
