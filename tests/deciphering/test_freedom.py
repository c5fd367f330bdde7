"""Transitions let go: codes of another chain lead them to their own, right label models are left alone."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from tests.deciphering.homophones import ciphertext_of

from ventris.codes.codebook import fit_codebook
from ventris.data.counts import PairCounts
from ventris.data.known_labels import KnownLabels
from ventris.data.sequences import Sequences
from ventris.datasets import make_paper_chain
from ventris.datasets.paper_chains import TRANSITIONS
from ventris.deciphering.ciphertext import PairStatistics, Stretch
from ventris.deciphering.freedom import _parts, let_go, residual_dependence, settled
from ventris.deciphering.likelihood import explain
from ventris.label_model.model import NgramModel

SENDS = np.array([[0.5, 0.3, 0.15, 0.05], [0.05, 0.15, 0.3, 0.5]])
WORTH = (300.0,)


def seen_through(lm, given, n=20_000, seed=100):
    """A chain seen through four overlapping symbols, as a search with other transitions sees it."""
    rng = np.random.default_rng(seed)
    labels = lm.sample(n, rng)
    codes = (rng.random(n)[:, None] > SENDS.cumsum(axis=1)[labels]).sum(axis=1)
    return ciphertext_of(codes, given, 4), labels


def right_table(lm):
    table = SENDS.T * lm.stationary()
    return table / table.sum(axis=1, keepdims=True)


def chain(number):
    return make_paper_chain(number, n_samples=120).lm


def off(one, other):
    return np.abs(TRANSITIONS[one - 1] - TRANSITIONS[other - 1]).max().round(9)


NEAR = [pair for pair in permutations(range(1, 11), 2) if off(*pair) < 0.3]


@pytest.mark.parametrize(("number", "neighbour"), NEAR)
def test_the_transitions_of_a_neighbour_are_left_for_the_chains_own(number, neighbour):
    """The paper's inputs in 24 codes, rightly told apart; of the transitions most of the error goes."""
    data = make_paper_chain(number, n_samples=24_000, random_state=100)
    rng = np.random.default_rng(100)
    codebook = fit_codebook(Sequences.of(data.train.X), 24, rng)
    codes = codebook.codes(data.train.X)
    counts = np.full((24, 2), 0.5)
    np.add.at(counts, (codes, data.train.y), 1)
    ciphertext = ciphertext_of(codes, chain(neighbour), 24, codebook.centres)
    freed = let_go(counts / counts.sum(axis=1, keepdims=True), ciphertext, WORTH, rng)
    found, own = settled(freed, ciphertext).transitions, data.lm.conditional(2)
    nearest = min(np.abs(found - each).max() for each in (own, own[::-1, ::-1]))  # only the given ones name
    assert nearest < off(number, neighbour) / 2
    assert freed.fresh_gain > 0 and freed.pseudo_counts == 300


@pytest.mark.parametrize(("number", "neighbour"), [(1, 3), (8, 6), (10, 8)])
def test_data_insist_on_what_is_plainly_off(number, neighbour):
    ciphertext, _ = seen_through(chain(number), chain(neighbour))
    freed = let_go(right_table(chain(number)), ciphertext, WORTH, np.random.default_rng(0))
    assert freed.insists(5.0, 3.0, 0.4)


@pytest.mark.parametrize("number", range(1, 11))
def test_a_right_label_model_is_left_alone(number):
    lm = chain(number)
    ciphertext, _ = seen_through(lm, lm, seed=100 + number)
    freed = let_go(right_table(lm), ciphertext, WORTH, np.random.default_rng(0))
    assert not freed.insists(5.0, 3.0, 0.4)
    assert freed.misfit < 0.01


