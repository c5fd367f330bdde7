"""Where the search starts: guesses by frequency and by place, and the turns the kinds take."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from tests.deciphering.homophones import homophonic

from ventris.deciphering.starts import draw_tables, grouped_key, ranked_key
from ventris.label_model.model import NgramModel

LOPSIDED = NgramModel.from_transition_matrix(
    [[0.55, 0.3, 0.1, 0.05], [0.7, 0.1, 0.1, 0.1], [0.6, 0.3, 0.05, 0.05], [0.8, 0.1, 0.05, 0.05]]
)


def test_a_ranked_guess_fills_each_label_with_its_share():
    ciphertext, _ = homophonic(LOPSIDED, 40)
    shares = np.zeros(4)
    for seed in range(20):
        key = ranked_key(ciphertext, np.random.default_rng(seed))
        shares += np.bincount(key, weights=ciphertext.code_frequency, minlength=4) / 20
    # A code is never cut in two, so the shares are met but for the size of a code.
    np.testing.assert_allclose(shares, LOPSIDED.stationary(), atol=ciphertext.code_frequency.max())


def test_a_ranked_guess_gives_frequent_codes_frequent_labels():
    ciphertext, _ = homophonic(LOPSIDED, 4)  # one code a label, in its place
    hits = [np.mean(ranked_key(ciphertext, np.random.default_rng(seed)) == range(4)) for seed in range(20)]
    assert np.mean(hits) > 0.6


def test_a_grouped_guess_names_whole_groups_by_how_frequent_they_are():
    ciphertext, key = homophonic(LOPSIDED, 40, centres=True)
    guesses = np.stack([grouped_key(key, ciphertext, np.random.default_rng(seed)) for seed in range(20)])
    for guess in guesses:
        names = {label: set(guess[key == label]) for label in range(4)}
        assert all(len(given) == 1 for given in names.values()) and len(set(guess)) == 4
    assert np.mean(guesses == key) > 0.6


def test_the_kinds_take_turns():
    ciphertext, key = homophonic(LOPSIDED, 40, centres=True)
    named, grouped, ranked, even = draw_tables(ciphertext, 4, np.random.default_rng(0))
    assert np.abs(even).max() < 0.5  # nearly even
    for start in (grouped, ranked):
        assert np.median(start.max(axis=1)) > 0.4  # leans to a label in every row
    assert np.median(named.max(axis=1)) > 1.6  # is surer of it
    for start in (named, grouped):
        assert all(len(set(start[key == label].argmax(axis=1))) <= 2 for label in range(4))


def test_symbols_lie_nowhere_and_are_ranked_or_random():
    ciphertext, _ = homophonic(LOPSIDED, 40)
    leaning = [
        np.median(start.max(axis=1)) > 0.4 for start in draw_tables(ciphertext, 6, np.random.default_rng(0))
    ]
    assert leaning == [True, False] * 3


def test_known_labels_are_added_to_every_start():
    ciphertext, _ = homophonic(LOPSIDED, 8)
    anchor = np.zeros((8, 4))
    anchor[2, 3] = 4.0
    plain = draw_tables(ciphertext, 4, np.random.default_rng(0))
    anchored = draw_tables(replace(ciphertext, anchor=anchor), 4, np.random.default_rng(0))
    np.testing.assert_allclose(anchored - plain, np.broadcast_to(anchor, plain.shape), atol=1e-12)


def test_fewer_codes_than_labels_are_not_grouped():
    ciphertext, _ = homophonic(LOPSIDED, 4, centres=True)
    few = replace(
        ciphertext,
        statistics=replace(ciphertext.statistics, code_pairs=ciphertext.statistics.code_pairs[:, :3, :3]),
        centres=ciphertext.centres[:3],
    )
    assert draw_tables(few, 6, np.random.default_rng(0)).shape == (6, 3, 4)


def test_codes_that_lie_in_one_place_make_no_fuss():
    ciphertext, _ = homophonic(LOPSIDED, 8, centres=True)
    heap = replace(ciphertext, centres=np.zeros((8, 3)))
    assert draw_tables(heap, 6, np.random.default_rng(0)).shape == (6, 8, 4)  # a warning would be an error
