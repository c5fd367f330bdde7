"""Labels that last: posteriors, paths and scores against every path there is, weighed by its stays."""

from __future__ import annotations

from itertools import groupby, pairwise, product

import numpy as np
import pytest

from ventris.errors import DataError, LanguageModelError, ParameterError
from ventris.inference.decoding import best_path, label_posteriors
from ventris.inference.durations import lasting_loglik, lasting_path, lasting_posteriors
from ventris.inference.score import infer_labels, likeliest_path, sequence_score
from ventris.label_model.adaptation import renamed
from ventris.label_model.model import NgramModel
from ventris.label_model.state import lm_from_state, lm_to_state

MATRIX = [[0.5, 0.3, 0.2], [0.1, 0.6, 0.3], [0.45, 0.25, 0.3]]
KINDS = {
    "geometric": {"min_dwell": 1},
    "least stay": {"min_dwell": [3, 1, 2]},
    "histograms": {"durations": [[0.2, 0.5, 0.3], [1.0], [0.0, 1.0, 0.0, 2.0]]},
}
N_LONG = 300  # steps of a stay that are summed: beyond, nothing is left of it


def model(kind):
    return NgramModel.from_transition_matrix(MATRIX, classes=["a", "b", "c"]).lasting(**KINDS[kind])


def stay_probabilities(durations, label):
    """p(a stay lasts d steps), d = 1, 2, …, from its definition."""
    sure, on = durations.histograms[label], durations.stay[label]
    lasts = np.zeros(N_LONG)
    for d, p in enumerate(sure, start=1):
        more = np.arange(N_LONG - d + 1)
        lasts[d - 1 :] += p * (1 - on) * on**more
    return lasts


def path_weight(path, durations):
    """P(y₁ … y_T) of a stationary walk: the first stay was under way, the last goes on."""
    from ventris.label_model.markov import stationary_distribution

    visits = stationary_distribution(durations.moves)
    lasts = [stay_probabilities(durations, label) for label in range(len(visits))]
    at_least = [each[::-1].cumsum()[::-1] for each in lasts]  # entry d − 1: at least d steps
    mean = sum(v * a.sum() for v, a in zip(visits, at_least, strict=True))
    runs = [(label, len(list(group))) for label, group in groupby(path)]
    (label, steps), rest = runs[0], runs[1:]
    if not rest:
        return visits[label] * at_least[label][steps - 1 :].sum() / mean
    weight = visits[label] * at_least[label][steps - 1] / mean
    for number, (following, steps) in enumerate(rest):
        weight *= durations.moves[label, following]
        is_last = number == len(rest) - 1
        weight *= at_least[following][steps - 1] if is_last else lasts[following][steps - 1]
        label = following
    return weight


