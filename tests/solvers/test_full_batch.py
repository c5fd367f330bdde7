"""Full-batch matching (E1, E5, E7, E9): its gradient by differences, its minima on the paper's chains."""

from __future__ import annotations

import numpy as np
import pytest

from ventris import objective
from ventris.classifiers.fitting import distil
from ventris.classifiers.loglinear import Coordinates, LogLinear, one_hot
from ventris.datasets import make_paper_chain
from ventris.errors import ParameterError
from ventris.solvers.full_batch import cost_and_weight_gradient, match_full_batch

NEAR = LogLinear(np.array([[-1.0, 0.0], [1.0, 0.0]]), np.array([0.5, -0.5]))


@pytest.mark.parametrize("order", [1, 2, 3])
def test_weight_gradient_by_central_differences(order):
    rng = np.random.default_rng(order)
    X, lengths = rng.standard_normal((30, 2)), [13, 17]
    lm_prob = rng.dirichlet(np.ones(3**order)).reshape((3,) * order)
    coef, intercept = rng.standard_normal((3, 2)), rng.standard_normal(3)

    def cost(coef, intercept):
        return cost_and_weight_gradient(LogLinear(coef, intercept, 2.0), X, lm_prob, lengths)[0]

    _, coef_gradient, intercept_gradient = cost_and_weight_gradient(
        LogLinear(coef, intercept, 2.0), X, lm_prob, lengths
    )
    for c, d in np.ndindex(3, 2):
        step = np.zeros((3, 2))
        step[c, d] = 1e-5
        measured = (cost(coef + step, intercept) - cost(coef - step, intercept)) / 2e-5
        np.testing.assert_allclose(coef_gradient[c, d], measured, rtol=1e-5, atol=1e-9)
    for step in np.eye(3) * 1e-5:
        measured = (cost(coef, intercept + step) - cost(coef, intercept - step)) / 2e-5
        np.testing.assert_allclose(step @ intercept_gradient / 1e-5, measured, rtol=1e-5, atol=1e-9)


def test_blocks_of_rows_give_the_gradient_of_all(monkeypatch):
    rng = np.random.default_rng(3)
    X, lm_prob = rng.standard_normal((101, 2)), np.array([[0.1, 0.4], [0.4, 0.1]])
    whole = cost_and_weight_gradient(NEAR, X, lm_prob)
    monkeypatch.setattr("ventris.solvers.full_batch.ROWS", 10)
    for part, all_rows in zip(cost_and_weight_gradient(NEAR, X, lm_prob), whole, strict=True):
        np.testing.assert_allclose(part, all_rows, rtol=1e-12)


@pytest.mark.parametrize(("dtype", "rtol"), [(np.float64, 1e-10), (np.float32, 1e-4)])
@pytest.mark.parametrize(("n_classes", "order"), [(9, 2), (10, 3), (27, 2)])
def test_classes_added_for_speed_change_nothing(monkeypatch, n_classes, order, dtype, rtol):
    rng = np.random.default_rng(n_classes)
    X, lengths = rng.standard_normal((200, 5)).astype(dtype), [120, 80]
    lm_prob = rng.dirichlet(np.ones(n_classes**order)).reshape((n_classes,) * order)
    model = LogLinear(rng.standard_normal((n_classes, 5)), rng.standard_normal(n_classes), 2.0)
    widened = cost_and_weight_gradient(model, X, lm_prob, lengths)
    monkeypatch.setattr("ventris.solvers.full_batch._NARROW", n_classes)
    plain = cost_and_weight_gradient(model, X, lm_prob, lengths)
    for part, expected in zip(widened, plain, strict=True):
        assert np.shape(part) == np.shape(expected)
        np.testing.assert_allclose(part, expected, rtol=rtol, atol=rtol * np.abs(expected).max())


def test_finds_the_supervised_classifier_of_chain_2_without_labels():
    chain = make_paper_chain(2, n_samples=24_000, random_state=0)
    found = match_full_batch(chain.train.X, None, chain.lm.joint(2), NEAR)
    units = Coordinates.of(chain.train.X, 2)
    supervised = distil(chain.train.X, one_hot(chain.train.y, 2), LogLinear.zeros(2, 2), units)
    errors = [
        np.mean(m.posteriors(chain.test.X).argmax(axis=1) != chain.test.y) for m in (found.model, supervised)
    ]
    assert found.converged and found.stopped_because == "converged"
    assert errors[0] - errors[1] < 0.005
    expected = objective.expected_ngrams(found.model.posteriors(chain.train.X), 2)
    np.testing.assert_allclose(found.cost, objective.cost(chain.lm.joint(2), expected), rtol=1e-12)
    np.testing.assert_allclose(found.dual, -1 / expected, rtol=1e-12)  # (E5)


def test_features_of_any_scale_and_place_give_the_same_answer():
    chain = make_paper_chain(3, n_samples=6_000, random_state=0)
    X = chain.train.X
    scale, shift = np.array([1e-3, 50.0]), np.array([1e3, -7.0])
    moved = LogLinear(NEAR.coef / scale, NEAR.intercept - (NEAR.coef / scale) @ shift)
    plain = match_full_batch(X, None, chain.lm.joint(2), NEAR, max_iter=15)
    other = match_full_batch(X * scale + shift, None, chain.lm.joint(2), moved, max_iter=15)
    np.testing.assert_allclose(other.cost, plain.cost, rtol=1e-6)
    same = plain.model.posteriors(X).argmax(axis=1) == other.model.posteriors(X * scale + shift).argmax(
        axis=1
    )
    assert same.mean() > 0.999


def test_single_precision_and_memory_maps_pass(tmp_path):
    chain = make_paper_chain(8, n_samples=6_000, random_state=0)
    file = tmp_path / "X.npy"
    np.save(file, chain.train.X.astype(np.float32))
    mapped = np.load(file, mmap_mode="r")
    found = match_full_batch(mapped, None, chain.lm.joint(2), NEAR, max_iter=20)
    double = match_full_batch(chain.train.X, None, chain.lm.joint(2), NEAR, max_iter=20)
    np.testing.assert_allclose(found.cost, double.cost, rtol=1e-3)


def test_a_start_that_overflows_is_refused():
    X = 1e100 * np.random.default_rng(0).standard_normal((50, 1))
    start = LogLinear(np.array([[-1e300], [1e300]]), np.zeros(2))
    with pytest.raises(ParameterError, match="finite outputs"):
        match_full_batch(X, None, np.array([[0.1, 0.4], [0.4, 0.1]]), start)


def test_callback_sees_every_row_and_can_stop():
    chain = make_paper_chain(2, n_samples=2_400, random_state=0)
    rows = []

    def stop_at_three(row):
        model = row.pop("model")
        assert row["cost"] == pytest.approx(cost_and_weight_gradient(model, chain.train.X, P)[0], rel=1e-12)
        rows.append(row)
        return len(rows) == 3

    P = chain.lm.joint(2)
    found = match_full_batch(chain.train.X, None, P, NEAR, callback=stop_at_three)
    assert found.stopped_because == "callback" and found.n_iter == 3 and rows == found.history
    assert rows[2]["cost"] < rows[0]["cost"]
