"""Names from known labels, a second search, and label models that follow the data, as steps of the route."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from tests.route.journeys import DATA, LM, MEANS, QUICK, make_journey, take, taken_to_the_end, up_to

from ventris.classifiers.table import TableLearner
from ventris.data.known_labels import KnownLabels
from ventris.data.sequences import Sequences
from ventris.datasets import make_gaussian_hmm
from ventris.label_model.markov import stationary_distribution
from ventris.label_model.model import NgramModel
from ventris.route.journey import Journey
from ventris.route.search_steps import Adapt, Decipher, Encode, Name, SecondSearch, generator_beside
from ventris.route.steps import AdaptToOutputs, Distil, Finish, NameAtLast, UseMeans, steps_of

NAMES = np.array([2, 0, 3, 1])  # what label i is called in a wrong naming


def known_at(places, names=None):
    """The labels of these points, certain; under other names if they are given."""
    hard = np.full(len(DATA.y), -1)
    hard[places] = DATA.y[places] if names is None else names[DATA.y[places]]
    return KnownLabels(hard)


def one_of_each(places):
    return [next(t for t in places if DATA.y[t] == label) for label in range(4)]


# ------------------------------------------------------------------------------------------------- names


@pytest.fixture(scope="module")
def deciphered():
    """A journey of three steps whose table is right: what each code means."""
    journey = take(make_journey(), Encode(), Decipher())
    assert np.mean(journey.table[journey.codes()[0]].argmax(axis=1) != DATA.y[:2_700]) < 0.2
    return journey


def named(deciphered, table, known, lm=None):
    """The same journey with this table, once the step has been taken."""
    journey = make_journey(known=known)
    journey.codebook, journey.table, journey.search = deciphered.codebook, table, deciphered.search
    if lm is not None:
        journey.lm = lm
    return take(journey, Name())


@pytest.mark.parametrize("places", [range(2_700), range(2_700, 3_000)], ids=["train", "held out"])
def test_the_table_takes_the_names_that_known_labels_have(deciphered, places):
    right = deciphered.table
    wrong = right[:, np.argsort(NAMES)]
    journey = named(deciphered, wrong, known_at(one_of_each(places) + list(places)[:30]))
    row = journey.history[-1]
    assert row["step"] == "name" and row["kept"] and row["gain"] > QUICK.insisting
    np.testing.assert_array_equal(journey.table, right)


def test_a_table_with_the_right_names_keeps_them(deciphered):
    journey = named(deciphered, deciphered.table, known_at(range(60)))
    assert journey.history[-1]["kept"] is False and journey.table is deciphered.table


def test_without_known_labels_nobody_names(deciphered):
    assert not Name().applies(deciphered)
    assert not Name().applies(make_journey(known=KnownLabels(np.full(len(DATA.y), -1))))


def test_a_label_model_that_has_followed_is_renamed_with_the_table(deciphered):
    moved = NgramModel.from_transition_matrix(LM.conditional(2))
    old = np.argsort(NAMES)
    wrong = NgramModel.from_transition_matrix(LM.conditional(2)[np.ix_(old, old)])
    journey = named(deciphered, deciphered.table[:, old], known_at(range(60)), lm=wrong)
    np.testing.assert_allclose(journey.lm.conditional(2), moved.conditional(2))
    unmoved = named(deciphered, deciphered.table[:, old], known_at(range(60)))
    assert unmoved.lm is unmoved.given  # what the user gave keeps the names the user gave


def error(journey, names=None):
    labels = DATA.y if names is None else names[DATA.y]
    return np.mean(journey.learner.predict_proba(DATA.X).argmax(axis=1) != labels)


@pytest.mark.parametrize("places", [range(100), range(2_700, 2_800)], ids=["train", "held out"])
def test_known_labels_are_law_where_the_label_model_says_otherwise(places):
    """Points known under names that the label model contradicts: names come from the labels."""
    journey = taken_to_the_end(make_journey(known=known_at(list(places), NAMES)))
    others = [np.array(names) for names in permutations(range(4))]
    assert error(journey, NAMES) <= min(error(journey, names) for names in others) + 0.02
    assert journey.history[-1]["step"] == "name"
    if journey.history[-1]["kept"]:  # the label model has followed, or decoding would undo the names
        assert journey.lm is not journey.given


@pytest.mark.parametrize("adapt", ["auto", False])
def test_rounds_that_left_known_names_are_renamed_at_last(adapt):
    """A classifier that reads rightly under the label model's names, and points known by other ones."""
    journey = make_journey(replace(QUICK, adapt=adapt), known=known_at(range(100), NAMES))
    journey.learn(Sequences.of(DATA.X), np.eye(4)[DATA.y], 2)
    before = error(journey)
    take(journey, NameAtLast())
    row = journey.history[-1]
    assert row["kept"] and row["gain"] > 100
    assert error(journey, NAMES) < before + 0.01 < 0.15
    if adapt is False:
        assert journey.lm is LM  # what the user forbids to move does not
    else:
        np.testing.assert_allclose(journey.lm.conditional(2)[np.ix_(NAMES, NAMES)], LM.conditional(2))


