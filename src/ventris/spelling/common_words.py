"""Noise held against common words: what they do not have is no noise but words that nobody knows.

Names, dialect and old spelling look like slips of the words beside them. A slip happens to "the" as to any
other word; a dialect leaves it alone. So rates of noise are taken from common words where these have far
less of it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ventris.inference.pair_chains import Symbols
from ventris.kernels.pair_chains import Expected, Reading
from ventris.label_model.word_contexts import WordCounts
from ventris.settings import Settings, setting


@dataclass(frozen=True)
class CommonWordSettings(Settings):
    """Which words are common, and when they are believed."""

    most: int = setting(300, "unmeasured: words; they are more than half of any text")
    shortest: int = setting(3, "unmeasured: letters; shorter ones are one slip away from anything")
    fewest: int = setting(300, "unmeasured: letters of common words; fewer say too little")
    believed: float = setting(
        0.6, "unmeasured: times the rate of all words, below which common words are believed"
    )


def common_words(words: WordCounts, settings: CommonWordSettings) -> frozenset[str]:
    """The commonest words that are long enough."""
    order = np.argsort(-words.counts, kind="stable")
    chosen = (words.words[i] for i in order[: 4 * settings.most] if len(words.words[i]) >= settings.shortest)
    return frozenset(word for word, _ in zip(chosen, range(settings.most), strict=False))


def in_common_words(
    symbols: Symbols, reading: Reading, alphabet: str, common: frozenset[str]
) -> NDArray[np.bool_]:
    """Whether each symbol belongs to a word that is read as a common one; shape (T,)."""
    space = len(alphabet)
    label = np.where(reading.added > reading.probability, -1, reading.label)
    gap = np.where(reading.gap_probability > 0.5, reading.gap, -1)
    letters = [*alphabet, " ", ""]
    ends = (label == space) | (symbols.codes == len(symbols.own) - 1)
    inside = np.zeros(len(label), bool)
    word, first = "", 0
    for t in range(len(label)):
        if gap[t] == space and word:
            inside[first:t] = word in common
            word, first = "", t
        elif gap[t] >= 0 and gap[t] != space:
            word += letters[gap[t]]
        if ends[t]:
            inside[first : t + 1] = word in common
            word, first = "", t + 1
        else:
            word += letters[label[t]]
    return inside


def less_unknown(
    expected: Expected,
    symbols: Symbols,
    reading: Reading,
    alphabet: str,
    common: frozenset[str],
    settings: CommonWordSettings,
) -> Expected:
    """Expected events, cut down to the rates that common words have where these are far lower."""
    free = symbols.codes < len(symbols.own) - len(alphabet) - 1
    inside = in_common_words(symbols, reading, alphabet, common) & free
    if inside.sum() < settings.fewest:
        return expected
    space = len(alphabet)
    changed = np.maximum(1.0 - reading.unchanged - reading.added, 0.0)
    lost_space = reading.gap_probability * (reading.gap == space)
    dropped = reading.gap_probability * (reading.gap != space)
    blank = symbols.codes == space
    added_space, added = reading.added * blank, reading.added * ~blank

    def share(events: NDArray[np.float64]) -> float:
        ratio = events[inside].mean() / max(float(events[free].mean()), 1e-12)
        return ratio if ratio < settings.believed else 1.0

    substituted = _towards_own(expected.substituted, share(changed * ~blank))
    inserted = expected.inserted * share(added)
    inserted[space] = expected.inserted[space] * share(added_space)
    of_letters = np.append(np.full(space, share(dropped)), share(lost_space))
    return expected._replace(
        substituted=substituted,
        inserted=inserted,
        dropped=expected.dropped * of_letters,
        dropped_again=expected.dropped_again * of_letters,
    )


def _towards_own(counts: NDArray[np.float64], share: float) -> NDArray[np.float64]:
    """Confusions cut down to a share of them; the rest goes back to the letters themselves."""
    n = np.arange(counts.shape[1])
    out = counts * share
    out[n, n] = counts[n, n] + (1.0 - share) * (counts[: len(n)].sum(axis=0) - counts[n, n])
    out[len(n) + 10 :] = counts[len(n) + 10 :]  # what is beyond doubt stays
    return out
