"""What a suite found: how much was tried, what survived, and every loss by name."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import Any

from reliability.case import Case, brief, why_lost


@dataclass
class Group:
    """Cases of one kind.

    Attributes
    ----------
    name : str
    tried : int
    losses : dict of str to str
        The name of each case that was lost, and how.
    measured : str
        Numbers worth knowing, in words.
    """

    name: str
    tried: int = 0
    losses: dict[str, str] = field(default_factory=dict)
    measured: str = ""

    @property
    def survived(self) -> int:
        """Cases that ended as they must."""
        return self.tried - len(self.losses)

    def add(self, name: str, loss: str) -> None:
        """One more case; an empty `loss` means that it survived."""
        self.tried += 1
        if loss:
            self.losses[name] = loss

    def hold(self, name: str, action: Callable[[], object]) -> None:
        """One more case: it survives if the action raises nothing."""
        try:
            action()
        except Exception as problem:
            self.add(name, brief(problem))
        else:
            self.add(name, "")


@dataclass
class Tally:
    """All groups of a suite, and the CPU time they took."""

    suite: str
    about: str
    groups: list[Group] = field(default_factory=list)
    cpu_seconds: float = 0.0

    @property
    def lost(self) -> int:
        """Cases that ended otherwise."""
        return sum(len(group.losses) for group in self.groups)

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for a file."""
        return asdict(self)

    @classmethod
    def from_dict(cls, plain: dict[str, Any]) -> Tally:
        """The tally that `to_dict` took apart."""
        return cls(**plain | {"groups": [Group(**group) for group in plain["groups"]]})


def of_cases(name: str, cases: Iterable[Case]) -> Group:
    """Try every case."""
    group = Group(name)
    for case in cases:
        group.add(case.name, why_lost(case))
    return group


@contextmanager
def timed(tally: Tally) -> Iterator[None]:
    """Add the CPU time of the block, and of the processes it waited for, to a tally."""
    began = _cpu_seconds()
    try:
        yield
    finally:
        tally.cpu_seconds += _cpu_seconds() - began


def _cpu_seconds() -> float:
    used = os.times()
    return time.process_time() + used.children_user + used.children_system
