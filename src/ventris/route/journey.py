"""The whole route from inputs to a classifier: codebook → decipher → distil → refine → match.

A step keeps its change to the classifier only if the held-out part finds the outputs at least as likely
as a label sequence; otherwise it is undone. No true label is anywhere in sight.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from ventris import objective
from ventris.classifiers.base import Learner
from ventris.classifiers.copies import one_label_an_input
from ventris.classifiers.loglinear import LogLinear
from ventris.classifiers.loglinear_learner import LogLinearLearner
from ventris.classifiers.penalty import choose_l2, has_many, has_plenty
from ventris.classifiers.table import TableLearner, transfer_table
from ventris.codes.codebook import Codebook, default_size, fit_codebook, lagged_pairs
from ventris.data.sequences import Sequences
from ventris.deciphering.annealing import ANNEALING
from ventris.deciphering.ciphertext import Ciphertext, Contender, PairStatistics, Stretch
from ventris.deciphering.descent import Divergence, descent
from ventris.deciphering.expectation import EXPECTATION, read_and_learn, table_score
from ventris.deciphering.race import TableSearch, race
from ventris.inference.score import DECISIVE, SCORE_ORDER, clamp_known, infer_labels, sequence_score
from ventris.kernels.cross_entropy import column_means
from ventris.label_model.model import NgramModel
from ventris.route.cross_reading import PENALTIES, CrossReading
from ventris.route.refine import refine
from ventris.solvers.full_batch import match_full_batch
from ventris.solvers.large_batches import expected_by_batches, match_by_batches

Array = NDArray[np.floating]
Row = dict[str, Any]

N_LAGS = 4
_ROUNDS = 20  # rounds of one order at most; they end sooner when the score settles
_FINE = 16  # a codebook that can be read is grown to this many codes a label
_FEW_CLASSES = 3  # labels up to which half as many starts are as sure to arrive
_MANY_CLASSES = 40  # labels beyond which pairs of fewer, fuller codes are the surer guide
_ANNEALED_CODES = 1000  # codes up to which annealing takes part
_POINTS_PER_CODE = 100  # a code seen less often has pairs too rare to count
_GROW_ROUNDS = 5  # of reading and learning, after which a finer codebook's table is judged
_READ_WORK = 1.5e7  # points times labels squared: what one reading of the codes in the search may cost
_FEWEST_READ, _MOST_READ = 20_000, 50_000  # points it then has, if there are as many
_MATCH_EXCESS = 0.05  # J − H as a share of H above which matching J on the raw inputs is tried
_MATCH_ITERATIONS = 10  # more lower J by ever surer outputs, from which no round of reading comes back
_MATCH_BATCHES = 500_000  # points from which batches reach the same J 1.4 to 4 times sooner
_PENALTY_ROWS = 30_000  # points on which penalties are compared
_AGREEMENT = 0.98  # share of an input's copies with one label from which the label is the input's own
_SLACK = 1e-3  # nats per symbol a step may lose to chance on the held-out part


@dataclass(frozen=True)
class RouteSettings:
    """What a user may set."""

    n_starts: int | None = None
    divergence: Divergence = "forward"
    codebook_size: int | None = None
    order: int | None = None
    refine: bool = True
    n_jobs: int = -1


@dataclass
class Route:
    """One journey: the data, the label model, and what each step has left behind.

    Attributes
    ----------
    train, held_out : Sequences
        Learning uses the first; the second only judges, until the last round on everything.
    known : int array of shape (T,), optional
        Known labels of `train` and then of `held_out`, −1 where unknown.
    announce : callable
        Told the name of each step and the least J − H so far.
    """

    train: Sequences
    held_out: Sequences
    lm: NgramModel
    learner: Learner
    settings: RouteSettings
    rng: np.random.Generator
    known: NDArray | None = None
    announce: Callable[[str, float | None], None] = lambda step, excess: None
    history: list[Row] = field(default_factory=list)
    codebook: Codebook | None = None
    statistics: PairStatistics | None = None
    table: Array | None = None
    decipherment: TableSearch | None = None
    climbing: bool = True
    _coded: tuple[Codebook, NDArray] | None = None  # the codes last asked for, and their codebook

    @property
    def order(self) -> int:
        """The highest order of the label model the route uses."""
        return min(self.lm.order, self.settings.order or self.lm.order)

    def steps(self) -> list[Callable[[], None]]:
        """The steps in order; each can be run once those before it have been."""
        first = [self.encode, self.decipher, self.grow, self.distil]
        if not self.settings.refine:
            return first
        rounds = [partial(self.refine, order, n) for order, n in self._schedule()]
        # The penalty is judged by labels as good as exact orders give: poor ones ask for too strong a one.
        return [*first, *rounds[:2], self.regularise, *rounds[2:], self.use_means, self.match, self.finish]

    def _schedule(self) -> list[tuple[int, int]]:
        """(order, rounds): low orders forgive and come first; the costly high ones put on the last touch."""
        if self.order <= 2:
            return [(self.order, 2), (self.order, _ROUNDS)]
        return [(2, 2), (3, _ROUNDS), *((order, 2) for order in range(4, self.order + 1))]

    # ---------------------------------------------------------------- the steps

    def encode(self) -> None:
        """Inputs to codes, and these to counts of their pairs; integer inputs are codes already."""
        if self.train.is_symbolic:
            return
        with self._step("codebook") as row:
            size = self.settings.codebook_size or self._coarse_size()
            self.codebook = fit_codebook(self.train, size, self.rng)
            self.statistics = self._statistics(*self._codes())
            row["codes"] = size

    def decipher(self) -> None:
        """Counts to the table p(label | code): what it costs does not depend on the number of points."""
        with self._step("decipher") as row:
            found = race(
                self._contenders(),
                self._ciphertext(),
                self.rng,
                n_starts=self.settings.n_starts or self._default_starts(),
                on_turn=partial(self.announce, "decipher"),
            )
            self.decipherment, self.table, self.statistics = found, found.table, None
            row |= {name: value for name, value in vars(found).items() if name not in ("table", "cost")}

    def grow(self) -> None:
        """A finer codebook, read with the help of the coarse one, if it reads fresh points better."""
        if self.codebook is None or self.table is None or self.settings.codebook_size:
            return
        size = min(_FINE * self.lm.n_classes, self.train.n_points // _POINTS_PER_CODE)
        if size <= self.codebook.size:
            return
        with self._step("grow") as row:
            coarse, score = self._codes()[0], self._fresh_score(self._ciphertext(), self.table)
            before = self.codebook, self.table
            self.codebook = fit_codebook(self.train, size, self.rng)
            finer = self._ciphertext(n_read=_POINTS_PER_CODE * size)
            start = transfer_table(self.table, coarse, self._codes()[0], size)
            self.table = read_and_learn(start, finer.sample, finer, _GROW_ROUNDS)
            after = self._fresh_score(finer, self.table)
            row |= {"codes": size, "score": after, "kept": after > score}
        if not row["kept"]:
            self.codebook, self.table = before

    def distil(self) -> None:
        """The table's reading of the whole sequence becomes the classifier's first lesson."""
        assert self.table is not None
        with self._step("distil") as row:
            kind = np.float64 if self.train.is_symbolic else self.train.data.dtype
            table = self.table.astype(kind)  # as precise as the inputs: its reading has a row for each point
            reading = TableLearner(len(table), table).predict_proba(self._codes()[0])
            labels, _ = infer_labels(
                clamp_known(reading, self._known_in_train), self.train.lengths, self.lm, min(2, self.order)
            )
            if isinstance(self.learner, LogLinearLearner) and self._reads_across:
                self.learner.l2 = PENALTIES[0]  # until labels are good enough to choose one by
            self.learner.fit(self.train.data, labels)
            row["score"] = self._held_out_score()

    def refine(self, order: int, rounds: int) -> None:
        """Rounds of one order; if they lower the held-out score they are undone and end the climb."""
        if not self.climbing:
            return
        before, score = copy.deepcopy(self.learner), self._held_out_score()
        with self._step("refine") as row:
            made = self._rounds(self.train, order, rounds, self._known_in_train)
            after = self._held_out_score()
            self.climbing = after >= score - _SLACK
            row |= {"order": order, "rounds": made, "score": after, "kept": self.climbing}
        if not self.climbing:
            vars(self.learner).update(vars(before))

    def regularise(self) -> None:
        """Choose the penalty that reads inputs left out of the fit best, and fit anew."""
        learner = self.learner
        if not isinstance(learner, LogLinearLearner) or not self._needs_penalty:
            return
        with self._step("regularise") as row:
            if self._reads_across:
                order = min(SCORE_ORDER, self.order)
                labels = self._labels(self.train, self._known_in_train, order)
                across = CrossReading(
                    learner, self.train, self.lm, self._known_in_train, n_jobs=self.settings.n_jobs
                )
                learner.l2, learner.sharpness, labels = across.choose_penalty(labels, order)
            else:
                labels = self._labels(self.train, self._known_in_train, min(2, self.order))
                rows = np.sort(self.rng.permutation(self.train.n_points)[:_PENALTY_ROWS])
                learner.l2 = choose_l2(self.train.data[rows], labels[rows].argmax(axis=1), learner.units)
            row |= {"l2": learner.l2, "sharpness": learner.sharpness}
            learner.model = None  # a few steps from weights of another penalty would not leave them behind
            learner.fit(self.train.data, labels)

    @cached_property
    def _needs_penalty(self) -> bool:
        return isinstance(self.learner, LogLinearLearner) and not has_plenty(self.train.data)

    @cached_property
    def _reads_across(self) -> bool:
        """Whether weights are so many that they must be judged by strangers, and inputs enough for halves."""
        return self._needs_penalty and has_many(self.train.data)

    def use_means(self) -> None:
        """Try weights from class means and one covariance: steadier than free ones, right for some inputs.

        They stay unless the held-out part speaks against them. Where the label model is weak it hardly ever
        can, and free weights then err by chance far more than means do.

        Only where free weights need no penalty: a penalty makes them timid, which costs them likelihood but
        no errors, and the held-out score would prefer means that err more.
        """
        learner = self.learner
        if not isinstance(learner, LogLinearLearner) or not learner.can_use_means or self._needs_penalty:
            return
        before, score = copy.copy(learner), self._held_out_score()
        with self._step("means") as row:
            learner.by_means = True
            row["rounds"] = self._rounds(self.train, self._last_order(), 4, self._known_in_train)
            after = self._held_out_score()
            against = (score - after) * (self.held_out.n_points or self.train.n_points)  # nats
            row |= {"score": after, "kept": against < DECISIVE}
        if not row["kept"]:
            vars(learner).update(vars(before))

    def _last_order(self) -> int:
        kept = [row["order"] for row in self.history if row["step"] == "refine" and row["kept"]]
        return max(kept, default=min(2, self.order))

    def match(self) -> None:
        """Match J on the raw inputs where the outputs' statistics still differ, and keep it if it pays."""
        learner, target = self.learner, self.lm.joint(min(2, self.order))
        if not isinstance(learner, LogLinearLearner) or learner.model is None:
            return
        task = self.train.data, self.train.lengths, target, learner.model
        expected = expected_by_batches(learner.model, self.train.data, target.ndim, self.train.lengths)
        excess = objective.excess_cost(target, np.maximum(expected, 1e-12))
        if excess < _MATCH_EXCESS * objective.entropy(target):
            return
        before, score, units = copy.copy(learner), self._held_out_score(), learner.units
        with self._step("match") as row:
            if self.train.n_points >= _MATCH_BATCHES:
                found = match_by_batches(*task, units, self.rng)
            else:
                intercept, mask = units.fit_intercept, units.mask
                found = match_full_batch(
                    *task, fit_intercept=intercept, mask=mask, max_iter=_MATCH_ITERATIONS
                )
            learner.model = found.model
            self._rounds(self.train, min(SCORE_ORDER, self.order), 4, self._known_in_train)
            after = self._held_out_score()
            row |= {"excess_cost": excess, "score": after, "kept": after > score}
        if not row["kept"]:
            vars(learner).update(vars(before))

    def finish(self) -> None:
        """Two more rounds on everything, the held-out part included; halves read each other if they can."""
        if not self.held_out.n_points:
            return
        with self._step("finish") as row:
            order = row["order"] = self._last_order()
            everything = joined(self.train, self.held_out)
            self._rounds(everything, order, 2, self.known, last=True)
            if isinstance(self.learner, LogLinearLearner) and self._needs_penalty and not self._reads_across:
                row["agreement"] = self._let_copies_vote(self.learner, everything, order)

    def _let_copies_vote(self, learner: LogLinearLearner, points: Sequences, order: int) -> float:
        """One label for all copies of an input, where nearly all of them have it already: their share.

        Few distinct inputs come again and again. What single sequences say against the others is then a
        mistake; where copies really have different labels, fewer agree, and nothing is changed.
        """
        labels = self._labels(points, self.known, order)
        agreed, share = one_label_an_input(points.data, labels)
        if share >= _AGREEMENT:
            learner.model = None
            learner.fit(points.data, agreed)
        return share

    # ---------------------------------------------------------------- to be continued after a kill

    def state(self) -> tuple[dict[str, NDArray], dict[str, Any]]:
        """Everything the steps so far have left behind, as arrays and JSON-able values."""
        arrays: dict[str, NDArray] = {}
        if self.codebook is not None:
            arrays |= {f"codebook.{name}": value for name, value in vars(self.codebook).items()}
        if self.table is not None:
            arrays["table"] = self.table
        if isinstance(self.learner, LogLinearLearner) and self.learner.model is not None:
            arrays |= {"coef": self.learner.model.coef, "intercept": self.learner.model.intercept}
            settings = ("l2", "sharpness", "by_means")
            arrays |= {name: np.array(getattr(self.learner, name)) for name in settings}
        if isinstance(self.learner, TableLearner) and self.learner.table is not None:
            arrays["learner.table"] = self.learner.table
        found = self.decipherment
        return arrays, {
            "history": self.history,
            "climbing": self.climbing,
            "rng": self.rng.bit_generator.state,
            "decipherment": {k: v for k, v in vars(found).items() if k != "table"} if found else None,
        }

    def restore(self, arrays: dict[str, NDArray], meta: dict[str, Any]) -> None:
        """Take up what `state` gave."""
        parts = {name[9:]: value for name, value in arrays.items() if name.startswith("codebook.")}
        self.codebook = Codebook(**parts) if parts else None
        self.table = arrays.get("table")
        if isinstance(self.learner, LogLinearLearner) and "coef" in arrays:
            gamma = self.learner.units.gamma
            self.learner.model = LogLinear(arrays["coef"], arrays["intercept"], gamma)
            self.learner.l2, self.learner.sharpness = float(arrays["l2"]), float(arrays["sharpness"])
            self.learner.by_means = bool(arrays["by_means"])
        if isinstance(self.learner, TableLearner):
            self.learner.table = arrays.get("learner.table")
        self.history, self.climbing = meta["history"], meta["climbing"]
        self.rng.bit_generator.state = meta["rng"]
        if meta["decipherment"] and self.table is not None:
            self.decipherment = TableSearch(self.table, **meta["decipherment"])

    # ---------------------------------------------------------------- what the steps share

    def _coarse_size(self) -> int:
        n_classes = self.lm.n_classes
        if n_classes > _MANY_CLASSES:
            return n_classes * 3 // 2
        return default_size(self.train.n_points, n_classes)

    def _contenders(self) -> list[Contender]:
        """Descent arrives most often; annealing, the dearest, knows no anchors and wants few, full codes."""
        quick = [descent(self.settings.divergence), EXPECTATION]
        can_anneal = self.known is None and self._codes()[1] <= _ANNEALED_CODES
        return [*quick, ANNEALING] if can_anneal else quick

    def _default_starts(self) -> int:
        """Few labels have few wrong answers to fall into; with many, only guesses by signature arrive."""
        return 24 if _FEW_CLASSES < self.lm.n_classes <= _MANY_CLASSES else 12

    def _ciphertext(self, n_read: int | None = None) -> Ciphertext:
        """The codes of the present codebook, as the search sees them."""
        work = np.clip(_READ_WORK / self.lm.n_classes**2, _FEWEST_READ, _MOST_READ)
        n_read = n_read or int(work)
        codes, n_codes = self._codes()
        fresh = self.held_out.data[:n_read]
        # Symbols are counted here, and so are the codes of a route taken up again after a kill.
        return Ciphertext(
            self.statistics or self._statistics(codes, n_codes),
            self.train.n_points,
            Stretch(codes, self.train.lengths, self._known_in_train).beginning(n_read),
            Stretch(self.codebook.codes(fresh) if self.codebook else fresh, self.held_out.lengths).beginning(
                n_read
            ),
            self.lm,
            min(2, self.order),
            self.codebook.centres if self.codebook else None,
            self._anchor(n_codes),
        )

    @staticmethod
    def _fresh_score(ciphertext: Ciphertext, table: Array) -> float:
        """Score of points not learnt from, or of the sample where none are held out."""
        fresh = ciphertext.fresh if len(ciphertext.fresh.codes) else ciphertext.sample
        return table_score(table, fresh, ciphertext)

    def _codes(self) -> tuple[NDArray, int]:
        """The codes of the training points, and how many codes there are."""
        if self.codebook is None:
            parts = [part.data for part in (self.train, self.held_out) if part.n_points]
            return self.train.data, 1 + max(int(symbols.max()) for symbols in parts)
        if self._coded is None or self._coded[0] is not self.codebook:
            self._coded = self.codebook, self.codebook.codes(self.train.data)
        return self._coded[1], self.codebook.size

    def _statistics(self, codes: NDArray, n_codes: int) -> PairStatistics:
        # Points farther apart than the longest sequence is long have no pairs.
        n_lags = int(np.clip(self.train.lengths.max() - 1, 1, N_LAGS))
        labels = np.stack([self.lm.pair(lag) for lag in range(1, n_lags + 1)])
        return PairStatistics(labels, lagged_pairs(codes, n_codes, self.train.lengths, n_lags))

    @property
    def _known_in_train(self) -> NDArray | None:
        return None if self.known is None else self.known[: self.train.n_points]

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
        return 4.0 * votes / np.maximum(votes.sum(axis=1, keepdims=True), 1.0)

    def _rounds(
        self, points: Sequences, order: int, at_most: int, known: NDArray | None, *, last: bool = False
    ) -> int:
        """Rounds of reading and learning; how many were made."""
        if isinstance(self.learner, LogLinearLearner) and self._reads_across:
            across = CrossReading(self.learner, points, self.lm, known, n_jobs=self.settings.n_jobs)
            labels, sharpness, made = across.rounds(self._labels(points, known, order), order, at_most)
            self.learner.resharpen(sharpness)
            fit = self.learner.fit_to_the_end if last else self.learner.fit
            fit(points.data, labels)
            return made
        X, n_jobs = points.data, self.settings.n_jobs
        orders = [order] * at_most
        return len(refine(self.learner, X, points.lengths, self.lm, orders, known=known, n_jobs=n_jobs))

    def _labels(self, points: Sequences, known: NDArray | None, order: int) -> Array:
        """What the whole sequence says about each point: label posteriors of shape (T, C)."""
        posteriors = clamp_known(self.learner.predict_proba(points.data), known)
        return infer_labels(posteriors, points.lengths, self.lm, order, n_jobs=self.settings.n_jobs)[0]

    def _held_out_score(self) -> float:
        part = self.held_out if self.held_out.n_points else self.train
        usage = column_means(self.learner.predict_proba(self.train.data[:200_000]))
        order = min(SCORE_ORDER, self.order)
        outputs, n_jobs = self.learner.predict_proba(part.data), self.settings.n_jobs
        return sequence_score(outputs, part.lengths, self.lm, order, usage, n_jobs)

    @contextmanager
    def _step(self, name: str) -> Iterator[Row]:
        self.announce(name, self.decipherment.excess_cost if self.decipherment else None)
        row: Row = {"step": name}
        wall, cpu = time.perf_counter(), time.process_time()
        yield row
        row |= {"seconds": time.perf_counter() - wall, "cpu_seconds": time.process_time() - cpu}
        self.history.append(row)


def joined(first: Sequences, second: Sequences) -> Sequences:
    """The sequences of both parts; a sequence that was cut in two stays cut.

    Neighbours in one array, as `Sequences.split` leaves them, are not copied: the copy would be as large as
    all the data.
    """
    one = _are_neighbours(first.data, second.data)
    shape = (first.n_points + second.n_points, *first.data.shape[1:])
    data = as_strided(first.data, shape) if one else np.concatenate([first.data, second.data])
    return Sequences(data, np.concatenate([first.lengths, second.lengths]))


def _are_neighbours(first: NDArray, second: NDArray) -> bool:
    """Whether both are slices of one array, the second beginning where the first ends."""
    one_owner = first.base is not None and first.base is second.base
    alike = first.dtype == second.dtype and first.shape[1:] == second.shape[1:]
    unbroken = first.flags.c_contiguous and second.flags.c_contiguous
    return one_owner and alike and unbroken and first.ctypes.data + first.nbytes == second.ctypes.data
