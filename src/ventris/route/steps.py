"""The steps from a code table to a classifier, and all steps in their order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ventris.classifiers.base import Capability, Learner
from ventris.classifiers.copies import one_label_an_input
from ventris.data.contradictions import best_names, evidence_for_names
from ventris.data.sequences import Sequences, first_points, joined
from ventris.inference.adaptation import StrengthSettings, cross_choose_strength, move
from ventris.inference.adaptation import Stretch as Outputs
from ventris.inference.score import SCORE_ORDER, sequence_score
from ventris.label_model.adaptation import renamed, what_moved
from ventris.route.journey import Array, Journey, Row
from ventris.route.refine import Rehearsal
from ventris.route.search_steps import Adapt, Decipher, Encode, Grow, Name, SecondSearch
from ventris.route.step import Step


def first_labels(journey: Journey) -> Array:
    """What the table says of each training point in its sequence: shape (T, C)."""
    assert journey.table is not None
    train = journey.train
    kind = np.float64 if train.is_symbolic else train.data.dtype
    table = journey.table.astype(kind)  # as precise as the inputs: its reading has a row for each point
    return journey.read(table[journey.codes()[0]], train, journey.known_in_train, min(2, journey.order))


class Distil(Step):
    """The table's reading of the whole sequence becomes the learner's first lesson (distillation)."""

    name = "distil"
    words = "distil: the table teaches a classifier"

    def run(self, journey: Journey, row: Row) -> None:
        if journey.reads_across:
            journey.learner.l2 = journey.settings.penalties[0]  # until labels are good enough to choose by
        journey.learn(journey.train, first_labels(journey), min(2, journey.order))
        row["score"] = journey.held_out_score()


@dataclass(frozen=True)
class Refine(Step):
    """Rounds of one order; if held-out points speak against them they are undone and end the climb.

    Not before order 3 was tried, though: pairs may lead away from where triples stay.
    """

    order: int
    rounds: int

    name = "refine"
    words = "refine: read with the label model, learn, again"

    def applies(self, journey: Journey) -> bool:
        return journey.climbing

    def run(self, journey: Journey, row: Row) -> None:
        with journey.trial(journey.settings.lean_rounds, row):
            made = journey.rounds(journey.train, self.order, self.rounds, journey.known_in_train)
            row |= {"order": self.order, "rounds": made}
        journey.climbing = row["kept"] or self.order < min(SCORE_ORDER, journey.order)


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
        journey.begin_anew(train, labels, order)


class UseMeans(Step):
    """Weights from class means and one covariance, or free ones (linear discriminant analysis).

    Means need far fewer points, and are right for some inputs only. Either kind learns from one half of the
    points and is judged by the other, so each is charged with what it makes of few points.
    """

    name = "means"
    words = "means: weights from class means, if they do as well"

    def applies(self, journey: Journey) -> bool:
        settings, train = journey.settings, journey.train
        if not (journey.can(Capability.CLASS_MEANS) and journey.can(Capability.CROSS_FITTING)):
            return False
        fits = train.n_points >= settings.rehearsed_from and train.data.shape[1] <= settings.means_features
        return fits and journey.copies_among(settings.copies_looked_at) <= settings.rare_copies

    def run(self, journey: Journey, row: Row) -> None:
        order, labels, settings = min(2, journey.order), first_labels(journey), journey.settings
        X, lengths = first_points(journey.train.data, journey.train.lengths, settings.rehearsed_points)
        known = None if journey.known is None else journey.known[: len(X)]
        rehearsal = Rehearsal(X, lengths, journey.lm, order, known, settings=settings)
        penalties = settings.rehearsed_penalties if journey.has_few_points else (settings.learner.l2,)
        free, row["l2"] = self._free(rehearsal, journey.learner, labels, penalties)
        lean = settings.lean_shaped if Adapt.saw_clusters(journey) else settings.lean_means
        row |= journey.judged(free, rehearsal.logliks(journey.learner, labels, by_means=True), lean)
        if row["kept"]:
            journey.begin_anew(journey.train, labels, order, by_means=True)

    @staticmethod
    def _free(
        rehearsal: Rehearsal, learner: Learner, labels: Array, penalties: Sequence[float]
    ) -> tuple[Array, float]:
        """How likely stretches are to free weights at their best, and under which penalty."""
        tried: list[tuple[Array, float]] = []
        for l2 in penalties:
            tried.append((rehearsal.logliks(learner, labels, l2=l2), l2))
            if tried[-1][0].sum() < tried[0][0].sum():  # weaker ones, which take longest, will do worse
                break
        return max(tried, key=lambda one: one[0].sum())


class AdaptToOutputs(Step):
    """The label model moves towards what the classifier reads, at its own order, if other points approve."""

    name = "adapt"
    words = "adapt: the label model moves towards what was read, if other points approve"

    def applies(self, journey: Journey) -> bool:
        asked = journey.settings.adapt
        # What the classifier reads then holds more order than labels have.
        misled = asked == "auto" and any(row.get("misleads") for row in journey.history)
        lasting = journey.lm.durations is not None  # whose stays no n-grams could follow
        return asked is not False and journey.order >= 2 and not misled and not lasting

    def run(self, journey: Journey, row: Row) -> None:
        settings, given, order = journey.settings, journey.given, journey.last_order
        assert given is not None
        learnt = self._outputs(journey, journey.train)
        unchecked = settings.adapt == "auto" and not journey.held_out.n_points
        least = settings.insisting_unchecked if unchecked else settings.insisting
        strength = cross_choose_strength(
            learnt, given, order=order, settings=StrengthSettings(decisive=least)
        )
        asked = settings.adapt if isinstance(settings.adapt, float) else strength.pseudo_counts
        row |= {"order": order, "gain": strength.gain, "pseudo_counts": asked}
        row["kept"] = bool(np.isfinite(asked))
        if row["kept"]:
            journey.lm, expected = move(learnt, given, asked, order=order, start=journey.lm)
            # Label model and classifier pull each other along; at higher orders the last rounds must do.
            for _ in range(settings.alternations if order == 2 else 0):
                journey.rounds(journey.train, order, settings.short_rounds, journey.known_in_train)
                learnt = self._outputs(journey, journey.train)
                journey.lm, expected = move(learnt, given, asked, order=order, start=journey.lm)
            row["moved"] = [list(each) for each in what_moved(given, journey.lm, expected.ngrams)]

    @staticmethod
    def _outputs(journey: Journey, part: Sequences) -> Outputs:
        settings = journey.settings
        n_points = settings.adapting_pairs if journey.last_order == 2 else settings.adapting_points
        data, lengths = first_points(part.data, part.lengths, n_points)
        return Outputs(journey.learner.predict_sequences(Sequences(data, lengths)), lengths)


class Finish(Step):
    """Two more rounds on everything, the held-out part included; halves read each other if they can.

    A learner that goes on from fit to fit then begins anew: it may remember the first, worse labels.
    """

    name = "finish"
    words = "finish: two more rounds on everything"

    def applies(self, journey: Journey) -> bool:
        return journey.held_out.n_points > 0 or self._begins_anew(journey)

    @staticmethod
    def _begins_anew(journey: Journey) -> bool:
        """Weights with a penalty forget by themselves: there is one best fit, wherever it started."""
        return journey.can(Capability.ANEW) and not journey.can(Capability.PENALTY)

    def run(self, journey: Journey, row: Row) -> None:
        order = row["order"] = journey.last_order
        everything = joined(journey.train, journey.held_out)
        n_rounds = journey.settings.short_rounds if journey.held_out.n_points else 0
        row["rounds"] = journey.rounds(everything, order, n_rounds, journey.known, last=True)
        if self._begins_anew(journey):
            journey.begin_anew(everything, journey.labels(everything, journey.known, order), order)
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
            journey.begin_anew(points, agreed, order)
        return share


class NameAtLast(Step):
    """Known labels have the last word: rounds with a label model that contradicts them may have left them."""

    name = "name"
    words = "name: known labels have the last word"

    def applies(self, journey: Journey) -> bool:
        return Name().applies(journey)

    def run(self, journey: Journey, row: Row) -> None:
        known, settings = journey.known, journey.settings
        assert known is not None
        points = joined(journey.train, journey.held_out)
        outputs = journey.learner.predict_sequences(points)
        names = best_names(evidence_for_names(known, outputs[known.mask], settings.least_believed))
        row |= {"gain": names.gain, "kept": names.gain > settings.insisting}
        if not row["kept"]:
            return
        order, old = journey.last_order, np.argsort(names.permutation)
        # The last lesson once more under these names, read without what is known: that would not go with it.
        labels = journey.labels(points, None, order)[:, old]
        if journey.can(Capability.ANEW):
            journey.learner.forget()
        journey.learn(points, labels, order, last=True)
        follows = renamed(journey.lm, names.permutation)
        first, lengths = first_points(outputs[:, old], points.lengths, settings.adapting_points)
        scores = [sequence_score(first, lengths, lm, order) for lm in (journey.lm, follows)]
        # Either the names of the answer were wrong under this label model, or the label model's own are.
        if settings.adapt is not False and scores[1] > scores[0]:
            journey.lm = follows


def steps_of(journey: Journey) -> list[Step]:
    """The steps in their order; each can be taken once those before it have been."""
    first: list[Step] = [Encode(), Decipher(), Name(), Adapt(), SecondSearch(), Name(), Grow(), Distil()]
    if not journey.settings.refine:
        return first
    rounds = [Refine(order, n) for order, n in schedule(journey)]
    # The penalty is judged by labels as good as exact orders give: poor ones ask for too strong a one.
    return [
        *first,
        UseMeans(),
        *rounds[:2],
        Regularise(),
        *rounds[2:],
        AdaptToOutputs(),
        Finish(),
        NameAtLast(),
    ]


def schedule(journey: Journey) -> list[tuple[int, int]]:
    """(order, rounds): low orders forgive and come first; the costly high ones put on the last touch."""
    many, few = journey.settings.rounds, journey.settings.short_rounds
    if journey.order <= 2:
        return [(journey.order, few), (journey.order, many)]
    return [(2, few), (3, many), *((order, few) for order in range(4, journey.order + 1))]
