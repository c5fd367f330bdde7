"""`python -m bench.ablation`: what each step of the route buys, as the error on test data after it.

The route is taken step by step. Then it is taken again without a step, from the state just before it, so
that the two ends differ by that step alone. No step sees a label: only the measuring does.

Usage: python -m bench.ablation [--tasks NAME ...] [--seeds N] [--report docs/proof/ablation.md]
"""

from __future__ import annotations

import argparse
import copy
import warnings
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from threadpoolctl import threadpool_limits

from bench.metrics import error_rate
from bench.reference import supervised_reference
from bench.tasks import FIRST_SEED, Task, digits, gaussian_hmm, glyphs_one_font
from ventris import SequenceClassifier
from ventris.callbacks import Callback, Callbacks, Event
from ventris.data.sequences import Sequences
from ventris.deciphering.ciphertext import Ciphertext, Contender, PairStatistics
from ventris.errors import VentrisWarning
from ventris.route import build
from ventris.route.journey import Journey
from ventris.route.search_steps import Decipher, Encode
from ventris.route.step import Step
from ventris.route.steps import Refine, steps_of

Row = dict[str, Any]
State = tuple[dict[str, Any], dict[str, Any]]

TASKS: dict[str, Callable[[int], Task]] = {
    "HMM 26": partial(gaussian_hmm, 26, 8),
    "HMM 100": partial(gaussian_hmm, 100, 16),
    "glyphs": glyphs_one_font,
    "digits": digits,
}
LEFT_OUT = ("grow", "regularise", "means")  # steps without which the rest can still be taken


# --------------------------------------------------------------------------------------------- the steps


def new_journey(task: Task) -> Journey:
    """What `SequenceClassifier(task.lm, random_state=task.seed)` sets out on."""
    clf = SequenceClassifier(task.lm, random_state=task.seed)
    return build.new_journey(clf, Sequences.of(task.X_train, task.lengths))


def name_of(step: Step) -> str:
    """A step's name; a refinement's says its order and the rounds it may take."""
    if isinstance(step, Refine):
        return f"refine, order {step.order}, up to {step.rounds} rounds"
    return step.name


def take(journey: Journey, step: Step) -> None:
    """The step, if it applies."""
    if step.applies(journey):
        with journey.step(step.name, step.words, 0, 1) as row:
            step.run(journey, row)


class DecipherOtherwise(Decipher):
    """The search with other contenders, or with less to see."""

    def __init__(
        self, change: Callable[[Ciphertext], Ciphertext] = lambda seen: seen, alone: Contender | None = None
    ) -> None:
        self.change, self.alone = change, alone

    def contenders(self, journey: Journey) -> list[Contender]:
        return super().contenders(journey) if self.alone is None else [self.alone]

    def ciphertext(self, journey: Journey) -> Ciphertext:
        return self.change(super().ciphertext(journey))


def snapshot(journey: Journey) -> State:
    """The journey's state, which going on does not change."""
    return copy.deepcopy(journey.state())


def error_after(journey: Journey, task: Task) -> float:
    """Test error of the classifier, or of the table alone as long as there is no classifier."""
    if journey.n_lessons:
        predicted = journey.learner.predict_proba(task.X_test).argmax(axis=1)
    else:
        assert journey.codebook is not None and journey.table is not None
        predicted = journey.table[journey.codebook.codes(task.X_test)].argmax(axis=1)
    return error_rate(task.y_test, predicted)


def _row(name: str, journey: Journey, task: Task, note: str = "") -> Row:
    return {
        "step": name,
        "error": error_after(journey, task),
        "cpu": sum(row["cpu_seconds"] for row in journey.history),
        "note": note,
    }


# --------------------------------------------------------------------------------------------- the journeys


class AfterEachStep(Callback):
    """A row after each step, and the state before each: what anyone who watches a fit can have."""

    def __init__(self, journey: Journey, task: Task) -> None:
        self.journey, self.task = journey, task
        self.names = iter([name_of(step) for step in steps_of(journey)])
        self.rows: dict[str, Row] = {}
        self.states: dict[str, State] = {}

    def on_step_begin(self, event: Event) -> None:
        """Steps between this one and the last were not called for."""
        for name in self.names:
            if name.split(",")[0] == event.step:
                self.states[name] = snapshot(self.journey)
                return
            self.rows[name] = _row(name, self.journey, self.task, "not called for")

    def on_step_end(self, event: Event) -> None:
        """The error now."""
        name = list(self.states)[-1]
        note = "undone" if (event.row or {}).get("kept") is False else ""
        if event.step != Encode.name:
            self.rows[name] = _row(name, self.journey, self.task, note)


def go_through(journey: Journey, task: Task) -> tuple[list[Row], dict[str, State]]:
    """A row after each step, and the state before each that was taken."""
    watch = AfterEachStep(journey, task)
    journey.callbacks = Callbacks([watch])
    build.take_steps(journey)
    return list(watch.rows.values()), watch.states


def go_without(name: str, task: Task, before: State) -> Row:
    """The route from the state before a step to the end, that step left out."""
    journey = new_journey(task)
    journey.restore(*copy.deepcopy(before))
    steps = steps_of(journey)
    names = [name_of(step) for step in steps]
    for step in steps[names.index(name) + 1 :]:
        take(journey, step)
    return _row(f"whole route without {name}", journey, task)


