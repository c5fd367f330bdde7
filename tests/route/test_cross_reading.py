"""Halves that read each other: no point is read by who was taught it, and what that is good for."""

from __future__ import annotations

import numpy as np
import pytest

from ventris.classifiers.fitting import distil
from ventris.classifiers.loglinear import Coordinates, LogLinear, cross_entropy, one_hot
from ventris.classifiers.loglinear_learner import LogLinearLearner
from ventris.classifiers.settings import LearnerSettings
from ventris.data.counts import has_many
from ventris.data.known_labels import KnownLabels
from ventris.data.sequences import Sequences
from ventris.datasets import random_hmm
from ventris.inference.score import infer_labels, sequence_score
from ventris.route.cross_reading import CrossReading, best_sharpness
from ventris.route.refine import Rehearsal, sharpened
from ventris.route.settings import RouteSettings

PENALTIES = RouteSettings().penalties
LM, _ = random_hmm(4, 2, random_state=0)


def noisy_points(n, n_noise, seed):
    """Four classes told apart by two features, among many that tell nothing."""
    rng = np.random.default_rng(seed)
    y = LM.sample(n, rng)
    corners = 1.2 * np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]])
    return np.column_stack([corners[y], np.zeros((n, n_noise))]) + rng.standard_normal((n, 2 + n_noise)), y


def crossing(X, known=None, l2=1e-4):
    learner = LogLinearLearner(Coordinates.of(X, 4), l2=l2)
    return CrossReading(learner, Sequences.of(X), LM, known)


def test_no_point_is_read_by_a_learner_that_was_taught_it():
    """A target turned round changes the outputs of the other half only; seed 0."""
    X, y = noisy_points(400, 3, 0)
    targets = one_hot(y, 4)
    across = crossing(X)
    before = across.outputs(targets)
    turned = targets.copy()
    turned[0] = np.roll(turned[0], 1)
    again = crossing(X)
    after = again.outputs(turned)
    own = again.half == again.half[0]
    np.testing.assert_array_equal(after[own], before[own])
    assert np.abs(after[~own] - before[~own]).max() > 1e-6


def test_copies_of_an_input_share_a_half():
    X, _ = noisy_points(50, 3, 0)
    half = crossing(np.tile(X, (3, 1))).half.reshape(3, 50)
    assert np.ptp(half, axis=0).max() == 0 and 5 < half[0].sum() < 45


def test_many_counts_distinct_inputs():
    X = np.random.default_rng(0).standard_normal((3_000, 1))
    assert has_many(X, 3_000)
    assert not has_many(X[:-1], 3_000) and not has_many(np.repeat(X[:1_500], 3, axis=0), 3_000)


@pytest.mark.parametrize("by_means", [True, False])
def test_no_stretch_is_judged_by_a_learner_that_was_taught_it(by_means):
    """Labels and inputs of one part spoiled: that part is judged as before by who never saw it; seed 0.

    Free weights share one sharpness over all parts, so it is held fixed.
    """
    X, y = noisy_points(600, 3, 0)
    fixed = RouteSettings(n_jobs=1, log_sharpness=(0.0, 1e-9))
    learner = LogLinearLearner(Coordinates.of(X, 4))
    rehearsal = Rehearsal(X, np.array([250, 350]), LM, 2, settings=fixed)
    (own, lengths), (other, _) = rehearsal.judging
    assert np.array_equal(np.sort(np.r_[own, other]), np.arange(600)) and lengths.sum() == len(own)
    np.testing.assert_array_equal(rehearsal.taught[0][0], other)
    before = rehearsal.logliks(learner, one_hot(y, 4), l2=1e-3, by_means=by_means)
    turned = one_hot(y, 4)
    turned[own] = np.roll(turned[own], 1, axis=1)
    after = rehearsal.logliks(learner, turned, l2=1e-3, by_means=by_means)
    n_own = len(after) // 2  # as many stretches in either part
    np.testing.assert_allclose(after[:n_own], before[:n_own], rtol=1e-6)
    assert np.abs(after[n_own:] - before[n_own:]).max() > 0.1


@pytest.mark.parametrize("heavy", [False, True])
def test_a_rehearsal_tells_which_kind_of_weights_points_are_for(heavy):
    """800 Gaussian points want means; with tails as heavy as can be they do not; seed 1."""
    rng = np.random.default_rng(1)
    lm, means = random_hmm(3, 2, random_state=5)
    y = lm.sample(800, rng)
    tails = np.sqrt(2 / rng.chisquare(2, size=(800, 1))) if heavy else 1.0
    X = 2.5 * means[y] + tails * rng.standard_normal((800, 2))
    rehearsal = Rehearsal(X, np.array([800]), lm, 2, settings=RouteSettings(n_jobs=1))
    learner = LogLinearLearner(Coordinates.of(X, 3))
    free, by_means = (
        rehearsal.logliks(learner, one_hot(y, 3), l2=1e-3, by_means=kind) for kind in (False, True)
    )
    assert (by_means.sum() > free.sum()) is not heavy


