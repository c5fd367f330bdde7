"""The expected n-gram pass with gradients against the machine's best matrix product, one thread.

A pass is J, ∂J/∂W and ∂J/∂b over one batch: logits, softmax, P̄, both sides of the gradient, weights. Only
the operations of its five matrix products are counted, so softmax takes time and is no work. The peak is a
large square product of the same BLAS, taking turns with the pass.
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from time import thread_time
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from bench.clocks import interleaved, paired_ratio
from bench.rows import Measured, Row, alone
from ventris.classifiers.loglinear import LogLinear
from ventris.solvers.full_batch import cost_and_weight_gradient

BATCH, CLASSES, FEATURES, SQUARE = 4096, 27, 128, 1024
ROUNDS, QUICK_ROUNDS = 101, 31
SHARE = 0.35  # of the peak, asked for


def operations(order: int) -> float:
    """Of the matrix products: two of X with C columns, and N + 1 of C^(N−1) by C a window."""
    return 2.0 * BATCH * CLASSES * (2 * FEATURES + (order + 1) * CLASSES ** (order - 1))


def batch(order: int, seed: int = 0) -> tuple[LogLinear, NDArray, NDArray]:
    """A classifier, inputs in single precision and a random label table."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((BATCH, FEATURES)).astype(np.float32)
    model = LogLinear((0.1 * rng.standard_normal((CLASSES, FEATURES))).astype(np.float32), np.zeros(CLASSES))
    return model, X, rng.dirichlet(np.ones(CLASSES**order)).reshape((CLASSES,) * order)


def torch_pass(model: LogLinear, X: NDArray, lm_prob: NDArray) -> Callable[[], Any] | None:
    """The same bigram pass as one writes it in torch with autograd, or None without torch."""
    try:
        import torch
    except ImportError:
        return None
    torch.set_num_threads(1)
    points, wanted = torch.tensor(X), torch.tensor(lm_prob.astype(np.float32))
    coef = torch.tensor(model.coef, requires_grad=True)
    intercept = torch.tensor(model.intercept.astype(np.float32), requires_grad=True)

    def run() -> Any:
        p = torch.softmax(points @ coef.T + intercept, dim=1)
        expected = p[:-1].T @ p[1:] / (BATCH - 1)
        return torch.autograd.grad(-(wanted * torch.log(expected)).sum(), [coef, intercept])

    return run


def measure(quick: bool = False) -> Measured:
    """A row for the bigram pass, one for the trigram pass, one against torch where it is installed."""
    square = np.random.default_rng(1).standard_normal((SQUARE, SQUARE)).astype(np.float32)
    rows = []
    with threadpool_limits(1):
        for order in (2, 3):
            model, X, lm_prob = batch(order)
            sides: dict[str, Callable[[], Any]] = {
                "peak": lambda: square @ square,
                "ours": lambda m=model, x=X, p=lm_prob: cost_and_weight_gradient(m, x, p),
            }
            rival = torch_pass(model, X, lm_prob) if order == 2 else None
            if rival is not None:
                sides["torch"] = rival
            rounds = QUICK_ROUNDS if quick or order == 3 else ROUNDS
            times = interleaved(sides, rounds, thread_time, twice=True)
            rows.append(_peak_row(order, times))
            if rival is not None:
                rows.append(_torch_row(times))
    return Measured(rows)


def _peak_row(order: int, times: dict[str, list[float]]) -> Row:
    rate = operations(order) / np.array(times["ours"])
    peak = 2.0 * SQUARE**3 / np.array(times["peak"])
    ratio, spread = paired_ratio(rate, peak)
    return Row(
        suite="passes",
        compared=f"J with gradients, order {order}, C = {CLASSES}, D = {FEATURES}, batch {BATCH} / GEMM peak",
        ours=median(rate) / 1e9,
        peer=median(peak) / 1e9,
        unit="Gflop/s",
        ratio=ratio,
        spread=spread,
        alone=alone("passes"),
        bar=SHARE if order == 2 else None,
        limit=True,
    )


def _torch_row(times: dict[str, list[float]]) -> Row:
    ratio, spread = paired_ratio(times["torch"], times["ours"])
    return Row(
        suite="passes",
        compared="J with gradients, order 2, same batch / torch with autograd",
        ours=1e3 * median(times["ours"]),
        peer=1e3 * median(times["torch"]),
        unit="ms",
        ratio=ratio,
        spread=spread,
        alone=alone("passes"),
    )
