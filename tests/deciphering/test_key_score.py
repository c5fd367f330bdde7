"""Scores of readings and keys, against loops over labels."""

from __future__ import annotations

import numpy as np
import pytest

from ventris.deciphering.key_score import (
    BREAK,
    SPACE,
    SymbolText,
    distinct_keys,
    log_likelihood,
    score_readings,
    score_whole_keys,
)

RNG = np.random.default_rng(5)
TABLES = [np.log(RNG.dirichlet(np.ones(4), size=(4,) * k)) for k in range(3)]  # orders 1 to 3


def by_hand(labels: list[int]) -> float:
    """log p of a row, label by label, histories cut at breaks."""
    total, history = 0.0, []
    for label in labels:
        if label == BREAK:
            history = []
            continue
        history = [*history, label][-3:]
        total += TABLES[len(history) - 1][tuple(history)]
    return total


@pytest.mark.parametrize("breaks", [[], [0], [3, 4], [9], [2, 7]])
def test_log_likelihood_by_hand(breaks):
    rows = RNG.integers(4, size=(5, 10))
    rows[:, breaks] = BREAK
    np.testing.assert_allclose(log_likelihood(rows, TABLES), [by_hand(list(row)) for row in rows], rtol=1e-12)


def test_readings_keep_spaces_and_breaks_where_they_are():
    text = SymbolText(np.array([0, 1, 2, 0]), np.array([SPACE, 0, 1, BREAK, 2, SPACE, 3]), space=3)
    labels = np.array([[2, 1, 0, 2], [0, 0, 1, 0]])
    expected = [by_hand([3, 2, 1, BREAK, 0, 3, 2]), by_hand([3, 0, 0, BREAK, 1, 3, 0])]
    np.testing.assert_allclose(score_readings(labels, text, TABLES), expected, rtol=1e-12)
    assert [part.tolist() for part in text.parts] == [[3, 0, 1], [2, 3, 0]]


def test_keys_are_scored_as_the_readings_they_give():
    text = SymbolText(RNG.integers(3, size=30), np.r_[:10, BREAK, 10, BREAK, 11:30], space=None)
    keys = np.array([[0, 1, 2], [3, 2, 1], [1, 1, 0]])
    expected = score_readings(keys[:, text.symbols], text, TABLES)
    np.testing.assert_allclose(score_whole_keys(keys, text.parts, TABLES), expected, rtol=1e-6)


def test_keys_that_differ_only_where_nothing_stands_are_one():
    keys = [np.array([0, 1, 2]), np.array([0, 1, 3]), np.array([1, 0, 2])]
    assert [key.tolist() for key in distinct_keys(keys, used=np.array([0, 1]))] == [[0, 1, 2], [1, 0, 2]]
