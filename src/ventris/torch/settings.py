"""The numbers that fits of networks hang on, each with its reason."""

from __future__ import annotations

from dataclasses import dataclass

from ventris.settings import Settings, setting


@dataclass(frozen=True)
class NetworkSettings(Settings):
    """How a network is taught."""

    batch_size: int = setting(128, "unmeasured: points in a batch")
    lr: float = setting(2e-3, "unmeasured: Adam's rate of a fit from nothing")
    next_lr: float = setting(1e-3, "unmeasured: of a fit that goes on from the last")
    averaging: float = setting(
        0.995, "unmeasured: share of the mean of all weights that a batch leaves as is"
    )
    first_epochs: int = setting(4, "unmeasured: passes of the first lesson, whose labels are the table's")
    next_epochs: int = setting(1, "unmeasured: passes of a lesson that goes on from the last")
    most_epochs: int = setting(16, "unmeasured: passes of a fit from nothing at most; fewer are chosen")
    patience: float = setting(
        0.25, "unmeasured: share of the passes that may go by without a better score before a judged fit ends"
    )
    first_updates: int = setting(400, "unmeasured: batches of the first lesson at least, if points are few")
    next_updates: int = setting(100, "unmeasured: of a lesson that goes on")
    most_updates: int = setting(1_500, "unmeasured: of a fit from nothing")
    decay: float = setting(10.0, "unmeasured: weight decay that a unit of the route's penalty comes to")
    weight_decays: tuple[float, ...] = setting((1e-3, 1e-1), "unmeasured: tried; AdamW's, times the rate")
    choosing_points: int = setting(
        30_000, "unmeasured: distinct inputs on which they are tried, as many as the route's penalties"
    )
    left_out: int = setting(5, "unmeasured: a fifth of the distinct inputs judges them")
    few_inputs: int = setting(5_000, "unmeasured: distinct inputs of which a fifth is too few to judge alone")
    parts_few: int = setting(3, "unmeasured: fifths that then judge in turn")
    predict_points: int = setting(4_096, "unmeasured: points read at a time; more leave the cache")
    predict_stretch: int = setting(512, "unmeasured: points of a stretch that one with context reads")
    stretch: int = setting(64, "unmeasured: points of a stretch that a network with context learns from")


DEFAULT = NetworkSettings()
