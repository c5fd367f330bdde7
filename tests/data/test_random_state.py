"""Seeds as generators."""

from __future__ import annotations

import numpy as np
import pytest

from ventris.data.random_state import generator_of
from ventris.errors import ParameterError


def test_a_generator_goes_on_and_an_older_one_draws_the_seed():
    rng = np.random.default_rng(3)
    assert generator_of(rng) is rng
    older, again = np.random.RandomState(4), np.random.RandomState(4)
    assert generator_of(older).integers(10**9) == np.random.default_rng(again.randint(2**31)).integers(10**9)


@pytest.mark.parametrize("odd", ["x", -1, 2.5, {}])
def test_what_is_no_seed_is_a_sentence(odd):
    with pytest.raises(ParameterError, match="random_state must be"):
        generator_of(odd)
