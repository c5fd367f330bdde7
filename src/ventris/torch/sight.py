"""How a network is shown points, one by one or in stretches, and what it answers, block by block."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from ventris.data.sequences import Sequences
from ventris.errors import DataError
from ventris.torch.batches import Points, Stretches, Units
from ventris.torch.net import check_shape, logits_of
from ventris.torch.settings import NetworkSettings

Array = NDArray[np.floating]
_STRETCHES = 8  # read at a time


@dataclass(frozen=True)
class Sight:
    """What a module gets to see of points, for lessons and to read them.

    Attributes
    ----------
    units : Units
    size : int
        Points in a batch of a lesson.
    device : str
    settings : NetworkSettings
    in_stretches : bool
        Whether it is given stretches of sequences; else points.
    context : int
        Neighbours on either side of a stretch that it is shown as well; without any, stretches are of one
        point.
    """

    units: Units
    size: int
    device: str
    settings: NetworkSettings
    in_stretches: bool = False
    context: int = 0

    def lesson(self, points: Sequences, targets: Array, rng: np.random.Generator) -> Points | Stretches:
        """Batches to learn from, in an order that `rng` draws anew in each pass."""
        if not self.in_stretches:
            return Points(points.data, targets, self.units, self.size, rng)
        size = self.settings.stretch if self.context else 1
        n_stretches = max(1, self.size // size)
        return Stretches(
            points, targets, self.units, size=size, context=self.context, n_stretches=n_stretches, rng=rng
        )

    def logits(self, module: nn.Module, points: Sequences, n_classes: int) -> Array:
        """What a module answers in its present state: shape (T, C).

        Raises
        ------
        DataError
            For logits of another shape, or such as are no numbers.
        """
        out = np.empty((points.n_points, n_classes), np.float32)
        done = 0
        module.eval()
        with torch.inference_mode():
            for inputs, own in self._to_read(points):
                found = logits_of(module, {name: each.to(self.device) for name, each in inputs.items()})
                check_shape(found, own.expand(*own.shape[:-1], n_classes))
                rows = found[own[..., 0] > 0] if self.in_stretches else found
                out[done : done + len(rows)] = rows.cpu().numpy()
                done += len(rows)
        if not np.isfinite(out).all():
            raise DataError(
                "The module must put out finite logits",
                f"{int((~np.isfinite(out)).any(axis=1).sum())} of {len(out)} points got NaN or infinity",
                "Lower lr, scale the features, or look for a division or a logarithm in the module",
            )
        return out

    def _to_read(self, points: Sequences) -> Points | Stretches:
        """Batches in the order of time; a target of one marks the points that are a stretch's own."""
        ones, size = np.ones((points.n_points, 1), np.float32), self.settings.predict_points
        if not self.in_stretches:
            return Points(points.data, ones, self.units, size)
        long, n_stretches = (self.settings.predict_stretch, _STRETCHES) if self.context else (1, size)
        return Stretches(points, ones, self.units, size=long, context=self.context, n_stretches=n_stretches)
