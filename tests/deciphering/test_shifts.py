"""J of every shift: the definition by a loop, and messages that lack letters of the language."""

from __future__ import annotations

import numpy as np
import pytest

from ventris.deciphering.shifts import shift_costs


def test_each_cost_is_the_cross_entropy_of_the_counts_moved_back():
    rng = np.random.default_rng(0)
    prior, counts = rng.dirichlet(np.ones(7)), rng.integers(0, 9, size=7)
    smooth = (counts + 1) / (counts + 1).sum()  # one more of each letter
    expected = [-sum(prior[i] * np.log(smooth[(i + k) % 7]) for i in range(7)) for k in range(7)]  # (E1)
    np.testing.assert_allclose(shift_costs(prior, counts), expected, rtol=1e-12)


@pytest.mark.parametrize("shift", range(4))
def test_a_message_that_lacks_letters_has_finite_costs_and_the_right_key(shift):
    prior = np.array([0.6, 0.25, 0.1, 0.05])
    costs = shift_costs(prior, np.roll([5, 2, 0, 0], shift))
    assert np.all(np.isfinite(costs))
    assert np.argmin(costs) == shift
