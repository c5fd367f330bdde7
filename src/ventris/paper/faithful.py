"""Algorithm 1 with the paper's own settings, and the intercept without which it cannot work.

Eight starts run as SIMD lanes on the same batches; then their relabellings do, for half of all starts end in
the basin where the labels are exchanged. Full-pass J, which needs no label, chooses among the sixteen.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ventris import evaluation, objective
from ventris.classifiers.loglinear import LogLinear
from ventris.datasets import PaperChain, make_paper_chain
from ventris.errors import DivergedWarning
from ventris.paper.units import Plain, Tell
from ventris.solvers.base import Memory
from ventris.solvers.spdg import SPDGSettings, SPDGState, initial_state
from ventris.solvers.spdg_loop import SPDGProgress, SPDGResult, run_spdg_lanes

SETTINGS = replace(SPDGSettings.as_printed(), fit_intercept=True)
# The two rates at which the same algorithm needs a fraction of the updates.
FASTER = replace(SETTINGS, primal_lr=1e-3, dual_lr=1e-2)
_MOST_LOOKS, _LEAST_LOOKS = 50, 5


def draw_chain(number: int, seed: int) -> PaperChain:
    """Chain `number` as every part of the page draws it."""
    return make_paper_chain(number, random_state=np.random.default_rng([seed, number]))


def draw_states(chain: PaperChain, lanes: int, seed: int, settings: SPDGSettings) -> list[SPDGState]:
    """Random starts, the same for every rate."""
    rng = np.random.default_rng([seed, chain.number, 1])
    return [initial_state(rng, chain.train.X, None, chain.lm.joint(2), settings) for _ in range(lanes)]


def learn_chain(
    number: int,
    updates: int,
    lanes: int,
    seed: int,
    rates: str = "paper",
    *,
    memory: Callable[[str], Memory],
    tell: Tell,
) -> Plain:
    """SPDG on one chain: every lane's end, the lane that J chooses, and the error on the way.

    Parameters
    ----------
    number, updates, lanes, seed : int
    rates : {"paper", "faster"}
    memory : callable
        ``memory(name)`` is where the state of one half is kept.
    tell : callable
        Told how much is done.
    """
    chain, settings = draw_chain(number, seed), SETTINGS if rates == "paper" else FASTER
    runs = _Runs(chain, settings, updates, memory, tell)
    found = runs.run(0, draw_states(chain, lanes, seed, settings), np.random.default_rng([seed, number, 2]))
    curve = runs.rows
    again = [exchanged(result) for result in found]
    swapped = runs.run(1, again, np.random.default_rng([seed, number, 3]))
    ends = [_end(chain, settings, result) for result in [*found, *swapped]]
    chosen = min(range(len(ends)), key=lambda k: ends[k]["excess_cost"])
    return {
        "chain": number,
        "ends": ends,
        "chosen": chosen,
        "was_relabelled": chosen >= lanes,
        "curve": curve,
    }


def exchanged(result: SPDGResult) -> SPDGState:
    """The same classifier with its two labels exchanged, beside its dual, exchanged as well."""
    flipped = tuple(slice(None, None, -1) for _ in range(result.dual.ndim))
    return SPDGState(-result.coef, -result.intercept, result.dual[flipped].copy())


class _Runs:
    """Two runs one after the other, their states kept, the error on the way written down."""

    def __init__(
        self,
        chain: PaperChain,
        settings: SPDGSettings,
        updates: int,
        memory: Callable[[str], Memory],
        tell: Tell,
    ) -> None:
        self.chain, self.settings, self.updates = chain, settings, updates
        self.memory, self.tell = memory, tell
        self.rows: list[Plain] = []

    def run(self, half: int, starts: Sequence[SPDGState], rng: np.random.Generator) -> list[SPDGResult]:
        memory = self.memory(("starts", "relabelled")[half])
        kept = memory.load()
        self.rows = kept[1]["rows"] if kept else []
        progress = SPDGProgress.restored(kept[0], kept[1]["record"]) if kept else None

        def on_block(now: SPDGProgress) -> None:
            self.rows.append(self._row(now))
            memory.store(now.arrays(), {"record": now.record(), "rows": self.rows})
            self.tell((half + now.update / self.updates) / 2)

        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DivergedWarning)  # a lane that diverged has a high J
            return run_spdg_lanes(
                self.chain.train.X,
                None,
                self.chain.lm.joint(2),
                self.settings,
                rng=rng,
                starts=starts,
                max_updates=self.updates,
                look_every=_look_every(self.updates),
                on_block=on_block,
                progress=progress,
            )

    def _row(self, now: SPDGProgress) -> Plain:
        """J − H and the test error of the lane with the least J so far."""
        lane = int(np.argmin(now.best_cost))
        weights = now.best_weights[lane]
        model = LogLinear(weights[:, :-1], weights[:, -1], self.settings.gamma)
        excess = float(now.best_cost[lane]) - self.chain.lm.entropy(2)
        return {"update": now.update, "excess_cost": excess, "error": error_rate(model, self.chain)}


def _look_every(updates: int) -> int:
    """A full pass every 100,000 updates, but neither too many nor too few of them."""
    looks = min(_MOST_LOOKS, max(_LEAST_LOOKS, updates // 100_000))
    return max(1, updates // looks)


def _end(chain: PaperChain, settings: SPDGSettings, result: SPDGResult) -> dict[str, Any]:
    model = LogLinear(result.coef, result.intercept, settings.gamma)
    excess = objective.excess_cost(
        chain.lm.joint(2), objective.expected_ngrams(model.posteriors(chain.train.X), 2)
    )
    return {"excess_cost": excess, "error": error_rate(model, chain), "updates": result.n_updates}


def error_rate(model: LogLinear, chain: PaperChain) -> float:
    """Share of test points whose label a classifier gets wrong, each point alone."""
    return evaluation.error_rate(chain.test.y, model.posteriors(chain.test.X).argmax(axis=1))
