"""Evidence on outputs: measures by hand, each doubt where it is due and silence where it is not."""

from __future__ import annotations

import json

import numpy as np
import pytest

from ventris import errors, objective
from ventris.classifiers.fitting import distil
from ventris.classifiers.loglinear import LogLinear, one_hot
from ventris.classifiers.units import Coordinates
from ventris.datasets import make_paper_chain
from ventris.deciphering.race import TableSearch
from ventris.diagnostics import evidence
from ventris.label_model.identifiability import identifiability
from ventris.label_model.model import NgramModel
from ventris.solvers.restarts import Restarts
from ventris.solvers.solution import Solution


@pytest.fixture(scope="module")
def chain():
    return make_paper_chain(10, n_samples=12_000, random_state=0)


@pytest.fixture(scope="module")
def outputs(chain):
    units = Coordinates.of(chain.train.X, 2)
    model = distil(chain.train.X, one_hot(chain.train.y, 2), LogLinear.zeros(2, 2), units)
    return model.posteriors(chain.train.X)


def test_use_by_hand():
    use = evidence.output_use(np.array([[0.5, 0.5, 0.0], [1.0, 0.0, 0.0]]), [0.5, 0.3, 0.2])
    assert use.usage == (0.75, 0.25, 0.0) and use.starved() == [2]
    np.testing.assert_allclose(use.distance, 0.25, rtol=1e-12)
    np.testing.assert_allclose(use.point_entropy, 0.5 * np.log(2), rtol=1e-12)
    np.testing.assert_allclose(use.usage_entropy, -0.75 * np.log(0.75) - 0.25 * np.log(0.25), rtol=1e-12)


def test_sampling_noise_is_the_mean_excess_of_independent_samples():
    rng = np.random.default_rng(0)
    P = np.array([[0.4, 0.1], [0.2, 0.3]])
    drawn = rng.multinomial(2_000, P.ravel(), size=4_000) / 2_000
    excess = np.mean([objective.excess_cost(P.ravel(), each) for each in drawn])
    np.testing.assert_allclose(evidence.sampling_noise(P, 2_000), excess, rtol=0.05)


def test_total_correlation_is_what_independent_outputs_leave():
    lm = NgramModel.from_text("abracadabra simsalabim hocuspocus fidibus", order=3)
    P, share = lm.joint(3), lm.joint(1)
    independent = share[:, None, None] * share[:, None] * share
    np.testing.assert_allclose(
        evidence.total_correlation(P), objective.excess_cost(P, independent), rtol=1e-3
    )


def test_a_right_classifier_beats_its_shuffled_time(chain, outputs):
    # Seed 0 also drew the labels: the shuffles must not follow the same numbers.
    null = evidence.shuffled_null(outputs, None, chain.lm, 2, np.random.default_rng(0))
    assert null.is_above and null.score > 0.1 > max(null.null_scores)
    assert null.excess_cost < 0.05 < min(null.null_excess_costs)
    assert evidence.doubts_about_null(null) == []
    json.dumps(null.to_dict(), allow_nan=False)


@pytest.mark.parametrize("kind", ["constant", "noise", "shuffled"])
def test_outputs_without_order_are_called_so(chain, outputs, kind):
    rng = np.random.default_rng(1)
    p = {
        "constant": np.tile(chain.lm.stationary(), (10_000, 1)),
        "noise": rng.dirichlet([0.3, 0.1], size=10_000),
        "shuffled": outputs[rng.permutation(len(outputs))],
    }[kind]
    null = evidence.shuffled_null(p, None, chain.lm, 2, np.random.default_rng(2))
    assert not null.is_above
    (doubt,) = evidence.doubts_about_null(null)
    assert isinstance(doubt, errors.NoStructureWarning) and "in shuffled time" in str(doubt)


def test_shuffles_stay_inside_sequences_and_long_data_is_cut(monkeypatch):
    seen = []
    monkeypatch.setattr(evidence, "_NULL_POINTS", 7)
    monkeypatch.setattr(
        evidence, "sequence_score", lambda p, lengths, lm, order: seen.append((p, lengths)) or 0.0
    )
    lm = NgramModel.from_transition_matrix([[0.5, 0.5], [0.4, 0.6]])
    p = np.arange(20.0).reshape(10, 2)
    evidence.shuffled_null(p, [4, 5, 1], lm, 2, np.random.default_rng(0), n_shuffles=3)
    assert len(seen) == 4
    for shuffled, lengths in seen:
        assert lengths.tolist() == [4, 3]
        np.testing.assert_array_equal(np.sort(shuffled[:4], axis=0), p[:4])
        np.testing.assert_array_equal(np.sort(shuffled[4:], axis=0), p[4:7])


# ---------------------------------------------------------------------------------------------- doubts


def _kinds(found):
    return [type(doubt) for doubt in found]


def _restarts(margin, recurrence=4, n_starts=4):
    best = Solution(LogLinear.zeros(2, 1), -np.ones((2, 2)), 1.0)
    return Restarts(best, (1.0,) * n_starts, (1.0,) * n_starts, False, recurrence, None, margin)


