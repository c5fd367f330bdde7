"""Restarts: the right basin on all ten chains; the label-swapped basin exists, and relabelling leaves it."""

from __future__ import annotations

import numpy as np
import pytest

from ventris import objective
from ventris.classifiers.loglinear import LogLinear
from ventris.datasets import make_gaussian_hmm, make_paper_chain, random_hmm
from ventris.objective.relabelling import relabelled
from ventris.solvers.full_batch import match_full_batch
from ventris.solvers.problem import Problem
from ventris.solvers.restarts import (
    disagreement,
    group_answers,
    rank_relabellings,
    rename,
    restart,
    softened,
)
from ventris.solvers.settings import RestartSettings
from ventris.solvers.solution import Solution
from ventris.solvers.starts import draw_starts

SWAPPED = LogLinear(np.array([[1.0, 0.0], [-1.0, 0.0]]), np.array([-0.5, 0.5]))


def _full_batch(problem, max_iter=20):
    def solve(starts, rng):
        return [
            match_full_batch(
                problem.X,
                problem.lengths,
                problem.lm_prob,
                start,
                max_iter=max_iter,
                mask=problem.mask,
                fit_intercept=problem.fit_intercept,
            )
            for start in starts
        ]

    return solve


def _chain(number, n_samples=24_000):
    chain = make_paper_chain(number, n_samples=n_samples, random_state=0)
    return chain, Problem(chain.train.X, np.array([len(chain.train.X)]), chain.lm.joint(2))


def _error(model, chain):
    return np.mean(model.posteriors(chain.test.X).argmax(axis=1) != chain.test.y)


@pytest.mark.parametrize("number", range(1, 11))
def test_four_starts_reach_the_right_basin_on_every_chain(number):
    chain, problem = _chain(number)
    rng = np.random.default_rng(0)
    found = restart(problem, _full_batch(problem), draw_starts(problem, 4, rng), rng)
    assert _error(found.best.model, chain) < 0.065
    assert found.best.cost == min(found.followed_costs)
    assert found.margin is not None and found.margin > 0
    assert _error(found.runner_up.model, chain) > 0.1


@pytest.mark.parametrize("number", [2, 6, 10])
def test_starts_that_all_end_label_swapped_are_rescued_by_relabelling(number):
    chain, problem = _chain(number)
    alone = _full_batch(problem)([SWAPPED], None)[0]
    assert _error(alone.model, chain) > 0.4  # the swapped basin is there, and the solver stays in it
    found = restart(problem, _full_batch(problem), [SWAPPED] * 2, np.random.default_rng(0))
    assert found.was_relabelled and _error(found.best.model, chain) < 0.065
    assert found.recurrence == 2 and max(found.followed_costs) < min(found.costs)
    assert 0 < found.margin <= min(found.costs) - found.best.cost + 1e-12


def test_settings_say_whose_relabellings_are_followed():
    chain, problem = _chain(2)
    none = RestartSettings(answers=0)
    found = restart(problem, _full_batch(problem), [SWAPPED], np.random.default_rng(0), settings=none)
    assert not found.was_relabelled and found.followed_costs == found.costs
    assert _error(found.best.model, chain) > 0.4


def test_the_papers_diagonal_form_is_relabelled_by_its_sign():
    _, problem = _chain(5, n_samples=6_000)
    mask = np.eye(2, dtype=bool)
    masked = Problem(problem.X, problem.lengths, problem.lm_prob, mask=mask, fit_intercept=False)
    rng = np.random.default_rng(0)
    found = restart(masked, _full_batch(masked), draw_starts(masked, 2, rng), rng)
    assert not found.best.model.coef[~mask].any() and not found.best.model.intercept.any()


