"""A label model moved towards counts: where it goes, what stays, and what is told of it."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from ventris.errors import ParameterError
from ventris.label_model.adaptation import AdaptationSettings, map_model, renamed, what_moved
from ventris.label_model.model import NgramModel
from ventris.label_model.state import lm_from_state, lm_to_state

TEXT = "the cat sat on the mat and the rat ate the hat " * 20
OTHER = "that rat that ate that hat met the man then sat " * 5


def counted(text, lm, order):
    """How often each n-gram occurs in a text."""
    codes = lm.alphabet.encode(list(text))
    counts = np.zeros((lm.n_classes,) * order)
    np.add.at(counts, tuple(codes[k : len(codes) - order + 1 + k] for k in range(order)), 1.0)
    return counts


@pytest.mark.parametrize("order", [2, 3])
def test_the_formula_history_by_history(order):
    """(E12)."""
    lm, settings = NgramModel.from_text(TEXT, order), AdaptationSettings(history_counts=2.0)
    counts = counted(OTHER.replace("m", "c"), lm, order)
    moved = map_model(lm, counts, 50.0, settings=settings).conditional(order)
    for history in product(range(lm.n_classes), repeat=order - 1):
        weight = 50.0 * lm.joint(order - 1)[history] + 2.0
        wanted = weight * lm.conditional(order)[history] + counts[history]
        np.testing.assert_allclose(moved[history], wanted / wanted.sum(), rtol=1e-12)


def test_no_other_transitions_have_a_higher_posterior():
    """(E12) is where the log posterior is largest: mixing in any other distribution lowers it."""
    lm, settings = NgramModel.from_text(TEXT, 2), AdaptationSettings(history_counts=2.0)
    counts, rng = counted(OTHER.replace("m", "c"), lm, 2), np.random.default_rng(100)
    moved = map_model(lm, counts, 50.0, settings=settings).conditional(2)
    weights = (50.0 * lm.joint(1) + 2.0)[:, None] * lm.conditional(2) + counts  # n + a P₀
    for _ in range(50):
        other = 0.99 * moved + 0.01 * rng.dirichlet(np.ones(lm.n_classes), size=lm.n_classes)
        assert np.all((weights * np.log(other)).sum(axis=1) < (weights * np.log(moved)).sum(axis=1))


@pytest.mark.parametrize(("order", "counted_order"), [(2, 2), (3, 3), (3, 2), (4, 3)])
def test_a_moved_model_is_a_proper_one(order, counted_order):
    lm = NgramModel.from_text(TEXT, order)
    moved = map_model(lm, counted(OTHER, lm, counted_order), 100.0)
    assert moved.classes == lm.classes and moved.order == order
    for k in range(1, order + 1):
        np.testing.assert_allclose(moved.joint(k).sum(), 1.0)
        np.testing.assert_allclose(moved.conditional(k).sum(axis=-1), 1.0)
    for k in range(2, order + 1):  # lower orders are the marginals of higher ones, at either end
        np.testing.assert_allclose(moved.joint(k).sum(axis=-1), moved.joint(k - 1), atol=1e-9)
        np.testing.assert_allclose(moved.joint(k).sum(axis=0), moved.joint(k - 1), atol=1e-9)
    again = lm_from_state(*lm_to_state(moved))
    np.testing.assert_array_equal(again.joint(order), moved.joint(order))


def test_strength_leads_from_the_counts_to_the_given_model():
    lm = NgramModel.from_transition_matrix([[0.5, 0.5], [0.2, 0.8]])
    counts = np.array([[900.0, 100.0], [400.0, 600.0]])
    ends = [map_model(lm, counts, s).conditional(2) for s in (1e-6, 1e9)]
    prior = 10.0 * lm.conditional(2) + counts  # what each history is worth in any case
    np.testing.assert_allclose(ends[0], prior / prior.sum(axis=1, keepdims=True), rtol=1e-6)
    np.testing.assert_allclose(ends[1], lm.conditional(2), rtol=1e-5)
    assert map_model(lm, counts, np.inf) is lm
    first = [map_model(lm, counts, s).conditional(2)[0, 0] for s in (10.0, 100.0, 1000.0, 1e4)]
    assert first == sorted(first, reverse=True)


@pytest.mark.parametrize("order", [2, 3])
def test_unseen_histories_stay_and_impossible_n_grams_too(order):
    ring = NgramModel.from_graph([[0, 1, 0, 1], [1, 0, 1, 0], [0, 1, 0, 1], [1, 0, 1, 0]], stay=0.5)
    lm = ring if order == 2 else NgramModel.from_probabilities(ring.joint(3))
    counts = np.zeros((4,) * order)
    counts[0] = 7.0  # impossible ones among them
    moved = map_model(lm, counts, 30.0).conditional(order)
    np.testing.assert_allclose(moved[1:], lm.conditional(order)[1:], rtol=1e-12)
    possible = lm.joint(order) > 0
    assert np.all(map_model(lm, counts, 30.0).joint(order)[~possible] == 0)
    assert not np.allclose(moved[0][possible[0]], lm.conditional(order)[0][possible[0]])


def test_pairs_move_the_longer_n_grams_of_a_model():
    lm = NgramModel.from_text(TEXT, 3)
    counts = counted(OTHER, lm, 2)
    ratio = map_model(NgramModel.from_probabilities(lm.joint(2)), counts, 40.0).conditional(2)
    ratio = ratio / lm.conditional(2)
    moved = map_model(lm, counts, 40.0).conditional(3)
    wanted = lm.conditional(3) * ratio[None]
    np.testing.assert_allclose(moved, wanted / wanted.sum(axis=-1, keepdims=True), rtol=1e-6)


@pytest.mark.parametrize(
    ("counts", "pseudo_counts", "word"),
    [
        (np.ones((2, 2, 2)), 1.0, "n-grams of 2 to 2 of 2 labels"),
        (np.ones((3, 3)), 1.0, "n-grams of 2 to 2 of 2 labels"),
        (np.ones((2, 2)), 0.0, "positive"),
        (np.ones((2, 2)), np.nan, "positive"),
    ],
)
def test_what_is_no_counts_is_refused(counts, pseudo_counts, word):
    lm = NgramModel.from_transition_matrix([[0.5, 0.5], [0.2, 0.8]])
    with pytest.raises(ParameterError, match=word):
        map_model(lm, counts, pseudo_counts)


def test_the_change_that_matters_most_is_told_first():
    lm = NgramModel.from_transition_matrix(
        [[0.6, 0.3, 0.1], [0.45, 0.45, 0.1], [0.4, 0.3, 0.3]], classes="abc"
    )
    counts = np.array([[300.0, 600.0, 100.0], [460.0, 440.0, 100.0], [0.0, 2.0, 1.0]])
    adapted = map_model(lm, counts, 1.0)
    told = what_moved(lm, adapted, counts)
    # Twice as many b after a is worth more than half as many a; a few c say nothing, b hardly changed.
    assert [(pair.first, pair.second) for pair in told] == [("a", "b"), ("a", "a")]
    assert told[0].factor == pytest.approx(2.0, rel=0.02) and told[1].factor == pytest.approx(0.5, rel=0.02)
    assert str(told[0]) == "'b' follows 'a' 2 times as often as you said"
    assert what_moved(lm, lm, counts) == []
    few = AdaptationSettings(named_pairs=1)
    assert len(what_moved(lm, adapted, counts, settings=few)) == 1


def test_smoothing_by_itself_is_no_move():
    # The pairs of a counted trigram model are smoothed apart from its trigrams; nothing was seen here.
    lm = NgramModel.from_text(TEXT, 3)
    nothing = np.zeros((lm.n_classes,) * 3)
    adapted = map_model(lm, nothing, 100.0)
    seen = counted(TEXT, lm, 3)
    assert what_moved(lm, adapted, seen) == []


@pytest.mark.parametrize("order", [2, 3])
def test_a_renamed_model_says_of_new_names_what_it_said_of_the_old(order):
    lm, names = NgramModel.from_text("abracadabra " * 9, order=order), np.array([3, 0, 5, 1, 2, 4])
    other = renamed(lm, names)
    for each in range(2, order + 1):
        np.testing.assert_allclose(other.conditional(each)[np.ix_(*[names] * each)], lm.conditional(each))
        np.testing.assert_allclose(other.joint(each)[np.ix_(*[names] * each)], lm.joint(each))
    assert other.classes == lm.classes and other.order == order
