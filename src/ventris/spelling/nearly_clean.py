"""A text with hardly any noise: only slips of common words are touched, for the rest is its own vocabulary.

Where one letter in a hundred is wrong or fewer, most words that the language does not know are meant: names,
dialect, terms. A reading that prefers a known word is then wrong more often than its probability says.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ventris.label_model.word_contexts import WordCounts
from ventris.settings import Settings, setting
from ventris.spelling.channel import Channel
from ventris.spelling.mending import Change


@dataclass(frozen=True)
class NearlyCleanSettings(Settings):
    """When a text counts as nearly clean, and which changes are made in it."""

    noise: float = setting(
        0.015, "all rates together; clean books of seed 100 feign up to 0.002, one in Irish dialect 0.06"
    )
    common: int = setting(2_000, "unmeasured: words that a change must lead to")
    repeated: int = setting(2, "unmeasured: times that a slip may be repeated; more often it is meant")
    shortest: int = setting(4, "unmeasured: letters; of a shorter word anything may be meant")
    probability: float = setting(0.99, "unmeasured: that a change must have")


def is_nearly_clean(channel: Channel, settings: NearlyCleanSettings | None = None) -> bool:
    """Whether noise is so rare that unknown words are rather meant."""
    return sum(channel.rates.values()) < (settings or NearlyCleanSettings()).noise


def slips_alone(
    changes: Iterable[Change],
    written: Counter[str],
    words: WordCounts,
    settings: NearlyCleanSettings | None = None,
) -> list[Change]:
    """Changes of unknown words, hardly repeated, that become common ones."""
    settings = settings or NearlyCleanSettings()
    known = frozenset(words.words)
    common = frozenset(words.words[i] for i in np.argsort(-words.counts, kind="stable")[: settings.common])

    def is_slip(change: Change) -> bool:
        before, after = (_small_words(text) for text in (change.before, change.after))
        return (
            change.probability >= settings.probability
            and len("".join(before)) >= settings.shortest
            and not all(word in known for word in before)
            and all(word in common for word in after)
            and all(written[word] <= settings.repeated for word in before if word not in known)
        )

    return [change for change in changes if is_slip(change)]


def with_changes(text: str, changes: Iterable[Change]) -> str:
    """A text with some changes made.

    Examples
    --------
    >>> with_changes("teh cat", [Change(0, "teh", "the", 1.0)])
    'the cat'
    """
    pieces, done = [], 0
    for change in changes:
        pieces += [text[done : change.start], change.after]
        done = change.start + len(change.before)
    return "".join([*pieces, text[done:]])


def _small_words(text: str) -> list[str]:
    return "".join(char if char.isalpha() else " " for char in text.lower()).split()
