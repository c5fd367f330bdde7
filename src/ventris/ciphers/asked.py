"""How a text is to be read without its key: what the search may cost, and who watches it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ventris.callbacks import Callbacks, Event, checked_callback
from ventris.ciphers.known import Known
from ventris.deciphering.many_to_one import Found, SearchBudget, Watcher

SHORT_SEARCH = 0.1  # unmeasured: share of the effort that each language gets before one of them is chosen


@dataclass(frozen=True)
class Asked:
    """What `decipher` was asked for, beside the text and the kind.

    Attributes
    ----------
    language : str
        A code, or "auto".
    rng : Generator
    budget : SearchBudget
    callbacks : Callbacks
    units : str or None
        What the signs of the text are; None to find out.
    unknown : str
        A sign that nobody can read.
    known : Known
        What is known of the key.
    """

    language: str
    rng: np.random.Generator
    budget: SearchBudget = field(default_factory=SearchBudget)
    callbacks: Callbacks = field(default_factory=Callbacks)
    units: str | None = None
    unknown: str = ""
    known: Known = field(default_factory=Known.of)

    def short(self, n_languages: int) -> SearchBudget:
        """Of a first search in each of several languages: half of the time, and little of the effort."""
        seconds = self.budget.seconds
        return replace(
            self.budget,
            effort=min(self.budget.effort, 1.0) * SHORT_SEARCH,
            seconds=None if seconds is None else seconds / 2 / n_languages,
        )

    def whole(self) -> SearchBudget:
        """Of the search in the language that was chosen: the other half of the time, and all effort."""
        seconds = self.budget.seconds
        return replace(self.budget, seconds=None if seconds is None else seconds / 2)

    def watcher(self, spelt: Callable[[Any], str]) -> Watcher:
        """Tells the callbacks of every run and the text that the best key reads; True asks to stop."""

        def told(found: Found) -> bool:
            event = Event(
                "decipher", spelt(found.key), found.work_done, 1.0, number=found.n_runs, score=found.score
            )
            return self.callbacks.tell("start", event)

        return told


def as_budget(effort: float | None, seconds: float | None, n_jobs: int) -> SearchBudget:
    """A budget; with a time and no effort, time alone ends the search."""
    if effort is None:
        effort = 1.0 if seconds is None else float("inf")
    return SearchBudget(effort, seconds, n_jobs)


def as_callbacks(given: Sequence[Any]) -> Callbacks:
    """Callbacks, each of which listens to something."""
    return Callbacks([checked_callback(each) for each in given])
