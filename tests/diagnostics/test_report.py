"""The report: a right fit raises no doubt, wrong ones do; it prints, and survives JSON."""

from __future__ import annotations

import io
import json
import warnings

import numpy as np
import pytest

from ventris.classifiers.fitting import distil
from ventris.classifiers.loglinear import LogLinear, one_hot
from ventris.classifiers.units import Coordinates
from ventris.datasets import make_paper_chain
from ventris.diagnostics.report import Report, examine
from ventris.errors import CollapsedOutputWarning, NotRecurredWarning
from ventris.solvers.full_batch import match_full_batch
from ventris.solvers.problem import Problem
from ventris.solvers.restarts import restart
from ventris.solvers.starts import draw_starts


def _fit(number, n_samples=24_000, n_init=3, max_iter=60):
    chain = make_paper_chain(number, n_samples=n_samples, random_state=0)
    problem = Problem(chain.train.X, np.array([len(chain.train.X)]), chain.lm.joint(2))
    rng = np.random.default_rng(0)

    def solve(starts, rng):
        return [
            match_full_batch(problem.X, problem.lengths, problem.lm_prob, each, max_iter=max_iter)
            for each in starts
        ]

    return chain, restart(problem, solve, draw_starts(problem, n_init, rng), rng)


def _examine(chain, model, found=None):
    outputs = model.posteriors(chain.train.X)
    solution = found.best if found else None
    rng = np.random.default_rng(1)
    return examine(
        outputs, None, chain.lm, 2, method="full-batch", rng=rng, solution=solution, restarts=found
    )


@pytest.mark.parametrize("number", [1, 2, 7, 10])
def test_a_right_fit_raises_no_doubt(number):
    chain, found = _fit(number)
    report = _examine(chain, found.best.model, found)
    assert report.warnings == []
    np.testing.assert_allclose(report.cost, found.best.cost, rtol=1e-12)
    np.testing.assert_allclose(report.excess_cost, report.cost - chain.lm.entropy(2), rtol=1e-12)
    assert report.restarts["recurrence"] == 3 and report.null["is_above"]


def test_the_papers_failing_chain_is_doubted():
    chain, found = _fit(9)
    names = {name for name, _ in _examine(chain, found.best.model, found).warnings}
    assert {"WeakLabelModelWarning", "CloseRunnerUpWarning"} <= names


def test_a_label_swapped_and_a_constant_classifier_are_doubted():
    chain = make_paper_chain(10, n_samples=12_000, random_state=0)
    units = Coordinates.of(chain.train.X, 2)
    right = distil(chain.train.X, one_hot(chain.train.y, 2), LogLinear.zeros(2, 2), units)
    swapped = {name for name, _ in _examine(chain, right.relabelled([1, 0])).warnings}
    constant = LogLinear(np.zeros((2, 2)), np.log(chain.lm.stationary()))
    flat = {name for name, _ in _examine(chain, constant).warnings}
    assert {"ExcessCostWarning", "CollapsedOutputWarning"} <= swapped
    assert {"ExcessCostWarning", "NoStructureWarning"} <= flat


def test_doubts_are_voiced_once_and_kept():
    report = Report("spdg", 2, 2, 10, 1, 1.0, 1.1, 0.1, 0.0)
    report.add([NotRecurredWarning("One of 8 starts"), CollapsedOutputWarning("Label 1 is never given")])
    with pytest.warns() as caught:
        report.warn()
    assert [w.category for w in caught] == [NotRecurredWarning, CollapsedOutputWarning]
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        report.warn()
    assert report.warnings[0] == ("NotRecurredWarning", "One of 8 starts. Raise n_init.")


def test_it_survives_json_and_prints():
    from rich.console import Console

    chain, found = _fit(8, n_samples=6_000, n_init=2, max_iter=3)
    report = _examine(chain, found.best.model, found)
    again = Report.from_dict(json.loads(json.dumps(report.to_dict(), allow_nan=False)))
    assert again.to_dict() == report.to_dict() and str(again) == str(report)
    console = Console(file=io.StringIO(), width=100)
    console.print(report)
    shown = console.file.getvalue()
    for text in (
        "NotConvergedWarning",
        "J − H",
        "in shuffled time",
        "runner-up",
        "total variation",
        "identifiable",
    ):
        assert text in shown and text in str(report)