def test_what_insists():
    ciphertext, _ = seen_through(chain(2), chain(2), n=2_000)
    freed = let_go(right_table(chain(2)), ciphertext, WORTH, np.random.default_rng(0))
    sure = replace(freed, fresh_gain=1.0, gain=20.0, deviation=2.0)
    assert sure.insists(5.0, 3.0, 0.4)
    assert not replace(sure, gain=4.0).insists(5.0, 1.0, 0.4)  # too few nats
    assert not replace(sure, deviation=7.0).insists(5.0, 3.0, 0.4)  # too few standard errors
    assert not replace(sure, fresh_gain=-0.1).insists(5.0, 3.0, 0.4)  # fresh points lose
    assert not replace(sure, residual=0.5).insists(5.0, 3.0, 0.4)  # labels are not what they want to explain


def test_order_beyond_labels_is_seen():
    """Symbols that repeat every second one, whatever the labels are, hang together beyond them."""
    ciphertext, _ = seen_through(chain(2), chain(2))
    answer = explain(right_table(chain(2)), ciphertext.sample, np.asarray(chain(2).conditional(2)))
    assert abs(residual_dependence(answer, ciphertext)) < 0.01
    repeated = np.repeat(ciphertext.sample.codes[: len(ciphertext.sample.codes) // 2], 2)
    pairs = PairCounts(ciphertext.statistics.n_codes, 1).add(repeated, [len(repeated)]).frequencies()
    again = replace(ciphertext, statistics=PairStatistics(ciphertext.statistics.label_pairs[:1], pairs))
    assert residual_dependence(answer, again) > 0.3


def test_points_that_judge_are_the_fresh_ones_or_else_the_last():
    ciphertext, _ = seen_through(chain(2), chain(2), n=2_000)
    learnt, fresh = _parts(ciphertext, 500)
    assert len(learnt.codes) == 500 and fresh is ciphertext.fresh
    alone = replace(ciphertext, fresh=Stretch(ciphertext.fresh.codes[:0], np.zeros(0, dtype=int)))
    sample = Stretch(alone.sample.codes, np.array([700, 1_100]), KnownLabels(np.arange(1_800)))
    learnt, fresh = _parts(replace(alone, sample=sample), 1_000)
    assert learnt.lengths.tolist() == [700, 100] and fresh.lengths.tolist() == [200]
    np.testing.assert_array_equal(np.concatenate([learnt.codes, fresh.codes]), sample.codes[:1_000])
    np.testing.assert_array_equal(fresh.known.hard, np.arange(800, 1_000))


LEANING = NgramModel.from_transition_matrix([[0.9, 0.1], [0.4, 0.6]])


@pytest.mark.parametrize("know", [False, True])
def test_known_labels_keep_their_names_whatever_the_transitions_say(know):
    """The given transitions fit better once labels are exchanged; points whose labels are known forbid it."""
    exchanged = NgramModel.from_transition_matrix(LEANING.conditional(2)[::-1, ::-1])
    ciphertext, labels = seen_through(LEANING, exchanged)
    if know:
        hard = np.full(len(ciphertext.sample.codes), -1)
        hard[:40] = labels[:40]
        sample = replace(ciphertext.sample, known=KnownLabels(hard))
        ciphertext = replace(ciphertext, sample=sample)
    freed = let_go(right_table(LEANING), ciphertext, WORTH, np.random.default_rng(0))
    first_symbol = freed.explained.table[0]
    assert first_symbol.argmax() == (0 if know else 1)
    assert (freed.rival_misfit > freed.misfit) is not know  # the other names fit better, and are law no more
    assert freed.rival_names.tolist() == [1, 0]


def test_it_tells_how_far_the_given_transitions_are_off():
    """KL of the given transitions from those read, by hand."""
    lm, given = chain(1), chain(3)
    ciphertext, _ = seen_through(lm, given)
    freed = let_go(right_table(lm), ciphertext, (30.0, 300.0), np.random.default_rng(0))
    read = freed.explained.pairs / freed.explained.pairs.sum()
    rows, said = read / read.sum(axis=1, keepdims=True), given.conditional(2)
    assert freed.misfit == pytest.approx(np.sum(read * np.log(rows / said)))
    assert freed.rival_misfit == pytest.approx(np.sum(read * np.log(rows / said[::-1, ::-1])))
    assert freed.pseudo_counts in (30.0, 300.0)
