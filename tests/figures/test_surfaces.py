"""Surfaces: what they show is J and L at the weights and duals of their axes."""

from __future__ import annotations

import json

import numpy as np
import pytest

from ventris import objective
from ventris.classifiers.loglinear import LogLinear
from ventris.figures.surfaces import Surface, cost_surface, draw_surface, saddle_surface, surface_scene

LM = np.array([[0.4154, 0.2769], [0.2769, 0.0308]])


@pytest.fixture(scope="module")
def case():
    rng = np.random.default_rng(1)
    X = rng.standard_normal((400, 2))
    return LogLinear(np.array([[-0.3, 0.1], [0.2, 0.4]]), np.array([0.05, -0.05]), 10.0), X


def cost_at(model, X, lm_prob):
    return objective.cost(lm_prob, objective.expected_ngrams(model.posteriors(X), lm_prob.ndim))


def test_heights_are_the_costs_of_the_papers_two_weights(case):
    """w_a is the weight of the first feature for class 0, w_b that of the second for class 1 (E1)."""
    model, X = case
    found = cost_surface(model, X, LM, n=5)
    for row, column in ((0, 0), (1, 4), (4, 2)):
        w_a, w_b = found.x[column], found.y[row]
        printed = LogLinear(np.diag([w_a, w_b]), model.intercept, 10.0)
        assert found.z[row, column] == pytest.approx(cost_at(printed, X, LM), rel=1e-9)
    assert found.dot[2] == pytest.approx(cost_at(model, X, LM), rel=1e-9)
    assert found.z[2, 2] == pytest.approx(found.dot[2], rel=1e-9)  # the dot is the middle of the grid


def test_other_shapes_move_along_two_orthogonal_directions():
    rng = np.random.default_rng(2)
    model = LogLinear(rng.standard_normal((3, 4)), np.zeros(3))
    X, lm = rng.standard_normal((50, 4)), np.full((3, 3), 1 / 9)
    found = cost_surface(model, X, lm, n=3)
    assert found.names == ("direction 1", "direction 2", "J")
    assert found.z[1, 1] == pytest.approx(cost_at(model, X, lm), rel=1e-9)


@pytest.mark.parametrize("order", [1, 2])
def test_the_dot_is_the_top_along_the_dual(case, order):
    """J = max L + 1 at the dot (E5), and L is lower at any other dual drawn (E4)."""
    model, X = case
    lm = LM if order == 2 else LM.sum(axis=1)
    found = saddle_surface(model, X, lm, n=11)
    along = found.z[:, 5]
    assert int(np.argmax(along)) == 5
    assert np.all(np.diff(along, 2) < 0)  # concave
    assert along[5] == pytest.approx(found.dot[2], rel=1e-12)
    assert found.dot[2] + lm.sum() == pytest.approx(cost_at(model, X, lm), rel=1e-9)


def test_where_the_statistics_agree_the_saddle_is_flat_along_the_weights(case):
    """P(i) v_i = −1 for every i then, so that L no longer sees P̄."""
    model, X = case
    own = objective.expected_ngrams(model.posteriors(X), 2)
    found = saddle_surface(model, X, own, n=11)
    assert np.ptp(found.z[5]) < 1e-9 < 0.1 < np.ptp(found.z[:, 5])


def test_sequences_are_kept_apart(case):
    model, X = case
    lengths = [150, 250]
    whole = objective.expected_ngrams(model.posteriors(X), 2, lengths)
    found = cost_surface(model, X, LM, lengths=lengths, n=3)
    assert found.dot[2] == pytest.approx(objective.cost(LM, whole), rel=1e-9)


def test_a_surface_survives_json_and_is_drawn_from_six_sides(case):
    model, X = case
    found = cost_surface(model, X, LM, n=5)
    again = Surface.of_dict(json.loads(json.dumps(found.to_dict())))
    np.testing.assert_allclose(again.z, found.z, atol=1e-6)
    figure = draw_surface(again)
    assert len({axes.azim for axes in figure.axes}) == 6
    for axes in figure.axes:
        x, y, z = axes.collections[1]._offsets3d
        np.testing.assert_allclose([x[0], y[0], z[0]], found.dot, atol=1e-6)


def test_the_scene_holds_the_surface_and_its_dot(case):
    model, X = case
    found = cost_surface(model, X, LM, n=5)
    scene = json.loads(json.dumps(surface_scene(found)))
    sheet, dot = scene["data"]
    np.testing.assert_allclose(sheet["z"], found.z, atol=1e-5)
    assert [dot["x"][0], dot["y"][0]] == list(found.dot[:2])
    assert dot["z"][0] > found.dot[2]
