"""`python -m bench.scaling`: what more data cost in time and memory, and the ten chains against hmmlearn.

Everything is a ratio of two things measured in one run, taking turns: a machine's slow spell hits both.

Usage: python -m bench.scaling [--only time memory rival] [--out FILE.json]
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from threadpoolctl import threadpool_limits

from bench.metrics import best_permutation_error, error_rate
from bench.tasks import Task, paper_chain
from ventris import NgramModel, SequenceClassifier
from ventris.datasets import random_hmm
from ventris.errors import VentrisWarning

Row = dict[str, Any]

SEED, N_CLASSES, REPEATS = 0, 10, 3
SHORT, LONG, NARROW = 100_000, 1_000_000, 8  # points, and features where time is measured
WIDE = 64  # features where memory is measured
MOST_STARTS = 32  # of hmmlearn, for each chain
BARS = {"decipher": 1.2, "whole fit": 11.0, "memory": 2.0, "hmmlearn": 3.0}


# -------------------------------------------------------------------------------------------------- data


def gaussian_file(folder: Path, n_points: int, n_features: int) -> tuple[NgramModel, Path]:
    """A Gaussian HMM's inputs as a float32 file, written block by block, and its label model."""
    rng = np.random.default_rng([SEED, N_CLASSES])
    lm, means = random_hmm(N_CLASSES, n_features, random_state=rng)
    path = folder / f"{n_points}x{n_features}.npy"
    X = np.lib.format.open_memmap(path, mode="w+", dtype=np.float32, shape=(n_points, n_features))
    y = lm.sample(n_points, rng)
    for block in np.array_split(np.arange(n_points), 16):
        X[block] = means[y[block]] + rng.standard_normal((len(block), n_features))
    X.flush()
    return lm, path


def fit_quietly(lm: NgramModel, X: NDArray, **parameters: Any) -> tuple[SequenceClassifier, float]:
    """A classifier fitted on one thread, and the CPU seconds it took."""
    clf = SequenceClassifier(lm, n_jobs=1, **parameters)
    began = process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", VentrisWarning)
        clf.fit(X)
    return clf, process_time() - began


# -------------------------------------------------------------------------------------------------- time


def time_rows(repeats: int = REPEATS) -> list[Row]:
    """CPU of a million points beside that of a hundred thousand: each step that both took, and the whole."""
    seconds: dict[tuple[str, int], list[float]] = {}
    with tempfile.TemporaryDirectory() as name:
        files = {n: gaussian_file(Path(name), n, NARROW) for n in (SHORT, LONG)}
        fit_quietly(files[SHORT][0], np.load(files[SHORT][1], mmap_mode="r"), random_state=0)  # compiles
        for seed in range(repeats):
            for n_points, (lm, path) in files.items():
                clf, whole = fit_quietly(lm, np.load(path, mmap_mode="r"), random_state=seed)
                for step, spent in {**step_seconds(clf), "whole fit": whole}.items():
                    seconds.setdefault((step, n_points), []).append(spent)
    steps = [step for step, n_points in seconds if n_points == SHORT and (step, LONG) in seconds]
    return [_time_row(step, seconds[step, SHORT], seconds[step, LONG]) for step in steps]


def step_seconds(clf: SequenceClassifier) -> dict[str, float]:
    """CPU of each named step of a fit, its repetitions added up."""
    spent: dict[str, float] = {}
    for row in clf.history_:
        spent[row["step"]] = spent.get(row["step"], 0.0) + row["cpu_seconds"]
    return spent


def _time_row(step: str, short: list[float], long: list[float]) -> Row:
    ratio = median(b / a for a, b in zip(short, long, strict=True))
    return {
        "measure": f"{step}, {LONG:,} / {SHORT:,} points",
        "first": f"{median(long):.3f} s",
        "second": f"{median(short):.3f} s",
        "ratio": ratio,
        "worst": max(b / a for a, b in zip(short, long, strict=True)),
    } | _verdict(ratio, BARS.get(step), at_most=True)


# ------------------------------------------------------------------------------------------------ memory


