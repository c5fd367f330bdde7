"""Jobs: what takes long runs in worker processes, a few at a time, and tells its story as events.

All state here belongs to the event loop: threads only carry messages to it.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import multiprocessing
import secrets
import shutil
import threading
import time
from collections import deque
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from ventris.storage.json_values import to_json
from ventris.web.errors import BusyError, UnknownError
from ventris.web.memory import resident
from ventris.web.worker import serve_tasks

State = Literal["waiting", "running", "done", "failed", "cancelled"]
_KEPT = 4000  # events of one job
_KEPT_CHARACTERS = 12 * 2**20  # of all of them together
_REMEMBERED = 60  # jobs that have ended
_WAITING = 12  # jobs that may queue
_OF_ONE = 6  # jobs that one visitor may have under way
UNSEEN = 900.0  # seconds that a job is kept though nobody follows it
_GRACE = 0.7  # seconds in which a worker may end a cancelled task itself, and so stay warm
_BEAT = 10.0  # seconds between two signs of life on a quiet stream
_SWEEP = 1.0  # seconds between two looks at what is left over and how much memory is used


@dataclass(frozen=True)
class Event:
    """Something that happened in a job; `data` is JSON already."""

    number: int
    kind: str
    data: str


@dataclass(eq=False)
class Job:
    """One task under way, and everything it has told."""

    task: str
    place: str
    request: dict[str, Any]
    folder: Path
    visitor: str = ""
    shared: bool = False
    patience: float = UNSEEN
    id: str = field(default_factory=lambda: secrets.token_hex(8))
    state: State = "waiting"
    events: deque[Event] = field(default_factory=deque)
    followers: int = 0
    seen: float = field(default_factory=time.monotonic)
    _count: int = 0
    _characters: int = 0
    _news: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def has_ended(self) -> bool:
        return self.state in ("done", "failed", "cancelled")

    @property
    def is_forsaken(self) -> bool:
        """Whether nobody has looked for so long that it need not be kept."""
        return self.followers == 0 and time.monotonic() - self.seen > self.patience

    def add(self, kind: str, data: str) -> None:
        """Take note of an event and wake those who follow; of very many the oldest go."""
        if self.has_ended:
            return
        self._count += 1
        self.events.append(Event(self._count, kind, data))
        self._characters += len(data)
        while len(self.events) > _KEPT or (self._characters > _KEPT_CHARACTERS and len(self.events) > 1):
            self._characters -= len(self.events.popleft().data)
        if kind in ("done", "failed", "cancelled"):
            self.state = kind  # type: ignore[assignment]
        self._news.set()
        self._news = asyncio.Event()

    def after(self, number: int) -> list[Event]:
        """Events numbered above it."""
        return [event for event in self.events if event.number > number]

    @property
    def news(self) -> asyncio.Event:
        """Set when the next event comes."""
        return self._news

    @contextlib.contextmanager
    def followed(self) -> Any:
        """While someone follows, a job is not forsaken."""
        self.followers += 1
        try:
            yield
        finally:
            self.followers -= 1
            self.seen = time.monotonic()

    async def follow(self, after: int = 0) -> AsyncIterator[Event | None]:
        """Events numbered above `after`, as they come; None now and then while there are none."""
        with self.followed():
            while True:
                news = self._news
                for event in self.after(after):
                    after = event.number
                    yield event
                if self.has_ended and not self.after(after):
                    return
                if news is self._news:
                    with contextlib.suppress(TimeoutError):
                        await asyncio.wait_for(news.wait(), _BEAT)
                        continue
                    yield None

    def summary(self) -> dict[str, Any]:
        """What a script sees of it."""
        last = self.events[-1].number if self.events else 0
        return {"id": self.id, "task": self.task, "state": self.state, "last_event": last}


class Worker:
    """A process and the line to it."""

    def __init__(self, memory: int) -> None:
        context = multiprocessing.get_context("spawn")
        self.line, theirs = context.Pipe()
        self.process = context.Process(target=serve_tasks, args=(theirs, memory), daemon=True)
        self.process.start()
        theirs.close()
        self.job: Job | None = None

    def send(self, name: str, **data: Any) -> None:
        with contextlib.suppress(OSError):  # a worker that has just died is noticed by its silence
            self.line.send((name, data))

    def kill(self) -> None:
        self.process.kill()


class Jobs:
    """The workers, and the jobs they run or will run.

    Parameters
    ----------
    folder : Path
        Each job may write in a folder of its own inside it.
    limit : int, default 3
        Jobs that run at the same time.
    memory : int, default 6 GB
        Bytes that all workers together may use; the largest goes if they use more.
    """

    def __init__(self, folder: Path, limit: int = 3, memory: int = 6 * 2**30) -> None:
        self.folder, self.limit, self.memory = folder, limit, memory
        self.all: dict[str, Job] = {}
        self._queue: deque[Job] = deque()
        self._workers: list[Worker] = []
        self._loop: asyncio.AbstractEventLoop | None = None
        self._sweeper: asyncio.Task | None = None
        self._closing = False

    def open(self) -> None:
        """Begin, with one worker warm: nobody should wait for imports."""
        self._loop = asyncio.get_running_loop()
        self._sweeper = self._loop.create_task(self._sweep())
        self._hire()

    async def close(self) -> None:
        """End every worker."""
        self._closing = True
        if self._sweeper:
            self._sweeper.cancel()
        for job in self.all.values():
            job.add("cancelled", to_json({"message": "The server is ending."}))
        for worker in self._workers:
            worker.kill()
        for worker in list(self._workers):
            await asyncio.to_thread(worker.process.join, 2.0)

    # ------------------------------------------------------------------ what a request can ask

    def start(
        self, task: str, place: str, request: dict[str, Any], *, visitor: str = "", shared: bool = False
    ) -> Job:
        """A new job, at once or when its turn comes; a shared one that is there already is followed.

        Parameters
        ----------
        task : str
            What it is called.
        place : str
            Where its function is.
        request : dict
        visitor : str
            Who asks: each may have a few under way.
        shared : bool
            Whether all who ask the same may follow the same job, which then none of them can end.
        """
        if shared and (same := self._same(task, request)):
            same.seen = time.monotonic()
            return same
        self._check_room_for_more(visitor)
        job = Job(task, place, request, self.folder, visitor, shared)
        job.folder = self.folder / f"job-{job.id}"
        self.all[job.id] = job
        self._queue.append(job)
        self._forget_old()
        self._dispatch()
        if job.state == "waiting":
            job.add("waiting", to_json({"message": f"{len(self._queue)} in the queue."}))
        return job

    def _same(self, task: str, request: dict[str, Any]) -> Job | None:
        wanted = json.dumps(request, sort_keys=True)
        return next(
            (
                job
                for job in self.all.values()
                if job.shared and job.task == task and job.state not in ("failed", "cancelled")
                and json.dumps(job.request, sort_keys=True) == wanted
            ),
            None,
        )  # fmt: skip

    def _check_room_for_more(self, visitor: str) -> None:
        mine = sum(job.visitor == visitor and not job.has_ended for job in self.all.values())
        if visitor and mine >= _OF_ONE:
            raise BusyError(
                f"At most {_OF_ONE} jobs of one visitor may be under way",
                "as many are already",
                "Stop one, or wait until it has ended",
            )
        if len(self._queue) >= _WAITING:
            raise BusyError(
                f"At most {_WAITING} jobs may wait", "as many do already", "Try again when some have ended"
            )

    @property
    def n_running(self) -> int:
        """Jobs under way."""
        return sum(worker.job is not None for worker in self._workers)

    def get(self, job_id: str) -> Job:
        """The job of an id."""
        if job_id not in self.all:
            raise UnknownError(
                "A job's id must be known",
                f"{job_id[:40]!r} is not: it is long past, or never was",
                "Start anew",
            )
        job = self.all[job_id]
        job.seen = time.monotonic()
        return job

    async def news(self, after: dict[str, int], wait: float) -> dict[str, Any]:
        """What several jobs have told since, at once or when one of them tells something."""
        jobs = [self.all[key] for key in after if key in self.all]
        gone = [key for key in after if key not in self.all]
        with contextlib.ExitStack() as following:
            for job in jobs:
                following.enter_context(job.followed())
            if not gone and not any(job.after(after[job.id]) for job in jobs):
                await _any_of([job.news for job in jobs], wait)
            told = {job.id: job.after(after[job.id]) for job in jobs}
        return {"jobs": told, "gone": gone}

    def cancel(self, job: Job, message: str = "Cancelled.") -> None:
        """End a job at once: its worker is asked to stop, and killed if it does not hear."""
        worker = self._worker_of(job)
        job.add("cancelled", to_json({"message": message}))
        if job in self._queue:
            self._queue.remove(job)
        if worker and self._loop:
            worker.send("stop")
            self._loop.call_later(_GRACE, self._kill_if_at, worker, job)

    @staticmethod
    def _kill_if_at(worker: Worker, job: Job) -> None:
        if worker.job is job:
            worker.kill()

    # ------------------------------------------------------------------ workers

    def _worker_of(self, job: Job) -> Worker | None:
        return next((worker for worker in self._workers if worker.job is job), None)

    def _hire(self) -> Worker:
        worker = Worker(self.memory)
        self._workers.append(worker)
        threading.Thread(target=self._listen, args=(worker,), daemon=True).start()
        return worker

    def _dispatch(self) -> None:
        """Give waiting jobs to idle workers; hire while there are fewer than the limit."""
        while self._queue:
            worker = next((w for w in self._workers if w.job is None and w.process.is_alive()), None)
            if worker is None and len(self._workers) >= self.limit:
                return
            job = self._queue.popleft()
            worker = worker or self._hire()
            job.state, worker.job = "running", job
            job.folder.mkdir(parents=True, exist_ok=True)
            worker.send("run", place=job.place, request=job.request | {"folder": str(job.folder)})

    def _listen(self, worker: Worker) -> None:
        """A thread for each worker: its messages go to the loop, its end too."""
        assert self._loop is not None
        tell = self._loop.call_soon_threadsafe
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody is there to be told
            try:
                while True:
                    tell(self._heard, worker, *worker.line.recv())
            except (EOFError, OSError):
                worker.process.join(2.0)
                tell(self._died, worker)

    def _heard(self, worker: Worker, message: str, kind: str, data: str) -> None:
        if message == "event" and worker.job:
            worker.job.add(kind, data)
        elif message == "end":
            worker.job = None
            self._dispatch()

    def _died(self, worker: Worker) -> None:
        self._workers.remove(worker)
        if worker.job:
            code = worker.process.exitcode
            sentence = f"The worker process ended unexpectedly (exit code {code}). Nothing else is affected."
            worker.job.add("failed", to_json({"message": sentence}))
        if self._closing:
            return
        if not self._workers:
            self._hire()
        self._dispatch()

    # ------------------------------------------------------------------ housekeeping

    def _forget_old(self) -> None:
        ended = [job for job in self.all.values() if job.has_ended]
        for job in ended[: max(0, len(ended) - _REMEMBERED)]:
            self._forget(job)

    def _forget(self, job: Job) -> None:
        """A job that is not remembered leaves nothing on the disk either."""
        self.all.pop(job.id, None)
        threading.Thread(target=shutil.rmtree, args=(job.folder, True), daemon=True).start()

    async def _sweep(self) -> None:
        """End and forget jobs that nobody has looked at for long, and keep to the memory there is."""
        while True:
            await asyncio.sleep(_SWEEP)
            for job in [job for job in self.all.values() if job.is_forsaken]:
                if job.has_ended:
                    self._forget(job)
                else:
                    self.cancel(job, "Nobody followed this job any more.")
                    job.seen = time.monotonic()
            self._keep_to_memory()

    def _keep_to_memory(self) -> None:
        used = {worker: resident(worker.process.pid) for worker in self._workers}
        largest = max(used, key=lambda worker: used[worker], default=None)
        if largest is None or sum(used.values()) <= self.memory:
            return
        if largest.job:
            limit = f"{self.memory / 2**30:.3g} GB"
            sentence = f"All jobs together may use {limit} of memory, and this one used most. Try less data."
            largest.job.add("failed", to_json({"message": sentence}))
        largest.kill()


async def _any_of(news: list[asyncio.Event], seconds: float) -> None:
    """Until one of them is set, or so many seconds have passed."""
    waiting = [asyncio.ensure_future(event.wait()) for event in news]
    try:
        if waiting:
            await asyncio.wait(waiting, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        else:
            await asyncio.sleep(min(seconds, 1.0))
    finally:
        for each in waiting:
            each.cancel()
