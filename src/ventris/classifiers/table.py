"""A table p(label | symbol) as a learner: fitting it to label posteriors is one step of EM."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ventris.classifiers.base import Capability, Learner, State
from ventris.data.counts import mean_rows

Array = NDArray[np.floating]


def transfer_table(table: Array, old_codes: NDArray, new_codes: NDArray, n_new: int) -> Array:
    """The table of a finer codebook, from the points the two codebooks share: shape (n_new, C).

    Each new code takes the mean row of the old codes its points had.
    """
    sums = [np.bincount(new_codes, weights=column[old_codes], minlength=n_new) for column in table.T]
    rows = np.stack(sums, axis=1) + 1e-6  # a code without points is read evenly
    return rows / rows.sum(axis=1, keepdims=True)


class TableLearner(Learner):
    """p(label | symbol) as a table of shape (K, C): a cipher key when its rows are zeros and ones (E10)."""

    kind: ClassVar[str] = "table"

    def __init__(self, n_symbols: int, table: Array | None = None) -> None:
        self.n_symbols, self.table = n_symbols, table

    def fit(self, X: NDArray, soft_targets: Array, sample_weight: ArrayLike | None = None) -> TableLearner:
        """Mean target of each symbol; a symbol never seen takes the mean of all."""
        weight = None if sample_weight is None else np.asarray(sample_weight, dtype=float)
        self.table = mean_rows(X, soft_targets, self.n_symbols, weight)
        return self

    def predict_proba(self, X: NDArray) -> Array:
        """The rows of the table; an unknown symbol has no row and gets the mean one."""
        assert self.table is not None
        has_row = np.less(X, self.n_symbols)
        rows = self.table[np.where(has_row, X, 0)]
        if not has_row.all():
            rows[~has_row] = self.table.mean(axis=0)
        return rows

    @property
    def capabilities(self) -> frozenset[Capability]:
        return frozenset({Capability.STATE})

    def snapshot(self) -> dict[str, Any]:
        """Tables are never changed in place, so none is copied."""
        return dict(vars(self))

    def get_state(self) -> State:
        """The table, once there is one."""
        return {} if self.table is None else {"table": self.table}, {}

    def set_state(self, arrays: dict[str, NDArray], meta: dict[str, Any]) -> None:
        self.table = arrays.get("table")
