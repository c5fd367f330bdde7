"""Jobs: what takes long runs in worker processes, a few at a time, and tells its story as events.

All state here belongs to the event loop: threads only carry messages to it.
"""

from __future__ import annotations

import asyncio
import contextlib
import multiprocessing
import secrets
import threading
import time
from collections import deque
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from ventris.storage.json_values import to_json
from ventris.web.errors import BusyError, UnknownError
from ventris.web.worker import TASKS, serve_tasks

State = Literal["waiting", "running", "done", "failed", "cancelled"]
_KEPT = 4000  # events of one job
_REMEMBERED = 50  # jobs that have ended
_WAITING = 12  # jobs that may queue
UNSEEN = 60.0  # seconds after which a job that nobody follows is ended
_GRACE = 0.7  # seconds in which a worker may end a cancelled task itself, and so stay warm
_BEAT = 10.0  # seconds between two signs of life on a quiet stream


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
    request: dict[str, Any]
    folder: Path
    patience: float = UNSEEN
    id: str = field(default_factory=lambda: secrets.token_hex(8))
    state: State = "waiting"
    events: deque[Event] = field(default_factory=lambda: deque(maxlen=_KEPT))
    followers: int = 0
    seen: float = field(default_factory=time.monotonic)
    _count: int = 0
    _news: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def has_ended(self) -> bool:
        return self.state in ("done", "failed", "cancelled")

    def add(self, kind: str, data: str) -> None:
        """Take note of an event and wake those who follow."""
        if self.has_ended:
            return
        self._count += 1
        self.events.append(Event(self._count, kind, data))
        if kind in ("done", "failed", "cancelled"):
            self.state = kind  # type: ignore[assignment]
        self._news.set()
        self._news = asyncio.Event()

    async def follow(self, after: int = 0) -> AsyncIterator[Event | None]:
        """Events numbered above `after`, as they come; None now and then while there are none."""
        self.followers += 1
        try:
            while True:
                news = self._news
                for event in [event for event in self.events if event.number > after]:
                    after = event.number
                    yield event
                if self.has_ended and not any(event.number > after for event in self.events):
                    return
                if news is self._news:
                    with contextlib.suppress(TimeoutError):
                        await asyncio.wait_for(news.wait(), _BEAT)
                        continue
                    yield None
        finally:
            self.followers -= 1
            self.seen = time.monotonic()

    def summary(self) -> dict[str, Any]:
        """What a script sees of it."""
        last = self.events[-1] if self.events else None
        return {"id": self.id, "task": self.task, "state": self.state, "last_event": last and last.number}


class Worker:
    """A process and the line to it."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.line, theirs = context.Pipe()
        self.process = context.Process(target=serve_tasks, args=(theirs,), daemon=True)
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
    """

    def __init__(self, folder: Path, limit: int = 3) -> None:
        self.folder, self.limit = folder, limit
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

    def start(self, task: str, request: dict[str, Any], patience: float = UNSEEN) -> Job:
        """A new job, at once or when its turn comes."""
        if task not in TASKS:
            raise UnknownError(
                f"A job must be one of {', '.join(TASKS)}", f"it is {task!r}", "Choose one of these"
            )
        if len(self._queue) >= _WAITING:
            raise BusyError(
                f"At most {_WAITING} jobs may wait", "as many do already", "Try again when some have ended"
            )
        job = Job(task, request, self.folder)
        job.patience, job.folder = patience, self.folder / f"job-{job.id}"
        self.all[job.id] = job
        self._queue.append(job)
        self._forget_old()
        self._dispatch()
        if job.state == "waiting":
            job.add("waiting", to_json({"message": f"{len(self._queue)} in the queue."}))
        return job

    @property
    def n_running(self) -> int:
        """Jobs under way."""
        return sum(worker.job is not None for worker in self._workers)

    def get(self, job_id: str) -> Job:
        """The job of an id."""
        if job_id not in self.all:
            raise UnknownError(
                "A job's id must be known", f"{job_id!r} is not: it is long past, or never was", "Start anew"
            )
        job = self.all[job_id]
        job.seen = time.monotonic()
        return job

    def command(self, job: Job, name: str) -> None:
        """Pass a command on to the worker."""
        worker = self._worker_of(job)
        if worker:
            worker.send(name)

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
        worker = Worker()
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
            worker.send("run", task=job.task, request=job.request | {"folder": str(job.folder)})

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
            del self.all[job.id]

    async def _sweep(self) -> None:
        """End jobs whose page was closed."""
        while True:
            await asyncio.sleep(5.0)
            for job in list(self.all.values()):
                unseen = time.monotonic() - job.seen
                if not job.has_ended and job.followers == 0 and unseen > job.patience:
                    self.cancel(job, "Nobody followed this job any more.")
