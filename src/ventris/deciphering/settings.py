"""The numbers the search for the code table hangs on, each with its reason; a `Ciphertext` passes them on."""

from __future__ import annotations

from dataclasses import dataclass

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
