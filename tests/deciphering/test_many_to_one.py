"""Many-to-one keys: the compiled score against its definition, the best key against all keys there are."""

from __future__ import annotations

import threading
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from ventris.deciphering.joint_table import JointTable, WindowIndex, windows_of
from ventris.deciphering.key_settings import KEYS
from ventris.deciphering.many_to_one import SearchBudget, find_many_to_one
from ventris.errors import DataError, ParameterError
from ventris.kernels.guided_annealing import NO_LABEL, best_completions

# Random tables are rougher than a language: hotter than texts are searched.
SHORT = replace(KEYS, guided_rounds=400, guided_work=1e7, guided_temperatures=(300.0, 0.2))


def random_tables(n_labels, order, seed):
    rng = np.random.default_rng(seed)
    return [np.log(rng.dirichlet(np.full(n_labels, 0.4), size=(n_labels,) * k)) for k in range(order)]


def test_bytes_are_the_joint_log_probability_above_the_floor():
    tables = random_tables(4, 3, 0)
    table = JointTable.of(tables)
    floor = 3 * KEYS.joint_floor
    for gram in product(range(4), repeat=3):
        log_p = sum(tables[k][gram[: k + 1]] for k in range(3))
        number = gram[0] * 16 + gram[1] * 4 + gram[2]
        assert abs(table.bytes[number] - max(0.0, (log_p - floor) / table.unit)) <= 0.5 + 1e-3
    frequency = np.exp(tables[0])
    assert table.label_entropy == pytest.approx(-(frequency @ np.log(frequency)), rel=1e-6)
    assert table.bytes.max() == 255


def test_best_completions_are_those_of_all_labels():
    bytes_ = np.random.default_rng(1).integers(0, 3, size=4**3).astype(np.uint8)
    best = best_completions(bytes_, 4, 3)
    cube = bytes_.reshape(4, 4, 4)
    for place in range(3):
        for first, second in product(range(4), repeat=2):
            open_at = [first, second]
            open_at.insert(place, slice(None))
            column = cube[tuple(open_at)]
            found = best[place * 16 + first * 4 + second]
            assert found == (column.argmax() if column.max() else NO_LABEL)


def test_windows_leave_unknown_symbols_out():
    codes = np.array([0, 1, 2, -1, 1, 1, 0, 2])
    windows, known = windows_of(codes, 3)
    assert windows.tolist() == [[0, 1, 2], [1, 1, 0], [1, 0, 2]]
    assert known.tolist() == [0, 1, 2, 1, 1, 0, 2]
    index = WindowIndex.of(codes, 3, 5, 3)
    assert index.occurrences.tolist() == [2, 3, 2]
    for symbol in range(3):
        for q in range(index.first[symbol], index.first[symbol + 1]):
            window = windows[index.member[q]]
            assert index.weight[q] == (window == symbol) @ [25, 5, 1]
            assert window[index.place[q]] == symbol


@pytest.mark.parametrize("unknown", [False, True])
def test_the_best_key_is_that_of_all_keys_tried(unknown):
    """Three labels for five symbols: 243 keys, by the definition of the score."""
    rng = np.random.default_rng(8)
    table = JointTable.of(random_tables(3, 2, 8))
    codes = rng.integers(5, size=80)
    if unknown:
        codes[[3, 40, 41]] = -1
    scores = {key: table.score(np.array(key), codes) for key in product(range(3), repeat=5)}
    found = find_many_to_one(codes, 5, table, rng, settings=SHORT)
    assert tuple(found.keys[0]) == max(scores, key=scores.__getitem__)
    for key, score in zip(found.keys, found.scores, strict=True):
        assert score * table.degree == pytest.approx(scores[tuple(key)], rel=1e-9)
    assert len({tuple(key) for key in found.keys}) == len(found.keys)
    assert found.agreement == found.n_alike / found.n_runs > 0
    assert not found.is_cut


