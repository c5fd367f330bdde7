"""The paper's ten binary chains."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ventris.datasets.gaussian import RandomState, SequenceData, make_gaussian_hmm
from ventris.errors import ParameterError
from ventris.label_model.model import NgramModel

# Rows of P_Trans^(1) … P_Trans^(10) as printed: P(i, j) = p(y_t = j | y_{t−1} = i).
TRANSITIONS = np.array(
    [
        [[0.1, 0.9], [0.8, 0.2]],
        [[0.6, 0.4], [0.9, 0.1]],
        [[0.2, 0.8], [0.5, 0.5]],
        [[0.3, 0.7], [0.4, 0.6]],
        [[0.4, 0.6], [0.1, 0.9]],
        [[0.5, 0.5], [0.7, 0.3]],
        [[0.7, 0.3], [0.8, 0.2]],
        [[0.8, 0.2], [0.4, 0.6]],
        [[0.5, 0.5], [0.4, 0.6]],
        [[0.9, 0.1], [0.3, 0.7]],
    ]
)
MEANS = np.array([[-0.504, -0.264], [1.646, 0.181]])
COVARIANCE = 0.4 * np.eye(2)


@dataclass(frozen=True)
class PaperChain:
    """One of the paper's data sets, cut contiguously 10:1:1 (a random split would destroy the bigrams).

    Attributes
    ----------
    number : int
        1 to 10.
    train, validation, test : SequenceData
    lm : NgramModel
        How its labels follow one another.
    transition : array of shape (2, 2)
    means : array of shape (2, 2)
        One row a class.
    covariance : array of shape (2, 2)
        Shared by both.

    Examples
    --------
    >>> make_paper_chain(9).transition
    array([[0.5, 0.5],
           [0.4, 0.6]])
    """

    number: int
    train: SequenceData
    validation: SequenceData
    test: SequenceData
    lm: NgramModel
    transition: NDArray[np.float64]
    means: NDArray[np.float64]
    covariance: NDArray[np.float64]


def make_paper_chain(
    number: int,
    *,
    n_samples: int = 60_000,
    means: ArrayLike | None = None,
    random_state: RandomState = 0,
) -> PaperChain:
    """One of the paper's ten chains: two labels, two features.

    Parameters
    ----------
    number : int
        1 to 10.
    n_samples : int, default 60,000
        Points in all: ten parts to learn from, one to validate, one to test with.
    means : array of shape (2, 2), optional
        One row a class, instead of the printed ones.
    random_state : int, Generator or None, default 0

    Examples
    --------
    >>> chain = make_paper_chain(2)
    >>> chain.train.X.shape, chain.validation.X.shape, chain.test.X.shape
    ((50000, 2), (5000, 2), (5000, 2))
    """
    if number not in range(1, 11):
        raise ParameterError(
            "The paper has chains 1 to 10", f"number is {number!r}", "Give a whole number from 1 to 10"
        )
    transition = TRANSITIONS[number - 1]
    mu = MEANS if means is None else np.asarray(means, dtype=float)
    lm = NgramModel.from_transition_matrix(transition)
    data = make_gaussian_hmm(lm, mu, COVARIANCE, n_samples=n_samples, random_state=random_state)
    first, second = n_samples * 10 // 12, n_samples * 11 // 12
    return PaperChain(
        number,
        data.part(0, first),
        data.part(first, second),
        data.part(second, n_samples),
        lm,
        transition,
        mu,
        COVARIANCE,
    )
