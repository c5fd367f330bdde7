"""The ten chains, three draws of each: one fit of ours against as many starts of hmmlearn as make all right.

hmmlearn is told nothing of the labels except when to stop, which favours it: its rounds of starts end as soon
as the likeliest start on every draw has the right names, and a user could not know. Its transitions are
fixed, all else is as it has it by default; "log" is its default implementation, "scaling" its faster one.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field, replace
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.clocks import paired_ratio
from bench.metrics import best_permutation_error, error_rate
from bench.rows import Measured, Row, alone
from bench.tasks import Task, paper_chain
from ventris import NgramModel, SequenceClassifier
from ventris.errors import VentrisWarning

SEEDS, MOST_STARTS, QUICK_STARTS, BAR = (0, 1, 2), 24, 4, 3.0


def fit_quietly(lm: NgramModel, X: NDArray, **parameters: Any) -> tuple[SequenceClassifier, float]:
    """A classifier fitted on one thread, and the CPU seconds it took."""
    clf = SequenceClassifier(lm, n_jobs=1, **parameters)
    began = process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", VentrisWarning)
        clf.fit(X)
    return clf, process_time() - began


def is_right(task: Task, labels: NDArray) -> bool:
    """Whether the labels have their right names: no renaming would lower the error by two points."""
    renamed = best_permutation_error(task.y_test, labels, task.lm.n_classes)
    return error_rate(task.y_test, labels) < renamed + 0.02


def hmmlearn_start(task: Task, seed: int, *, by_kmeans: bool, implementation: str = "scaling") -> Any:
    """One start of a Gaussian HMM with fixed transitions, its means from k-means or from random points."""
    from hmmlearn.hmm import GaussianHMM

    given = "mc" if by_kmeans else "c"
    model = GaussianHMM(
        task.lm.n_classes, params="mc", init_params=given, implementation=implementation, random_state=seed
    )
    model.startprob_, model.transmat_ = task.lm.stationary(), task.lm.conditional(2)
    if not by_kmeans:
        rows = np.random.default_rng(seed).choice(len(task.X_train), task.lm.n_classes, replace=False)
        model.means_ = task.X_train[rows]
    return model.fit(task.X_train)


@dataclass
class Rival:
    """hmmlearn's starts on each task, and the likeliest so far."""

    by_kmeans: bool
    implementation: str
    n_starts: int = 0
    seconds: dict[int, float] = field(default_factory=dict)
    best: dict[int, Any] = field(default_factory=dict)
    is_done: bool = False

    @property
    def name(self) -> str:
        """How its starts are drawn, and by which implementation it fits."""
        return f"{self.implementation!r}, {'k-means' if self.by_kmeans else 'random'} starts"

    def start(self, number: int, task: Task) -> None:
        """One more start on a task, kept if it ends in a higher likelihood than those before."""
        began = process_time()
        model = hmmlearn_start(
            task, self.n_starts, by_kmeans=self.by_kmeans, implementation=self.implementation
        )
        self.seconds[number] = self.seconds.get(number, 0.0) + process_time() - began
        if number not in self.best or model.monitor_.history[-1] > self.best[number].monitor_.history[-1]:
            self.best[number] = model

    def n_right(self, tasks: list[Task]) -> int:
        """Tasks on which the likeliest start has the right names."""
        return sum(is_right(task, self.best[n].predict(task.X_test)) for n, task in enumerate(tasks))

    def end_round(self, tasks: list[Task], most: int) -> None:
        """Count the round, and stop when all are right or there have been enough."""
        self.n_starts += 1
        self.is_done = self.n_starts == most or self.n_right(tasks) == len(tasks)


def measure(quick: bool = False) -> Measured:
    """CPU for all draws, both sides taking turns on each: a row for each way of starting hmmlearn."""
    seeds = SEEDS[:1] if quick else SEEDS
    tasks = [paper_chain(number, seed) for seed in seeds for number in range(1, 11)]
    rivals = [Rival(by_kmeans, kind) for kind in ("log", "scaling") for by_kmeans in (True, False)]
    fit_quietly(tasks[0].lm, tasks[0].X_train, random_state=0)  # compiles
    ours, searching, n_right = np.zeros(len(tasks)), np.zeros(len(tasks)), 0
    while running := [rival for rival in rivals if not rival.is_done]:
        for number, task in enumerate(tasks):
            if not ours[number]:
                clf, ours[number] = fit_quietly(task.lm, task.X_train, random_state=task.seed)
                searching[number] = ours[number] - teaching_seconds(clf)
                n_right += is_right(task, clf.predict(task.X_test))
            for rival in running:
                rival.start(number, task)
        for rival in running:
            rival.end_round(tasks, QUICK_STARTS if quick else MOST_STARTS)
    share = f"ours {n_right} of {len(tasks)} right"
    rows = [_row(rival, tasks, ours, share) for rival in rivals]
    return Measured([with_reason(row, float(searching.sum() / ours.sum())) for row in rows])


def teaching_seconds(clf: SequenceClassifier) -> float:
    """CPU of the steps of a fit that teach the classifier, which come after codebook and decipherment."""
    return sum(row["cpu_seconds"] for row in clf.history_ if row["step"] not in ("codebook", "decipher"))


def with_reason(row: Row, searching: float) -> Row:
    """Why a bar is missed, in the row's note; `searching` is the share of our fits that is not teaching."""
    if row.met is not False:
        return row
    ours = f"{100 * searching:.0f} % of ours is k-means, the search from many starts and the report's doubts"
    theirs = "a start of hmmlearn is one pass in C over two states, repeated"
    return replace(row, note=f"{row.note}. Why: {ours}, which two classes do not shorten; {theirs}")


def _row(rival: Rival, tasks: list[Task], ours: NDArray, share: str) -> Row:
    theirs = np.array([rival.seconds[number] for number in range(len(tasks))])
    _, spread = paired_ratio(theirs, ours)
    starts = f"the best of {rival.n_starts}, {theirs.mean() / rival.n_starts:.2f} s a start"
    return Row(
        suite="rival",
        compared=f"ten chains, {len(tasks)} draws, a fit each / hmmlearn {rival.name} until all right",
        ours=float(ours.sum()),
        peer=float(theirs.sum()),
        unit="CPU-s",
        ratio=float(theirs.sum() / ours.sum()),
        spread=spread,
        alone=alone("rival"),
        bar=BAR,
        note=f"{share}, {ours.mean():.2f} s a fit; hmmlearn {rival.n_right(tasks)} with {starts}",
    )
