"""`ventris bench`: the measurements, which live beside the package in its repository."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

ELSEWHERE = "The bench is part of the repository, not of the package. In a clone of it, run: make bench"


def bench(
    *,
    only: Annotated[list[str] | None, Parameter(negative="", consume_multiple=True)] = None,
    quick: Annotated[bool, Parameter(negative="")] = False,
) -> None:
    """Measure speed and accuracy against other tools, in a clone of the repository.

    Example: ventris bench

    Parameters
    ----------
    only
        Suites to run; all of them if none is named.
    quick
        Fewer rounds and smaller sizes: some minutes instead of half an hour.
    """
    import subprocess
    import sys

    if not Path("bench", "rows.py").exists():
        print(ELSEWHERE)
        return
    suites = ["--only", *only] if only else []
    done = subprocess.run([sys.executable, "-m", "bench", *suites, *["--quick"] * quick], check=False)
    if done.returncode:
        sys.exit(done.returncode)
