"""The test of the label model: what it adds up, whom it alarms, and which pairs it names."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise, product

import numpy as np
import pytest

from ventris.diagnostics import goodness
from ventris.diagnostics.goodness import DEFAULT, Mismatch, PairOff, doubts_about_mismatch, goodness_of_fit
from ventris.errors import LabelModelMismatchWarning
from ventris.label_model.model import NgramModel

SAID = np.array([[0.6, 0.2, 0.2], [0.1, 0.6, 0.3], [0.3, 0.3, 0.4]])


def noisy_outputs(labels, rng, spread=1.0):
    """Posteriors of labels seen through Gaussian noise around the corners of a simplex, as a classifier's."""
    n_classes = int(labels.max()) + 1
    x = np.eye(n_classes)[labels] * 2 + spread * rng.standard_normal((len(labels), n_classes))
    weights = np.exp(2 * x / spread**2)
    return weights / weights.sum(axis=1, keepdims=True)


def model_and_outputs(matrix, n_points, seed):
    rng = np.random.default_rng(seed)
    lm = NgramModel.from_transition_matrix(matrix)
    return lm, noisy_outputs(lm.sample(n_points, rng), rng)


def path_weights(scores, opening, transition):
    """Every path of one sequence and its weight."""
    for path in product(range(scores.shape[1]), repeat=len(scores)):
        weight = opening[path[0]] * scores[np.arange(len(scores)), path].prod()
        for a, b in pairwise(path):
            weight *= transition[a, b]
        yield path, weight


def test_the_gain_is_that_of_one_step_of_expectation_maximisation():
    """G of (E13), over all paths."""
    lm, outputs = model_and_outputs(SAID, 6, 100)
    scores, opening, said = outputs / outputs.mean(axis=0), lm.joint(1), lm.conditional(2)
    paths = list(path_weights(scores, opening, said))
    total = sum(weight for _, weight in paths)
    pairs = np.zeros((3, 3))
    for path, weight in paths:
        for a, b in pairwise(path):
            pairs[a, b] += weight / total
    counts = pairs + DEFAULT.weight * said
    freed = counts / counts.sum(axis=1, keepdims=True)
    after = sum(weight for _, weight in path_weights(scores, opening, freed))
    found = goodness._gain(outputs, np.array([6]), lm, DEFAULT)
    assert found.gain == pytest.approx(np.log(after / total), rel=1e-9)
    np.testing.assert_allclose(found.pairs, pairs, rtol=1e-9)


def test_outputs_are_drawn_by_the_labels_that_the_reading_gives_them():
    lm = NgramModel.from_transition_matrix(SAID)
    outputs = np.arange(4.0)[:, None] + np.zeros((4, 3))  # rows tell their number
    labels = np.array([[0.75, 0.0, 0.0], [0.25, 0.0, 0.5], [0.0, 1.0, 0.0], [0.0, 0.0, 1.5]])
    urn = goodness._Urn(np.tile(outputs, (5000, 1)), np.tile(labels, (5000, 1)), lm)
    rows = urn.draw(np.random.default_rng(101))[:, 0].astype(int)
    frequency = np.bincount(rows, minlength=4) / len(rows)
    p = lm.joint(1)
    expected = [0.75 * p[0], 0.25 * p[0] + 0.25 * p[2], p[1], 0.75 * p[2]]
    np.testing.assert_allclose(frequency, expected, atol=0.02)  # 20,000 draws that depend on one another
    after_one = rows[1:][rows[:-1] == 2]  # row 2 is label 1 for certain
    assert np.mean(after_one == 2) == pytest.approx(SAID[1, 1], abs=0.03)


def test_right_label_models_are_not_doubted():
    found = [
        goodness_of_fit(outputs, None, lm, np.random.default_rng(seed))
        for seed in range(100, 110)
        for lm, outputs in [model_and_outputs(SAID, 3000, seed)]
    ]
    z = np.array([one.z for one in found])
    assert not any(one.is_off() for one in found)
    assert abs(z.mean()) < 1.5 and z.std() < 2.5  # ten values of mean about 0 and deviation about 1


