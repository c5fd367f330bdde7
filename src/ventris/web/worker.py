"""The other side of a job: a process that runs what takes long, and can be stopped and killed.

A worker waits for a task, runs it, tells what happens as it happens, and waits for the next. It never holds
the server's own memory, so a crash costs one job and nothing else. It does not wait for eyes that follow: the
page plays what it was told at its own pace, so a film that is paused holds no worker.
"""

from __future__ import annotations

import os
import signal
import sys
import traceback
import warnings
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from multiprocessing.connection import Connection
from typing import Any

from ventris.errors import VentrisError, VentrisWarning
from ventris.storage.json_values import to_json
from ventris.web.room import found_at

_NICE = 5  # the page must stay quick while something is learnt
LARGEST_EVENT = 2**20  # characters; labels as long as books are not worth telling


class Stopped(Exception):
    """Someone asked this task to end."""


@dataclass
class Channel:
    """A task's line to the server: it tells events, and hears between two of its steps whether to end."""

    connection: Connection

    def tell(self, kind: str, /, **data: Any) -> None:
        """Send an event."""
        text = to_json(data)
        if len(text) > LARGEST_EVENT:
            raise VentrisError(
                f"What a job tells may have {LARGEST_EVENT // 1000:,} thousand characters at a time",
                f"this has {len(text) // 1000:,} thousand",
                "Shorten the names of labels and columns, or use ventris fit",
            )
        self.connection.send(("event", kind, text))

    def turn(self) -> None:
        """Between two steps of a task: end if someone asked for it."""
        while self.connection.poll(0):
            if self.connection.recv()[0] == "stop":
                raise Stopped


def serve_tasks(connection: Connection, memory: int) -> None:
    """Run tasks until the line closes."""
    be_modest(_NICE, memory)
    from threadpoolctl import threadpool_limits

    import_module("ventris.classifier")  # before anyone waits for it
    with threadpool_limits(1), suppress(EOFError, OSError):
        while True:
            name, data = connection.recv()
            if name == "run":  # a "stop" to a task that has ended meanwhile is stale
                _run(data["place"], data["request"], connection)


def be_modest(nice: int, memory: int) -> None:
    """Give way to the page, and keep to some memory: a hostile file ends its worker, not the machine."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the server's to answer
    os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"
    if hasattr(os, "nice"):
        os.nice(nice)
    with suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (memory, resource.getrlimit(resource.RLIMIT_AS)[1]))


def _run(place: str, request: dict[str, Any], connection: Connection) -> None:
    channel = Channel(connection)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.simplefilter("always", VentrisWarning)
            warnings.showwarning = lambda message, category, *_, **__: channel.tell(
                "doubt", name=category.__name__, message=str(message)
            )
            result = found_at(place)(request, channel)
        channel.tell("done", **result)
    except Stopped:
        channel.tell("cancelled", message="Stopped.")
    except VentrisError as problem:
        channel.tell("failed", message=str(problem)[: LARGEST_EVENT // 2])
    except MemoryError:
        channel.tell("failed", message="There is not enough memory for this. Try with less data.")
    except (EOFError, BrokenPipeError):
        raise
    except Exception as problem:  # told to the page as it is; the trace goes to the terminal
        traceback.print_exc(file=sys.stderr)
        channel.tell(
            "failed", message=f"Ventris failed inside ({type(problem).__name__}: {str(problem)[:500]})."
        )
    connection.send(("end", "", ""))
