"""What the route can train, and what a learner may say that it can.

`fit(X, soft_targets)` and `predict_proba(X)` are all a learner must have. Whatever else the route can make
use of is a capability, which a learner declares; the route asks for the capability, never for the class.
"""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from enum import Enum
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ventris.classifiers.loglinear import LogLinear
from ventris.errors import ParameterError

Array = NDArray[np.floating]
State = tuple[dict[str, NDArray], dict[str, Any]]


class Capability(Enum):
    """What a learner may be able to do beyond `fit` and `predict_proba`."""

    STATE = "arrays and JSON-able values out and in: checkpoints, save and load"
    PENALTY = "a penalty on its weights, chosen by inputs left out (L2 regularisation)"
    CROSS_FITTING = "beginners with its settings, each taught by half of the points; a last fit to its end"
    ROUNDS = "an ear for which round it is"
    CLASS_MEANS = "weights from class means and one covariance (linear discriminant analysis)"


class Learner(ABC):
    """A classifier that can be fitted to soft targets, again and again (self-training).

    Methods below a capability's name mean something only where `capabilities` holds it.
    """

    kind: ClassVar[str] = "own"  # what a file calls it

    @abstractmethod
    def fit(self, X: Any, soft_targets: Array, sample_weight: ArrayLike | None = None) -> Any:
        """Fit to rows of probabilities, shape (n, C)."""

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
        """Go back to a snapshot, which is used up."""
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
        """Take up what `get_state` gave."""
        raise self._lacks(Capability.STATE)

    # ---------------------------------------------------------------- PENALTY

    l2: float = 0.0

    def needs_penalty(self, X: Array) -> bool:
        """Whether its weights are so many for these inputs that they must be held back."""
        raise self._lacks(Capability.PENALTY)

    def choose_penalty(self, X: Array, labels: NDArray) -> float:
        """The penalty under which inputs left out are predicted best."""
        raise self._lacks(Capability.PENALTY)

    def forget(self) -> None:
        """Back to where the first fit started; the settings stay."""
        raise self._lacks(Capability.PENALTY)

    # ---------------------------------------------------------------- CROSS_FITTING

    sharpness: float = 1.0

    def beginner(self) -> Self:
        """A learner with the same settings that has learnt nothing yet."""
        raise self._lacks(Capability.CROSS_FITTING)

    def resharpen(self, sharpness: float) -> None:
        """Make the present outputs, and those of fits to come, as sure as this says (temperature scaling)."""
        raise self._lacks(Capability.CROSS_FITTING)

    def fit_to_the_end(self, X: Any, soft_targets: Array) -> Any:
        """Fit until it has converged, however long that takes."""
        raise self._lacks(Capability.CROSS_FITTING)

    # ---------------------------------------------------------------- ROUNDS

    def begin_round(self, number: int, *, order: int) -> None:
        """Told before each lesson: how many were before it, and of which order of the label model it is."""
        raise self._lacks(Capability.ROUNDS)

    # ---------------------------------------------------------------- CLASS_MEANS

    by_means: bool = False  # whether fits take class means and one covariance instead of free weights
