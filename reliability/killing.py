"""Kill −9 at a random moment of a fit, go on from its checkpoint, compare every bit with a fit unbroken."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

import ventris as vt
from reliability.determinism import same_bits
from reliability.tally import Group
from ventris.datasets import make_gaussian_hmm, random_hmm
from ventris.errors import VentrisWarning

FITS: dict[str, dict[str, Any]] = {
    "auto": {"n_init": 48},
    "spdg": {"method": "spdg", "n_init": 8, "max_iter": 4_000, "checkpoint_every": 200},
    "full-batch": {"method": "full-batch", "n_init": 8, "max_iter": 60},
}
_CHILD = "from reliability.killing import child; child()"
_READY = "ready"


@cache
def _problem() -> tuple[vt.NgramModel, Any]:
    lm, means = random_hmm(4, 5, random_state=np.random.default_rng(11))
    return lm, make_gaussian_hmm(lm, means, n_samples=8000, random_state=np.random.default_rng(12)).X


def fit(kind: str, folder: Path | None) -> vt.SequenceClassifier:
    """The fit that is broken and taken up again; one thread, whoever runs it."""
    lm, X = _problem()
    parameters = {"random_state": 5, "n_jobs": 1, "checkpoint": folder} | FITS[kind]
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore", VentrisWarning)
        return vt.SequenceClassifier(lm, **parameters).fit(X)


def child() -> None:
    """A process that says when it begins, so that its end falls into the fit and not into the imports."""
    kind, folder = sys.argv[1:]
    lm, X = _problem()
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore", VentrisWarning)
        vt.SequenceClassifier(lm, **{"max_iter": 1, "n_init": 1} | _little(kind)).fit(X[:200])  # compiled now
    print(_READY, flush=True)
    fit(kind, Path(folder))


def _little(kind: str) -> dict[str, Any]:
    return {} if kind == "auto" else {"method": kind}


def kill_at(kind: str, folder: Path, seconds: float) -> bool:
    """Begin a fit and end it after so many seconds; whether it was still at work then."""
    command = [sys.executable, "-c", _CHILD, kind, str(folder)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, env=os.environ | {"OMP_NUM_THREADS": "1"})
    assert process.stdout is not None
    process.stdout.readline()
    time.sleep(seconds)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    return process.returncode == -signal.SIGKILL


def kill_and_go_on(kind: str, share: float, whole: vt.SequenceClassifier, seconds: float) -> str:
    """Kill a fit at this share of its time, go on, compare; what its checkpoint held when it died.

    A busy machine can finish the fit before its time: then it is begun anew and killed sooner.
    """
    for _ in range(20):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name) / "checkpoint"
            if kill_at(kind, folder, share * seconds):
                states = sorted(path.stem for path in folder.glob("*.state")) if folder.exists() else []
                same_bits(whole, fit(kind, folder), _problem()[1])
                return ", ".join(states) or "nothing"
        share *= 0.7
    raise AssertionError("the fit could not be killed in time")


def killed(n_kills: int, seed: int = 0) -> Group:
    """Kill the fits in turn, each at a random moment."""
    rng = np.random.default_rng(seed)
    group, with_state = Group(f"kill −9 at {n_kills} random moments, then going on: same bits"), 0
    wholes: dict[str, tuple[vt.SequenceClassifier, float]] = {}
    for number in range(n_kills):
        kind, share = list(FITS)[number % len(FITS)], float(rng.uniform(0.02, 0.98))
        if kind not in wholes:
            wholes[kind] = _timed(kind)
        held: list[str] = []
        group.hold(
            f"{kind}, killed at {100 * share:.0f} % of its time",
            lambda k=kind, s=share, h=held: h.append(kill_and_go_on(k, s, *wholes[k])),  # type: ignore[misc]
        )
        with_state += any("route" in text or "solve" in text for text in held)
    group.measured = f"{with_state} of {n_kills} died with some of their work kept"
    return group


def _timed(kind: str) -> tuple[vt.SequenceClassifier, float]:
    """The unbroken fit, with a checkpoint as the others have, and the seconds it took when compiled."""
    fit(kind, None)
    with tempfile.TemporaryDirectory() as name:
        began = time.perf_counter()
        whole = fit(kind, Path(name) / "checkpoint")
        return whole, time.perf_counter() - began
