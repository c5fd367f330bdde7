"""Numbers at the edge: extreme γ, rates that diverge, scales, precisions, certainty, duals near zero."""

from __future__ import annotations

import warnings
from contextlib import suppress
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

import ventris as vt
from reliability.case import quietly
from reliability.tally import Group, Tally
from ventris import objective
from ventris.classifiers.loglinear import LogLinear
from ventris.datasets import make_gaussian_hmm, random_hmm
from ventris.diagnostics.evidence import sampling_noise
from ventris.errors import DataError, DivergedWarning, VentrisWarning
from ventris.solvers.full_batch import match_full_batch
from ventris.solvers.spdg import SPDGSettings, SPDGState, direct_ascent, log_ascent
from ventris.solvers.spdg_loop import run_spdg

ABOUT = (
    "γ from 1e-8 to 1e8 and features a million-fold larger or smaller must leave the predictions as they "
    "are (at most 1 % of the labels may differ, by rounding; SPDG, whose rates are in the units of the "
    "features, must only stay finite). Rates that diverge must be noticed within 1,000 updates, said by "
    "name, and leave the last good state. One model must have the same J in float32 and float64 (to 1e-5 "
    "nats) and give the same labels (99.9 %), and a descent in float32 that begins at the minimum found in "
    "float64 must stay there. Two fits must agree in J to the sampling noise of the data, with method auto "
    "also on 99.5 % of the labels (where J alone is minimised, which has many minima almost equal, the "
    "share is only told). Outputs of "
    "exactly 0 and 1, label models with impossible n-grams, and duals next to zero must leave every "
    "number finite. Any warning of NumPy is a loss."
)
METHODS: dict[str, dict[str, Any]] = {
    "auto": {"n_init": 8},
    "full-batch": {"method": "full-batch", "n_init": 4},
    "spdg": {"method": "spdg", "n_init": 4, "max_iter": 10_000},
}


@cache
def _chain() -> Any:
    return vt.datasets.make_paper_chain(2, n_samples=4800, random_state=0)


@cache
def _hmm() -> tuple[vt.NgramModel, NDArray]:
    lm, means = random_hmm(5, 3, random_state=np.random.default_rng(1))
    return lm, make_gaussian_hmm(lm, 2 * means, n_samples=4000, random_state=np.random.default_rng(2)).X


def _fit(X: NDArray, lm: vt.NgramModel, **parameters: Any) -> vt.SequenceClassifier:
    return quietly(vt.SequenceClassifier(lm, **{"random_state": 0} | parameters).fit, X)


@cache
def _reference(method: str) -> NDArray:
    chain = _chain()
    return _fit(chain.train.X, chain.lm, **METHODS[method]).predict(chain.train.X)


def check_finite(clf: vt.SequenceClassifier, X: NDArray) -> None:
    """Refuse a classifier with any number, learnt or given, that is none."""
    arrays = [clf.coef_, clf.intercept_, clf.dual_, clf.usage_, clf.predict_proba(X), clf.decode_proba(X)]
    assert all(np.isfinite(array).all() for array in arrays), "a number is not finite"
    assert (clf.dual_ < 0).all() and np.isfinite(clf.score(X)), "a dual is not negative, or the score is none"


def _agree(clf: vt.SequenceClassifier, X: NDArray, labels: NDArray, share: float = 0.99) -> None:
    quietly(check_finite, clf, X)
    same = float(np.mean(clf.predict(X) == labels))
    assert same >= share, f"only {100 * same:.2f} % of the labels are the same"


# ------------------------------------------------------------------------------------------- γ and scales


def gammas() -> Group:
    """The same answer whatever γ is; SPDG's rates are per unit of γ, so it must only stay finite."""
    group = Group("γ of 1e-8 … 1e8")
    chain = _chain()
    X = chain.train.X
    for method, settings in METHODS.items():
        for gamma in (1e-8, 1e-3, 1e3, 1e8):
            share = 0.0 if method == "spdg" else 0.99

            def attempt(
                gamma: float = gamma, s: Any = settings, m: str = method, share: float = share
            ) -> None:
                _agree(_fit(X, chain.lm, gamma=gamma, **s), X, _reference(m), share)

            group.hold(f"{method}, γ = {gamma:g}", attempt)
    return group