def test_a_table_is_renamed_at_last_too():
    journey = Journey(
        *Sequences.of(DATA.y).split(0.1),
        LM,
        TableLearner(4),
        QUICK,
        np.random.default_rng(0),
        known_at(range(50), NAMES),
    )
    journey.learn(journey.train, np.eye(4)[journey.train.data], 2)
    take(journey, NameAtLast())
    np.testing.assert_array_equal(journey.learner.table.argmax(axis=1), NAMES)


def test_a_label_model_that_names_rightly_stays_where_only_the_answer_was_misnamed():
    journey = make_journey(known=known_at(range(100)))
    journey.learn(Sequences.of(DATA.X), np.eye(4)[NAMES[DATA.y]], 2)
    take(journey, NameAtLast())
    assert journey.history[-1]["kept"] and error(journey) < 0.15 and journey.lm is LM


def test_names_that_agree_are_left_alone_at_last():
    journey = make_journey(known=known_at(range(100)))
    journey.learn(Sequences.of(DATA.X), np.eye(4)[DATA.y], 2)
    before = journey.learner.predict_proba(DATA.X)
    take(journey, NameAtLast())
    assert journey.history[-1]["kept"] is False
    np.testing.assert_array_equal(journey.learner.predict_proba(DATA.X), before)


# ------------------------------------------------------------------------------------------------ again


def test_one_fit_makes_no_second_search():
    assert not SecondSearch().applies(make_journey(replace(QUICK, n_fits=1)))
    journey = up_to(make_journey(replace(QUICK, n_fits=1)), Distil)
    assert "again" not in [row["step"] for row in journey.history]


def test_a_second_search_tells_how_far_two_answers_agree():
    journey = take(make_journey(), Encode(), Decipher(), SecondSearch())
    row = journey.history[-1]
    assert row["step"] == "again" and 0 <= row["disagreement"] < 0.1
    assert row["unsteady"] == [] and isinstance(row["gain"], float)
    json.dumps(row)


@pytest.mark.parametrize("first_is_right", [True, False])
def test_the_better_of_two_answers_is_kept(first_is_right):
    """The first is replaced by a renaming of it: the second search is then plainly better, or not."""
    journey = take(make_journey(), Encode(), Decipher())
    right, search = journey.table, journey.search
    if not first_is_right:
        journey.table = right[:, NAMES]
    take(journey, SecondSearch())
    row = journey.history[-1]
    assert row["kept"] is not first_is_right or (row["gain"] > QUICK.insisting)
    if first_is_right and not row["kept"]:
        assert journey.table is right and journey.search is search
    if not first_is_right:
        assert row["disagreement"] > 0.5 and row["unsteady"] == [0, 1, 2, 3]
        assert row["gain"] > 100 and row["recurrence"] == journey.search.recurrence
        assert np.mean(journey.table[journey.codes()[0]].argmax(axis=1) != DATA.y[:2_700]) < 0.2


# ------------------------------------------------------------------------------------------------ adapt

OFF = 0.6 * LM.conditional(2) + 0.4 * np.roll(LM.conditional(2), 1, axis=1)
WRONG = NgramModel.from_transition_matrix(OFF)


def distance(lm):
    return np.abs(lm.conditional(2) - LM.conditional(2)).max()


