"""A chain of the paper and the outputs of the right classifier on it."""

from __future__ import annotations

import pytest

from ventris.classifiers.fitting import distil
from ventris.classifiers.loglinear import Coordinates, LogLinear, one_hot
from ventris.datasets import make_paper_chain


@pytest.fixture(scope="package")
def chain():
    return make_paper_chain(10, n_samples=12_000, random_state=0)


@pytest.fixture(scope="package")
def outputs(chain):
    units = Coordinates.of(chain.train.X, 2)
    model = distil(chain.train.X, one_hot(chain.train.y, 2), LogLinear.zeros(2, 2), units)
    return model.posteriors(chain.train.X)
