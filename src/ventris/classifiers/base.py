"""What the route can train: anything that fits soft targets and gives probabilities."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.floating]


class Learner(Protocol):
    """A classifier that can be fitted to soft targets, again and again."""

    def fit(self, X: Any, soft_targets: Array, sample_weight: ArrayLike | None = None) -> Any:
        """Fit to rows of probabilities, shape (n, C)."""

    def predict_proba(self, X: Any) -> Array:
        """Probabilities of each class, shape (n, C)."""