def scales() -> Group:
    """The same answer whatever the units of the features are."""
    group = Group("feature scales of 1e-6 … 1e6")
    chain = _chain()
    X = chain.train.X
    for method, settings in METHODS.items():
        for name, scale in (("1e6", 1e6), ("1e-6", 1e-6), ("1e6 and 1e-6", np.array([1e6, 1e-6]))):
            share = 0.0 if method == "spdg" else 0.99

            def attempt(k: Any = scale, s: Any = settings, m: str = method, share: float = share) -> None:
                _agree(_fit(X * k, chain.lm, **s), X * k, _reference(m), share)

            group.hold(f"{method}, features times {name}", attempt)
    return group


def precisions() -> Group:
    """float32 and float64 give the same labels, or, where J alone is minimised, a J as good."""
    group, chain = Group("float32 against float64"), _chain()
    sets = {"chain": (chain.lm, chain.train.X), "five classes": _hmm()}
    shares: dict[str, list[float]] = {"auto": [], "full-batch": [], "spdg": []}
    for name, (lm, X) in sets.items():
        for method in METHODS:

            def attempt(lm: Any = lm, X: NDArray = X, m: str = method) -> None:
                shares[m].append(_agreement(lm, X, m))
                assert m != "auto" or shares[m][-1] >= 0.995, (
                    f"{100 * shares[m][-1]:.2f} % of the labels agree"
                )

            group.hold(f"{name}, {method}", attempt)
    least = (f"{method} {100 * min(found, default=0):.1f} %" for method, found in shares.items())
    group.measured = f"labels that agree, at least: {', '.join(least)}"
    return group


# Single precision rounds logits of up to 64, the largest that matter, by 64 * 2**-24 = 4e-6, and so each
# output and with it J by about that share: what both precisions must agree on, whatever minimum was found.
ROUNDING = 1e-5
SAME_LABELS = 0.999  # of one model; a point within rounding of a boundary may fall on either side


def _agreement(lm: vt.NgramModel, X: NDArray, method: str) -> float:
    """Share of the labels on which fits in both precisions agree, once what must be equal was compared."""
    narrow = X.astype(np.float32)
    double, single = _fit(X, lm, **METHODS[method]), _fit(narrow, lm, **METHODS[method])
    quietly(check_finite, single, narrow)
    _one_model_agrees_with_itself(double, lm, X)
    if method == "full-batch":
        _a_minimum_is_one_in_single_precision(double, lm, narrow)
    # Which of many minima a descent ends in hangs on its last bits, so two fits are held to the sampling
    # noise: costs closer than that are equal for all the data can tell.
    apart, noise = abs(double.cost_ - single.cost_), sampling_noise(lm.joint(2), len(X) - 1)
    assert apart <= noise, f"J differs by {apart:.2e} nats, where chance makes {noise:.2e}"
    return float(np.mean(double.predict(X) == single.predict(narrow)))


def _one_model_agrees_with_itself(clf: vt.SequenceClassifier, lm: vt.NgramModel, X: NDArray) -> None:
    """J and labels of one set of weights, the inputs in either precision."""
    narrow = X.astype(np.float32)
    costs = [
        objective.cost(lm.joint(2), objective.expected_ngrams(clf.predict_proba(points), 2))
        for points in (X, narrow)
    ]
    apart = abs(costs[0] - costs[1])
    assert apart <= ROUNDING, f"J of one model differs by {apart:.2e} nats"
    same = float(np.mean(clf.predict(X) == clf.predict(narrow)))
    assert same >= SAME_LABELS, f"one model agrees with itself on {100 * same:.2f} % of the labels"


