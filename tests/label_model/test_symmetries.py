"""Symmetries of small graphs against every permutation there is; of plans, against what is known of them."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

import ventris as vt
from ventris.datasets import make_floor_plan
from ventris.errors import DataTypeError, LanguageModelError
from ventris.label_model.identifiability import identifiability
from ventris.label_model.symmetries import best_symmetry, symmetries

_EVERYONE = list(permutations(range(6)))


def random_plan(seed):
    """Six rooms, a random tree and some doors more; edges in both directions now and then."""
    rng = np.random.default_rng(seed)
    doors = np.zeros((6, 6))
    for room in range(1, 6):
        doors[room, rng.integers(room)] = 1
    doors = np.maximum(doors, doors.T)
    extra = rng.random((6, 6)) < 0.2
    return vt.NgramModel.from_graph(np.maximum(doors, (extra | extra.T) * (1 - np.eye(6))), stay=0.5)


@pytest.mark.parametrize("seed", range(12))
def test_small_plans_against_every_permutation(seed):
    lm = random_plan(seed)
    pairs = np.round(lm.joint(2), 10)
    group = [p for p in _EVERYONE if np.array_equal(pairs[np.ix_(p, p)], pairs)]
    found = symmetries(lm)
    assert found.exact and found.n_labellings == len(group)
    wrong = [sum(lm.stationary()[c] for c in range(6) if p[c] != c) for p in group]
    assert found.expected_error == pytest.approx(np.mean(wrong), abs=1e-9)
    assert {c for orbit in found.orbits for c in orbit} == {c for p in group for c in range(6) if p[c] != c}
    assert [p for p in group if all(p[c] == c for c in found.to_label)] == [tuple(range(6))]
    agreement = np.random.default_rng(seed).random((6, 6))
    best = best_symmetry(lm, agreement)
    assert agreement[range(6), best].sum() == pytest.approx(max(agreement[range(6), p].sum() for p in group))


def test_one_room_breaks_a_mirror_or_a_rotation_and_one_a_twin_pair():
    assert len(symmetries(make_floor_plan("grid", 24, frames=10).lm).to_label) == 1
    assert len(symmetries(make_floor_plan("grid", 25, frames=10).lm).to_label) == 1
    corridor = symmetries(make_floor_plan("corridor", 27, frames=10).lm)
    assert corridor.n_labellings == 2 * 2**9 and len(corridor.to_label) == 9
    spokes = np.zeros((6, 6))
    spokes[0, 1:] = spokes[1:, 0] = 1
    star = vt.NgramModel.from_graph(spokes, stay=0.5)
    assert symmetries(star).n_labellings == 120 and len(symmetries(star).to_label) == 4


def test_more_symmetries_than_are_listed_are_broken_by_few_labels():
    lm = make_floor_plan("corridor", 27, frames=10).lm
    judged = identifiability(lm)
    asked = judged.settled_by()
    assert judged.verdict == "unidentifiable" and len(asked) == 9
    assert judged.is_decided_by(asked) and not judged.is_decided_by(asked[:-1])
    assert judged.settled_by(named=asked[:-1]) == asked[-1:]


def test_the_search_is_bounded_and_says_so(monkeypatch):
    monkeypatch.setattr("ventris.label_model.symmetries._WORK", 3)
    found = symmetries(make_floor_plan("grid", 16, frames=10).lm)
    assert not found.exact and "given up" in str(found)


def test_the_doctor_of_a_label_model_alone():
    lm = make_floor_plan("corridor", 6, frames=10).lm
    assert vt.doctor(lm) == symmetries(lm)
    assert set(vt.doctor(lm).to_dict()["to_label"]) <= set(lm.classes)
    assert "8 labellings look the same" in str(vt.doctor(lm))  # two mirrors and one end to the other
    uneven = vt.NgramModel.from_transition_matrix([[0.5, 0.5], [0.9, 0.1]])
    assert str(vt.doctor(uneven)).startswith("No symmetry")
    with pytest.raises(DataTypeError, match="doctor\\(lm\\)"):
        vt.doctor(np.zeros((3, 2)))


def test_visits_must_be_positive_and_one_a_node():
    for visits in ([1, 0], [1, 1, 1]):
        with pytest.raises(LanguageModelError, match="visits"):
            vt.NgramModel.from_graph([[0, 1], [1, 0]], visits=visits)
