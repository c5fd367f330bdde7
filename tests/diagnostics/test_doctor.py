"""The doctor on data known to work, and on each way it is known to fail."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn.metrics import mutual_info_score

from ventris.data.sequences import Sequences
from ventris.datasets import make_gaussian_hmm, make_paper_chain, random_hmm
from ventris.diagnostics.doctor import diagnose, information_at_lags, pair_information
from ventris.label_model.model import NgramModel


def severities(found):
    return [reason.severity for reason in found.reasons]


@pytest.fixture(scope="module")
def chain():
    return make_paper_chain(1, n_samples=12_000)


def test_information_of_pairs_agrees_with_scikit_learn_and_minds_boundaries():
    codes = np.random.default_rng(1).integers(0, 5, 1000)
    found = pair_information(codes, 5, np.array([1000]), 2)
    assert found == pytest.approx(mutual_info_score(codes[:-2], codes[2:]), rel=1e-9)
    halves = pair_information(codes, 5, np.array([400, 600]), 1)
    first = np.concatenate([codes[:399], codes[400:999]])
    second = np.concatenate([codes[1:400], codes[401:]])
    assert halves == pytest.approx(mutual_info_score(first, second), rel=1e-9)


def test_codes_that_are_the_labels_tell_what_the_labels_tell():
    lm, _ = random_hmm(5, random_state=0)
    labels = lm.sample(100_000, random_state=1)
    found = information_at_lags(labels, 5, np.array([100_000]), lm, np.random.default_rng(2))
    for each in found:
        joint = lm.pair(each.lag)
        ratio = np.log(joint / np.outer(joint.sum(axis=1), joint.sum(axis=0)))
        error = np.sqrt(np.sum(joint * (ratio - each.labels) ** 2) / 100_000)  # of independent pairs
        assert each.codes == pytest.approx(each.labels, abs=5 * error)


def test_the_paper_s_chains_may_go_and_the_ninth_is_doubted(chain):
    assert diagnose(Sequences.of(chain.train.X), chain.lm).verdict == "go"
    ninth = make_paper_chain(9, n_samples=24_000)
    found = diagnose(Sequences.of(ninth.train.X), ninth.lm)
    assert found.verdict == "doubtful" and "weak" in found.reasons[0].sentence


def test_shuffled_time_stops_it(chain):
    shuffled = np.random.default_rng(3).permutation(chain.train.X)
    found = diagnose(Sequences.of(shuffled), chain.lm)
    assert found.verdict == "stop" and severities(found) == ["good", "good", "bad"]
    assert "shuffled time" in found.reasons[2].sentence


def test_a_symmetric_label_model_stops_it(chain):
    symmetric = NgramModel.from_transition_matrix([[0.2, 0.8], [0.8, 0.2]])
    found = diagnose(Sequences.of(chain.train.X), symmetric)
    assert found.verdict == "stop" and "partial labels" in found.reasons[0].sentence


def test_too_few_points_are_counted():
    lm, means = random_hmm(10, random_state=0)
    data = make_gaussian_hmm(lm, means, n_samples=1500, random_state=1)
    found = diagnose(Sequences.of(data.X), lm)
    assert found.reasons[1].severity == "doubtful" and found.windows == 1499
    assert found.windows_needed == 200 * 10 < 100 * np.exp(lm.entropy(2))


def test_inputs_that_repeat_tell_more_than_labels_could(chain):
    repeated = np.repeat(chain.train.X[:5000], 3, axis=0)
    found = diagnose(Sequences.of(repeated), chain.lm)
    assert found.verdict == "doubtful" and "does not explain" in found.reasons[2].sentence


def test_fewer_kinds_of_inputs_than_labels_stops_it():
    lm, _ = random_hmm(5, random_state=0)
    found = diagnose(Sequences.of(np.tile([0, 1, 2], 2000)), lm)
    assert found.n_features == 0 and "only 3 kinds" in found.reasons[-1].sentence
    constant = diagnose(Sequences.of(np.ones((3000, 2))), lm)
    assert constant.verdict == "stop" and "constant" in constant.reasons[-1].sentence


def test_a_diagnosis_is_plain_data_and_the_same_each_time(chain):
    first, second = (diagnose(Sequences.of(chain.train.X[:5000]), chain.lm) for _ in range(2))
    assert first == second
    assert json.loads(json.dumps(first.to_dict()))["lags"][0]["lag"] == 1
