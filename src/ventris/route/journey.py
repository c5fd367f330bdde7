"""One journey from inputs to a classifier: the data, what the steps have left behind, and what they share.

The steps themselves are in `steps`. A change that a step makes can be put on trial: it stays only if points
not learnt from find the outputs as likely as a label sequence. No true label is anywhere in sight.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ventris.callbacks import Callbacks, Event
from ventris.classifiers.base import Capability, Learner, State
from ventris.codes.codebook import Codebook
from ventris.data.counts import N_LAGS, PairCounts, has_many
from ventris.data.sequences import Sequences
from ventris.deciphering.ciphertext import Ciphertext, PairStatistics, Stretch
from ventris.deciphering.race import TableSearch
from ventris.inference.score import SCORE_ORDER, clamp_known, infer_labels, sequence_score
from ventris.kernels.softmax import column_means
from ventris.label_model.model import NgramModel
from ventris.route.cross_reading import CrossReading
from ventris.route.refine import OnRound, Round, refine
from ventris.route.settings import RouteSettings

Array = NDArray[np.floating]
Row = dict[str, Any]


@dataclass
class Journey:
    """The data, the label model, and what each step has left behind.

    Attributes
    ----------
    train, held_out : Sequences
        Learning uses the first; the second only judges, until the last round on everything.
    lm : NgramModel
    learner : Learner
    settings : RouteSettings
    rng : Generator
    known : int array of shape (T,), optional
        Known labels of `train` and then of `held_out`, −1 where unknown.
    callbacks : Callbacks
    history : list of dict
        A row for each step that was taken.
    codebook, table, search : optional
        Where inputs are codes, what the codes mean, and how that was found.
    climbing : bool
        Whether rounds of the next order are still worth a try.
    n_lessons, n_rounds : int
        Fits of the learner, and rounds that were told of, so far.
    """

    train: Sequences
    held_out: Sequences
    lm: NgramModel
    learner: Learner
    settings: RouteSettings
    rng: np.random.Generator
    known: NDArray | None = None
    callbacks: Callbacks = field(default_factory=Callbacks)
    history: list[Row] = field(default_factory=list)
    codebook: Codebook | None = None
    table: Array | None = None
    search: TableSearch | None = None
    climbing: bool = True
    n_lessons: int = 0
    n_rounds: int = 0
    _coded: tuple[Codebook, NDArray] | None = None  # the codes last asked for, and their codebook
    _under_way: Event = field(default_factory=lambda: Event("route"))

    @property
    def order(self) -> int:
        """The highest order of the label model that is used."""
        return min(self.lm.order, self.settings.order or self.lm.order)

    @property
    def known_in_train(self) -> NDArray | None:
        """Known labels of the training points."""
        return None if self.known is None else self.known[: self.train.n_points]

    @property
    def last_order(self) -> int:
        """The highest order whose rounds were kept."""
        kept = [row["order"] for row in self.history if row["step"] == "refine" and row["kept"]]
        return max(kept, default=min(2, self.order))

    def can(self, capability: Capability) -> bool:
        """Whether the learner can do this."""
        return capability in self.learner.capabilities

    @cached_property
    def needs_penalty(self) -> bool:
        """Whether the learner has a penalty, and too few points to do without."""
        return self.can(Capability.PENALTY) and self.learner.needs_penalty(self.train.data)

    @cached_property
    def reads_across(self) -> bool:
        """Whether weights are so many that points must be read by who learnt from others (cross-fitting)."""
        able = self.needs_penalty and self.can(Capability.CROSS_FITTING)
        return able and has_many(self.train.data, self.settings.many_inputs)

    # ---------------------------------------------------------------- codes

    def codes(self) -> tuple[NDArray, int]:
        """The codes of the training points, and how many codes there are."""
        if self.codebook is None:
            parts = [part.data for part in (self.train, self.held_out) if part.n_points]
            return self.train.data, 1 + max(int(symbols.max()) for symbols in parts)
        if self._coded is None or self._coded[0] is not self.codebook:
            self._coded = self.codebook, self.codebook.codes(self.train.data)
        return self._coded[1], self.codebook.size

    def ciphertext(self, n_read: int | None = None, *, n_lags: int = N_LAGS) -> Ciphertext:
        """The codes of the present codebook, as a search sees them.

        Parameters
        ----------
        n_read : int, optional
            Points to be read as sequences at most, learnt from and fresh; by default as many as reading may
            cost.
        n_lags : int
            Lags at which pairs are counted; 0 where codes are only to be read: the pairs of 3,200 codes at
            four lags fill 328 MB.
        """
        settings = self.settings
        work = np.clip(settings.read_work / self.lm.n_classes**2, settings.fewest_read, settings.most_read)
        n_read = n_read or int(work)
        codes, n_codes = self.codes()
        # Points farther apart than the longest sequence is long have no pairs.
        n_lags = min(n_lags, max(1, int(self.train.lengths.max()) - 1))
        counts = PairCounts(n_codes, n_lags).add(codes, self.train.lengths)
        labels = [self.lm.pair(lag) for lag in range(1, n_lags + 1)]
        n_classes = self.lm.n_classes
        fresh = self.held_out.data[:n_read]
        fresh_codes = self.codebook.codes(fresh) if self.codebook else fresh
        return Ciphertext(
            PairStatistics(np.reshape(labels, (n_lags, n_classes, n_classes)), counts.frequencies()),
            self.train.n_points,
            Stretch(codes, self.train.lengths, self.known_in_train).beginning(n_read),
            Stretch(fresh_codes, self.held_out.lengths).beginning(n_read),
            self.lm,
            min(2, self.order),
            self.codebook.centres if self.codebook else None,
            self._anchor(n_codes),
            settings.search,
            None if n_lags else counts.code_frequencies(),
        )

    def _anchor(self, n_codes: int) -> Array | None:
        """Starting logits that favour, for each code, the labels known of its points."""
        if self.known is None or not np.any(self.known >= 0):
            return None
        votes = np.zeros((n_codes, self.lm.n_classes))
        for part, known in zip(
            (self.train, self.held_out), np.split(self.known, [self.train.n_points]), strict=True
        ):
            points, labels = part.data[known >= 0], known[known >= 0]
            np.add.at(votes, (self.codebook.codes(points) if self.codebook else points, labels), 1.0)
        return self.settings.anchor * votes / np.maximum(votes.sum(axis=1, keepdims=True), 1.0)

    # ---------------------------------------------------------------- reading and learning

    def labels(self, points: Sequences, known: NDArray | None, order: int) -> Array:
        """What the whole sequence says about each point, as the learner sees them: shape (T, C)."""
        return self.read(self.learner.predict_proba(points.data), points, known, order)

    def read(self, outputs: Array, points: Sequences, known: NDArray | None, order: int) -> Array:
        """Posterior of each label given its whole sequence (forward–backward): shape (T, C)."""
        posteriors = clamp_known(outputs, known)
        return infer_labels(posteriors, points.lengths, self.lm, order, n_jobs=self.settings.n_jobs)[0]

    def learn(self, points: Sequences, labels: Array, order: int, *, last: bool = False) -> None:
        """One lesson of the learner; the last is learnt to its end."""
        if self.can(Capability.ROUNDS):
            self.learner.begin_round(self.n_lessons, order=order)
        self.n_lessons += 1
        if last and self.can(Capability.CROSS_FITTING):
            self.learner.fit_to_the_end(points.data, labels)
        else:
            self.learner.fit(points.data, labels)

    def rounds(
        self, points: Sequences, order: int, at_most: int, known: NDArray | None, *, last: bool = False
    ) -> int:
        """Rounds of reading and learning (self-training); how many were made."""
        if self.reads_across:
            across = self.across(points, known)
            first = self.labels(points, known, order)
            tell = self._on_round and partial(self._tell_round, predict=across.predict)
            labels, sharpness, made = across.rounds(first, order, at_most, tell)
            self.learner.resharpen(sharpness)
            self.learn(points, labels, order, last=last)
            return made
        taken = refine(
            self.learner,
            points.data,
            points.lengths,
            self.lm,
            [order] * at_most,
            known=known,
            settings=self.settings,
            on_round=self._on_round,
            n_before=self.n_lessons,
        )
        self.n_lessons += len(taken)
        return len(taken)

    def across(self, points: Sequences, known: NDArray | None) -> CrossReading:
        """Halves of these points that read each other."""
        return CrossReading(self.learner, points, self.lm, known, settings=self.settings)

    # ---------------------------------------------------------------- keep or undo

    def held_out_score(self) -> float:
        """Sequence score of the learner on points not learnt from, or on all where none are held out."""
        part = self.held_out if self.held_out.n_points else self.train
        usage = column_means(self.learner.predict_proba(self.train.data[: self.settings.usage_points]))
        order = min(SCORE_ORDER, self.order)
        outputs, n_jobs = self.learner.predict_proba(part.data), self.settings.n_jobs
        return sequence_score(outputs, part.lengths, self.lm, order, usage, n_jobs)

    @contextmanager
    def trial(self, rule: Rule, row: Row, score: Callable[[], float] | None = None) -> Iterator[None]:
        """What is done inside stays if the rule says so; else learner, codebook and table are put back.

        Parameters
        ----------
        rule : Rule
        row : dict
            Takes the score after the change, and whether it was kept.
        score : callable, optional
            What judges, before and after; the learner's held-out score by default.
        """
        score = score or self.held_out_score
        before, codes = score(), (self.codebook, self.table)
        learnt = self.learner.snapshot() if self.n_lessons else None  # before, there is nothing to keep
        yield
        after = score()
        n_points = self.held_out.n_points or self.train.n_points
        row |= {"score": after, "kept": rule.keeps(before, after, n_points)}
        if not row["kept"]:
            self.codebook, self.table = codes
            if learnt is not None:
                self.learner.restore(learnt)

    # ---------------------------------------------------------------- who is watching

    def tell(self, moment: str, **told: Any) -> bool:
        """An event of the step under way; whether someone has asked to stop."""
        if not self.callbacks.callbacks:
            return False
        excess = self.search.excess_cost if self.search else None
        event = replace(self._under_way, **({"excess_cost": excess} | self._answers() | told))
        return self.callbacks.tell(moment, event)

    @property
    def on_turn(self) -> Callable[[float], bool] | None:
        """Tells J − H of the best table so far, if anyone listens."""
        return (lambda excess: self.tell("start", excess_cost=excess)) if self.callbacks.callbacks else None

    def _answers(self) -> dict[str, Any]:
        """How an input would be answered now: by the learner, or by the table's row of its code."""
        if self.n_lessons:
            return {"predict": self.learner.predict_proba, "model": self.learner.model}
        table, codebook = self.table, self.codebook
        if table is None:
            return {}
        read = (lambda X: table[X]) if codebook is None else (lambda X: table[codebook.codes(X)])
        return {"predict": read, "codebook": codebook, "table": table}

    @property
    def _on_round(self) -> OnRound | None:
        return self._tell_round if self.callbacks.callbacks else None

    def _tell_round(self, made: Round, predict: Callable[[Any], Array] | None = None) -> bool:
        """A round has ended; where halves learnt in it, they answer together, and the learner after them."""
        self.n_rounds += 1
        halves = {"predict": partial(predict), "model": None} if predict else {}
        return self.tell("round", number=self.n_rounds, order=made.order, score=made.score, **halves)

    @contextmanager
    def step(self, name: str, words: str, done: int, total: int) -> Iterator[Row]:
        """Times what is done inside, tells of its beginning and its end, and keeps its row."""
        self._under_way = Event(name, words, done, total)
        self.tell("step_begin")
        row: Row = {"step": name}
        wall, cpu = time.perf_counter(), time.process_time()
        yield row
        row |= {"seconds": time.perf_counter() - wall, "cpu_seconds": time.process_time() - cpu}
        self.history.append(row)
        self._under_way = replace(self._under_way, done=done + 1)
        self.tell("step_end", row=row, score=row.get("score"))

    # ---------------------------------------------------------------- to be continued after a kill

    def state(self) -> State:
        """Everything the steps so far have left behind, as arrays and JSON-able values."""
        arrays: dict[str, NDArray] = {}
        if self.codebook is not None:
            arrays |= {f"codebook.{name}": value for name, value in vars(self.codebook).items()}
        if self.table is not None:
            arrays["table"] = self.table
        learnt, how = self.learner.get_state() if self.n_lessons else ({}, {})
        arrays |= {f"learner.{name}": value for name, value in learnt.items()}
        found = self.search
        return arrays, {
            "history": self.history,
            "climbing": self.climbing,
            "n_lessons": self.n_lessons,
            "n_rounds": self.n_rounds,
            "rng": self.rng.bit_generator.state,
            "learner": how,
            "search": {k: v for k, v in vars(found).items() if k != "table"} if found else None,
        }

    def restore(self, arrays: dict[str, NDArray], meta: dict[str, Any]) -> None:
        """Take up what `state` gave."""
        parts = _prefixed(arrays, "codebook.")
        self.codebook = Codebook(**parts) if parts else None
        self.table = arrays.get("table")
        if meta["n_lessons"]:
            self.learner.set_state(_prefixed(arrays, "learner."), meta["learner"])
        for name in ("history", "climbing", "n_lessons", "n_rounds"):
            setattr(self, name, meta[name])
        self.rng.bit_generator.state = meta["rng"]
        if meta["search"] and self.table is not None:
            self.search = TableSearch(self.table, **meta["search"])