def memory_rows() -> list[Row]:
    """Peak memory of a fit on a mapped file, in a process of its own, beside the size of the array."""
    with tempfile.TemporaryDirectory() as name:
        _, path = gaussian_file(Path(name), LONG, WIDE)
        size = path.stat().st_size
        command = [sys.executable, "-m", "bench.scaling", "--fit", str(path)]
        found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    rows = []
    for kind, grown in found.items():
        bar = BARS["memory"] if kind == "resident, the mapped file included" else None
        row: Row = {
            "measure": f"peak memory, {kind}",
            "first": f"{grown / 1e6:.0f} MB",
            "second": f"{size / 1e6:.0f} MB",
            "ratio": grown / size,
            "worst": grown / size,
        }
        rows.append(row | _verdict(row["ratio"], bar, at_most=True))
    return rows


def measure_memory(path: Path) -> None:
    """Fit on the file and print, as JSON, the bytes by which the peaks exceed imports and compiled code.

    The resident peak is the kernel's own mark; for the process's own share a thread looks every 5 ms.
    """
    from threading import Event, Thread

    import sklearn.cluster  # noqa: F401  what a fit imports counts as imports

    lm, _ = random_hmm(N_CLASSES, WIDE, random_state=np.random.default_rng([SEED, N_CLASSES]))
    warm = np.random.default_rng(SEED).standard_normal((2000, WIDE)).astype(np.float32)
    fit_quietly(lm, warm, random_state=0)  # compiled code is no part of the data's memory
    before, peak, over = resident(), resident(), Event()

    def watch() -> None:
        while not over.wait(0.005):
            peak.update({kind: max(bytes_, peak[kind]) for kind, bytes_ in resident().items()})

    watcher = Thread(target=watch)
    watcher.start()
    fit_quietly(lm, np.load(path, mmap_mode="r"), random_state=0)
    over.set()
    watcher.join()
    peak["resident, the mapped file included"] = 1024 * _status("VmHWM")
    print(json.dumps({kind: peak[kind] - before[kind] for kind in before}))


def resident() -> dict[str, int]:
    """Bytes this process holds now: of its own, and with the file pages it has mapped."""
    kinds = {"resident, the mapped file included": "VmRSS", "of its own": "RssAnon"}
    return {kind: 1024 * _status(name) for kind, name in kinds.items()}