def test_the_best_sharpness_undoes_a_change_of_sharpness():
    """Outputs of the true posterior, flattened to its square root, want the power two; seed 1."""
    X, _ = noisy_points(20_000, 0, 1)
    corners = 1.2 * np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]])
    true = np.exp(-0.5 * np.sum((X[:, None] - corners) ** 2, axis=2)) * LM.stationary()
    true /= true.sum(axis=1, keepdims=True)
    lengths = np.array([len(X)])
    right, score = best_sharpness(true, lengths, LM, 2)
    assert right == pytest.approx(1.0, rel=0.05)
    assert score == pytest.approx(sequence_score(sharpened(true, right), lengths, LM, 2), rel=1e-12)
    wrong, _ = best_sharpness(sharpened(true, 0.5), lengths, LM, 2)
    assert wrong == pytest.approx(2.0, rel=0.1)


def test_sharpness_is_judged_on_whole_beginnings_of_many_sequences():
    """The score of the points judged is the same in one array or with more behind them; seed 2."""
    outputs = np.random.default_rng(2).dirichlet(np.ones(4), size=25_000)
    lengths = np.array([5_000] * 5)
    assert best_sharpness(outputs, lengths, LM, 2) == best_sharpness(outputs[:20_000], lengths[:4], LM, 2)


def test_halves_know_how_often_they_are_wrong():
    """Mistakes made against mistakes expected, where 80 features tell nothing and make bold; seed 3."""
    X, y = noisy_points(4_000, 80, 3)
    across = crossing(X, l2=1e-6)
    labels, sharpness, _ = across.rounds(one_hot(y, 4), order=2, at_most=1)
    bold = across.labels(crossing(X, l2=1e-6).outputs(one_hot(y, 4)), 1.0, order=2)
    made, expected = (
        [measure(q) for q in (labels, bold)]
        for measure in (lambda q: np.mean(q.argmax(axis=1) != y), lambda q: np.mean(1 - q.max(axis=1)))
    )
    assert sharpness < 0.95
    assert made[0] / expected[0] == pytest.approx(1.0, abs=0.1)
    assert abs(made[1] / expected[1] - 1) > 2 * abs(made[0] / expected[0] - 1)


def test_the_penalty_is_strong_where_points_are_few_and_weak_where_they_are_many():
    """Eighty features that tell nothing, two hidden under large ones; 600 points, then 40,000; seed 4."""
    chosen = []
    for n in (600, 40_000):
        X, y = noisy_points(n, 80, 4)
        X[:, :2] += 10 * X[:, 2:4]  # only large weights of opposite sign can tell the classes now
        l2, sharpness, labels = crossing(X).choose_penalty(one_hot(y, 4), order=2)
        assert l2 in PENALTIES and sharpness > 0 and labels.shape == (n, 4)
        chosen.append(l2)
    assert chosen[0] > chosen[1]


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ((0.5, 0.6, 0.5995, 0.59), 2),  # within a five-hundredth of the best: the weaker one
        ((0.5, 0.6, 0.598, 0.7), 1),  # not within it, and what comes after is not tried
        ((0.5, 0.6, 0.61, 0.6095), 3),
    ],
)
def test_of_penalties_that_score_about_as_well_the_weakest_is_taken(scores, expected, monkeypatch):
    X, y = noisy_points(300, 3, 5)
    across, later = crossing(X), iter([0.4, *scores, 0.0])  # the first belongs to the round before the choice
    monkeypatch.setattr(across, "_judged", lambda outputs, order: (1.0, next(later)))
    assert across.choose_penalty(one_hot(y, 4), order=2)[0] == PENALTIES[expected]


def test_no_penalty_beyond_those_tried_would_read_fresh_points_much_better():
    """Few points among eighty features that tell nothing: the best is stronger than 1e-3; seeds 9 to 11."""
    for seed in (9, 10, 11):
        (X, y), (fresh, labels) = noisy_points(600, 80, seed), noisy_points(4_000, 80, seed + 1_000)
        units = Coordinates.of(X, 4)
        loss = {
            l2: cross_entropy(
                distil(X, one_hot(y, 4), LogLinear.zeros(4, 82), units, l2=l2), fresh, one_hot(labels, 4)
            )[0]
            for l2 in (1e-1, 3e-2, *PENALTIES)
        }
        chosen = crossing(X).choose_penalty(one_hot(y, 4), order=2)[0]
        assert loss[chosen] < 1.1 * min(loss.values())


