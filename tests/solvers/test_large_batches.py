"""Matching by large batches (E2, E4–E8): windows, gradients by differences, J beside the full-batch one."""

from __future__ import annotations

import numpy as np
import pytest

from ventris import objective
from ventris.classifiers.fitting import distil
from ventris.classifiers.loglinear import LogLinear, one_hot
from ventris.classifiers.units import Coordinates
from ventris.datasets import make_gaussian_hmm, make_paper_chain, random_hmm
from ventris.errors import DataError
from ventris.solvers import large_batches as matching_by_batches
from ventris.solvers.full_batch import match_full_batch
from ventris.solvers.large_batches import Runs, batch_gradients, expected_by_batches, match_by_batches

LENGTHS = [1, 40, 2, 3, 700, 5, 49]  # some without a window, some of several runs, 800 points in all


def random_problem(order, dtype=np.float64, seed=0, n_classes=3):
    rng = np.random.default_rng([seed, order])
    X = rng.standard_normal((sum(LENGTHS), 2)).astype(dtype)
    lm_prob = rng.dirichlet(np.ones(n_classes**order)).reshape((n_classes,) * order)
    model = LogLinear(rng.standard_normal((n_classes, 2)), rng.standard_normal(n_classes), 2.0)
    return X, lm_prob, model, rng


def windows_by_hand(order):
    ends = np.cumsum(LENGTHS)
    return [t for n, end in zip(LENGTHS, ends, strict=True) for t in range(end - n, end - order + 1)]


# ---------------------------------------------------------------------------------------------- windows


@pytest.mark.parametrize("shuffled", [False, True])
@pytest.mark.parametrize("order", [1, 2, 3])
def test_a_pass_holds_every_window_inside_a_sequence_once(order, shuffled, monkeypatch):
    monkeypatch.setattr(matching_by_batches, "_BATCH", 100)
    rng = np.random.default_rng(0) if shuffled else None
    batches = list(Runs.of(LENGTHS, order, longest=16).batches(rng))
    found = [
        first + k
        for batch in batches
        for first, n in zip(batch.first, batch.windows, strict=True)
        for k in range(n)
    ]
    assert sorted(found) == windows_by_hand(order)
    assert (found == sorted(found)) is not shuffled
    sizes = [batch.n_windows for batch in batches]
    assert len(batches) == round(sum(sizes) / 100)
    assert max(sizes) - min(sizes) <= 32  # two runs: a batch of few windows would be a noisy step


@pytest.mark.parametrize("order", [1, 2, 3])
def test_no_window_crosses_from_one_run_to_the_next(order, monkeypatch):
    """P̄ over batches of short runs is that over the windows inside sequences, one at a time (E2)."""
    X, _, model, _ = random_problem(order)
    monkeypatch.setattr(matching_by_batches, "_RUN", 7)
    monkeypatch.setattr(matching_by_batches, "_BATCH", 50)
    p = model.posteriors(X)
    by_hand = np.zeros((3,) * order)
    for t in windows_by_hand(order):
        window = p[t]
        for k in range(1, order):
            window = np.multiply.outer(window, p[t + k])
        by_hand += window
    found = expected_by_batches(model, X, order, LENGTHS)
    np.testing.assert_allclose(found, by_hand / len(windows_by_hand(order)), rtol=1e-12)


def test_what_lies_outside_every_window_changes_nothing():
    """Points of sequences too short for a window, which also lie behind runs: any value will do."""
    X, lm_prob, model, rng = random_problem(3)
    short = np.array([0, 41, 42])  # the sequences of one and two points
    moved = X.copy()
    moved[short] = 100 * rng.standard_normal((3, 2))
    units = Coordinates.of(X, 3, gamma=2.0)
    found = [
        match_by_batches(data, LENGTHS, lm_prob, model, units, np.random.default_rng(1), max_updates=5)
        for data in (X, moved)
    ]
    np.testing.assert_array_equal(found[0].model.coef, found[1].model.coef)
    assert found[0].cost == found[1].cost


def test_data_without_a_window_is_refused():
    with pytest.raises(DataError, match=r"window of 3 points.*the longest has 2.*lower order"):
        Runs.of([1, 2, 2], 3)


# -------------------------------------------------------------------------------------------- gradients


