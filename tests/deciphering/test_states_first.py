"""States by dwell, named by their moves: swaps against trying everything, plans up to their symmetries."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest

import ventris as vt
from ventris.data.counts import lagged_pairs
from ventris.data.known_labels import read_known_labels
from ventris.datasets import make_floor_plan
from ventris.deciphering.ciphertext import Ciphertext, PairStatistics, Stretch
from ventris.deciphering.dwelling import dispensable, division_gains, nearness
from ventris.deciphering.graph_names import diffused, match_graph, without_staying
from ventris.deciphering.settings import SearchSettings
from ventris.deciphering.states_first import STATES
from ventris.errors import ParameterError
from ventris.kernels.graph_matching import swap_names
from ventris.label_model.symmetries import best_symmetry


def walk(kind="walled", rooms=12, n=8_000, seed=0, known=None):
    """A walk whose codes are three a room, one in ten of another room."""
    lm = make_floor_plan(kind, rooms, frames=10, random_state=seed).lm
    rng = np.random.default_rng(seed)
    y = lm.sample(n, rng)
    shown = np.where(rng.random(n) < 0.1, rng.integers(rooms, size=n), y)
    codes = 3 * shown + rng.integers(3, size=n)
    told = None if known is None else read_known_labels(known(lm, y), [n], lm.alphabet)
    stretch = Stretch(codes, np.array([n]), told)
    pairs = PairStatistics(
        np.array([lm.pair(lag) for lag in range(1, 5)]), lagged_pairs(codes, 3 * rooms, stretch.lengths)
    )
    anchor = None if told is None else told.votes(codes[told.mask], 3 * rooms, rooms)
    return Ciphertext(pairs, n, stretch, stretch.beginning(0), lm, 2, anchor=anchor), y


def agreement(table, ciphertext, y):
    out = np.zeros((table.shape[1],) * 2)
    np.add.at(out, (table.argmax(axis=1)[ciphertext.sample.codes], y), 1)
    return out


@pytest.mark.parametrize("kind", ["walled", "corridor"])
def test_a_plan_is_read_up_to_its_symmetries(kind):
    ciphertext, y = walk(kind)
    tables, n_starts = STATES.search(ciphertext, 24, np.random.default_rng(0))
    assert n_starts == len(tables) >= 2
    np.testing.assert_allclose(tables[0].sum(axis=1), 1, rtol=1e-9)
    met = agreement(tables[0], ciphertext, y)
    names = best_symmetry(ciphertext.lm, met)
    assert met[np.arange(12), names].sum() / len(y) > 0.85  # nine in ten codes show their room


def test_starts_agree_on_one_of_the_labellings_that_look_the_same():
    ciphertext, _ = walk("corridor")
    keys = [
        STATES.search(ciphertext, 12, np.random.default_rng(seed))[0][0].argmax(axis=1) for seed in range(2)
    ]
    assert np.mean(keys[0] == keys[1]) > 0.95


def test_known_labels_say_which_labelling_it_is():
    lm = make_floor_plan("corridor", 12, frames=10, random_state=0).lm
    asked = vt.doctor(lm).to_label

    def known(lm, y):
        told = [None] * len(y)
        for room in asked:
            told[int(np.flatnonzero(y == room)[3])] = lm.classes[room]
        return told

    ciphertext, y = walk("corridor", known=known)
    tables, _ = STATES.search(ciphertext, 24, np.random.default_rng(0))
    assert np.trace(agreement(tables[0], ciphertext, y)) / len(y) > 0.85


def test_swaps_find_what_trying_every_naming_finds():
    rng = np.random.default_rng(0)
    moves, logs, own = rng.random((6, 6)), rng.normal(size=(6, 6)), rng.normal(size=(6, 6))

    def score(names):
        return np.sum(moves * logs[np.ix_(names, names)]) + own[np.arange(6), names].sum()

    best = max(score(list(names)) for names in permutations(range(6)))
    heat = np.append(np.geomspace(3, 0.01, 30), 0.0)
    names, found = swap_names(moves, logs, own, np.arange(6), heat, 300, 7)
    assert found == pytest.approx(score(names), rel=1e-9)
    assert found == pytest.approx(best, rel=1e-9)


def test_moves_name_the_states_of_a_path():
    lm = make_floor_plan("random", 14, frames=10, random_state=3).lm
    order = np.random.default_rng(0).permutation(14)
    pairs = 5_000 * lm.pair(1)[np.ix_(order, order)]  # state i is label order[i]
    [best, *_] = match_graph(pairs, lm.pair(1), np.random.default_rng(1))
    moves = without_staying(lm.pair(1))
    np.testing.assert_allclose(
        moves[np.ix_(best.names, best.names)], without_staying(pairs) / 5_000, rtol=1e-9
    )


def test_diffusion_keeps_the_frequencies():
    moves = without_staying(np.random.default_rng(0).random((5, 5)))
    both = moves + moves.T
    np.testing.assert_allclose(diffused(moves, 0.9).sum(axis=1), both.sum(axis=1) / both.sum(), rtol=1e-9)


def test_two_rooms_in_one_state_stand_out_and_halves_of_a_room_can_go():
    ciphertext, _ = walk()
    close = nearness(ciphertext)
    joined = np.repeat(np.arange(12), 3)
    joined[joined == 7] = 2  # room 7 in the state of room 2, and state 7 is half of room 5
    joined[15] = 7
    table = np.eye(12)[joined]
    gains, sides = division_gains(table, close)
    assert gains.argmax() == 2
    assert abs(sides[2, 6:9].sum()) == 3 and sides[2, 6] == -sides[2, 21]
    pairs = table.T @ (ciphertext.n_points * ciphertext.statistics.code_pairs[0]) @ table
    assert set(dispensable(pairs, table, close)[:2]) <= {7, 5}


def test_only_label_models_that_stay_and_move_little_are_sought_so():
    from ventris.label_model.markov import random_walk, stay_and_doors

    settings = SearchSettings().dwelling
    ring = np.roll(np.eye(20), 1, axis=1)
    stay, doors = stay_and_doors(random_walk(ring + ring.T, 0.8))
    assert stay >= settings.least_stay and doors <= settings.most_doors * 20
    stay, doors = stay_and_doors(random_walk(np.ones((20, 20)) - np.eye(20), 0.8))
    assert doors > settings.most_doors * 20
    assert stay_and_doors(random_walk(ring + ring.T, 0.2))[0] < settings.least_stay
    assert replace(settings, least_stay=0.9).least_stay == 0.9


def test_a_plan_is_made_as_it_was_asked_for():
    for kind, n_doors in (("grid", 38), ("corridor", 23)):
        plan = make_floor_plan(kind, 24, frames=50, n_test=7)
        assert plan.doors.sum() // 2 == n_doors and plan.train.X.shape == (50, 10) and len(plan.test.y) == 7
    popular = make_floor_plan("random", 20, frames=10, popularity=np.arange(1, 21), random_state=1)
    np.testing.assert_allclose(popular.lm.stationary(), np.arange(1, 21) / 210, rtol=1e-8)
    assert np.diag(popular.lm.conditional(2)).min() >= 0.8 - 1e-12
    with pytest.raises(ParameterError, match="kind"):
        make_floor_plan("castle")
    with pytest.raises(ParameterError, match="rooms"):
        make_floor_plan("grid", 1)


def test_a_fit_finds_the_rooms_of_a_small_plan():
    plan = make_floor_plan("walled", 9, frames=3_000, n_test=1_000, random_state=101)
    clf = vt.SequenceClassifier(plan.lm, random_state=0, n_jobs=1).fit(plan.train.X)
    assert clf.history_[1]["found_by"] == "states"
    read = plan.lm.alphabet.encode(clf.decode(plan.test.X))
    truth = plan.lm.alphabet.encode(plan.test.y)
    met = np.zeros((9, 9))
    np.add.at(met, (read, truth), 1)
    assert met[np.arange(9), best_symmetry(plan.lm, met)].sum() / len(truth) > 0.9
    figure = vt.figures.floor_plan(clf, plan)
    assert len(figure.axes) == 4