def adapting(adapt, lm, n_samples=12_000):
    """A journey to the end of the first adapting."""
    data = make_gaussian_hmm(LM, 1.5 * MEANS, n_samples=n_samples, random_state=100)
    return up_to(make_journey(replace(QUICK, adapt=adapt), lm=lm, X=data.X), Adapt)


def test_a_wrong_label_model_moves_where_the_data_insist():
    journey = adapting("auto", WRONG)
    row = journey.history[-1]
    assert row["step"] == "adapt" and row["kept"] is True
    assert row["fresh_gain"] > 0 and row["gain"] >= max(5.0, 3 * row["deviation"])
    assert journey.given is WRONG and journey.lm is not WRONG
    assert distance(journey.lm) < distance(WRONG) / 2 and journey.lm.classes == WRONG.classes
    assert row["moved"] and all(
        journey.lm.conditional(2)[first, second] / OFF[first, second] == pytest.approx(factor, rel=1e-6)
        for first, second, factor in row["moved"]
    )
    json.dumps(row)


def test_a_right_label_model_stays_the_very_same():
    journey = adapting("auto", LM)
    assert journey.history[-1]["kept"] is False and "moved" not in journey.history[-1]
    assert journey.lm is LM


def test_what_is_asked_for_is_done():
    stiff, free = adapting(50_000.0, LM, 3_000), adapting(True, WRONG, 3_000)
    assert stiff.history[-1]["kept"] is True and stiff.history[-1]["pseudo_counts"] == 50_000
    assert 0 < distance(stiff.lm) < 0.02  # so many pairs outweigh the points there are
    assert free.history[-1]["pseudo_counts"] in QUICK.free_pseudo_counts
    assert distance(free.lm) < distance(WRONG)


def test_a_label_model_that_is_to_stay_is_only_asked():
    asked, left = (adapting(adapt, LM) for adapt in ("auto", False))
    assert asked.history[-1]["kept"] is left.history[-1]["kept"] is False
    assert left.history[-1]["gain"] == asked.history[-1]["gain"]
    assert adapting(False, WRONG).lm is WRONG


def test_adapting_draws_from_a_generator_beside():
    journey = adapting("auto", LM)
    before = journey.rng.bit_generator.state
    Adapt().run(journey, {})
    assert journey.rng.bit_generator.state == before
    ours, theirs = generator_beside(journey.rng), generator_beside(journey.rng)
    assert np.array_equal(ours.random(5), theirs.random(5))
    assert not np.array_equal(ours.random(5), journey.rng.random(5))


@pytest.mark.parametrize(("lm_order", "order", "applies"), [(2, None, True), (3, None, False), (3, 2, False)])
def test_only_pairs_adapt_inside_the_search(lm_order, order, applies):
    lm = LM if lm_order == 2 else NgramModel.from_sequences([LM.sample(5_000, 0)], order=3)
    assert Adapt().applies(make_journey(replace(QUICK, order=order), lm=lm)) is applies


def test_a_journey_with_a_moved_label_model_goes_on_to_the_same_weights_after_a_kill():
    settings = replace(QUICK, adapt=True)

    def journey_of(seed):
        return make_journey(settings, lm=WRONG, seed=seed)

    first = up_to(journey_of(0), SecondSearch)
    assert first.lm is not WRONG
    arrays, meta = first.state()
    kept = {name: array.copy() for name, array in arrays.items()}, json.dumps(meta)
    taken_up = journey_of(99)
    taken_up.restore(kept[0], json.loads(kept[1]))
    np.testing.assert_array_equal(taken_up.lm.conditional(2), first.lm.conditional(2))
    assert taken_up.given is WRONG
    steps = steps_of(first)
    left = steps[1 + next(n for n, step in enumerate(steps) if isinstance(step, SecondSearch)) :]
    for journey in (first, taken_up):
        take(journey, *left)
    assert first.history[-1]["step"] == "finish"
    np.testing.assert_array_equal(taken_up.learner.model.coef, first.learner.model.coef)
    np.testing.assert_array_equal(taken_up.lm.conditional(2), first.lm.conditional(2))


# ---------------------------------------------------------------------------------- adapting to outputs


def second_order():
    """Labels whose next depends on the two before, and a model of other ones."""
    rng = np.random.default_rng(100)
    return tuple(NgramModel.from_probabilities(_second_order(rng)) for _ in range(2))


