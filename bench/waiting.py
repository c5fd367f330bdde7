"""How long a user waits before anything happens: help, a language, a data set, counting a text.

The peer of each row is the wait that was promised; seconds are CPU seconds, the child's included.
"""

from __future__ import annotations

import resource
import subprocess
import sys
from collections.abc import Callable
from statistics import median
from typing import Any

from bench.clocks import interleaved, paired_ratio
from bench.rows import Measured, Row, alone
from ventris.datasets import load_language, make_paper_chain
from ventris.label_model.model import NgramModel

ALPHABET = "abcdefghijklmnopqrstuvwxyz "
PROMISED = {
    "ventris --help": 0.5,
    "load_language('en', order=3)": 0.1,
    "make_paper_chain(1)": 0.05,
    "NgramModel.from_text, 100 MB, order 3": 10.0,
}
ROUNDS = 5


def cpu_seconds() -> float:
    """User and system time of this process and of its children that have ended."""
    kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(spent.ru_utime + spent.ru_stime for spent in map(resource.getrusage, kinds))


def actions(text: str) -> dict[str, Callable[[], Any]]:
    """Each action by the name it was promised under."""
    command = [sys.executable, "-m", "ventris", "--help"]
    does: tuple[Callable[[], Any], ...] = (
        lambda: subprocess.run(command, capture_output=True, check=True),
        lambda: load_language("en", order=3),
        lambda: make_paper_chain(1),
        lambda: NgramModel.from_text(text, 3, alphabet=ALPHABET),
    )
    return dict(zip(PROMISED, does, strict=True))


def measure(quick: bool = False) -> Measured:
    """One row an action; the longest is left out of a quick run."""
    text = "" if quick else ("the quick brown fox jumps over the lazy dog " * 2_300_000)[:100_000_000]
    rows = []
    for name, action in actions(text).items():
        long = PROMISED[name] > 5
        if quick and long:
            continue
        taken = interleaved({"ours": action}, 1 if long else ROUNDS, cpu_seconds)["ours"]
        ratio, spread = paired_ratio([PROMISED[name]] * len(taken), taken)
        rows.append(
            Row(
                suite="waiting",
                compared=f"{name} / promised",
                ours=median(taken),
                peer=PROMISED[name],
                unit="CPU-s",
                ratio=ratio,
                spread=spread,
                alone=alone("waiting"),
                bar=1.0,
            )
        )
    return Measured(rows)
