"""How long a user waits before anything happens: help, a first fit, the demo, a language, counting a text.

The peer of each row is the wait that was promised; seconds are CPU seconds, the child's included.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from bench.clocks import paired_ratio
from bench.rows import Measured, Row, alone
from ventris.classifier import SequenceClassifier
from ventris.datasets import load_language, make_paper_chain
from ventris.label_model.model import NgramModel

ALPHABET = "abcdefghijklmnopqrstuvwxyz "
ROUNDS = 5
LONG = 5.0  # CPU-s promised above which one round is enough, and a quick run does without

# What a user types, with a clock around the fit alone: importing the library is not part of it.
FIRST_FIT = """
import time
import ventris as vt
chain = vt.datasets.make_paper_chain(2)
classifier = vt.SequenceClassifier(chain.lm, random_state=0)
began = time.process_time()
classifier.fit(chain.train.X)
print(time.process_time() - began)
"""


@dataclass(frozen=True)
class Wait:
    """Something a user waits for.

    Attributes
    ----------
    name : str
    promised : float
        CPU seconds.
    spent : callable
        Does it, and returns the CPU seconds it took.
    cold : bool
        Whether it starts with nothing compiled: then no round goes before the one that counts.
    """

    name: str
    promised: float
    spent: Callable[[], float]
    cold: bool = False

    def rounds(self) -> list[float]:
        """CPU seconds of each round, after one that compiles and warms up."""
        if not self.cold:
            self.spent()
        return [self.spent() for _ in range(1 if self.promised > LONG else ROUNDS)]


def cpu_seconds() -> float:
    """User and system time of this process and of its children that have ended."""
    kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(spent.ru_utime + spent.ru_stime for spent in map(resource.getrusage, kinds))


def around(action: Callable[[], Any]) -> Callable[[], float]:
    """The action, timed from outside."""

    def spent() -> float:
        began = cpu_seconds()
        action()
        return cpu_seconds() - began

    return spent


def python(*arguments: str, **environment: str) -> str:
    """What a fresh interpreter prints."""
    command = [sys.executable, *arguments]
    done = subprocess.run(
        command, capture_output=True, check=True, encoding="utf-8", env=os.environ | environment
    )
    return done.stdout


def first_fit_ever() -> float:
    """CPU seconds of a fit where nothing has been compiled yet."""
    with TemporaryDirectory() as folder:
        return float(python("-c", FIRST_FIT, NUMBA_CACHE_DIR=folder))


def first_demo_ever() -> None:
    """`ventris demo` as after an installation: nothing compiled, no font looked up."""
    with TemporaryDirectory() as folder:
        out = str(Path(folder, "demo"))
        python("-m", "ventris", "demo", "--out", out, NUMBA_CACHE_DIR=folder, MPLCONFIGDIR=folder)


def waits(text: str) -> list[Wait]:
    """Everything that was promised; `text` is the one to count."""
    chain = make_paper_chain(2)
    return [
        Wait("ventris --help", 0.5, around(lambda: python("-m", "ventris", "--help"))),
        Wait("ventris demo, the first ever", 12.0, around(first_demo_ever), cold=True),
        Wait("fit of a chain, the first ever", 7.0, first_fit_ever, cold=True),
        Wait("fit of a chain, the first in a process", 0.4, lambda: float(python("-c", FIRST_FIT))),
        Wait(
            "fit of a chain, any later one",
            0.15,
            around(lambda: SequenceClassifier(chain.lm, random_state=0).fit(chain.train.X)),
        ),
        Wait("load_language('en', order=3)", 0.1, around(lambda: load_language("en", order=3))),
        Wait("make_paper_chain(1)", 0.05, around(lambda: make_paper_chain(1))),
        Wait(
            "NgramModel.from_text, 100 MB, order 3",
            10.0,
            around(lambda: NgramModel.from_text(text, 3, alphabet=ALPHABET)),
        ),
    ]


def measure(quick: bool = False) -> Measured:
    """One row a wait; the long ones are left out of a quick run."""
    text = "" if quick else ("the quick brown fox jumps over the lazy dog " * 2_300_000)[:100_000_000]
    return Measured([_row(wait) for wait in waits(text) if not (quick and wait.promised > LONG)])


def _row(wait: Wait) -> Row:
    taken = wait.rounds()
    ratio, spread = paired_ratio([wait.promised] * len(taken), taken)
    return Row(
        suite="waiting",
        compared=f"{wait.name} / promised",
        ours=median(taken),
        peer=wait.promised,
        unit="CPU-s",
        ratio=ratio,
        spread=spread,
        alone=alone("waiting"),
        bar=1.0,
    )
