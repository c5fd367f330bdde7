"""Each contender alone finds a key; settling and swaps are checked against trying everything."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from tests.deciphering.homophones import homophonic

from ventris.datasets import random_hmm
from ventris.deciphering.annealing import ANNEALING
from ventris.deciphering.descent import DESCENT, relabel_by_swaps, settle, table_cost
from ventris.deciphering.expectation import EXPECTATION, read_and_learn
from ventris.deciphering.grouped_key import GROUPED_KEY
from ventris.deciphering.settings import SearchSettings
from ventris.deciphering.starts import groupings_of
from ventris.objective.relabelling import swap_gains


@pytest.mark.parametrize(
    "contender",
    [DESCENT, EXPECTATION, ANNEALING],
    ids=["descent", "expectation", "annealing"],
)
def test_each_finds_the_key_in_a_few_turns(contender):
    """On the race's footing: a hard map alone may give a rare label's codes away."""
    ciphertext, key = homophonic(random_hmm(6, random_state=0)[0], 18, centres=True)
    rng = np.random.default_rng(0)
    tables = [table for _ in range(6) for table in contender.search(ciphertext, 24, rng)[0]]
    read = [
        read_and_learn(table, ciphertext.lesson, ciphertext, ciphertext.settings.footing_rounds)
        for table in tables
    ]
    shares = [(table.argmax(axis=1) == key) @ ciphertext.code_frequency for table in read]
    assert max(shares) >= 0.95
    for table in tables:
        np.testing.assert_allclose(table.sum(axis=1), 1, rtol=1e-9)


def test_descent_gives_its_best_first_and_counts_its_starts():
    ciphertext, _ = homophonic(random_hmm(4, random_state=1)[0], 12)
    tables, n_starts = DESCENT.search(ciphertext, 20, np.random.default_rng(0))
    assert n_starts == 20 and len(tables) == 4
    costs = [table_cost(table, ciphertext.statistics) for table in tables]
    assert costs == sorted(costs)


def test_annealed_maps_are_as_many_as_starts_pay_for():
    ciphertext, _ = homophonic(random_hmm(4, random_state=1)[0], 12)
    made = [ANNEALING.search(ciphertext, n, np.random.default_rng(0)) for n in (1, 48, 200)]
    assert [n_starts for _, n_starts in made] == [1, 1, 4] == [len(tables) for tables, _ in made]


def test_swaps_reach_the_best_names_there_are():
    """Three labels: exchanging pairs must find what trying all six orders finds."""
    ciphertext, key = homophonic(random_hmm(3, random_state=2)[0], 9)
    right = 0.9 * np.eye(3)[key] + 0.1 / 3
    orders = [list(order) for order in permutations(range(3))]
    least = min(table_cost(right[:, order], ciphertext.statistics) for order in orders)
    for order in orders:
        renamed = relabel_by_swaps(right[:, order], ciphertext.statistics)
        assert table_cost(renamed, ciphertext.statistics) == pytest.approx(least, rel=1e-12)


def test_the_gain_of_every_swap_is_that_of_making_it():
    rng = np.random.default_rng(0)
    wanted, found = rng.random((2, 3, 5, 5))
    for a, b in permutations(range(5), 2):
        names = np.arange(5)
        names[[a, b]] = b, a
        made = np.sum(wanted * (found[:, names][:, :, names] - found))
        assert swap_gains(wanted, found)[a, b] == pytest.approx(made, rel=1e-9)


def test_swaps_never_raise_the_cost():
    statistics = homophonic(random_hmm(6, random_state=3)[0], 18)[0].statistics
    for table in np.random.default_rng(0).dirichlet(np.ones(6), size=(5, 18)):
        renamed = relabel_by_swaps(table, statistics)
        assert table_cost(renamed, statistics) <= table_cost(table, statistics) + 1e-12
        np.testing.assert_allclose(np.sort(renamed, axis=1), np.sort(table, axis=1), rtol=1e-14)


def test_settling_lowers_the_cost_to_the_bottom():
    ciphertext, key = homophonic(random_hmm(5, random_state=0)[0], 20)
    statistics, start = ciphertext.statistics, 0.7 * np.eye(5)[key] + 0.3 / 5
    settled = settle(start, statistics, settings=SearchSettings(settle_iterations=300))
    np.testing.assert_allclose(settled.sum(axis=1), 1, rtol=1e-12)
    assert table_cost(settled, statistics) < table_cost(start, statistics)
    again = settle(settled, statistics)
    assert table_cost(again, statistics) == pytest.approx(table_cost(settled, statistics), abs=1e-4)


@pytest.mark.parametrize("n_codes", [30, 45], ids=["a code a label", "neighbours"])
def test_a_key_of_groups_names_tens_of_labels(n_codes):
    ciphertext, key = homophonic(random_hmm(30, random_state=3)[0], n_codes, centres=True)
    tables, n_starts = GROUPED_KEY.search(ciphertext, 12, np.random.default_rng(0))
    assert n_starts == len(tables) == 2
    np.testing.assert_allclose(tables[0].sum(axis=1), 1, rtol=1e-9)
    read = read_and_learn(tables[0], ciphertext.lesson, ciphertext, ciphertext.settings.footing_rounds)
    assert (read.argmax(axis=1) == key) @ ciphertext.code_frequency >= 0.9


def test_symbols_lie_where_their_company_is():
    """Homophones of one label have the same neighbours: they are one group, though symbols lie nowhere."""
    ciphertext, key = homophonic(random_hmm(20, random_state=4)[0], 40, n=60_000)
    (groups, *_) = groupings_of(ciphertext, 4, np.random.default_rng(0))
    together = groups[:, None] == groups[None]
    same = key[:, None] == key[None]
    others = ~np.eye(40, dtype=bool)
    assert np.mean(together[same & others]) > 0.6
    assert np.mean(together[~same]) < 0.05
    few, _ = homophonic(random_hmm(4, random_state=4)[0], 12)
    assert groupings_of(few, 4, np.random.default_rng(0)) == []
