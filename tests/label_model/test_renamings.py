"""What it costs to give labels one another's names: against brute force, and against sampled sequences."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from datetime import date, timedelta
from itertools import combinations, permutations

import numpy as np
import pytest

from ventris.datasets import random_hmm
from ventris.datasets.paper_chains import TRANSITIONS
from ventris.label_model.identifiability import identifiability
from ventris.label_model.model import NgramModel
from ventris.label_model.renamings import DECIDED, Renaming, near_renamings, settling_labels


def permutation_of(renaming, n_classes):
    names = list(range(n_classes))
    for label, name in renaming.moved:
        names[label] = name
    return tuple(names)


def cost_by_loops(P, names):
    """Σ P(x, y) (log p(y | x) − log p(π y | π x)), term by term."""
    conditional, total = P / P.sum(axis=1, keepdims=True), 0.0
    for x in range(len(P)):
        for y in range(len(P)):
            if P[x, y] > 0:
                total += P[x, y] * np.log(conditional[x, y] / conditional[names[x], names[y]])
    return total


@pytest.mark.parametrize("seed", [100, 101, 102])
def test_all_renamings_of_few_labels_are_ranked_as_by_brute_force(seed):
    P = np.asarray(random_hmm(4, random_state=seed)[0].joint(2))
    every = list(permutations(range(4)))[1:]
    found = near_renamings(P, every)
    for each in found:
        names = permutation_of(each, 4)
        assert each.nats == pytest.approx(cost_by_loops(P, names), rel=1e-9)
        assert each.share == pytest.approx(sum(P.sum(axis=1)[c] for c in range(4) if names[c] != c))
        assert each.points_needed == np.ceil(DECIDED / each.nats)
    assert found[0].nats == pytest.approx(min(cost_by_loops(P, names) for names in every), rel=1e-9)
    assert [each.nats for each in found] == sorted(each.nats for each in found)


@pytest.mark.parametrize("seed", [100, 101, 102])
def test_the_search_finds_the_nearest_swaps_and_turns(seed):
    P = np.asarray(random_hmm(9, random_state=seed)[0].joint(2))
    swaps = []
    for a, b in combinations(range(9), 2):
        names = list(range(9))
        names[a], names[b] = b, a
        swaps.append((cost_by_loops(P, names), tuple(names)))
    turns = []
    for three in combinations(range(9), 3):
        for a, b, c in (three, three[::-1]):
            names = list(range(9))
            names[a], names[b], names[c] = b, c, a
            turns.append((cost_by_loops(P, names), tuple(names)))
    found = [permutation_of(each, 9) for each in near_renamings(P, ())]
    nearest = [names for _, names in sorted(swaps)]
    assert [names for names in found if names in nearest][:5] == nearest[:5]
    assert min(turns)[1] in found


def test_the_cost_is_what_a_sampled_sequence_loses():
    lm, _ = random_hmm(5, random_state=100)
    P = np.asarray(lm.joint(2))
    log_prob, labels = np.log(lm.conditional(2)), lm.sample(200_000, random_state=101)
    for each in near_renamings(P, ())[:5]:
        named = np.array(permutation_of(each, 5))[labels]
        lost = log_prob[labels[:-1], labels[1:]] - log_prob[named[:-1], named[1:]]
        error = lost.std() / np.sqrt(len(lost))
        assert each.nats == pytest.approx(lost.mean(), abs=8 * error)  # neighbouring terms are correlated


@pytest.mark.parametrize("number", [1, 9])
def test_at_the_points_needed_the_wrong_names_win_rarely_and_at_a_tenth_often(number):
    lm = NgramModel.from_transition_matrix(TRANSITIONS[number - 1])
    (each,) = near_renamings(np.asarray(lm.joint(2)), ())
    log_prob = np.log(lm.conditional(2))

    def wrong(n_points):
        lost = []
        for seed in range(300):
            labels = lm.sample(n_points, random_state=1000 * number + seed)
            named = 1 - labels
            lost.append(np.sum(log_prob[labels[:-1], labels[1:]] - log_prob[named[:-1], named[1:]]))
        return np.mean(np.array(lost) < 0)

    assert wrong(int(each.points_needed)) < 0.05 < 0.1 < wrong(int(each.points_needed) // 10)


def test_what_never_comes_decides_but_is_not_infinite():
    P = np.array([[0.3, 0.3], [0.4, 0.0]])
    (each,) = near_renamings(P, ())
    # A seen pair that the names forbid, in 0.3 of the places, counts for a little more than ten nats.
    assert 0.3 * DECIDED < each.nats < 0.6 * DECIDED and each.points_needed <= 4


def test_joined_renamings_that_tell_nothing_new_are_left_out():
    """Two pairs of labels that resemble each other: both exchanges are told, not that both could be."""
    P = np.asarray(
        NgramModel.from_transition_matrix(
            [[0.5, 0.3, 0.1, 0.1], [0.32, 0.48, 0.1, 0.1], [0.1, 0.1, 0.7, 0.1], [0.1, 0.1, 0.12, 0.68]]
        ).joint(2)
    )
    moved = [
        frozenset(label for label, _ in each.moved) for each in near_renamings(P, permutations(range(4)))
    ]
    assert set(moved[:2]) == {frozenset({0, 1}), frozenset({2, 3})}
    assert (1, 0, 3, 2) not in {permutation_of(each, 4) for each in near_renamings(P, permutations(range(4)))}


# ----------------------------------------------------------------------------------- what settles it


def test_the_smallest_settling_set_against_brute_force():
    rng = np.random.default_rng(0)
    for _ in range(20):
        moved = [frozenset(rng.choice(6, rng.integers(2, 4), replace=False).tolist()) for _ in range(5)]
        found = settling_labels(moved, rng.dirichlet(np.ones(6)))
        assert all(each & set(found) for each in moved)
        smaller = combinations(range(6), len(found) - 1)
        assert not any(all(each & set(chosen) for each in moved) for chosen in smaller)


def test_a_ring_is_settled_by_one_label_and_a_uniform_model_by_all_but_one():
    ring = identifiability(NgramModel.from_transition_matrix(0.8 * np.roll(np.eye(8), 1, axis=1) + 0.2 / 8))
    assert len(ring.settled_by()) == 1
    uniform = identifiability(NgramModel.from_transition_matrix(np.full((9, 9), 1 / 9)))
    assert len(uniform.settled_by()) == 8 and len(uniform.settled_by(named=range(8))) == 0


# ------------------------------------------------------------------------------------- the verdict


@pytest.fixture(scope="module")
def dates():
    """Digits that spell dates, day, month and year: from 4 on digits hardly differ."""
    days = np.random.default_rng(100).integers(0, 47_000, 20_000)
    spelt = [list((date(1900, 1, 1) + timedelta(days=int(d))).strftime("%d%m%Y")) for d in days]
    return NgramModel.from_sequences(spelt, order=2)


def test_digits_that_spell_dates_are_hard_to_tell_apart(dates):
    judged = identifiability(dates)
    assert judged.verdict == "weak" and "points decide" in judged.sentence
    first = judged.near[0]
    assert first.nats < 0.001 and first.points_needed > 10_000
    assert {dates.classes[label] for label, _ in first.moved} <= set("456789")
    assert identifiability(dates, n_points=10_000_000).verdict == "identifiable"


def test_known_digits_settle_dates(dates):
    judged = identifiability(dates)
    labels = judged.settled_by(20_000)
    assert 0 < len(labels) < 9 and judged.undecided(20_000, named=labels) == []
    for label in labels:  # none of them could be spared
        assert judged.undecided(20_000, named=set(labels) - {label})
    assert judged.is_decided_by(judged.settled_by()) and not judged.is_decided_by([])


def test_sticky_states_are_weak_though_they_tell_much_of_each_other():
    sticky = NgramModel.from_transition_matrix([[0.99, 0.01], [0.005, 0.995]])
    assert identifiability(sticky).verdict == "weak"
    assert identifiability(sticky, n_points=50_000).verdict == "identifiable"


def test_letters_are_no_weak_model_for_their_rarest():
    lm = random_hmm(26, random_state=100)[0]
    P = np.asarray(lm.joint(2)).copy()
    P[[3, 7]] *= 1e-4  # two labels that hardly come, and so are hardly told apart
    P[:, [3, 7]] *= 1e-4
    judged = identifiability(NgramModel.from_probabilities((P + P.T) / (P + P.T).sum()))
    assert {label for label, _ in judged.near[0].moved} == {3, 7}
    assert judged.near[0].points_needed > 5_000 and judged.verdict == "identifiable"


def test_near_renamings_are_plain_data(dates):
    plain = json.loads(json.dumps(identifiability(dates).to_dict(), allow_nan=False))
    assert plain["near"][0]["points_needed"] > 0 and len(plain["near"][0]["moved"]) == 2
    ring = NgramModel.from_transition_matrix(0.7 * np.roll(np.eye(3), 1, axis=1) + 0.1)
    assert json.loads(json.dumps(identifiability(ring).to_dict()))["near"][0]["points_needed"] is None


def test_two_hundred_labels_are_judged_in_seconds():
    lm = random_hmm(200, random_state=100)[0]
    lm.joint(2)
    before = time.process_time()
    near_renamings(np.asarray(lm.joint(2)), ())
    assert time.process_time() - before < 5


def test_whoever_is_nearly_as_hard_to_tell_from_an_undecided_label_is_named_with_it():
    pairs = [((0, 1), 100_000), ((1, 2), 60_000), ((2, 3), 51_000), ((4, 5), 90_000), ((3, 6), 20_000)]
    near = tuple(Renaming(((a, b), (b, a)), 1e-4, 0.2, float(points)) for (a, b), points in pairs)
    judged = replace(identifiability(NgramModel.from_transition_matrix(np.full((7, 7), 1 / 7))), near=near)
    assert judged.alike(99_000) == {0, 1, 2, 3}  # 1 leads to 2 and 2 to 3; nobody leads to 4 and 5
    assert judged.alike(200_000) == set()
    assert judged.alike(99_000, named=[0]) == set()
