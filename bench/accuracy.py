"""Accuracy and time against what users would pick instead: same data, same label model, taking turns.

The paper's ten chains, five of them again in each of three shapes that no Gaussian describes, and printed
glyphs. A run is in the right basin when its labels have their right names: no renaming lowers the error by
two points.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib.util import find_spec
from statistics import mean, median
from time import process_time
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from bench import peers, texts
from bench.metrics import error_rate
from bench.misspecified import SHAPES, misspecified
from bench.peers import Method
from bench.rival import is_right
from bench.rows import Measured, Row, alone
from bench.tasks import JITTER, ONE_FONT, ONE_FONT_NOISE, Task, english, paper_chain
from ventris.datasets.glyphs import make_glyphs

SEED = 0
CHAINS, ODD_CHAINS, QUICK_CHAINS = range(1, 11), (1, 3, 5, 7, 9), (2, 5, 9)
N_GLYPHS, N_GLYPHS_HELD_OUT = 25_000, 5_000
AHEAD = 1.0  # the least ratio of a peer's error to ours on misspecified data

Run = dict[str, Any]


def glyphs(seed: int) -> Task:
    """A stretch of Python's language reference in one font, read with general English."""
    rng = np.random.default_rng([seed, 27, 1])
    text, length = texts.language_reference(), N_GLYPHS + 2 * N_GLYPHS_HELD_OUT
    start = int(rng.integers(len(text) - length))
    stretch = "x" + text[start + 1 : start + length - 1] + "x"  # folding would strip a space at an end
    data = make_glyphs(stretch, fonts=ONE_FONT, noise=ONE_FONT_NOISE, jitter=JITTER, random_state=rng)
    cuts = (0, N_GLYPHS, N_GLYPHS + N_GLYPHS_HELD_OUT, length)
    train, validation, test = (data.part(*cuts[i : i + 2]) for i in range(3))
    return Task.of_parts("glyphs", seed, english(), (train, validation, test))


def families(quick: bool) -> dict[str, tuple[Iterable[Callable[[], Task]], tuple[Method, ...]]]:
    """Tasks and methods of each kind of data; Ventris comes first, and with it all others are compared."""
    chains = QUICK_CHAINS if quick else CHAINS
    common = (*peers.HMMS, *peers.BOUNDS)
    slow = () if quick else (*peers.POMEGRANATE, *peers.TORCH)
    found: dict[str, tuple[Iterable[Callable[[], Task]], tuple[Method, ...]]] = {
        "ten chains": ([lambda n=n: paper_chain(n, SEED) for n in chains], (peers.OURS, *common, *slow))
    }
    for shape in SHAPES:
        numbers = QUICK_CHAINS if quick else ODD_CHAINS
        makers = [lambda s=shape, n=n: misspecified(s, n, SEED) for n in numbers]
        mixed = () if quick else (peers.MIXTURE_HMM,)
        found[shape] = (makers, (peers.OURS, peers.CURVED, *common, *mixed))
    if not quick:
        found["glyphs"] = ([lambda: glyphs(SEED)], (peers.OURS, peers.ONE_HMM, *peers.BOUNDS))
    return found


def run(task: Task, method: Method, family: str) -> Run:
    """Fit on one thread, then read the test inputs and look at their labels."""
    began = process_time()
    reader = method.fit(task, task.seed)
    seconds = process_time() - began
    by_point, decoded = reader(task.X_test)
    best = by_point if decoded is None else decoded
    return {
        "family": family,
        "task": task.name,
        "method": method.name,
        "bound": method.is_bound,
        "right": is_right(task, best),
        "alone": None if by_point is None else error_rate(task.y_test, by_point),
        "decoded": None if decoded is None else error_rate(task.y_test, decoded),
        "seconds": seconds,
    }


def measure(quick: bool = False) -> Measured:
    """A row for each kind of data, form of ours and other method; every run is among the details."""
    _warm_up()
    rows, details = [], []
    with threadpool_limits(1):
        for family, (makers, methods) in families(quick).items():
            runs = [run(task, method, family) for task in (make() for make in makers) for method in methods]
            details += runs
            own = [method for method in methods if method in (peers.OURS, peers.CURVED)]
            others = [method for method in methods if method not in own]
            rows += [_row(family, mine, other, runs) for other in others for mine in own]
    return Measured(rows, details)


def _warm_up() -> None:
    """Compile and import what the first run would be charged for."""
    task = paper_chain(1, SEED)
    for method in (peers.OURS, peers.CURVED):
        method.fit(task, SEED)
    for name in ("torch", "pomegranate.hmm", "hmmlearn.hmm", "sklearn.mixture"):
        if find_spec(name.split(".")[0]):
            __import__(name)


# ------------------------------------------------------------------------------------------------ summary


def _row(family: str, mine: Method, other: Method, runs: list[Run]) -> Row:
    ours, theirs = ([r for r in runs if r["method"] == method.name] for method in (mine, other))
    kind = "alone" if theirs[0]["decoded"] is None else "decoded"
    own, peer = ([max(r[kind], 1e-4) for r in side] for side in (ours, theirs))  # none zero: ratios exist
    ratios = np.array(peer) / np.array(own)
    gaussian = other in peers.HMMS and family in SHAPES
    return Row(
        suite="accuracy",
        compared=f"{family}: {mine.name} / {other.name}",
        ours=100 * mean(own),
        peer=100 * mean(peer),
        unit=f"% error, {kind}",
        ratio=mean(peer) / mean(own),
        spread=(float(np.quantile(ratios, 0.25)), float(np.quantile(ratios, 0.75))),
        alone=alone("accuracy"),
        bar=AHEAD if gaussian else None,
        limit=other.is_bound,
        note=_note(ours, theirs, kind),
    )


def _note(ours: list[Run], theirs: list[Run], kind: str) -> str:
    right = [f"{sum(r['right'] for r in side)} of {len(side)}" for side in (ours, theirs)]
    seconds = [median(r["seconds"] for r in side) for side in (ours, theirs)]
    ahead = sum(a[kind] < b[kind] for a, b in zip(ours, theirs, strict=True))
    return (
        f"right basin {right[0]} against {right[1]}; ahead in {ahead}; "
        f"CPU {seconds[0]:.2f} s against {seconds[1]:.2f} s a fit"
    )
