"""One-to-one keys over tens of labels, against the keys that texts were made with."""

from __future__ import annotations

import numpy as np
import pytest

from ventris import NgramModel
from ventris.deciphering.key_score import score_key
from ventris.deciphering.many_labels import find_among_many_labels
from ventris.deciphering.many_to_one import SearchBudget
from ventris.errors import DataError

SIZE = 24


@pytest.fixture(scope="module")
def chain() -> NgramModel:
    rng = np.random.default_rng(0)
    return NgramModel.from_transition_matrix(
        0.98 * rng.dirichlet(np.full(SIZE, 0.2), size=SIZE) + 0.02 / SIZE
    )


def tables(lm, order=2):
    return [np.log(lm.conditional(k)).astype(np.float32) for k in range(1, order + 1)]


def enciphered(lm, n, seed):
    rng = np.random.default_rng(seed)
    labels, signs = np.asarray(lm.sample(n, rng)), rng.permutation(SIZE)
    return signs[labels], np.argsort(signs)


def test_the_key_is_found_and_recurs(chain):
    symbols, key = enciphered(chain, 3_000, 1)
    found = find_among_many_labels([symbols], SIZE, tables(chain), np.random.default_rng(2))
    np.testing.assert_array_equal(found.keys[0], key)
    assert found.agreement >= 0.97
    assert found.n_runs >= 2
    assert found.scores[0] == pytest.approx(score_key(key, [symbols], tables(chain)[1]), rel=1e-4)
    assert (np.diff(found.scores) <= 0).all()


def test_longer_ngrams_finish_what_pairs_leave_open():
    # Pairs are even, b after a as often as after c; only triples tell the labels apart.
    rng = np.random.default_rng(3)
    triples = 0.97 * rng.dirichlet(np.full(6, 0.15), size=(6, 6)) + 0.03 / 6
    labels = [0, 1]
    for _ in range(4_000):
        labels.append(int(rng.choice(6, p=triples[labels[-2], labels[-1]])))
    lm = NgramModel.from_sequences([labels], 3)
    signs = rng.permutation(6)
    symbols = signs[np.array(labels)]
    found = find_among_many_labels([symbols], 6, tables(lm, 3), rng)
    np.testing.assert_array_equal(found.keys[0], np.argsort(signs))


def test_known_symbols_stay_and_symbols_that_never_occur_take_what_is_left(chain):
    symbols, key = enciphered(chain, 3_000, 4)
    fixed = {5: int(key[7])}  # wrong on purpose
    found = find_among_many_labels([symbols], SIZE, tables(chain), np.random.default_rng(5), fixed=fixed)
    assert all(each[5] == key[7] for each in found.keys)
    assert sorted(found.keys[0]) == list(range(SIZE))


def test_whoever_watches_may_end_it(chain):
    symbols, _ = enciphered(chain, 500, 6)
    seen = []

    def watch(found):
        seen.append(found.n_runs)
        return True

    found = find_among_many_labels([symbols], SIZE, tables(chain), np.random.default_rng(7), watch=watch)
    assert seen == [1]
    assert found.n_runs == 1
    assert found.agreement == 0  # one run says nothing about another


def test_noise_makes_the_runs_its_effort_allows(chain):
    symbols = np.random.default_rng(8).integers(SIZE, size=60)
    found = find_among_many_labels(
        [symbols], SIZE, tables(chain), np.random.default_rng(9), budget=SearchBudget(0.5)
    )
    assert 2 <= found.n_runs <= 3


def test_more_symbols_than_labels_are_refused(chain):
    with pytest.raises(DataError, match="at most as many symbols as there are labels, 24"):
        find_among_many_labels([np.arange(30)], 30, tables(chain), np.random.default_rng(0))
