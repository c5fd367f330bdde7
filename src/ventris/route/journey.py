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
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ventris.callbacks import Callbacks, Event
from ventris.classifiers.base import Capability, Learner, State
from ventris.codes.codebook import Codebook
from ventris.data.counts import N_LAGS, PairCounts, content_numbers
from ventris.data.known_labels import KnownLabels
from ventris.data.sequences import Sequences, first_points
from ventris.deciphering.ciphertext import Ciphertext, PairStatistics, Stretch
from ventris.deciphering.race import TableSearch
from ventris.inference.score import SCORE_ORDER, clamp_known, infer_labels, sequence_score, stretch_logliks
from ventris.kernels.softmax import column_means
from ventris.label_model.adaptation import renamed
from ventris.label_model.model import NgramModel
from ventris.label_model.state import lm_from_state, lm_to_state
from ventris.route.cross_reading import CrossReading
from ventris.route.refine import OnRound, Round, refine, sharpened, stretch_size
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
    known : KnownLabels, optional
        Of `train` and then of `held_out`.
    callbacks : Callbacks
    history : list of dict
        A row for each step that was taken.
    codebook, table, search : optional
        Where inputs are codes, what the codes mean, and how that was found.
    climbing : bool
        Whether rounds of the next order are still worth a try.
    given : NgramModel
        The label model as the user gave it; `lm` moves towards the data.
    n_lessons, n_rounds : int
        Fits of the learner, and rounds that were told of, so far.
    """

    train: Sequences
    held_out: Sequences
    lm: NgramModel
    learner: Learner
    settings: RouteSettings
    rng: np.random.Generator
    known: KnownLabels | None = None
    callbacks: Callbacks = field(default_factory=Callbacks)
    history: list[Row] = field(default_factory=list)
    codebook: Codebook | None = None
    table: Array | None = None
    search: TableSearch | None = None
    climbing: bool = True
    n_lessons: int = 0
    n_rounds: int = 0
    given: NgramModel | None = None
    _coded: tuple[Codebook, NDArray] | None = None  # the codes last asked for, and their codebook
    _under_way: Event = field(default_factory=lambda: Event("route"))

    def __post_init__(self) -> None:
        self.given = self.given or self.lm

    @property
    def order(self) -> int:
        """The highest order of the label model that is used."""
        return min(self.lm.order, self.settings.order or self.lm.order)

    @property
    def known_in_train(self) -> KnownLabels | None:
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
    def has_few_points(self) -> bool:
        """Whether the learner has a penalty, and too few points for free weights to do without."""
        return self.can(Capability.PENALTY) and self.learner.needs_penalty(self.train.data)

    @cached_property
    def copies(self) -> float:
        """How often an input comes, on average; asked for only where inputs are few."""
        return self.copies_among(self.train.n_points)

    def copies_among(self, n_points: int) -> float:
        """How often an input comes among the first so many points."""
        first = self.train.data[:n_points]
        return len(first) / len(np.unique(content_numbers(first)))

    @property
    def needs_penalty(self) -> bool:
        """Whether the weights must be held back; those from class means need not."""
        return self.has_few_points and not self.learner.by_means

    @property
    def reads_across(self) -> bool:
        """Whether weights are so many that points must be read by who learnt from others (cross-fitting)."""
        settings, n_points = self.settings, self.train.n_points
        if not (settings.read_across and self.needs_penalty and self.can(Capability.CROSS_FITTING)):
            return False
        strangers = self.copies <= settings.few_copies or n_points >= settings.many_inputs * self.copies
        return strangers and n_points < settings.free_points * self.learner.n_weights

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
            min(SCORE_ORDER, self.order),
        )

    def _anchor(self, n_codes: int) -> Array | None:
        """Starting logits that favour, for each code, the labels known of its points."""
        if self.known is None or not self.known.n:
            return None
        votes = self.known.votes(self.known_codes(), n_codes, self.lm.n_classes)
        return self.settings.anchor * votes / np.maximum(votes.sum(axis=1, keepdims=True), 1.0)

    def known_codes(self) -> NDArray:
        """Codes of the points, held out or not, of which something is known: shape (n,)."""
        assert self.known is not None
        mask, n_train = self.known.mask, self.train.n_points
        points = [self.train.data[mask[:n_train]], self.held_out.data[mask[n_train:]]]
        return np.concatenate([self.codebook.codes(part) if self.codebook else part for part in points])

    def rename(self, names: NDArray) -> None:
        """Call label i of the table `names[i]`, and of a label model that has followed it."""
        assert self.table is not None
        old = np.argsort(names)
        self.table = self.table[:, old]
        if self.lm is not self.given:
            self.lm = renamed(self.lm, names)

    # ---------------------------------------------------------------- reading and learning

    def labels(self, points: Sequences, known: KnownLabels | None, order: int) -> Array:
        """What the whole sequence says about each point, as the learner sees them: shape (T, C)."""
        return self.read(self.learner.predict_sequences(points), points, known, order)

    def read(self, outputs: Array, points: Sequences, known: KnownLabels | None, order: int) -> Array:
        """Posterior of each label given its whole sequence (forward–backward): shape (T, C)."""
        posteriors = clamp_known(outputs, known)
        return infer_labels(posteriors, points.lengths, self.lm, order, n_jobs=self.settings.n_jobs)[0]

    def learn(self, points: Sequences, labels: Array, order: int, *, last: bool = False) -> None:
        """One lesson of the learner; the last is learnt to its end."""
        if self.can(Capability.ROUNDS):
            self.learner.begin_round(self.n_lessons, order=order)
        self._attend(points)
        self.n_lessons += 1
        if last and self.can(Capability.CROSS_FITTING):
            self.learner.fit_to_the_end(points.data, labels)
        else:
            self.learner.fit_sequences(points, labels)

    def _attend(self, points: Sequences) -> None:
        """A learner of many passes is judged after each by points it is not about to learn from."""
        if not self.can(Capability.EPOCHS):
            return
        judging = points is self.train and self.held_out.n_points > 0
        self.learner.attend(self._score_of if judging else None, self._tell_pass)

    def _score_of(self, learner: Learner) -> float:
        part, order = self.held_out, min(2, self.order)
        outputs = learner.predict_sequences(part)
        return sequence_score(outputs, part.lengths, self.lm, order, n_jobs=self.settings.n_jobs)

    def _tell_pass(self, number: int, total: int) -> bool:
        return self.tell("update", number=number, part=number / total)

    def begin_anew(self, points: Sequences, labels: Array, order: int, *, by_means: bool = False) -> None:
        """Forget what earlier labels taught, and learn these."""
        self.learner.by_means = by_means
        self.learner.forget()
        self.learn(points, labels, order)

    def rounds(
        self, points: Sequences, order: int, at_most: int, known: KnownLabels | None, *, last: bool = False
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
        self._attend(points)
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

    def across(self, points: Sequences, known: KnownLabels | None) -> CrossReading:
        """Halves of these points that read each other."""
        return CrossReading(self.learner, points, self.lm, known, settings=self.settings)

    def fresh_outputs(self) -> tuple[Array, NDArray, NDArray]:
        """Outputs of points not learnt from (n, C), lengths of their sequences, and the learner's own labels.

        Halves of the points read each other, if the learner can be taught anew. A table has so few numbers
        for so many points that it may read its own; of another learner it is all there is.
        """
        data, lengths = first_points(self.train.data, self.train.lengths, self.settings.fresh_points)
        points = Sequences(data, lengths)
        own = self.learner.predict_sequences(points)
        if not self.can(Capability.CROSS_FITTING):
            return own, lengths, own.argmax(axis=1)
        known = None if self.known is None else self.known[: len(data)]
        labels = self.read(own, points, known, self.last_order)
        across = self.across(points, None)
        if across.half.min() == across.half.max():  # a single input, or two that fell into one half
            return own, lengths, own.argmax(axis=1)
        outputs = across.outputs(labels)
        return sharpened(outputs, self.learner.sharpness), lengths, own.argmax(axis=1)

    # ---------------------------------------------------------------- keep or undo

    @property
    def judge(self) -> Sequences:
        """Points not learnt from, or all where none are held out."""
        return self.held_out if self.held_out.n_points else self.train

    def held_out_logliks(self) -> Array:
        """Log-likelihood of each stretch of the points that judge, as the learner sees them: shape (n,)."""
        part = self.judge
        first = Sequences(*first_points(self.train.data, self.train.lengths, self.settings.usage_points))
        usage = column_means(self.learner.predict_sequences(first))
        order, size = min(SCORE_ORDER, self.order), stretch_size(part.n_points, self.settings)
        outputs, n_jobs = self.learner.predict_sequences(part), self.settings.n_jobs
        return stretch_logliks(outputs, part.lengths, self.lm, order, usage, n_jobs, size=size)

    def judged(self, before: Array, after: Array, lean: float) -> Row:
        """What was gained, its standard error and whether that is enough, for a row."""
        gain = Gain.of(before, after)
        kept = gain.suffices(lean, self.settings.no_evidence)
        return {"gain": gain.nats, "gain_se": gain.error, "kept": kept}

    def held_out_score(self) -> float:
        """Nats a symbol of the points that judge."""
        return float(self.held_out_logliks().sum() / self.judge.n_points)

    @contextmanager
    def trial(
        self,
        lean: float,
        row: Row,
        logliks: Callable[[], Array] | None = None,
        n_points: int | None = None,
    ) -> Iterator[None]:
        """What is done inside stays if it gains; else learner, codebook and table are put back.

        Parameters
        ----------
        lean : float
            Standard errors that it must gain: below 0 for what is good by itself, else for what costs.
        row : dict
            Takes the score after the change, what it gained, and whether it was kept.
        logliks : callable, optional
            What judges, before and after: log-likelihoods of the same stretches; by default those of the
            points held out.
        n_points : int, optional
            How many points these are.
        """
        logliks = logliks or self.held_out_logliks
        before, codes = logliks(), (self.codebook, self.table)
        learnt = self.learner.snapshot() if self.n_lessons else None  # before, there is nothing to keep
        yield
        after = logliks()
        row |= {
            "score": float(after.sum() / (n_points or self.judge.n_points)),
            **self.judged(before, after, lean),
        }
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
        if self.search is not None:  # the journey's own has gone on since
            arrays["search.table"] = self.search.table
        learnt, how = self.learner.get_state() if self.n_lessons else ({}, {})
        arrays |= {f"learner.{name}": value for name, value in learnt.items()}
        found = self.search
        header: dict[str, Any] | None = None
        if self.lm is not self.given:
            lm_arrays, header = lm_to_state(self.lm)
            arrays |= lm_arrays
        return arrays, {
            "lm": header,
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
        if meta["lm"]:
            self.lm = lm_from_state(arrays, meta["lm"])
        parts = _prefixed(arrays, "codebook.")
        self.codebook = Codebook(**parts) if parts else None
        self.table = arrays.get("table")
        if meta["n_lessons"]:
            self.learner.set_state(_prefixed(arrays, "learner."), meta["learner"])
        for name in ("history", "climbing", "n_lessons", "n_rounds"):
            setattr(self, name, meta[name])
        self.rng.bit_generator.state = meta["rng"]
        if meta["search"]:
            self.search = TableSearch(arrays["search.table"], **meta["search"])


def _prefixed(arrays: dict[str, NDArray], prefix: str) -> dict[str, NDArray]:
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}


class Gain(NamedTuple):
    """Nats that a change gained on the points that judge, and the standard error of that.

    Examples
    --------
    >>> gain = Gain.of(np.array([-50.0, -60.0, -40.0]), np.array([-49.0, -57.0, -38.0]))
    >>> gain.nats, round(gain.error, 3)
    (6.0, 1.732)
    >>> gain.suffices(lean=2.0), gain.suffices(lean=4.0)
    (True, False)
    """

    nats: float
    error: float

    @classmethod
    def of(cls, before: Array, after: Array) -> Gain:
        """From log-likelihoods of the same stretches (paired differences)."""
        differences = np.asarray(after, dtype=float) - before
        nats = float(differences.sum())
        if len(differences) < 2:
            return cls(nats, abs(nats))  # one stretch alone knows nothing of chance
        return cls(nats, float(np.sqrt(len(differences)) * differences.std(ddof=1)))

    def suffices(self, lean: float, no_evidence: float = 0.0) -> bool:
        """The one rule for all that is put on trial: so many standard errors must be gained.

        Less than `no_evidence` nats is taken for chance, however sure its sign: rounds that have converged
        lose a hair everywhere.
        """
        return bool(self.nats >= lean * max(self.error, no_evidence))
