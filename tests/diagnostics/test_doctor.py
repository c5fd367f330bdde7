"""The doctor on data known to work, and on each way it is known to fail."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn.metrics import mutual_info_score

import ventris as vt
from ventris.data.sequences import Sequences
from ventris.datasets import make_gaussian_hmm, make_paper_chain, random_hmm
from ventris.diagnostics.doctor import diagnose, information_at_lags, pair_information
from ventris.diagnostics.hard_to_tell import visible_share
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


# ------------------------------------------------------------------------------------------- names


@pytest.fixture(scope="module")
def islands():
    """Two states that stay for long, seen through a gap of two deviations."""
    lm = NgramModel.from_transition_matrix([[0.99, 0.01], [0.005, 0.995]], classes=["island", "sea"])
    return lm, make_gaussian_hmm(lm, [[0.0], [2.0]], n_samples=40_000, random_state=100)


def test_names_are_decided_from_the_points_that_were_told(islands):
    lm, data = islands
    few, many = vt.doctor(data.X[:3_000], lm), vt.doctor(data.X, lm)
    (told,) = few.hard_to_tell
    assert told.labels == "island↔sea" and 3_000 < told.points < 40_000 and told.share == pytest.approx(1)
    assert (few.verdict, told.decided) == ("doubtful", "no") and "partial labels" in few.reasons[0].sentence
    assert (many.verdict, many.hard_to_tell[0].decided) == ("go", "yes")
    assert len(few.settled_by) == 1 and many.settled_by == []


def test_a_known_point_settles_what_the_doctor_asked_for(islands):
    lm, data = islands
    X, asked = data.X[:3_000], vt.doctor(data.X[:3_000], lm).settled_by
    labels = [None] * 3_000
    for name in asked:
        place = int(np.argmax(data.y == lm.classes.index(name)))
        labels[place] = name
    found = vt.doctor(X, lm, partial_labels=labels)
    assert found.verdict == "go" and found.settled_by == []
    assert found.hard_to_tell[0].decided == "by known labels"


def test_a_ring_asks_for_one_label_and_takes_it():
    ring = NgramModel.from_transition_matrix(0.85 * np.roll(np.eye(5), 1, axis=1) + 0.03)
    data = make_gaussian_hmm(ring, 3 * np.eye(5), n_samples=4_000, random_state=2)
    found = vt.doctor(data.X, ring)
    assert found.verdict == "stop" and len(found.settled_by) == 1
    assert found.hard_to_tell[0].points is None and found.hard_to_tell[0].decided == "no"
    labels = np.where(np.arange(4_000) == np.argmax(data.y == found.settled_by[0]), data.y, -1)
    assert vt.doctor(data.X, ring, partial_labels=labels).verdict == "go"


def test_worse_features_need_more_points():
    lm, means = random_hmm(5, random_state=100)
    sharp, blurred = (
        vt.doctor(make_gaussian_hmm(lm, scale * means, n_samples=20_000, random_state=101).X, lm)
        for scale in (1.0, 0.6)
    )
    assert sharp.hard_to_tell[0].points == blurred.hard_to_tell[0].points
    assert sharp.hard_to_tell[0].points_as_seen < blurred.hard_to_tell[0].points_as_seen
    assert sharp.hard_to_tell[0].points <= sharp.hard_to_tell[0].points_as_seen


def test_what_shows_grows_with_the_share_and_with_runs_and_ends_at_all():
    even = np.full((3, 3), 1 / 9)
    sticky = np.full((3, 3), 0.01) + np.eye(3) * (1 / 3 - 0.03)
    shown = [visible_share(share, even) for share in (0.0, 0.1, 0.5, 1.0)]
    assert shown == sorted(shown) and shown[0] == 0 and shown[-1] == 1
    assert visible_share(0.1, even) < visible_share(0.1, sticky) <= 1
    assert visible_share(0.5, sticky) == 1


def test_names_are_judged_with_trigrams_where_the_label_model_has_them():
    joint = np.full((2, 2, 2), 0.125)
    joint[0, 0, 0], joint[0, 0, 1], joint[1, 0, 0], joint[1, 0, 1] = 0.2, 0.05, 0.05, 0.2
    lm = NgramModel.from_probabilities(joint)
    X = np.random.default_rng(0).normal(size=(2_000, 1)) + lm.sample(2_000, random_state=1)[:, None] * 4
    assert vt.doctor(X, lm).label_model["verdict"] == "identifiable"
    assert vt.doctor(X, lm, order=2).label_model["verdict"] == "unidentifiable"


def test_sequences_may_come_in_any_form_that_a_fit_takes(chain):
    X = chain.train.X[:5_000]
    whole = vt.doctor(X, chain.lm, lengths=[2_000, 3_000])
    assert whole == vt.doctor([X[:2_000], X[2_000:]], chain.lm)
    assert whole == diagnose(Sequences.of(X, [2_000, 3_000]), chain.lm)
    assert "hardest to tell apart" in str(whole) and str(whole).startswith(whole.verdict)