@pytest.mark.parametrize("lengths", [None, [1500, 1, 1499]])
def test_a_pair_that_comes_more_often_is_found_and_named(lengths):
    true = SAID.copy()
    true[0] = [0.4, 0.4, 0.2]
    said = NgramModel.from_transition_matrix(SAID, classes="abc")
    _, outputs = model_and_outputs(true, 3000, 102)
    found = goodness_of_fit(outputs, lengths, said, np.random.default_rng(0))
    assert found.is_off() and found.exceedance == pytest.approx(1 / 21) and found.n_points == 3000
    named = {(pair.first, pair.second): pair for pair in found.pairs}
    # Said .2 and .6, true .4 and .4: factors of 2 and 2/3, of some 800 times that the first label comes.
    assert 1.6 < named[0, 1].factor < 2.4 and named[0, 1].z > 3
    assert 0.5 < named[0, 0].factor < 0.85 and named[0, 0].z < -3
    # Overlapping labels are misread for one another, so other pairs may follow, but these cost most.
    assert {(pair.first, pair.second) for pair in found.pairs[:2]} == {(0, 1), (0, 0)}
    (doubt,) = doubts_about_mismatch(found, said.classes)
    assert isinstance(doubt, LabelModelMismatchWarning)
    assert f"'b' follows 'a' {named[0, 1].factor:.2g} times as often as it says" in str(doubt)
    assert "adapt= says how far it follows these" in str(doubt)


def test_the_labels_may_be_drawn_from_a_higher_order_than_pairs():
    # Pairs of this process are even, so order 2 alone has nothing to object; order 3 decides every label.
    rng = np.random.default_rng(103)
    trigrams = np.full((2, 2, 2), 0.0)
    for a, b in product(range(2), repeat=2):
        trigrams[a, b] = [0.9, 0.1] if a != b else [0.1, 0.9]
    lm = NgramModel.from_probabilities(trigrams / 4)
    outputs = np.array([[0.95, 0.05], [0.05, 0.95]])[lm.sample(4000, rng)]
    assert not goodness_of_fit(outputs, None, lm, rng).is_off()


def test_only_what_is_no_chance_and_enough_to_matter_is_doubted():
    off = Mismatch(z=9.0, exceedance=0.05, gain=90.0, excess=0.01, n_points=9000, pairs=())
    assert off.is_off()
    for trivial in (
        replace(off, z=DEFAULT.deviations - 0.1),
        replace(off, gain=DEFAULT.nats - 0.1),
        replace(off, excess=DEFAULT.excess / 2),  # of a million points everything is significant
    ):
        assert not trivial.is_off() and doubts_about_mismatch(trivial, (0, 1)) == []


def test_a_pair_that_was_all_but_excluded_is_not_given_a_silly_factor():
    pair = PairOff(0, 1, said=1e-6, found=0.05, z=20.0)
    found = Mismatch(z=9.0, exceedance=0.05, gain=90.0, excess=0.01, n_points=9000, pairs=(pair,))
    assert "'b' follows 'a' more than 100 times as often" in str(doubts_about_mismatch(found, ("a", "b"))[0])
    assert found.to_dict()["pairs"][0] == {
        "first": 0, "second": 1, "said": 1e-6, "found": 0.05, "z": 20.0, "factor": pair.factor,
    }  # fmt: skip


@pytest.mark.parametrize("n_points", [1, 2, 5])
def test_next_to_no_points_are_no_evidence(n_points):
    lm, outputs = model_and_outputs(SAID, 20, 104)
    found = goodness_of_fit(outputs[:n_points], None, lm, np.random.default_rng(0))
    assert np.isfinite(found.z) and not found.is_off()


def test_the_same_again_and_only_the_first_points():
    lm, outputs = model_and_outputs(SAID, 3000, 105)
    few = replace(DEFAULT, points=1000)
    first = goodness_of_fit(outputs, None, lm, np.random.default_rng(1), settings=few)
    again = goodness_of_fit(outputs[:1000], None, lm, np.random.default_rng(1))
    assert first == again and first.n_points == 1000
