"""Identifiability: the ten chains' printed numbers, symmetric models, the searches against brute force."""

from __future__ import annotations

import json
from itertools import permutations

import numpy as np
import pytest

from ventris import objective
from ventris.datasets import random_hmm
from ventris.datasets.paper_chains import TRANSITIONS
from ventris.label_model.identifiability import (
    find_automorphisms,
    identifiability,
    mutual_information,
)
from ventris.label_model.model import NgramModel
from ventris.objective.relabelling import relabelled

# I(Y;Y′) and KL(P ‖ P with labels exchanged), chain by chain, to the digits known from a separate study; it
# rounds chain 10's 0.675 (0.67496) to 0.68.
PRINTED = [
    ("0.274", "0.048"), ("0.051", "1.00"), ("0.047", "0.32"), ("0.0051", "0.34"), ("0.035", "1.86"),
    ("0.020", "0.14"), ("0.0052", "1.02"), ("0.079", "0.33"), ("0.0050", "0.045"), ("0.166", "0.675"),
]  # fmt: skip


def _to_digits_of(value, printed):
    return f"{value:.{len(printed.split('.')[1])}f}"


@pytest.mark.parametrize("number", range(1, 11))
def test_the_ten_chains_numbers(number):
    known = identifiability(NgramModel.from_transition_matrix(TRANSITIONS[number - 1]))
    information, divergence = PRINTED[number - 1]
    assert _to_digits_of(known.mutual_information, information) == information
    assert _to_digits_of(known.divergence, divergence) == divergence
    assert known.nearest == (1, 0) and known.automorphisms == () and known.exact
    assert known.verdict == ("weak" if number == 9 else "identifiable")


@pytest.mark.parametrize("n_classes", [3, 5, 9])
def test_a_cyclic_model_has_its_rotations_as_automorphisms(n_classes):
    turn = np.roll(np.eye(n_classes), 1, axis=1)
    known = identifiability(NgramModel.from_transition_matrix(0.7 * turn + 0.3 / n_classes))
    rotations = {tuple((np.arange(n_classes) + k) % n_classes) for k in range(1, n_classes)}
    assert set(known.automorphisms) == rotations
    assert known.verdict == "unidentifiable" and known.divergence == 0
    assert f"({n_classes - 1} such relabellings)" in known.sentence


def test_a_uniform_model_lists_some_of_its_many_automorphisms():
    known = identifiability(NgramModel.from_transition_matrix(np.full((9, 9), 1 / 9)))
    assert known.verdict == "unidentifiable" and len(known.automorphisms) >= 100


def test_equal_frequencies_alone_are_no_automorphism_once_the_order_tells():
    lm = NgramModel.from_transition_matrix(
        [[0.1, 0.7, 0.2], [0.3, 0.2, 0.5], [0.6, 0.1, 0.3]]
    )  # doubly stochastic
    assert len(identifiability(lm, order=1).automorphisms) == 5
    assert identifiability(lm, order=2).automorphisms == ()


def test_a_trigram_can_break_a_bigrams_symmetry():
    joint = np.full((2, 2, 2), 0.125)
    joint[0, 0, 0], joint[0, 0, 1], joint[1, 0, 0], joint[1, 0, 1] = 0.2, 0.05, 0.05, 0.2
    lm = NgramModel.from_probabilities(joint)
    assert identifiability(lm, 2).verdict == "unidentifiable"
    assert identifiability(lm, 3).automorphisms == ()


def test_searched_automorphisms_match_brute_force():
    rng = np.random.default_rng(0)
    for _ in range(10):  # coarse values make symmetries common
        P = rng.integers(1, 3, size=(5, 5)).astype(float)
        P = np.minimum(P, P[::-1, ::-1])
        P /= P.sum()
        brute = [p for p in list(permutations(range(5)))[1:] if np.abs(relabelled(P, p) - P).max() < 1e-12]
        assert sorted(find_automorphisms(P)) == sorted(brute)


def test_the_search_beyond_six_classes_finds_what_brute_force_finds():
    for seed in range(3):
        lm, _ = random_hmm(7, random_state=seed)
        P, known = lm.joint(2), identifiability(lm)
        brute = min(objective.excess_cost(P, relabelled(P, p)) for p in list(permutations(range(7)))[1:])
        np.testing.assert_allclose(known.divergence, brute, rtol=1e-9)
        assert not known.exact


def test_mutual_information_is_the_divergence_from_independence():
    P = np.random.default_rng(2).dirichlet(np.ones(27)).reshape(3, 3, 3)
    independent = P.sum(axis=2)[:, :, None] * P.sum(axis=(0, 1))
    np.testing.assert_allclose(mutual_information(P), objective.excess_cost(P, independent), rtol=1e-9)


def test_zeros_give_an_infinite_divergence_that_json_can_hold():
    known = identifiability(NgramModel.from_transition_matrix([[0.5, 0.5], [1.0, 0.0]]))
    assert np.isinf(known.divergence) and known.verdict == "identifiable"
    assert json.loads(json.dumps(known.to_dict(), allow_nan=False))["divergence"] is None
