"""The numbers that a codebook hangs on, each with its reason."""

from __future__ import annotations

from dataclasses import dataclass

from ventris.settings import Settings, setting


@dataclass(frozen=True)
class CodebookSettings(Settings):
    """How inputs become codes."""

    least_codes: int = setting(32, "unmeasured: codes of few labels, enough that few straddle two classes")
    codes_a_label: int = setting(5, "unmeasured: codes a label, for the same reason")
    least_codes_a_label: int = setting(2, "unmeasured: codes a label at least, however few points there are")
    points_a_code: int = setting(40, "unmeasured: points a code must be seen in for its pairs to be counted")
    sample: int = setting(
        5_000, "unmeasured: points that place the centres at least; more no longer move them"
    )
    sample_a_code: int = setting(100, "unmeasured: points a code that place the centres, for the same reason")
    whole: int = setting(
        100_000,
        "points up to which k-means takes all of them at each turn; beyond, mini-batches take 2.5 (1,000 "
        "codes) to 5 times (4,096) less CPU, and fresh points lie 0.3 to 0.5 % farther off (squared)",
    )
    turns: int = setting(30, "unmeasured: turns of k-means over all points at most")
    mini_batch: int = setting(16_384, "unmeasured: points of a mini-batch")
    epochs: int = setting(5, "unmeasured: how often mini-batches go over all points")
    components: int = setting(
        30, "unmeasured: principal components kept; nearest-centre distances gain nothing from more"
    )


DEFAULT = CodebookSettings()