def _prefixed(arrays: dict[str, NDArray], prefix: str) -> dict[str, NDArray]:
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}


class Rule(Protocol):
    """Says whether a change stays."""

    def keeps(self, before: float, after: float, n_points: int) -> bool:
        """By the score before and after it, on `n_points` points."""


@dataclass(frozen=True)
class Better:
    """It must gain: for changes that cost something, such as a finer codebook.

    Examples
    --------
    >>> Better().keeps(0.5, 0.5, 1000), Better().keeps(0.5, 0.6, 1000)
    (False, True)
    """

    def keeps(self, before: float, after: float, n_points: int) -> bool:
        return after > before


@dataclass(frozen=True)
class NotWorse:
    """It may lose `slack` nats a symbol, as much as chance does: for rounds, which gain nearly always.

    Examples
    --------
    >>> NotWorse(slack=1e-3).keeps(0.5, 0.4995, 1000)
    True
    """

    slack: float

    def keeps(self, before: float, after: float, n_points: int) -> bool:
        return after >= before - self.slack


@dataclass(frozen=True)
class UnlessDisproved:
    """It stays unless the points together speak against it by `nats`: for what is steadier by itself.

    Examples
    --------
    >>> rule = UnlessDisproved(nats=5.0)
    >>> rule.keeps(0.50, 0.499, n_points=1000), rule.keeps(0.50, 0.49, n_points=1000)
    (True, False)
    """

    nats: float

    def keeps(self, before: float, after: float, n_points: int) -> bool:
        return (before - after) * n_points < self.nats
