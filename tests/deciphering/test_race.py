"""The race: known keys are found, recurrence is counted honestly, fresh points have the last word."""

from __future__ import annotations

from dataclasses import replace
from itertools import repeat

import numpy as np
import pytest
from tests.deciphering.homophones import ciphertext_of, homophonic, stretch

from ventris.datasets import random_hmm
from ventris.deciphering import race as race_module
from ventris.deciphering.annealing import ANNEALING
from ventris.deciphering.ciphertext import Contender
from ventris.deciphering.descent import DESCENT, table_cost
from ventris.deciphering.expectation import EXPECTATION
from ventris.deciphering.race import race
from ventris.deciphering.settings import SearchSettings
from ventris.label_model.model import NgramModel

CONTENDERS = [DESCENT, EXPECTATION, ANNEALING]
N_STARTS = 48  # of a descent; contenders that are given their tables need none


def soft(key, n_classes):
    return 0.9 * np.eye(n_classes)[key] + 0.1 / n_classes


def giving(name, *turns):
    """A contender that gives these tables, turn after turn."""
    remaining = list(turns)
    return Contender(name, lambda *_: (tables := remaining.pop(0), len(tables)))


def after(n_laps, ciphertext):
    """The race ends after so many laps."""
    return replace(ciphertext, settings=replace(ciphertext.settings, max_laps=n_laps))


def unread(ciphertext, key):
    """Tables are compared as they are given: wrong answers stay wrong."""
    return replace(ciphertext, settings=SearchSettings(footing_rounds=0)), key


@pytest.mark.parametrize(("n_classes", "n_codes"), [(2, 6), (5, 20), (10, 40)])
def test_a_many_to_one_key_is_found_recurs_and_holds_on_fresh_points(n_classes, n_codes):
    ciphertext, key = homophonic(random_hmm(n_classes, random_state=0)[0], n_codes)
    found = race(CONTENDERS, ciphertext, np.random.default_rng(0), n_starts=N_STARTS)
    np.testing.assert_array_equal(found.table.argmax(axis=1), key)
    assert found.recurrence >= 2
    assert found.excess_cost == pytest.approx(
        table_cost(found.table, ciphertext.statistics) - ciphertext.statistics.entropy
    )
    assert 0 <= found.excess_cost < 0.05 * ciphertext.statistics.entropy
    assert found.fresh_score > 0 and found.n_fresh == 2_000
    assert found.fresh_margin is None or found.fresh_margin > 0


def test_the_seed_decides_bit_for_bit():
    ciphertext, _ = homophonic(random_hmm(4, random_state=1)[0], 12, centres=True)
    found = [race(CONTENDERS, ciphertext, np.random.default_rng(3), n_starts=12).table for _ in range(2)]
    np.testing.assert_array_equal(*found)


def test_progress_is_told_after_each_turn():
    ciphertext, key = homophonic(random_hmm(4, random_state=1)[0], 12)
    told = []
    right = soft(key, 4)
    contenders = [giving("first", [right]), giving("second", [right])]
    found = race(contenders, ciphertext, np.random.default_rng(3), n_starts=N_STARTS, on_turn=told.append)
    assert len(told) == 2 and told[-1] == found.excess_cost


def test_a_relabelling_of_the_best_answer_is_no_start_of_its_own():
    """One start, one answer: with two labels its other naming is followed too, and must not count."""
    ciphertext, key = homophonic(random_hmm(2, random_state=0)[0], 6)
    found = race(
        [giving("only", [soft(key, 2)])], after(1, ciphertext), np.random.default_rng(0), n_starts=N_STARTS
    )
    np.testing.assert_array_equal(found.table.argmax(axis=1), key)
    assert found.n_starts == 1 == found.recurrence


def test_a_wrong_answer_that_recurs_is_beaten_by_a_right_one_found_another_way():
    ciphertext, key = homophonic(random_hmm(5, random_state=0)[0], 20)
    wrong, right = soft(np.roll(np.arange(5), 1)[key], 5), soft(key, 5)
    contenders = [giving("sure", [wrong, wrong], []), giving("other", [right], [right])]
    found = race(contenders, after(2, ciphertext), np.random.default_rng(0), n_starts=N_STARTS)
    assert found.found_by == "other" and found.recurrence == 2 and found.n_starts == 4
    np.testing.assert_array_equal(found.table.argmax(axis=1), key)
    assert found.fresh_margin > 0.05


def test_the_third_joins_only_while_nothing_recurs_and_the_budget_ends_the_race():
    ciphertext, key = unread(*homophonic(random_hmm(5, random_state=0)[0], 20))
    turns = []

    def entrant(name, names):
        def search(*_):
            turns.append(name)
            return [soft(next(names)[key], 5)], 1

        return Contender(name, search)

    def enter(names):
        return [entrant(name, names) for name in "abc"]

    rng = np.random.default_rng(0)
    race(enter(repeat(np.arange(5))), ciphertext, rng, n_starts=N_STARTS)
    assert turns == ["a", "b"]
    turns.clear()
    never_twice = iter([np.roll(np.arange(5)[::way], by) for way in (1, -1) for by in range(1, 5)])
    found = race(enter(never_twice), after(2, ciphertext), rng, n_starts=N_STARTS)
    assert turns == ["a", "b", "c"] * 2 and found.n_starts == 6
    assert found.recurrence < 2