def test_labels_that_are_not_allowed_are_never_given():
    rng = np.random.default_rng(3)
    table = JointTable.of(random_tables(3, 2, 3))
    codes, allowed = rng.integers(5, size=60), np.ones((5, 3), dtype=bool)
    allowed[0] = [False, True, False]
    allowed[1, 2] = False
    scores = {
        key: table.score(np.array(key), codes)
        for key in product(range(3), repeat=5)
        if key[0] == 1 and key[1] != 2
    }
    found = find_many_to_one(codes, 5, table, rng, allowed=allowed, settings=SHORT)
    assert tuple(found.keys[0]) == max(scores, key=scores.__getitem__)
    assert all(tuple(key) in scores for key in found.keys)
    known = np.zeros((5, 3), dtype=bool)
    known[np.arange(5), [0, 1, 2, 0, 1]] = True
    assert find_many_to_one(codes, 5, table, rng, allowed=known).keys.tolist() == [[0, 1, 2, 0, 1]]


def problem(seed=0):
    rng = np.random.default_rng(seed)
    return rng.integers(12, size=200), JointTable.of(random_tables(6, 3, seed))


def test_the_answer_depends_on_the_seed_alone_not_on_threads():
    codes, table = problem()
    found = [
        find_many_to_one(
            codes, 12, table, np.random.default_rng(5), budget=SearchBudget(n_jobs=n_jobs), settings=SHORT
        )
        for n_jobs in (1, 3, -1)
    ]
    for other in found[1:]:
        np.testing.assert_array_equal(other.keys, found[0].keys)
        assert other.n_runs == found[0].n_runs


def test_effort_is_work_and_a_watcher_may_end_it():
    codes, table = problem(1)
    never = replace(SHORT, guided_recurrences=10**6)
    told = {}
    for effort in (1, 4):
        told[effort] = seen = []
        find_many_to_one(
            codes, 12, table, np.random.default_rng(0), budget=SearchBudget(effort), settings=never,
            watch=lambda found, seen=seen: bool(seen.append(found)),
        )  # fmt: skip
        shares = [found.work_done for found in seen]
        assert shares == sorted(shares) and shares[-1] == pytest.approx(1.0, abs=0.2)
        scores = [found.score for found in seen]
        assert scores == sorted(scores)
    assert len(told[4]) > len(told[1])
    ended = find_many_to_one(
        codes, 12, table, np.random.default_rng(0), settings=never, watch=lambda found: found.n_runs == 2
    )
    assert ended.is_cut and ended.n_runs == 2


def test_time_ends_a_run_that_would_take_for_ever():
    codes, table = problem(2)
    endless = replace(KEYS, guided_rounds=10**9, guided_work=1e15)
    found = find_many_to_one(
        codes, 12, table, np.random.default_rng(0), budget=SearchBudget(seconds=0.2), settings=endless
    )
    assert found.is_cut and found.n_runs == 1
    assert found.scores[0] * table.degree == pytest.approx(table.score(found.keys[0], codes), rel=1e-9)


def test_an_interrupt_gives_the_best_so_far(monkeypatch):
    """The main thread waits in `_ended`: a Ctrl-C is raised there."""
    codes, table = problem(3)
    endless = replace(KEYS, guided_rounds=10**9, guided_work=1e15)

    def interrupted(self, end, ends_at):
        assert threading.active_count() > 1
        raise KeyboardInterrupt

    monkeypatch.setattr("ventris.deciphering.many_to_one._Ends._ended", interrupted)
    found = find_many_to_one(codes, 12, table, np.random.default_rng(0), settings=endless)
    assert found.is_cut and found.n_runs == 1


def test_bad_arguments_are_sentences():
    _, table = problem()
    with pytest.raises(DataError, match="at least 3 symbols in a row"):
        find_many_to_one(np.array([0, 1, -1, 0, 1]), 2, table, np.random.default_rng(0))
    for bad in ({"effort": 0}, {"seconds": -1.0}, {"n_jobs": 0}):
        with pytest.raises(ParameterError, match="must be a positive"):
            SearchBudget(**bad)
