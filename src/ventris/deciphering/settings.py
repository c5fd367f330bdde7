"""The numbers the search for the code table hangs on, each with its reason; a `Ciphertext` passes them on."""

from __future__ import annotations

from dataclasses import dataclass

from ventris.deciphering.dwell_settings import DEFAULT as DWELLING
from ventris.deciphering.dwell_settings import DwellSettings
from ventris.settings import Settings, setting


@dataclass(frozen=True)
class Cooling(Settings):
    """How a hard map is annealed, be it a key or a map from codes to labels."""

    n_temperatures: int = setting(60, "unmeasured: temperatures from the first to the last, in equal ratios")
    frozen_rounds: int = setting(
        4, "rounds at temperature zero, so that a search ends in a local optimum; the number is unmeasured"
    )
    swap_share: float = setting(
        0.3,
        "unmeasured: share of moves that exchange two labels where several symbols may share one; the others "
        "give one symbol another label",
    )


COOLING = Cooling()  # what a function takes that is not told otherwise


@dataclass(frozen=True)
class SearchSettings(Settings):
    """How the search for the code table is made; every field has its reason beside it.

    Examples
    --------
    >>> from dataclasses import replace
    >>> patient = replace(SearchSettings(), max_laps=8)
    >>> patient.max_laps, SearchSettings.reasons()["max_laps"]
    (8, 'unmeasured: turns of every contender after which the best so far is taken')
    """

    # ------------------------------------------------------------------------------------------ the race

    max_laps: int = setting(4, "unmeasured: turns of every contender after which the best so far is taken")
    recurrences: int = setting(
        2, "unmeasured: starts that must have led to the best answer; one may be luck, and each costs a start"
    )
    same_answer: float = setting(
        0.8,
        "share of points on which tables of one answer agree: on printed text right ones agree on 0.81 to "
        "0.96, codes between two letters being read by chance, a right and a wrong one on at most 0.06",
    )
    close_score: float = setting(
        0.02, "unmeasured: share of the score by which tables of one answer may differ for J to choose"
    )
    footing_rounds: int = setting(
        20, "unmeasured: rounds of reading and learning, if so many gain, after which tables are compared"
    )
    renamed_classes: int = setting(
        3,
        "labels up to which every renaming of the best is followed, with J − H as a second witness of names: "
        "on 100 draws of the paper's chain 9 the least margin of the right names rose from 5 to 26 nats",
    )
    renamed_share: float = setting(
        0.5, "unmeasured: how much of a table is kept, the rest being even, before a renaming of it descends"
    )
    lesson_per_code: int = setting(
        150, "points to learn a code's row from; with a third of them the rows of 432 codes got worse"
    )

    pure: float = setting(
        0.95, "unmeasured: mean of a code's largest share from which pairs of codes are as good as of labels"
    )
    deep_answers: int = setting(3, "unmeasured: answers that are read with longer n-grams")
    deep_points: int = setting(10_000, "unmeasured: points they are read on")
    deep_rounds: int = setting(10, "unmeasured: rounds at most")
    lesson: int = setting(
        5_000,
        "points to learn from at least: four symbols that overlap say little in 600; unmeasured as such",
    )

    # ------------------------------------------------------------------------------------------- descent

    scout_steps: int = setting(80, "unmeasured: steps of every start, before the best are carried on")
    carry_steps: int = setting(150, "unmeasured: steps of the starts that are carried on")
    carried_share: float = setting(1 / 4, "unmeasured: share of the starts that are carried on")
    n_settled: int = setting(4, "unmeasured: tables followed to the bottom of their basins")
    settle_iterations: int = setting(
        100, "unmeasured: iterations of L-BFGS at most, to the bottom of a basin"
    )
    settle_floor: float = setting(
        1e-4, "unmeasured: least probability a table begins to settle with; logits must be finite"
    )
    learning_rate: float = setting(0.3, "unmeasured: the step of Adam on logits, before the cosine lowers it")
    last_rate: float = setting(0.02, "unmeasured: share of that step left at the end of the cosine")
    momentum: float = setting(0.9, "β₁ as Kingma & Ba recommend it")
    second_momentum: float = setting(
        0.99, "unmeasured: β₂; Kingma & Ba's 0.999 remembers longer than the whole descent lasts"
    )
    adam_floor: float = setting(1e-8, "ε as Kingma & Ba recommend it")
    pair_floor: float = setting(
        1e-7, "unmeasured: added to P̄, so that ln P̄ is finite while a start has not learnt to use a label"
    )
    least_gain: float = setting(
        1e-9, "nats an exchange of two labels must gain: rounding gains less, and would exchange for ever"
    )
    many_codes: int = setting(
        400,
        "unmeasured: codes from which one wide product for all tables beats a product a table",
    )
    dense_share: float = setting(
        0.1,
        "share of code pairs that occur below which their product is sparse: 4,096 codes took 18 CPU-s "
        "instead of 122; where the border lies best is unmeasured",
    )

    # ---------------------------------------------------------------------------- expectation–maximisation

    read_starts: int = setting(2, "unmeasured: starts a turn; each costs as much as many of descent")
    read_rounds: int = setting(30, "unmeasured: rounds of a start at most")
    slow_rounds: int = setting(
        5,
        "unmeasured: rounds that may gain next to nothing; from a nearly even table the climb begins slowly",
    )
    round_gain: float = setting(
        0.01, "unmeasured: share of the score a round must gain to be followed by another"
    )
    weak_score: float = setting(0.01, "unmeasured: nats a symbol; of a lower score the share is one of this")

    # ------------------------------------------------------------------------------- likelihood and names

    explain_rounds: int = setting(
        100, "rounds at most: two sticky states behind four symbols settled in 7 to 19, seeds 100–105"
    )
    explain_gain: float = setting(
        0.1, "nats of a whole stretch that a round must gain: namings are compared by single nats"
    )
    exhaustive_names: int = setting(6, "labels up to which every renaming is screened: 720 of them")
    rival_names: int = setting(
        4, "unmeasured: renamings, the least costly by pairs, that are settled and compared in full"
    )
    rival_share: float = setting(
        0.5,
        "unmeasured: nats a symbol that a renaming may cost by pairs to be worth settling; learning a table "
        "for it wins back less",
    )
    gains_ahead: float = setting(
        30.0, "rounds' worth of the last gain that may still come: gains shrink by a few per cent a round"
    )
    far_behind: float = setting(
        100.0,
        "nats behind which a naming is not settled to the end: what it might still gain decides nothing",
    )
    rival_certainty: float = setting(
        0.9, "unmeasured: how much of a renamed table is kept before it settles, so that it can move"
    )
    pseudo_counts: tuple[float, ...] = setting(
        (300.0, 3_000.0),
        "label pairs that given transitions may be worth once let go: with 300 neighbour chains were right "
        "up to names in 40 of 40 on seeds 100 and 101, with 3,000 in 33; 26 labels want more",
    )
    grouped_classes: int = setting(
        12, "unmeasured: labels up to which groups of codes are a start beside the answer"
    )
    grouped_starts: int = setting(2, "unmeasured: such starts")
    another_basin: float = setting(
        10.0, "unmeasured: nats of fresh points by which such a start must end better than the answer's own"
    )
    freed_points: int = setting(
        8_000,
        "unmeasured: codes on which transitions are let go; a misfit of .02 nats then shows by a hundred",
    )
    sound_share: float = setting(
        0.1,
        "share of the labels' dependence that J − H may be if the answer is not suspected of a wrong basin: "
        "right answers of the paper's chains leave at most 5 %",
    )
    suspicious_points: int = setting(
        20_000,
        "codes on which transitions are let go where it is: with 8,000 a chain stayed in a wrong basin",
    )
    shaped_points: int = setting(
        20_000, "points on which clusters are settled: a neighbour's transitions then lose 130 nats and more"
    )
    scouted_points: int = setting(
        5_000, "unmeasured: points on which it is asked whether groups of codes lead to likelier clusters"
    )
    shaped_starts: int = setting(4, "unmeasured: such groups, for two are now and then alike")
    shaped_rounds: int = setting(60, "rounds at most: clusters settled in 2 to 30, seeds 100–103")
    split_clusters: int = setting(2, "unmeasured: widest clusters that are tried in two parts")
    split_rounds: int = setting(4, "unmeasured: rounds before the best of such tries are settled")
    split_settled: int = setting(2, "unmeasured: tries that are settled")
    most_shape_divergence: float = setting(
        0.01,
        "nats by which points drawn from clusters may fall into other codes than real ones: Gaussian classes "
        "leave at most .002, moons, heavy tails and mixtures .05 to .6 (seeds 100–103)",
    )
    freed_gain: float = setting(
        0.5, "nats that a round must gain while it is asked whether to let go: unmeasured"
    )
    judging_share: float = setting(0.2, "unmeasured: share of the codes that judge where none are held out")
    names_points: int = setting(
        10_000, "unmeasured: codes that namings are settled on first; all follow where these say too little"
    )
    decisive: float = setting(
        30.0, "unmeasured: nats by which a naming must be behind to be out of the question"
    )
    deviations: float = setting(4.0, "unmeasured: and standard errors of that difference")
    one_answer: float = setting(
        0.05, "unmeasured: mean total variation of rows below which two settled tables are one answer"
    )
    block: int = setting(
        200, "unmeasured: points of a block; blocks are taken for independent, so they must be long"
    )
    matched_share: float = setting(
        0.25,
        "share of the labels' total correlation up to which J − H tells names apart: it leaves right answers "
        "of the paper's chains 5 %, and overlapping classes, where it says nothing, more than this",
    )

    # ----------------------------------------------------------------------------------------- annealing

    map_moves: int = setting(
        2000, "moves for each code and label: with the temperatures below 8 of 8 starts arrived"
    )
    map_temperatures: tuple[float, float] = setting(
        (6.0, 1.0),
        "first and last, in mean counts of a code and label: hot enough to melt, 8 of 8 starts at 50 labels "
        "arrived; from a cooler start, or with pairs at two lags instead of four, 1 in 4",
    )
    map_entropy: float = setting(
        1.0, "unmeasured for maps: the weight of the entropy in their score, as for many-to-one keys"
    )
    cooling: Cooling = setting(COOLING, "as keys are cooled, each number with its own")
    all_moves_codes: int = setting(
        300, "unmeasured: codes up to which a map makes all its moves; beyond, each move costs ever more"
    )
    starts_per_map: int = setting(48, "starts of descent that take about as long as one annealing")
    map_certainty: float = setting(
        0.9, "unmeasured: what a hard map gives its label; the rest lets later steps change their mind"
    )
    impossible_pair: float = setting(
        1e-12, "unmeasured: probability of a pair the label model rules out, so that its logarithm is finite"
    )

    dwelling: DwellSettings = setting(DWELLING, "the numbers of labels that stay, each with its own")

    # ------------------------------------------------------------------------------ keys of groups of codes

    group_keys: int = setting(2, "keys of a turn, each of a grouping of its own: two that agree end the race")
    group_moves: tuple[int, int] = setting(
        (60, 6),
        "moves for each pair of labels from anywhere, as for syllabaries, and from signatures: 3 were enough",
    )
    group_temperatures: tuple[float, float] = setting(
        (0.05, 0.001), "first and last from anywhere, in nats a point, as for syllabaries"
    )
    signed_temperatures: tuple[float, float] = setting(
        (5.0, 1.0),
        "first and last from signatures, in nats: of 300 labels 14 % right become all that groups allow, at "
        "four lags; from 60 nats nothing is left of them",
    )
    company_labels: int = setting(
        20, "unmeasured: labels from which on symbols are grouped by company; few have few wrong answers"
    )

    # -------------------------------------------------------------------------------------------- starts

    start_spread: float = setting(0.1, "of random logits: small starts fall least often into bad basins")
    leaning: float = setting(
        0.5,
        "unmeasured: logits by which a guess from frequency or place favours its labels, so few that "
        "descent can take other labels against it",
    )
    signature_leaning: float = setting(
        2.0,
        "the same for a guess by signature: with many labels descent takes longer to arrive if it is less",
    )
    n_groupings: int = setting(4, "unmeasured: ways of grouping the codes, shared by the starts of a batch")
    grouping_iterations: int = setting(10, "unmeasured: iterations of k-means; a guess need not be exact")
    frequency_spread: float = setting(
        0.3,
        "unmeasured: spread of the factors on frequencies (in logarithms), so that no two guesses are alike",
    )
    signature_depth: int = setting(
        2,
        "rounds of looking at the neighbours' signatures: keys of 200 labels are then 36 to 80 % right, and "
        "descent needs 5 to 10 %",
    )
    signature_variance: float = setting(
        1e-3, "unmeasured: variance of a feature below which chance is no reason why it differs"
    )


DEFAULT = SearchSettings()  # what a function takes that is called without a ciphertext
