"""A family: tasks under one set of bars, run with seeds in order, none skipped."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

Row = dict[str, Any]
REPORTED_FROM = 300  # choices are made on seeds 100 to 199


def _always() -> str:
    return ""


@dataclass(frozen=True)
class Family:
    """Each maker is run with each seed, and each task it makes is measured.

    Attributes
    ----------
    name : str
    makers : tuple of functions of a seed
        What they make is a function of the seed alone.
    n_seeds, first_seed : int
    measure : function of a task, optional
        Its row; by default `bench.learning.measure`.
    numbers : function of the rows, optional
        What the bars ask for; by default `bench.bars.numbers`.
    line : function of a row, optional
        How a run is shown; by default as `bench.acceptance` shows label-free beside supervised.
    why_not : function
        Why the family cannot be measured on this machine; empty if it can.

    Examples
    --------
    >>> squares = Family("squares", (lambda seed: seed**2,), 3)
    >>> list(squares), len(squares)
    ([90000, 90601, 91204], 3)
    >>> squares.task(1)
    90601
    """

    name: str
    makers: tuple[Callable[[int], Any], ...]
    n_seeds: int
    first_seed: int = REPORTED_FROM
    measure: Callable[[Any], Row] | None = None
    numbers: Callable[[list[Row]], Row] | None = None
    line: Callable[[Row], str] | None = None
    why_not: Callable[[], str] = _always

    def __iter__(self) -> Iterator[Any]:
        return (self.task(number) for number in range(len(self)))

    def task(self, number: int) -> Any:
        """The task of this number: all seeds of a maker before the next maker."""
        maker, seed = divmod(number, self.n_seeds)
        return self.makers[maker](self.first_seed + seed)

    def __len__(self) -> int:
        return len(self.makers) * self.n_seeds
