"""Two labels walked in registers, against the readable twins: every task, blocks, threads, no path."""

from __future__ import annotations

import numpy as np
import pytest
from tests.inference.twins import best_path_twin, posteriors_twin

from ventris.errors import DataError
from ventris.inference import chains
from ventris.inference.decoding import best_path, label_posteriors, sequence_loglik

RNG = np.random.default_rng(0)
START, TRANSITION = np.array([0.3, 0.7]), np.array([[0.2, 0.8], [0.95, 0.05]])


def scores(n, dtype=np.float64):
    return np.exp(3 * RNG.standard_normal((n, 2))).astype(dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("budget", "n_jobs"), [(2**22, 1), (100, 1), (100, 2)])
def test_every_task_agrees_with_its_twin(monkeypatch, dtype, budget, n_jobs):
    """Sequences of 1 to 700 points, whole or in blocks that are filled twice."""
    monkeypatch.setattr(chains, "MESSAGE_BUDGET", budget)
    monkeypatch.setattr(chains, "PARALLEL_WORK", 1)
    lengths = [1, 2, 3, 700, 40]
    b = scores(sum(lengths), dtype)
    found, logs = label_posteriors(b, lengths, [START], TRANSITION, n_jobs=n_jobs)
    path, weights = best_path(b, lengths, [START], TRANSITION, n_jobs=n_jobs)
    for i, part in enumerate(np.split(np.arange(len(b)), np.cumsum(lengths)[:-1])):
        expected, log = posteriors_twin(b[part].astype(float), [START], TRANSITION)
        np.testing.assert_allclose(found[part], expected, rtol=1e-9 if dtype == np.float64 else 1e-5)
        labels, weight = best_path_twin(b[part].astype(float), [START], TRANSITION)
        np.testing.assert_array_equal(path[part], labels)
        np.testing.assert_allclose([logs[i], weights[i]], [log, weight], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(sequence_loglik(b, lengths, [START], TRANSITION), logs, rtol=1e-9)


@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_scores_of_any_size_are_scaled_away(scale):
    b = scores(500)
    expected, log = label_posteriors(b, None, [START], TRANSITION)
    found, scaled = label_posteriors(b * scale, None, [START], TRANSITION)
    np.testing.assert_allclose(found, expected, rtol=1e-9)
    np.testing.assert_allclose(scaled, log + 500 * np.log(scale), rtol=1e-9)


@pytest.mark.parametrize("function", [label_posteriors, best_path, sequence_loglik])
@pytest.mark.parametrize("position", [0, 1, 57, 99])
def test_where_no_path_is_left_is_said(function, position):
    b = scores(100)
    b[position] = 0.0
    with pytest.raises(DataError, match=f"position {position} of sequence 0"):
        function(b, None, [START], TRANSITION)
    alternating = np.array([[0.0, 1.0], [1.0, 0.0]])
    b = np.tile([[1.0, 0.0], [0.0, 1.0]], (50, 1))
    b[60] = [0.0, 1.0]  # twice the same label, which the label model forbids
    with pytest.raises(DataError, match="position 60 of sequence 0"):
        function(b, None, [START], alternating)
