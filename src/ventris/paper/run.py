"""`reproduce`: compute what is missing, write tables, figures and the page."""

from __future__ import annotations

import json
import multiprocessing
import os
import platform
import subprocess
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_limits

import ventris
from ventris.callbacks import Callback, Event
from ventris.errors import MissingExtraError
from ventris.figures.canvas import save_figure
from ventris.paper.blocks import Content
from ventris.paper.page import write_page
from ventris.paper.results import RESULTS, Result, chosen_results, units_of
from ventris.paper.settings import Settings
from ventris.paper.tables import Table
from ventris.paper.tutorial import write_tutorial
from ventris.paper.units import Plain, Store, Tell, Unit
from ventris.storage.files import atomic_path, make_folder
from ventris.versions import version_of

_PACKAGES = ("numpy", "scipy", "scikit-learn", "numba", "matplotlib", "plotly", "hmmlearn")
_POLL = 0.2  # seconds between two looks at the messages of the workers


class _Work:
    """The units to compute and how far each has come, told as the steps of a fit are."""

    def __init__(self, missing: Sequence[Unit], wanted: Sequence[Unit], callback: Callback | None) -> None:
        self.callback, self.weights = callback, {unit.name: unit.weight for unit in missing}
        self.total = sum(unit.weight for unit in wanted)
        self.shares = dict.fromkeys(self.weights, 0.0)
        self._tell("fit_begin", f"{len(missing)} units to compute")

    def tell(self, unit: str, share: float) -> None:
        """A unit is under way; at share 1 it is finished."""
        moment = "step_end" if share == 1.0 else "update" if share else "step_begin"
        self.shares[unit] = share
        self._tell(moment, unit, share)

    def stage(self, name: str) -> None:
        """What comes after the computing."""
        self._tell("step_begin", name)

    def _tell(self, moment: str, step: str, part: float | None = None) -> None:
        left = sum(weight * (1 - self.shares[name]) for name, weight in self.weights.items())
        if self.callback is not None:
            event = Event(step, step, self.total - left, self.total, part)
            getattr(self.callback, f"on_{moment}")(event)


@dataclass(frozen=True)
class Reproduction:
    """What a run left behind."""

    page: Path
    computed: list[str]
    reused: list[str]
    cpu_seconds: float


def reproduce(
    out: Path,
    settings: Settings,
    *,
    only: Sequence[str] | None = None,
    n_jobs: int = 1,
    callback: Callback | None = None,
) -> Reproduction:
    """Compute, draw and write all results, or some; what the folder holds already is not computed again.

    Parameters
    ----------
    out : path
        Created if it is not there.
    settings : Settings
    only : sequence of str, optional
        Names of `RESULTS`. The page shows these and whatever else the folder holds for the same settings.
    n_jobs : int
        Processes.
    callback : Callback, optional
        Told of each unit as of a step, and of the share of all work that is done.
    """
    store = Store(out / "data")
    wanted = units_of(chosen_results(only), settings)
    missing = [unit for unit in wanted if store.load(unit) is None]
    work = _Work(missing, wanted, callback)
    _compute(store, missing, n_jobs, work.tell)
    kept = {unit.name: store.load(unit) for unit in units_of(list(RESULTS.values()), settings)}
    ready = [result for result in RESULTS.values() if all(kept[u.name] for u in result.units(settings))]
    page = _write(out, settings, ready, {name: found for name, found in kept.items() if found}, work)
    names = {unit.name for unit in missing}
    seconds = sum(found["cpu_seconds"] for name, found in kept.items() if found and name in names)
    return Reproduction(
        page, sorted(names), sorted(u.name for u in wanted if u.name not in names), round(seconds, 1)
    )


# ------------------------------------------------------------------------------------------- computing


