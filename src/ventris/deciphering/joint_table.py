"""A language as the guided search sees it: how probable whole n-grams are, one byte each.

A byte is the logarithm of an n-gram's *joint* probability, from a floor (0) to the commonest one (255).
Everything rarer than the floor costs the same, so that a few wrong symbols do not hide what the others read
well; and a window speaks for all its labels, which makes smoother ground than the last one given the others.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ventris.deciphering.key_score import Tables
from ventris.deciphering.key_settings import KEYS, KeySettings


@dataclass(frozen=True, eq=False)
class JointTable:
    """Bytes of joint log-probability.

    Attributes
    ----------
    n_labels, order : int
    bytes : uint8 array of shape (C ** n,)
        Indexed by the n-gram as a number in base C, the oldest label first.
    unit : float
        Nats that one step of a byte is.
    label_entropy : float
        Entropy of how often each label occurs, in nats.
    """

    n_labels: int
    order: int
    bytes: NDArray[np.uint8]
    unit: float
    label_entropy: float

    @classmethod
    def of(cls, tables: Tables, *, settings: KeySettings = KEYS) -> JointTable:
        """From log p of a label given the ones before it, of shapes (C,), (C, C), …

        Examples
        --------
        >>> tables = np.log([0.5, 0.5]), np.log([[0.1, 0.9], [0.8, 0.2]])
        >>> JointTable.of(tables).bytes.tolist()  # aa, ab, ba, bb
        [179, 255, 251, 203]
        """
        n_labels, order = len(tables[0]), len(tables)
        joint = np.array(tables[0], dtype=np.float32)
        frequency = np.exp(joint.astype(float))
        for table in tables[1:]:
            joint = (joint[:, None] + table.reshape(len(joint), n_labels)).ravel()
        floor = settings.joint_floor * order
        unit = (float(joint.max()) - floor) / 255
        joint -= np.float32(floor)
        joint /= np.float32(unit)
        steps = np.rint(np.clip(joint, 0, 255, out=joint), out=joint).astype(np.uint8)
        return cls(n_labels, order, steps, unit, float(-(frequency @ np.log(frequency))))

    @cached_property
    def best(self) -> NDArray[np.uint8]:
        """The label that completes an n-gram best: see `kernels.guided_annealing.best_completions`."""
        from ventris.kernels.guided_annealing import best_completions

        return best_completions(self.bytes, self.n_labels, self.order)

    @property
    def degree(self) -> float:
        """Units of the score that one nat a label of an n-gram is."""
        return self.label_entropy * self.order / self.unit

    def score(self, key: NDArray, codes: NDArray) -> float:
        """Score of a key from its definition: the readable twin of the compiled search.

        Parameters
        ----------
        key : int array of shape (K,)
        codes : int array of shape (N,)
            Symbols; a negative one is unknown, and no window holds it.
        """
        windows, known = windows_of(codes, self.order)
        powers = self.n_labels ** np.arange(self.order - 1, -1, -1)
        total = int(self.bytes[key[windows] @ powers].sum(dtype=np.int64))
        use = np.bincount(key[known]) / len(known)
        return total * float(-(use[use > 0] @ np.log(use[use > 0])))


def windows_of(codes: NDArray, order: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Windows of a text that hold no unknown symbol, shape (M, n), and all symbols that are known."""
    codes = np.asarray(codes, dtype=np.int64)
    if len(codes) < order:
        return np.empty((0, order), dtype=np.int64), codes[codes >= 0]
    windows = np.lib.stride_tricks.sliding_window_view(codes, order)
    return windows[(windows >= 0).all(axis=1)], codes[codes >= 0]


@dataclass(frozen=True)
class WindowIndex:
    """The windows of a text, and which of them each symbol is in."""

    windows: NDArray[np.int64]  # (M, n)
    occurrences: NDArray[np.int64]  # (K,)
    first: NDArray[np.int64]  # (K + 1,)
    member: NDArray[np.int32]  # (L,)
    weight: NDArray[np.int32]  # (L,)
    place: NDArray[np.int32]  # (L,)

    @classmethod
    def of(cls, codes: NDArray, n_symbols: int, n_labels: int, order: int) -> WindowIndex:
        windows, known = windows_of(codes, order)
        n_windows = len(windows)
        powers = n_labels ** np.arange(order - 1, -1, -1, dtype=np.int64)
        pairs = (windows * n_windows + np.arange(n_windows)[:, None]).ravel()  # symbol, then window
        distinct, where, inverse = np.unique(pairs, return_index=True, return_inverse=True)
        weight = np.bincount(inverse, weights=np.tile(powers, n_windows), minlength=len(distinct))
        first = np.searchsorted(distinct, np.arange(n_symbols + 1) * n_windows)
        member = distinct % max(n_windows, 1)
        occurrences = np.bincount(known, minlength=n_symbols)
        narrow = (np.asarray(x, dtype=np.int32) for x in (member, np.rint(weight), where % order))
        return cls(windows, occurrences, first, *narrow)

    def numbers(self, key: NDArray, n_labels: int, which: NDArray | None = None) -> NDArray[np.int32]:
        """The n-gram that a key reads in each window, or in some, as a number: shape (M,)."""
        windows = self.windows if which is None else self.windows[which]
        powers = n_labels ** np.arange(windows.shape[1] - 1, -1, -1, dtype=np.int64)
        return (key[windows] @ powers).astype(np.int32)
