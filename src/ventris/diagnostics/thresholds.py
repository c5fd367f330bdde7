"""Where doubt begins: the numbers of every diagnosis, each with its reason."""

from __future__ import annotations

from dataclasses import dataclass

from ventris.data.counts import N_LAGS
from ventris.settings import Settings, setting


@dataclass(frozen=True)
class Thresholds(Settings):
    """When a fit, or data before a fit, is doubted; every field has its reason beside it.

    Examples
    --------
    >>> strict = Thresholds(usage_distance=0.1)
    >>> strict.usage_distance, Thresholds().usage_distance
    (0.1, 0.2)
    """

    # --------------------------------------------------------------------------------------- after a fit

    unmatched_share: float = setting(
        0.25,
        "of what independent outputs with the right frequencies leave unmatched, the label model's total "
        "correlation: on the paper's chains (50,000 points, seeds 0-2) right answers leave at most 5 % and "
        "runner-ups 8 to 89 %, 9 of 30 of them less than this; a coarse alarm, not a test",
    )
    noise_factor: float = setting(
        10.0,
        "unmeasured: times the noise of independent windows by which costs must differ to be told apart; "
        "neighbouring windows overlap, so that noise is too low an estimate",
    )
    starved_share: float = setting(
        0.1, "unmeasured: a label used less than this share as often as expected is starved"
    )
    starved_mass: float = setting(
        0.01, "share of labels that may be starved in silence: it spares an alphabet's rarest letters"
    )
    usage_distance: float = setting(
        0.2, "unmeasured: total variation of the outputs from the label model's frequencies"
    )
    windows_per_ngram: int = setting(
        100, "unmeasured: windows for each n-gram that is effectively there (the perplexity of the n-grams)"
    )
    pairs_per_label: int = setting(
        200,
        "pairs that are enough whatever their perplexity: all pairs of a label together tell it apart, and "
        "50 labels were read from 40 points each with 2.5 to 4.2 % errors (a test holds it)",
    )
    recurrence_starts: int = setting(
        4, "unmeasured: starts below which a single success says nothing about recurrence"
    )
    contradicted_share: float = setting(
        0.05, "unmeasured: of known labels that even a right fit contradicts, however sure it is of itself"
    )
    contradicted_chance: float = setting(
        0.01, "unmeasured: chance of as many contradicted labels below which they are no mere errors"
    )
    contradicted_rounding: float = setting(
        1e-6, "sums of probabilities that miss a whole number by less are that number"
    )
    doubtful: float = setting(
        0.15,
        "probability of a wrong answer from which doubts are voiced and not only remarked: of 1,600 fits on "
        "seeds 100–199, each read with a table of other seeds, 11 % of the right ones with a right label "
        "model are voiced, and 0.6 % of all are wrong and silent; at 0.1 these are 12 and 0.5 %, at 0.2 10 "
        "and 0.7; of 20 casinos and 20 CpG islands on seeds 100–119, all right, 4 and 3 are voiced at 0.1, "
        "0 and 1 at 0.15",
    )
    read_otherwise: float = setting(
        0.1,
        "unmeasured: share of the points that freed transitions must give another label for a label model "
        "that is off to be a reason for doubt by itself: of 209 such doubts in the soak of seeds 2300–3299 "
        "24 % met a wrong fit, of all fits 22 %, so by itself it tells nothing of the answer",
    )
    names_certain: float = setting(0.9, "of right names, below which they are doubted: as for `doubtful`")
    names_ratio: float = setting(
        4.0,
        "times as far as from its own names that a given label model, which the learnt one has left, must be "
        "from others: wrong names of neighbour chains had 1.3 to 2.5 on seeds 102 to 104, right ones 1.4 up",
    )
    null_deviations: float = setting(
        3.0, "unmeasured: standard deviations by which a score must exceed those in shuffled time"
    )
    null_difference: float = setting(
        1e-4, "unmeasured: nats by which it must exceed them at least, where shuffles hardly differ"
    )
    null_points: int = setting(
        20_000, "enough for the score; shuffles of a whole large file would cost more than the fit"
    )
    null_shuffles: int = setting(5, "unmeasured: shuffles of time a score is compared with")

    # -------------------------------------------------------------------------------------- before a fit

    n_lags: int = setting(N_LAGS, "as many as the search for the table matches")
    chance: float = setting(
        5.0,
        "unmeasured: standard deviations of the shuffles that chance is not believed to reach; several lags "
        "are looked at, and the deviation is itself estimated from few shuffles",
    )
    visible_power: float = setting(
        1.5,
        "what a renaming costs inputs, against labels seen without error, goes with this power of the share "
        "of the labels' information that shows: 0.10, 0.46, 0.72 at shares 0.22, 0.70, 0.86 (3 labels), "
        "0.01, 0.15, 0.38 at 0.05, 0.27, 0.58 (5 labels); 40,000 points of Gaussian HMMs, EM from both names",
    )
    told_renamings: int = setting(6, "unmeasured: labels hard to tell apart that are listed")
    names_table: int = setting(
        2_000_000, "unmeasured: n-grams of the highest order at which names are judged, which takes seconds"
    )
    low_share: float = setting(
        0.1,
        "of the labels' information that shows in the codes: 0.53 to 0.86 on the paper's chains and 0.42 to "
        "0.91 on Gaussian HMMs of 5 to 26 classes; with seven times as much noise as signal at most 0.004",
    )
    usual_share: float = setting(0.5, "what shows on the same chains and HMMs, roughly the least of it")
    high_share: float = setting(
        1.2, "right label models stay below 1; wrong ones were seen at 1.9, or below 1 and unnoticed"
    )
    far_too_few: float = setting(
        0.1, "unmeasured: share of the windows needed below which a fit is advised against"
    )
    examined_points: int = setting(
        200_000, "unmeasured: enough for pairs of codes; the rest of a large file need not be read"
    )
    time_shuffles: int = setting(20, "unmeasured: shuffles that chance is estimated from")
    distinct_points: int = setting(
        5_000, "unmeasured: points among which there must be as many different ones as codes"
    )


DEFAULT = Thresholds()  # what a function takes that is not told otherwise
