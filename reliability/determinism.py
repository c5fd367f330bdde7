"""The same seed gives the same bits; threads and jobs change no prediction, and weights by rounding only."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

import ventris as vt
from reliability.tally import Group, Tally
from ventris.datasets import make_gaussian_hmm, random_hmm
from ventris.errors import VentrisWarning

ABOUT = (
    "The same fit twice at one thread must agree bit for bit: weights, probabilities, decoded labels and "
    "report. With two threads, or another n_jobs, predictions must be equal and weights agree to rtol "
    "1e-6."
)
N_POINTS = 3000


@dataclass(frozen=True)
class Problem:
    """A data set, its label model, and how it is learnt."""

    name: str
    lm: vt.NgramModel
    X: Any
    parameters: dict[str, Any]

    def fit(self, threads: int = 1, **changes: Any) -> vt.SequenceClassifier:
        """Learn at this number of threads."""
        parameters = {"random_state": 7, "n_jobs": 1} | self.parameters | changes
        with warnings.catch_warnings(), threadpool_limits(threads):
            warnings.simplefilter("ignore", VentrisWarning)
            return vt.SequenceClassifier(self.lm, **parameters).fit(self.X)


def problems() -> list[Problem]:
    """One for every way to learn, and one large enough for threads to take part in matrix products."""
    lm, means = random_hmm(4, 6, random_state=np.random.default_rng(3))
    X = make_gaussian_hmm(lm, means, n_samples=N_POINTS, random_state=np.random.default_rng(4)).X
    large = make_gaussian_hmm(lm, means, n_samples=180_000, random_state=np.random.default_rng(5)).X
    chain = vt.datasets.make_paper_chain(2, n_samples=N_POINTS, random_state=0)
    letters = vt.NgramModel.from_text("the cat sat on the mat and ran at the rat" * 20, order=3)
    symbols = np.random.default_rng(6).permutation(letters.n_classes)[letters.sample(N_POINTS, 6)]
    quick = {"n_init": 8}
    return [
        Problem("auto, features", lm, X, quick),
        Problem("auto, float32", lm, X.astype(np.float32), quick),
        Problem("auto, symbols of order 3", letters, symbols, quick),
        Problem("full-batch", chain.lm, chain.train.X, {"method": "full-batch", "n_init": 4}),
        Problem("spdg", chain.lm, chain.train.X, {"method": "spdg", "n_init": 4, "max_iter": 20_000}),
        Problem("auto, 180,000 points", lm, large, {"n_init": 4, "refine": False}),
    ]


def weights(clf: vt.SequenceClassifier) -> dict[str, Any]:
    """Every array that was learnt."""
    names = ("coef_", "intercept_", "dual_", "usage_")
    found = {name: getattr(clf, name) for name in names if hasattr(clf, name)}
    table = getattr(clf.learner_, "table", None)
    return found if table is None else found | {"table": table}


def same_bits(a: vt.SequenceClassifier, b: vt.SequenceClassifier, X: Any) -> None:
    """Refuse two fits that differ anywhere."""
    for name, array in weights(a).items():
        np.testing.assert_array_equal(array, weights(b)[name], err_msg=name)
    np.testing.assert_array_equal(a.predict_proba(X), b.predict_proba(X))
    np.testing.assert_array_equal(a.decode(X), b.decode(X))
    one, other = _without_times(a), _without_times(b)
    differing = [pair for pair in zip(one, other, strict=False) if pair[0] != pair[1]]
    assert one == other, f"the reports differ: {differing}"


def _without_times(clf: vt.SequenceClassifier) -> list[dict[str, Any]]:
    rows = [{k: v for k, v in row.items() if not k.endswith("seconds")} for row in clf.history_]
    return [*rows, clf.report_.to_dict()]


def same_but_for_rounding(a: vt.SequenceClassifier, b: vt.SequenceClassifier, X: Any) -> float:
    """Refuse two fits that predict otherwise; the largest relative difference of their weights."""
    np.testing.assert_array_equal(a.predict(X), b.predict(X))
    np.testing.assert_array_equal(a.decode(X), b.decode(X))
    apart = 0.0
    for name, array in weights(a).items():
        other = weights(b)[name]
        scale = np.abs(array).max()
        np.testing.assert_allclose(other, array, rtol=1e-6, atol=1e-6 * scale, err_msg=name)
        apart = max(apart, float(np.abs(other - array).max() / scale))
    return apart


def run() -> Tally:
    """Every problem, fitted several times."""
    tally = Tally("determinism", ABOUT)
    bits, threads = Group("same seed, one thread: same bits"), Group("other threads and n_jobs")
    apart = [0.0]
    for problem in problems():
        first = problem.fit()

        def rounding(threads: int, first: Any = first, problem: Any = problem, **changes: Any) -> None:
            other = problem.fit(threads, **changes)
            apart.append(same_but_for_rounding(first, other, problem.X))

        bits.hold(problem.name, lambda p=problem, f=first: same_bits(f, p.fit(), p.X))  # type: ignore[misc]
        threads.hold(f"{problem.name}, two threads", lambda r=rounding: r(2))  # type: ignore[misc]
        threads.hold(f"{problem.name}, n_jobs=2", lambda r=rounding: r(1, n_jobs=2))  # type: ignore[misc]
        threads.hold(f"{problem.name}, n_jobs=-1", lambda r=rounding: r(2, n_jobs=-1))  # type: ignore[misc]
    threads.measured = f"weights differ by at most {max(apart):.1e} of the largest"
    tally.groups = [bits, threads]
    return tally
