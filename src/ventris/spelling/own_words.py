"""Words of the text's own: names and terms that it repeats more often than noise could make them.

A slip repeats too: "thr" is frequent because "the" is. What noise would make of the words of the text, one
event a word, is reckoned with the channel learnt so far; a word far more frequent than that is meant.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from ventris.label_model.word_contexts import WordCounts
from ventris.settings import Settings, setting
from ventris.spelling.channel import Channel
from ventris.spelling.cut import Cut


@dataclass(frozen=True)
class OwnWordSettings(Settings):
    """When a word is the text's own."""

    fewest: int = setting(3, "times it must be written in the same way; twice is chance in a long text")
    shortest: int = setting(3, "unmeasured: letters; shorter ones are too easily made by noise")
    over_noise: float = setting(3.0, "unmeasured: times as often as noise would make it, and one more")
    over_language: float = setting(5.0, "unmeasured: times as frequent as in the language, for a word it has")
    weight: float = setting(
        0.5, "unmeasured: share of its frequency in the text that it is given in the language"
    )


def written_words(cut: Cut, alphabet: str) -> Counter[str]:
    """Words as they are written, small letters alone."""
    n_classes = len(alphabet) + 1
    codes = cut.symbols.codes
    size = n_classes + 10  # digits between; a code beyond them is a label beyond doubt
    labels = np.where(codes >= size, codes - size, codes)
    chars = np.array([*alphabet, " "] + [" "] * 10)
    return Counter("".join(chars[labels].tolist()).split())


def own_words(
    written: Counter[str], known: WordCounts, channel: Channel, settings: OwnWordSettings | None = None
) -> dict[str, int]:
    """Words that a text repeats beyond what noise and language explain, and how often it has them."""
    settings = settings or OwnWordSettings()
    n_tokens = max(1, sum(written.values()))
    frequency = dict(zip(known.words, (known.counts / known.total).tolist(), strict=True))
    found = {}
    for word, count in written.items():
        if count < settings.fewest or len(word) < settings.shortest:
            continue
        if count / n_tokens <= settings.over_language * frequency.get(word, 0.0):
            continue
        if count > settings.over_noise * (_by_noise(word, written, channel) + 1.0):
            found[word] = count
    return found


def _by_noise(word: str, written: Counter[str], channel: Channel) -> float:
    """How often one event of noise would make this word of other words of the text."""
    number = {letter: i for i, letter in enumerate(channel.alphabet)}
    letters, expected = channel.alphabet[:-1], 0.0
    for place, seen in enumerate(word):
        x = number[seen]
        head, tail = word[:place], word[place + 1 :]
        for meant in letters:
            if meant == seen:
                continue
            y = number[meant]
            if n := written.get(head + meant + tail, 0):
                expected += n * channel.substitute[y, x] / max(channel.substitute[y, y], 0.1)
            if n := written.get(head + meant + word[place:], 0):
                expected += n * channel.drop[y]
        before = number[head[-1]] if head else len(letters)
        if n := written.get(head + tail, 0):
            expected += n * channel.insert[before, x]
    for meant in letters:  # dropped at the end
        if n := written.get(word + meant, 0):
            expected += n * channel.drop[number[meant]]
    return expected


def with_own(known: WordCounts, own: dict[str, int], n_tokens: int, weight: float) -> WordCounts:
    """The words of the language, and those of the text beside them.

    Examples
    --------
    >>> none = np.empty(0, np.int64)
    >>> known = WordCounts(["the"], np.array([100]), 1000, none, none, none)
    >>> with_own(known, {"wotan": 4}, 100, 0.5).counts.tolist()
    [100, 20]
    """
    if not own:
        return known
    words = sorted({*known.words, *own})
    place = {word: i for i, word in enumerate(words)}
    moved = np.array([place[word] for word in known.words], np.int64)
    counts = np.zeros(len(words), np.int64)
    counts[moved] = known.counts
    for word, count in own.items():
        counts[place[word]] += max(1, round(weight * count * known.total / n_tokens))
    return known._replace(words=words, counts=counts, first=moved[known.first], second=moved[known.second])
