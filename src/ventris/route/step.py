"""What a step of the route is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from ventris.route.journey import Journey, Row


class Step(ABC):
    """One step: it changes the journey, and writes into its row what it did."""

    name: ClassVar[str]
    words: ClassVar[str]

    def applies(self, journey: Journey) -> bool:
        """Whether there is anything for it to do."""
        return True

    @abstractmethod
    def run(self, journey: Journey, row: Row) -> None:
        """Do it."""