def _a_minimum_is_one_in_single_precision(
    clf: vt.SequenceClassifier, lm: vt.NgramModel, narrow: NDArray
) -> None:
    """A descent on single-precision inputs that begins at the minimum of the double ones stays there."""
    start = LogLinear(clf.coef_, clf.intercept_, clf.gamma)
    found = quietly(match_full_batch, narrow, None, lm.joint(2), start)
    assert abs(found.cost - clf.cost_) <= ROUNDING, f"J moves by {found.cost - clf.cost_:.2e} nats"
    same = float(
        np.mean(found.model.posteriors(narrow).argmax(axis=1) == clf.predict_proba(narrow).argmax(axis=1))
    )
    assert same >= SAME_LABELS, f"only {100 * same:.2f} % of the labels stay"


# ------------------------------------------------------------------------------------------- divergence


def divergence() -> Group:
    """Rates far too high: noticed within 1,000 updates, said, the last good state kept."""
    group, chain, (lm, X) = Group("rates that diverge"), _chain(), _hmm()
    problems = {
        "two classes": (chain.train.X, chain.lm.joint(2)),
        "two classes, order 1": (chain.train.X, chain.lm.joint(1)),
        "five classes": (X, lm.joint(2)),
        "order 3": (X, lm.joint(3)),
    }
    rates = {"primal 1e5": (1e5, 0.05), "both 1e6": (1e6, 1e6), "primal 1e300": (1e300, 0.05)}
    latest = [0]
    for problem, (points, lm_prob) in problems.items():
        for rate, (primal, dual) in rates.items():
            for form in ("log", "direct"):

                def attempt(
                    p: Any = primal, d: Any = dual, f: Any = form, X: Any = points, P: Any = lm_prob
                ) -> None:
                    latest.append(_diverges(X, P, SPDGSettings(primal_lr=p, dual_lr=d, dual_form=f)))

                group.hold(f"{problem}, {form}, {rate}", attempt)
    group.hold("the classifier says so", lambda: _says_that_it_diverged(chain))
    group.measured = f"noticed at the latest after {max(latest):,} updates"
    return group


