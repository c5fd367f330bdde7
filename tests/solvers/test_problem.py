"""`Problem`: windows, J and masks against direct computation."""

from __future__ import annotations

import numpy as np
import pytest

from ventris.classifiers.loglinear import LogLinear
from ventris.errors import ParameterError
from ventris.objective import floored_cost
from ventris.solvers.problem import Problem


def test_windows_and_cost_respect_sequence_boundaries():
    rng = np.random.default_rng(0)
    X, lengths = rng.standard_normal((9, 2)), np.array([4, 1, 4])
    lm_prob = rng.dirichlet(np.ones(9)).reshape(3, 3)
    problem = Problem(X, lengths, lm_prob)
    model = LogLinear(rng.standard_normal((3, 2)), rng.standard_normal(3))
    p = model.posteriors(X)
    windows = [(t, t + 1) for t in (0, 1, 2, 5, 6, 7)]
    expected = np.mean([np.outer(p[a], p[b]) for a, b in windows], axis=0)
    assert problem.n_windows == len(windows)
    np.testing.assert_allclose(problem.expected(model), expected, rtol=1e-12)
    np.testing.assert_allclose(problem.cost(model), -np.sum(lm_prob * np.log(expected)), rtol=1e-12)


def test_cost_of_an_unused_label_is_large_and_finite():
    value = floored_cost(np.array([0.5, 0.5]), np.array([1.0, 0.0]))
    assert np.isfinite(value) and value > 100


def test_a_mask_of_another_shape_is_refused():
    with pytest.raises(ParameterError, match=r"one row a class.*\(2, 3\).*\(2, 2\)"):
        Problem(np.zeros((4, 3)), np.array([4]), np.full((2, 2), 0.25), mask=np.eye(2, dtype=bool))
