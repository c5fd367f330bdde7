"""Boundaries: the line drawn is where both classes are equally likely."""

from __future__ import annotations

import numpy as np
import pytest

import ventris as vt
from ventris.classifiers.loglinear import LogLinear
from ventris.errors import DataError
from ventris.figures.plane import boundary

LOW, HIGH = np.array([-2.0, -1.0]), np.array([3.0, 4.0])


@pytest.mark.parametrize("seed", range(20))
def test_both_ends_are_even_and_on_the_box(seed):
    rng = np.random.default_rng(seed)
    model = LogLinear(rng.standard_normal((2, 2)), 0.3 * rng.standard_normal(2))
    ends = boundary(model, LOW, HIGH)
    for end in ends:
        assert model.posteriors(end[None])[0, 0] == pytest.approx(0.5, abs=1e-12)
        assert np.all(end >= LOW) and np.all(end <= HIGH)
        assert np.any(np.isclose(end, LOW) | np.isclose(end, HIGH))
    corners = np.array([[x, y] for x in (LOW[0], HIGH[0]) for y in (LOW[1], HIGH[1])])
    sides = model.posteriors(corners)[:, 0] > 0.5
    assert len(ends) == (0 if sides.all() or not sides.any() else 2)


def test_vertical_and_horizontal_lines_have_two_ends():
    upright = boundary(LogLinear(np.array([[1.0, 0.0], [0.0, 0.0]]), np.array([0.0, 1.0])), LOW, HIGH)
    np.testing.assert_allclose(sorted(upright.tolist()), [[1.0, -1.0], [1.0, 4.0]], rtol=1e-12)
    level = boundary(LogLinear(np.array([[0.0, 1.0], [0.0, 0.0]]), np.zeros(2)), LOW, HIGH)
    np.testing.assert_allclose(sorted(level.tolist()), [[-2.0, 0.0], [3.0, 0.0]], rtol=1e-12)


def test_more_than_two_classes_are_refused():
    with pytest.raises(DataError, match="two classes and two features"):
        boundary(LogLinear.zeros(3, 2), LOW, HIGH)


def test_points_are_coloured_by_the_labels_given_and_lines_are_named():
    chain = vt.datasets.make_paper_chain(2, n_samples=6000)
    clf = vt.SequenceClassifier(chain.lm, random_state=0).fit(chain.train.X)
    other = {"supervised": LogLinear(clf.coef_, clf.intercept_)}
    axes = vt.figures.boundaries(clf, chain.test.X, chain.test.y, other).axes[0]
    assert [line.get_label() for line in axes.lines] == ["without labels", "supervised"]
    counts = [len(points.get_offsets()) for points in axes.collections]
    assert counts == np.bincount(chain.test.y).tolist()