def _second_order(rng):
    conditional = rng.dirichlet([0.6, 0.6], size=(2, 2))
    states = np.zeros((4, 4))
    for i in range(2):
        for j in range(2):
            states[2 * i + j, 2 * j : 2 * j + 2] = conditional[i, j]
    return stationary_distribution(states).reshape(2, 2, 1) * conditional


def off_by(lm, true):
    """KL of its triples from the true ones, in nats a symbol."""
    return float(np.sum(true.joint(3) * np.log(true.conditional(3) / lm.conditional(3))))


def read_by_noise(true, given, adapt, n=6_000, *, alone=False, **settings):
    """Symbols that show the label with an error, a table that says how often, and the step."""
    rng = np.random.default_rng(101)
    labels = true.sample(n, rng)
    symbols = np.where(rng.random(n) < 0.15, 1 - labels, labels)
    train, held_out = Sequences.of(symbols).split(0.3)
    if alone:
        train, held_out = Sequences.of(symbols), Sequences(symbols[:0], np.zeros(0, dtype=np.int64))
    settings = replace(QUICK, adapt=adapt, **settings)
    journey = Journey(train, held_out, given, TableLearner(2), settings, np.random.default_rng(0))
    journey.learn(train, np.eye(2)[labels[: train.n_points]], 3)
    journey.history.append({"step": "refine", "order": 3, "kept": True})
    return take(journey, AdaptToOutputs())


@pytest.mark.parametrize("adapt", ["auto", True, 30.0])
def test_triples_move_towards_what_was_read(adapt):
    true, given = second_order()
    journey = read_by_noise(true, given, adapt)
    row = journey.history[-1]
    assert row["step"] == "adapt" and row["order"] == 3 and row["kept"] is True and row["gain"] > 5
    assert row["pseudo_counts"] == 30.0 if adapt == 30.0 else row["pseudo_counts"] > 0
    before, after = (off_by(lm, true) for lm in (given, journey.lm))
    assert journey.lm.order == 3 and after < before / 2
    json.dumps(row)


def test_points_that_were_all_learnt_from_must_insist_more():
    """80 points gain between 5 and 20 nats: enough where it is asked for, or others have checked them."""
    true, given = second_order()
    rows = [
        read_by_noise(true, given, adapt, 80, alone=True, **settings).history[-1]
        for adapt, settings in (("auto", {}), (True, {}), ("auto", {"insisting_unchecked": 5.0}))
    ]
    assert 5 < rows[1]["gain"] == rows[2]["gain"] < 20
    assert [row["kept"] for row in rows] == [False, True, True]


def test_triples_that_are_right_stay():
    true, _ = second_order()
    journey = read_by_noise(true, true, "auto")
    row = journey.history[-1]
    assert row["kept"] is False and journey.lm is true


def test_adapting_to_outputs_needs_no_points_held_out():
    """Halves of the points learnt from judge each other; only who refuses to adapt is left alone."""
    empty = Sequences(DATA.X[:0], np.zeros(0, dtype=np.int64))
    learner = make_journey().learner
    for asked in ("auto", True, 9.0):
        settings = replace(QUICK, adapt=asked)
        alone = Journey(Sequences.of(DATA.X), empty, LM, learner, settings, np.random.default_rng(0))
        assert AdaptToOutputs().applies(alone)
    assert not AdaptToOutputs().applies(make_journey(replace(QUICK, adapt=False)))


def test_inputs_that_hang_together_beyond_their_labels_move_no_label_model():
    journey = make_journey()
    journey.history.append({"step": "adapt", "misleads": True, "kept": False})
    assert not AdaptToOutputs().applies(journey)
    asked = make_journey(replace(QUICK, adapt=True))
    asked.history.append({"step": "adapt", "misleads": True, "kept": True})
    assert AdaptToOutputs().applies(asked)


def test_the_steps_in_their_order():
    kinds = [type(step) for step in steps_of(make_journey())]
    assert kinds[:4] == [Encode, Decipher, Name, Adapt] and kinds[4:6] == [SecondSearch, Name]
    assert kinds.index(Distil) < kinds.index(UseMeans) < kinds.index(AdaptToOutputs)
    assert kinds[-3:] == [AdaptToOutputs, Finish, NameAtLast]
