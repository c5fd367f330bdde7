"""A thousand fits of random small problems in one process: no crash, no hang, no memory that grows."""

from __future__ import annotations

import gc
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
import psutil
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

import ventris as vt
from reliability.case import brief
from reliability.fuzz import time_limit
from reliability.tally import Group, Tally
from ventris.errors import VentrisWarning

ABOUT = (
    "Random small problems (2–8 classes; label models drawn at random, from sharp to nearly uniform, of "
    "order 2 or 3; features or symbols; 200–800 points in 1–12 sequences; all methods, both precisions, "
    "sometimes with known labels) are fitted one after another in one process. Right means: within 5 "
    "points of the best classifier of single points that knows the truth. A fit may be wrong, for many of "
    "these problems cannot be solved; it must not crash, hang or be refused, and memory must not grow by "
    "more than 50 MB in a thousand fits."
)
_SECONDS = 60
_MOST_GROWTH = 50.0  # megabytes in a thousand fits
Rng = np.random.Generator


@dataclass(frozen=True)
class Problem:
    """Inputs, the labels that only the judge sees, and the least error there can be."""

    lm: vt.NgramModel
    X: NDArray
    y: NDArray
    lengths: NDArray
    best: float
    parameters: dict[str, Any]
    partial: list[Any] | None


def draw(number: int) -> Problem:
    """Problem `number`: everything about it is a function of its number."""
    rng = np.random.default_rng([2024, number])
    lm = _label_model(rng)
    lengths = _lengths(rng)
    y = np.concatenate([lm.sample(int(n), rng) for n in lengths])
    symbolic = rng.random() < 0.2
    X, best = (_symbols if symbolic else _features)(lm, y, rng)
    parameters = _parameters(rng, symbolic)
    partial = None
    if parameters["method"] == "auto" and rng.random() < 0.1:
        partial = [int(label) if rng.random() < 0.05 else None for label in y]
    return Problem(lm, X, y, lengths, best, parameters, partial)


def _label_model(rng: Rng) -> vt.NgramModel:
    """Rows of a Dirichlet with a little of everything, as a chain or counted from its own sequence."""
    n_classes = int(rng.integers(2, 9))
    sharpness = 10.0 ** rng.uniform(-1, 0.7)
    rows = rng.dirichlet(np.full(n_classes, sharpness), size=n_classes)
    lm = vt.NgramModel.from_transition_matrix(0.97 * rows + 0.03 / n_classes)
    if rng.random() < 0.5:
        return lm
    order = int(rng.integers(2, 4))
    text = [lm.sample(3000, rng)]
    return vt.NgramModel.from_sequences(text, order, classes=range(n_classes))


def _lengths(rng: Rng) -> NDArray:
    """One to twelve sequences, some of one or two points."""
    parts = rng.dirichlet(np.full(int(rng.integers(1, 13)), 0.7)) * rng.integers(200, 801)
    return np.maximum(1, parts.astype(int)) + np.eye(1, len(parts), dtype=int)[0] * 20


def _features(lm: vt.NgramModel, y: NDArray, rng: Rng) -> tuple[NDArray, float]:
    n_features = int(rng.integers(1, 7))
    means = rng.uniform(1.0, 4.0) * rng.standard_normal((lm.n_classes, n_features))
    X = means[y] + rng.standard_normal((len(y), n_features))
    score = X @ means.T - (means**2).sum(axis=1) / 2 + np.log(lm.stationary())
    best = float(np.mean(score.argmax(axis=1) != y))
    scale, offset = 10.0 ** rng.uniform(-3, 3), rng.uniform(-5, 5)
    kind = np.float32 if rng.random() < 0.3 else np.float64
    return (scale * (X + offset)).astype(kind), best


def _symbols(lm: vt.NgramModel, y: NDArray, rng: Rng) -> tuple[NDArray, float]:
    """Each label has one to three symbols of its own."""
    owners = rng.permutation(np.repeat(np.arange(lm.n_classes), rng.integers(1, 4, size=lm.n_classes)))
    return np.array([rng.choice(np.flatnonzero(owners == label)) for label in y]), 0.0


