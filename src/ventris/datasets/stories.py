"""Small stories with hidden states: the casino's dice, CpG islands in DNA, the weather behind instruments.

Numbers of the first two are those of Durbin, Eddy, Krogh and Mitchison, Biological Sequence Analysis (1998):
the fair and the loaded die (p. 54), and the nucleotides of islands and of the sea around them (p. 50), of
which we see each pair of neighbours as one of 16 symbols. How long islands last is ours: 500 and 1,000
nucleotides on average, so that exchanged names cost some 17 nats in 50,000 points: enough to tell, little
enough to be missed. The weather is ours altogether, in the units of its instruments.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ventris.datasets.gaussian import RandomState, SequenceData
from ventris.errors import ParameterError
from ventris.label_model.model import NgramModel

FAIR, LOADED = [1 / 6] * 6, [0.1] * 5 + [0.5]
LEAVE_FAIR, LEAVE_LOADED = 0.05, 0.10
ISLAND = [[0.180, 0.274, 0.426, 0.120], [0.171, 0.368, 0.274, 0.188], [0.161, 0.339, 0.375, 0.125],
          [0.079, 0.355, 0.384, 0.182]]  # fmt: skip
SEA = [[0.300, 0.205, 0.285, 0.210], [0.322, 0.298, 0.078, 0.302], [0.248, 0.246, 0.298, 0.208],
       [0.177, 0.239, 0.292, 0.292]]  # fmt: skip
LEAVE_ISLAND, LEAVE_SEA = 0.002, 0.001
NUCLEOTIDES = "ACGT"
KINDS_OF_DAY = ("sunny", "cloudy", "rainy")
DAY_AFTER_DAY = [[0.75, 0.20, 0.05], [0.25, 0.45, 0.30], [0.10, 0.45, 0.45]]
INSTRUMENTS = ("temperature, °C", "pressure, hPa", "humidity, %")
READINGS = [[23.0, 1021.0, 48.0], [17.0, 1013.0, 66.0], [14.0, 1004.0, 86.0]]  # mean of each kind of day
SPREAD = [3.0, 4.0, 8.0]  # of the readings around it


@dataclass(frozen=True)
class Story:
    """Sequences with a label model that knows how their hidden labels follow one another.

    Attributes
    ----------
    train, test : SequenceData
        Inputs `X`, and the labels `y` as `predict` and `decode` name them. Labels are for measuring only: no
        training code takes them.
    lm : NgramModel
        How labels follow one another.
    inputs : tuple of str
        The name of each symbol (of symbol k, place k) or of each column of `X`.

    Examples
    --------
    >>> make_casino(100).is_symbolic, make_weather(100).is_symbolic
    (True, False)
    """

    train: SequenceData
    test: SequenceData
    lm: NgramModel
    inputs: tuple[str, ...]

    @property
    def is_symbolic(self) -> bool:
        """Whether `X` holds symbols rather than rows of numbers."""
        return self.train.X.ndim == 1


def make_casino(n_samples: int = 20_000, *, n_test: int = 20_000, random_state: RandomState = 0) -> Story:
    """Rolls of a die that a dishonest casino exchanges for a loaded one now and then.

    The fair die has six even faces; the loaded one shows a six every other time. A roll is a symbol from 0 to
    5: the face less one.

    Parameters
    ----------
    n_samples : int, default 20,000
        Rolls to learn from.
    n_test : int, default 20,000
        Rolls that go on where those end.
    random_state : int, Generator or None

    Returns
    -------
    Story
        With the labels "fair" and "loaded".

    Examples
    --------
    >>> rolls = make_casino(1000)
    >>> rolls.train.X.shape, rolls.inputs, rolls.lm.classes
    ((1000,), ('1', '2', '3', '4', '5', '6'), ('fair', 'loaded'))
    """
    rng = np.random.default_rng(random_state)
    lm = _two_states(LEAVE_FAIR, LEAVE_LOADED, ("fair", "loaded"))
    y = lm.sample(_total(n_samples, n_test), rng)
    ladder = np.array([FAIR, LOADED]).cumsum(axis=1)[y]
    X = np.minimum((rng.random((len(y), 1)) >= ladder).sum(axis=1), 5)
    return _story(X, y, n_samples, lm, tuple("123456"))


def make_cpg_islands(
    n_samples: int = 50_000, *, n_test: int = 20_000, random_state: RandomState = 0
) -> Story:
    """DNA with islands in which C is often followed by G, which is rare in the sea around them.

    A point is a pair of neighbouring nucleotides, one of 16 symbols: "AA" is 0, "AC" 1, …, "TT" 15.

    Parameters
    ----------
    n_samples : int, default 50,000
        Points to learn from.
    n_test : int, default 20,000
        Points that go on where those end.
    random_state : int, Generator or None

    Returns
    -------
    Story
        With the labels "island" and "sea".

    Examples
    --------
    >>> dna = make_cpg_islands(1000)
    >>> dna.inputs[6], dna.lm.classes, len(dna.test.y)
    ('CG', ('island', 'sea'), 20000)
    """
    rng = np.random.default_rng(random_state)
    lm = _two_states(LEAVE_ISLAND, LEAVE_SEA, ("island", "sea"))
    y = lm.sample(_total(n_samples, n_test), rng)
    rows = np.array([ISLAND, SEA])
    ladder = (rows / rows.sum(axis=2, keepdims=True)).cumsum(axis=2)
    dice, base = rng.random(len(y)), 0
    X = np.empty(len(y), dtype=np.int64)
    for t in range(len(y)):
        following = min(int(np.searchsorted(ladder[y[t], base], dice[t], side="right")), 3)
        X[t], base = 4 * base + following, following
    pairs = tuple(first + second for first in NUCLEOTIDES for second in NUCLEOTIDES)
    return _story(X, y, n_samples, lm, pairs)


def make_weather(n_samples: int = 3_650, *, n_test: int = 3_650, random_state: RandomState = 0) -> Story:
    """Days that are sunny, cloudy or rainy, seen only through a thermometer, a barometer and a hygrometer.

    Parameters
    ----------
    n_samples : int, default 3,650
        Days to learn from: ten years.
    n_test : int, default 3,650
        Days that go on where those end.
    random_state : int, Generator or None

    Returns
    -------
    Story
        With the labels "sunny", "cloudy" and "rainy", and readings in °C, hPa and per cent.

    Examples
    --------
    >>> days = make_weather(365)
    >>> days.train.X.shape, days.inputs[0], days.lm.classes
    ((365, 3), 'temperature, °C', ('sunny', 'cloudy', 'rainy'))
    """
    rng = np.random.default_rng(random_state)
    lm = NgramModel.from_transition_matrix(DAY_AFTER_DAY, classes=KINDS_OF_DAY)
    y = lm.sample(_total(n_samples, n_test), rng)
    X = np.array(READINGS)[y] + rng.standard_normal((len(y), 3)) * np.array(SPREAD)
    return _story(X, y, n_samples, lm, INSTRUMENTS)


def _two_states(leave_first: float, leave_second: float, names: tuple[str, str]) -> NgramModel:
    matrix: ArrayLike = [[1 - leave_first, leave_first], [leave_second, 1 - leave_second]]
    return NgramModel.from_transition_matrix(matrix, classes=names)


def _total(n_samples: int, n_test: int) -> int:
    for name, number in (("n_samples", n_samples), ("n_test", n_test)):
        if not isinstance(number, int | np.integer) or number < 1:
            raise ParameterError(f"{name} must be a positive whole number", f"it is {number!r}", "Give 1000")
    return int(n_samples + n_test)


def _story(
    X: NDArray, y: NDArray[np.int64], n_samples: int, lm: NgramModel, inputs: tuple[str, ...]
) -> Story:
    """Cut in two, not shuffled: a random split would destroy the n-grams."""
    whole = SequenceData(X, lm.alphabet.decode(y))
    return Story(whole.part(0, n_samples), whole.part(n_samples, len(y)), lm, inputs)
