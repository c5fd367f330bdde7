"""Training curves: they show the history, and say so where there is none."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import ventris as vt
from ventris.errors import DataError, VentrisWarning


def test_the_curves_are_the_histories():
    chain = vt.datasets.make_paper_chain(2, n_samples=3000)
    fits = [
        vt.SequenceClassifier(chain.lm, method=method, n_init=2, max_iter=max_iter, random_state=0)
        for method, max_iter in (("full-batch", 200), ("spdg", 20_000))
    ]
    with warnings.catch_warnings(action="ignore", category=VentrisWarning):  # so little data is doubted
        for clf in fits:
            clf.fit(chain.train.X)
    axes = vt.figures.training_curves(*fits).axes[0]
    for line, clf in zip(axes.lines, fits, strict=True):
        costs = [row["excess_cost"] for row in clf.history_]
        np.testing.assert_allclose(line.get_ydata(), costs, rtol=1e-12)
    assert [line.get_label() for line in axes.lines] == ["1: full-batch", "2: spdg"]


def test_a_classifier_learnt_in_steps_has_no_curve():
    chain = vt.datasets.make_paper_chain(2, n_samples=3000)
    clf = vt.SequenceClassifier(chain.lm, random_state=0).fit(chain.train.X)
    with pytest.raises(DataError, match="needs a history of costs"):
        vt.figures.training_curves(clf)
