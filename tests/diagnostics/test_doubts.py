"""Doubts: each where it is due, silence where it is not, and thresholds that are heard."""

from __future__ import annotations

import numpy as np
import pytest

from ventris import errors, objective
from ventris.classifiers.loglinear import LogLinear
from ventris.deciphering.race import TableSearch
from ventris.diagnostics import evidence
from ventris.diagnostics import evidence as doubts
from ventris.diagnostics.thresholds import Thresholds
from ventris.label_model.identifiability import identifiability
from ventris.label_model.model import NgramModel
from ventris.solvers.restarts import Restarts
from ventris.solvers.solution import Solution


def _kinds(found):
    return [type(doubt) for doubt in found]


def _restarts(margin, recurrence=4, n_starts=4):
    best = Solution(LogLinear.zeros(2, 1), -np.ones((2, 2)), 1.0)
    return Restarts(best, (1.0,) * n_starts, (1.0,) * n_starts, False, recurrence, None, margin)


def test_doubts_about_the_label_model():
    cyclic = NgramModel.from_transition_matrix([[0.1, 0.9], [0.9, 0.1]])
    weak = NgramModel.from_transition_matrix([[0.5, 0.5], [0.4, 0.6]])
    good = NgramModel.from_transition_matrix([[0.6, 0.4], [0.9, 0.1]])
    kinds = [_kinds(doubts.doubts_about_label_model(identifiability(lm))) for lm in (cyclic, weak, good)]
    assert kinds == [[errors.UnidentifiableWarning], [errors.WeakLabelModelWarning], []]


def test_doubts_about_the_amount_of_data():
    P = np.full((2, 2), 0.25)
    (doubt,) = doubts.doubts_about_amount(P, 399)
    assert (
        isinstance(doubt, errors.TooFewSamplesWarning) and "399 windows" in str(doubt) and "400" in str(doubt)
    )
    assert doubts.doubts_about_amount(P, 401) == []


@pytest.mark.parametrize(
    ("reason", "kinds"),
    [
        ("diverged", [errors.DivergedWarning]),
        ("max_iter", [errors.NotConvergedWarning]),
        ("line_search", [errors.NotConvergedWarning]),
        ("converged", []),
        ("validation", []),
        ("callback", []),
    ],
)
def test_doubts_about_the_solver(reason, kinds):
    solution = Solution(LogLinear.zeros(2, 1), -np.ones((2, 2)), 1.0, n_iter=7, stopped_because=reason)
    assert _kinds(doubts.doubts_about_solution(solution)) == kinds


def test_doubts_about_restarts():
    assert _kinds(doubts.doubts_about_restarts(_restarts(0.0009), 1e-4)) == [errors.CloseRunnerUpWarning]
    assert doubts.doubts_about_restarts(_restarts(0.0011), 1e-4) == []
    assert doubts.doubts_about_restarts(_restarts(None), 1e-4) == []
    assert _kinds(doubts.doubts_about_restarts(_restarts(1.0, 1), 1e-4)) == [errors.NotRecurredWarning]
    assert doubts.doubts_about_restarts(_restarts(1.0, 1, n_starts=3), 1e-4) == []


def test_doubts_about_cost_and_use(chain, outputs):
    P, noise = chain.lm.joint(2), evidence.sampling_noise(chain.lm.joint(2), 9_999)
    right = objective.excess_cost(P, objective.expected_ngrams(outputs, 2))
    swapped = objective.excess_cost(P, objective.expected_ngrams(outputs[:, ::-1], 2))
    assert doubts.doubts_about_cost(right, P, noise) == []
    assert _kinds(doubts.doubts_about_cost(swapped, P, noise)) == [errors.ExcessCostWarning]
    names = ("no", "yes")
    use = evidence.output_use(outputs, chain.lm.stationary())
    assert doubts.doubts_about_use(use, names) == []
    swapped_use = evidence.output_use(outputs[:, ::-1], chain.lm.stationary())
    (doubt,) = doubts.doubts_about_use(swapped_use, names)
    assert "total variation" in str(doubt)
    collapsed = evidence.output_use(np.tile([1.0, 0.0], (50, 1)), chain.lm.stationary())
    (doubt,) = doubts.doubts_about_use(collapsed, names)
    assert isinstance(doubt, errors.CollapsedOutputWarning) and "1 of 2 labels ('yes')" in str(doubt)


def test_known_points_decide_a_symmetric_label_model():
    ring = identifiability(NgramModel.from_transition_matrix(0.8 * np.roll(np.eye(4), 1, axis=1) + 0.05))
    pairs = identifiability(
        NgramModel.from_transition_matrix(np.kron(np.eye(2), [[0.1, 0.8], [0.8, 0.1]]) + 0.025)
    )
    assert [type(d) for d in doubts.doubts_about_label_model(ring)] == [errors.UnidentifiableWarning]
    assert doubts.doubts_about_label_model(ring, named=[2]) == []  # one place fixes the whole ring
    # Two pairs of twins: a name in one pair says nothing about the other.
    assert doubts.doubts_about_label_model(pairs, named=[0]) != []
    assert doubts.doubts_about_label_model(pairs, named=[0, 2]) == []


def test_doubts_about_the_search_for_the_table():
    def found(n_codes, recurrence, n_starts=48, margin=None):
        table = np.full((n_codes, 3), 1 / 3)
        return TableSearch(table, 1.0, 0.1, recurrence, n_starts, fresh_margin=margin, n_fresh=1_000)

    def kinds(*args):
        return [type(d) for d in doubts.doubts_about_search(found(*args))]

    assert kinds(9, 2) == [] and kinds(9, 1, 3) == []  # three starts say nothing about recurrence
    assert kinds(9, 1) == [errors.NotRecurredWarning]
    assert kinds(2, 5) == [errors.FewCodesWarning]
    assert kinds(9, 2, 48, 0.01) == kinds(9, 2, 48, -0.004) == []  # 4 nats are chance
    (doubt,) = doubts.doubts_about_search(found(9, 2, 48, -0.006))
    assert (
        isinstance(doubt, errors.CloseRunnerUpWarning) and "1,000 points" in str(doubt) and "6" in str(doubt)
    )


def test_thresholds_are_heard(chain, outputs):
    """What is sound by the usual thresholds is doubted by stricter ones."""
    P, use = chain.lm.joint(2), evidence.output_use(outputs, chain.lm.stationary())
    excess = objective.excess_cost(P, objective.expected_ngrams(outputs, 2))
    strict = Thresholds(unmatched_share=0.0, noise_factor=0.0, usage_distance=0.0, recurrence_starts=1)
    assert _kinds(doubts.doubts_about_cost(excess, P, 0.0, thresholds=strict)) == [errors.ExcessCostWarning]
    assert _kinds(doubts.doubts_about_use(use, (0, 1), thresholds=strict)) == [errors.CollapsedOutputWarning]
    once = doubts.doubts_about_restarts(_restarts(1.0, 1, n_starts=3), 1e-4, thresholds=strict)
    assert _kinds(once) == [errors.NotRecurredWarning]
    many = Thresholds(windows_per_ngram=10_000, pairs_per_label=10_000)
    assert _kinds(doubts.doubts_about_amount(P, 9_999, thresholds=many)) == [errors.TooFewSamplesWarning]
