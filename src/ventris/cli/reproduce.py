"""`ventris reproduce`: the paper's tables and figures, ours beside theirs, as one page."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from ventris.callbacks import Callback, Event
from ventris.cli.options import Config, Json, Quiet

if TYPE_CHECKING:
    from rich.progress import Progress as Bars
    from rich.progress import TaskID


def reproduce(
    *,
    out: Annotated[Path, Parameter(alias="-o")] = Path("ventris-paper"),
    only: Annotated[list[str] | None, Parameter(negative="", consume_multiple=True)] = None,
    quick: Annotated[bool, Parameter(negative="")] = False,
    seeds: int | None = None,
    n_jobs: int | None = None,
    quiet: Quiet = False,
    json: Json = False,
    config: Config = None,
) -> None:
    """Reproduce the paper: every table and figure, ours beside theirs, and an audit of the print.

    Ended before its time, even by kill -9, the same command goes on where it was.

    Example: ventris reproduce --quick --only caesar audit

    Parameters
    ----------
    out
        Folder for index.html, figures, tables and what was computed.
    only
        Names of results to compute: caesar, snippets, plane, landscapes, hyper-parameters, unigram, bigram,
        computation, basins, paths, rates, audit. All by default.
    quick
        A short run of a minute or two instead of the full one of about half an hour.
    seeds
        Data sets drawn from each chain; 10, or 1 with --quick.
    n_jobs
        Processes; two by default, or one where there is one core.
    """
    from ventris.cli.output import emit, show
    from ventris.paper import run
    from ventris.paper.settings import Settings

    run.check_extras()
    settings = (Settings.quick() if quick else Settings()).with_seeds(seeds)
    jobs = n_jobs or min(2, os.cpu_count() or 1)
    with _watching(quiet) as watcher:
        found = run.reproduce(out, settings, only=only, n_jobs=jobs, callback=watcher)
    if json:
        emit({"page": str(found.page), "computed": found.computed, "reused": found.reused,
              "cpu_seconds": found.cpu_seconds})  # fmt: skip
    else:
        reused = f", {len(found.reused)} were there already" if found.reused else ""
        show(f"{len(found.computed)} units computed in {found.cpu_seconds:.0f} CPU seconds{reused}.",
             f"Open {found.page}")  # fmt: skip


@contextmanager
def _watching(quiet: bool) -> Iterator[Callback | None]:
    """Bars on a terminal, lines elsewhere, nothing if not wanted."""
    if quiet:
        yield None
    elif sys.stderr.isatty():
        with _bars() as bars:
            yield BarWatcher(bars)
    else:
        yield LineWatcher()


def _bars() -> Bars:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
    return Progress(*columns, console=Console(stderr=True))


class BarWatcher(Callback):
    """One bar for all of it, and one for each unit under way."""

    def __init__(self, bars: Bars) -> None:
        self.bars = bars
        self.rows: dict[str, TaskID] = {}
        self.whole = bars.add_task("all", total=1.0)

    def on_update(self, event: Event) -> None:
        """A unit has come so far; what is no unit is named on the bar of all."""
        self.bars.update(self.whole, completed=event.share)
        if event.part is None:
            self.bars.update(self.whole, description=event.words)
            return
        if event.step not in self.rows:
            self.rows[event.step] = self.bars.add_task(f"  {event.step}", total=1.0)
        self.bars.update(self.rows[event.step], completed=event.part, visible=event.part < 1.0)

    on_step_begin = on_step_end = on_update

    def on_fit_begin(self, event: Event) -> None:
        """What was there already counts as done."""
        self.bars.update(self.whole, completed=event.share)


class LineWatcher(Callback):
    """A line when a unit is finished, and now and then one between."""

    _EVERY = 15.0  # seconds

    def __init__(self) -> None:
        self.last = time.monotonic()

    def on_update(self, event: Event) -> None:
        """A unit has come so far."""
        if event.part is None:
            _line(event.words)
        elif event.part == 1.0 or time.monotonic() - self.last > self._EVERY:
            self.last = time.monotonic()
            _line(f"{event.step} {event.part:.0%}, all {event.share:.0%}")

    on_fit_begin = on_step_begin = on_step_end = on_update


def _line(text: Any) -> None:
    print(text, file=sys.stderr, flush=True)
