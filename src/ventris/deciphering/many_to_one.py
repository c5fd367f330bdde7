"""A many-to-one key, several symbols a label (homophones): annealed by guided moves, from several starts.

    score(key) = Σ over windows of the byte of the n-gram read there · H(usage of the labels)

H keeps the key from reading everything as a few common n-grams. Runs start from random keys, each longer than
the one before, until the best reading has recurred or the budget is spent: easy texts end at once, hard ones
get the long runs they need.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYet
from dataclasses import dataclass, field
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from ventris.deciphering.joint_table import JointTable, WindowIndex
from ventris.deciphering.key_score import RankedKeys, distinct_keys
from ventris.deciphering.key_settings import KEYS, KeySettings
from ventris.errors import DataError, ParameterError


@dataclass(frozen=True)
class SearchBudget:
    """How long a search may take.

    Attributes
    ----------
    effort : float
        Work, in what is usual: the same number gives the same answer on every machine.
    seconds : float or None
        Time by the clock after which the best so far is taken; None for no such end.
    n_jobs : int
        Runs at the same time, each in a thread of its own, −1 for one a processor; the answer does not depend
        on it.
    """

    effort: float = 1.0
    seconds: float | None = None
    n_jobs: int = 1

    def __post_init__(self) -> None:
        for name, value in (("effort", self.effort), ("time", self.seconds)):
            if value is not None and not value > 0:
                raise ParameterError(f"{name} must be a positive number", f"it is {value!r}", "Give 1")
        if not isinstance(self.n_jobs, int | np.integer) or not (self.n_jobs == -1 or self.n_jobs > 0):
            got = f"it is {self.n_jobs!r}"
            raise ParameterError("n_jobs must be a positive whole number, or -1 for all", got, "Give 1")

    @property
    def n_threads(self) -> int:
        """Threads that runs are shared among."""
        return int(self.n_jobs) if self.n_jobs > 0 else os.cpu_count() or 1


@dataclass(frozen=True)
class Found:
    """What the search knows after a run: for whoever watches it."""

    n_runs: int
    work_done: float  # share of the budget
    key: NDArray[np.int64]
    score: float  # nats
    n_alike: int  # runs that read the text like the best


Watcher = Callable[[Found], bool]  # True asks to stop


@dataclass(frozen=True)
class SharedKeys(RankedKeys):
    """Ends of the runs, best first.

    Attributes
    ----------
    n_runs, n_alike : int
        Runs, and how many of them read the text like the best.
    is_cut : bool
        Whether someone, or the clock, ended the search before its time.
    """

    n_runs: int
    n_alike: int
    is_cut: bool


def find_many_to_one(
    codes: NDArray,
    n_symbols: int,
    table: JointTable,
    rng: np.random.Generator,
    *,
    budget: SearchBudget | None = None,
    allowed: NDArray[np.bool_] | None = None,
    watch: Watcher | None = None,
    settings: KeySettings = KEYS,
) -> SharedKeys:
    """The likeliest many-to-one keys (simulated annealing).

    Their scores are in nats: the joint log-probability above the floor of every window, a label, times the
    entropy of usage in that of the language.

    Parameters
    ----------
    codes : int array of shape (N,)
        Symbols; a negative one is unknown.
    n_symbols : int
    table : JointTable
    rng : Generator
    budget : SearchBudget, optional
    allowed : bool array of shape (K, C), optional
        Labels that each symbol may have; all by default.
    watch : callable, optional
        Told of every run; True ends the search. Ctrl-C does so too.
    settings : KeySettings

    References
    ----------
    .. [1] S. Kirkpatrick, C. D. Gelatt and M. P. Vecchi, "Optimization by simulated annealing", Science 220
       (1983), 671-680.
    """
    budget = budget or SearchBudget()
    search = _Search.of(np.asarray(codes, dtype=np.int64), n_symbols, table, allowed, settings)
    ends = _Ends(search, watch)
    ends.gather(_runs(search, budget, rng), budget)
    return ends.ranked()


@dataclass(frozen=True)
class _Run:
    """One annealing: its start, its length, and the share of the budget that is spent after it."""

    start: NDArray[np.int64]
    moves: int
    seed: np.uint64
    spent: float


@dataclass(frozen=True, eq=False)
class _Search:
    """A text made ready for annealing."""

    codes: NDArray[np.int64]
    table: JointTable
    index: WindowIndex
    allowed: NDArray[np.bool_]
    movable: NDArray[np.int64]
    settings: KeySettings
    stop: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(1, dtype=np.bool_))

    @classmethod
    def of(
        cls,
        codes: NDArray,
        n_symbols: int,
        table: JointTable,
        allowed: NDArray[np.bool_] | None,
        settings: KeySettings,
    ) -> _Search:
        index = WindowIndex.of(codes, n_symbols, table.n_labels, table.order)
        if not len(index.windows):
            raise DataError(
                f"the text must hold at least {table.order} symbols in a row", "it is shorter", "Add more"
            )
        if allowed is None:
            allowed = np.ones((n_symbols, table.n_labels), dtype=np.bool_)
        movable = np.flatnonzero((index.occurrences > 0) & (allowed.sum(axis=1) > 1))
        return cls(codes, table, index, allowed, movable, settings)

    @property
    def work_a_round(self) -> float:
        """Windows looked up while every symbol has one turn, and what a turn costs beside."""
        return float(self.settings.turn_work * len(self.movable) + len(self.index.member))

    def random_key(self, rng: np.random.Generator) -> NDArray[np.int64]:
        drawn = rng.random(self.allowed.shape)
        return np.argmax(np.where(self.allowed, drawn, -1.0), axis=1)

    def anneal(self, run: _Run) -> tuple[NDArray[np.int64], float]:
        from ventris.kernels.guided_annealing import anneal_guided

        table, index, key, settings = self.table, self.index, run.start.copy(), self.settings
        hot, cold = (table.degree * nats for nats in settings.guided_temperatures)
        return anneal_guided(
            key, self.movable, self.allowed, index.numbers(key, table.n_labels), index.first, index.member,
            index.weight, index.place, index.occurrences, table.bytes, table.best, table.order,
            settings.guided_share, hot, cold, run.moves, run.seed, self.stop,
        )  # fmt: skip

    def readings(self, key: NDArray) -> NDArray[np.int64]:
        return key[self.codes[self.codes >= 0]]


def _runs(search: _Search, budget: SearchBudget, rng: np.random.Generator) -> Iterator[_Run]:
    """Runs, each longer than the one before; the last is cut to the work that is left."""
    if not len(search.movable):  # everything is known
        yield _Run(search.random_key(rng), 0, np.uint64(1), 1.0)
        return
    settings, effort = search.settings, budget.effort
    rounds = float(settings.guided_rounds)
    total, done = max(effort * settings.guided_work / search.work_a_round, rounds), 0.0
    while total - done >= settings.guided_rounds / 2:
        rounds = min(rounds, total - done)
        done += rounds
        moves = int(rounds * len(search.movable))
        yield _Run(search.random_key(rng), moves, np.uint64(rng.integers(1, 2**63)), done / total)
        rounds *= settings.guided_growth


class _Ends:
    """Where runs ended, in their order."""

    def __init__(self, search: _Search, watch: Watcher | None) -> None:
        self.search, self.watch = search, watch
        self.keys: list[NDArray[np.int64]] = []
        self.scores: list[float] = []
        self.n_alike, self.is_cut = 0, False

    def gather(self, runs: Iterator[_Run], budget: SearchBudget) -> None:
        """Runs side by side, their ends taken in order until the best has recurred or time is up."""
        search, ends_at = self.search, np.inf
        if budget.seconds is not None:
            ends_at = time.monotonic() + budget.seconds
        search.table.best  # noqa: B018  # made once, before the threads
        with ThreadPoolExecutor(budget.n_threads) as pool:
            under_way: list[tuple[_Run, Future]] = []
            try:
                while True:
                    fresh = islice(runs, 0 if self.is_cut else budget.n_threads - len(under_way))
                    under_way += [(run, pool.submit(search.anneal, run)) for run in fresh]
                    if not under_way:
                        return
                    run, end = under_way[0]
                    if not self._ended(end, ends_at):
                        continue
                    under_way.pop(0)
                    if self._take(run, *end.result()):
                        return
            except KeyboardInterrupt:
                self._cut()
                for run, end in under_way:
                    self._take(run, *end.result())
            finally:
                search.stop[0] = True

    def _ended(self, end: Future, ends_at: float) -> bool:
        """Wait a little; when time is up, ask every run to end."""
        try:
            end.result(timeout=self.search.settings.glance)
        except NotYet:
            if time.monotonic() >= ends_at:
                self._cut()
            return False
        if time.monotonic() >= ends_at:
            self._cut()
        return True

    def _cut(self) -> None:
        self.is_cut = True
        self.search.stop[0] = True

    def _take(self, run: _Run, key: NDArray, score: float) -> bool:
        """Whether the search is at its end."""
        search, settings = self.search, self.search.settings
        self.keys.append(key)
        self.scores.append(float(score))
        best = search.readings(self.keys[int(np.argmax(self.scores))])
        alike = [np.mean(search.readings(other) == best) >= settings.guided_alike for other in self.keys]
        self.n_alike = int(np.sum(alike))
        top = int(np.argmax(self.scores))
        found = Found(len(self.keys), run.spent, self.keys[top], self._nats(self.scores[top]), self.n_alike)
        if self.watch is not None and self.watch(found):
            self._cut()
        return self.is_cut or self.n_alike >= settings.guided_recurrences

    def _nats(self, score: float) -> float:
        return score / self.search.table.degree

    def ranked(self) -> SharedKeys:
        """The distinct ends, best first."""
        order = np.argsort(self.scores, kind="stable")[::-1]
        used = np.flatnonzero(self.search.index.occurrences)
        keys = distinct_keys([self.keys[i] for i in order], used)
        score_of = {tuple(key[used]): score for key, score in zip(self.keys, self.scores, strict=True)}
        scores = np.array([self._nats(score_of[tuple(key[used])]) for key in keys])
        share = self.n_alike / len(self.keys)
        return SharedKeys(np.array(keys), scores, share, len(self.keys), self.n_alike, self.is_cut)
