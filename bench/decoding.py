"""Forward–backward and Viterbi against hmmlearn's compiled routines: one thread, medians of CPU time."""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from typing import Any

import numpy as np
from hmmlearn import _hmmc

from bench.clocks import interleaved, paired_ratio
from bench.rows import Measured, Row, alone
from ventris.inference.decoding import best_path, label_posteriors

SIZES = ((2, 200_000), (27, 30_000), (100, 4_000))  # classes, points
ROUNDS, QUICK_ROUNDS = 11, 5
BARS = {"forward–backward": 3.0, "Viterbi": 2.0}  # at 27 classes


def hmmlearn_posteriors(start: np.ndarray, transition: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """What hmmlearn's `implementation="scaling"` does once it has the frame likelihoods."""
    _, forward, scaling = _hmmc.forward_scaling(start, transition, scores)
    posteriors = forward * _hmmc.backward_scaling(start, transition, scores, scaling)
    return posteriors / posteriors.sum(axis=1, keepdims=True)


def problem(n_classes: int, n_points: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Uniform start, random transitions, scores of a noisy classifier."""
    rng = np.random.default_rng(seed)
    start = np.full(n_classes, 1 / n_classes)
    transition = rng.dirichlet(np.ones(n_classes), n_classes)
    return start, transition, np.exp(rng.normal(size=(n_points, n_classes)))


def routines(n_classes: int, n_points: int) -> dict[str, dict[str, Callable[[], Any]]]:
    """Both sides of each routine on one problem."""
    start, transition, scores = problem(n_classes, n_points)
    log_scores = np.log(scores)  # hmmlearn's Viterbi wants logs: given to it for free
    return {
        "forward–backward": {
            "peer": lambda: hmmlearn_posteriors(start, transition, scores),
            "ours": lambda: label_posteriors(scores, None, [start], transition, n_jobs=1),
        },
        "Viterbi": {
            "peer": lambda: _hmmc.viterbi(start, transition, log_scores),
            "ours": lambda: best_path(scores, None, [start], transition, n_jobs=1),
        },
    }


def measure(quick: bool = False) -> Measured:
    """One row per routine and size."""
    rows = []
    for n_classes, n_points in SIZES:
        for routine, sides in routines(n_classes, n_points).items():
            times = interleaved(sides, QUICK_ROUNDS if quick else ROUNDS)
            ratio, spread = paired_ratio(times["peer"], times["ours"])
            rows.append(
                Row(
                    suite="decoding",
                    compared=f"{routine}, {n_classes} classes, {n_points:,} points / hmmlearn",
                    ours=1e3 * median(times["ours"]),
                    peer=1e3 * median(times["peer"]),
                    unit="ms",
                    ratio=ratio,
                    spread=spread,
                    alone=alone("decoding"),
                    bar=BARS[routine] if n_classes == 27 else None,
                )
            )
    return Measured(rows)