def _parameters(rng: Rng, symbolic: bool) -> dict[str, Any]:
    method = "auto" if symbolic else str(rng.choice(["auto", "full-batch", "spdg"], p=[0.7, 0.1, 0.2]))
    chosen: dict[str, Any] = {"method": method, "random_state": int(rng.integers(2**31)), "n_jobs": 1}
    if method == "auto":
        return chosen | {"n_init": 8}
    return chosen | {"n_init": 2, "max_iter": 2000 if method == "spdg" else 30, "subsequence_length": 8}


@dataclass(frozen=True)
class Outcome:
    """How one fit ended."""

    loss: str
    right: bool = False
    warned: bool = False


def attempt(problem: Problem) -> Outcome:
    """Fit under a limit of time; whether it is right, and whether it was warned of."""
    try:
        with time_limit(_SECONDS), warnings.catch_warnings(record=True) as said, threadpool_limits(1):
            warnings.simplefilter("always")
            labels = _labels(problem)
        strange = [each for each in said if not issubclass(each.category, VentrisWarning)]
        if strange:
            return Outcome(f"a warning that is not ours: {strange[0].category.__name__} {strange[0].message}")
        error = float(np.mean(labels != problem.y))
        return Outcome("", error <= problem.best + 0.05, bool(said))
    except Exception as found:
        return Outcome(brief(found))


def _labels(problem: Problem) -> NDArray:
    clf = vt.SequenceClassifier(problem.lm, **problem.parameters)
    clf.fit(problem.X, lengths=problem.lengths, partial_labels=problem.partial)
    proba = clf.predict_proba(problem.X, lengths=problem.lengths)
    assert np.isfinite(proba).all(), "an output is not a number"
    return clf.predict(problem.X, lengths=problem.lengths)


def growth(megabytes: list[float], every: int) -> float:
    """Megabytes more in a thousand fits: the median slope between the later samples (Theil–Sen)."""
    later = np.array(megabytes[len(megabytes) // 3 :])
    if len(later) < 5:
        return 0.0
    first, second = np.triu_indices(len(later), k=1)
    return float(np.median((later[second] - later[first]) / (second - first)) * 1000 / every)


def run(n_fits: int = 1000, report: Callable[[int], object] = lambda n: None) -> Tally:
    """Fit them all, one after another."""
    every = max(1, min(10, n_fits // 20))
    fits, memory = Group(f"{n_fits:,} fits"), Group("memory")
    process, megabytes, outcomes = psutil.Process(), [], []
    began = time.process_time()
    with suppress(KeyboardInterrupt):  # what was done until then is told
        for number in range(n_fits):
            outcome = attempt(draw(number))
            outcomes.append(outcome)
            fits.add(f"problem {number}", outcome.loss)
            if number % every == 0:
                gc.collect()
                megabytes.append(process.memory_info().rss / 2**20)
            report(number)
    slope = growth(megabytes, every)
    fits.measured = f"{_shares(outcomes)}; {(time.process_time() - began) / len(outcomes):.2f} CPU-s a fit"
    memory.add("growth", f"{slope:.1f} MB in a thousand fits" if slope > _MOST_GROWTH else "")
    memory.measured = f"{slope:+.1f} MB in a thousand fits, {megabytes[-1]:.0f} MB at the end"
    return Tally("soak", ABOUT, [fits, memory])


def _shares(outcomes: list[Outcome]) -> str:
    """How often right and wrong, warned of and not."""
    done = [each for each in outcomes if not each.loss]
    cells = {
        "right": [e for e in done if e.right and not e.warned],
        "right, warned of": [e for e in done if e.right and e.warned],
        "wrong, warned of": [e for e in done if not e.right and e.warned],
        "wrong, not warned of": [e for e in done if not e.right and not e.warned],
    }
    return ", ".join(f"{name} {100 * len(cell) / max(1, len(done)):.1f} %" for name, cell in cells.items())
