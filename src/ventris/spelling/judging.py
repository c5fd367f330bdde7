"""When nothing is to be corrected: no letters, too few, another language."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ventris.inference.pair_chains import Through
from ventris.settings import Settings, setting
from ventris.spelling.channel import Channel
from ventris.spelling.cut import Cut
from ventris.spelling.language import Language
from ventris.spelling.mending import Decision


@dataclass(frozen=True)
class JudgingSettings(Settings):
    """What a text must have."""

    fewest_words: int = setting(4, "unmeasured: three words say nothing about the noise of their writer")
    controls: float = setting(0.01, "unmeasured: share of control characters from which on a text is none")
    changed: float = setting(
        0.6, "share of letters changed from which on any text reads as any other; confusions of 40 % are read"
    )
    doubted: float = setting(0.25, "share of symbols expected to be wrong after correcting")


def why_not_before(text: str, cut: Cut, language: Language, settings: JudgingSettings | None = None) -> str:
    """Why a text is left alone before anything is learnt; empty if it is not."""
    settings = settings or JudgingSettings()
    controls = sum(char < " " and char not in "\t\n\r\f\v\x1b" for char in text)
    if controls > settings.controls * max(1, len(text)):
        return f"The text is binary data: {controls:,} of its {len(text):,} characters are control characters"
    if cut.n_letters == 0:
        return f"The text has no letters of {language.code!r} ({language.alphabet})"
    foreign = sum(char.isalpha() for char in text) - cut.n_letters
    if foreign > cut.n_letters:
        return (
            f"The text is written in another script: {foreign:,} of its letters are not of {language.code!r}"
        )
    n_words = len(text.split())
    if n_words < settings.fewest_words:
        words = "word" if n_words == 1 else "words"
        return f"The text is too short to tell its noise: {n_words} {words}"
    return ""


def why_not_after(
    cut: Cut,
    language: Language,
    channel: Channel,
    through: Through,
    decision: Decision,
    settings: JudgingSettings | None = None,
) -> str:
    """Why a text is left alone after it was read: it is in another language, or beyond reading."""
    settings = settings or JudgingSettings()
    free = ~cut.fixed
    doubted = float(np.mean(1.0 - decision.probability[free])) if free.any() else 0.0
    if channel.rates["changed"] > settings.changed:
        share = channel.rates["changed"]
        return (
            f"The text does not read as {language.code!r}: {share:.0%} of its letters would have to be others"
        )
    if doubted > settings.doubted:
        return (
            f"The text does not read as {language.code!r}: {doubted:.0%} of its letters would still be wrong"
        )
    return ""
