"""The steps of the route, in their order: each has a name, says whether it applies, and runs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ventris.classifiers.base import Capability
from ventris.classifiers.copies import one_label_an_input
from ventris.classifiers.table import transfer_table
from ventris.codes.codebook import default_size, fit_codebook
from ventris.data.sequences import Sequences, joined
from ventris.deciphering.annealing import ANNEALING
from ventris.deciphering.ciphertext import Ciphertext, Contender
from ventris.deciphering.descent import DESCENT
from ventris.deciphering.expectation import EXPECTATION, read_and_learn, table_score
from ventris.deciphering.race import race
from ventris.inference.score import DECISIVE, SCORE_ORDER
from ventris.route.journey import Better, Journey, NotWorse, Row, UnlessDisproved


class Step(ABC):
    """One step: it changes the journey, and writes into its row what it did."""

    name: ClassVar[str]
    words: ClassVar[str]

    def applies(self, journey: Journey) -> bool:
        """Whether there is anything for it to do."""
        return True

    @abstractmethod
    def run(self, journey: Journey, row: Row) -> None:
        """Do it."""


class Encode(Step):
    """Inputs to codes; integer inputs are codes already (k-means)."""

    name = "codebook"
    words = "codebook: inputs become codes"

    def applies(self, journey: Journey) -> bool:
        return not journey.train.is_symbolic

    def run(self, journey: Journey, row: Row) -> None:
        size = journey.settings.codebook_size or self._size(journey)
        journey.codebook = fit_codebook(journey.train, size, journey.rng, journey.settings.codebook)
        row["codes"] = size

    @staticmethod
    def _size(journey: Journey) -> int:
        n_classes = journey.lm.n_classes
        if n_classes > journey.settings.many_labels:
            return int(n_classes * journey.settings.codes_a_label)
        return default_size(journey.train.n_points, n_classes, journey.settings.codebook)


class Decipher(Step):
    """Counts to the table p(label | code): what it costs does not depend on the number of points."""

    name = "decipher"
    words = "decipher: codes become labels"

    def run(self, journey: Journey, row: Row) -> None:
        found = race(
            self.contenders(journey),
            self.ciphertext(journey),
            journey.rng,
            n_starts=journey.settings.n_starts or self._starts(journey),
            on_turn=journey.on_turn,
        )
        journey.search, journey.table = found, found.table
        row |= {name: value for name, value in vars(found).items() if name not in ("table", "cost")}

    def contenders(self, journey: Journey) -> list[Contender]:
        """Descent arrives most often; annealing, the dearest, knows no anchors and wants few, full codes."""
        quick = [DESCENT, EXPECTATION]
        can_anneal = journey.known is None and journey.codes()[1] <= journey.settings.annealed_codes
        return [*quick, ANNEALING] if can_anneal else quick

    def ciphertext(self, journey: Journey) -> Ciphertext:
        """What they see."""
        return journey.ciphertext()

    @staticmethod
    def _starts(journey: Journey) -> int:
        settings, n_classes = journey.settings, journey.lm.n_classes
        usual = settings.few_labels < n_classes <= settings.many_labels
        return settings.starts if usual else settings.starts_few_or_many


class Grow(Step):
    """A finer codebook, read with the help of the coarse one, if it reads fresh points better."""

    name = "grow"
    words = "grow: a finer codebook"

    def applies(self, journey: Journey) -> bool:
        if journey.codebook is None or journey.settings.codebook_size:
            return False
        return self._size(journey) > journey.codebook.size

    @staticmethod
    def _size(journey: Journey) -> int:
        wanted = journey.settings.fine_codes_a_label * journey.lm.n_classes
        return min(wanted, journey.train.n_points // journey.settings.points_a_code)

    def run(self, journey: Journey, row: Row) -> None:
        size, settings = self._size(journey), journey.settings
        coarse, coarse_codes = journey.codebook, journey.codes()[0]

        def score() -> float:
            n_read = None if journey.codebook is coarse else settings.points_a_code * size
            return fresh_score(journey, n_read)

        with journey.trial(Better(), row, score):
            journey.codebook = fit_codebook(journey.train, size, journey.rng, settings.codebook)
            finer = journey.ciphertext(settings.points_a_code * size, n_lags=0)
            assert journey.table is not None
            start = transfer_table(journey.table, coarse_codes, journey.codes()[0], size)
            journey.table = read_and_learn(start, finer.sample, finer, settings.grow_rounds)
            row["codes"] = size


def fresh_score(journey: Journey, n_read: int | None = None) -> float:
    """Score of points not learnt from, read with the table; of the sample where none are held out."""
    ciphertext = journey.ciphertext(n_read, n_lags=0)
    assert journey.table is not None
    fresh = ciphertext.fresh if len(ciphertext.fresh.codes) else ciphertext.sample
    return table_score(journey.table, fresh, ciphertext)


class Distil(Step):
    """The table's reading of the whole sequence becomes the learner's first lesson (distillation)."""

    name = "distil"
    words = "distil: the table teaches a classifier"

    def run(self, journey: Journey, row: Row) -> None:
        assert journey.table is not None
        train, order = journey.train, min(2, journey.order)
        kind = np.float64 if train.is_symbolic else train.data.dtype
        table = journey.table.astype(kind)  # as precise as the inputs: its reading has a row for each point
        labels = journey.read(table[journey.codes()[0]], train, journey.known_in_train, order)
        if journey.reads_across:
            journey.learner.l2 = journey.settings.penalties[0]  # until labels are good enough to choose by
        journey.learn(train, labels, order)
        row["score"] = journey.held_out_score()


@dataclass(frozen=True)
class Refine(Step):
    """Rounds of one order; if they lower the held-out score they are undone and end the climb."""

    order: int
    rounds: int

    name = "refine"
    words = "refine: read with the label model, learn, again"

    def applies(self, journey: Journey) -> bool:
        return journey.climbing

    def run(self, journey: Journey, row: Row) -> None:
        with journey.trial(NotWorse(journey.settings.slack), row):
            made = journey.rounds(journey.train, self.order, self.rounds, journey.known_in_train)
            row |= {"order": self.order, "rounds": made}
        journey.climbing = row["kept"]


class Regularise(Step):
    """Choose the penalty that reads inputs left out of the fit best, and fit anew (L2 regularisation)."""

    name = "regularise"
    words = "regularise: choose the penalty"

    def applies(self, journey: Journey) -> bool:
        return journey.needs_penalty

    def run(self, journey: Journey, row: Row) -> None:
        learner, train, known = journey.learner, journey.train, journey.known_in_train
        order = min(SCORE_ORDER if journey.reads_across else 2, journey.order)
        labels = journey.labels(train, known, order)
        if journey.reads_across:
            across = journey.across(train, known)
            learner.l2, learner.sharpness, labels = across.choose_penalty(labels, order)
        else:
            n_points = journey.settings.penalty_points
            rows = np.sort(journey.rng.permutation(train.n_points)[:n_points])
            learner.l2 = learner.choose_penalty(train.data[rows], labels[rows].argmax(axis=1))
        row |= {"l2": learner.l2, "sharpness": learner.sharpness}
        learner.forget()
        journey.learn(train, labels, order)


class UseMeans(Step):
    """Try weights from class means and one covariance (linear discriminant analysis).

    They are steadier than free ones, and right for some inputs; they stay unless the held-out part speaks
    against them. Where the label model is weak it hardly ever can, and free weights then err by chance far
    more than means do.

    Only where free weights need no penalty: a penalty makes them timid, which costs them likelihood but no
    errors, and the held-out score would prefer means that err more.
    """

    name = "means"
    words = "means: weights from class means, if they do as well"

    def applies(self, journey: Journey) -> bool:
        return journey.can(Capability.CLASS_MEANS) and not journey.needs_penalty

    def run(self, journey: Journey, row: Row) -> None:
        with journey.trial(UnlessDisproved(DECISIVE), row):
            journey.learner.by_means = True
            n_rounds = journey.settings.trial_rounds
            row["rounds"] = journey.rounds(
                journey.train, journey.last_order, n_rounds, journey.known_in_train
            )


class Finish(Step):
    """Two more rounds on everything, the held-out part included; halves read each other if they can."""

    name = "finish"
    words = "finish: two more rounds on everything"

    def applies(self, journey: Journey) -> bool:
        return journey.held_out.n_points > 0

    def run(self, journey: Journey, row: Row) -> None:
        order = row["order"] = journey.last_order
        everything = joined(journey.train, journey.held_out)
        n_rounds = journey.settings.short_rounds
        row["rounds"] = journey.rounds(everything, order, n_rounds, journey.known, last=True)
        if journey.needs_penalty and not journey.reads_across:
            row["agreement"] = self._let_copies_vote(journey, everything, order)

    @staticmethod
    def _let_copies_vote(journey: Journey, points: Sequences, order: int) -> float:
        """One label for all copies of an input, where nearly all of them have it already: their share.

        Few distinct inputs come again and again. What single sequences say against the others is then a
        mistake; where copies really have different labels, fewer agree, and nothing is changed.
        """
        labels = journey.labels(points, journey.known, order)
        agreed, share = one_label_an_input(points.data, labels)
        if share >= journey.settings.agreement:
            journey.learner.forget()
            journey.learn(points, agreed, order)
        return share


def steps_of(journey: Journey) -> list[Step]:
    """The steps in their order; each can be taken once those before it have been."""
    first: list[Step] = [Encode(), Decipher(), Grow(), Distil()]
    if not journey.settings.refine:
        return first
    rounds = [Refine(order, n) for order, n in schedule(journey)]
    # The penalty is judged by labels as good as exact orders give: poor ones ask for too strong a one.
    return [*first, *rounds[:2], Regularise(), *rounds[2:], UseMeans(), Finish()]


def schedule(journey: Journey) -> list[tuple[int, int]]:
    """(order, rounds): low orders forgive and come first; the costly high ones put on the last touch."""
    many, few = journey.settings.rounds, journey.settings.short_rounds
    if journey.order <= 2:
        return [(journey.order, few), (journey.order, many)]
    return [(2, few), (3, many), *((order, few) for order in range(4, journey.order + 1))]
