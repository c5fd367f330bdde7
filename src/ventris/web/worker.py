"""The other side of a job: a process that runs what takes long, and can be paused, stepped and killed.

A worker waits for a task, runs it, tells what happens as it happens, and waits for the next. It never holds
the server's own memory, so a crash costs one job and nothing else.
"""

from __future__ import annotations

import os
import signal
import sys
import time
import traceback
import warnings
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import import_module
from multiprocessing.connection import Connection
from typing import Any

from ventris.errors import VentrisError, VentrisWarning
from ventris.storage.json_values import to_json

# What may be run in a worker, and where it is.
TASKS = {
    "decipher": "ventris.web.rooms.caesar:run_decipher",
    "train": "ventris.web.rooms.two_classes:run_training",
    "survey": "ventris.web.rooms.surface:run_survey",
    "read": "ventris.web.rooms.reading:run_reading",
    "inspect": "ventris.web.rooms.own_data:run_inspection",
    "doctor": "ventris.web.rooms.own_data:run_doctor",
    "fit": "ventris.web.rooms.own_data:run_fit",
}
_NICE = 10  # the page must stay quick while something is learnt
_MEMORY = 6 * 2**30  # bytes of address space: a hostile file ends its worker, not the machine


class Stopped(Exception):
    """Someone asked this task to end."""


@dataclass
class Channel:
    """A task's line to the server: it tells events, and hears commands between two of its steps.

    Attributes
    ----------
    connection : Connection
    paused : bool
    pace : float
        Least seconds between two turns, so that eyes can follow.
    """

    connection: Connection
    paused: bool = False
    pace: float = 0.0
    _steps: int = 0
    _last: float = field(default_factory=time.monotonic)

    def tell(self, kind: str, /, **data: Any) -> None:
        """Send an event."""
        self.connection.send(("event", kind, to_json(data)))

    def turn(self) -> None:
        """Between two steps of a task: hear commands, and wait while paused or too early."""
        while self.connection.poll(self._patience()):
            self._obey(*self.connection.recv())
        self._steps = max(0, self._steps - 1)
        self._last = time.monotonic()

    def _patience(self) -> float | None:
        """Seconds to wait for a command; None for as long as it takes."""
        if self.paused and self._steps == 0:
            return None
        return max(0.0, self.pace - (time.monotonic() - self._last))

    def _obey(self, name: str, data: dict[str, Any]) -> None:
        if name == "pause":
            self.paused, self._steps = True, 0
            self.tell("paused")
        elif name == "resume":
            self.paused = False
            self.tell("resumed")
        elif name == "step":
            self.paused, self._steps = True, 1
        elif name == "stop":
            raise Stopped


def serve_tasks(connection: Connection) -> None:
    """Run tasks until the line closes."""
    _be_modest()
    from threadpoolctl import threadpool_limits

    import_module("ventris.classifier")  # before anyone waits for it
    with threadpool_limits(1), suppress(EOFError, OSError):
        while True:
            name, data = connection.recv()
            if name == "run":  # commands to a task that has ended meanwhile are stale
                _run(data["task"], data["request"], connection)


def _be_modest() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the server's to answer
    if hasattr(os, "nice"):
        os.nice(_NICE)
    with suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))


def _run(task: str, request: dict[str, Any], connection: Connection) -> None:
    channel = Channel(connection)
    module, function = TASKS[task].split(":")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.simplefilter("always", VentrisWarning)
            warnings.showwarning = lambda message, category, *_, **__: channel.tell(
                "doubt", name=category.__name__, message=str(message)
            )
            result = getattr(import_module(module), function)(request, channel)
        channel.tell("done", **result)
    except Stopped:
        channel.tell("done", stopped=True)
    except VentrisError as problem:
        channel.tell("failed", message=str(problem))
    except MemoryError:
        channel.tell("failed", message="There is not enough memory for this. Try with less data.")
    except (EOFError, BrokenPipeError):
        raise
    except Exception as problem:  # told to the page as it is; the trace goes to the terminal
        traceback.print_exc(file=sys.stderr)
        channel.tell("failed", message=f"Ventris failed inside ({type(problem).__name__}: {problem}).")
    connection.send(("end", "", ""))
