"""What a network is shown at a time: points, or whole stretches of a sequence with what surrounds them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.utils.data import IterableDataset

from ventris.data.sequences import Sequences

Array = NDArray[np.floating]
Inputs = dict[str, Tensor]  # "x", and for stretches "mask"
Batch = tuple[Inputs, Tensor]


@dataclass(frozen=True)
class Units:
    """How raw inputs become what the network sees: (x − centre) / spread, then the shape of an image.

    Attributes
    ----------
    centre, spread : float32 arrays of shape (D,)
    shape : tuple of int, optional
        Of one point; None leaves it a vector.
    """

    centre: NDArray[np.float32]
    spread: NDArray[np.float32]
    shape: tuple[int, ...] | None = None

    @classmethod
    def of(cls, X: Array, shape: tuple[int, ...] | None, standardise: bool) -> Units:
        """Each feature's own; one for all pixels of an image, whose margins hardly vary."""
        n_features = X.shape[1]
        if not standardise:
            return cls(np.zeros(n_features, np.float32), np.ones(n_features, np.float32), shape)
        is_image = shape is not None and len(shape) > 1
        axis = None if is_image else 0
        centre, spread = X.mean(axis=axis, dtype=float), X.std(axis=axis, dtype=float)
        spread = np.where(spread > 0, spread, 1.0)  # a constant tells nothing in any unit
        full = [np.broadcast_to(value, n_features).astype(np.float32) for value in (centre, spread)]
        return cls(full[0], full[1], shape)

    def checked(self) -> Units:
        """These units, if a file has left them as they were.

        Raises
        ------
        ValueError
            For numbers that are not one for each feature, not finite, or not positive where they divide.
        """
        whole = self.centre.ndim == 1 and self.centre.shape == self.spread.shape
        if not (whole and np.isfinite(self.centre).all() and np.isfinite(self.spread).all()):
            raise ValueError("centre and spread must be one finite number a feature")
        if np.any(self.spread <= 0) or (self.shape and int(np.prod(self.shape)) != len(self.centre)):
            raise ValueError("spread must be positive, and the shape hold every feature")
        return self

    def tensor(self, rows: Array) -> Tensor:
        """Raw rows of shape (n, D) as the network sees them."""
        scaled = (rows.astype(np.float32) - self.centre) / self.spread
        points = torch.from_numpy(scaled)
        return points if self.shape is None else points.reshape(len(points), *self.shape)


class Points(IterableDataset[Batch]):
    """Points in random order, so many at a time; a last one is not left alone.

    Parameters
    ----------
    X : array of shape (n, D)
    targets : array of shape (n, C)
        Rows scaled by a weight count that much.
    units : Units
    size : int
        Points in a batch.
    rng : Generator, optional
        Draws the order, anew in each pass; in their own order without one.
    """

    def __init__(
        self, X: Array, targets: Array, units: Units, size: int, rng: np.random.Generator | None = None
    ) -> None:
        self.X, self.targets, self.units, self.size, self.rng = X, targets, units, size, rng

    def __len__(self) -> int:
        """Batches in a pass."""
        whole, rest = divmod(len(self.X), self.size)
        return max(1, whole + (rest > 1))

    def __iter__(self) -> Iterator[Batch]:
        n = len(self.X)
        order = np.arange(n) if self.rng is None else self.rng.permutation(n)
        # Layers that ask how a batch varies (batch normalisation) can make nothing of a single point.
        cuts = [*(self.size * k for k in range(len(self))), n]
        for first, last in pairwise(cuts):
            rows = order[first:last]
            targets = torch.from_numpy(np.asarray(self.targets[rows], dtype=np.float32))
            yield {"x": self.units.tensor(self.X[rows])}, targets


class Stretches(IterableDataset[Batch]):
    """Stretches of sequences with their surroundings, padded to one length; only their own points count.

    Parameters
    ----------
    points : Sequences
    targets : array of shape (T, C)
    units : Units
    size : int
        Points of a stretch.
    context : int
        Neighbours on either side that the network is shown as well, where the sequence has them.
    n_stretches : int
        In a batch.
    rng : Generator, optional
        Draws their order; in their own order without one.
    """

    def __init__(
        self,
        points: Sequences,
        targets: Array,
        units: Units,
        *,
        size: int,
        context: int,
        n_stretches: int,
        rng: np.random.Generator | None = None,
    ) -> None:
        self.points, self.targets, self.units = points, targets, units
        self.n_stretches, self.rng = n_stretches, rng
        self.spans = spans(points.lengths, size, context)

    def __len__(self) -> int:
        return -(-len(self.spans) // self.n_stretches)

    def __iter__(self) -> Iterator[Batch]:
        n = len(self.spans)
        order = np.arange(n) if self.rng is None else self.rng.permutation(n)
        for first in range(0, n, self.n_stretches):
            yield self.batch(self.spans[order[first : first + self.n_stretches]])

    def batch(self, chosen: NDArray[np.int64]) -> Batch:
        """(B, L, …) inputs with their mask (B, L), and targets (B, L, C) that are zero outside a stretch."""
        longest = int((chosen[:, 3] - chosen[:, 0]).max())
        shape = (len(chosen), longest)
        rows, mask, own = (np.zeros(shape, kind) for kind in (np.int64, bool, bool))
        for b, (begin, first, last, end) in enumerate(chosen):
            rows[b, : end - begin] = np.arange(begin, end)
            mask[b, : end - begin] = True
            own[b, first - begin : last - begin] = True
        x = self.units.tensor(self.points.data[rows.ravel()])
        there = torch.from_numpy(mask)
        x = silent_padding(x.reshape(*shape, *x.shape[1:]), there)
        targets = np.asarray(self.targets[rows.ravel()], dtype=np.float32) * own.reshape(-1, 1)
        return {"x": x, "mask": there}, torch.from_numpy(targets.reshape(*shape, -1))


def silent_padding(x: Tensor, mask: Tensor) -> Tensor:
    """Inputs (B, T, …) that are zero wherever the mask (B, T) says that no point is."""
    return x * mask.reshape(*mask.shape, *([1] * (x.ndim - 2)))


def spans(lengths: NDArray[np.int64], size: int, context: int) -> NDArray[np.int64]:
    """Where each stretch begins with its context, begins, ends, and ends with its context: shape (n, 4).

    No stretch crosses the boundary of a sequence, and every point is in one.

    Examples
    --------
    >>> spans(np.array([5, 2]), size=3, context=1).tolist()
    [[0, 0, 3, 4], [2, 3, 5, 5], [5, 5, 7, 7]]
    """
    out = []
    start = 0
    for length in lengths.tolist():
        stop = start + length
        for first in range(start, stop, size):
            last = min(first + size, stop)
            out.append((max(start, first - context), first, last, min(stop, last + context)))
        start = stop
    return np.array(out, dtype=np.int64)
