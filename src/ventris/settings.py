"""Numbers a method hangs on, each with its reason: a frozen object that is passed down, never a global.

A class of settings says what may be turned, what it is by default and why; a test turns one by passing
another object, a measurement sweeps a field with `dataclasses.replace`.
"""

from __future__ import annotations

from dataclasses import field, fields
from typing import TypeVar

from ventris.errors import ParameterError

T = TypeVar("T")
UNMEASURED = "unmeasured:"  # begins the reason of a number that nobody has measured


class Settings:
    """Base of every class of settings: a frozen dataclass whose fields are each made by `setting`."""

    @classmethod
    def reasons(cls) -> dict[str, str]:
        """Field → why it has its value; empty for a field that was not made by `setting`."""
        return {each.name: each.metadata.get("why", "") for each in fields(cls)}  # type: ignore[arg-type]


def setting(default: T, why: str) -> T:
    """A field of settings: its value, and why it has it.

    Parameters
    ----------
    default : hashable
    why : str
        What was measured, or what the value follows from. Where nobody measured it, "unmeasured: " and what
        the number means.

    Examples
    --------
    >>> from dataclasses import dataclass, replace
    >>> @dataclass(frozen=True)
    ... class Oven(Settings):
    ...     degrees: int = setting(180, "bread of 1 kg is done after 50 minutes; at 200 the crust burnt")
    ...     minutes: int = setting(50, "unmeasured: how long the door stays shut")
    >>> Oven().degrees, replace(Oven(), minutes=40).minutes, Oven.reasons()["minutes"]
    (180, 40, 'unmeasured: how long the door stays shut')
    """
    if why.removeprefix(UNMEASURED).strip() in ("", UNMEASURED[:-1]):
        raise ParameterError(
            f"The setting {default!r} must come with its reason",
            f"why is {why!r}",
            f"Say what was measured, or '{UNMEASURED}' and what the number means",
        )
    return field(default=default, metadata={"why": why})
