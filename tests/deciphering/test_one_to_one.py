"""One-to-one keys: long texts by descent on J, the engine of the classifiers; neighbours climbed."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from ventris.ciphers import decipher, encipher
from ventris.ciphers.letter_model import letter_model
from ventris.ciphers.spelling import alphabet_of
from ventris.data.counts import N_LAGS
from ventris.datasets.language import load_language
from ventris.deciphering import one_to_one
from ventris.deciphering.key_score import BREAK, SPACE, SymbolText, log_likelihood
from ventris.deciphering.key_settings import KEYS
from ventris.deciphering.one_to_one import find_one_to_one, key_by_descent, polish_keys


@pytest.fixture(scope="module")
def long_text() -> np.ndarray:
    return load_language("en", 4, space=False).sample(KEYS.long_text + 500, random_state=11)


def unbroken(symbols: np.ndarray) -> SymbolText:
    return SymbolText(symbols, np.arange(len(symbols)))


def test_descent_alone_reads_most_of_a_long_text(long_text):
    key, model = np.random.default_rng(1).permutation(26), letter_model("en", 4, False)
    text = unbroken(key[long_text])
    reading = key_by_descent(text, model.pairs(N_LAGS), model.stationary, np.random.default_rng(2))
    assert sorted(reading) == list(range(26))
    assert np.mean(reading[key[long_text]] != long_text) <= 0.05


def test_descent_and_polish_read_all_of_it(long_text):
    alphabet = alphabet_of("en")
    plain = "".join(alphabet[i] for i in long_text)
    key = "".join(np.random.default_rng(3).permutation(list(alphabet)))
    result = decipher(encipher(plain, key, kind="substitution"), "en", "substitution")
    assert np.mean([a != b for a, b in zip(result.plaintext, plain, strict=True)]) <= 0.001


def test_pairs_of_symbols_do_not_cross_breaks(monkeypatch):
    seen = []
    monkeypatch.setattr(
        one_to_one, "descend", lambda found, starts, **_: (seen.append(found), (starts, [0]))[1]
    )
    symbols = np.array([0, 1, 0, 1, 0, 0, 1, 1, 1, 1, 1])
    layout = np.array([0, 1, 2, 3, 4, 5, BREAK, 6, 7, 8, 9, 10])
    even = np.full((4, 2, 2), 0.25)
    key_by_descent(SymbolText(symbols, layout), even, np.array([0.5, 0.5]), np.random.default_rng(0))
    pairs = seen[0].code_pairs
    np.testing.assert_allclose(pairs.sum(axis=(1, 2)), 1.0)
    # Lag 1: 01 10 01 10 00 before the break, 11 four times after it.
    np.testing.assert_allclose(pairs[0], np.array([[1, 2], [2, 4]]) / 9)


@pytest.mark.parametrize("with_space", [False, True])
def test_the_best_key_is_that_of_all_keys_tried(with_space):
    """Five labels have 120 keys: brute force over the whole text, its first symbols included."""
    rng = np.random.default_rng(4)
    n_symbols, order = 5 + with_space, 3
    tables = [np.log(rng.dirichlet(np.full(n_symbols, 0.4), size=(n_symbols,) * k)) for k in range(order)]
    layout = np.arange(60)
    layout[20] = BREAK
    if with_space:
        layout[[0, 7, 31, 44]] = SPACE
    text = SymbolText(rng.integers(5, size=60), layout, 5 if with_space else None)
    keys = np.array(list(permutations(range(5))))
    expected = log_likelihood(text.rows(keys[:, text.symbols]), tables)
    found = find_one_to_one(text, tables, rng)
    assert found.scores.max() == pytest.approx(expected.max(), rel=1e-6)
    np.testing.assert_array_equal(found.keys[found.scores.argmax()], keys[expected.argmax()])
    polished = polish_keys([keys[0], keys[expected.argmax()]], text, tables, rng)
    assert polished.scores.max() == pytest.approx(expected.max(), rel=1e-6)
