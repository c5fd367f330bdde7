"""Gaussian emissions over label sequences drawn from a label model."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ventris.errors import DataError
from ventris.label_model.model import NgramModel

RandomState = int | np.random.Generator | None


@dataclass(frozen=True)
class SequenceData:
    """One sequence of inputs and the labels that made them.

    Attributes
    ----------
    X : array of shape (T, D), or (T,) of symbols
    y : array of shape (T,)
        Labels, or their numbers. For measuring only: no training code takes it.

    Examples
    --------
    >>> SequenceData(np.zeros((5, 2)), np.zeros(5)).part(1, 4).X.shape
    (3, 2)
    """

    X: NDArray
    y: NDArray

    def part(self, start: int, stop: int) -> SequenceData:
        """The points from `start` to before `stop`."""
        return SequenceData(self.X[start:stop], self.y[start:stop])


def make_gaussian_hmm(
    lm: NgramModel,
    means: ArrayLike,
    covariance: ArrayLike = 1.0,
    *,
    n_samples: int = 60_000,
    random_state: RandomState = None,
) -> SequenceData:
    """Labels from `lm`, and for each a point from its class's Gaussian.

    Parameters
    ----------
    lm : NgramModel
    means : array of shape (C, D)
    covariance : float or array of shape (D, D)
        Shared by all classes; a number s means s·I.
    n_samples : int
    random_state : int, Generator or None

    Examples
    --------
    >>> lm = NgramModel.from_transition_matrix([[0.6, 0.4], [0.9, 0.1]])
    >>> make_gaussian_hmm(lm, [[-1, 0], [1, 0]], 0.4, n_samples=100, random_state=0).X.shape
    (100, 2)
    """
    mu = np.asarray(means, dtype=float)
    if mu.ndim != 2 or len(mu) != lm.n_classes:
        raise DataError(
            f"means must have one row for each of the {lm.n_classes} classes",
            f"its shape is {mu.shape}",
            "Give an array of shape (n_classes, n_features)",
        )
    rng = np.random.default_rng(random_state)
    y = lm.sample(n_samples, rng)
    noise = rng.standard_normal((n_samples, mu.shape[1]))
    sigma = np.asarray(covariance, dtype=float)
    noise = noise * np.sqrt(sigma) if sigma.ndim == 0 else noise @ np.linalg.cholesky(sigma).T
    return SequenceData(mu[y] + noise, y)


def make_unigram(
    prior: ArrayLike,
    means: ArrayLike,
    covariance: ArrayLike = 1.0,
    *,
    n_samples: int = 60_000,
    random_state: RandomState = None,
) -> SequenceData:
    """Independent labels with the given prior, and Gaussian points: data with no order to learn from.

    Parameters
    ----------
    prior : array of shape (C,)
        Probability of each label.
    means, covariance, n_samples, random_state : as in `make_gaussian_hmm`

    Examples
    --------
    >>> data = make_unigram([0.7, 0.3], [[0.0], [4.0]], n_samples=1000, random_state=0)
    >>> round(float((data.y == 0).mean()), 1)
    0.7
    """
    lm = NgramModel.from_probabilities(prior)
    return make_gaussian_hmm(lm, means, covariance, n_samples=n_samples, random_state=random_state)


def random_hmm(
    n_classes: int,
    n_features: int = 8,
    *,
    concentration: float = 0.3,
    floor: float = 0.02,
    spread: float = 1.5,
    random_state: RandomState = None,
) -> tuple[NgramModel, NDArray[np.float64]]:
    """A random label model and class means: a family of problems of any size.

    Transition rows are ``(1 − floor)·Dirichlet(concentration) + floor/C``; means are ``spread·N(0, I)``.

    Parameters
    ----------
    n_classes, n_features : int
    concentration : float, default 0.3
        The smaller, the fewer labels follow a label.
    floor : float, default 0.02
        Probability shared evenly among all labels.
    spread : float, default 1.5
        How far apart the means lie, where points spread by 1 around them.
    random_state : int, Generator or None

    Examples
    --------
    >>> lm, means = random_hmm(5, random_state=0)
    >>> lm.n_classes, means.shape
    (5, (5, 8))
    """
    rng = np.random.default_rng(random_state)
    rows = rng.dirichlet(np.full(n_classes, concentration), size=n_classes)
    lm = NgramModel.from_transition_matrix((1 - floor) * rows + floor / n_classes)
    return lm, spread * rng.standard_normal((n_classes, n_features))
