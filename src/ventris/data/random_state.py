"""A seed as a generator: one rule for everything that takes a `random_state`."""

from __future__ import annotations

from typing import Any

import numpy as np

from ventris.errors import ParameterError


def generator_of(random_state: Any) -> np.random.Generator:
    """The generator of a seed; one that is a generator already goes on from where it is.

    Parameters
    ----------
    random_state : int, Generator, RandomState or None
        scikit-learn's older RandomState draws the seed; None asks the system for one.

    Examples
    --------
    >>> int(generator_of(0).integers(100)) == int(np.random.default_rng(0).integers(100))
    True
    """
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**31))
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError):
        raise ParameterError(
            "random_state must be a whole number from 0, a numpy Generator or None",
            f"it is {random_state!r}",
            "Pass a seed such as 0",
        ) from None
