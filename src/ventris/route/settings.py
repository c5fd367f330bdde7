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
    """Settings of one journey; the first seven are the user's."""

    n_starts: int | None = setting(None, "the user's n_init; else `starts` or `starts_few_or_many`")
    codebook_size: int | None = setting(None, "the user's; else it follows the points and the labels")
    order: int | None = setting(None, "the user's; else the label model's")
    refine: bool = setting(True, "the user's: whether rounds follow the first lesson")
    n_jobs: int = setting(-1, "the user's: threads of forward–backward; results do not depend on it")

    adapt: bool | str | float = setting(
        "auto",
        "the user's: whether the label model moves towards the data, or what it is worth in label pairs",
    )
    n_fits: int = setting(
        2, "the user's: answers looked for independently, that their agreement may be known"
    )

    codebook: CodebookSettings = setting(CODEBOOK, "the numbers of the codebook, each with its own")
    learner: LearnerSettings = setting(LEARNER, "the numbers of the default learner, each with its own")
    search: SearchSettings = setting(DEFAULT, "the numbers of the search for the table, each with its own")

    hold_out_from: int = setting(
        1_000, "unmeasured: points below which a tenth is too few to judge a step by"
    )

    # ---------------------------------------------------------------- keep or undo
    lean_grow: float = setting(
        0.0, "standard errors that a finer codebook must gain: it costs time, so it must gain at all"
    )
    lean_rounds: float = setting(
        -1.0,
        "rounds gain nearly always, and are undone where chance alone would hardly lose so much; −2, −1 and "
        "−0.5 differed by 0.2 points at most on seven tasks of 300 to 5,000 points, seeds 100–105",
    )
    lean_means: float = setting(
        -0.25,
        "class means are steadier, though halves of the points have charged free weights with that: errors "
        "over the better kind's on 21 tasks of 300 to 50,000 points, seeds 100–105: 4.6, 3.9, 3.9, 5.1, 5.7 "
        "and 7.3 % at 0.5, 0, −0.25, −0.5, −1 and −2",
    )
    lean_shaped: float = setting(
        -2.0,
        "the same where points drawn from class means fall into the codes as real ones do: chain 4, seeds "
        "100–124: free weights were kept 9 times and were never better, by 0.2 points worse at most",
    )
    no_evidence: float = setting(1.0, "nats that no standard error counts for less than: odds of e to 1")
    long_stretch: int = setting(100, "unmeasured: points a stretch, the unit of chance; labels forget sooner")
    short_stretch: int = setting(20, "unmeasured: points it has at least, where points are few")
    stretches: int = setting(20, "unmeasured: stretches at least, or their scatter is a guess itself")

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
    keyed_labels: int = setting(
        200, "labels beyond which descent is too dear, and a key of groups of codes takes its place"
    )
    keyed_symbols: int = setting(
        40, "unmeasured: the same where inputs are symbols, and no more of them than labels"
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

    # ---------------------------------------------------------------- names, and a second answer
    least_believed: float = setting(
        0.02, "unmeasured: probability below which an output against a known label counts no more against it"
    )
    second_laps: int = setting(
        1, "laps of a second search: it is to tell whether the answer comes again, not to try harder"
    )
    unsteady: float = setting(
        0.2, "unmeasured: share of a label's points that a second answer may give other labels"
    )
    compared_points: int = setting(10_000, "unmeasured: points on which two answers are compared")

    # ---------------------------------------------------------------- adapt
    insisting: float = setting(
        5.0, "nats that the data must gain by other transitions: with 2, five harmful ones of six passed"
    )
    insisting_unchecked: float = setting(
        20.0,
        "the same where no points are held out, and outputs are of points learnt from: of 171 problems of "
        "300 to 1,000 points (seeds 100–199) 16 gained 5 to 20 nats: 9 were worse for it, by 6 points at "
        "most, 4 better, by 1.5 at most, one went from exchanged names to chance, 2 were mixed; of the 120 "
        "right label models 3 moved, all of them so",
    )
    insisting_deviations: float = setting(3.0, "standard errors of that gain: unmeasured")
    most_residual: float = setting(
        0.4,
        "nats a symbol by which codes may hang together beyond their labels: overlapping nucleotide pairs "
        "have 1.26; chains, HMMs and digits have at most 0.18 (seeds 100 and 101)",
    )
    free_pseudo_counts: tuple[float, ...] = setting(
        (30.0, 300.0),
        "label pairs that a mere guess of the transitions is worth, as with adapt=True: unmeasured",
    )

    adapting_points: int = setting(
        50_000,
        "unmeasured: points that the label model moves towards; so many are read in seconds",
    )
    adapting_pairs: int = setting(
        20_000, "unmeasured: the same where it is pairs that move: there are far fewer of them to learn"
    )
    alternations: int = setting(
        3, "unmeasured: times that classifier and label model move in turn, where pairs make that cheap"
    )
    fresh_points: int = setting(
        8_000, "points that halves read of each other, to judge the answer by: as many as the test takes"
    )
    few_transitions: int = setting(
        5, "labels up to which one number of pseudo-counts will do: there are too few transitions to overfit"
    )

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
    usage_points: int = setting(200_000, "unmeasured: points whose mean output is a classifier's usage")

    # ---------------------------------------------------------------- regularise
    read_across: bool = setting(True, "whether halves read each other at all; bench.ablation goes without")
    many_inputs: int = setting(
        3_000, "unmeasured: distinct inputs from which halves read each other however often they come"
    )
    free_points: int = setting(
        100,
        "points a free weight from which a classifier does itself no harm by reading what it was taught: "
        "ten labels, 8 features, 4 to 37 points: 11.9 → 8.3 and 5.9 → 5.7 % by halves; two labels, 2 "
        "features, 333 points: 3.9 → 5.4 and 7.4 → 10.2; 100 points: 4.5 → 5.4, but 12.5 → 10.8 (100–107)",
    )
    few_copies: float = setting(
        4.0,
        "points an input up to which halves read each other; beyond, copies vote: digits, 3 or 4 seeds, "
        "2,000 points (2.4 copies) 7.1 → 4.1 % by halves, 5,000 (4) a tie, 12,000 (9) 3.0 → 4.4",
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
    rehearsed_points: int = setting(
        15_000, "points on which class means are judged at most: 20,000 made fits of the chains 1.21x as dear"
    )
    folds: int = setting(
        2,
        "parts of the points that are left out in turn; 4, which cost more, were no better on the tasks of "
        "`lean_means`: 4.5, 5.2, 5.1 and 3.7 % at 0, −0.25, −0.5 and −1, against 3.9, 3.9, 5.1 and 5.7",
    )
    fold_stretches: int = setting(4, "unmeasured: stretches a part consists of, so that all of time is in it")
    rehearsal_rounds: int = setting(
        8, "unmeasured: rounds of each half at most; they end sooner by themselves"
    )
    rehearsed_from: int = setting(100, "unmeasured: points below which halves of them are no judges")
    rehearsed_penalties: tuple[float, ...] = setting(
        (1e-2, 1e-3, 1e-4),
        "unmeasured: of the free weights that means are compared with, where points are few",
    )
    means_features: int = setting(
        100, "unmeasured: features beyond which class means are not tried: images are of no such kind"
    )
    copies_looked_at: int = setting(
        5_000, "unmeasured: points among which copies are looked for before that; each is hashed alone"
    )
    rare_copies: float = setting(
        1.1, "unmeasured: points an input up to which stretches are strangers to each other"
    )
    agreement: float = setting(
        0.98,
        "share of an input's copies with one label from which all get it: digits 0.5 % wrong → 0.0",
    )
