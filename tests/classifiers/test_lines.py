"""Lines and classifiers of the plane are one: there and back, and by what a classifier says near its line."""

from __future__ import annotations

import numpy as np
import pytest

from ventris.classifiers.lines import Line, line_of, model_of
from ventris.classifiers.loglinear import LogLinear


@pytest.mark.parametrize("seed", range(10))
def test_there_and_back(seed):
    rng = np.random.default_rng(seed)
    line, centre = Line(rng.uniform(-180, 180), rng.normal(), rng.uniform(0.5, 9)), rng.normal(size=2)
    assert line_of(model_of(line, centre), centre) == pytest.approx(line)


@pytest.mark.parametrize("gamma", [1.0, 10.0])
@pytest.mark.parametrize("seed", range(5))
def test_a_classifier_is_even_on_its_line_and_as_sharp_across_it_as_it_says(seed, gamma):
    rng = np.random.default_rng(seed)
    model, centre = LogLinear(rng.normal(size=(2, 2)), rng.normal(size=2), gamma), rng.normal(size=2)
    line = line_of(model, centre)
    towards = np.array([np.cos(np.radians(line.angle)), np.sin(np.radians(line.angle))])
    along = np.array([-towards[1], towards[0]])
    on_it = centre + line.distance * towards + rng.normal(size=(7, 1)) * along
    np.testing.assert_allclose(model.posteriors(on_it), 0.5, atol=1e-9)
    logits = model.logits(on_it + 0.25 * towards)
    np.testing.assert_allclose(logits[:, 1] - logits[:, 0], 0.25 * line.sharpness, rtol=1e-9)
