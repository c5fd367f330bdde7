"""How much is computed: everything that changes a number of the page."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

from ventris.errors import ParameterError

CHAINS = tuple(range(1, 11))
SHOWN = 2  # the paper's own example among its ten chains


@dataclass(frozen=True)
class Settings:
    """The full run; `quick` gives the short one.

    Attributes
    ----------
    seeds : int
        Data sets drawn from each chain for our default, the supervised reference and hmmlearn.
    updates : int
        Of SPDG at the paper's rates, from the starts and once more from their relabellings.
    lanes : int
        Its starts.
    unigram_updates, unigram_starts : int
    hmm_starts : int
        Starts of hmmlearn, of which the likelihood chooses.
    basin_starts : int
    path_updates : int
        Of SPDG and of naive descent, side by side.
    grid : int
        Points along each side of a surface.
    """

    seeds: int = 10
    updates: int = 100_000_000
    lanes: int = 8
    unigram_updates: int = 5_000_000
    unigram_starts: int = 20
    hmm_starts: int = 4
    basin_starts: int = 40
    path_updates: int = 300_000
    grid: int = 61

    @classmethod
    def quick(cls) -> Settings:
        """The same page in a minute or two: fewer updates, seeds and points."""
        return cls(
            seeds=1, updates=400_000, unigram_updates=1_000_000, unigram_starts=8, hmm_starts=1,
            basin_starts=12, path_updates=50_000, grid=31,
        )  # fmt: skip

    def with_seeds(self, seeds: int | None) -> Settings:
        """The same with another number of data sets, if one is given."""
        if seeds is None:
            return self
        if seeds < 1:
            raise ParameterError("--seeds must be at least 1", f"it is {seeds}", "Give a positive number")
        return replace(self, seeds=seeds)

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return asdict(self)