def test_doubts_about_the_label_model():
    cyclic = NgramModel.from_transition_matrix([[0.1, 0.9], [0.9, 0.1]])
    weak = NgramModel.from_transition_matrix([[0.5, 0.5], [0.4, 0.6]])
    good = NgramModel.from_transition_matrix([[0.6, 0.4], [0.9, 0.1]])
    kinds = [_kinds(evidence.doubts_about_label_model(identifiability(lm))) for lm in (cyclic, weak, good)]
    assert kinds == [[errors.UnidentifiableWarning], [errors.WeakLabelModelWarning], []]


def test_doubts_about_the_amount_of_data():
    P = np.full((2, 2), 0.25)
    (doubt,) = evidence.doubts_about_amount(P, 399)
    assert (
        isinstance(doubt, errors.TooFewSamplesWarning) and "399 windows" in str(doubt) and "400" in str(doubt)
    )
    assert evidence.doubts_about_amount(P, 401) == []
    # Many labels are known by all their pairs together; triples are not.
    assert evidence.windows_needed(np.full((50, 50), 1 / 50**2)) == 200 * 50
    assert evidence.windows_needed(np.full((10, 10, 10), 1 / 10**3)) == 100 * 1000


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
    assert _kinds(evidence.doubts_about_solution(solution)) == kinds


def test_doubts_about_restarts():
    assert _kinds(evidence.doubts_about_restarts(_restarts(0.0009), 1e-4)) == [errors.CloseRunnerUpWarning]
    assert evidence.doubts_about_restarts(_restarts(0.0011), 1e-4) == []
    assert evidence.doubts_about_restarts(_restarts(None), 1e-4) == []
    assert _kinds(evidence.doubts_about_restarts(_restarts(1.0, 1), 1e-4)) == [errors.NotRecurredWarning]
    assert evidence.doubts_about_restarts(_restarts(1.0, 1, n_starts=3), 1e-4) == []


def test_doubts_about_cost_and_use(chain, outputs):
    P, noise = chain.lm.joint(2), evidence.sampling_noise(chain.lm.joint(2), 9_999)
    right = objective.excess_cost(P, objective.expected_ngrams(outputs, 2))
    swapped = objective.excess_cost(P, objective.expected_ngrams(outputs[:, ::-1], 2))
    assert evidence.doubts_about_cost(right, P, noise) == []
    assert _kinds(evidence.doubts_about_cost(swapped, P, noise)) == [errors.ExcessCostWarning]
    names = ("no", "yes")
    use = evidence.output_use(outputs, chain.lm.stationary())
    assert evidence.doubts_about_use(use, names) == []
    swapped_use = evidence.output_use(outputs[:, ::-1], chain.lm.stationary())
    (doubt,) = evidence.doubts_about_use(swapped_use, names)
    assert "total variation" in str(doubt)
    collapsed = evidence.output_use(np.tile([1.0, 0.0], (50, 1)), chain.lm.stationary())
    (doubt,) = evidence.doubts_about_use(collapsed, names)
    assert isinstance(doubt, errors.CollapsedOutputWarning) and "1 of 2 labels ('yes')" in str(doubt)


def test_known_points_settle_a_symmetric_label_model():
    ring = identifiability(NgramModel.from_transition_matrix(0.8 * np.roll(np.eye(4), 1, axis=1) + 0.05))
    pairs = identifiability(
        NgramModel.from_transition_matrix(np.kron(np.eye(2), [[0.1, 0.8], [0.8, 0.1]]) + 0.025)
    )
    assert [type(d) for d in evidence.doubts_about_label_model(ring)] == [errors.UnidentifiableWarning]
    assert evidence.doubts_about_label_model(ring, named=[2]) == []  # one place fixes the whole ring
    # Two pairs of twins: a name in one pair says nothing about the other.
    assert evidence.doubts_about_label_model(pairs, named=[0]) != []
    assert evidence.doubts_about_label_model(pairs, named=[0, 2]) == []


def test_doubts_about_a_decipherment():
    def found(n_codes, recurrence, n_starts=48, margin=None):
        table = np.full((n_codes, 3), 1 / 3)
        return TableSearch(table, 1.0, 0.1, recurrence, n_starts, fresh_margin=margin, n_fresh=1_000)

    def kinds(*args):
        return [type(d) for d in evidence.doubts_about_decipherment(found(*args))]

    assert kinds(9, 2) == [] and kinds(9, 1, 3) == []  # three starts say nothing about recurrence
    assert kinds(9, 1) == [errors.NotRecurredWarning]
    assert kinds(2, 5) == [errors.FewCodesWarning]
    assert kinds(9, 2, 48, 0.01) == kinds(9, 2, 48, -0.004) == []  # 4 nats are chance
    (doubt,) = evidence.doubts_about_decipherment(found(9, 2, 48, -0.006))
    assert (
        isinstance(doubt, errors.CloseRunnerUpWarning) and "1,000 points" in str(doubt) and "6" in str(doubt)
    )
