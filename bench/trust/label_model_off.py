"""Label models off by 0.02 to 0.15 nats a symbol: what adapting recovers, and whether the report says so.

The share of the decoded gap recovered is (fixed − adapted) / (fixed − Bayes): test errors in sequence with
`adapt=False`, with the default, and of the decoder that knows emissions and true label model.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from bench.family import Family, Row
from bench.metrics import error_rate
from bench.tasks import Task
from bench.trust.fits import ending, errors, fit, flagged, percent
from bench.trust.wrong_models import KINDS, divergence, off_by_divergence
from ventris import NgramModel
from ventris.datasets import make_gaussian_hmm, random_hmm
from ventris.datasets.references import gaussian_likelihood, smooth

N_TRAIN, N_TEST, N_FEATURES = 10_000, 20_000, 8
LEAST, MOST = 0.02, 0.15  # nats a symbol
SPREADS = {5: 0.8, 10: 0.9, 26: 1.5}  # of the means: so near that a point alone is read wrong now and then


@dataclass(frozen=True)
class OffTask:
    """A task whose label model `given` is not the one behind its labels, `task.lm`."""

    task: Task
    given: NgramModel
    kind: str


def gaussian_task(n_classes: int, seed: int, family: int, spread: float, n_train: int = N_TRAIN) -> Task:
    """A random Gaussian HMM; there is no validation part."""
    rng = np.random.default_rng([seed, n_classes, family])
    lm, means = random_hmm(n_classes, N_FEATURES, spread=spread, random_state=rng)
    data = make_gaussian_hmm(lm, means, n_samples=n_train + N_TEST, random_state=rng)
    train, test = data.part(0, n_train), data.part(n_train, len(data.y))
    likelihood = gaussian_likelihood(test.X, means, 1.0)
    return Task.of_parts(f"Gaussian HMM {n_classes}", seed, lm, (train, train.part(0, 0), test), likelihood)


def off(n_classes: int, kind: str, seed: int) -> OffTask:
    """The divergence is drawn log-uniformly from the range."""
    task = gaussian_task(n_classes, seed, 50, SPREADS[n_classes])
    rng = np.random.default_rng([seed, n_classes, 51, KINDS.index(kind)])
    nats = float(np.exp(rng.uniform(np.log(LEAST * 1.05), np.log(MOST / 1.05))))  # pairs come but near it
    matrix = off_by_divergence(task.lm, kind, nats, rng)
    return OffTask(task, NgramModel.from_transition_matrix(matrix), kind)


def measure(off_task: OffTask) -> Row:
    """The default beside a label model that stays as it was given."""
    task, given = off_task.task, off_task.given
    clf, row = fit(given, task.X_train, seed=task.seed)
    fixed, _ = fit(given, task.X_train, seed=task.seed, adapt=False)
    assert task.test_likelihood is not None
    return (
        row
        | errors(clf, task.X_test, task.y_test)
        | {
            "task": f"off, {task.lm.n_classes} labels, {off_task.kind}",
            "seed": task.seed,
            "nats": divergence(task.lm, np.asarray(given.conditional(2))),
            "fixed_decoded": errors(fixed, task.X_test, task.y_test)["decoded"],
            "bayes_decoded": error_rate(task.y_test, smooth(task.test_likelihood, task.lm, n_jobs=1)),
        }
    )


def recovered(row: Row) -> float | None:
    """Share of the decoded gap; None where there is no gap."""
    gap = row["fixed_decoded"] - row["bayes_decoded"]
    return (row["fixed_decoded"] - row["decoded"]) / gap if gap > 0 else None


def numbers(rows: list[Row]) -> Row:
    """The median share of the gap, and how many are flagged."""
    shares = [share for row in rows if (share := recovered(row)) is not None]
    return {
        "runs": len(rows),
        "gap recovered, median": float(np.median(shares)) if shares else float("nan"),
        "without a gap": len(rows) - len(shares),
        "flagged": sum(map(flagged, rows)) / len(rows),
        "decoded": float(np.mean([row["decoded"] for row in rows])),
        "fixed decoded": float(np.mean([row["fixed_decoded"] for row in rows])),
        "bayes decoded": float(np.mean([row["bayes_decoded"] for row in rows])),
        "cpu": float(np.mean([row["cpu"] for row in rows])),
    }


def line(row: Row) -> str:
    """A run."""
    share = recovered(row)
    return (
        f"{row['task']:<26} seed {row['seed']}  KL {row['nats']:.3f}  decoded {percent(row['decoded'])} "
        f"(fixed {percent(row['fixed_decoded'])}, Bayes {percent(row['bayes_decoded'])})  recovered "
        f"{'–' if share is None else format(share, '.2f')}  {ending(row)}"
    )


FAMILY = Family(
    "label model off",
    tuple(partial(off, n_classes, kind) for n_classes in SPREADS for kind in KINDS),
    5,
    measure=measure,
    numbers=numbers,
    line=line,
)
