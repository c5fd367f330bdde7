"""Networks: an epoch of `TorchLearner` beside a plain loop, J with gradients beside einsum's autograd.

One thread, the same batches, medians in one run. Both bars are CPU; without torch there are no rows.
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from time import thread_time
from typing import Any

import numpy as np

from bench.clocks import interleaved, paired_ratio
from bench.networks.fits import one_thread, why_not
from bench.rows import Measured, Row, alone
from ventris.label_model.model import NgramModel

POINTS, SIDE, CLASSES, ORDER, BATCH = 8_192, 16, 27, 3, 4_096
ROUNDS, QUICK_ROUNDS = 15, 5
MOST = 1.3  # times the plain loop's CPU that an epoch may take


def measure(quick: bool = False) -> Measured:
    """A row an epoch of each preset for points, and one for J of order 3."""
    if why_not():
        return Measured([])
    one_thread()
    rounds = QUICK_ROUNDS if quick else ROUNDS
    rows = [_epoch_row(name, rounds) for name in ("cnn", "mlp")]
    return Measured([*rows, _cost_row(rounds)])


# ------------------------------------------------------------------------------------------------- an epoch


def epoch_sides(name: str) -> dict[str, Callable[[], Any]]:
    """One pass over the same points in batches of the same size: ours, and a loop as one writes it."""
    import torch

    from ventris.torch import TorchLearner, presets
    from ventris.torch.settings import DEFAULT

    rng = np.random.default_rng(0)
    X = rng.standard_normal((POINTS, SIDE * SIDE)).astype(np.float32)
    targets = rng.dirichlet(np.ones(CLASSES), size=POINTS).astype(np.float32)
    shape = presets.square(X.shape[1]) if name == "cnn" else None
    learner = TorchLearner(name, epochs=1, weight_decay=1e-3)

    def ours() -> None:
        learner.forget()
        learner.fit(X, targets)

    points, wanted = torch.from_numpy(X), torch.from_numpy(targets)
    points = points if shape is None else points.reshape(-1, *shape)

    def plain() -> None:
        module = presets.build(name, X.shape[1], shape, CLASSES)
        optimiser = torch.optim.AdamW(module.parameters(), lr=DEFAULT.lr, weight_decay=1e-3)
        order = torch.randperm(POINTS)
        for rows in order.split(DEFAULT.batch_size):
            optimiser.zero_grad()
            loss = torch.nn.functional.cross_entropy(module(points[rows]), wanted[rows])
            loss.backward()
            optimiser.step()

    return {"ours": ours, "plain": plain}


def _epoch_row(name: str, rounds: int) -> Row:
    times = interleaved(epoch_sides(name), rounds, thread_time)
    ratio, spread = paired_ratio(times["plain"], times["ours"])
    return Row(
        suite="loops",
        compared=f"an epoch of TorchLearner('{name}'), {POINTS:,} points / the same loop by hand",
        ours=1e3 * median(times["ours"]),
        peer=1e3 * median(times["plain"]),
        unit="CPU-ms",
        ratio=ratio,
        spread=spread,
        alone=alone("loops"),
        bar=1 / MOST,
        limit=True,
        note="ours also scales the inputs, keeps the mean of the weights and a history",
    )


# -------------------------------------------------------------------------------------------------------- J


def cost_sides() -> dict[str, Callable[[], Any]]:
    """J of order 3 and ∂J/∂logits, single precision: ours, and an einsum that autograd goes back through."""
    import torch

    from ventris.torch import NgramMatchingLoss

    rng = np.random.default_rng(0)
    labels = rng.integers(CLASSES, size=50_000)
    lm = NgramModel.from_sequences([labels], order=ORDER)
    loss = NgramMatchingLoss(lm, order=ORDER)
    wanted = torch.tensor(lm.joint(ORDER), dtype=torch.float32)
    logits = torch.tensor(rng.standard_normal((BATCH, CLASSES)), dtype=torch.float32, requires_grad=True)

    def ours() -> Any:
        return torch.autograd.grad(loss(logits), logits)

    def einsum() -> Any:
        p = torch.softmax(logits, dim=1)
        expected = torch.einsum("ti,tj,tk->ijk", p[:-2], p[1:-1], p[2:]) / (BATCH - 2)
        return torch.autograd.grad(-(wanted * torch.log(expected)).sum(), logits)

    return {"ours": ours, "einsum": einsum}


def _cost_row(rounds: int) -> Row:
    times = interleaved(cost_sides(), 3 * rounds, thread_time, twice=True)
    ratio, spread = paired_ratio(times["einsum"], times["ours"])
    return Row(
        suite="loops",
        compared=f"J with gradients, order {ORDER}, C = {CLASSES}, batch {BATCH:,} / torch einsum, autograd",
        ours=1e3 * median(times["ours"]),
        peer=1e3 * median(times["einsum"]),
        unit="CPU-ms",
        ratio=ratio,
        spread=spread,
        alone=alone("loops"),
        bar=1.0,
    )
