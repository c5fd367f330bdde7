"""Measures that need true labels: error rate, confusion, a table by class, calibration.

They live apart from training, which never sees a true label. Arrays in, plain data out; −1 marks a point
whose true label is not known, and such points are left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ventris.errors import DataError

Array = NDArray[np.floating]
N_BINS = 10


def error_rate(true: ArrayLike, predicted: ArrayLike) -> float:
    """Share of the points with a known label that were given another one.

    Parameters
    ----------
    true : int array of shape (T,), −1 where unknown
    predicted : int array of shape (T,)

    Examples
    --------
    >>> error_rate([0, 1, 1, -1], [0, 1, 0, 0])  # doctest: +ELLIPSIS
    0.333...
    """
    y, p = _known(true, predicted)
    return float(np.mean(y != p))


def confusion_matrix(true: ArrayLike, predicted: ArrayLike, n_classes: int) -> NDArray[np.int64]:
    """Counts of (true, predicted), true labels down, predicted ones across: shape (C, C).

    Parameters
    ----------
    true : int array of shape (T,), −1 where unknown
    predicted : int array of shape (T,)
    n_classes : int
        C.

    Examples
    --------
    >>> confusion_matrix([0, 1, 1, -1], [0, 1, 0, 0], 2)
    array([[1, 0],
           [1, 1]])
    """
    y, p = _known(true, predicted)
    return np.bincount(y * n_classes + p, minlength=n_classes**2).reshape(n_classes, n_classes)


def _known(true: ArrayLike, predicted: ArrayLike) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    y, p = np.asarray(true, dtype=np.int64), np.asarray(predicted, dtype=np.int64)
    if y.shape != p.shape:
        raise DataError(
            "There must be one true label for each predicted one",
            f"there are {len(y)} for {len(p)}",
            "Compare labels of the same points",
        )
    known = y >= 0
    if not known.any():
        raise DataError("At least one true label must be known", "none is", "Check the labels")
    return y[known], p[known]


@dataclass(frozen=True)
class ClassRow:
    """One class: how often it is true and predicted, and how well it is found.

    Attributes
    ----------
    label : object
    n_true, n_predicted : int
    error_rate : float or None
        Share of its points given another label; None if it has none.
    precision : float or None
        Share of the points given this label that have it; None if none was given it.
    mistaken_for : object or None
        The label its points are most often given instead.

    Examples
    --------
    >>> by_class(np.array([[8, 2], [0, 5]]), ["a", "b"])[1].error_rate
    0.0
    """

    label: Any
    n_true: int
    n_predicted: int
    error_rate: float | None
    precision: float | None
    mistaken_for: Any


def by_class(confusion: NDArray, classes: Sequence[Any]) -> list[ClassRow]:
    """One row a class.

    Parameters
    ----------
    confusion : array of shape (C, C)
        As `confusion_matrix` gives it.
    classes : sequence of C labels

    Examples
    --------
    >>> by_class(np.array([[8, 2], [0, 5]]), ["a", "b"])[0]
    ClassRow(label='a', n_true=10, n_predicted=8, error_rate=0.2, precision=1.0, mistaken_for='b')
    """
    return [_class_row(confusion, classes, c) for c in range(len(classes))]


def _class_row(confusion: NDArray, classes: Sequence[Any], c: int) -> ClassRow:
    n_true, n_predicted = int(confusion[c].sum()), int(confusion[:, c].sum())
    right, wrong = int(confusion[c, c]), np.where(np.arange(len(classes)) == c, 0, confusion[c])
    return ClassRow(
        label=classes[c],
        n_true=n_true,
        n_predicted=n_predicted,
        error_rate=(n_true - right) / n_true if n_true else None,
        precision=right / n_predicted if n_predicted else None,
        mistaken_for=classes[int(wrong.argmax())] if wrong.any() else None,
    )


@dataclass(frozen=True)
class Calibration:
    """Whether points given a label with probability q have it in a share q of cases.

    Attributes
    ----------
    edges : list of float
        Bounds of the bins of the largest probability.
    counts : list of int
    confidence, correct : list of float or None
        Mean largest probability, and share of right labels, of each bin; None for an empty one.
    error : float
        Mean of ``|confidence − correct|`` over the points (expected calibration error).

    Examples
    --------
    >>> calibration([0, 0, 1, 0], np.tile([0.7, 0.3], (4, 1))).counts
    [0, 0, 0, 0, 0, 0, 4, 0, 0, 0]
    """

    edges: list[float]
    counts: list[int]
    confidence: list[float | None]
    correct: list[float | None]
    error: float


def calibration(true: ArrayLike, posteriors: Array, n_bins: int = N_BINS) -> Calibration:
    """Bin the points by their largest probability and compare it with how often they are right.

    Parameters
    ----------
    true : int array of shape (T,), −1 where unknown
    posteriors : array of shape (T, C)
    n_bins : int, default 10

    Examples
    --------
    >>> sure = np.tile([0.9, 0.1], (10, 1))
    >>> round(calibration([0] * 7 + [1] * 3, sure).error, 6)  # 90 % sure, 70 % right
    0.2
    """
    predicted = posteriors.argmax(axis=1)
    y, p = _known(true, predicted)
    sure = posteriors.max(axis=1)[np.asarray(true) >= 0].astype(float)
    edges = np.linspace(0, 1, n_bins + 1)
    bins = np.clip(np.ceil(sure * n_bins).astype(int) - 1, 0, n_bins - 1)
    counts = np.bincount(bins, minlength=n_bins)
    confidence = np.bincount(bins, weights=sure, minlength=n_bins) / np.maximum(counts, 1)
    correct = np.bincount(bins, weights=y == p, minlength=n_bins) / np.maximum(counts, 1)
    return Calibration(
        edges=edges.tolist(),
        counts=counts.tolist(),
        confidence=[float(v) if n else None for v, n in zip(confidence, counts, strict=True)],
        correct=[float(v) if n else None for v, n in zip(correct, counts, strict=True)],
        error=float(np.sum(counts * np.abs(confidence - correct)) / counts.sum()),
    )


@dataclass(frozen=True)
class Evaluation:
    """One reading of the data held against the truth; every field is plain data.

    Attributes
    ----------
    reading : str
        What was evaluated.
    n_points : int
        Points whose true label is known.
    error_rate : float
    classes : list
    confusion : list of lists of int
        True labels down, predicted ones across.
    by_class : list of ClassRow
    calibration : Calibration

    Examples
    --------
    >>> found = evaluate("each point alone", [0, 1], np.array([[0.8, 0.2], [0.3, 0.7]]), "ab")
    >>> found.n_points, found.confusion
    (2, [[1, 0], [0, 1]])
    """

    reading: str
    n_points: int
    error_rate: float
    classes: list[Any]
    confusion: list[list[int]]
    by_class: list[ClassRow]
    calibration: Calibration

    def to_dict(self) -> dict[str, Any]:
        """Everything, ready for JSON."""
        return asdict(self)


def evaluate(reading: str, true: ArrayLike, posteriors: Array, classes: Sequence[Any]) -> Evaluation:
    """All measures at once.

    Parameters
    ----------
    reading : str
        What was evaluated: "each point alone", say.
    true : int array of shape (T,), −1 where unknown
    posteriors : array of shape (T, C)
    classes : sequence of C labels

    Examples
    --------
    >>> evaluate("test", [0, 1], np.array([[0.8, 0.2], [0.7, 0.3]]), "ab").error_rate
    0.5
    """
    predicted = posteriors.argmax(axis=1)
    confusion = confusion_matrix(true, predicted, len(classes))
    return Evaluation(
        reading=reading,
        n_points=int(confusion.sum()),
        error_rate=error_rate(true, predicted),
        classes=list(classes),
        confusion=confusion.tolist(),
        by_class=by_class(confusion, classes),
        calibration=calibration(true, posteriors),
    )
