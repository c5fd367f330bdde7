"""The strength of a label model beside the data: it falls where they insist on something else."""

from __future__ import annotations

import numpy as np
import pytest

from ventris.inference.adaptation import StrengthSettings, Stretch, choose_strength, move
from ventris.inference.score import infer_labels, sequence_score
from ventris.label_model.model import NgramModel

SAID = np.array([[0.6, 0.2, 0.2], [0.1, 0.6, 0.3], [0.3, 0.3, 0.4]])
TRUE = np.array([[0.3, 0.5, 0.2], [0.1, 0.5, 0.4], [0.6, 0.2, 0.2]])


def stretches(matrix, seed, n_points=4000, cut=3000, noise=1.0):
    """Outputs of the right classifier for labels seen through Gaussian noise, cut in two, and the labels."""
    rng = np.random.default_rng(seed)
    labels = NgramModel.from_transition_matrix(matrix).sample(n_points, rng)
    x = np.eye(3)[labels] * 2 + noise * rng.standard_normal((n_points, 3))
    outputs = np.exp(2 * x / noise**2)
    outputs /= outputs.sum(axis=1, keepdims=True)
    parts = Stretch(outputs[:cut], np.array([cut])), Stretch(outputs[cut:], np.array([n_points - cut]))
    return *parts, labels


def test_rounds_never_make_the_points_learnt_from_less_likely_without_a_prior():
    learn, _, _ = stretches(TRUE, 100)
    lm = NgramModel.from_transition_matrix(SAID)
    scores = [sequence_score(*learn, lm, 2)]
    for _ in range(6):
        moved, _ = move(learn, NgramModel.from_transition_matrix(SAID), 1e-3, start=lm, rounds=1)
        lm = moved
        scores.append(sequence_score(*learn, lm, 2))
    # Ten pseudo-counts a history and a first label that follows the transitions allow a hair.
    assert np.all(np.diff(scores) > -1e-4) and scores[-1] > scores[0] + 0.01


def test_moving_goes_towards_the_truth_and_no_strength_means_no_move():
    learn, _, _ = stretches(TRUE, 101)
    said = NgramModel.from_transition_matrix(SAID)
    moved, expected = move(learn, said, 300.0, rounds=5)
    before, after = (np.abs(lm.conditional(2) - TRUE).max() for lm in (said, moved))
    assert after < 0.4 * before
    assert expected.ngrams.sum() == pytest.approx(len(learn.outputs) - 1)
    assert move(learn, said, np.inf)[0] is said


@pytest.mark.parametrize("seed", range(102, 107))
def test_a_wrong_label_model_moves_and_decodes_better_a_right_one_stays(seed):
    learn, held_out, labels = stretches(TRUE, seed)
    said, true = NgramModel.from_transition_matrix(SAID), NgramModel.from_transition_matrix(TRUE)
    found = choose_strength(learn, held_out, said)
    assert found.moves and found.gain > 5 and found.gains[found.pseudo_counts] == found.gain
    moved, _ = move(learn, said, found.pseudo_counts, rounds=5)
    wrong = [
        np.mean(infer_labels(*held_out, lm, 2)[0].argmax(axis=1) != labels[3000:]) for lm in (said, moved)
    ]
    assert wrong[1] < wrong[0]
    stays = choose_strength(learn, held_out, true)
    assert not stays.moves and stays.pseudo_counts == np.inf and stays.gain == 0.0


def test_the_gain_is_that_of_the_points_held_out():
    learn, held_out, _ = stretches(TRUE, 107)
    said = NgramModel.from_transition_matrix(SAID)
    settings = StrengthSettings(strengths=(1000.0,), rounds=4)
    found = choose_strength(learn, held_out, said, settings=settings)
    moved, _ = move(learn, said, 1000.0, rounds=4)
    usage = learn.outputs.mean(axis=0)
    before, after = (1000 * sequence_score(*held_out, lm, 2, usage) for lm in (said, moved))
    assert found.gains == pytest.approx({np.inf: 0.0, 1000.0: after - before}, rel=1e-9)


def test_a_classifier_may_be_taught_anew_at_each_strength():
    learn, held_out, _ = stretches(TRUE, 108)
    said, lessons = NgramModel.from_transition_matrix(SAID), []

    def relearn(labels):
        lessons.append(labels)
        return learn.outputs, held_out.outputs  # an obstinate one, so that only the label model moves

    settings = StrengthSettings(strengths=(1000.0, 300.0), rounds=2)
    found = choose_strength(learn, held_out, said, relearn=relearn, settings=settings)
    assert len(lessons) == 2 * 3 and all(labels.shape == learn.outputs.shape for labels in lessons)
    # The given label model is judged with its own lessons, read as it reads.
    np.testing.assert_allclose(lessons[0], infer_labels(*learn, said, 2)[0], atol=1e-12)
    alone = choose_strength(learn, held_out, said, settings=settings)
    assert found.gains[1000.0] == pytest.approx(alone.gains[1000.0], rel=1e-9)
    assert found.moves


def test_trigrams_move_too():
    rng = np.random.default_rng(109)
    labels = np.tile([0, 0, 1, 1, 2], 600)
    labels = np.where(rng.random(3000) < 0.1, rng.integers(0, 3, 3000), labels)
    said = NgramModel.from_sequences([rng.integers(0, 3, 3000).tolist()], 3, classes=range(3))
    outputs = 0.1 + 0.7 * np.eye(3)[labels]
    learn, held_out = (Stretch(part, np.array([len(part)])) for part in (outputs[:2000], outputs[2000:]))
    found = choose_strength(learn, held_out, said, order=3)
    moved, expected = move(learn, said, found.pseudo_counts, order=3)
    assert found.moves and expected.ngrams.shape == (3, 3, 3)
    assert moved.conditional(3)[0, 0, 1] > 0.6 and moved.conditional(3)[0, 1, 1] > 0.6


def test_weaker_strengths_are_not_tried_once_they_hurt():
    learn, held_out, _ = stretches(SAID, 110, n_points=400, cut=300)
    found = choose_strength(
        learn, held_out, NgramModel.from_transition_matrix(SAID), settings=StrengthSettings(decisive=0.01)
    )
    tried = list(found.gains)
    assert tried == sorted(tried, reverse=True) and len(tried) < 8
    assert found.gains[tried[-1]] < max(found.gains.values()) - 0.01
