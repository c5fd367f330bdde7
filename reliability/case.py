"""One named case: something that may go wrong, and how it must end."""

from __future__ import annotations

import contextlib
import io
import re
import tempfile
import traceback
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ventris.errors import VentrisError, VentrisWarning

OLD = b"what was there before"


@dataclass(frozen=True)
class Desk:
    """Where a case works: `given` holds its input; `made`, with the file `old` in it, must stay as it is."""

    given: Path
    made: Path


@dataclass(frozen=True)
class Case:
    """What is tried, and how it must end.

    Attributes
    ----------
    name : str
    attempt : callable
        Given a `Desk`.
    error : type of exception or warning, int or None
        The documented error or doubt, the command line's exit code, or None where the attempt must succeed.
    words : str
        A pattern that the message must hold.
    """

    name: str
    attempt: Callable[[Desk], object]
    error: type[Exception] | int | None = None
    words: str = ""

    @property
    def ending(self) -> str:
        """How it must end, in words."""
        if self.error is None:
            return "works"
        return f"exit code {self.error}" if isinstance(self.error, int) else self.error.__name__


class Lost(AssertionError):
    """A case that ended otherwise than it must."""


@dataclass(frozen=True)
class Exit:
    """How a command ended."""

    code: int
    out: str
    err: str


def command(*tokens: object) -> Exit:
    """Run a command of `ventris` in this process."""
    from ventris.cli import run

    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run([str(token) for token in tokens])
    return Exit(code, out.getvalue(), err.getvalue())


def at(desk: Desk, line: str) -> list[str]:
    """The words of a command, {given} and {made} being a desk's folders."""
    return [token.format(given=desk.given, made=desk.made) for token in line.split()]


@contextlib.contextmanager
def desk() -> Iterator[Desk]:
    """A desk that is cleared afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        place = Desk(Path(folder) / "given", Path(folder) / "made")
        place.given.mkdir()
        place.made.mkdir()
        (place.made / "old").write_bytes(OLD)
        yield place


def why_lost(case: Case) -> str:
    """Try a case; an empty text if it ended as it must, else what happened instead."""
    with desk() as place:
        try:
            _hold(case, place)
            _check_untouched(place.made)
        except Lost as problem:
            return str(problem)
    return ""


def _hold(case: Case, place: Desk) -> None:
    try:
        found = quietly(case.attempt, place, doubts=case.error)
    except Exception as problem:
        _judge(case, problem)
        return
    if isinstance(case.error, int):
        _judge_exit(case, found)
    elif case.error is not None:
        raise Lost(f"{case.error.__name__} expected, but it went through")


def quietly(action: Callable[..., Any], *arguments: Any, doubts: Any = None) -> Any:
    """Run with doubts allowed, but those asked for, and every other warning, NumPy's above all, an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", VentrisWarning)
        if isinstance(doubts, type) and issubclass(doubts, VentrisWarning):
            warnings.simplefilter("error", doubts)
        return action(*arguments)


def _judge(case: Case, problem: Exception) -> None:
    if case.error is None or isinstance(case.error, int):
        raise Lost(f"no error expected, but {brief(problem)}") from problem
    if type(problem) is not case.error:
        raise Lost(f"{case.error.__name__} expected, but {brief(problem)}") from problem
    if not re.search(case.words, str(problem)):
        raise Lost(f"{case.words!r} expected in: {problem}") from problem
    if isinstance(problem, VentrisError) and not (problem.expected and problem.got and problem.remedy):
        raise Lost(f"the message lacks a part: {problem}") from problem


def _judge_exit(case: Case, found: Any) -> None:
    if found.code != case.error:
        raise Lost(f"exit code {case.error} expected, but {found.code}: {found.err[-300:]}")
    if "Traceback" in found.err or not found.err.strip():
        raise Lost(f"a sentence expected, but {found.err[-300:]!r}")
    if not re.search(case.words, found.err):
        raise Lost(f"{case.words!r} expected in: {found.err[-300:]}")


def brief(problem: BaseException) -> str:
    """An exception and where it was raised, in one line."""
    place = traceback.extract_tb(problem.__traceback__)[-1]
    text = " ".join(str(problem).split())[:160]
    return f"{type(problem).__name__}: {text} ({Path(place.filename).name}:{place.lineno})"


def _check_untouched(made: Path) -> None:
    found = {path.name: path.read_bytes() for path in made.iterdir() if path.is_file()}
    if found != {"old": OLD} or any(path.is_dir() for path in made.iterdir()):
        raise Lost(f"the folder for output was touched: {sorted(path.name for path in made.iterdir())}")
