"""A user's own classifier as a learner: whatever it can, it shows by its methods."""

from __future__ import annotations

import copy
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ventris.classifiers.base import Capability, Learner, State
from ventris.storage.json_values import plain

Array = NDArray[np.floating]


class OwnLearner(Learner):
    """An object with ``fit(X, soft_targets, sample_weight=None)`` and ``predict_proba(X)``.

    With ``get_state()``, which gives arrays and JSON-able values, and ``set_state(arrays, meta)`` it can be
    checkpointed, saved and loaded. ``begin_round(number, order=)`` is called before each fit, ``forget()``
    before the last, which a classifier that goes on from fit to fit then makes from nothing, and
    ``snapshot()`` and ``restore(kept)`` in place of a deep copy, where it has them.

    Attributes
    ----------
    classifier : object
        The user's own.
    """

    kind: ClassVar[str] = "own"

    def __init__(self, classifier: Any) -> None:
        self.classifier = classifier

    @property
    def capabilities(self) -> frozenset[Capability]:
        shown = {
            Capability.STATE: hasattr(self.classifier, "get_state") and hasattr(self.classifier, "set_state"),
            Capability.ROUNDS: hasattr(self.classifier, "begin_round"),
            Capability.ANEW: hasattr(self.classifier, "forget"),
        }
        return frozenset(each for each, has in shown.items() if has)

    def fit(self, X: Any, soft_targets: Array, sample_weight: ArrayLike | None = None) -> OwnLearner:
        """As the classifier does it; weights are passed on only where there are any."""
        if sample_weight is None:
            self.classifier.fit(X, soft_targets)
        else:
            self.classifier.fit(X, soft_targets, sample_weight=sample_weight)
        return self

    def predict_proba(self, X: Any) -> Array:
        """As the classifier gives them."""
        found = np.asarray(self.classifier.predict_proba(X))
        return found if found.dtype in (np.float32, np.float64) else found.astype(np.float64)

    @property
    def _copies_itself(self) -> bool:
        return hasattr(self.classifier, "snapshot") and hasattr(self.classifier, "restore")

    def snapshot(self) -> Any:
        if self._copies_itself:
            return self.classifier.snapshot()
        return copy.deepcopy(vars(self.classifier))

    def restore(self, kept: Any) -> None:
        if self._copies_itself:
            self.classifier.restore(kept)
            return
        vars(self.classifier).clear()
        vars(self.classifier).update(kept)

    def begin_round(self, number: int, *, order: int) -> None:
        if Capability.ROUNDS not in self.capabilities:
            raise self._lacks(Capability.ROUNDS)
        self.classifier.begin_round(number, order=order)

    def forget(self) -> None:
        if Capability.ANEW not in self.capabilities:
            raise self._lacks(Capability.ANEW)
        self.classifier.forget()

    def get_state(self) -> State:
        arrays, meta = self.classifier.get_state()
        return {name: np.asarray(array) for name, array in arrays.items()}, plain(meta)

    def set_state(self, arrays: dict[str, NDArray], meta: dict[str, Any]) -> None:
        self.classifier.set_state(arrays, meta)
