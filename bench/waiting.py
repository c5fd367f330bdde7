"""How long a user waits before anything happens: help, a language, a data set, counting a text."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

from ventris.datasets import load_language, make_paper_chain
from ventris.language_model import NgramModel

ALPHABET = "abcdefghijklmnopqrstuvwxyz "


def _seconds(action: Callable[[], Any], repeats: int = 5) -> float:
    """Least wall time of several, after one to warm up."""
    action()
    times = []
    for _ in range(repeats):
        began = time.perf_counter()
        action()
        times.append(time.perf_counter() - began)
    return min(times)


def rows() -> list[dict[str, Any]]:
    """One row an action: seconds, and the target."""
    text = ("the quick brown fox jumps over the lazy dog " * 2_300_000)[:100_000_000]
    actions: dict[str, tuple[Callable[[], Any], int, float]] = {
        "ventris --help": (
            lambda: subprocess.run([sys.executable, "-m", "ventris.cli", "--help"], capture_output=True),
            5,
            0.5,
        ),
        "load_language('en', order=3)": (lambda: load_language("en", order=3), 5, 0.1),
        "make_paper_chain(1)": (lambda: make_paper_chain(1), 5, 0.05),
        "from_text, 100 MB, order 3": (lambda: NgramModel.from_text(text, 3, alphabet=ALPHABET), 1, 10.0),
    }
    return [
        {"action": name, "seconds": _seconds(action, repeats), "target": target}
        for name, (action, repeats, target) in actions.items()
    ]


if __name__ == "__main__":
    for row in rows():
        print(row)
