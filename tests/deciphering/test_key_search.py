"""Key search: incremental scores against their definition, and keys that are known."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from ventris.datasets.language import load_language
from ventris.deciphering.key_score import score_key
from ventris.deciphering.key_search import anneal_key, anneal_map
from ventris.deciphering.settings import DEFAULT
from ventris.errors import DataError, ParameterError

PLAIN = (
    "it was the best of times it was the worst of times it was the age of wisdom it was the age of "
    "foolishness it was the epoch of belief it was the epoch of incredulity it was the season of light it "
    "was the season of darkness it was the spring of hope it was the winter of despair"
).replace(" ", "")


def enciphered(text: str, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Plain letters, cipher symbols and the true key."""
    plain = np.array([ord(char) - ord("a") for char in text])
    key = np.random.default_rng(seed).permutation(26)
    return plain, np.argsort(key)[plain], key


def random_chain(n: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).dirichlet(np.full(n, 0.2), size=n) * 0.98 + 0.02 / n


@pytest.mark.parametrize("order", [2, 3])
def test_incremental_score_is_the_score(order):
    rng = np.random.default_rng(3)
    log_prob = np.log(rng.dirichlet(np.ones(5), size=(5,) * (order - 1)))
    texts = [rng.integers(5, size=80), rng.integers(5, size=2), rng.integers(5, size=40)]
    found = anneal_key(texts, log_prob, n_symbols=5, recurrences=3, max_restarts=2, random_state=1)
    # Single precision: log-probabilities are stored in 4 bytes, for the cache's sake.
    assert found.score == pytest.approx(score_key(found.key, texts, log_prob), rel=1e-4)


def test_one_to_one_key_is_the_best_of_all():
    rng = np.random.default_rng(4)
    log_prob = np.log(rng.dirichlet(np.ones(5), size=(5, 5)))
    text = [rng.integers(5, size=60)]
    best = max(score_key(key, text, log_prob) for key in itertools.permutations(range(5)))
    found = anneal_key(text, log_prob, n_symbols=5, recurrences=3, random_state=0)
    assert found.score == pytest.approx(best, rel=1e-5)
    assert found.n_recurrences >= 3


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_substitution_without_spaces(seed):
    plain, cipher, _ = enciphered(PLAIN, seed)
    log_prob = np.log(load_language("en", 4, space=False).conditional(4))
    found = anneal_key([cipher], log_prob, n_symbols=26, recurrences=3, random_state=seed)
    assert found.score >= score_key(np.arange(26), [plain], log_prob) - 1e-2
    assert np.mean(found.key[cipher] != plain) <= 0.02


def test_relabelled_symbols_give_the_same_plaintext():
    plain, cipher, _ = enciphered(PLAIN, 6)
    log_prob = np.log(load_language("en", 4, space=False).conditional(4))
    first = anneal_key([plain], log_prob, n_symbols=26, recurrences=3, random_state=0)
    second = anneal_key([cipher], log_prob, n_symbols=26, recurrences=3, random_state=0)
    np.testing.assert_array_equal(first.key[plain], second.key[cipher])


def test_same_seed_same_search():
    _, cipher, _ = enciphered(PLAIN[:80], 7)
    log_prob = np.log(load_language("en", 3, space=False).conditional(3))
    runs = [
        anneal_key([cipher], log_prob, n_symbols=26, recurrences=3, max_restarts=4, random_state=5)
        for _ in range(2)
    ]
    assert runs[0].restart_scores == runs[1].restart_scores
    np.testing.assert_array_equal(runs[0].key, runs[1].key)


def test_fixed_symbols_stay():
    log_prob = np.log(load_language("en", 3).conditional(3))
    text = np.array([26, 3, 4, 26, 7, 8, 9, 26, 0, 1])
    found = anneal_key(
        [text], log_prob, n_symbols=27, recurrences=3, fixed={26: 26}, max_restarts=4, random_state=0
    )
    assert all(key[26] == 26 for key in found.restart_keys)
    assert sorted(found.key) == list(range(27))


def test_bad_arguments_are_sentences():
    log_prob = np.log(np.full((4, 4, 4), 0.25))
    with pytest.raises(ParameterError, match="as many symbols as labels"):
        anneal_key([[0, 1, 2]], log_prob, n_symbols=5, recurrences=3)
    with pytest.raises(DataError, match="at least 3 symbols in a row"):
        anneal_key([[0, 1]], log_prob, n_symbols=4, recurrences=3)
    with pytest.raises(DataError, match="as many lags"):
        anneal_map(np.ones((2, 3, 3)), np.zeros((3, 3)), **how(3, 3))


def how(n_codes, n_labels, *, entropy_weight=1.0, n_restarts=2):
    """A search as the route makes it, with fewer moves."""
    return {
        "entropy_weight": entropy_weight,
        "moves": 320 * n_codes * n_labels,
        "temperatures": DEFAULT.map_temperatures,
        "n_restarts": n_restarts,
    }


def map_score(key, pairs, log_prob, weight):
    """Score of a map from its definition."""
    likelihood = sum(float(np.sum(p * lp[np.ix_(key, key)])) for p, lp in zip(pairs, log_prob, strict=True))
    usage = np.bincount(key, weights=pairs[0].sum(axis=1))
    usage = usage[usage > 0]
    return likelihood - weight * len(pairs) * float(usage @ np.log(usage / usage.sum()))


@pytest.mark.parametrize("n_lags", [1, 3])
def test_map_score_is_the_score(n_lags):
    rng = np.random.default_rng(8)
    pairs = rng.integers(0, 20, size=(n_lags, 12, 12)).astype(float)
    log_prob = np.log(rng.dirichlet(np.ones(4), size=(n_lags, 4)))
    found = anneal_map(pairs, log_prob, **how(12, 4, entropy_weight=0.5), random_state=0)
    assert found.score == pytest.approx(map_score(found.key, pairs, log_prob, 0.5), rel=1e-9)
    if n_lags == 1:
        # No single relabelling improves what a search that ends frozen has found.
        for code, label in itertools.product(range(12), range(4)):
            other = found.key.copy()
            other[code] = label
            assert map_score(other, pairs, log_prob, 0.5) <= found.score + 1e-9 * abs(found.score)


@pytest.mark.parametrize("seed", [0, 1])
def test_codebook_of_80_codes_and_20_labels(seed):
    rng = np.random.default_rng(seed)
    chain = random_chain(20, seed)
    own = rng.permutation(np.arange(80) % 20)
    share = rng.gamma(2.0, size=80)
    share /= np.bincount(own, weights=share)[own]
    start = np.linalg.matrix_power(chain, 999)[0]
    expected = (start[own] * share)[:, None] * chain[np.ix_(own, own)] * share
    pairs = rng.poisson(50_000 * expected)
    found = anneal_map(pairs, np.log(chain), **how(80, 20, n_restarts=4), random_state=seed)
    assert np.mean(found.key != own) <= 0.05
    assert found.n_recurrences >= 2