def _compute(store: Store, units: Sequence[Unit], n_jobs: int, tell: Callable[[str, float], None]) -> None:
    if n_jobs == 1 or len(units) < 2:
        with threadpool_limits(1):
            for unit in units:
                tell(unit.name, 0.0)
                store.compute(unit, partial(tell, unit.name))
                tell(unit.name, 1.0)
        return
    messages = multiprocessing.get_context("spawn").SimpleQueue()
    with _pool(n_jobs, messages) as pool:
        waiting: set[Future[None]] = {pool.submit(_work, store.folder, unit) for unit in units}
        while waiting:
            done, waiting = wait(waiting, timeout=_POLL, return_when=FIRST_COMPLETED)
            while not messages.empty():
                tell(*messages.get())
            for future in done:
                future.result()


@contextmanager
def _pool(n_jobs: int, messages: Any) -> Iterator[ProcessPoolExecutor]:
    """Processes that end with this one: after an error, or Ctrl-C, what has not begun never does."""
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(n_jobs, mp_context=context, initializer=_listen, initargs=(messages,))
    try:
        yield pool
    except BaseException:
        for process in list(pool._processes.values()):
            process.terminate()
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


_messages: Any = None  # of a worker: where it tells how far it has come


def _listen(messages: Any) -> None:
    global _messages
    _messages = messages


def _work(folder: Path, unit: Unit) -> None:
    def tell(share: float) -> None:
        _messages.put((unit.name, share))

    tell(0.0)
    with threadpool_limits(1):
        Store(folder).compute(unit, tell)
    tell(1.0)


# --------------------------------------------------------------------------------------------- writing


def _write(
    out: Path, settings: Settings, ready: Sequence[Result], kept: dict[str, Plain], work: _Work
) -> Path:
    data = {name: found["result"] for name, found in kept.items()}
    work.stage("tables")
    tables = {table.name: table for result in ready for table in result.tables(data)}
    _write_tables(out / "tables", tables.values())
    work.stage("figures")
    drawn = {name: draw for result in ready for name, draw in result.figures.items()}
    for name, draw in drawn.items():
        _draw(out / "figures", name, draw, data)
    scenes = {name: make(data) for result in ready for name, make in result.scenes.items()}
    environment = _environment(settings, kept)
    _write_text(out / "environment.json", json.dumps(environment, indent=1, ensure_ascii=False))
    work.stage("page")
    content = Content(data, tables, tuple(drawn), scenes, environment, out / "figures")
    write_tutorial(content, out / "tutorial.md")
    return write_page(content, out / "index.html")


def _write_tables(folder: Path, tables: Any) -> None:
    make_folder(folder)
    for table in tables:
        assert isinstance(table, Table)
        _write_text(folder / f"{table.name}.json", json.dumps(table.to_dict(), indent=1, ensure_ascii=False))
        _write_text(folder / f"{table.name}.csv", table.to_csv())


def _draw(folder: Path, name: str, draw: Any, data: dict[str, Plain]) -> None:
    make_folder(folder)
    figure = draw(data)
    for ending in ("png", "svg"):
        save_figure(figure, folder / f"{name}.{ending}")


def _write_text(path: Path, text: str) -> None:
    with atomic_path(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def check_extras() -> None:
    """Refuse before any work what could not be drawn after it."""
    for package in ("matplotlib", "plotly"):
        if version_of(package) is None:
            raise MissingExtraError("Reproducing the paper", package, "paper")


def _environment(settings: Settings, kept: dict[str, Plain]) -> dict[str, Any]:
    """Everything one needs to get the same numbers again, and what they cost."""
    return {
        "ventris": ventris.__version__,
        "commit": _commit(),
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
        "packages": {name: version_of(name) for name in _PACKAGES},
        "settings": settings.to_dict(),
        "seeds": list(range(settings.seeds)),
        "cpu_seconds": {name: found["cpu_seconds"] for name, found in kept.items()},
    }


def _commit() -> str | None:
    """The commit of the source where it is a working copy, marked if files differ from it."""
    describe = ["describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"]
    command = ["git", "-C", str(Path(__file__).parent), *describe]
    try:
        found = subprocess.run(command, capture_output=True, text=True, timeout=10)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return found.stdout.strip() or None if found.returncode == 0 else None


__all__ = ["Reproduction", "Tell", "check_extras", "reproduce"]
