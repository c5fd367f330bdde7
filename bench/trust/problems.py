"""Random problems of many sorts: 300–20,000 points, 2–12 labels, three label models in ten wrong.

Everything about a problem is a function of its seed, number and kind. `bench.trust.soak` judges the report on
Gaussian ones, `bench.calibration` learns from others of them what the report is worth, and checks it on
points with heavy tails and on symbols.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ventris import NgramModel

POINTS, LABELS, FEATURES = (300, 20_000), (2, 12), (1, 8)
SHARPNESS = (-1.0, 0.7)  # powers of ten: rows of the transitions, from nearly certain to nearly uniform
SPREAD = (0.7, 3.0)  # of the means, in standard deviations of the noise
FLOOR, N_TEST = 0.03, 4_000
WRONG_SHARE, SHARES_OF_OTHER = 0.3, (0.1, 0.3)
SEQUENCES = (1, 1, 5, 20)
KINDS = ("Gaussian", "heavy tails", "symbols")
DEGREES_OF_FREEDOM = 3.0  # of the heavy tails: Student's t
SYMBOLS_A_LABEL = (2, 6)  # so many times more symbols than labels


@dataclass(frozen=True)
class Problem:
    """Inputs and the label model that is given; all else is for the judge.

    Attributes
    ----------
    seed, number : int
    given : NgramModel
    off : float
        Share of another matrix in its transitions; 0 where they are right.
    X_train : array of shape (T, D), or (T,) of symbols
    lengths : array of shape (S,)
    X_test : array of shape (4000, D) or (4000,)
    y_test : int array of shape (4000,)
    best : float
        Test error of the classifier of single points that knows emissions and frequencies; for heavy tails,
        of the best linear one by means and frequencies.
    sharpness, spread : float
    """

    seed: int
    number: int
    given: NgramModel
    off: float
    X_train: NDArray
    lengths: NDArray
    X_test: NDArray
    y_test: NDArray
    best: float
    sharpness: float
    spread: float


def draw(seed: int, number: int = 0, kind: str = "Gaussian") -> Problem:
    """The problem of a seed, a number and a kind."""
    rng = np.random.default_rng([seed, 90, number, KINDS.index(kind)])
    n_classes = int(rng.integers(LABELS[0], LABELS[1] + 1))
    sharpness = float(10.0 ** rng.uniform(*SHARPNESS))
    n_points = int(np.exp(rng.uniform(*np.log(POINTS))))
    n_features, spread = int(rng.integers(FEATURES[0], FEATURES[1] + 1)), float(rng.uniform(*SPREAD))
    matrix = _rows(n_classes, sharpness, rng)
    lm = NgramModel.from_transition_matrix(matrix)
    off = float(rng.choice(SHARES_OF_OTHER)) if rng.random() < WRONG_SHARE else 0.0
    other = _rows(n_classes, sharpness, rng)
    n_sequences = int(rng.choice(SEQUENCES))
    lengths = np.full(n_sequences, n_points // n_sequences)
    lengths[-1] += n_points - lengths.sum()
    y = np.concatenate([lm.sample(int(n), rng) for n in (*lengths, N_TEST)])
    emit = _symbols if kind == "symbols" else partial(_points, heavy=kind == "heavy tails")
    X, score = emit(y, n_classes, n_features, spread, rng)
    X_test, y_test = X[n_points:], y[n_points:]
    guess = (score[n_points:] + np.log(lm.stationary())).argmax(axis=1)
    return Problem(
        seed,
        number,
        NgramModel.from_transition_matrix((1 - off) * matrix + off * other) if off else lm,
        off,
        X[:n_points],
        lengths,
        X_test,
        y_test,
        float(np.mean(guess != y_test)),
        sharpness,
        spread,
    )


def _points(
    y: NDArray, n_classes: int, n_features: int, spread: float, rng: np.random.Generator, *, heavy: bool
) -> tuple[NDArray, NDArray]:
    """Points around the means of their labels, and for each label the logarithm of its likelihood."""
    means = spread * rng.standard_normal((n_classes, n_features))
    noise = rng.standard_normal((len(y), n_features))
    if heavy:  # of unit variance
        chi = rng.chisquare(DEGREES_OF_FREEDOM, size=(len(y), 1))
        noise *= np.sqrt((DEGREES_OF_FREEDOM - 2) / chi)
    X = means[y] + noise
    return X, X @ means.T - (means**2).sum(axis=1) / 2


def _symbols(
    y: NDArray, n_classes: int, n_features: int, spread: float, rng: np.random.Generator
) -> tuple[NDArray, NDArray]:
    """Symbols, the fewer to a label the wider the spread, and the logarithms of their likelihoods."""
    n_symbols = n_classes * int(rng.integers(SYMBOLS_A_LABEL[0], SYMBOLS_A_LABEL[1] + 1))
    table = 0.99 * rng.dirichlet(np.full(n_symbols, 0.2 / spread), size=n_classes) + 0.01 / n_symbols
    X = (rng.random((len(y), 1)) >= table.cumsum(axis=1)[y]).sum(axis=1)
    X = np.minimum(X, n_symbols - 1)
    return X, np.log(table[:, X]).T


def _rows(n_classes: int, sharpness: float, rng: np.random.Generator) -> NDArray:
    rows = rng.dirichlet(np.full(n_classes, sharpness), size=n_classes)
    return (1 - FLOOR) * rows + FLOOR / n_classes