def test_fresh_points_that_speak_against_the_answer_are_heard():
    lm = random_hmm(5, random_state=0)[0]
    ciphertext, key = homophonic(lm, 20)
    other = np.roll(np.arange(5), 1)
    # Fresh points in another cipher: on these the rival, which the sample refutes, is the likelier one.
    renamed = np.argsort(other[key], kind="stable")[np.argsort(np.argsort(key, kind="stable"))]
    swapped = replace(ciphertext, fresh=stretch(renamed[ciphertext.fresh.codes]))
    contenders = [giving("right", [soft(key, 5)] * 2), giving("rival", [soft(other[key], 5)])]
    found = race(contenders, swapped, np.random.default_rng(0), n_starts=N_STARTS)
    np.testing.assert_array_equal(found.table.argmax(axis=1), key)
    assert found.fresh_margin < -0.05


def test_without_fresh_points_there_is_no_check():
    ciphertext, key = homophonic(random_hmm(5, random_state=0)[0], 20)
    alone = replace(ciphertext, fresh=stretch(ciphertext.fresh.codes[:0]))
    found = race(
        [giving("only", [soft(key, 5)] * 2), giving("none", [])],
        alone,
        np.random.default_rng(0),
        n_starts=N_STARTS,
    )
    assert (found.fresh_score, found.fresh_margin, found.n_fresh) == (None, None, 0)


def test_codes_that_match_nothing_leave_a_high_excess():
    lm = random_hmm(5, random_state=0)[0]
    codes = np.random.default_rng(0).integers(20, size=20_000)  # no order in time
    disorder = ciphertext_of(codes, lm, 20)
    found = race(CONTENDERS, after(1, disorder), np.random.default_rng(0), n_starts=16)
    right, _ = homophonic(lm, 20)
    known = race(CONTENDERS, right, np.random.default_rng(0), n_starts=N_STARTS)
    assert found.excess_cost > 20 * known.excess_cost
    assert found.fresh_score < 0.01


CYCLE = NgramModel.from_transition_matrix(0.8 * np.roll(np.eye(5), 1, axis=1) + 0.04)


def test_a_symmetric_label_model_has_rivals_as_good_and_an_anchor_decides_it():
    ciphertext, key = homophonic(CYCLE, 15)
    free = race(CONTENDERS, ciphertext, np.random.default_rng(0), n_starts=N_STARTS)
    assert free.fresh_margin is not None and abs(free.fresh_margin) < 0.01
    anchor = np.zeros((15, 5))
    anchor[np.arange(5), key[:5]] = 4.0  # one code of each label is known
    anchored = replace(ciphertext, anchor=anchor)
    for seed in range(5):
        found = race([DESCENT, EXPECTATION], anchored, np.random.default_rng(seed), n_starts=N_STARTS)
        np.testing.assert_array_equal(found.table.argmax(axis=1), key)


def test_tables_that_come_from_reading_are_not_read_again():
    ciphertext, key = homophonic(random_hmm(5, random_state=0)[0], 20)
    given = soft(key, 5)
    for has_read in (True, False):
        contender = replace(giving("only", [given] * 2), has_read=has_read)
        found = race([contender, giving("none", [])], ciphertext, np.random.default_rng(0), n_starts=N_STARTS)
        assert np.array_equal(found.table, given) is has_read


def test_answers_meet_on_fresh_points_by_what_each_is_read_best_with(monkeypatch):
    """J may choose a table that reads a little worse; that is no word for the rival."""
    ciphertext, key = unread(*homophonic(random_hmm(5, random_state=0)[0], 20))
    read_best, rival = soft(key, 5), soft(np.roll(np.arange(5), 1)[key], 5)
    lowest_cost = 0.9 * read_best + 0.02

    def measured(values):
        known = list(zip((read_best, lowest_cost, rival), values, strict=True))
        return lambda table, *_: next(value for each, value in known if np.array_equal(each, table))

    on_sample, on_fresh = measured((1.0, 0.99, 0.5)), measured((0.9, 0.7, 0.8))
    monkeypatch.setattr(
        race_module, "table_score", lambda t, s, _: (on_fresh if s is ciphertext.fresh else on_sample)(t)
    )
    monkeypatch.setattr(race_module, "table_cost", measured((2.0, 1.0, 3.0)))
    contenders = [giving("rival", [rival]), giving("one", [read_best]), giving("another", [lowest_cost])]
    found = race(contenders, after(1, ciphertext), np.random.default_rng(0), n_starts=N_STARTS)
    np.testing.assert_array_equal(found.table, lowest_cost)
    np.testing.assert_allclose(found.fresh_margin, 0.9 - 0.8)
