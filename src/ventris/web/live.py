"""Learning watched from the page: every moment of a fit that can be drawn is shown."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ventris.callbacks import Callback, Event
from ventris.classifiers.loglinear import LogLinear
from ventris.solvers.base import Solver
from ventris.solvers.problem import Problem
from ventris.solvers.solution import Solution

Show = Callable[[int, Event], None]


class Watched(Callback):
    """Shows every moment that has an answer to show, and says what begins.

    Parameters
    ----------
    show : callable
        Given a running number and the event; it may wait (a pause) or raise (the end).
    on_step : callable, optional
        Told in words what begins.
    """

    def __init__(self, show: Show, on_step: Callable[[str], None] = lambda words: None) -> None:
        self.show, self.on_step, self.n_shown = show, on_step, 0
        self._last: Any = None

    def on_step_begin(self, event: Event) -> None:
        """What begins, in words."""
        self.on_step(event.words)

    def on_round(self, event: Event) -> None:
        """The answer of this moment, unless it is the one shown last."""
        answer = event.table if event.table is not None else event.model or event.predict
        if event.predict is None or answer is self._last:
            return
        self._last = answer
        self.show(self.n_shown, event)
        self.n_shown += 1

    on_step_end = on_update = on_fit_end = on_round


def watch_solver(
    solver: Solver, problem: Problem, start: LogLinear, rng: np.random.Generator, show: Show
) -> Solution:
    """A solver's way from one start, shown before it and after each iteration or block of updates."""
    if solver.name == "full-batch":  # the other tells its start, with the dual variables it draws for it
        show(0, Event(solver.name, "the start", predict=start.posteriors, model=start))

    def on_row(row: dict[str, Any]) -> None:
        event = Event.of_row(solver.name, row)
        show(event.number or 0, event)

    return solver.solve(problem, start, rng, on_row)


def ending(found: Solution) -> str:
    """Why a solver ended, in words."""
    if found.stopped_because == "diverged":
        return f"It diverged after {found.n_iter:,} updates: the rates are too high for these features."
    if found.stopped_because == "converged":
        return f"No direction lowers J any more after {found.n_iter:,} iterations."
    return f"The {found.n_iter:,} steps asked for are done."
