"""The numbers that states found by dwell, and their names on a graph, hang on, each with its reason."""

from __future__ import annotations

from dataclasses import dataclass

from ventris.settings import Settings, setting


@dataclass(frozen=True)
class DwellSettings(Settings):
    """Which label models dwell, how states are found without names, and how a graph of moves names them."""

    # ------------------------------------------------------------------------------- which label models

    least_classes: int = setting(
        7, "labels from which states are sought before names: of six, every renaming is tried anyway"
    )
    least_stay: float = setting(
        0.5, "unmeasured: mean probability of the same label again from which codes can be grouped by dwell"
    )
    most_doors: float = setting(
        1 / 3, "unmeasured: share of the labels that may follow a label (in effect) for moves to be sparse"
    )

    # ------------------------------------------------------------------------------------------- states

    starts_per_grouping: int = setting(
        12, "starts of descent that a grouping, its states and their names cost about as much as: unmeasured"
    )
    groupings: int = setting(
        4, "unmeasured: ways of grouping codes, of which the one that makes them likeliest is followed"
    )
    scout_rounds: int = setting(12, "unmeasured: rounds after which groupings are compared")
    same_answer: float = setting(
        0.97,
        "share of points on which starts of one answer agree: right ones differ on less than 1 % (seeds 100 "
        "and 101), and a room in another's state is 2 to 5 % of the points",
    )
    max_laps: int = setting(6, "unmeasured: turns at most; a turn is one or two starts, and most need one")
    member: float = setting(0.9, "unmeasured: share of a code's row that begins in its own group")
    stay: float = setting(0.8, "unmeasured: probability to stay that free transitions begin with")
    free_pairs: float = setting(
        1.0, "label pairs that free transitions are held by in all: next to none, but no row is empty"
    )
    state_rounds: int = setting(40, "rounds at most: 30 to 60 states settled in 12 to 34, seeds 100–101")
    state_gain: float = setting(1.0, "nats a round must gain; moves of states gain 20 and more")
    trial_rounds: int = setting(8, "unmeasured: rounds after which a move of states is judged")
    trials: int = setting(12, "unmeasured: moves tried at most")
    split_states: int = setting(3, "unmeasured: states, the most divided first, that are tried in two parts")
    gone_states: int = setting(2, "unmeasured: states, the most dispensable first, that are given up for it")
    move_gain: float = setting(2.0, "nats that a move of states must gain: less is rounding and chance")
    sure_side: float = setting(0.95, "unmeasured: share of a code's row that goes to its side of a split")

    # -------------------------------------------------------------------------------------------- names

    matchings: int = setting(
        12,
        "annealings: 43 of 72 arrived on nine plans of 24 to 60 rooms (100, 101), 0 of 8 on one of 60",
    )
    reach: tuple[float, ...] = setting(
        (0.9, 0.97),
        "how far diffusion looks: of 36 annealings on nine plans 21 and 22 arrived, 18 at 0.7, 15 without",
    )
    faq_starts: int = setting(
        2, "relaxed matchings beside them: of 216 on nine plans 2 arrived, and they are cheap"
    )
    floor: float = setting(
        0.1, "of C² pairs: probability of a move where there is no door, once names settle"
    )
    temperatures: int = setting(50, "unmeasured: temperatures of an annealing, in equal ratios")
    swaps: int = setting(100, "unmeasured: swaps a label and temperature: 5,000 a label in all")
    far: tuple[float, float] = setting(
        (1.0, 0.02), "unmeasured: first and last temperature of diffused moves, in moves a label"
    )
    near: tuple[float, float] = setting((0.5, 0.05), "unmeasured: the same of moves themselves")
    namings: int = setting(2, "unmeasured: different namings of one set of states that are settled")
    naming_gap: float = setting(
        300.0,
        "nats behind the best at which a naming is not settled: most folded ones are 300 to 5,000",
    )
    known_label: float = setting(
        50.0, "unmeasured: nats that a known label is worth: more than a few moves counted wrongly"
    )


DEFAULT = DwellSettings()
