"""Codes explained: the likelihood never falls, free transitions are the posterior mode, known labels hold."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise, product

import numpy as np
import pytest

from ventris.data.known_labels import KnownLabels
from ventris.deciphering.ciphertext import Stretch
from ventris.deciphering.likelihood import code_logliks, explain, in_blocks, table_distance
from ventris.deciphering.settings import DEFAULT
from ventris.label_model.markov import stationary_distribution

TRANSITIONS = np.array([[0.7, 0.2, 0.1], [0.1, 0.6, 0.3], [0.35, 0.05, 0.6]])
TO_THE_END = replace(DEFAULT, explain_gain=1e-9)


def overlapping(n=3_000, n_codes=8, seed=100, transitions=TRANSITIONS):
    """Codes that every label may send, in two sequences, and the labels."""
    rng = np.random.default_rng(seed)
    sends = rng.dirichlet(np.full(n_codes, 0.5), size=len(transitions))
    labels = np.empty(n, dtype=int)
    labels[0] = 0
    for t in range(1, n):
        labels[t] = rng.choice(len(transitions), p=transitions[labels[t - 1]])
    codes = np.array([rng.choice(n_codes, p=sends[label]) for label in labels])
    return Stretch(codes, np.array([n // 3, n - n // 3])), labels


STRETCH, LABELS = overlapping()
START = np.random.default_rng(0).dirichlet(np.ones(3), size=8)


def after(n_rounds, **options):
    return explain(START, STRETCH, TRANSITIONS, n_rounds=n_rounds, settings=TO_THE_END, **options)


def test_the_likelihood_never_falls():
    values = [after(n).objective for n in range(1, 30)]
    assert np.all(np.diff(values) > 0) and values[-1] > values[0] + 50
    assert [after(n).n_rounds for n in (1, 7)] == [1, 7]


def test_with_fixed_transitions_the_objective_is_the_likelihood():
    ended = after(20)
    assert ended.objective == ended.loglik and ended.transitions is TRANSITIONS
    frequency = np.bincount(STRETCH.codes) / len(STRETCH.codes)
    logs = code_logliks(ended.table, TRANSITIONS, STRETCH, frequency @ ended.table)
    assert logs.shape == (2,) and logs.sum() == pytest.approx(ended.loglik)
    assert ended.pairs.sum() == pytest.approx(len(STRETCH.codes) - 2)


@pytest.mark.parametrize("worth", [30.0, 1_000.0])
def test_free_transitions_are_the_mode_of_expected_pairs_and_prior(worth):
    """The closed form of the M-step, round by round (Dirichlet prior centred on what was given)."""
    prior = worth * stationary_distribution(TRANSITIONS)[:, None] * TRANSITIONS
    for n in range(1, 6):
        held = after(n, pseudo_counts=worth).pairs + prior
        found = after(n + 1, pseudo_counts=worth)
        np.testing.assert_allclose(found.transitions, held / held.sum(axis=1, keepdims=True), rtol=1e-12)
        assert found.objective == pytest.approx(found.loglik + np.sum(prior * np.log(found.transitions)))


def test_free_transitions_raise_the_objective():
    """But for the first label of a sequence, whose distribution is no free number of the step."""
    values = [after(n, pseudo_counts=30.0).objective for n in range(1, 30)]
    assert np.all(np.diff(values) > -1e-2) and values[-1] > values[0] + 50


def test_an_endless_worth_changes_nothing():
    np.testing.assert_allclose(after(20, pseudo_counts=1e12).transitions, TRANSITIONS, atol=1e-8)


def test_what_will_not_come_near_is_given_up():
    best = after(60).objective
    assert after(60, to_beat=best).objective == best
    given_up = after(60, to_beat=best + 1e6)
    assert given_up.n_rounds < 4


def test_whoever_comes_near_a_known_table_need_not_go_on():
    ended = after(60)
    again = after(60, leave_out=ended.table)
    assert again.n_rounds < ended.n_rounds
    frequency = np.bincount(STRETCH.codes) / len(STRETCH.codes)
    assert table_distance(again.table, ended.table, frequency) < DEFAULT.one_answer
    before = after(again.n_rounds - 1)
    assert table_distance(before.table, ended.table, frequency) >= DEFAULT.one_answer


def brute_likelihood(codes, table, transitions, usage, given=None):
    """Nats by which a sequence is likelier than its codes one by one, path by path."""
    opening, rows = stationary_distribution(transitions), table[codes] / usage
    if given is not None:
        known = ~np.isnan(given[:, 0])
        rows[known] = (np.maximum(table[codes], 1e-4) * given / usage)[known]
    total = 0.0
    for path in product(range(len(opening)), repeat=len(codes)):
        steps = [transitions[pair] for pair in pairwise(path)]
        total += opening[path[0]] * np.prod(steps) * np.prod(rows[np.arange(len(codes)), path])
    return np.log(total)


def test_likelihoods_of_sequences_are_sums_over_all_paths():
    codes, lengths = STRETCH.codes[:9], np.array([5, 4])
    usage = np.array([0.5, 0.3, 0.2])
    found = code_logliks(START, TRANSITIONS, Stretch(codes, lengths), usage)
    brute = [brute_likelihood(part, START, TRANSITIONS, usage) for part in np.split(codes, [5])]
    np.testing.assert_allclose(found, brute, rtol=1e-12)


def test_known_labels_count_in_the_likelihood():
    """One certain, one known by probabilities, the rest not at all."""
    codes = STRETCH.codes[:6]
    soft = np.full((6, 3), np.nan)
    soft[4] = [0.6, 0.3, 0.1]
    known = KnownLabels(np.array([-1, 2, -1, -1, -1, -1]), soft)
    usage = np.array([0.5, 0.3, 0.2])
    found = code_logliks(START, TRANSITIONS, Stretch(codes, np.array([6]), known), usage)
    given = soft.copy()
    given[1] = [0, 0, 1]
    assert found[0] == pytest.approx(brute_likelihood(codes, START, TRANSITIONS, usage, given), rel=1e-6)


def known_everywhere(sure):
    if sure == 1.0:
        return KnownLabels(LABELS)
    soft = np.full((len(LABELS), 3), (1 - sure) / 2)
    soft[np.arange(len(LABELS)), LABELS] = sure
    return KnownLabels(np.full(len(LABELS), -1), soft)


def test_labels_known_of_every_point_are_counted_as_they_are():
    found = explain(START, replace(STRETCH, known=known_everywhere(1.0)), TRANSITIONS)
    counts = np.zeros((8, 3))
    np.add.at(counts, (STRETCH.codes, LABELS), 1)
    np.testing.assert_allclose(found.table, counts / counts.sum(axis=1, keepdims=True), atol=1e-3)
    pairs = np.zeros((3, 3))
    inside = np.delete(np.arange(len(LABELS) - 1), STRETCH.lengths[0] - 1)
    np.add.at(pairs, (LABELS[inside], LABELS[inside + 1]), 1)
    np.testing.assert_allclose(found.pairs, pairs, atol=1)


def test_probabilities_lead_the_table_to_their_labels():
    """From a start under other names: where nothing is known it stays in those."""
    right = explain(START, replace(STRETCH, known=known_everywhere(1.0)), TRANSITIONS).table
    renamed = right[:, [1, 2, 0]]
    found = explain(renamed, replace(STRETCH, known=known_everywhere(0.9)), TRANSITIONS)
    frequency = np.bincount(STRETCH.codes) / len(STRETCH.codes)
    assert table_distance(found.table, right, frequency) < 0.05
    assert table_distance(explain(renamed, STRETCH, TRANSITIONS, n_rounds=2).table, right, frequency) > 0.3


def test_blocks_keep_order_and_points_and_cross_no_boundary():
    stretch = Stretch(np.arange(1_000), np.array([450, 50, 500]))
    blocks = in_blocks(stretch, 200)
    assert blocks.codes is stretch.codes and blocks.lengths.tolist() == [225, 225, 50, 250, 250]
    assert set(np.cumsum(stretch.lengths)) <= set(np.cumsum(blocks.lengths))


def test_the_distance_of_tables_is_between_none_and_all():
    one, other = np.eye(3), np.eye(3)[[1, 2, 0]]
    assert table_distance(one, one, np.full(3, 1 / 3)) == 0
    assert table_distance(one, other, np.full(3, 1 / 3)) == pytest.approx(1)
    assert table_distance(one, other[[0, 2, 1]], np.array([0, 1.0, 0])) == pytest.approx(1)


def test_another_naming_explains_as_much_under_transitions_renamed_with_it():
    ended, names = after(10), np.array([2, 0, 1])
    renamed = ended.renamed(names)
    for label, name in enumerate(names):
        np.testing.assert_array_equal(renamed.table[:, name], ended.table[:, label])
        for other, other_name in enumerate(names):
            assert renamed.pairs[name, other_name] == ended.pairs[label, other]
            assert renamed.transitions[name, other_name] == ended.transitions[label, other]
    again = explain(renamed.table, STRETCH, renamed.transitions, n_rounds=1)
    assert again.loglik == pytest.approx(ended.loglik) == renamed.loglik
    np.testing.assert_allclose(again.pairs, renamed.pairs, atol=1e-8)
