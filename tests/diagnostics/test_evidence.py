"""Evidence on outputs: measures by hand, and outputs in shuffled time."""

from __future__ import annotations

import json

import numpy as np
import pytest

from ventris import errors, objective
from ventris.diagnostics import evidence
from ventris.diagnostics.evidence import doubts_about_null
from ventris.diagnostics.thresholds import Thresholds
from ventris.label_model.model import NgramModel


def test_use_by_hand():
    use = evidence.output_use(np.array([[0.5, 0.5, 0.0], [1.0, 0.0, 0.0]]), [0.5, 0.3, 0.2])
    assert use.usage == (0.75, 0.25, 0.0) and use.starved(0.1) == [2]
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
    assert doubts_about_null(null) == []
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
    (doubt,) = doubts_about_null(null)
    assert isinstance(doubt, errors.NoStructureWarning) and "in shuffled time" in str(doubt)


def test_shuffles_stay_inside_sequences_and_long_data_is_cut(monkeypatch):
    seen = []
    monkeypatch.setattr(
        evidence, "sequence_score", lambda p, lengths, lm, order: seen.append((p, lengths)) or 0.0
    )
    lm = NgramModel.from_transition_matrix([[0.5, 0.5], [0.4, 0.6]])
    p = np.arange(20.0).reshape(10, 2)
    seven = Thresholds(null_points=7, null_shuffles=3)
    evidence.shuffled_null(p, [4, 5, 1], lm, 2, np.random.default_rng(0), thresholds=seven)
    assert len(seen) == 4
    for shuffled, lengths in seen:
        assert lengths.tolist() == [4, 3]
        np.testing.assert_array_equal(np.sort(shuffled[:4], axis=0), p[:4])
        np.testing.assert_array_equal(np.sort(shuffled[4:], axis=0), p[4:7])


def test_windows_needed_by_hand():
    # Many labels are known by all their pairs together; triples are not.
    assert evidence.windows_needed(np.full((50, 50), 1 / 50**2)) == 200 * 50
    assert evidence.windows_needed(np.full((10, 10, 10), 1 / 10**3)) == 100 * 1000