def _status(name: str) -> int:
    """A field of this process's status, in kilobytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(dict(line.split(":", 1) for line in lines)[name].split()[0])


# ------------------------------------------------------------------------------------------------- rival


@dataclass
class Rival:
    """hmmlearn's Gaussian HMM, the transitions fixed: its starts on each chain, and the likeliest so far.

    Everything else is as hmmlearn has it by default, ten iterations a start included; "scaling" is the
    faster of its two implementations, and not the default.
    """

    implementation: str
    by_kmeans: bool
    n_starts: int = 0
    seconds: float = 0.0
    best: dict[int, Any] = field(default_factory=dict)
    is_done: bool = False

    @property
    def name(self) -> str:
        """How its starts are drawn, and the implementation."""
        return f"{'k-means' if self.by_kmeans else 'random'} starts, {self.implementation!r}"

    def start(self, number: int, task: Task) -> None:
        """One more start on a chain, kept if it ends in a higher likelihood than those before."""
        began = process_time()
        with threadpool_limits(1):
            model = self._model(task).fit(task.X_train)
        self.seconds += process_time() - began
        if number not in self.best or model.monitor_.history[-1] > self.best[number].monitor_.history[-1]:
            self.best[number] = model

    def _model(self, task: Task) -> Any:
        from hmmlearn.hmm import GaussianHMM

        given = "mc" if self.by_kmeans else "c"
        seed = self.n_starts
        model = GaussianHMM(
            2, params="mc", init_params=given, implementation=self.implementation, random_state=seed
        )
        model.startprob_, model.transmat_ = task.lm.stationary(), task.lm.conditional(2)
        if not self.by_kmeans:
            rows = np.random.default_rng(seed).choice(len(task.X_train), 2, replace=False)
            model.means_ = task.X_train[rows]
        return model

    def n_right(self, tasks: list[Task]) -> int:
        """Chains on which the likeliest start has the right names."""
        return sum(
            is_right(task, self.best[number].predict(task.X_test)) for number, task in enumerate(tasks)
        )

    def end_round(self, tasks: list[Task]) -> None:
        """Count the round, and stop when all chains are right or there have been enough."""
        self.n_starts += 1
        self.is_done = self.n_starts == MOST_STARTS or self.n_right(tasks) == len(tasks)


def is_right(task: Task, labels: NDArray) -> bool:
    """Whether the labels have their right names: no renaming would more than halve the error."""
    renamed = best_permutation_error(task.y_test, labels, 2)
    return error_rate(task.y_test, labels) <= 2 * renamed + 0.02


def rival_rows(repeats: int = REPEATS) -> list[Row]:
    """CPU for ten chains: hmmlearn with the starts it needs, Ventris with one fit each, taking turns."""
    tasks = [paper_chain(number, SEED) for number in range(1, 11)]
    rivals = [Rival(kind, by_kmeans) for kind in ("log", "scaling") for by_kmeans in (True, False)]
    fit_quietly(tasks[0].lm, tasks[0].X_train, random_state=0)  # compiles
    ours, n_right, round_ = np.zeros(repeats), 0, 0
    while round_ < repeats or not all(rival.is_done for rival in rivals):
        running = [rival for rival in rivals if not rival.is_done]
        for number, task in enumerate(tasks):
            if round_ < repeats:
                clf, seconds = fit_quietly(task.lm, task.X_train, random_state=round_)
                ours[round_] += seconds
                n_right += is_right(task, clf.predict(task.X_test))
            for rival in running:
                rival.start(number, task)
        for rival in running:
            rival.end_round(tasks)
        round_ += 1
    share = f"{n_right} of {repeats * len(tasks)} right"
    return [_rival_row(rival, tasks, float(np.median(ours)), share) for rival in rivals]


def _rival_row(rival: Rival, tasks: list[Task], ours: float, share: str) -> Row:
    ratio = rival.seconds / ours
    right = f"{rival.n_right(tasks)} of {len(tasks)} right, best of {rival.n_starts}"
    return {
        "measure": f"ten chains, hmmlearn ({rival.name}) / Ventris",
        "first": f"{rival.seconds:.2f} s ({right})",
        "second": f"{ours:.2f} s ({share})",
        "ratio": ratio,
        "worst": ratio,
    } | _verdict(ratio, BARS["hmmlearn"], at_most=False)


# ------------------------------------------------------------------------------------------------ showing

PARTS: dict[str, Callable[[], list[Row]]] = {"time": time_rows, "memory": memory_rows, "rival": rival_rows}


def rows(only: list[str] | None = None) -> list[Row]:
    """Every measure, or those of the parts asked for."""
    return [row for part in only or PARTS for row in PARTS[part]()]


def _verdict(ratio: float, bar: float | None, *, at_most: bool) -> Row:
    met = None if bar is None else bool(ratio <= bar if at_most else ratio >= bar)
    return {"bar": bar and f"{'≤' if at_most else '≥'} {bar:g}x", "met": met}


def table_of(found: list[Row]) -> Table:
    """The rows as a table."""
    table = Table(title="Scaling (CPU seconds on one thread, medians)")
    for heading in ("measure", "first", "second", "ratio", "worst", "bar", "met"):
        table.add_column(heading, justify="left" if heading == "measure" else "right")
    for row in found:
        met = {None: "", True: "yes", False: "NO"}[row["met"]]
        ratios = (f"{row['ratio']:.2f}x", f"{row['worst']:.2f}x")
        table.add_row(row["measure"], row["first"], row["second"], *ratios, row["bar"] or "", met)
    return table


def main() -> None:
    """Measure, print the table, keep the rows as JSON where asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="*", choices=list(PARTS), help="parts to measure")
    parser.add_argument("--out", type=Path, help="file for the rows as JSON")
    parser.add_argument("--fit", type=Path, help=argparse.SUPPRESS)  # the process whose memory is measured
    arguments = parser.parse_args()
    if arguments.fit:
        measure_memory(arguments.fit)
        return
    found = rows(arguments.only)
    Console(width=150).print(table_of(found))
    if arguments.out:
        arguments.out.write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
