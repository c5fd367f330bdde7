"""scikit-learn's handwritten digits in the order of a label model."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from ventris.datasets.gaussian import RandomState, SequenceData, random_hmm
from ventris.datasets.stories import Story, _total
from ventris.errors import LanguageModelError
from ventris.label_model.model import NgramModel

INK = 16  # the darkest pixel of an image


def load_digit_sequences(
    n_samples: int = 20_000,
    *,
    n_test: int = 5_000,
    lm: NgramModel | None = None,
    random_state: RandomState = 0,
) -> Story:
    """Handwritten digits, 8 × 8 pixels each, that follow one another as a label model says.

    The images are the 1,797 that come with scikit-learn, drawn with replacement; those to learn from and
    those to test with are different images.

    Parameters
    ----------
    n_samples, n_test : int
        Digits to learn from (20,000 by default), and that go on where those end (5,000).
    lm : NgramModel, optional
        Order of the digits: its classes are some of 0 to 9. By default a random chain over all ten.
    random_state : int, Generator or None

    Returns
    -------
    Story
        With the labels 0 to 9, and rows of 64 pixels from 0, paper, to 1, ink.

    Examples
    --------
    >>> digits = load_digit_sequences(1000)
    >>> digits.train.X.shape, digits.lm.classes
    ((1000, 64), (0, 1, 2, 3, 4, 5, 6, 7, 8, 9))
    >>> flip = NgramModel.from_transition_matrix([[0, 1], [1, 0]], classes=[3, 8])
    >>> load_digit_sequences(4, n_test=2, lm=flip).test.y
    array([3, 8])
    """
    rng = np.random.default_rng(random_state)
    first, second, test = digit_pools(rng)
    model = random_hmm(10, random_state=rng)[0] if lm is None else lm
    _check_digits(model)
    y = model.alphabet.decode(model.sample(_total(n_samples, n_test), rng))
    parts = written_digits(y, [n_samples], [np.concatenate([first, second]), test], rng)
    pixels = tuple(f"pixel {row}, {column}" for row in range(8) for column in range(8))
    return Story(parts[0], parts[1], model, pixels)


def _check_digits(lm: NgramModel) -> None:
    strange = [label for label in lm.classes if label not in range(10)]
    if strange:
        raise LanguageModelError(
            "Labels of digit sequences must be whole numbers from 0 to 9", f"{strange[0]!r} is not",
            "Give such classes, for example classes=range(10)",
        )  # fmt: skip


def digit_pools(rng: np.random.Generator) -> list[NDArray[np.int64]]:
    """Numbers of the images to learn from, to validate and to test with: three fifths, one, one.

    Examples
    --------
    >>> [len(pool) for pool in digit_pools(np.random.default_rng(0))]
    [1078, 359, 360]
    """
    n_images = len(_digit_images()[1])
    return np.split(rng.permutation(n_images), [n_images * 3 // 5, n_images * 4 // 5])


def written_digits(
    y: NDArray, cuts: Sequence[int], pools: Sequence[NDArray], rng: np.random.Generator
) -> list[SequenceData]:
    """Contiguous parts of the digits `y`, cut before the points `cuts`, each written with images of its pool.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> [part.X.shape for part in written_digits(np.arange(10), [8], digit_pools(rng)[:2], rng)]
    [(8, 64), (2, 64)]
    """
    images, classes = _digit_images()
    return [
        SequenceData(images[_images_of(labels, pool, classes, rng)] / INK, labels)
        for labels, pool in zip(np.split(y, cuts), pools, strict=True)
    ]


@cache
def _digit_images() -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    from sklearn.datasets import load_digits

    images, classes = load_digits(return_X_y=True)
    return images, classes


def _images_of(labels: NDArray, pool: NDArray, classes: NDArray, rng: np.random.Generator) -> NDArray:
    """For each label an image number of that class, drawn from `pool` with replacement."""
    chosen = np.empty(len(labels), dtype=np.int64)
    for label in np.unique(labels):
        here = labels == label
        chosen[here] = rng.choice(pool[classes[pool] == label], size=int(here.sum()))
    return chosen