def test_rounds_do_not_learn_wrong_labels_by_heart_under_the_first_penalty():
    """Half of the labels drawn anew, six points a feature: 1e-3 makes labels worse; seeds 9 to 11."""
    worse = {l2: [] for l2 in (PENALTIES[0], 1e-3)}
    for seed in (9, 10, 11):
        X, y = noisy_points(1_200, 200, seed)
        rng = np.random.default_rng(seed)
        lesson = one_hot(np.where(rng.random(1_200) < 0.5, rng.integers(4, size=1_200), y), 4)
        for l2, errors in worse.items():
            learner = LogLinearLearner(Coordinates.of(X, 4), l2=l2).fit(X, lesson)
            before, _ = infer_labels(learner.predict_proba(X), [1_200], LM, 2)
            after, *_ = CrossReading(learner, Sequences.of(X), LM).rounds(before, order=2, at_most=20)
            errors.append(np.mean(after.argmax(axis=1) != y) - np.mean(before.argmax(axis=1) != y))
    assert np.mean(worse[PENALTIES[0]]) < 0.01 < np.mean(worse[1e-3])


def test_readers_weigh_the_penalty_as_a_learner_of_all_points_does():
    """Where a half's sum of losses is balanced by the penalty's share in a sum over all points; seed 12."""
    X, y = noisy_points(2_000, 3, 12)
    targets, l2 = one_hot(y, 4), 1e-2
    across = crossing(X, l2=l2)
    across.outputs(targets)
    for number, reader in enumerate(across.readers):
        taught = across.half != number
        _, *gradients = cross_entropy(reader.model, X[taught], targets[taught])
        pull = taught.sum() * reader.units.gradient(*gradients)[:20]  # the weights: intercepts bear none
        push = len(X) * l2 * reader.units.flat(reader.model)[:20]
        assert -(pull @ push) / (push @ push) == pytest.approx(1.0, rel=0.1)


def test_known_labels_stay():
    X, y = noisy_points(400, 3, 5)
    known = np.full(400, -1)
    known[:10] = (y[:10] + 1) % 4  # wrong ones, so that nothing but their being known speaks for them
    labels, *_ = crossing(X, KnownLabels(known)).rounds(one_hot(y, 4), order=2, at_most=2)
    np.testing.assert_array_equal(labels[:10].argmax(axis=1), known[:10])


def test_rounds_end_when_the_score_stands_still():
    """From the truth two or three rounds, from half of it blurred more, but not all allowed; seed 8."""
    X, y = noisy_points(4_000, 3, 8)
    blurred = 0.8 / 4 + 0.2 * one_hot(y, 4)
    blurred[::2] = 0.25
    sure, unsure = (crossing(X).rounds(q, order=2, at_most=20)[2] for q in (one_hot(y, 4), blurred))
    assert 2 <= sure <= 3 and sure < unsure < 20
    assert crossing(X).rounds(blurred, order=2, at_most=1)[2] == 1


# ----------------------------------------------------------------------------- the learner's own sharpness


def test_a_sharper_learner_has_the_same_favourites_and_goes_on_from_where_it_was():
    X, y = noisy_points(500, 2, 6)
    plain, sharp = (LogLinearLearner(Coordinates.of(X, 4), l2=1e-2) for _ in range(2))
    sharp.resharpen(2.0)
    for learner in (plain, sharp):
        learner.fit(X, one_hot(y, 4))
    np.testing.assert_allclose(sharp.model.coef, 2 * plain.model.coef, rtol=1e-12)
    for learner in (plain, sharp):  # from the present weights, whatever their sharpness
        learner.fit(X, one_hot(y, 4))
    np.testing.assert_allclose(sharp.predict_proba(X), sharpened(plain.predict_proba(X), 2.0), rtol=1e-9)
    sharp.resharpen(1.0)
    np.testing.assert_allclose(sharp.model.coef, plain.model.coef, rtol=1e-12)


def test_a_beginner_shares_settings_and_nothing_learnt():
    X, y = noisy_points(200, 2, 7)
    learner = LogLinearLearner(Coordinates.of(X, 4), l2=0.5, settings=LearnerSettings(first_iter=7))
    learner.fit(X, one_hot(y, 4)).resharpen(3.0)
    new = learner.beginner()
    assert (new.l2, new.settings.first_iter, new.sharpness, new.model) == (0.5, 7, 1.0, None)
    assert isinstance(learner.model, LogLinear)
