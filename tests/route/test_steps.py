"""The route: what each step leaves behind, what it undoes, how it goes on after a kill, known labels."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import ttest_rel
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from tests.route.journeys import DATA, LM, MEANS, QUICK, make_journey, take, taken_to_the_end, up_to

from ventris.classifiers.loglinear import Coordinates, LogLinear
from ventris.classifiers.loglinear_learner import LogLinearLearner
from ventris.classifiers.own import OwnLearner
from ventris.classifiers.table import TableLearner
from ventris.data.counts import PairCounts
from ventris.data.known_labels import KnownLabels
from ventris.data.sequences import Sequences, joined
from ventris.datasets import make_gaussian_hmm, make_paper_chain, random_hmm
from ventris.label_model.model import NgramModel
from ventris.route import search_steps
from ventris.route.journey import Gain, Journey
from ventris.route.settings import RouteSettings
from ventris.route.steps import Decipher, Distil, Encode, Finish, Grow, Refine, schedule, steps_of


@pytest.fixture(scope="module")
def states():
    """What each step of one journey left behind, as files would keep it; the last is the journey's end."""
    journey, kept = make_journey(), []
    for step in steps_of(journey):
        take(journey, step)
        arrays, meta = journey.state()
        kept.append(({name: array.copy() for name, array in arrays.items()}, json.dumps(meta)))
    return journey, kept


@pytest.fixture(scope="module")
def arrived(states):
    return states[0]


def error(journey):
    return np.mean(journey.learner.predict_proba(DATA.X).argmax(axis=1) != DATA.y)


def bayes_error():
    weights = np.exp(-0.5 * np.sum((DATA.X[:, None] - MEANS) ** 2, axis=2)) * LM.stationary()
    return np.mean(weights.argmax(axis=1) != DATA.y)


def test_the_journey_reads_what_it_was_never_taught(arrived):
    assert error(arrived) < bayes_error() + 0.01


def test_every_step_leaves_its_name_its_cost_and_its_worth(arrived):
    steps = [row["step"] for row in arrived.history]
    assert steps[:5] == ["codebook", "decipher", "adapt", "again", "distil"]
    assert steps[-2:] == ["adapt", "finish"]  # the second time, towards what the classifier reads
    assert all(row["seconds"] >= 0 and row["cpu_seconds"] >= 0 for row in arrived.history)
    rows = {row["step"]: row for row in arrived.history}
    assert rows["codebook"]["codes"] == arrived.codebook.size == len(arrived.table)
    assert rows["decipher"]["excess_cost"] == arrived.search.excess_cost
    assert rows["decipher"]["recurrence"] >= 2
    first = next(row for row in arrived.history if row["step"] == "refine")
    assert first["kept"] and first["gain"] >= -first["gain_se"]  # of what means, in between, have left
    assert rows["decipher"]["found_by"] in {"descent", "expectation", "annealing"}
    assert rows["decipher"]["fresh_score"] == arrived.search.fresh_score > 0
    json.dumps(arrived.history)  # plain data, for files


def test_without_rounds_the_journey_ends_at_the_first_lesson():
    journey = taken_to_the_end(make_journey(RouteSettings(n_starts=8, refine=False)))
    assert [row["step"] for row in journey.history][-1] == "distil"


def test_low_orders_come_first():
    lm = NgramModel.from_sequences([LM.sample(2_000, 0)], order=4)
    assert [order for order, _ in schedule(make_journey(lm=lm))] == [2, 3, 4]
    low = make_journey(RouteSettings(order=2), lm=lm)
    assert [order for order, _ in schedule(low)] == [2, 2] and low.order == 2


def test_the_codebook_size_can_be_given():
    journey = make_journey(RouteSettings(n_starts=8, codebook_size=17))
    take(journey, Encode())
    assert journey.codebook.size == 17


def test_a_finer_codebook_is_read_through_the_coarse_one(monkeypatch):
    lm, means = random_hmm(5, 3, random_state=3)
    data = make_gaussian_hmm(lm, means, n_samples=12_000, random_state=4)
    train, held_out = Sequences.of(data.X).split(0.1)
    learner = LogLinearLearner(Coordinates.of(data.X, 5))
    journey = Journey(train, held_out, lm, learner, QUICK, np.random.default_rng(0))
    take(journey, Encode(), Decipher())
    coarse, before = journey.codebook.size, journey.table[journey.codes()[0]].argmax(axis=1)
    take(journey, Grow())
    after = journey.table[journey.codes()[0]].argmax(axis=1)
    assert len(journey.table) == journey.codebook.size > coarse
    y = data.y[: train.n_points]
    assert np.mean(after != y) <= np.mean(before != y) + 0.01