def _diverges(X: NDArray, lm_prob: NDArray, settings: SPDGSettings) -> int:
    """Run with rates that cannot work; updates done before that was noticed."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", VentrisWarning)
        run = run_spdg(
            X, None, lm_prob, settings, rng=np.random.default_rng(0), max_updates=20_000, look_every=5000
        )
    looks = [row["update"] for row in run.history]
    assert run.diverged, f"not noticed: {run.stopped_because}, J {run.cost}"
    assert max(looks) <= 1000, f"noticed only after {max(looks)} updates"
    state = [run.coef, run.intercept, run.dual]
    assert all(np.isfinite(array).all() for array in state) and (run.dual < 0).all(), "the state is not sound"
    assert run.cost <= run.history[0]["cost"], "the state kept is worse than the start"
    return max(looks)


def _says_that_it_diverged(chain: Any) -> None:
    clf = vt.SequenceClassifier(
        chain.lm, method="spdg", primal_lr=1e6, n_init=2, max_iter=5000, random_state=0
    )
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        clf.fit(chain.train.X)
    assert DivergedWarning in {each.category for each in said}, "no DivergedWarning"
    check_finite(clf, chain.train.X)


# --------------------------------------------------------------------------------------- certainty, duals


def certainty() -> Group:
    """Outputs of exactly 0 and 1, and label models in which much is impossible."""
    group = Group("probabilities of 0 and 1")
    forbidden = vt.NgramModel.from_transition_matrix([[0.0, 1.0, 0.0], [0.3, 0.0, 0.7], [1.0, 0.0, 0.0]])
    y = forbidden.sample(3000, random_state=0)
    X = 1e3 * np.eye(3)[y] + np.random.default_rng(0).standard_normal((3000, 3))
    for method, settings in METHODS.items():

        def attempt(s: Any = settings) -> None:
            clf = _fit(X, forbidden, **s)
            quietly(check_finite, clf, X)
            certain = quietly(clf.predict_proba, 1e9 * X)
            assert (certain.max(axis=1) == 1).all() and certain.min() < 1e-300, "the outputs are not certain"
            with suppress(DataError):  # a sentence: the label model calls such certain outputs impossible
                quietly(clf.decode, 1e9 * X[::-1])

        group.hold(f"{method}, certain outputs, impossible labels", attempt)
    nearly = 1e-12
    for name, P in {
        "1e-12 from impossible": [[nearly, 1 - nearly], [1 - nearly, nearly]],
        "1e-300 from impossible": [[0.5, 0.5], [1.0, 1e-300]],
    }.items():
        lm = vt.NgramModel.from_transition_matrix(P)
        group.hold(f"a label model {name}", lambda lm=lm: _learns(lm))  # type: ignore[misc]
    for value in (0.0, 5e-324, 1e-300, 1.0):
        group.hold(f"J where P̄ is {value:g}", lambda v=value: _cost_is_a_number(v))  # type: ignore[misc]
    return group


def _learns(lm: vt.NgramModel) -> None:
    y = lm.sample(2000, random_state=1)
    X = y[:, None] + 0.2 * np.random.default_rng(1).standard_normal((2000, 1))
    for settings in METHODS.values():
        quietly(check_finite, _fit(X, lm, **settings), X)


def _cost_is_a_number(value: float) -> None:
    """−Σ P ln P̄ is infinite at 0 where P is not, and never NaN; v* = −1/P̄ stays finite and negative."""
    P = np.array([0.5, 0.5, 0.0])
    expected = np.array([value, 1 - value, 0.0])
    J = quietly(objective.cost, P, expected)
    infinite = value in (0.0, 1.0)
    assert (np.isposinf if infinite else np.isfinite)(J), f"J is {J}"
    dual = quietly(objective.optimal_dual, expected)
    assert np.isfinite(dual).all() and (dual < 0).all(), f"v* is {dual}"


def duals() -> Group:
    """V next to zero and far from it: a step keeps it negative and finite."""
    group = Group("V near 0⁻ and far below")
    P, expected = np.array([[0.4, 0.1], [0.3, 0.2]]), np.array([[0.5, 0.0], [1e-300, 0.5]])
    for v in (-1e-300, -1e-12, -1.0, -1e12):
        for form in ("log", "direct"):

            def attempt(v: float = v, form: str = form) -> None:
                dual = np.full((2, 2), v)
                after = (
                    quietly(log_ascent, dual, P, expected, 0.05)
                    if form == "log"
                    else quietly(direct_ascent, dual, P, expected, 0.05, 1e-8)
                )
                assert (after < 0).all() and np.isfinite(after).all(), f"V is {after.tolist()}"

            group.hold(f"one step, {form}, V = {v:g}", attempt)
    chain = _chain()
    for v in (-1e-300, -1e-12, -1e12):
        for form in ("log", "direct"):
            settings = SPDGSettings(dual_form=form, primal_lr=1e-3, dual_lr=0.01)  # type: ignore[arg-type]
            group.hold(f"a run, {form}, V = {v:g}", lambda v=v, s=settings: _runs_from(v, s, chain))  # type: ignore[misc]
    return group


def _runs_from(v: float, settings: SPDGSettings, chain: Any) -> None:
    start = SPDGState(np.array([[-0.1, 0.0], [0.1, 0.0]]), np.zeros(2), np.full((2, 2), v))
    runs = [quietly(_run, chain, settings, start, compiled) for compiled in (True, False)]
    for run in runs:
        assert np.isfinite(run.dual).all() and (run.dual < 0).all() and np.isfinite(run.coef).all()
    np.testing.assert_allclose(runs[0].coef, runs[1].coef, rtol=1e-6, atol=1e-9)


def _run(chain: Any, settings: SPDGSettings, start: SPDGState, compiled: bool) -> Any:
    rng = np.random.default_rng(3)
    X, lm_prob = chain.train.X, chain.lm.joint(2)
    return run_spdg(
        X, None, lm_prob, settings, rng=rng, start=start, max_updates=1500, look_every=500, compiled=compiled
    )


GROUPS = (gammas, scales, precisions, divergence, certainty, duals)


def run() -> Tally:
    """Every kind of stress."""
    return Tally("stress", ABOUT, [group() for group in GROUPS])
