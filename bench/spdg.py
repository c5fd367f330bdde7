"""SPDG updates per second: the compiled kernel against C, torch autograd and itself without SIMD lanes.

All sides run the paper's two-weight bigram problem (10 points a batch, 9 windows) on the same batches, in one
thread, taking turns in one process. C needs a compiler, torch its package.
"""

from __future__ import annotations

import contextlib
import ctypes
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import thread_time
from typing import Any

import numpy as np

from bench.clocks import interleaved, paired_ratio
from bench.rows import Measured, Row, alone
from ventris.kernels.spdg import DIRECT
from ventris.kernels.spdg_binary import feature_rows, run_binary_updates
from ventris.kernels.spdg_lanes import run_lane_updates
from ventris.solvers.spdg import SPDGSettings, SPDGState, draw_batches, free_weights, spdg_step

ROUNDS, QUICK_ROUNDS = 51, 11
N_POINTS, N_UPDATES, N_LANES = 50_000, 10_000, 64
READABLE_UPDATES, TORCH_UPDATES, LANE_UPDATES = 20, 10, 1000
SETTINGS = SPDGSettings.as_printed()
LM_PROB = np.array([[0.4, 0.2], [0.1, 0.3]])
FLAGS = {
    "C -O3": ("-O3",),
    "C -O3 native": ("-O3", "-march=native"),
    "C -Ofast native": ("-Ofast", "-march=native"),
}
OURS = ("compiled", "64 lanes")
BARS = {"C -O3": 1.0, "torch autograd": 1000.0, "one by one": 2.5}
NOTES = {
    "C -Ofast native": "gcc calls libmvec's exp, four at a time in one update; with 64 lanes ours is ahead"
}

Run = Callable[[], tuple[np.ndarray, np.ndarray]]


class Problem:
    """Two Gaussian clouds (seed 0), the batches, and each side as a function that starts afresh."""

    def __init__(self) -> None:
        rng = np.random.default_rng(0)
        y = (rng.random(N_POINTS) < 0.5).astype(int)
        means = np.array([[-0.504, -0.264], [1.646, 0.181]])
        self.X = means[y] + np.sqrt(0.4) * rng.standard_normal((N_POINTS, 2))
        self.rows = feature_rows(self.X)
        self.starts = draw_batches(rng, [N_POINTS], SETTINGS.subsequence_length, 1, N_UPDATES)
        self.weights = np.array([[-0.1, 0.0, 0.0], [0.0, 0.2, 0.0]])
        self.dual = rng.random((2, 2)) - 1.0
        self.lane_weights = self.weights[..., None] * rng.uniform(0.5, 2.0, (2, 3, N_LANES))
        self.lane_dual = rng.random((4, N_LANES)) - 1.0

    def _fixed(self, n_updates: int, weights: np.ndarray, dual: np.ndarray) -> tuple[Any, ...]:
        s = SETTINGS
        rates = np.array([s.primal_lr, s.dual_lr, s.decay])
        return (
            self.rows, self.starts[:n_updates], s.subsequence_length, 2, s.gamma, LM_PROB.ravel(), weights,
            dual, free_weights(2, 2, s), np.full(3, 1e6), rates, DIRECT, s.floor, 0,
        )  # fmt: skip

    def compiled(self) -> tuple[np.ndarray, np.ndarray]:
        weights, dual = self.weights.copy(), self.dual.ravel().copy()
        run_binary_updates(*self._fixed(N_UPDATES, weights, dual))
        return weights, dual

    def lanes(self) -> tuple[np.ndarray, np.ndarray]:
        weights, dual = self.lane_weights.copy(), self.lane_dual.copy()
        run_lane_updates(*self._fixed(LANE_UPDATES, weights, dual), np.ones(N_LANES))
        return weights, dual

    def one_by_one(self) -> tuple[np.ndarray, np.ndarray]:
        weights = np.ascontiguousarray(np.moveaxis(self.lane_weights, -1, 0))
        dual = np.ascontiguousarray(self.lane_dual.T)
        for r in range(N_LANES):
            run_binary_updates(*self._fixed(LANE_UPDATES, weights[r], dual[r]))
        return np.moveaxis(weights, 0, -1), dual.T

    def readable(self, n_updates: int = READABLE_UPDATES) -> tuple[np.ndarray, np.ndarray]:
        state = SPDGState(self.weights[:, :-1], self.weights[:, -1], self.dual)
        offsets = np.arange(SETTINGS.subsequence_length)
        for u in range(n_updates):
            state = spdg_step(state, self.X[self.starts[u][:, None] + offsets], LM_PROB, SETTINGS)
        return np.column_stack([state.coef, state.intercept]), state.dual.ravel()