def test_what_the_search_reads_does_not_grow_with_the_points():
    lengths = []
    for n in (60_000, 120_000):
        X = np.random.default_rng(0).integers(6, size=n)
        train, held_out = Sequences.of(X).split(0.45)
        journey = Journey(train, held_out, LM, TableLearner(6), QUICK, np.random.default_rng(0))
        ciphertext = journey.ciphertext()
        lengths.append((len(ciphertext.sample.codes), len(ciphertext.fresh.codes)))
        assert np.array_equal(ciphertext.fresh.codes, held_out.data[: lengths[-1][1]])
    assert lengths == [(33_000, 27_000), (50_000, 50_000)]


def test_who_races():
    known = np.full(len(DATA.y), -1)
    journeys = [
        make_journey(),
        make_journey(known=KnownLabels(known)),
        make_journey(RouteSettings(codebook_size=1001)),
    ]
    for journey in journeys:
        take(journey, Encode())
    names = [[contender.name for contender in Decipher().contenders(journey)] for journey in journeys]
    assert names == [
        ["descent", "expectation", "annealing"],
        ["descent", "expectation"],  # annealing knows no anchors
        ["descent", "expectation"],  # and is slow on so many codes
    ]


@pytest.mark.parametrize("seed", [73, 74, 75])
def test_a_weak_label_model_names_two_labels_rightly(seed):
    """Chain 9 tells 0.005 nats about the next label; the names of seed 73 were once mistaken."""
    chain = make_paper_chain(9, random_state=np.random.default_rng([seed, 9]))
    settings = RouteSettings(n_jobs=1)
    journey = make_journey(settings, chain.lm, seed=seed, X=chain.train.X)
    take(journey, Encode(), Decipher())
    labels = journey.table.argmax(axis=1)[journey.codebook.codes(chain.test.X)]
    assert np.mean(labels != chain.test.y) < 0.1


# ------------------------------------------------------------------------------------- what is undone


def spoiled(model):
    return LogLinear(np.roll(model.coef, 1, axis=0), model.intercept, model.gamma)


def test_a_finer_codebook_that_reads_fresh_points_worse_is_undone(monkeypatch):
    journey = make_journey(X=make_gaussian_hmm(LM, MEANS, n_samples=12_000, random_state=1).X)
    take(journey, Encode(), Decipher())
    codebook, table = journey.codebook, journey.table
    monkeypatch.setattr(search_steps, "read_and_learn", lambda table, *_: np.roll(table, 1, axis=1))
    take(journey, Grow())
    assert journey.history[-1]["step"] == "grow" and journey.history[-1]["kept"] is False
    assert journey.codebook is codebook and journey.table is table
    assert len(journey.codes()[0]) == journey.train.n_points and journey.codes()[1] == codebook.size


@pytest.mark.parametrize(("lm_order", "order", "climbs"), [(2, 2, False), (3, 2, True), (3, 3, False)])
def test_rounds_that_lower_the_held_out_score_are_undone(lm_order, order, climbs, monkeypatch):
    """They end the climb, but not before triples had their turn, where the label model has such."""
    lm = LM if lm_order == 2 else NgramModel.from_sequences([LM.sample(5_000, 0)], order=3)
    distilled = up_to(make_journey(lm=lm), Distil)
    before = distilled.learner.model

    def spoil(points, order, at_most, known):
        distilled.learner.model = spoiled(before)
        return at_most

    monkeypatch.setattr(distilled, "rounds", spoil)
    take(distilled, Refine(order, 3))
    np.testing.assert_array_equal(distilled.learner.model.coef, before.coef)
    row = distilled.history[-1]
    assert row["kept"] is False and row["gain"] < -3 * row["gain_se"] < 0
    assert Refine(3, 3).applies(distilled) is climbs


def test_a_gain_is_that_of_the_paired_stretches():
    """Against scipy's paired t-test: the same ratio of a mean to its standard error; seed 0."""
    rng = np.random.default_rng(0)
    before = 50 * rng.standard_normal(40)
    after = before + rng.standard_normal(40) + 0.3
    gain = Gain.of(before, after)
    assert gain.nats == pytest.approx(after.sum() - before.sum())
    assert gain.nats / gain.error == pytest.approx(ttest_rel(after, before).statistic)
    assert Gain.of(before[:1], after[:1]).suffices(-1.0) and Gain(-0.5, 0.01).suffices(-1.0, no_evidence=1.0)