def _two_labels_confused(n_classes, seed):
    """J of the right start's solution, and of restarts from a start whose labels 0 and 1 are exchanged."""
    lm, means = random_hmm(n_classes, 4, spread=4.0, random_state=seed)
    data = make_gaussian_hmm(lm, means, n_samples=3_000, random_state=seed + 1)
    problem = Problem(data.X, np.array([len(data.X)]), lm.joint(2))
    right = softened(LogLinear(means, -0.5 * np.sum(means**2, axis=1)), data.X)  # Bayes' rule but for priors
    confused = right.relabelled(np.r_[1, 0, 2:n_classes])
    solve = _full_batch(problem, 40)
    return solve([right], None)[0].cost, restart(problem, solve, [confused], np.random.default_rng(0))


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("n_classes", [4, 6])
def test_two_labels_confused_among_several_are_put_right(n_classes, seed):
    right_cost, found = _two_labels_confused(n_classes, seed)
    assert found.best.cost < right_cost + 0.002


def test_beyond_six_classes_swaps_put_most_confusions_right():
    runs = [_two_labels_confused(8, seed) for seed in (1, 2, 3)]
    assert all(found.best.cost <= found.costs[0] for _, found in runs)
    assert sum(found.best.cost < right_cost + 0.002 for right_cost, found in runs) >= 2  # 2 of 3 measured


def test_the_same_generator_gives_the_same_answer():
    _, problem = _chain(3, n_samples=2_400)
    runs = []
    for _ in range(2):
        rng = np.random.default_rng(5)
        runs.append(restart(problem, _full_batch(problem), draw_starts(problem, 3, rng), rng))
    np.testing.assert_array_equal(runs[0].best.model.coef, runs[1].best.model.coef)
    assert runs[0].to_dict() == runs[1].to_dict()


@pytest.mark.parametrize("n_classes", [3, 4])
def test_relabellings_are_ranked_by_their_cost(n_classes):
    rng = np.random.default_rng(0)
    lm, expected = rng.dirichlet(np.ones(n_classes**2), size=2).reshape(2, n_classes, n_classes)
    ranked = rank_relabellings(lm, expected)
    costs = [objective.cost(lm, relabelled(expected, p)) for p in ranked]
    assert len(ranked) == {3: 5, 4: 23}[n_classes] and costs == sorted(costs)


def test_beyond_six_classes_a_swap_descent_leads():
    rng = np.random.default_rng(1)
    lm = rng.dirichlet(np.ones(64)).reshape(8, 8)
    names = np.array([1, 2, 0, 3, 4, 5, 6, 7])  # no single swap undoes it
    first = rank_relabellings(lm, relabelled(lm, names))[0]
    np.testing.assert_array_equal(first, np.argsort(names))


def test_renaming_two_classes_by_sign_is_renaming():
    rng = np.random.default_rng(2)
    X, model = rng.standard_normal((20, 2)), LogLinear(rng.standard_normal((2, 2)), rng.standard_normal(2))
    np.testing.assert_allclose(rename(model, [1, 0]).posteriors(X), model.posteriors(X)[:, ::-1], rtol=1e-10)


def test_a_mask_that_cannot_hold_a_renaming_refuses_it():
    model = LogLinear(np.eye(3), np.zeros(3))
    assert rename(model, [1, 2, 0], np.eye(3, dtype=bool)) is None


def test_softening_keeps_the_labels_and_gives_the_gradient_back():
    rng = np.random.default_rng(3)
    X, hard = rng.standard_normal((100, 2)), LogLinear(1e4 * rng.standard_normal((3, 2)), np.zeros(3))
    soft = softened(hard, X)
    np.testing.assert_array_equal(soft.posteriors(X).argmax(axis=1), hard.posteriors(X).argmax(axis=1))
    assert soft.posteriors(X).max(axis=1).mean() < 0.95
    np.testing.assert_array_equal(softened(LogLinear.zeros(3, 2), X).coef, np.zeros((3, 2)))


def test_answers_are_grouped_by_the_labels_they_give():
    X = np.linspace(-1, 1, 201)[:, None]
    up = [
        Solution(LogLinear(np.array([[-s], [s]]), np.zeros(2)), -np.ones((2, 2)), 1 / s) for s in (1.0, 5.0)
    ]
    down = Solution(LogLinear(np.array([[1.0], [-1.0]]), np.zeros(2)), -np.ones((2, 2)), 0.5)
    answers = group_answers([up[0], down, up[1]], X)
    assert [answer.starts for answer in answers] == [[2, 0], [1]]
    assert disagreement(answers[0].labels, answers[1].labels) > 0.99
