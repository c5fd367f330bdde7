"""Expected n-gram counts of a network's outputs, differentiable: (E2) forwards, (E7) backwards.

Windows are worked through in blocks whose products stay in cache, and nothing of a block is kept for the way
back: what autograd would store of an einsum is C^(N−1) numbers a point.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.autograd.function import once_differentiable

from ventris.data.sequences import WindowBlock, shifted, window_blocks

_BLOCK_CELLS = 512 * 729  # as of `objective.dense`: 1.5–2.3x faster than one large product
Blocks = list[WindowBlock]


def blocks_of(n_points: int, n_cells: int, order: int, lengths: NDArray[np.int64]) -> Blocks:
    """Windows inside sequences, in blocks for products of `n_cells` numbers a window."""
    return list(window_blocks(n_points, order, lengths, max(64, _BLOCK_CELLS // max(1, n_cells))))


def n_windows(blocks: Blocks) -> int:
    """W, how many windows there are."""
    return sum(block.stop - block.start if isinstance(block, slice) else len(block) for block in blocks)


def _rows(p: Tensor, block: WindowBlock, place: int) -> Tensor:
    at = shifted(block, place)
    return p[at] if isinstance(at, slice) else p[torch.from_numpy(at).to(p.device)]


def _add_rows(total: Tensor, block: WindowBlock, place: int, part: Tensor) -> None:
    at = shifted(block, place)
    if isinstance(at, slice):
        total[at] += part
    else:  # a block's windows are distinct: none is lost
        total.index_add_(0, torch.from_numpy(at).to(total.device), part)


def _products(factors: Sequence[Tensor]) -> list[Tensor]:
    """Row-wise outer products of the first 1, 2, … factors, (n, C**k) each (Khatri–Rao products)."""
    out = [factors[0]]
    for factor in factors[1:]:
        out.append((out[-1][:, :, None] * factor[:, None, :]).reshape(len(factor), -1))
    return out


class DenseCounts(torch.autograd.Function):
    """Σ_w Π_k p_{w+k}(i_k) for every n-gram i: probabilities (T, C) to counts (C,)·N."""

    @staticmethod
    def forward(ctx: Any, p: Tensor, order: int, blocks: Blocks) -> Tensor:
        n_classes = p.shape[1]
        total = p.new_zeros((n_classes ** (order - 1), n_classes))
        for block in blocks:
            factors = [_rows(p, block, k) for k in range(order)]
            older = _products(factors[:-1])[-1] if order > 1 else p.new_ones((len(factors[0]), 1))
            total.addmm_(older.T, factors[-1])  # (E2)
        ctx.save_for_backward(p)
        ctx.order, ctx.blocks = order, blocks
        return total.reshape((n_classes,) * order)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, weights: Tensor) -> tuple[Tensor, None, None]:
        """Σ over windows and n-grams with c at t's place of weight times the other places' product (E7)."""
        (p,) = ctx.saved_tensors
        order, n_classes = ctx.order, p.shape[1]
        out = torch.zeros_like(p)
        matrix = weights.reshape(-1, n_classes)
        for block in ctx.blocks:
            factors = [_rows(p, block, k) for k in range(order)]
            n = len(factors[0])
            if order == 1:
                _add_rows(out, block, 0, matrix.expand(n, -1))
                continue
            older = _products(factors[:-1])
            _add_rows(out, block, order - 1, older[-1] @ matrix)
            left = factors[-1] @ matrix.T  # (n, C^(N−1)): a table of the older places for each window
            for k in range(order - 2, 0, -1):
                tables = left.reshape(n, -1, n_classes)
                _add_rows(out, block, k, torch.bmm(older[k - 1][:, None, :], tables)[:, 0])
                left = torch.bmm(tables, factors[k][:, :, None])[:, :, 0]
            _add_rows(out, block, 0, left)
        return out, None, None


class SparseCounts(torch.autograd.Function):
    """The same for listed n-grams only: probabilities (T, C) and n-grams (M, N) to counts (M,)."""

    @staticmethod
    def forward(ctx: Any, p: Tensor, grams: Tensor, blocks: Blocks) -> Tensor:
        total = p.new_zeros(len(grams))
        for block in blocks:
            total += torch.stack(_gathered(p, grams, block)).prod(dim=0).sum(dim=0)  # (E2)
        ctx.save_for_backward(p, grams)
        ctx.blocks = blocks
        return total

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, weights: Tensor) -> tuple[Tensor, None, None]:
        p, grams = ctx.saved_tensors
        out = torch.zeros_like(p)
        for block in ctx.blocks:
            factors = _gathered(p, grams, block)  # N of (n, M)
            for k in range(len(factors)):
                others = weights.expand_as(factors[0]).clone()
                for factor in factors[:k] + factors[k + 1 :]:
                    others *= factor
                place = p.new_zeros((len(others), p.shape[1])).index_add_(1, grams[:, k], others)
                _add_rows(out, block, k, place)  # (E7)
        return out, None, None


def _gathered(p: Tensor, grams: Tensor, block: WindowBlock) -> list[Tensor]:
    """p_{w+k}(i_k) for each window and listed n-gram, N arrays of shape (n, M)."""
    return [_rows(p, block, k)[:, grams[:, k]] for k in range(grams.shape[1])]


# -------------------------------------------------------------------------------------- several processes


class SumOverProcesses(torch.autograd.Function):
    """Counts of all processes; backwards times their number, for their gradients are averaged afterwards.

    J's sum is inside its logarithm: gradients of J of each process's own counts would not average to that of
    all. With the counts of all inside, the mean that `DistributedDataParallel` takes is exact.
    """

    @staticmethod
    def forward(ctx: Any, counts: Tensor, group: Any) -> Tensor:
        from torch import distributed

        ctx.n_processes = distributed.get_world_size(group)
        total = counts.clone()
        distributed.all_reduce(total, group=group)
        return total

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
        return gradient * ctx.n_processes, None


def over_processes(counts: Tensor, group: Any = None) -> Tensor:
    """Counts added up over all processes, if there are several."""
    from torch import distributed

    several = distributed.is_available() and distributed.is_initialized()
    if not several or distributed.get_world_size(group) == 1:
        return counts
    return SumOverProcesses.apply(counts, group)
