"""The measure that compares classifiers: every path counted, zero for constants, highest for the truth."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from ventris.datasets import make_gaussian_hmm, random_hmm
from ventris.inference.score import (
    infer_labels,
    likeliest_path,
    scaled_likelihoods,
    sequence_score,
    stretch_logliks,
)
from ventris.label_model.model import NgramModel

LM3 = NgramModel.from_sequences([[0, 1, 2, 0, 0, 1, 2, 2, 1, 0, 1, 1, 2, 0]], order=3)
LENGTHS = [1, 2, 5]


def path_probability(lm, order, path):
    """P(y₁ … y_T) of the order-N chain, factor by factor."""
    value = lm.stationary()[path[0]] if order > 1 else 1.0
    for t in range(1 if order > 1 else 0, len(path)):
        k = min(t + 1, order)
        value *= lm.conditional(k)[tuple(path[t + 1 - k : t + 1])]
    return value


def weights_of_all_paths(b, lm, order):
    paths = list(product(range(lm.n_classes), repeat=len(b)))
    weigh = [path_probability(lm, order, p) * np.prod(b[np.arange(len(b)), list(p)]) for p in paths]
    return paths, np.array(weigh)


@pytest.fixture(scope="module")
def outputs():
    return np.random.default_rng(0).dirichlet(np.ones(3), size=sum(LENGTHS))


@pytest.mark.parametrize("order", [1, 2, 3])
def test_every_path_is_counted(order, outputs):
    b = outputs / outputs.mean(axis=0)
    log_likelihood, posteriors, best = 0.0, [], []
    for part in np.split(b, np.cumsum(LENGTHS)[:-1]):
        paths, weights = weights_of_all_paths(part, LM3, order)
        log_likelihood += np.log(weights.sum())
        onehot = np.eye(3)[np.array(paths)]  # (paths, T, C)
        posteriors.append(np.einsum("p,ptc->tc", weights, onehot) / weights.sum())
        best += list(paths[int(weights.argmax())])
    gamma, score = infer_labels(outputs, LENGTHS, LM3, order)
    np.testing.assert_allclose(gamma, np.concatenate(posteriors), rtol=1e-9)
    assert score == pytest.approx(log_likelihood / len(outputs), rel=1e-10)
    assert sequence_score(outputs, LENGTHS, LM3, order) == pytest.approx(score, rel=1e-10)
    np.testing.assert_array_equal(likeliest_path(outputs, LENGTHS, LM3, order), best)


@pytest.mark.parametrize("order", [1, 2, 3])
def test_stretches_are_sequences_of_their_own(order, outputs):
    """Each by all its paths; 1, 2 and 5 points in stretches of two or more are 1, 2, 3 and 2."""
    b, expected = outputs / outputs.mean(axis=0), []
    for part in np.split(b, [1, 3, 6]):
        expected.append(np.log(weights_of_all_paths(part, LM3, order)[1].sum()))
    np.testing.assert_allclose(stretch_logliks(outputs, LENGTHS, LM3, order, size=2), expected, rtol=1e-9)


@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize("constant", [[1 / 3] * 3, [0.98, 0.01, 0.01], [0.2, 0.3, 0.5]])
def test_a_constant_classifier_scores_zero(constant, order):
    score = sequence_score(np.tile(constant, (500, 1)), [200, 300], LM3, order)
    assert score == pytest.approx(0, abs=1e-12)


@pytest.fixture(scope="module")
def truth():
    """Data and the exact p(y | x) of each point alone."""
    lm, means = random_hmm(4, 3, random_state=0)
    data = make_gaussian_hmm(lm, means, n_samples=20_000, random_state=1)
    log_likelihood = -0.5 * np.sum((data.X[:, None] - means) ** 2, axis=2)
    return lm, data, true_posteriors(log_likelihood, lm.stationary())


def true_posteriors(log_likelihood, prior):
    weights = prior * np.exp(log_likelihood - log_likelihood.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True)


def rivals(p, lm):
    n_classes = lm.n_classes
    rng = np.random.default_rng(2)
    sharp, flat = p**4, p**0.25
    return {
        "constant": np.tile(lm.stationary(), (len(p), 1)),
        "rare constant": np.tile(
            0.01 / n_classes + 0.99 * np.eye(n_classes)[lm.stationary().argmin()], (len(p), 1)
        ),
        "overconfident": sharp / sharp.sum(axis=1, keepdims=True),
        "underconfident": flat / flat.sum(axis=1, keepdims=True),
        "renamed": np.roll(p, 1, axis=1),
        "shuffled": p[rng.permutation(len(p))],
        "noisy": np.where(rng.random((len(p), 1)) < 0.2, rng.dirichlet(np.ones(n_classes), len(p)), p),
    }


@pytest.mark.parametrize(
    "name", ["constant", "rare constant", "overconfident", "underconfident", "renamed", "shuffled", "noisy"]
)
def test_the_true_posterior_scores_highest(truth, name):
    lm, _, p = truth
    lengths = [len(p)]
    assert sequence_score(p, lengths, lm, 2) > sequence_score(rivals(p, lm)[name], lengths, lm, 2)


def test_reading_in_sequence_beats_reading_alone(truth):
    lm, data, p = truth
    inferred, _ = infer_labels(p, [len(p)], lm, 2)
    path = likeliest_path(p, [len(p)], lm, 2)
    alone = np.mean(p.argmax(axis=1) != data.y)
    assert np.mean(inferred.argmax(axis=1) != data.y) < 0.8 * alone
    assert np.mean(path != data.y) < 0.85 * alone


def test_usage_may_come_from_elsewhere_and_is_kept_from_zero():
    p = np.array([[0.5, 0.5], [1.0, 0.0]])
    expected = np.maximum(p / [0.25, 0.75], 1e-9)
    np.testing.assert_allclose(scaled_likelihoods(p, np.array([0.25, 0.75])), expected, rtol=1e-14)
    assert np.isfinite(scaled_likelihoods(p, np.array([1.0, 0.0]))).all()
    assert scaled_likelihoods(p.astype(np.float32)).dtype == np.float32


def test_threads_change_nothing(truth):
    lm, _, p = truth
    lengths = np.full(100, 200)
    np.testing.assert_array_equal(*[infer_labels(p, lengths, lm, 2, n_jobs=n)[0] for n in (1, 2)])


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_certain_outputs_that_the_label_model_calls_impossible_still_have_labels(kind):
    """Strict alternation, and a classifier sure of one label three times: the score says how bad that is."""
    strict = NgramModel.from_transition_matrix([[0.0, 1.0], [1.0, 0.0]])
    sure = np.array([[1, 0], [0, 1], [0, 1], [0, 1], [1, 0], [0, 1]], dtype=kind)
    labels, score = infer_labels(sure, [6], strict, 2)
    np.testing.assert_allclose(labels.argmax(axis=1), [0, 1, 0, 1, 0, 1])
    assert np.isfinite(score) and score < 0 and score == pytest.approx(sequence_score(sure, [6], strict, 2))
    np.testing.assert_array_equal(likeliest_path(sure, [6], strict, 2), [0, 1, 0, 1, 0, 1])
