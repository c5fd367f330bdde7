"""Keys with a period, over a family of tables that are no shifts."""

from __future__ import annotations

import numpy as np
import pytest

from ventris.deciphering.key_score import SymbolText, score_readings
from ventris.deciphering.key_settings import KeySettings
from ventris.deciphering.periodic import find_periodic, read_periodic

SIZE = 6


@pytest.fixture(scope="module")
def language():
    """Log-probabilities of pairs, and a text of 400 labels drawn from them."""
    rng = np.random.default_rng(6)
    follows = rng.dirichlet(np.full(SIZE, 0.3), size=SIZE)
    labels = [0]
    for _ in range(399):
        labels.append(int(rng.choice(SIZE, p=follows[labels[-1]])))
    share = np.bincount(labels, minlength=SIZE) / 400
    return (np.log(share), np.log(follows)), np.array(labels), share


@pytest.mark.parametrize("period", [2, 3, 7])
def test_the_table_of_each_column_is_found(language, period):
    tables, labels, share = language
    rng = np.random.default_rng(period)
    family = np.array([rng.permutation(SIZE) for _ in range(9)])  # label of each symbol
    key = np.arange(period) * 4 % 9
    turned = np.argsort(family, axis=1)  # symbol of each label
    symbols = turned[key[np.arange(400) % period], labels]
    text = SymbolText(symbols, np.arange(400))
    found = find_periodic(text, family, tables, share)
    np.testing.assert_array_equal(read_periodic(symbols, found.keys[:1], family)[0], labels)
    assert found.keys.shape == (1 + period * 8, period)
    assert np.all(np.count_nonzero(found.keys[1:] != found.keys[0], axis=1) == 1)
    np.testing.assert_allclose(
        found.scores, score_readings(read_periodic(symbols, found.keys, family), text, tables)
    )
    assert np.argmax(found.scores) == 0


def test_periods_beyond_the_longest_are_not_tried(language):
    tables, labels, share = language
    text = SymbolText(labels, np.arange(400))
    shifts = (np.arange(SIZE) - np.arange(SIZE)[:, None]) % SIZE
    short = find_periodic(text, shifts, tables, share, settings=KeySettings(longest_period=4))
    assert short.n_periods == 3 and find_periodic(text, shifts, tables, share).n_periods == 19