def test_the_rows_of_a_journey_say_what_was_gained(states):
    journey, _ = states
    assert all("gain" in row for row in journey.history if "kept" in row)
    settings = journey.settings
    judged = [row for row in journey.history if "gain_se" in row]
    assert {"means", "refine"} <= {row["step"] for row in judged}
    assert search_steps.Adapt.saw_clusters(journey)  # the classes are such, so that means are leant to
    leans = {"grow": settings.lean_grow, "means": settings.lean_shaped, "refine": settings.lean_rounds}
    for row in judged:
        least = leans[row["step"]] * max(row["gain_se"], settings.no_evidence)
        assert row["kept"] is (row["gain"] >= least) and row["gain_se"] >= 0


class InPlace:
    """A user's own learner that changes its arrays where they are, as many do."""

    def fit(self, X, soft_targets, sample_weight=None):
        means = (soft_targets.T @ X) / soft_targets.sum(axis=0)[:, None]
        if not hasattr(self, "means"):
            self.means = np.zeros_like(means)
        self.means[:] = means

    def predict_proba(self, X):
        weights = np.exp(-0.5 * np.sum((X[:, None] - self.means) ** 2, axis=2))
        return weights / weights.sum(axis=1, keepdims=True)


def test_a_learner_that_changes_in_place_is_undone_too(monkeypatch):
    journey = up_to(make_journey(learner=OwnLearner(InPlace())), Distil)
    before = journey.learner.predict_proba(DATA.X)

    def spoil(points, order, at_most, known):
        means = journey.learner.classifier.means
        means[:] = np.roll(means, 1, axis=0)
        return at_most

    monkeypatch.setattr(journey, "rounds", spoil)
    take(journey, Refine(2, 3))
    assert journey.history[-1]["kept"] is False
    np.testing.assert_array_equal(journey.learner.predict_proba(DATA.X), before)


def test_many_labels_are_read():
    """60 labels, more than descent finds from small random starts; seed 0."""
    lm, means = random_hmm(60, 12, random_state=0)
    data = make_gaussian_hmm(lm, 2.5 * means, n_samples=30_000, random_state=1)
    journey = make_journey(RouteSettings(refine=False), lm=lm, X=data.X)
    take(journey, *steps_of(journey))
    assert journey.search.recurrence >= 2
    assert np.mean(journey.learner.predict_proba(data.X).argmax(axis=1) != data.y) < 0.1


