"""Where the search starts: guesses by frequency, place and signature, and the turns the kinds take."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.deciphering.homophones import homophonic

from ventris.deciphering.descent import DESCENT
from ventris.deciphering.starts import (
    draw_tables,
    grouped_key,
    own_features,
    ranked_key,
    signature,
    signature_key,
)
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


# -------------------------------------------------------------------------------------------- signatures


def lively(n_classes, seed):
    """A label model whose labels keep different company, as the acceptance tasks draw it."""
    rng = np.random.default_rng(seed)
    rows = 0.98 * rng.dirichlet(np.full(n_classes, 0.3), size=n_classes) + 0.02 / n_classes
    return NgramModel.from_transition_matrix(rows)


def pairs_of(lm):
    return np.stack([lm.pair(lag) for lag in range(1, 5)])


def test_other_names_permute_the_signatures():
    pairs, names = pairs_of(lively(12, seed=0)), np.random.default_rng(1).permutation(12)
    renamed = signature(pairs[:, names][:, :, names])
    np.testing.assert_allclose(renamed, signature(pairs)[names], atol=1e-9)


def test_labels_in_different_company_differ_at_some_depth():
    """Two labels alike in all their own features are told apart by their neighbours."""
    # 0 and 1 come as often, from one place, and lead to one; but 2, where 0 leads, stays, and 3 does not.
    follows = np.zeros((5, 5))
    follows[[0, 1, 3], [2, 3, 4]] = 1.0
    follows[[2, 2, 4, 4], [2, 4, 0, 1]] = 0.5
    pair = NgramModel.from_transition_matrix(follows).pair(1)[None]
    own, in_company = (signature(pair, depth=depth)[:2] for depth in (0, 1))
    np.testing.assert_allclose(own[0], own[1], atol=1e-9)
    assert np.abs(in_company[0] - in_company[1]).max() > 0.5


def test_counting_does_not_make_labels_look_concentrated():
    """Pairs drawn by chance repeat themselves; what one point counts for is taken off."""
    even, n_points = np.full((1, 30, 30), 1 / 900), 3000
    drawn = np.random.default_rng(2).poisson(n_points * even) / n_points
    concentration = {share: own_features(drawn, share)[:, -2:] ** 2 for share in (0.0, 1 / n_points)}
    assert concentration[0.0].mean() > 1.2 / 30
    np.testing.assert_allclose(concentration[1 / n_points].mean(), 1 / 30, rtol=0.03)


@pytest.mark.parametrize("seed", range(3))
def test_a_key_by_signature_names_most_of_sixty_labels(seed):
    lm = lively(60, seed)
    ciphertext, key = homophonic(lm, 90, n=40_000, seed=seed)
    found = signature_key(key, ciphertext, np.random.default_rng(seed))
    assert np.mean(found == key) > 0.8  # by chance one in sixty


def test_two_guesses_are_not_alike():
    lm = lively(60, seed=0)
    ciphertext, key = homophonic(lm, 90, n=1_500)
    rng = np.random.default_rng(0)
    guesses = [signature_key(key, ciphertext, rng) for _ in range(2)]
    assert np.any(guesses[0] != guesses[1])


def test_descent_reads_a_hundred_and_fifty_labels():
    """Of codes that lie somewhere, and of symbols, which lie where their company is.

    As many starts that know of neither, and so have no guess by signature, do not; seed 3.
    """
    lm = lively(150, seed=3)
    placed, key = homophonic(lm, 180, n=40_000, seed=3, centres=True)
    symbols = replace(placed, centres=None)
    alone = replace(symbols, settings=replace(symbols.settings, company_labels=151))
    for each, arrives in ((placed, True), (symbols, True), (alone, False)):
        tables, _ = DESCENT.search(each, 4, np.random.default_rng(3))
        assert (np.mean(tables[0].argmax(axis=1) == key) > 0.95) is np.bool_(arrives)


def test_a_label_never_seen_does_no_harm():
    lm = lively(8, seed=4)
    ciphertext, key = homophonic(lm, 8, n=20_000, seed=4)
    groups = np.where(key == 7, 6, key)  # nobody is in the last group
    found = signature_key(groups, ciphertext, np.random.default_rng(0))
    assert np.all(np.isfinite(signature(ciphertext.statistics.code_pairs, ciphertext.n_points)))
    assert np.mean(found[key < 6] == key[key < 6]) >= 0.5


def test_known_labels_come_before_likeness():
    """On a ring all labels look alike; one known code a label names every group."""
    ring = NgramModel.from_transition_matrix(0.9 * np.roll(np.eye(6), 1, axis=1) + 0.1 / 6)
    ciphertext, key = homophonic(ring, 12)
    anchor = np.zeros((12, 6))
    anchor[range(6), key[:6]] = 4.0
    found = signature_key(key, replace(ciphertext, anchor=anchor), np.random.default_rng(0))
    np.testing.assert_array_equal(found, key)