def c_side(problem: Problem, flags: tuple[str, ...], folder: Path) -> Run:
    """The C loop beside this file, compiled with the given flags."""
    library = folder / f"spdg{''.join(flags).replace('=', '')}.so"
    source = Path(__file__).with_name("spdg_update.c")
    compiler = shutil.which("cc") or "cc"
    subprocess.run([compiler, *flags, "-shared", "-fPIC", "-o", library, source, "-lm"], check=True)
    function = ctypes.CDLL(str(library)).spdg_updates
    real, table = ctypes.c_double, np.ctypeslib.ndpointer(dtype=np.float64, flags="C")
    integers = np.ctypeslib.ndpointer(dtype=np.int64, flags="C")
    function.argtypes = [
        table,
        table,
        integers,
        ctypes.c_int64,
        ctypes.c_int,
        real,
        table,
        table,
        table,
        real,
        real,
    ]
    function.restype = None

    def run() -> tuple[np.ndarray, np.ndarray]:
        w, dual, s = np.diag(problem.weights).copy(), problem.dual.ravel().copy(), SETTINGS
        sizes = (N_UPDATES, s.subsequence_length)
        rates = (s.primal_lr, s.dual_lr)
        function(*problem.rows, problem.starts.ravel(), *sizes, s.gamma, LM_PROB.ravel(), w, dual, *rates)
        return np.column_stack([np.diag(w), np.zeros(2)]), dual

    return run


def torch_side(problem: Problem) -> Run:
    """The same update as one writes it with autograd: L of the batch, backward, two in-place steps."""
    import torch

    torch.set_num_threads(1)
    lm_prob = torch.tensor(LM_PROB)
    data = torch.tensor(problem.X)

    def run() -> tuple[np.ndarray, np.ndarray]:
        w = torch.tensor(np.diag(problem.weights).copy(), requires_grad=True)
        dual = torch.tensor(problem.dual, requires_grad=True)
        for u in range(TORCH_UPDATES):
            begin = int(problem.starts[u, 0])
            p = torch.softmax(SETTINGS.gamma * w * data[begin : begin + SETTINGS.subsequence_length], dim=1)
            expected = p[:-1].T @ p[1:] / (SETTINGS.subsequence_length - 1)
            (lm_prob * (dual * expected + torch.log(-dual))).sum().backward()
            with torch.no_grad():
                w -= SETTINGS.primal_lr * w.grad
                dual += SETTINGS.dual_lr * dual.grad
            w.grad = dual.grad = None
        return np.column_stack([np.diag(w.detach().numpy()), np.zeros(2)]), dual.detach().numpy().ravel()

    return run


def sides(problem: Problem, folder: Path) -> dict[str, tuple[Run, int]]:
    """Every side that this machine can run, with the updates it does in one call."""
    found: dict[str, tuple[Run, int]] = {
        "compiled": (problem.compiled, N_UPDATES),
        "64 lanes": (problem.lanes, LANE_UPDATES * N_LANES),
        "one by one": (problem.one_by_one, LANE_UPDATES * N_LANES),
        "readable NumPy": (problem.readable, READABLE_UPDATES),
    }
    if shutil.which("cc"):
        found |= {name: (c_side(problem, flags, folder), N_UPDATES) for name, flags in FLAGS.items()}
    with contextlib.suppress(ImportError):
        found["torch autograd"] = (torch_side(problem), TORCH_UPDATES)
    return found


def check_equal(problem: Problem, found: dict[str, tuple[Run, int]]) -> None:
    """All sides do the same work: their states agree before any of them is timed."""
    for name, (run, n_updates) in found.items():
        rival = "compiled" if n_updates == N_UPDATES else "64 lanes"
        expected = found[rival][0]() if n_updates >= N_UPDATES else problem.readable(n_updates)
        for a, b in zip(run(), expected, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-6, err_msg=name)


def measure(quick: bool = False) -> Measured:
    """One row per rival: nanoseconds of an update on each side."""
    problem = Problem()
    with tempfile.TemporaryDirectory() as folder:
        found = sides(problem, Path(folder))
        check_equal(problem, found)
        runs = {name: run for name, (run, _) in found.items()}
        # Each timed call follows an untimed one, or whoever comes after torch finds cold caches.
        times = interleaved(runs, QUICK_ROUNDS if quick else ROUNDS, thread_time, twice=True)
    each = {name: 1e9 * np.array(taken) / found[name][1] for name, taken in times.items()}
    return Measured([_row(rival, each) for rival in each if rival not in OURS])


def _row(rival: str, each: dict[str, np.ndarray]) -> Row:
    side = OURS[1] if rival == "one by one" else OURS[0]
    ratio, spread = paired_ratio(each[rival], each[side])
    return Row(
        suite="spdg",
        compared=f"SPDG update, {side} / {rival}",
        ours=median(each[side]),
        peer=median(each[rival]),
        unit="ns",
        ratio=ratio,
        spread=spread,
        alone=alone("spdg"),
        bar=BARS.get(rival),
        note=NOTES.get(rival, "") if ratio < 1 else "",
    )
