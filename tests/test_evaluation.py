"""Measures against scikit-learn and against counting by hand."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn import metrics

from ventris.errors import DataError
from ventris.evaluation import by_class, calibration, confusion_matrix, error_rate, evaluate


@pytest.fixture
def case():
    rng = np.random.default_rng(5)
    true = rng.integers(0, 4, 3000)
    proba = rng.dirichlet(np.ones(4), 3000)
    proba[np.arange(3000), true] += 0.6
    return true, proba / proba.sum(axis=1, keepdims=True)


def test_error_confusion_and_precision_agree_with_scikit_learn(case):
    true, proba = case
    predicted = proba.argmax(axis=1)
    confusion = confusion_matrix(true, predicted, 4)
    assert error_rate(true, predicted) == pytest.approx(
        1 - metrics.accuracy_score(true, predicted), rel=1e-12
    )
    np.testing.assert_array_equal(confusion, metrics.confusion_matrix(true, predicted))
    rows = by_class(confusion, "wxyz")
    recall = metrics.recall_score(true, predicted, average=None)
    precision = metrics.precision_score(true, predicted, average=None)
    np.testing.assert_allclose([1 - row.error_rate for row in rows], recall, rtol=1e-12)
    np.testing.assert_allclose([row.precision for row in rows], precision, rtol=1e-12)


def test_points_of_unknown_truth_change_nothing(case):
    true, proba = case
    hidden = np.concatenate([true, np.full(500, -1)])
    more = np.concatenate([proba, proba[:500]])
    assert evaluate("r", hidden, more, "wxyz") == evaluate("r", true, proba, "wxyz")


def test_calibration_agrees_with_a_loop_over_the_points(case):
    true, proba = case
    found = calibration(true, proba, n_bins=5)
    right = proba.argmax(axis=1) == true
    sure = proba.max(axis=1)
    error = 0.0
    for k in range(5):
        inside = (sure > k / 5) & (sure <= (k + 1) / 5)
        assert found.counts[k] == inside.sum()
        if inside.any():
            assert found.confidence[k] == pytest.approx(sure[inside].mean(), rel=1e-12)
            assert found.correct[k] == pytest.approx(right[inside].mean(), rel=1e-12)
            error += inside.mean() * abs(sure[inside].mean() - right[inside].mean())
        else:
            assert found.confidence[k] is None
    assert found.error == pytest.approx(error, rel=1e-12)


def test_labels_drawn_from_the_probabilities_are_calibrated():
    rng = np.random.default_rng(9)
    proba = rng.dirichlet(np.ones(3), 200_000)
    drawn = (proba.cumsum(axis=1) < rng.random((200_000, 1))).sum(axis=1)
    assert calibration(drawn, proba).error < 0.005  # about 4 standard errors of a bin
    assert calibration(drawn, proba**3 / (proba**3).sum(axis=1, keepdims=True)).error > 0.1


def test_a_class_never_true_or_never_given_has_no_rates():
    row = by_class(np.array([[5, 0, 0], [1, 4, 0], [0, 0, 0]]), "abc")[2]
    assert (row.error_rate, row.precision, row.mistaken_for) == (None, None, None)


def test_an_evaluation_is_plain_data(case):
    found = evaluate("alone", *case, ["a", "b", "c", "d"])
    assert json.loads(json.dumps(found.to_dict()))["confusion"] == found.confusion


def test_wrong_shapes_and_no_truth_are_refused():
    with pytest.raises(DataError, match="there are 2 for 3"):
        error_rate([0, 1], [0, 1, 1])
    with pytest.raises(DataError, match="none is"):
        error_rate([-1, -1], [0, 1])
