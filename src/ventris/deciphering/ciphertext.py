"""What a search for the code table is given, counts and stretches of codes, and what counts as a search."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ventris.data.known_labels import KnownLabels
from ventris.data.sequences import first_lengths
from ventris.deciphering.settings import DEFAULT, SearchSettings
from ventris.label_model.model import NgramModel

Array = NDArray[np.floating]


@dataclass(frozen=True)
class PairStatistics:
    """What descent sees: label pairs P⁽ᵏ⁾ (L, C, C) and code pairs F⁽ᵏ⁾ (L, K, K) (sufficient statistics)."""

    label_pairs: Array
    code_pairs: Array

    n_classes: int = field(init=False)  # C
    n_codes: int = field(init=False)  # K
    entropy: float = field(init=False)  # the least value J can take, summed over lags
    dependence: float = field(init=False)  # J − H of outputs that do not hang together (mutual information)

    def __post_init__(self) -> None:
        entropy = _entropy(self.label_pairs)
        alone = _entropy(self.label_pairs.sum(axis=1)) + _entropy(self.label_pairs.sum(axis=2))
        n_classes, n_codes = self.label_pairs.shape[1], self.code_pairs.shape[1]
        vars(self).update(n_classes=n_classes, n_codes=n_codes, entropy=entropy, dependence=alone - entropy)


def _entropy(prob: Array) -> float:
    positive = prob[prob > 0]
    return float(-np.sum(positive * np.log(positive)))


@dataclass(frozen=True)
class Stretch:
    """Codes in their order of time, shape (n,), the lengths of their sequences, and labels known of them."""

    codes: NDArray
    lengths: NDArray
    known: KnownLabels | None = None

    def beginning(self, n_points: int) -> Stretch:
        """The first `n_points` codes, or all if there are fewer."""
        lengths = first_lengths(self.lengths, n_points)
        n_points = int(lengths.sum())
        known = None if self.known is None else self.known[:n_points]
        return Stretch(self.codes[:n_points], lengths, known)


@dataclass(frozen=True)
class Ciphertext:
    """Codes as the contenders of a search see them.

    Attributes
    ----------
    statistics : PairStatistics
        Shares of code pairs, counted over all the training points, and of label pairs.
    n_points : int
        Training points that were counted.
    sample : Stretch
        Training points to read as sequences, so few that cost does not depend on how many there are.
    fresh : Stretch
        Points that no count and no sample holds: on these the verdict is checked. Empty if there are none.
    lm : NgramModel
    order : int
        At which sequences are read.
    deep_order : int
        At which the best answers are read once more, where codes alone say too little.
    centres : array of shape (K, M), optional
        Where the codes lie; symbols lie nowhere.
    anchor : array of shape (K, C), optional
        Added to starting logits: what known labels say about codes.
    settings : SearchSettings
        The numbers the search hangs on, for every contender and the race.
    frequencies : array of shape (K,), optional
        How often each code comes, where codes are only read and their pairs were not counted.
    code_frequency : array of shape (K,)
        How often each code comes, summing to one; by default how often first in a pair.
    label_frequency : array of shape (C,)
        The label model's long-run frequencies.
    lesson : Stretch
        The beginning of the sample, long enough to learn each code's row from.
    """

    statistics: PairStatistics
    n_points: int
    sample: Stretch
    fresh: Stretch
    lm: NgramModel
    order: int
    centres: Array | None = None
    anchor: Array | None = None
    settings: SearchSettings = DEFAULT
    frequencies: Array | None = None
    deep_order: int = 2

    code_frequency: Array = field(init=False)
    label_frequency: Array = field(init=False)
    lesson: Stretch = field(init=False)

    def __post_init__(self) -> None:
        frequency = self.frequencies
        if frequency is None:
            counts = self.statistics.code_pairs[0].sum(axis=1)
            frequency = counts / counts.sum()
        n_lesson = max(self.settings.lesson, self.settings.lesson_per_code * self.statistics.n_codes)
        lesson = self.sample.beginning(n_lesson)
        vars(self).update(code_frequency=frequency, label_frequency=self.lm.stationary(), lesson=lesson)


@dataclass(frozen=True)
class Contender:
    """A way to search: its name, and a function of the codes, a number of starts, and chance.

    The function gives the tables it ended in, best first, and how many starts it made. Tables that come from
    reading the codes, as `race` has all of them do before it compares them, need not do so again.
    """

    name: str
    search: Callable[[Ciphertext, int, np.random.Generator], tuple[list[Array], int]]
    has_read: bool = False
