"""A machine of five states, each lasting five steps at least: `lasting(min_dwell=5)` beside shorter memories.

The geometric model has the same pairs of states, and so the same mean stays; hmmlearn gets these transitions,
keeps them, and is the likeliest of four starts, its states renamed with the help of the test labels, which no
user could do. Errors are of decoding, on 10,000 steps that follow.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bench.family import Family, Row
from bench.metrics import best_permutation_error
from bench.trust.fits import ending, fit, numbered, percent
from ventris import NgramModel

N_STATES, N_FEATURES, MIN_DWELL, STAY = 5, 3, 5, 0.5
N_TRAIN, N_TEST = 10_000, 10_000
SPREAD = 1.0  # of the means, where points spread by 1: a point alone is misread one time in three
N_STARTS, N_ITER = 4, 100


@dataclass(frozen=True)
class Machine:
    """A walk of states that last, and noisy readings of it."""

    seed: int
    lm: NgramModel
    X_train: NDArray
    X_test: NDArray
    y_test: NDArray


def machine(seed: int) -> Machine:
    """Everything about it is a function of the seed."""
    rng = np.random.default_rng([seed, 240])
    moves = rng.dirichlet(np.full(N_STATES, 0.5), size=N_STATES) + 0.02
    moves *= ~np.eye(N_STATES, dtype=bool)
    matrix = STAY * np.eye(N_STATES) + (1 - STAY) * moves / moves.sum(axis=1, keepdims=True)
    lm = NgramModel.from_transition_matrix(matrix).lasting(min_dwell=MIN_DWELL)
    y = lm.sample(N_TRAIN + N_TEST, rng)
    X = (SPREAD * rng.standard_normal((N_STATES, N_FEATURES)))[y] + rng.standard_normal((len(y), N_FEATURES))
    return Machine(seed, lm, X[:N_TRAIN], X[N_TRAIN:], y[N_TRAIN:])


def measure(task: Machine) -> Row:
    """Decoded errors: with durations, with the same pairs and none, and hmmlearn's after renaming."""
    geometric = NgramModel.from_transition_matrix(task.lm.conditional(2))
    found: Row = {}
    for name, lm in (("geometric", geometric), ("lasting", task.lm)):
        clf, row = fit(lm, task.X_train, seed=task.seed)
        found |= row
        found[name] = float(np.mean(numbered(clf, clf.decode(task.X_test)) != task.y_test))
    theirs = best_permutation_error(task.y_test, _hmmlearn(geometric, task), N_STATES)
    return found | {"task": "five states, five steps", "seed": task.seed, "hmmlearn": theirs}


def _hmmlearn(lm: NgramModel, task: Machine) -> NDArray:
    from hmmlearn.hmm import GaussianHMM

    models = []
    for number in range(N_STARTS):
        seed = task.seed + 1000 * number
        model = GaussianHMM(N_STATES, "full", params="mc", init_params="mc", n_iter=N_ITER, random_state=seed)
        model.startprob_, model.transmat_ = lm.stationary(), lm.conditional(2)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of iterations that ended early
            models.append(model.fit(task.X_train))
    return max(models, key=lambda each: each.score(task.X_train)).predict(task.X_test)


def numbers(rows: list[Row]) -> Row:
    """Runs in which durations read better than both others, and the mean errors."""
    best = [row["lasting"] < min(row["geometric"], row["hmmlearn"]) for row in rows]
    means = {f"mean {name}": float(np.mean([row[name] for row in rows]))
             for name in ("lasting", "geometric", "hmmlearn")}  # fmt: skip
    return {"runs": len(rows), "best": sum(best), **means, "cpu": float(np.mean([r["cpu"] for r in rows]))}


def line(row: Row) -> str:
    """A run."""
    return (
        f"{row['task']}  seed {row['seed']}  lasting {percent(row['lasting'])}  geometric "
        f"{percent(row['geometric'])}  hmmlearn {percent(row['hmmlearn'])}  {ending(row)}"
    )


FAMILY = Family("graphs: states that last", (machine,), 5, measure=measure, numbers=numbers, line=line)
