"""How far a long step has come: a bar on a terminal or in a notebook, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, TextIO

from ventris.callbacks import Callback, Event
from ventris.notebook_bar import NotebookBar, in_notebook

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import TaskID

_LINE_EVERY = 5.0  # seconds between two plain lines


class Progress(Callback):
    """The step under way, the best J − H so far, and the time left: a callback.

    Parameters
    ----------
    verbose : int, default 0
        0 shows nothing.
    file : text file, optional
        Where to; standard error by default. A terminal gets a bar and so does a notebook, anything else
        plain lines.

    Examples
    --------
    >>> with Progress(verbose=1, file=sys.stdout) as progress:
    ...     progress.begin("restarts", total=2)
    ...     progress.advance(excess_cost=0.25)
    ...     progress.advance(excess_cost=0.5)
    restarts: begun
    restarts: 2 of 2, best J − H 0.25
    """

    def __init__(self, verbose: int = 0, file: TextIO | None = None) -> None:
        self.verbose = verbose
        self._file = file
        self.name, self.total, self.done = "", 0, 0
        self.best: float | None = None
        self._began = self._last_line = 0.0
        self._bar: Bar | None = None
        self._task: TaskID | None = None
        self._notebook: NotebookBar | None = None

    @property
    def file(self) -> TextIO:
        """Standard error as it is when it is written to: a clone, or another process, has its own."""
        return sys.stderr if self._file is None else self._file

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None and self.done:
            self.total = self.done  # what was expected and proved needless is no part of the whole
        self.close()

    def begin(self, name: str, total: int) -> None:
        """A new step of `total` parts."""
        self.name, self.total, self.done, self.best = name, total, 0, None
        self._began = self._last_line = time.monotonic()
        if not self.verbose:
            return
        if self._file is None and in_notebook():
            self._notebook = self._notebook or NotebookBar()
            self._notebook.show(self.name, 0, self.total, "", at_once=True)
        elif self.file.isatty():
            self._begin_bar()
        else:
            self._line("begun")

    def advance(self, parts: int = 1, excess_cost: float | None = None) -> None:
        """`parts` more are done; `excess_cost` is shown if it is the lowest so far."""
        self.done += parts
        self.total = max(self.total, self.done)  # a search may find more to do than it began with
        self.note(excess_cost, at_once=parts > 0 and self.done == self.total)

    def note(self, excess_cost: float | None, *, name: str | None = None, at_once: bool = False) -> None:
        """A new J − H between two parts, and what is being done by now; a plain line only now and then."""
        self.name = name or self.name
        if excess_cost is not None and (self.best is None or excess_cost < self.best):
            self.best = excess_cost
        if not self.verbose:
            return
        if self._notebook is not None:
            beside = f"{self._best_text()}{self._time_left()}"
            self._notebook.show(self.name, self.done, self.total, beside, at_once=at_once)
        elif self._bar is not None and self._task is not None:
            done, total, best = self.done, self.total, self._best_text()
            self._bar.update(self._task, description=self.name, completed=done, total=total, best=best)
        elif at_once or time.monotonic() - self._last_line >= _LINE_EVERY:
            self._line(f"{self.done} of {self.total}{self._best_text()}{self._time_left()}")

    # ---------------------------------------------------------------- as a callback

    def on_fit_begin(self, event: Event) -> None:
        """How many parts there are."""
        self.begin(event.step, int(event.total))
        self._follow(event)

    def on_step_begin(self, event: Event) -> None:
        """What is being done now."""
        self._follow(event)

    on_step_end = on_start = on_round = on_update = on_step_begin

    def _follow(self, event: Event) -> None:
        ended = event.done > self.done
        self.done, self.total = int(event.done), max(self.total, int(event.total), int(event.done))
        self.note(event.excess_cost, name=event.step, at_once=ended and self.done == self.total)

    # ---------------------------------------------------------------- in parts

    def close(self) -> None:
        """End the bar, if there is one."""
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, completed=self.done, total=self.total)
            self._bar.stop()
            self._bar = None
        if self._notebook is not None:
            self._notebook.show(self.name, self.done, self.total, self._best_text(), at_once=True)
            self._notebook = None

    def _best_text(self) -> str:
        return "" if self.best is None else f", best J − H {self.best:.4g}"

    def _time_left(self) -> str:
        if not 0 < self.done < self.total:
            return ""
        seconds = (time.monotonic() - self._began) / self.done * (self.total - self.done)
        return f", {_duration(seconds)} left"

    def _line(self, text: str) -> None:
        self._last_line = time.monotonic()
        print(f"{self.name}: {text}", file=self.file, flush=True)

    def _begin_bar(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        if self._bar is None:
            columns = (
                TextColumn("{task.description}"),
                BarColumn(),
                MofNCompleteColumn(),
                TextColumn("{task.fields[best]}"),
                TimeRemainingColumn(),
            )
            self._bar = Progress(*columns, console=Console(file=self.file))
            self._bar.start()
        self._task = self._bar.add_task(self.name, total=self.total, best="")


def _duration(seconds: float) -> str:
    """Seconds as a person says them.

    Examples
    --------
    >>> _duration(8.4), _duration(95), _duration(7300)
    ('8 s', '1 min 35 s', '2 h 1 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