@pytest.mark.parametrize("kind", KINDS)
def test_every_path_is_weighed_by_its_stays(kind):
    lm, rng = model(kind), np.random.default_rng(0)
    scores = rng.uniform(0.1, 2.0, size=(7, 3))
    paths = np.array(list(product(range(3), repeat=7)))
    prior = np.array([path_weight(path, lm.durations) for path in paths])
    assert prior.sum() == pytest.approx(1, rel=1e-9)
    weights = prior * np.prod(scores[np.arange(7), paths], axis=1)
    expected = (
        np.array([[weights[paths[:, t] == y].sum() for y in range(3)] for t in range(7)]) / weights.sum()
    )
    found, logs = lasting_posteriors(scores, None, lm.durations)
    np.testing.assert_allclose(found, expected, rtol=1e-9)
    np.testing.assert_allclose(logs, np.log(weights.sum()), rtol=1e-9)
    np.testing.assert_allclose(lasting_loglik(scores, None, lm.durations), logs, rtol=1e-12)
    for lag in (1, 2, 5):
        joint = np.zeros((3, 3))
        np.add.at(joint, (paths[:, 0], paths[:, lag]), prior)
        np.testing.assert_allclose(lm.pair(lag), joint, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_the_best_path_is_the_best_with_its_stays(kind):
    """A state holds the steps that are left: of several ways to one label path the heaviest counts."""
    lm, rng = model(kind), np.random.default_rng(1)
    scores = rng.uniform(0.1, 2.0, size=(6, 3))
    durations = lm.durations
    first, n_states = durations.first, durations.first[-1]
    label = np.repeat(np.arange(3), np.diff(first))
    step = np.zeros((n_states, n_states))
    for i, (state, stop) in enumerate(pairwise(first)):
        for inside in range(state + 1, stop):
            step[inside, inside - 1] = 1.0
        step[state, state] += durations.stay[i]
        step[state] += (1 - durations.stay[i]) * durations.moves[i, label] * durations.enter
    np.testing.assert_allclose(step.sum(axis=1), 1, rtol=1e-12)
    np.testing.assert_allclose(durations.opening() @ step, durations.opening(), rtol=1e-12, atol=1e-15)
    best = [(durations.opening()[s] * scores[0, label[s]], (s,)) for s in range(n_states)]
    for row in scores[1:]:
        best = [
            max((weight * step[path[-1], s] * row[label[s]], (*path, s)) for weight, path in best)
            for s in range(n_states)
        ]
    weight, path = max(best)
    labels, logs = lasting_path(scores, None, durations)
    assert labels.tolist() == label[list(path)].tolist()
    np.testing.assert_allclose(logs, np.log(weight), rtol=1e-9)


def test_without_a_least_stay_it_is_the_ordinary_chain():
    lm, plain = model("geometric"), NgramModel.from_transition_matrix(MATRIX)
    rng = np.random.default_rng(2)
    scores, lengths = rng.uniform(0.1, 2.0, size=(3000, 3)), np.array([1, 1024, 1975])
    told = [plain.joint(1)], plain.conditional(2)
    gamma, logs = label_posteriors(scores, lengths, *told)
    found, found_logs = lasting_posteriors(scores, lengths, lm.durations)
    np.testing.assert_allclose(found, gamma, rtol=1e-8, atol=1e-12)
    np.testing.assert_allclose(found_logs, logs, rtol=1e-9)
    np.testing.assert_array_equal(
        lasting_path(scores, lengths, lm.durations)[0], best_path(scores, lengths, *told)[0]
    )
    np.testing.assert_allclose(lm.conditional(2), MATRIX, rtol=1e-9)


def test_reading_scoring_and_paths_follow_the_durations():
    lm, rng = model("least stay"), np.random.default_rng(3)
    outputs, lengths = rng.dirichlet(np.ones(3), size=50), np.array([20, 30])
    scores = outputs / outputs.mean(axis=0)
    gamma, score = infer_labels(outputs, lengths, lm, 2)
    np.testing.assert_allclose(gamma, lasting_posteriors(scores, lengths, lm.durations)[0], rtol=1e-9)
    assert score == pytest.approx(sequence_score(outputs, lengths, lm, 2), rel=1e-12)
    path = likeliest_path(outputs, lengths, lm, 2)
    for part in (path[:20], path[20:]):
        inner = [(label, len(list(run))) for label, run in groupby(part.tolist())][1:-1]
        assert all(steps >= [3, 1, 2][label] for label, steps in inner)


def test_samples_stay_as_long_as_they_must_and_come_as_often_as_they_should():
    lm = model("least stay")
    y = lm.sample(60_000, random_state=0)
    runs = [(label, len(list(run))) for label, run in groupby(y.tolist())][1:-1]
    assert all(steps >= [3, 1, 2][label] for label, steps in runs)
    np.testing.assert_allclose(np.bincount(y) / len(y), lm.stationary(), atol=0.01)


def test_a_model_with_durations_is_saved_and_renamed():
    lm = model("histograms")
    again = lm_from_state(*lm_to_state(lm))
    assert again.classes == lm.classes
    np.testing.assert_array_equal(again.pair(3), lm.pair(3))
    turned = renamed(lm, np.array([1, 2, 0]))
    np.testing.assert_allclose(turned.pair(2)[np.ix_([1, 2, 0], [1, 2, 0])], lm.pair(2), rtol=1e-12)
    arrays, header = lm_to_state(lm)
    with pytest.raises(LanguageModelError, match="histogram for each label"):
        lm_from_state(arrays | {"lm.first": arrays["lm.first"][:-1]}, header)
    with pytest.raises(LanguageModelError, match="ARPA"):
        lm.to_arpa("nowhere.arpa")


def test_bad_durations_get_a_sentence():
    lm = NgramModel.from_transition_matrix(MATRIX, classes=["a", "b", "c"])
    with pytest.raises(ParameterError, match="neither was given"):
        lm.lasting()
    with pytest.raises(ParameterError, match="at least 1"):
        lm.lasting(min_dwell=0)
    with pytest.raises(LanguageModelError, match="'c' has none"):
        lm.lasting(min_dwell={"a": 1, "b": 2})
    with pytest.raises(LanguageModelError, match="not all zero"):
        lm.lasting(durations=[[0.0], [1.0], [1.0]])
    with pytest.raises(DataError, match="path of positive probability"):
        lasting_loglik(np.array([[1.0, 0, 0], [0, 0, 0]]), None, model("geometric").durations)


def test_durations_come_from_json_and_go_with_a_saved_classifier(tmp_path):
    import json

    import ventris as vt
    from ventris.readers import read_label_model

    path = tmp_path / "machine.json"
    plain = {"classes": ["a", "b", "c"], "transitions": MATRIX}
    path.write_text(json.dumps(plain | {"min_dwell": {"a": 3, "b": 1, "c": 2}}))
    lm = read_label_model(path)
    np.testing.assert_allclose(lm.pair(3), model("least stay").pair(3), rtol=1e-12)
    path.write_text(json.dumps(plain | {"durations": {"a": [1, 1]}}))
    with pytest.raises(LanguageModelError, match="'b' has none"):
        read_label_model(path)
    rng = np.random.default_rng(0)
    X = 4.0 * np.eye(3)[lm.sample(600, rng)] + rng.normal(size=(600, 3))
    clf = vt.SequenceClassifier(lm, random_state=0, n_jobs=1).fit(X)
    clf.save(tmp_path / "machine.ventris")
    again = vt.load(tmp_path / "machine.ventris")
    assert again.lm_.durations is not None
    np.testing.assert_array_equal(again.decode(X), clf.decode(X))
