"""`ventris reproduce`: the paper's tables and figures, ours beside theirs, as one page."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from ventris.cli.options import Config, Json, Quiet

if TYPE_CHECKING:
    from rich.progress import Progress as Bars
    from rich.progress import TaskID

    from ventris.paper.run import Watcher
    from ventris.paper.units import Unit


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
        found = run.reproduce(out, settings, only=only, n_jobs=jobs, watcher=watcher)
    if json:
        emit({"page": str(found.page), "computed": found.computed, "reused": found.reused,
              "cpu_seconds": found.cpu_seconds})  # fmt: skip
    else:
        reused = f", {len(found.reused)} were there already" if found.reused else ""
        show(f"{len(found.computed)} units computed in {found.cpu_seconds:.0f} CPU seconds{reused}.",
             f"Open {found.page}")  # fmt: skip


@contextmanager
def _watching(quiet: bool) -> Iterator[Watcher | None]:
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


class _Weights:
    """The share of all work that is done, by the weights of the units."""

    def __init__(self) -> None:
        self.weights: dict[str, float] = {}
        self.shares: dict[str, float] = {}
        self.before, self.total = 0.0, 1.0

    def begin(self, units: Sequence[Unit], done: float, total: float) -> None:
        self.weights = {unit.name: unit.weight for unit in units}
        self.before, self.total = done, max(total, 1e-9)

    def update(self, unit: str, share: float) -> float:
        self.shares[unit] = share
        done = sum(self.weights[name] * part for name, part in self.shares.items())
        return (self.before + done) / self.total


class BarWatcher:
    """One bar for all of it, and one for each unit under way."""

    def __init__(self, bars: Bars) -> None:
        self.bars, self.weights = bars, _Weights()
        self.rows: dict[str, TaskID] = {}
        self.whole = bars.add_task("all", total=1.0)

    def begin(self, units: Sequence[Unit], done: float, total: float) -> None:
        self.weights.begin(units, done, total)
        self.bars.update(self.whole, completed=done / max(total, 1e-9))

    def tell(self, unit: str, share: float) -> None:
        self.bars.update(self.whole, completed=self.weights.update(unit, share))
        if unit not in self.rows:
            self.rows[unit] = self.bars.add_task(f"  {unit}", total=1.0)
        self.bars.update(self.rows[unit], completed=share, visible=share < 1.0)

    def stage(self, name: str) -> None:
        self.bars.update(self.whole, description=name)


class LineWatcher:
    """A line when a unit is finished, and now and then one between."""

    _EVERY = 15.0  # seconds

    def __init__(self) -> None:
        self.weights, self.last = _Weights(), time.monotonic()

    def begin(self, units: Sequence[Unit], done: float, total: float) -> None:
        self.weights.begin(units, done, total)
        _line(f"{len(units)} units to compute")

    def tell(self, unit: str, share: float) -> None:
        whole = self.weights.update(unit, share)
        if share == 1.0 or time.monotonic() - self.last > self._EVERY:
            self.last = time.monotonic()
            _line(f"{unit} {share:.0%}, all {whole:.0%}")

    def stage(self, name: str) -> None:
        _line(name)


def _line(text: Any) -> None:
    print(text, file=sys.stderr, flush=True)
