"""What every suite gives back: rows of one shape, and details for its own table or plot."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True)
class Row:
    """One comparison.

    Attributes
    ----------
    suite : str
    compared : str
        What is compared with what.
    ours, peer : float
        In `unit`.
    ratio : float
        Above one is better for Ventris, whatever the unit.
    spread : tuple of two floats
        The quartiles of the ratio over rounds or tasks.
    alone : str
        The command that measures this row's suite alone.
    bar : float or None
        The least ratio asked for.
    limit : bool
        Whether the peer is no rival but a limit: a plain sum, a matrix product, a method that sees labels.
    note : str
        Where Ventris loses, why; what else must be known to read the row.
    """

    suite: str
    compared: str
    ours: float
    peer: float
    unit: str
    ratio: float
    spread: tuple[float, float]
    alone: str
    bar: float | None = None
    limit: bool = False
    note: str = ""

    @property
    def met(self) -> bool | None:
        """Whether the bar is met; None without one."""
        return None if self.bar is None else self.ratio >= self.bar

    @property
    def lost(self) -> bool:
        """Whether a bar is missed, or a rival is ahead."""
        return self.met is False or (self.met is None and not self.limit and self.ratio < 1)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, the verdict included."""
        return asdict(self) | {"met": self.met, "lost": self.lost}


@dataclass(frozen=True)
class Measured:
    """A suite's outcome."""

    rows: list[Row]
    details: list[dict[str, Any]] = field(default_factory=list)


def alone(suite: str) -> str:
    """The command that runs one suite."""
    return f"python -m bench --only {suite}"
