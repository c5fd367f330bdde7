"""A small chain and quick fits of it, for the tests of `SequenceClassifier`."""

from __future__ import annotations

import warnings

import ventris as vt
from ventris.datasets import make_paper_chain
from ventris.errors import VentrisWarning

CHAIN = make_paper_chain(2, n_samples=4_800, random_state=0)
X, Y = CHAIN.train.X, CHAIN.train.y  # 4,000 points
QUICK = {"random_state": 0, "n_init": 8}
METHODS = {
    "auto": {},
    "full-batch": {"n_init": 2},
    "spdg": {"n_init": 2, "max_iter": 30_000, "primal_lr": 0.05, "dual_lr": 0.05},
}


def learn(lm=CHAIN.lm, data=X, fit=None, **parameters):
    """Fit without a word of doubt; tests of doubts use `pytest.warns`."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", VentrisWarning)
        return vt.SequenceClassifier(lm, **QUICK | parameters).fit(data, **fit or {})
