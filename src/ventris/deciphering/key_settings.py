"""The numbers the searches for a key hang on, each with its reason."""

from __future__ import annotations

from dataclasses import dataclass

from ventris.deciphering.settings import DEFAULT, Cooling, SearchSettings
from ventris.settings import Settings, setting


@dataclass(frozen=True)
class KeySettings(Settings):
    """How keys are searched for; every field has its reason beside it.

    Examples
    --------
    >>> from dataclasses import replace
    >>> patient = replace(KeySettings(), max_restarts=200)
    >>> patient.max_restarts, KeySettings.reasons()["max_restarts"]
    (200, 'unmeasured: searches after which the best so far is taken, though it has not recurred')
    """

    # ----------------------------------------------------------------------------------------- all keys

    cooling: Cooling = setting(Cooling(), "as maps from codes to labels are cooled, each number with its own")
    rise: float = setting(1e-6, "nats by which another key must be better: less is rounding")

    # ------------------------------------------------------------- one-to-one keys: annealed from nothing
    # docs/proof/ciphers.md has what they do together: of 100 letters and more at most 1 % of the searches
    # end below the true text's score, in a median of 0.1 CPU-s. None was varied alone.

    temperatures: tuple[float, float] = setting(
        (0.1, 0.02),
        "unmeasured: first and last, in nats a symbol of the text: the gain of a move grows with its length",
    )
    moves_by_length: int = setting(
        4_000_000, "unmeasured: moves of a search times symbols of the text: short texts are rougher ground"
    )
    fewest_moves: int = setting(5_000, "unmeasured: moves of a search for as many symbols as A to Z has")
    most_moves: int = setting(40_000, "unmeasured: the same, of the shortest texts")
    usual_symbols: int = setting(26, "A to Z: with more symbols moves rise in proportion, as neighbours do")
    max_restarts: int = setting(
        60, "unmeasured: searches after which the best so far is taken, though it has not recurred"
    )
    recurrences: tuple[tuple[float, int], ...] = setting(
        ((150, 4), (300, 3), (float("inf"), 2)),
        "unmeasured: searches that must agree on texts of fewer symbols than so many: long texts have "
        "smoother ground, where nearly every search ends at the best key",
    )

    # --------------------------------------------------------------- one-to-one keys: from one nearly right

    polish_temperatures: tuple[float, float] = setting(
        (0.03, 0.01), "unmeasured: first and last of a search that starts from a key nearly right"
    )
    polish_moves: float = setting(
        1 / 4, "unmeasured: share of a search's moves, where several keys are polished under a higher order"
    )
    polish_recurrences: int = setting(2, "unmeasured: searches from a key found by descent that must agree")

    # -------------------------------------------------- one-to-one keys: tens or hundreds of labels
    # Chosen on seeds 100 to 102 of a Latin syllabary: 116 signs at 2,000 and 300 at 20,000.

    labelled_moves: int = setting(
        60, "moves under pairs for each pair of labels; with 15 some runs fall short"
    )
    labelled_temperatures: tuple[float, float] = setting(
        (0.05, 0.001), "first and last under pairs, in nats a symbol of the text; others are unmeasured"
    )
    labelled_polish: tuple[float, float] = setting(
        (0.005, 0.0005), "the same under longer n-grams, from the key that pairs ended at"
    )
    labelled_runs: int = setting(6, "unmeasured: runs of effort 1, unless as many as the next read alike")
    labelled_alike: int = setting(2, "runs that must read alike: most of them do where a text is long enough")

    # ----------------------------------------------------------------- one-to-one keys: long texts, by J

    long_text: int = setting(
        10_000,
        "symbols from which on descent on J, from a ranking by frequency, reads a text with at most 0.1 % "
        "errors; where it begins to be as right as annealing is unmeasured",
    )
    n_starts: int = setting(8, "unmeasured: starts of the descent, one of them ranked by frequency")
    n_steps: int = setting(300, "unmeasured: steps of the descent")
    ranked_leaning: float = setting(3.0, "unmeasured: logits by which the ranked start favours its labels")
    known_leaning: float = setting(
        20.0, "unmeasured: logits by which a symbol that is known, the space, is all but certain"
    )
    descent: SearchSettings = setting(DEFAULT, "of the descent itself, as for code tables")

    # ----------------------------------------------------------------------------------- many-to-one keys

    joint_floor: float = setting(
        -4.1, "nats a label of an n-gram, below which all count alike: from a sketch, where it was varied"
    )
    guided_share: float = setting(
        0.8, "share of moves that propose what completes a window best; the others keep every key in reach"
    )
    guided_temperatures: tuple[float, float] = setting(
        (0.63, 0.23),
        "first and last, in nats an occurrence of the symbol and label of the n-gram: just around freezing; "
        "from a sketch, where they were varied",
    )
    guided_rounds: int = setting(5_000, "turns of every symbol in the first run: easy texts need no more")
    guided_growth: float = setting(1.4, "times the turns of the run before: hard texts need long runs")
    guided_recurrences: int = setting(3, "runs that must read alike: two wrong ones sometimes agree")
    guided_alike: float = setting(0.97, "share of the symbols that two runs must read alike")
    guided_work: float = setting(
        1.5e9, "windows looked up by effort 1, 1.8 ns each: 2.7 CPU-s where no runs agree"
    )
    glance: float = setting(0.1, "unmeasured: seconds between two looks at the clock while runs go on")
    turn_work: float = setting(
        40.0, "windows that a turn of a symbol costs beside those it looks up, fitted to 28 texts' times"
    )

    # -------------------------------------------------------------------------------- keys with a period

    longest_period: int = setting(20, "unmeasured: few key words are longer")
    symbols_a_column: int = setting(3, "unmeasured: fewer tell nothing about a column's table")
    n_periods: int = setting(5, "unmeasured: periods whose columns are improved in context")
    laps: int = setting(10, "unmeasured: over the columns at most; two or three are enough")

    # ------------------------------------------------------------------------ a period over a keyed alphabet
    # Chosen on texts of 300 letters, periods 3 to 8, seeds 100 to 124: all 25 were read, in 4.3 CPU-s.

    keyed_longest: int = setting(8, "periods of a keyed alphabet that are tried")
    keyed_word: int = setting(14, "letters of the key word at most, repeated ones left out")
    keyed_weight: float = setting(0.5, "share of n-grams in the score; with 0 and 0.8 fewer texts were read")
    keyed_temperatures: tuple[float, float] = setting((25.0, 2.0), "first and last, in nats")
    keyed_moves: int = setting(40_000, "moves of a run; 10,000 were too few")
    keyed_runs: int = setting(
        60, "runs of effort 1, unless one reads like the language: with 10 a period 27 of 100 were not read"
    )
    keyed_periods: int = setting(
        3, "unmeasured: periods, those with the most uneven columns, that share runs"
    )
    keyed_even: float = setting(
        0.93, "unmeasured: share of the most uneven columns' index of coincidence below which none is tried"
    )

    # ------------------------------------------------------------------------------------ columns exchanged
    # Of 100 texts of 200 letters, seeds 100 to 199, 98 were read.

    most_columns: int = setting(16, "unmeasured: columns that are tried")
    columns_temperatures: tuple[float, float] = setting((25.0, 1.0), "first and last, in nats")
    columns_moves: int = setting(6_000, "moves of a run")
    columns_runs: int = setting(3, "runs for each number of columns")

    # --------------------------------------------------------------------------------------------- shifts

    added: float = setting(
        1.0,
        "letters added to each count: without them J is infinite for every shift of a message that lacks a "
        "letter, as all short ones do; of 4,000 messages of 20 letters 92.7 % are read with 0.01, 94.8 with "
        "½ or 1, 94.4 with 4",
    )


KEYS = KeySettings()  # what a function takes that is not told otherwise
