"""The data sets of bench/trust: functions of their seed alone, and as far off as they say."""

from __future__ import annotations

import datetime
from dataclasses import fields, is_dataclass

import numpy as np
import pytest
from bench.families import FAMILIES
from bench.trust import dates, five_states, known_labels, label_model_off, problems, symbols
from bench.trust.wrong_models import KINDS, divergence, off_by_entry

from ventris import NgramModel
from ventris.datasets import stories

# Phones are spoken by a program, ciphers come from files (`tests/bench/test_real_ciphers.py` has them).
ELSEWHERE = ("phones", "ciphers")
QUICK = [name for name, family in FAMILIES.items() if family.numbers and not name.startswith(ELSEWHERE)]


def parts(made):
    """Everything a task holds, down to arrays and plain values."""
    if isinstance(made, NgramModel):
        return [np.asarray(made.joint())]
    if is_dataclass(made):
        return [part for field in fields(made) for part in parts(getattr(made, field.name))]
    return [made]


def same(first, second):
    return all(np.array_equal(a, b) for a, b in zip(parts(first), parts(second), strict=True))


@pytest.mark.parametrize("name", QUICK)
def test_a_task_is_a_function_of_its_seed(name):
    make = FAMILIES[name].makers[-1]
    first = make(100)
    assert same(first, make(100)) and not same(first, make(101))


@pytest.mark.parametrize("n_classes", label_model_off.SPREADS)
@pytest.mark.parametrize("kind", KINDS)
def test_label_models_are_off_by_what_they_say(n_classes, kind):
    for seed in (100, 101, 102):
        made = label_model_off.off(n_classes, kind, seed)
        nats = divergence(made.task.lm, np.asarray(made.given.conditional(2)))
        assert label_model_off.LEAST <= nats <= label_model_off.MOST


def test_divergence_is_the_mean_log_ratio_along_a_sequence():
    true = NgramModel.from_transition_matrix([[0.7, 0.3], [0.2, 0.8]])
    given = np.array([[0.5, 0.5], [0.4, 0.6]])
    y = true.sample(200_000, 0)
    ratio = np.log(true.conditional(2)[y[:-1], y[1:]] / given[y[:-1], y[1:]])
    assert divergence(true, given) == pytest.approx(ratio.mean(), abs=4 * ratio.std() / np.sqrt(len(y)))


@pytest.mark.parametrize("off", five_states.OFF)
def test_a_guess_is_off_by_its_largest_entry(off):
    for seed in (100, 101):
        guess = five_states.guessed(off, seed)
        true, given = (np.asarray(lm.conditional(2)) for lm in (guess.task.lm, guess.given))
        assert np.abs(true - given).max() == pytest.approx(off, abs=1e-9)


def test_a_matrix_that_cannot_be_so_far_off_is_drawn_again():
    true = np.full((5, 5), 0.2)
    matrix = off_by_entry(true, 0.5, np.random.default_rng(0))
    assert np.abs(matrix - true).max() == pytest.approx(0.5)
    assert matrix.sum(axis=1) == pytest.approx(1) and matrix.min() > 0


@pytest.mark.parametrize(("seed", "written"), [(100, "%d%m%Y"), (101, "%Y%m%d")])
def test_digits_spell_days_of_the_calendar(seed, written):
    digits = dates.dates(500, seed, np.random.default_rng(0)).reshape(-1, 8)
    days = [datetime.datetime.strptime("".join(map(str, each)), written) for each in digits]
    assert min(days).year >= 1950 and max(days).year <= 2024 and len({day.year for day in days}) > 70


def test_symbols_have_the_frequencies_of_the_book():
    made = symbols.casino(100)
    rolls = np.bincount(made.X_train[made.y_train == 1], minlength=6) / np.sum(made.y_train == 1)
    assert rolls == pytest.approx(stories.LOADED, abs=0.02)
    assert np.mean(made.y_train) == pytest.approx(1 / 3, abs=0.05)
    islands = symbols.cpg(100)
    here = islands.X_train[islands.y_train == 1]
    after_c = np.bincount(here[here // 4 == 1] % 4, minlength=4) / np.sum(here // 4 == 1)
    assert after_c == pytest.approx(stories.SEA[1], abs=0.02)
    assert np.array_equal(islands.X_train[:-1] % 4, islands.X_train[1:] // 4)  # pairs overlap


@pytest.mark.parametrize("way", known_labels.WAYS)
def test_known_labels_are_as_many_as_the_way_says(way):
    made = known_labels.known("wrong", way, 100)
    counts = np.bincount(made.task.y_train[made.rows], minlength=5)
    assert len(set(made.rows.tolist())) == len(made.rows)
    if way.endswith("a class"):
        assert counts.tolist() == [int(way[0])] * 5
    elif way == "one class 20":
        assert sorted(counts.tolist()) == [0, 0, 0, 0, 20]
    else:
        assert len(made.rows) == (20 if way == "20 scattered" else 1000)


def test_problems_are_of_many_sorts_and_three_models_in_ten_are_wrong():
    made = [problems.draw(seed) for seed in range(100, 200)]
    assert {problem.given.n_classes for problem in made} == set(range(2, 13))
    assert all(300 <= len(problem.X_train) <= 20_000 for problem in made)
    assert all(problem.lengths.sum() == len(problem.X_train) for problem in made)
    assert 0.15 < np.mean([problem.off > 0 for problem in made]) < 0.45
    assert not same(problems.draw(100, 0), problems.draw(100, 1))
