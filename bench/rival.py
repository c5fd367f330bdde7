"""The ten chains, one fit of ours each, against as many starts of hmmlearn as make all ten right.

hmmlearn is told nothing of the labels except when to stop, which favours it: its rounds of starts end as soon
as the likeliest start of every chain has the right names, and a user could not know. Its transitions are
fixed, everything else is as it has it by default, and of its two implementations it runs the faster.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
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

SEED, ROUNDS, MOST_STARTS, BAR = 0, 3, 24, 3.0


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
    """hmmlearn's starts on each chain, and the likeliest so far."""

    by_kmeans: bool
    n_starts: int = 0
    seconds: float = 0.0
    best: dict[int, Any] = field(default_factory=dict)
    is_done: bool = False

    @property
    def name(self) -> str:
        """How its starts are drawn."""
        return "k-means starts" if self.by_kmeans else "random starts"

    def start(self, number: int, task: Task) -> None:
        """One more start on a chain, kept if it ends in a higher likelihood than those before."""
        began = process_time()
        model = hmmlearn_start(task, self.n_starts, by_kmeans=self.by_kmeans)
        self.seconds += process_time() - began
        if number not in self.best or model.monitor_.history[-1] > self.best[number].monitor_.history[-1]:
            self.best[number] = model

    def n_right(self, tasks: list[Task]) -> int:
        """Chains on which the likeliest start has the right names."""
        return sum(is_right(task, self.best[n].predict(task.X_test)) for n, task in enumerate(tasks))

    def end_round(self, tasks: list[Task], most: int) -> None:
        """Count the round, and stop when all chains are right or there have been enough."""
        self.n_starts += 1
        self.is_done = self.n_starts == most or self.n_right(tasks) == len(tasks)


def measure(quick: bool = False) -> Measured:
    """CPU for ten chains, rounds of both sides taking turns: a row for each way of starting hmmlearn."""
    tasks = [paper_chain(number, SEED) for number in range(1, 11)]
    rivals = [Rival(by_kmeans) for by_kmeans in (True, False)]
    rounds, most = (1, 4) if quick else (ROUNDS, MOST_STARTS)
    fit_quietly(tasks[0].lm, tasks[0].X_train, random_state=0)  # compiles
    ours, n_right, round_ = np.zeros(rounds), 0, 0
    while round_ < rounds or not all(rival.is_done for rival in rivals):
        running = [rival for rival in rivals if not rival.is_done]
        for number, task in enumerate(tasks):
            if round_ < rounds:
                clf, seconds = fit_quietly(task.lm, task.X_train, random_state=round_)
                ours[round_] += seconds
                n_right += is_right(task, clf.predict(task.X_test))
            for rival in running:
                rival.start(number, task)
        for rival in running:
            rival.end_round(tasks, most)
        round_ += 1
    share = f"ours {n_right} of {rounds * len(tasks)} right"
    return Measured([_row(rival, tasks, ours, share) for rival in rivals])


def _row(rival: Rival, tasks: list[Task], ours: NDArray, share: str) -> Row:
    ratio, spread = paired_ratio(np.full(len(ours), rival.seconds), ours)
    one = rival.seconds / rival.n_starts
    return Row(
        suite="rival",
        compared=f"ten chains, one fit each / hmmlearn, {rival.name} until all are right",
        ours=float(np.median(ours)),
        peer=rival.seconds,
        unit="CPU-s",
        ratio=ratio,
        spread=spread,
        alone=alone("rival"),
        bar=BAR,
        note=f"{share}; hmmlearn {rival.n_right(tasks)} of {len(tasks)} with the best of {rival.n_starts}, "
        f"{one:.1f} s a start of all ten",
    )
