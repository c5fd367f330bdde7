"""The loop: it learns, stops, resumes bit for bit, and notices divergence."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from ventris.errors import DataError, DivergedWarning, ParameterError
from ventris.objective import cost, entropy, expected_ngrams
from ventris.solvers.spdg import SPDGSettings, SPDGState, initial_state
from ventris.solvers.spdg_loop import SPDGProgress, run_spdg, run_spdg_lanes

TRANSITION = np.array([[0.8, 0.2], [0.4, 0.6]])
LM_PROB = np.diag([2 / 3, 1 / 3]) @ TRANSITION
LENGTHS = [4000, 5, 5995]


def markov_gaussian(transition, means, n, seed):
    rng = np.random.default_rng(seed)
    y = np.zeros(n, int)
    for t in range(1, n):
        y[t] = rng.choice(len(transition), p=transition[y[t - 1]])
    return means[y] + 0.6 * rng.standard_normal((n, means.shape[1])), y


@pytest.fixture(scope="module")
def data():
    return markov_gaussian(TRANSITION, np.array([[-1.0, 0.0], [1.0, 0.5]]), sum(LENGTHS), seed=0)


def starts(X, settings, n, seed=1, lm_prob=LM_PROB):
    rng = np.random.default_rng(seed)
    return [initial_state(rng, X, None, lm_prob, settings) for _ in range(n)]


def error_rate(result, X, y):
    return np.mean(
        SPDGState(result.coef, result.intercept, result.dual).model(1.0).posteriors(X).argmax(1) != y
    )


# The direct form's V starts far from −1/P̄ and must outrun θ: slower primal rate, more updates.
DIRECT = SPDGSettings(gamma=10.0, primal_lr=1e-3, dual_lr=1e-2, batch_size=1, dual_form="direct")


@pytest.mark.parametrize(("settings", "max_updates"), [(DIRECT, 200_000), (SPDGSettings(), 20_000)])
def test_the_lowest_cost_of_a_few_starts_is_the_right_classifier(data, settings, max_updates):
    X, y = data
    begin = starts(X, settings, 4)
    found = run_spdg_lanes(
        X, LENGTHS, LM_PROB, settings, rng=np.random.default_rng(2), starts=begin, max_updates=max_updates
    )
    best = min(found, key=lambda result: result.cost)
    assert best.cost - entropy(LM_PROB) < 0.02
    assert error_rate(best, X, y) < 0.06  # the best linear rule errs on about 4 %


@pytest.mark.parametrize("order", [1, 3])
def test_three_classes_of_other_orders_come_down_to_the_entropy(order):
    transition = np.array([[0.1, 0.8, 0.1], [0.2, 0.1, 0.7], [0.6, 0.3, 0.1]])
    values, vectors = np.linalg.eig(transition.T)
    stationary = np.real(vectors[:, np.argmax(values.real)])
    lm_prob = stationary / stationary.sum()
    for _ in range(order - 1):
        lm_prob = lm_prob[..., None] * transition
    X, _ = markov_gaussian(transition, np.array([[2.0, 0.0], [-1.0, 1.7], [-1.0, -1.7]]), 4000, seed=5)
    settings = SPDGSettings()
    found = run_spdg_lanes(
        X, None, lm_prob, settings, rng=np.random.default_rng(6),
        starts=starts(X, settings, 4, lm_prob=lm_prob), max_updates=4000,
    )  # fmt: skip
    assert min(result.cost for result in found) - entropy(lm_prob) < 0.1


def test_cost_is_read_on_a_full_pass_of_the_validation_part(data):
    X, _ = data
    settings = SPDGSettings()
    result = run_spdg(
        X[:8000], None, LM_PROB, settings, rng=np.random.default_rng(3), max_updates=2500,
        look_every=1500, validation=(X[8000:], [1500, 500]),
    )  # fmt: skip
    model = SPDGState(result.coef, result.intercept, result.dual).model(settings.gamma)
    expected = expected_ngrams(model.posteriors(X[8000:]), 2, [1500, 500])
    assert result.cost == pytest.approx(cost(LM_PROB, expected), rel=1e-12)
    assert [row["update"] for row in result.history] == [0, 1000, 1500, 2500]
    assert result.cost == min(row["cost"] for row in result.history)


@pytest.mark.parametrize("form", ["direct", "log", "naive"])
@pytest.mark.parametrize("n_starts", [1, 3])
def test_readable_and_compiled_loops_agree(data, form, n_starts):
    X, _ = data
    settings = SPDGSettings(dual_form=form, batch_size=2)
    begin = starts(X, settings, n_starts)
    runs = [
        run_spdg_lanes(
            X, LENGTHS, LM_PROB, settings, rng=np.random.default_rng(4), starts=begin,
            max_updates=1200 // n_starts, compiled=compiled,
        )
        for compiled in (True, False)
    ]  # fmt: skip
    for fast, plain in zip(*runs, strict=True):
        np.testing.assert_allclose(fast.coef, plain.coef, rtol=1e-6)
        np.testing.assert_allclose(fast.dual, plain.dual, rtol=1e-6)


@pytest.mark.parametrize(("form", "n_starts"), [("log", 1), ("direct", 3), ("naive", 1)])
def test_a_resumed_run_is_bit_identical(data, form, n_starts):
    X, _ = data
    settings = SPDGSettings(dual_form=form, decay=1e-4)

    def go(progress=None, on_block=None, max_updates=4000):
        return run_spdg_lanes(
            X, LENGTHS, LM_PROB, settings, rng=np.random.default_rng(8), starts=starts(X, settings, n_starts),
            max_updates=max_updates, look_every=700, on_block=on_block, progress=progress,
        )  # fmt: skip

    saved = []

    def save(progress):
        saved.append((progress.arrays(), json.dumps(progress.record())))

    whole = go(on_block=save)
    for arrays, record in (saved[0], saved[3]):
        again = go(progress=SPDGProgress.restored(arrays, json.loads(record)))
        for a, b in zip(whole, again, strict=True):
            np.testing.assert_array_equal(a.coef, b.coef)
            np.testing.assert_array_equal(a.intercept, b.intercept)
            np.testing.assert_array_equal(a.dual, b.dual)
            assert (a.history, a.n_updates, a.stopped_because) == (b.history, b.n_updates, b.stopped_because)


def test_a_callback_may_interrupt(data):
    X, _ = data

    def interrupt(progress):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_spdg(
            X, LENGTHS, LM_PROB, SPDGSettings(), rng=np.random.default_rng(0), max_updates=10**9,
            on_block=interrupt,
        )  # fmt: skip


def test_patience_ends_a_run_that_no_longer_improves(data):
    X, _ = data
    result = run_spdg(
        X, LENGTHS, LM_PROB, SPDGSettings(), rng=np.random.default_rng(9), max_updates=10**9,
        look_every=2000, patience=2, tol=1e-3,
    )  # fmt: skip
    assert result.stopped_because == "no improvement"
    costs = [row["cost"] for row in result.history]
    best = costs.index(result.cost)
    assert len(costs) == best + 3
    assert all(later > result.cost - 1e-3 for later in costs[best:])


RATES = [
    {"primal_lr": 1e3}, {"primal_lr": 1e6}, {"primal_lr": 1e12}, {"primal_lr": 1e300},
    {"dual_lr": 1e6}, {"dual_lr": 1e300},
]  # fmt: skip


@pytest.mark.parametrize("n_starts", [1, 4])
@pytest.mark.parametrize("rates", RATES, ids=str)
def test_diverging_direct_rates_are_noticed_within_a_thousand_updates(data, rates, n_starts):
    X, _ = data
    settings = replace(SPDGSettings(dual_form="direct"), **rates)
    begin = starts(X, settings, n_starts)
    with pytest.warns(DivergedWarning, match="Lower primal_lr"):
        results = run_spdg_lanes(
            X, LENGTHS, LM_PROB, settings, rng=np.random.default_rng(10), starts=begin, max_updates=10**7
        )
    for result in results:
        assert result.diverged
        assert result.stopped_because == "diverged"
        assert result.n_updates <= 1000
        assert np.isfinite(result.cost)
        assert np.all(np.isfinite(result.coef))
        assert result.dual.max() < 0


@pytest.mark.parametrize("rates", RATES[:4], ids=str)
def test_diverging_log_rates_are_noticed_within_a_thousand_updates(data, rates):
    X, _ = data
    settings = replace(SPDGSettings(), **rates)
    with pytest.warns(DivergedWarning):
        result = run_spdg(X, LENGTHS, LM_PROB, settings, rng=np.random.default_rng(10), max_updates=10**7)
    assert result.diverged
    assert result.n_updates <= 1000
    assert np.isfinite(result.cost)


def test_naive_descent_is_biased_where_spdg_is_not():
    """The paper's chain 4, nearly memoryless: same start, same batches, and naive descent collapses."""
    transition = np.array([[0.3, 0.7], [0.4, 0.6]])
    lm_prob = np.diag([4 / 11, 7 / 11]) @ transition
    X, _ = markov_gaussian(transition, np.array([[-0.504, -0.264], [1.646, 0.181]]), 20_000, seed=12)
    costs = {}
    for form in ("log", "naive"):
        settings = SPDGSettings(dual_form=form)
        begin = starts(X, settings, 1, seed=13, lm_prob=lm_prob)
        found = run_spdg_lanes(
            X, None, lm_prob, settings, rng=np.random.default_rng(14), starts=begin, max_updates=20_000
        )
        costs[form] = found[0].cost - entropy(lm_prob)
    assert costs["log"] < 0.002
    assert costs["naive"] > 2 * costs["log"]


def test_orders_beyond_three_and_short_subsequences_are_refused(data):
    X, _ = data
    with pytest.raises(ParameterError, match="order 4"):
        run_spdg(
            X, None, np.full((2,) * 4, 1 / 16), SPDGSettings(), rng=np.random.default_rng(0), max_updates=1
        )
    with pytest.raises(ParameterError, match="subsequence_length is 1"):
        run_spdg(
            X, None, LM_PROB, SPDGSettings(subsequence_length=1), rng=np.random.default_rng(0), max_updates=1
        )
    with pytest.raises(DataError, match="add up"):
        run_spdg(X, [3, 4], LM_PROB, SPDGSettings(), rng=np.random.default_rng(0), max_updates=1)
