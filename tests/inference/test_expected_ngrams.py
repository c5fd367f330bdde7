"""Expected n-grams against every path, label posteriors and counted labels."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest
from tests.inference.test_decoding import random_model

from ventris.errors import DataError
from ventris.inference import chains
from ventris.inference import expected_ngrams as face
from ventris.inference.expected_ngrams import expected_ngrams, expected_pairs
from ventris.inference.score import infer_labels, scaled_likelihoods
from ventris.label_model.model import NgramModel

LENGTHS = [1, 2, 3, 4, 7]


def every_path(scores, joints, conditional):
    """Labels, n-grams, first states and log total of one sequence, by enumeration."""
    (n_points, n_classes), order = scores.shape, conditional.ndim
    n_start, steps = min(n_points, order - 1), np.arange(n_points)
    labels, total = np.zeros(scores.shape), 0.0
    ngrams, firsts = np.zeros(conditional.shape), np.zeros(conditional.shape[1:])
    for path in product(range(n_classes), repeat=n_points):
        weight = joints[n_start - 1][path[:n_start]] * scores[steps, path].prod()
        for t in range(n_start, n_points):
            weight *= conditional[path[t - order + 1 : t + 1]]
        labels[steps, path] += weight
        for t in range(order - 1, n_points):
            ngrams[path[t - order + 1 : t + 1]] += weight
        if n_points >= order - 1:
            firsts[path[: order - 1]] += weight
        total += weight
    return labels / total, ngrams / total, firsts / total, np.log(total)


@pytest.fixture(params=["one block", "many blocks"])
def blocks(request, monkeypatch):
    """As usual, and again with messages kept for blocks of a few steps."""
    if request.param == "many blocks":
        monkeypatch.setattr(chains, "MESSAGE_BUDGET", 0)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("order", [2, 3, 4])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_every_path(order, n_classes, dtype, blocks):
    rng = np.random.default_rng(100 + 10 * order + n_classes)
    joints, conditional = random_model(rng, n_classes, order, zeros=0.2)
    scores = (1e-3 + rng.gamma(0.5, size=(sum(LENGTHS), n_classes))).astype(dtype)
    found = face._expected(scores, LENGTHS, joints, conditional, threshold=0)
    starts = np.cumsum([0, *LENGTHS])
    wanted = [every_path(scores[a:b].astype(float), joints, conditional) for a, b in pairwise(starts)]
    tolerance = 1e-12 if dtype is np.float64 else 1e-6
    np.testing.assert_allclose(found.labels, np.concatenate([w[0] for w in wanted]), atol=tolerance)
    np.testing.assert_allclose(found.ngrams, sum(w[1] for w in wanted), atol=tolerance)
    np.testing.assert_allclose(found.firsts, sum(w[2] for w in wanted), atol=tolerance)
    np.testing.assert_allclose(found.logliks, [w[3] for w in wanted], atol=tolerance)


def outputs_of(rng, n_points, n_classes):
    return rng.dirichlet(np.full(n_classes, 0.3), size=n_points)


@pytest.mark.parametrize("n_classes", [2, 5, 26])
def test_pairs_agree_with_the_reading_of_order_two(n_classes):
    rng = np.random.default_rng(110 + n_classes)
    lm = NgramModel.from_transition_matrix(rng.dirichlet(np.full(n_classes, 0.5), size=n_classes))
    outputs, lengths, usage = outputs_of(rng, 3000, n_classes), [1000, 1, 1999], np.full(n_classes, 0.1)
    found = expected_pairs(outputs, lengths, lm, usage)
    labels, score = infer_labels(outputs, lengths, lm, 2, usage)
    np.testing.assert_allclose(found.labels, labels, atol=1e-12)
    assert found.logliks.sum() == pytest.approx(3000 * score, rel=1e-12)
    # Pairs sum to the labels before and after a step, labels of the first steps included.
    last = labels[[999, 1000, 2999]].sum(axis=0)
    np.testing.assert_allclose(found.ngrams.sum(axis=1), labels.sum(axis=0) - last, rtol=1e-9)
    np.testing.assert_allclose(found.ngrams.sum(axis=0), labels.sum(axis=0) - found.firsts, rtol=1e-9)
    np.testing.assert_allclose(found.firsts, labels[[0, 1000, 1001]].sum(axis=0), rtol=1e-9)


def test_a_pair_of_tables_is_a_model_too():
    rng = np.random.default_rng(120)
    lm = NgramModel.from_transition_matrix(rng.dirichlet(np.ones(3), size=3))
    outputs = outputs_of(rng, 50, 3)
    by_tables = expected_pairs(outputs, None, (lm.joint(1), lm.conditional(2)))
    np.testing.assert_array_equal(by_tables.ngrams, expected_pairs(outputs, None, lm).ngrams)


def test_messages_of_a_long_sequence_may_leave_the_range_of_numbers():
    # Scores of 1e-9 and 1e9 scale the messages at almost every step; ξ must not notice.
    rng = np.random.default_rng(121)
    lm = NgramModel.from_transition_matrix(rng.dirichlet(np.ones(3), size=3))
    outputs = outputs_of(rng, 400, 3)
    plain = expected_pairs(outputs, None, lm, usage=np.ones(3))
    factor = 10.0 ** rng.integers(-30, 30, size=(400, 1))
    scaled = face._expected(
        factor * scaled_likelihoods(outputs, np.ones(3)), None, [lm.joint(1)], lm.conditional(2)
    )
    np.testing.assert_allclose(scaled.ngrams, plain.ngrams, rtol=1e-9)
    assert scaled.logliks[0] == pytest.approx(plain.logliks[0] + np.log(factor).sum(), rel=1e-9)


@pytest.mark.parametrize(("order", "prune"), [(3, True), (4, None)])
def test_pruned_sums_are_near_those_of_every_label(order, prune):
    rng = np.random.default_rng(130 + order)
    lm = NgramModel.from_sequences([rng.integers(0, 5, 400).tolist()], order, classes=range(5))
    outputs = 0.02 + 0.9 * np.eye(5)[lm.sample(300, rng)]
    found = expected_ngrams(outputs, [120, 180], lm, order, prune=prune)
    joints = [lm.joint(k) for k in range(1, order)]
    exact = face._expected(
        scaled_likelihoods(outputs), [120, 180], joints, lm.conditional(order), prune=True, threshold=0
    )
    assert np.abs(found.ngrams - exact.ngrams).sum() < 1e-3 * exact.ngrams.sum()
    labels, _ = infer_labels(outputs, [120, 180], lm, order)
    np.testing.assert_allclose(found.labels, labels, atol=1e-3)
    assert found.ngrams.sum() == pytest.approx(300 - 2 * (order - 1))


def test_the_same_again():
    rng = np.random.default_rng(140)
    lm = NgramModel.from_transition_matrix(rng.dirichlet(np.ones(7), size=7))
    outputs = outputs_of(rng, 5000, 7)
    first, second = (expected_pairs(outputs, [2000, 3000], lm) for _ in range(2))
    np.testing.assert_array_equal(first.ngrams, second.ngrams)


def test_no_path_is_an_error_that_says_where():
    sure = np.eye(2)[[0, 0, 1]]
    with pytest.raises(DataError, match="position 1 of sequence 0"):
        face._expected(sure, None, [np.array([0.5, 0.5])], np.array([[0.0, 1.0], [1.0, 0.0]]))


def test_impossible_pairs_are_never_expected():
    rng = np.random.default_rng(141)
    ring = np.array([[0.5, 0.5, 0.0], [0.0, 0.5, 0.5], [0.5, 0.0, 0.5]])
    lm = NgramModel.from_transition_matrix(ring)
    found = expected_pairs(outputs_of(rng, 200, 3), None, lm)
    assert np.all(found.ngrams[ring == 0] == 0)
    assert found.ngrams.sum() == pytest.approx(199)
