"""Table 2: what a classifier learns from letter frequencies alone, which is nothing.

The label model holds one number, so every classifier that gives each label its share of the points has the
same, least J: the right one, the constant one, and many wrong ones. Where a run ends depends on its start.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ventris import objective
from ventris.classifiers.loglinear import LogLinear
from ventris.datasets import make_unigram
from ventris.datasets.paper_chains import COVARIANCE, MEANS
from ventris.figures.canvas import ACCENT, INK, SECOND, canvas
from ventris.paper import printed
from ventris.paper.faithful import SETTINGS
from ventris.paper.tables import Column, Table
from ventris.paper.units import Plain
from ventris.solvers.spdg import initial_state
from ventris.solvers.spdg_loop import run_spdg_lanes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SMALL, BROAD = 0.01, 0.3  # standard deviation of the weights at the start
_N_TRAIN, _N_VALIDATION = 50_000, 5_000


def learn_prior(experiment: int, updates: int, starts: int) -> Plain:
    """SPDG with a unigram label model, from small and from broad starts: where each ends."""
    first, second = printed.PRIORS[experiment - 1]
    prior = np.array([first, second]) / (first + second)  # the first printed prior sums to 0.999
    data = make_unigram(prior, MEANS, COVARIANCE, random_state=np.random.default_rng([experiment, 1]))
    test = data.part(_N_TRAIN + _N_VALIDATION, len(data.y))
    found: dict[str, Any] = {
        "prior": prior.tolist(),
        "majority": float(np.mean(test.y != int(np.argmax(prior)))),
    }
    rng = np.random.default_rng([experiment, 2])
    for name, scale in (("small", SMALL), ("broad", BROAD)):
        X = data.X[:_N_TRAIN]
        states = [initial_state(rng, X, None, prior, SETTINGS, scale) for _ in range(starts)]
        runs = run_spdg_lanes(
            X, None, prior, SETTINGS, rng=rng, starts=states, max_updates=updates, look_every=updates // 2
        )
        models = [LogLinear(run.coef, run.intercept, SETTINGS.gamma) for run in runs]
        found[name] = {
            "errors": [float(np.mean(m.posteriors(test.X).argmax(axis=1) != test.y)) for m in models],
            "excess_costs": [run.cost - objective.entropy(prior) for run in runs],
        }
    return found


def share_near_majority(rows: list[Plain]) -> float:
    """Share of the small starts that end within two points of guessing the majority."""
    return float(np.mean([abs(e - row["majority"]) < 0.02 for row in rows for e in row["small"]["errors"]]))


def largest_excess(rows: list[Plain]) -> float:
    """The largest J − H at which any start ended."""
    return max(max(row[name]["excess_costs"]) for row in rows for name in ("small", "broad"))


def table(rows: list[Plain]) -> Table:
    """Table 2, ours beside theirs."""
    columns = (
        Column("experiment"),
        Column("prior"),
        Column("paper", "%", 1),
        Column("majority guess", "%", 1),
        Column("small start, median", "%", 1),
        Column("small start, range", "%"),
        Column("broad start, median", "%", 1),
        Column("broad start, range", "%"),
        Column("largest J − H", "nats", 6),
    )
    body = [_row(k, row) for k, row in enumerate(rows)]
    return Table("table2", "Unigram label models: test error", columns, body)


def _row(k: int, row: Plain) -> list[Any]:
    small, broad = (100 * np.array(row[name]["errors"]) for name in ("small", "broad"))
    return [
        f"Exp{k + 1}",
        "[" + ", ".join(f"{p:.3f}" for p in row["prior"]) + "]",
        printed.UNIGRAM_ERRORS[k],
        100 * row["majority"],
        float(np.median(small)),
        f"{small.min():.1f} – {small.max():.1f}",
        float(np.median(broad)),
        f"{broad.min():.1f} – {broad.max():.1f}",
        largest_excess([row]),
    ]


def draw(rows: list[Plain]) -> Figure:
    """Each start's end: error on the left, and J − H, which is the same for all, on the right."""
    with canvas(9, 3.8) as figure:
        errors, costs = figure.subplots(1, 2, width_ratios=(2, 1))
        for k, row in enumerate(rows):
            for name, colour, shift in (("small", SECOND, -0.15), ("broad", ACCENT, 0.15)):
                place = k + 1 + shift + np.linspace(-0.09, 0.09, len(row[name]["errors"]))
                label = f"{name} start" if k == 0 else None
                errors.scatter(place, 100 * np.sort(row[name]["errors"]), s=9, color=colour, label=label)
                excess = np.maximum(np.sort(row[name]["excess_costs"]), 1e-12)
                costs.scatter(place, excess, s=9, color=colour)
            errors.plot([k + 0.7, k + 1.3], [printed.UNIGRAM_ERRORS[k]] * 2, color=INK, linewidth=1.2,
                        label="printed in the paper" if k == 0 else None)  # fmt: skip
        for axes in (errors, costs):
            axes.set_xlabel("experiment")
            axes.set_xticks(range(1, len(rows) + 1))
        errors.set_ylim(0, 100)
        errors.set_ylabel("test error (%)")
        errors.legend(fontsize=8, loc="upper left", ncols=3)
        errors.set_title("Where the starts end")
        costs.set_yscale("log")
        costs.set_ylim(1e-12, 1)
        costs.set_ylabel("J − H (nats)")
        costs.set_title("What J sees")
    return figure
