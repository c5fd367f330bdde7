"""Noise learnt from the noisy text alone: read it, count what happened, read it again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from ventris.inference.pair_chains import BeamSettings, Symbols, Through, read_through
from ventris.settings import Settings, setting
from ventris.spelling.channel import Channel, ChannelSettings
from ventris.spelling.common_words import CommonWordSettings, common_words, less_unknown
from ventris.spelling.cut import Cut
from ventris.spelling.language import Language, with_words
from ventris.spelling.own_words import OwnWordSettings, own_words, with_own, written_words


@dataclass(frozen=True)
class LearningSettings(Settings):
    """How long the channel is learnt, and from how much of the text."""

    first: int = setting(10_000, "symbols of the first rounds, which only have to find the way")
    first_rounds: int = setting(6, "unmeasured: rounds on them")
    most: int = setting(60_000, "unmeasured: symbols of the last rounds; more say the same")
    rounds: int = setting(4, "unmeasured: rounds on them")
    settled: float = setting(3e-4, "unmeasured: nats a symbol that a round must gain, else it is the last")
    beam: BeamSettings = setting(BeamSettings(), "as for reading")
    channel: ChannelSettings = setting(ChannelSettings(), "where it begins")
    common: CommonWordSettings = setting(CommonWordSettings(), "what noise is held against")


def learn_channel(
    cut: Cut,
    language: Language,
    *,
    edits: bool = True,
    settings: LearningSettings | None = None,
    watch: Callable[[str], None] | None = None,
) -> tuple[Channel, Language]:
    """The channel under which a text is likeliest (EM, Baum–Welch).

    Parameters
    ----------
    cut : Cut
    language : Language
    edits : bool
        Whether symbols may be added and dropped, or only changed.
    settings : LearningSettings, optional
    watch : function of words, optional
        Told after every round.

    References
    ----------
    A. P. Dempster, N. M. Laird, D. B. Rubin, Maximum likelihood from incomplete data via the EM algorithm
    (1977).
    """
    settings = settings or LearningSettings()
    channel = Channel.uniform(language.alphabet + " ", settings.channel, edits=edits)
    lesson = partial(_lesson, edits=edits, settings=settings, watch=watch)
    channel = lesson(part_of(cut.symbols, settings.first), language, channel, settings.first_rounds)
    language = adapted(cut, language, channel)
    channel = lesson(part_of(cut.symbols, settings.most), language, channel, settings.rounds)
    return channel, language


def _lesson(
    symbols: Symbols,
    language: Language,
    channel: Channel,
    rounds: int,
    *,
    edits: bool,
    settings: LearningSettings,
    watch: Callable[[str], None] | None,
) -> Channel:
    """So many rounds: read, count, learn."""
    common = frozenset() if language.words is None else common_words(language.words, settings.common)
    score = -np.inf
    for number in range(rounds):
        through = read(symbols, language, channel, settings.beam)
        expected = through.expected
        if common:
            alphabet = language.alphabet
            expected = less_unknown(expected, symbols, through.reading, alphabet, common, settings.common)
        channel = Channel.learnt(language.alphabet + " ", expected, settings.channel, edits=edits)
        before, score = score, through.log_likelihood / len(symbols.codes)
        if watch is not None:
            watch(f"round {number + 1} on {len(symbols.codes):,} symbols: {score:.4f} nats a symbol")
        if score - before < settings.settled:
            break
    return channel


def adapted(
    cut: Cut, language: Language, channel: Channel, settings: OwnWordSettings | None = None
) -> Language:
    """The language with the words that the text repeats."""
    if language.words is None:
        return language
    settings = settings or OwnWordSettings()
    written = written_words(cut, language.alphabet)
    own = own_words(written, language.words, channel, settings)
    if not own:
        return language
    return with_words(language, with_own(language.words, own, sum(written.values()), settings.weight))


def read(
    symbols: Symbols,
    language: Language,
    channel: Channel,
    settings: BeamSettings | None = None,
    watch: Callable[[int], None] | None = None,
) -> Through:
    """A text read through a channel, under a language."""
    return read_through(
        language.contexts,
        channel.operations,
        symbols,
        opening=language.opening,
        settings=settings,
        watch=watch,
    )


def part_of(symbols: Symbols, size: int, n_pieces: int = 10) -> Symbols:
    """So many symbols: all, or pieces from all over the text."""
    n = len(symbols.codes)
    if n <= size:
        return symbols
    length = size // n_pieces
    starts = np.linspace(0, n - length, n_pieces).astype(int)
    chosen = np.concatenate([np.arange(start, start + length) for start in starts])
    return replace_rows(symbols, chosen)


def replace_rows(symbols: Symbols, rows: np.ndarray) -> Symbols:
    """Some of the symbols."""
    return symbols._replace(
        codes=symbols.codes[rows], may_drop=symbols.may_drop[rows], may_add=symbols.may_add[rows]
    )
