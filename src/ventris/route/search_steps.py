"""The steps from inputs to a code table: what each code means, under which names and which label model."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from ventris.classifiers.table import transfer_table
from ventris.codes.codebook import default_size, fit_codebook
from ventris.data.contradictions import best_names, evidence_for_names
from ventris.data.sequences import Sequences, first_points
from ventris.deciphering.annealing import ANNEALING
from ventris.deciphering.ciphertext import Ciphertext, Contender, Stretch
from ventris.deciphering.descent import DESCENT
from ventris.deciphering.expectation import EXPECTATION, Apart, disagreement, read_and_learn
from ventris.deciphering.freedom import Freed, let_go, settled
from ventris.deciphering.grouped_key import GROUPED_KEY
from ventris.deciphering.race import race, with_names
from ventris.deciphering.shapes import Cloud, let_go_by_shape
from ventris.deciphering.states_first import STATES
from ventris.inference.score import stretch_logliks
from ventris.label_model.adaptation import what_moved
from ventris.label_model.markov import stay_and_doors
from ventris.label_model.model import NgramModel
from ventris.route.journey import Array, Journey, Row
from ventris.route.refine import stretch_size
from ventris.route.step import Step


def dwells(journey: Journey) -> bool:
    """Whether labels last and then move to one of few others, as on a plan of rooms."""
    settings, lm = journey.settings.search.dwelling, journey.lm
    if lm.n_classes < settings.least_classes or journey.order < 2:
        return False
    stay, doors = stay_and_doors(np.asarray(lm.conditional(2)))
    return stay >= settings.least_stay and doors <= settings.most_doors * lm.n_classes


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
        if n_classes > journey.settings.many_labels and not dwells(journey):
            return int(n_classes * journey.settings.codes_a_label)
        return default_size(journey.train.n_points, n_classes, journey.settings.codebook)


@dataclass(frozen=True)
class Decipher(Step):
    """Counts to the table p(label | code): what it costs does not depend on the number of points."""

    max_laps: int | None = None

    name = "decipher"
    words = "decipher: codes become labels"

    def run(self, journey: Journey, row: Row) -> None:
        ciphertext = self.ciphertext(journey)
        found = race(
            self.contenders(journey),
            ciphertext,
            journey.rng,
            n_starts=self._starts(journey),
            on_turn=journey.on_turn,
        )
        if ciphertext.order >= 2:
            found = with_names(found, ciphertext)
        journey.search, journey.table = found, found.table
        row |= {name: value for name, value in vars(found).items() if name not in ("table", "cost")}
        row["rivals"] = [[list(names), loss, error] for names, loss, error in found.rivals]  # as JSON has it

    def contenders(self, journey: Journey) -> list[Contender]:
        """Descent arrives most often; annealing, the dearest, knows no anchors and wants few, full codes.

        With hundreds of labels, or as many symbols as labels, a key of groups arrives alone, and sooner.
        """
        if dwells(journey):
            return [STATES]  # the others fold a plan of rooms, and take longer for it
        settings, n_classes = journey.settings, journey.lm.n_classes
        symbols = journey.train.is_symbolic and journey.codes()[1] <= n_classes
        if journey.known is None and n_classes > (
            settings.keyed_symbols if symbols else settings.keyed_labels
        ):
            return [GROUPED_KEY]
        quick = [DESCENT, EXPECTATION]
        can_anneal = journey.known is None and journey.codes()[1] <= journey.settings.annealed_codes
        return [*quick, ANNEALING] if can_anneal else quick

    def ciphertext(self, journey: Journey) -> Ciphertext:
        """What they see."""
        ciphertext = journey.ciphertext()
        settings = ciphertext.settings
        if dwells(journey):  # one room in the wrong state is another answer
            stricter = settings.dwelling.same_answer, settings.dwelling.max_laps
            settings = replace(settings, same_answer=stricter[0], max_laps=stricter[1])
        if self.max_laps is not None:
            settings = replace(settings, max_laps=self.max_laps)
        return ciphertext if settings is ciphertext.settings else replace(ciphertext, settings=settings)

    def _starts(self, journey: Journey) -> int:
        settings, n_classes = journey.settings, journey.lm.n_classes
        usual = settings.few_labels < n_classes <= settings.many_labels
        chosen = settings.n_starts or (settings.starts if usual else settings.starts_few_or_many)
        return chosen if self.max_laps is None else -(-chosen // 2)  # a search that need not try as hard


class Name(Step):
    """Known labels are law: the table takes the names that agree with them, whatever the label model says."""

    name = "name"
    words = "name: the labels known of points give the names"

    def applies(self, journey: Journey) -> bool:
        return journey.known is not None and journey.known.n > 0

    def run(self, journey: Journey, row: Row) -> None:
        known, settings = journey.known, journey.settings
        assert known is not None and journey.table is not None
        outputs = journey.table[journey.known_codes()]
        names = best_names(evidence_for_names(known, outputs, settings.least_believed))
        row |= {"gain": names.gain, "kept": names.gain > settings.insisting}
        if row["kept"]:
            journey.rename(names.permutation)


class SecondSearch(Step):
    """Another answer from the same codes: the better is kept, and how far the two agree is told."""

    name = "again"
    words = "again: a second answer, to see whether it is the same"

    def applies(self, journey: Journey) -> bool:
        return journey.settings.n_fits > 1 and not journey.callbacks.is_stopping

    def run(self, journey: Journey, row: Row) -> None:
        first, found = journey.table, journey.search
        assert first is not None
        Decipher(journey.settings.second_laps).run(journey, {})
        second, another = journey.table, journey.search
        assert second is not None
        ciphertext = journey.ciphertext(journey.settings.compared_points, n_lags=0)
        logliks = [fresh_logliks(journey, table).sum() for table in (first, second)]
        apart = disagreement(first, second, ciphertext)
        row |= {"disagreement": apart.share, "renamed_disagreement": apart.renamed}
        row["unsteady"] = np.flatnonzero(apart.of_each > journey.settings.unsteady).tolist()
        row["gain"] = float(logliks[1] - logliks[0])
        # Where clusters of the inputs told the answer, codes, which leave it open, do not overrule them.
        told = Adapt.saw_clusters(journey, kept=True)
        row["kept"] = row["gain"] > journey.settings.insisting and not told
        if not row["kept"]:
            journey.table, journey.search = first, found
        elif another is not None:
            row |= {"recurrence": another.recurrence}


class Adapt(Step):
    """The label model's transitions follow the codes, where these insist (maximum a posteriori).

    A label model of a higher order has more to say than pairs of codes can: it waits for the classifier. One
    that is to stay (adapt=False) is asked all the same: what it would gain is a sign, and clusters are seen.
    """

    name = "adapt"
    words = "adapt: the label model moves towards the data, if they insist"

    def applies(self, journey: Journey) -> bool:
        return journey.order == journey.lm.order == 2 and journey.lm.durations is None

    def run(self, journey: Journey, row: Row) -> None:
        settings, asked = journey.settings, journey.settings.adapt
        assert journey.table is not None
        ciphertext, rng = journey.ciphertext(), generator_beside(journey.rng)
        freed = self._by_shape(journey, ciphertext, rng)
        if freed is None:
            freed = let_go(journey.table, ciphertext, self._worth(journey), rng)
        row |= {
            name: value for name, value in vars(freed).items() if name not in ("explained", "rival_names")
        }
        row["rival_names"] = freed.rival_names.tolist()
        before, after = (table.argmax(axis=1) for table in (journey.table, freed.explained.table))
        apart = Apart.of(before, after, journey.lm.n_classes, ciphertext.code_frequency)
        row |= {"departure": apart.share, "renamed_departure": apart.renamed}
        row["misleads"] = freed.residual >= settings.most_residual
        insists = freed.insists(settings.insisting, settings.insisting_deviations, settings.most_residual)
        row["kept"] = insists if asked == "auto" else asked is not False
        if row["kept"]:
            # Clusters tell more than the codes can: settled on these alone the answer would leave them.
            answer = freed.explained if freed.by_shape else settled(freed, ciphertext)
            journey.lm = NgramModel.from_transition_matrix(answer.transitions, classes=journey.lm.classes)
            journey.table = answer.table
            assert journey.given is not None
            row["moved"] = [list(each) for each in what_moved(journey.given, journey.lm, answer.pairs)]

    def _by_shape(self, journey: Journey, ciphertext: Ciphertext, rng: np.random.Generator) -> Freed | None:
        """What clusters of the inputs say, where labels may be such."""
        codebook, search = journey.codebook, journey.settings.search
        few = journey.lm.n_classes <= search.grouped_classes
        if codebook is None or not few or journey.known is not None or not journey.held_out.n_points:
            return None
        assert journey.table is not None

        def cloud(part: Sequences) -> Cloud:
            first, lengths = first_points(part.data, part.lengths, search.shaped_points)
            return Cloud(codebook.embed(first).astype(np.float64), lengths)

        learnt, fresh = cloud(journey.train), cloud(journey.held_out)
        return let_go_by_shape(journey.table, learnt, fresh, ciphertext, self._worth(journey), rng)

    @classmethod
    def saw_clusters(cls, journey: Journey, *, kept: bool = False) -> bool:
        """Whether classes were Gaussian clusters of the inputs, and, if asked, told the answer."""
        rows = (row for row in journey.history if row["step"] == cls.name and row.get("by_shape"))
        return any(row["kept"] or not kept for row in rows)

    @staticmethod
    def _worth(journey: Journey) -> tuple[float, ...]:
        settings = journey.settings
        if settings.adapt in ("auto", False):
            worth = settings.search.pseudo_counts
            return worth[:1] if journey.lm.n_classes <= settings.few_transitions else worth
        return settings.free_pseudo_counts if settings.adapt is True else (float(settings.adapt),)


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
        coarse_codes = journey.codes()[0]

        n_fresh = len(_fresh(journey.ciphertext(n_lags=0)).codes)
        with journey.trial(settings.lean_grow, row, partial(fresh_logliks, journey), n_fresh):
            journey.codebook = fit_codebook(journey.train, size, journey.rng, settings.codebook)
            finer = journey.ciphertext(settings.points_a_code * size, n_lags=0)
            assert journey.table is not None
            start = transfer_table(journey.table, coarse_codes, journey.codes()[0], size)
            journey.table = read_and_learn(start, finer.sample, finer, settings.grow_rounds)
            row["codes"] = size


def generator_beside(rng: np.random.Generator) -> np.random.Generator:
    """A generator seeded by another one's next draws, which that one makes all the same.

    So a step that changes nothing leaves those after it as they are without it.
    """
    return np.random.default_rng(deepcopy(rng).integers(2**32, size=4))


def _fresh(ciphertext: Ciphertext) -> Stretch:
    """Points not learnt from; the sample where none are held out."""
    return ciphertext.fresh if len(ciphertext.fresh.codes) else ciphertext.sample


def fresh_logliks(journey: Journey, table: Array | None = None) -> Array:
    """Log-likelihoods of stretches of points not learnt from, read with a table: shape (n,)."""
    ciphertext = journey.ciphertext(n_lags=0)
    table = journey.table if table is None else table
    assert table is not None
    fresh = _fresh(ciphertext)
    usage, size = ciphertext.code_frequency @ table, stretch_size(len(fresh.codes), journey.settings)
    reading = table[fresh.codes]
    order, n_jobs = ciphertext.order, journey.settings.n_jobs
    return stretch_logliks(reading, fresh.lengths, journey.lm, order, usage, n_jobs, size=size)
