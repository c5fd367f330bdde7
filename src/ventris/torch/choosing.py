"""Weight decay and number of passes, chosen as the route chooses a penalty: by distinct inputs left out."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from torch import nn

from ventris.classifiers.loglinear import one_hot
from ventris.data.counts import content_numbers
from ventris.torch.settings import NetworkSettings

Array = NDArray[np.floating]
_TIE = 1e-6  # nats count only where errors are equal


class Chosen(NamedTuple):
    """What a fit from nothing is made with."""

    weight_decay: float
    epochs: int


class BestSoFar:
    """The best pass of a lesson by a score, and when to stop waiting for a better one (early stopping).

    Parameters
    ----------
    epochs : int
        Of the whole lesson.
    patience : float
        Share of them that may go by without a better score.

    Examples
    --------
    >>> best = BestSoFar(epochs=8, patience=0.25)
    >>> [best.told(score, n) for n, score in enumerate((1.0, 3.0, 2.0, 2.5), start=1)], best.epoch
    ([False, False, False, True], 2)
    """

    def __init__(self, epochs: int, patience: float) -> None:
        self.patience, self.score, self.epoch = max(1, round(patience * epochs)), -np.inf, 0

    def told(self, score: float, epoch: int) -> bool:
        """Whether the lesson should end."""
        if score > self.score or not self.epoch:
            self.score, self.epoch = score, epoch
        return epoch - self.epoch >= self.patience


def merged_copies(X: Array, targets: Array) -> tuple[Array, Array]:
    """Equal inputs as one, with the mean of their targets and the weight of all: the same loss, cheaper.

    Where hardly any input comes again they are left as they are.

    Examples
    --------
    >>> X, targets = merged_copies(np.array([[0.0], [0.0], [0.0], [1.0]]), np.eye(2)[[0, 0, 1, 1]])
    >>> X.ravel(), targets
    (array([0., 1.]), array([[1. , 0.5],
           [0. , 0.5]]))
    """
    _, first, row = np.unique(content_numbers(X), return_index=True, return_inverse=True)
    if 2 * len(first) > len(X):
        return X, targets
    order = np.argsort(first)  # in their order of time, whatever their contents' numbers
    place = np.empty(len(first), dtype=np.int64)
    place[order] = np.arange(len(first))
    sums = [np.bincount(place[row], weights=column) for column in targets.T]
    return X[np.sort(first)], np.stack(sums, axis=1) * (len(first) / len(X))


# Teaches a new module: inputs, targets, a weight decay, and who is told of it after each pass.
Fit = Callable[[Array, Array, float, Callable[[nn.Module, int], bool]], object]
LogProba = Callable[[nn.Module, Array], Array]


def choose(
    X: Array,
    targets: Array,
    weight_decays: tuple[float, ...],
    epochs: int,
    fit: Fit,
    log_proba: LogProba,
    settings: NetworkSettings,
    rng: np.random.Generator,
) -> Chosen:
    """The weight decay, and the number of passes, after which inputs left out are predicted best.

    Equal rows stay together, and labels are hard, for the reasons of `classifiers.penalty.choose_l2`. Where
    inputs are few, several parts are left out in turn; where they are many, one says enough.

    Parameters
    ----------
    X, targets : arrays of shape (n, D) and (n, C)
    weight_decays : tuple of float
    epochs : int
        Passes at most.
    fit, log_proba : callables
    settings : NetworkSettings
    rng : Generator
        Draws the points on which they are tried.
    """
    if len(X) > settings.choosing_points:
        rows = np.sort(rng.permutation(len(X))[: settings.choosing_points])
        X, targets = X[rows], targets[rows]
    weight = targets.sum(axis=1, keepdims=True)
    hard = one_hot(targets.argmax(axis=1), targets.shape[1], np.float32) * weight.astype(np.float32)
    part = content_numbers(X) % np.uint64(settings.left_out)
    n_parts = settings.parts_few if len(X) <= settings.few_inputs else 1
    parts = [part == number for number in range(n_parts)]
    parts = [judging for judging in parts if judging.any() and not judging.all()]
    tried = [(_scores(X, hard, decay, epochs, fit, log_proba, parts), decay) for decay in weight_decays]
    scores, decay = max(tried, key=lambda one: one[0].max())
    return Chosen(decay, 1 + int(scores.argmax()))


def _scores(
    X: Array, hard: Array, decay: float, epochs: int, fit: Fit, log_proba: LogProba, parts: list[NDArray]
) -> Array:
    """After each pass, minus the weight of the points left out that are read wrongly: shape (epochs,)."""
    total = np.zeros(epochs)
    for judging in parts:

        def judge(module: nn.Module, epoch: int, judging: NDArray = judging) -> bool:
            found, wanted = log_proba(module, X[judging]), hard[judging]
            wrong = wanted.sum(axis=1)[found.argmax(axis=1) != wanted.argmax(axis=1)].sum()
            total[epoch - 1] += _TIE * float(np.sum(wanted * found)) - float(wrong)
            return False

        fit(X[~judging], hard[~judging], decay, judge)
    return total