@pytest.mark.parametrize(("copies", "votes"), [(40, True), (1, False)])
def test_copies_of_an_input_end_with_one_label(copies, votes):
    """Few inputs that come again and again vote; inputs that never do are left as they are; seed 2."""
    rng = np.random.default_rng(2)
    y = LM.sample(4_000, rng)
    pool = 1.5 * MEANS[:, None] + rng.standard_normal((4, len(y) // 4 // copies, 3))
    X = pool[y, rng.integers(pool.shape[1], size=len(y))] if copies > 1 else DATA.X[:2_500]
    journey = taken_to_the_end(make_journey(replace(QUICK, means_features=0), X=X))
    share = journey.history[-1]["agreement"]
    assert (share > 0.98) is votes and (share == 0.0) is not votes


@pytest.mark.parametrize("n_points", [400, 1_000, 3_000])
def test_few_gaussian_points_are_read_as_well_as_with_labels(n_points):
    """The better of two supervised classifiers, on the same points; seed 0."""
    fresh = make_gaussian_hmm(LM, MEANS, n_samples=10_000, random_state=2)
    X, y = DATA.X[:n_points], DATA.y[:n_points]
    journey = taken_to_the_end(make_journey(X=X))
    supervised = [
        LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto").fit(X, y).predict(fresh.X),
        LogisticRegression(max_iter=1_000).fit(X, y).predict(fresh.X),
    ]
    best = min(np.mean(labels != fresh.y) for labels in supervised)
    error = np.mean(journey.learner.predict_proba(fresh.X).argmax(axis=1) != fresh.y)
    assert error < 1.1 * best


@pytest.mark.parametrize(("n_features", "n_copies", "across"), [(11, 1, True), (1, 1, False), (11, 9, False)])
def test_halves_read_each_other_where_weights_are_many_and_copies_few(n_features, n_copies, across):
    rng = np.random.default_rng(0)
    X = np.repeat(rng.standard_normal((2_700 // n_copies, n_features)), n_copies, axis=0)
    journey = make_journey(MANY, X=np.r_[X, X[:300]])
    assert journey.reads_across is across and journey.needs_penalty is (n_features > 1)
    journey.learner.by_means = True
    assert not journey.reads_across and not journey.needs_penalty


@pytest.mark.parametrize("gaussian", [True, False])
def test_class_means_are_used_only_where_they_pay(gaussian):
    """Many Gaussian classes want means; classes of unlike spread want free weights; seed 0."""
    rng = np.random.default_rng(0)
    if gaussian:
        lm, means = random_hmm(12, 12, random_state=0)
        X = make_gaussian_hmm(lm, means, n_samples=16_000, random_state=1).X  # enough to need no penalty
    else:
        lm = NgramModel.from_transition_matrix([[0.2, 0.8], [0.7, 0.3]])
        y = lm.sample(6_000, 1)
        X = np.column_stack(
            [np.where(y, 0.3, 6.0) * rng.standard_exponential(6_000), rng.standard_normal(6_000)]
        )
    journey = taken_to_the_end(make_journey(RouteSettings(n_starts=16), lm=lm, X=X))
    step = next(row for row in journey.history if row["step"] == "means")
    assert step["kept"] is gaussian
    assert journey.learner.by_means is gaussian


def before_the_end(journey):
    return itertools.takewhile(lambda step: not isinstance(step, Finish), steps_of(journey))


MANY = replace(QUICK, means_features=0)  # these classes are Gaussian: means would need no penalty


def test_halves_read_each_other_where_weights_are_many():
    """Eight features that tell nothing; penalty and sharpness are chosen, and kept after a kill; seed 0."""
    noise = np.random.default_rng(0).standard_normal((len(DATA.X), 8))
    X = np.column_stack([DATA.X, noise])
    journey = make_journey(MANY, X=X)
    take(journey, *before_the_end(journey))
    chosen = next(row for row in journey.history if row["step"] == "regularise")
    assert journey.learner.l2 == chosen["l2"] and journey.learner.sharpness == chosen["sharpness"] != 1.0
    assert "means" not in [row["step"] for row in journey.history]
    taken_up = make_journey(MANY, X=X, seed=99)
    taken_up.restore(*journey.state())
    for each in (journey, taken_up):
        take(each, Finish())
        assert each.learner.sharpness != chosen["sharpness"]
    np.testing.assert_array_equal(journey.learner.model.coef, taken_up.learner.model.coef)
    assert np.mean(journey.learner.predict_proba(X).argmax(axis=1) != DATA.y) < bayes_error() + 0.03


def test_only_the_last_fit_goes_to_its_end(monkeypatch):
    noise = np.random.default_rng(0).standard_normal((len(DATA.X), 8))
    journey, to_the_end = make_journey(MANY, X=np.c_[DATA.X, noise]), LogLinearLearner.fit_to_the_end
    fitted = []

    def counted(learner, X, targets):
        fitted.append(len(X))
        return to_the_end(learner, X, targets)

    monkeypatch.setattr(LogLinearLearner, "fit_to_the_end", counted)
    take(journey, *before_the_end(journey))
    assert fitted == []
    take(journey, Finish())
    assert fitted == [len(DATA.X)]  # the held-out part included


# --------------------------------------------------------------------------------- going on after a kill


@pytest.mark.parametrize("done", range(1, 15))
def test_the_state_after_any_step_leads_to_the_same_weights(states, done):
    arrived, kept = states
    assert len(kept) == 15
    arrays, meta = kept[done - 1]
    journey = make_journey(seed=99)
    journey.restore({name: array.copy() for name, array in arrays.items()}, json.loads(meta))
    take(journey, *steps_of(journey)[done:])
    np.testing.assert_array_equal(journey.learner.model.coef, arrived.learner.model.coef)
    np.testing.assert_array_equal(journey.learner.model.intercept, arrived.learner.model.intercept)
    assert [row["step"] for row in journey.history] == [row["step"] for row in arrived.history]
    assert journey.search.excess_cost == arrived.search.excess_cost


# ------------------------------------------------------------------------------------------ known labels

RING = NgramModel.from_transition_matrix(0.85 * np.roll(np.eye(4), 1, axis=1) + 0.15 / 4)
RING_DATA = make_gaussian_hmm(RING, 4 * np.eye(4), n_samples=3_000, random_state=5)


@pytest.mark.parametrize("where", ["train", "held out"])
def test_one_known_point_a_label_decides_a_ring(where):
    """Known points of the held-out part anchor the table just as well."""
    known = np.full(3_000, -1)
    places = range(2_700) if where == "train" else range(2_700, 3_000)
    for label in range(4):
        known[next(t for t in places if RING_DATA.y[t] == label)] = label
    for seed in range(3):  # one ring in four would be right by chance
        train, held_out = Sequences.of(RING_DATA.X).split(0.1)
        learner = LogLinearLearner(Coordinates.of(RING_DATA.X, 4))
        rng = np.random.default_rng(seed)
        taken_to_the_end(Journey(train, held_out, RING, learner, QUICK, rng, KnownLabels(known)))
        assert np.mean(learner.predict_proba(RING_DATA.X).argmax(axis=1) != RING_DATA.y) < 0.05


# ----------------------------------------------------------------------------------------------- symbols


def test_symbols_need_no_codebook():
    key = np.array([2, 0, 3, 1])
    train, held_out = Sequences.of(key[DATA.y]).split(0.1)
    journey = taken_to_the_end(Journey(train, held_out, LM, TableLearner(4), QUICK, np.random.default_rng(0)))
    assert journey.codebook is None and journey.history[0]["step"] == "decipher"
    np.testing.assert_array_equal(journey.learner.table.argmax(axis=1)[key], np.arange(4))


def test_symbols_first_seen_in_the_held_out_part_have_their_row():
    symbols = np.array([2, 0, 3, 1])[DATA.y].copy()
    symbols[-5:] = 6
    known = np.full(3_000, -1)
    known[-1] = 2
    train, held_out = Sequences.of(symbols).split(0.1)
    journey = taken_to_the_end(
        Journey(train, held_out, LM, TableLearner(7), QUICK, np.random.default_rng(0), KnownLabels(known))
    )
    assert len(journey.table) == 7


def test_pairs_farther_apart_than_any_sequence_is_long_are_not_asked_for():
    train = Sequences.of([DATA.X[t : t + 2] for t in range(0, 3_000, 2)])
    empty = Sequences(DATA.X[:0], np.zeros(0, dtype=np.int64))
    learner = LogLinearLearner(Coordinates.of(DATA.X, 4))
    journey = Journey(train, empty, LM, learner, QUICK, np.random.default_rng(0))
    take(journey, Encode())
    statistics = journey.ciphertext().statistics
    assert len(statistics.label_pairs) == len(statistics.code_pairs) == 1


def test_pairs_are_counted_once_and_not_where_codes_are_only_read(monkeypatch):
    """A finer codebook is read, not searched: 3,200 codes would have 328 MB of pairs."""
    counted, add = [], PairCounts.add
    monkeypatch.setattr(
        PairCounts, "add", lambda self, *args: counted.append(self.n_lags) or add(self, *args)
    )
    journey = make_journey(X=make_gaussian_hmm(LM, MEANS, n_samples=12_000, random_state=1).X)
    take(journey, Encode(), Decipher(), Grow())
    assert journey.history[-1]["step"] == "grow"
    assert counted[0] == 4 and set(counted[1:]) == {0}


def test_both_parts_joined_are_the_whole():
    parts = Sequences.of([DATA.X[:100], DATA.X[100:150]]).split(0.2)
    whole = joined(*parts)
    np.testing.assert_array_equal(whole.data, DATA.X[:150])
    assert whole.lengths.tolist() == [100, 20, 30]


def test_parts_that_lie_side_by_side_are_joined_without_a_copy():
    train, held_out = Sequences.of(DATA.X).split(0.1)
    whole = joined(train, held_out)
    assert np.shares_memory(whole.data, DATA.X) and whole.n_points == len(DATA.X)
    assert joined(held_out, train).data.tolist() == np.concatenate([held_out.data, train.data]).tolist()


@pytest.mark.parametrize("seed", range(3))
def test_fifty_labels_are_read_from_forty_points_each(seed):
    """What the doubt about too few windows takes for granted, with a margin of five."""
    lm, means = random_hmm(50, 16, random_state=seed)
    data = make_gaussian_hmm(lm, means, n_samples=2_000, random_state=seed)
    journey = taken_to_the_end(make_journey(RouteSettings(n_jobs=1), lm, seed=seed, X=data.X))
    fresh = make_gaussian_hmm(lm, means, n_samples=5_000, random_state=100 + seed)
    assert np.mean(journey.learner.predict_proba(fresh.X).argmax(axis=1) != fresh.y) < 0.1
