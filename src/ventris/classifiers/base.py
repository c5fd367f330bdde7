"""What the route can train, and what a learner may say that it can.

`fit(X, soft_targets)` and `predict_proba(X)` are all a learner must have. Whatever else the route can make
use of is a capability, which a learner declares; the route asks for the capability, never for the class.
"""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Callable
from enum import Enum
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ventris.classifiers.loglinear import LogLinear
from ventris.data.sequences import Sequences
from ventris.errors import ParameterError

Array = NDArray[np.floating]
State = tuple[dict[str, NDArray], dict[str, Any]]


class Capability(Enum):
    """What a learner may be able to do beyond `fit` and `predict_proba`.

    Examples
    --------
    >>> Capability.ROUNDS.value
    'an ear for which round it is'
    """

    STATE = "arrays and JSON-able values out and in: checkpoints, save and load"
    PENALTY = "a penalty on its weights, chosen by inputs left out (L2 regularisation)"
    CROSS_FITTING = "beginners with its settings, each taught by half of the points; a last fit to its end"
    ROUNDS = "an ear for which round it is"
    ANEW = "a fresh start: its last fit owes nothing to what earlier labels taught it"
    EPOCHS = "fits of many passes: told who judges them, and telling how far they are (early stopping)"
    CONTEXT = "an eye for a point's neighbours: it is given whole sequences"
    CLASS_MEANS = "weights from class means and one covariance (linear discriminant analysis)"


class Learner(ABC):
    """A classifier that can be fitted to soft targets, again and again (self-training).

    Methods that need a capability mean something only where `capabilities` holds it. `X` are inputs of shape
    (n, D), or symbols (n,); `soft_targets` are probabilities of each class, shape (n, C).

    Examples
    --------
    >>> class Constant(Learner):
    ...     def fit(self, X, soft_targets, sample_weight=None):
    ...         self.usage = np.average(soft_targets, axis=0, weights=sample_weight)
    ...         return self
    ...
    ...     def predict_proba(self, X):
    ...         return np.tile(self.usage, (len(X), 1))
    >>> learner = Constant().fit([[0.0], [1.0]], np.array([[1.0, 0.0], [0.5, 0.5]]))
    >>> learner.predict_proba([[0.5]]), learner.capabilities
    (array([[0.75, 0.25]]), frozenset())
    """

    kind: ClassVar[str] = "own"  # what a file calls it

    @abstractmethod
    def fit(self, X: Any, soft_targets: Array, sample_weight: ArrayLike | None = None) -> Any:
        """Fit to rows of probabilities, shape (n, C), each with its `sample_weight`, 1 if there is none."""

    @abstractmethod
    def predict_proba(self, X: Any) -> Array:
        """Probabilities of each class, shape (n, C)."""

    @property
    def capabilities(self) -> frozenset[Capability]:
        """What the route may ask of it."""
        return frozenset()

    # ---------------------------------------------------------------- what every learner does somehow

    def snapshot(self) -> Any:
        """Everything it has learnt, to be put back if what follows does not pay."""
        return copy.deepcopy(vars(self))

    def restore(self, kept: Any) -> None:
        """Go back to the snapshot `kept`, which is used up."""
        vars(self).clear()
        vars(self).update(kept)

    def logits(self, X: Any) -> Array:
        """Logarithm of each class's probability, up to a constant a point: shape (n, C)."""
        return np.log(np.maximum(self.predict_proba(X), 1e-300))

    model: LogLinear | None = None  # the log-linear weights, where it has such

    def _lacks(self, capability: Capability) -> ParameterError:
        return ParameterError(
            f"This needs a learner that has {capability.value}",
            f"{type(self).__name__} does not declare Capability.{capability.name}",
            "Ask `capabilities` first, or give the learner that one",
        )

    # ---------------------------------------------------------------- STATE

    def get_state(self) -> State:
        """What it has learnt as arrays and JSON-able values."""
        raise self._lacks(Capability.STATE)

    def set_state(self, arrays: dict[str, NDArray], meta: dict[str, Any]) -> None:
        """Take up what `get_state` gave: `arrays` by name, and `meta`, whatever JSON can hold."""
        raise self._lacks(Capability.STATE)

    # ---------------------------------------------------------------- PENALTY

    l2: float = 0.0

    def needs_penalty(self, X: Array) -> bool:
        """Whether its weights are so many for these inputs that they must be held back."""
        raise self._lacks(Capability.PENALTY)

    def choose_penalty(self, X: Array, labels: NDArray) -> float:
        """The penalty under which the `labels` (n,) of inputs left out are predicted best."""
        raise self._lacks(Capability.PENALTY)

    # ---------------------------------------------------------------- ANEW

    def forget(self) -> None:
        """Back to where the first fit started; the settings stay."""
        raise self._lacks(Capability.ANEW)

    # ---------------------------------------------------------------- CROSS_FITTING

    sharpness: float = 1.0

    @property
    def n_weights(self) -> int:
        """Numbers that a fit is free to choose."""
        raise self._lacks(Capability.CROSS_FITTING)

    def beginner(self) -> Self:
        """A learner with the same settings that has learnt nothing yet."""
        raise self._lacks(Capability.CROSS_FITTING)

    def resharpen(self, sharpness: float) -> None:
        """Multiply logits by `sharpness`, now and in fits to come (temperature scaling)."""
        raise self._lacks(Capability.CROSS_FITTING)

    def fit_to_the_end(self, X: Any, soft_targets: Array) -> Any:
        """Fit until it has converged, however long that takes."""
        raise self._lacks(Capability.CROSS_FITTING)

    # ---------------------------------------------------------------- ROUNDS

    def begin_round(self, number: int, *, order: int) -> None:
        """Told before each lesson: its `number`, those before it, and which `order` the label model has."""
        raise self._lacks(Capability.ROUNDS)

    # ---------------------------------------------------------------- EPOCHS

    def attend(
        self, judge: Callable[[Learner], float] | None, tell: Callable[[int, int], bool] | None = None
    ) -> None:
        """Told before each lesson who judges it and whom to tell.

        Parameters
        ----------
        judge : callable, optional
            The score of a learner by points not learnt from, if anyone can tell it.
        tell : callable, optional
            Told of passes made and to be made; where it answers True the lesson ends.
        """
        raise self._lacks(Capability.EPOCHS)

    # ---------------------------------------------------------------- CONTEXT

    def fit_sequences(self, points: Sequences, soft_targets: Array) -> Any:
        """Fit to rows of probabilities for the points of whole sequences: shape (T, C).

        Parameters
        ----------
        points : Sequences
        soft_targets : array of shape (T, C)
        """
        return self.fit(points.data, soft_targets)

    def predict_sequences(self, points: Sequences) -> Array:
        """Probabilities of each class for the points of whole sequences: shape (T, C).

        Parameters
        ----------
        points : Sequences
        """
        return self.predict_proba(points.data)

    def logits_of_sequences(self, points: Sequences) -> Array:
        """`logits` for the points of whole sequences: shape (T, C).

        Parameters
        ----------
        points : Sequences
        """
        return self.logits(points.data)

    # ---------------------------------------------------------------- CLASS_MEANS

    by_means: bool = False  # whether fits take class means and one covariance instead of free weights