@pytest.mark.parametrize("order", [1, 2, 3])
def test_gradients_of_a_batch_by_central_differences(order):
    """∂L/∂W and ∂L/∂b at a dual that is not optimal (E4, E7, E9)."""
    X, lm_prob, model, rng = random_problem(order)
    runs = Runs.of(LENGTHS, order, longest=16)
    chosen = np.sort(rng.permutation(len(runs.first))[:9])
    batch = Runs(runs.first[chosen], runs.windows[chosen], order)
    dual = -rng.uniform(1, 9, lm_prob.shape)

    def saddle(coef, intercept):
        changed = LogLinear(coef, intercept, model.gamma)
        return objective.saddle(lm_prob, batch_gradients(changed, X, batch, lm_prob, dual)[0], dual)

    expected, coef, intercept = batch_gradients(model, X, batch, lm_prob, dual)
    np.testing.assert_allclose(expected.sum(), 1.0, rtol=1e-12)
    for c, d in np.ndindex(3, 2):
        step = np.zeros((3, 2))
        step[c, d] = 1e-5
        higher, lower = (saddle(model.coef + s, model.intercept) for s in (step, -step))
        np.testing.assert_allclose(coef[c, d], (higher - lower) / 2e-5, rtol=1e-5, atol=1e-9)
    for c, step in enumerate(1e-5 * np.eye(3)):
        higher, lower = (saddle(model.coef, model.intercept + s) for s in (step, -step))
        np.testing.assert_allclose(intercept[c], (higher - lower) / 2e-5, rtol=1e-5, atol=1e-9)


@pytest.mark.parametrize("order", [1, 2, 3])
def test_gradients_of_all_batches_make_the_full_one(order, monkeypatch):
    """Weighted by their windows; the full one from `objective` with the sequences' lengths (E7)."""
    X, lm_prob, model, rng = random_problem(order)
    monkeypatch.setattr(matching_by_batches, "_BATCH", 60)
    dual, runs = -rng.uniform(1, 9, lm_prob.shape), Runs.of(LENGTHS, order, longest=16)
    batches = list(runs.batches(rng))
    parts = [batch_gradients(model, X, batch, lm_prob, dual) for batch in batches]
    share = np.array([batch.n_windows for batch in batches]) / runs.n_windows
    logit = objective.logit_gradient(model.posteriors(X), lm_prob, dual, LENGTHS)
    coef = sum(s * part[1] for s, part in zip(share, parts, strict=True))
    intercept = sum(s * part[2] for s, part in zip(share, parts, strict=True))
    np.testing.assert_allclose(coef, model.gamma * logit.T @ X, rtol=1e-10, atol=1e-13)
    np.testing.assert_allclose(intercept, model.gamma * logit.sum(axis=0), rtol=1e-10, atol=1e-13)


# ------------------------------------------------------------------------------------------ the whole way


