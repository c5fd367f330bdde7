"""What the route hangs on: what a user may set, and every number of its own, each with its reason."""

from __future__ import annotations

from dataclasses import dataclass

from ventris.classifiers.settings import DEFAULT as LEARNER
from ventris.classifiers.settings import LearnerSettings
from ventris.codes.settings import DEFAULT as CODEBOOK
from ventris.codes.settings import CodebookSettings
from ventris.deciphering.settings import DEFAULT, SearchSettings
from ventris.settings import Settings, setting


@dataclass(frozen=True)
class RouteSettings(Settings):
    """Settings of one journey; the first five are the user's."""

    n_starts: int | None = setting(None, "the user's n_init; else `starts` or `starts_few_or_many`")
    codebook_size: int | None = setting(None, "the user's; else it follows the points and the labels")
    order: int | None = setting(None, "the user's; else the label model's")
    refine: bool = setting(True, "the user's: whether rounds follow the first lesson")
    n_jobs: int = setting(-1, "the user's: threads of forward–backward; results do not depend on it")

    codebook: CodebookSettings = setting(CODEBOOK, "the numbers of the codebook, each with its own")
    learner: LearnerSettings = setting(LEARNER, "the numbers of the default learner, each with its own")
    search: SearchSettings = setting(DEFAULT, "the numbers of the search for the table, each with its own")

    hold_out_from: int = setting(
        1_000, "unmeasured: points below which a tenth is too few to judge a step by"
    )

    # ---------------------------------------------------------------- decipher
    starts: int = setting(
        24, "every start by signature arrived at 10 to 26 labels on development seeds: half of 48 do"
    )
    starts_few_or_many: int = setting(
        12, "few labels have few wrong answers to fall into; with many only guesses by signature arrive"
    )
    few_labels: int = setting(3, "labels up to which half as many starts were as sure to arrive")
    many_labels: int = setting(
        40, "labels beyond which pairs of fewer, fuller codes are the surer guide: bench.ablation, HMM 100"
    )
    codes_a_label: float = setting(1.5, "unmeasured: codes a label of a coarse codebook of many labels")
    annealed_codes: int = setting(
        1_000, "codes up to which annealing takes part: at 4,096 it took 90 s where descent takes 4"
    )
    read_work: float = setting(
        1.5e7, "unmeasured: points times labels squared that one reading of codes in the search may cost"
    )
    fewest_read: int = setting(20_000, "unmeasured: points that a reading has at least, if there are as many")
    most_read: int = setting(50_000, "unmeasured: points it has at most; cost must not grow with the data")
    anchor: float = setting(4.0, "unmeasured: logits by which a code leans to the labels known of its points")

    # ---------------------------------------------------------------- grow
    fine_codes_a_label: int = setting(
        16, "a codebook grown from 100 to 800 codes took phones from 20 to 8.3 %"
    )
    points_a_code: int = setting(100, "unmeasured: a code seen less often has a row too poor to read by")
    grow_rounds: int = setting(
        5, "rounds of reading before a finer table is judged: one font's table 19 → 16 %"
    )

    # ---------------------------------------------------------------- refine
    rounds: int = setting(
        20, "unmeasured: rounds of one order at most; they end sooner when the score stands still"
    )
    short_rounds: int = setting(
        2, "unmeasured: rounds of the first order, of orders above 3, and of the last step"
    )
    converged: float = setting(
        2e-3, "unmeasured: share of the score below which one more round is not worth it"
    )
    weak_score: float = setting(
        1e-4, "unmeasured: least score that share is taken of, where labels say little"
    )
    strong_score: float = setting(0.1, "unmeasured: largest score that share is taken of")
    slack: float = setting(
        1e-3, "unmeasured: nats a symbol that rounds may lose to chance on the held-out part"
    )
    usage_points: int = setting(200_000, "unmeasured: points whose mean output is a classifier's usage")

    # ---------------------------------------------------------------- regularise
    many_inputs: int = setting(
        3_000, "unmeasured: distinct inputs from which halves of them learn enough to judge each other"
    )
    penalties: tuple[float, ...] = setting(
        (1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 3e-5, 1e-5),
        "strong first: each fit starts from the one before, and the first lesson has many wrong labels, "
        "which a weaker penalty learns by heart; 25,000 glyphs 5.9 → 5.6 % from 1e-2, not 1e-3, on",
    )
    as_good: float = setting(
        2e-3, "share of the score by which penalties pass for equal; 0.2 % on printed text, seeds 100–139"
    )
    scored_points: int = setting(20_000, "unmeasured: points on which a sharpness is judged")
    log_sharpness: tuple[float, float] = setting((-1.0, 2.0), "unmeasured: where its logarithm is sought")
    sharpness_step: float = setting(0.02, "unmeasured: how exactly its logarithm is found")
    penalty_points: int = setting(30_000, "unmeasured: points on which penalties of few inputs are compared")

    # ---------------------------------------------------------------- means and finish
    trial_rounds: int = setting(4, "unmeasured: rounds after which class means are judged")
    agreement: float = setting(
        0.98,
        "share of an input's copies with one label from which all get it: digits 0.5 % wrong → 0.0",
    )
