"""A room as one object: what may be asked, what takes long, its page, and the runs a page to send shows.

A room holds no route and no process. It lists functions from a question to plain data; the shell (`app`,
`jobs`, `export`) makes routes, workers and recordings of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from itertools import product
from typing import Any, Literal

from pydantic import BaseModel

Plain = dict[str, Any] | list[Any]


def place_of(function: Callable[..., Any]) -> str:
    """Where a function is, so that another process can find it.

    Examples
    --------
    >>> place_of(found_at)
    'ventris.web.room:found_at'
    >>> found_at(place_of(found_at)) is found_at
    True
    """
    return f"{function.__module__}:{function.__qualname__}"


def found_at(place: str) -> Callable[..., Any]:
    """The function at such a place."""
    module, name = place.split(":")
    return getattr(import_module(module), name)


@dataclass(frozen=True)
class Answer:
    """A question that is answered at once.

    Attributes
    ----------
    path : str
        Of its address, below /api.
    answer : callable
        Given the question, if there is one; gives plain data. Equal questions are answered once.
    about : str
        A sentence for those who write scripts.
    question : type of pydantic model, optional
        None for what can only be looked up.
    pool : {"answers", "previews"}
        Whose processes compute it: what is asked at every key stroke must not hold up the rest.
    """

    path: str
    answer: Callable[..., Plain]
    about: str
    question: type[BaseModel] | None = None
    pool: Literal["answers", "previews"] = "answers"


@dataclass(frozen=True)
class Task:
    """What takes long: a job in a worker process, which tells its story as events.

    Attributes
    ----------
    path : str
        Of its address, below /api.
    run : callable
        Given the request as plain data and a `worker.Channel`; gives what the last event holds.
    about : str
    question : type of pydantic model
    files : tuple of str
        Fields of the question that are ids of uploads.
    """

    path: str
    run: Callable[..., dict[str, Any]]
    about: str
    question: type[BaseModel]
    files: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """What the job is called."""
        return self.path.strip("/").replace("/", "-")


@dataclass(frozen=True)
class Recorded:
    """Questions whose answers a page to send takes along: every combination of some settings.

    Attributes
    ----------
    path : str
        Of an `Answer` or a `Task`.
    fixed : dict
        Settings that are the same in all.
    varied : dict of str to list
        Values of the others; names with a comma between vary together.
    """

    path: str
    fixed: dict[str, Any]
    varied: dict[str, Sequence[Any]]

    def questions(self) -> Iterable[dict[str, Any]]:
        """Each as a request would hold it.

        Examples
        --------
        >>> list(Recorded("/two", {"n": 600}, {"seed": [0, 1]}).questions())
        [{'n': 600, 'seed': 0}, {'n': 600, 'seed': 1}]
        >>> list(Recorded("/two", {}, {"a,b": [(1, 2)]}).questions())
        [{'a': 1, 'b': 2}]
        """
        for values in product(*self.varied.values()):
            question = dict(self.fixed)
            for names, value in zip(self.varied, values, strict=True):
                together = names.split(",")
                question |= zip(together, value if len(together) > 1 else [value], strict=True)
            yield question


@dataclass(frozen=True)
class Room:
    """A room: the shell serves what it lists.

    Attributes
    ----------
    name : str
        In the address, #/name, and of its page, static/rooms/name.js.
    title : str
    answers : tuple of Answer
    tasks : tuple of Task
    needs : tuple of (package, extra)
        What must be installed for it.
    recorded : tuple of Recorded
    choices : dict of str to list
        Values that the controls of a recorded page can take, by the name of the setting.
    """

    name: str
    title: str
    answers: tuple[Answer, ...] = ()
    tasks: tuple[Task, ...] = ()
    needs: tuple[tuple[str, str], ...] = ()
    recorded: tuple[Recorded, ...] = ()
    choices: dict[str, Sequence[Any]] | None = None

    @property
    def missing(self) -> str:
        """What to install before this room can be used; nothing if it can be.

        Examples
        --------
        >>> Room("x", "X", needs=(("no_such_package", "web"),)).missing
        "It needs the package 'no_such_package'. Run: pip install 'ventris[web]'."
        """
        return what_is_missing(self.needs)

    @property
    def listed(self) -> dict[str, str]:
        """As the page lists it."""
        return {"name": self.name, "title": self.title, "missing": self.missing}


def what_is_missing(needs: Iterable[tuple[str, str]]) -> str:
    """A sentence about the first package that is not installed."""
    for package, extra in needs:
        if find_spec(package) is None:
            return f"It needs the package {package!r}. Run: pip install 'ventris[{extra}]'."
    return ""