def misread(n_classes, n_features, seed, n_points=20_000):
    """Inputs of a Gaussian HMM, and a classifier taught labels of which a third of the classes are mixed."""
    lm, means = random_hmm(n_classes, n_features, random_state=seed)
    data = make_gaussian_hmm(lm, 2 * means, n_samples=n_points, random_state=seed + 1)
    rng = np.random.default_rng(seed)
    mixed = rng.permutation(n_classes)[: max(2, n_classes // 3)]
    other = np.arange(n_classes)
    other[mixed] = np.roll(mixed, 1)
    taught = np.where(rng.random(n_points) < 0.4, other[data.y], data.y)
    units = Coordinates.of(data.X, n_classes)
    start = LogLinear.zeros(n_classes, n_features)
    return lm, data, distil(data.X, one_hot(taught, n_classes), start, units, max_iter=30), units


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("n_classes", "n_features"), [(5, 4), (10, 8)])
def test_j_comes_within_a_tenth_of_the_way_of_the_full_batch_one(n_classes, n_features, seed):
    """The greatest part of what L-BFGS gains in 50 passes is gained, and as many labels are right."""
    lm, data, start, units = misread(n_classes, n_features, seed)
    target = lm.joint(2)
    full = match_full_batch(data.X, None, target, start, max_iter=50)
    found = match_by_batches(data.X, None, target, start, units, np.random.default_rng(seed))
    begun = objective.cost(target, objective.expected_ngrams(start.posteriors(data.X), 2))
    assert found.cost - full.cost < 0.1 * (begun - full.cost)
    errors = [np.mean(s.model.posteriors(data.X).argmax(axis=1) != data.y) for s in (full, found)]
    assert errors[1] < errors[0] + 0.01
    expected = objective.expected_ngrams(found.model.posteriors(data.X), 2)
    np.testing.assert_allclose(found.cost, objective.cost(target, expected), rtol=1e-10)
    np.testing.assert_allclose(found.dual, -1 / expected, rtol=1e-7)  # (E5)


@pytest.mark.parametrize("number", [2, 6, 9])
def test_the_chains_of_the_paper_are_matched(number):
    chain = make_paper_chain(number, n_samples=24_000, random_state=0)
    start = LogLinear(np.array([[-1.0, 0.0], [1.0, 0.0]]), np.array([0.5, -0.5]))
    X, target = chain.train.X, chain.lm.joint(2)
    full = match_full_batch(X, None, target, start, max_iter=50)
    units, rng = Coordinates.of(X, 2), np.random.default_rng(0)
    found = match_by_batches(X, None, target, start, units, rng, max_updates=400)
    assert found.cost - full.cost < 2e-3
    errors = [np.mean(s.model.posteriors(X).argmax(axis=1) != chain.train.y) for s in (full, found)]
    assert errors[1] < errors[0] + 0.005


@pytest.mark.parametrize("order", [1, 3])
def test_other_orders_are_matched_too(order):
    lm, data, start, units = misread(4, 3, seed=7, n_points=8_000)
    target = lm.joint(2).sum(axis=1) if order == 1 else _trigrams(lm)
    found = match_by_batches(data.X, None, target, start, units, np.random.default_rng(0))
    full = match_full_batch(data.X, None, target, start, max_iter=50)
    begun = objective.cost(target, objective.expected_ngrams(start.posteriors(data.X), order))
    assert found.cost - full.cost < 0.1 * (begun - full.cost)


def _trigrams(lm):
    pairs = lm.joint(2)
    return pairs[:, :, None] * (pairs / pairs.sum(axis=1, keepdims=True))[None]


def test_the_generator_decides_and_single_precision_is_kept():
    lm, data, start, units = misread(5, 4, seed=0, n_points=9_000)
    X = data.X.astype(np.float32)
    found = [
        match_by_batches(
            X, [4_000, 5_000], lm.joint(2), start, units, np.random.default_rng(seed), max_updates=20
        )
        for seed in (0, 0, 1)
    ]
    np.testing.assert_array_equal(found[0].model.coef, found[1].model.coef)
    assert not np.array_equal(found[0].model.coef, found[2].model.coef)
    in_doubles = match_by_batches(
        data.X, [4_000, 5_000], lm.joint(2), start, units, np.random.default_rng(0), max_updates=20
    )
    np.testing.assert_allclose(found[0].cost, in_doubles.cost, rtol=1e-4)


def test_weights_that_may_not_move_stay_where_they_are():
    lm, data, _, _ = misread(4, 4, seed=0, n_points=5_000)
    units = Coordinates.of(data.X, 4, gamma=3.0, fit_intercept=False, mask=np.eye(4, dtype=bool))
    given = LogLinear(np.diag([1.0, 2.0, 3.0, 4.0]), np.zeros(4), 3.0)
    found = match_by_batches(
        data.X, None, lm.joint(2), given, units, np.random.default_rng(0), max_updates=50
    )
    assert found.model.gamma == 3.0 and not found.model.intercept.any()
    assert not found.model.coef[~np.eye(4, dtype=bool)].any()
    assert not np.array_equal(found.model.coef, given.coef)


@pytest.mark.parametrize("rates", [(30.0, 0.2), (1e200, 0.2)])
def test_steps_too_long_leave_the_start_as_it_was(rates):
    lm, data, start, units = misread(5, 4, seed=0, n_points=5_000)
    found = match_by_batches(
        data.X, None, lm.joint(2), start, units, np.random.default_rng(0),
        max_updates=30, primal_lr=rates[0], dual_lr=rates[1],
    )  # fmt: skip
    np.testing.assert_allclose(found.model.coef, start.coef, rtol=1e-10)
    begun = objective.cost(lm.joint(2), objective.expected_ngrams(start.posteriors(data.X), 2))
    np.testing.assert_allclose(found.cost, begun, rtol=1e-10)


def test_a_label_never_used_is_found_again():
    """Its pairs begin with −1/P̄ of millions: steps must not be made of their noise alone; seed 2."""
    lm, data, start, units = misread(5, 4, seed=2)
    common = lm.stationary().argmax()
    silent = LogLinear(0.2 * start.coef, 0.2 * start.intercept - 12.0 * np.eye(5)[common])
    assert silent.posteriors(data.X)[:, common].mean() < 1e-3
    rng = np.random.default_rng(0)
    found = match_by_batches(data.X, None, lm.joint(2), silent, units, rng, max_updates=400)
    usage = found.model.posteriors(data.X)[:, common].mean()
    np.testing.assert_allclose(usage, lm.stationary()[common], rtol=0.1)