def deciphered(task: Task, decipher: Decipher) -> Journey:
    """The journey after another kind of search."""
    journey = new_journey(task)
    take(journey, Encode())
    take(journey, decipher)
    return journey


def go_with_neighbours_only(task: Task) -> list[Row]:
    """The table from pairs of neighbours alone, lag 1, and the end of the route from there."""

    def neighbours(seen: Ciphertext) -> Ciphertext:
        pairs = seen.statistics
        return replace(seen, statistics=PairStatistics(pairs.label_pairs[:1], pairs.code_pairs[:1]))

    journey = deciphered(task, DecipherOtherwise(neighbours))
    found = [_row("decipher, lag 1 only", journey, task)]
    for step in steps_of(journey)[2:]:
        take(journey, step)
    return [*found, _row("whole route, lag 1 only in decipher", journey, task)]


def tables_of_one_contender(task: Task) -> list[Row]:
    """The table when one contender runs the whole race alone."""
    journey = new_journey(task)
    take(journey, Encode())
    return [
        _row(f"decipher, {each.name} alone", deciphered(task, DecipherOtherwise(alone=each)), task)
        for each in Decipher().contenders(journey)
    ]


def table_without_places(task: Task) -> Row:
    """The table when no guess knows where codes lie: none by neighbourhood, and none by signature."""
    blind = DecipherOtherwise(lambda seen: replace(seen, centres=None))
    return _row("decipher, guesses by frequency only", deciphered(task, blind), task)


def go_alone(task: Task) -> Row:
    """The whole route with the classifier reading only what it was taught itself."""
    journey = new_journey(task)
    journey.settings = replace(journey.settings, read_across=False)
    for step in steps_of(journey):
        take(journey, step)
    return _row("whole route without reading across", journey, task)


def measure(task: Task) -> list[Row]:
    """What each step buys on one task."""
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore", VentrisWarning)
        found, states = go_through(new_journey(task), task)
        notes = {row["step"]: row["note"] for row in found}
        # A step not called for, or undone, changes nothing when left out: there is nothing to do again.
        found += [go_without(name, task, states[name]) for name in LEFT_OUT if not notes.get(name, "none")]
        found += tables_of_one_contender(task)
        found.append(table_without_places(task))
        found += go_with_neighbours_only(task)
        found += [go_alone(task)] if new_journey(task).reads_across else []
        supervised = supervised_reference(task)
    found.append(
        {
            "step": "supervised",
            "error": supervised.error_rate,
            "cpu": supervised.cpu_seconds,
            "note": "one tuned fit",
        }
    )
    common = {"task": task.name, "seed": task.seed}
    return [common | row | {"ratio": row["error"] / supervised.error_rate} for row in found]


def rows(names: Iterable[str], seeds: int = 1) -> list[Row]:
    """Every step of every task asked for, seed by seed."""
    drawn = range(FIRST_SEED, FIRST_SEED + seeds)
    return [row for name in names for seed in drawn for row in measure(TASKS[name](seed))]


# ----------------------------------------------------------------------------------------------- showing


HEADINGS = ("after", "error %", "x supervised", "worst", "CPU s so far", "note")
_PAGE = """# What each step buys

Written by `python -m bench.ablation`; nothing here is typed by hand. The error on test data after each step
of the route, and at its end without a step; means over the seeds, from {first} on, and the worst ratio of
them. CPU is the sum so far.
"""


def lines_of(found: list[Row]) -> list[list[str]]:
    """The rows of one task as text: means over its seeds, and the worst ratio."""
    lines = []
    for step in dict.fromkeys(row["step"] for row in found):
        same = [row for row in found if row["step"] == step]
        error, ratio, cpu = (float(np.mean([row[key] for row in same])) for key in ("error", "ratio", "cpu"))
        worst = max(row["ratio"] for row in same)
        notes = ", ".join(dict.fromkeys(row["note"] for row in same if row["note"]))
        lines.append([step, f"{100 * error:.2f}", f"{ratio:.3f}", f"{worst:.3f}", f"{cpu:.1f}", notes])
    return lines


def title_of(found: list[Row]) -> str:
    """The task and how many seeds of it there are."""
    return f"{found[0]['task']}, {len({row['seed'] for row in found})} seed(s)"


def table_of(found: list[Row]) -> Table:
    """One task for the screen."""
    table = Table(*HEADINGS, title=title_of(found))
    for line in lines_of(found):
        table.add_row(*line)
    return table


def page_of(tasks: Iterable[list[Row]]) -> str:
    """All tasks as Markdown."""
    parts = [_PAGE.format(first=FIRST_SEED)]
    for found in tasks:
        rows_of_cells = [HEADINGS, ["---"] * len(HEADINGS), *lines_of(found)]
        cells = "\n".join("| " + " | ".join(row) + " |" for row in rows_of_cells)
        parts.append(f"## {title_of(found)}\n\n{cells}\n")
    return "\n".join(parts)


def main() -> None:
    """Measure the tasks asked for: a table each, then the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--tasks", nargs="*", choices=list(TASKS), default=list(TASKS))
    parser.add_argument("--seeds", type=int, default=1, help="seeds a task")
    parser.add_argument("--report", type=Path, default=Path("docs/proof/ablation.md"))
    arguments = parser.parse_args()
    found = []
    for name in arguments.tasks:
        found.append(rows([name], arguments.seeds))
        Console(width=120).print(table_of(found[-1]))
    arguments.report.write_text(page_of(found), encoding="utf-8")


if __name__ == "__main__":
    main()
