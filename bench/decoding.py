"""Forward–backward and Viterbi against hmmlearn's compiled routines: one thread, medians of CPU time."""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from time import process_time
from typing import Any

import numpy as np
from hmmlearn import _hmmc

from ventris.decoding import best_path, label_posteriors

SIZES = ((2, 200_000), (27, 30_000), (100, 4_000))  # classes, points
REPEATS = 11
TARGETS = {"forward-backward": 3.0, "viterbi": 2.0}  # at 27 classes


def interleaved(first: Callable[[], Any], second: Callable[[], Any], repeats: int) -> tuple[float, float]:
    """Median CPU seconds of two functions called in turn: a slow spell of the machine hits both."""
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(repeats):
        for function, taken in zip((first, second), times, strict=True):
            begin = process_time()
            function()
            taken.append(process_time() - begin)
    return median(times[0]), median(times[1])


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


def rows(repeats: int = REPEATS) -> list[dict[str, Any]]:
    """One row per routine and size: seconds of each side and their ratio (higher is better for Ventris)."""
    table = []
    for n_classes, n_points in SIZES:
        start, transition, scores = problem(n_classes, n_points)
        log_scores = np.log(scores)  # hmmlearn's Viterbi wants logs: given to it for free
        ours = (scores, None, [start], transition)
        pairs = {
            "forward-backward": (
                lambda a=(start, transition, scores): hmmlearn_posteriors(*a),
                lambda a=ours: label_posteriors(*a, n_jobs=1),
            ),
            "viterbi": (
                lambda a=(start, transition, log_scores): _hmmc.viterbi(*a),
                lambda a=ours: best_path(*a, n_jobs=1),
            ),
        }
        for routine, (theirs, mine) in pairs.items():
            mine()  # compiled before the clock starts
            peer, own = interleaved(theirs, mine, repeats)
            table.append(
                {
                    "routine": routine,
                    "classes": n_classes,
                    "points": n_points,
                    "hmmlearn_s": peer,
                    "ventris_s": own,
                    "ratio": peer / own,
                    "target": TARGETS[routine] if n_classes == 27 else None,
                }
            )
    return table


def main() -> None:
    for row in rows():
        target = f"  (target {row['target']:.0f}x)" if row["target"] else ""
        print(
            f"{row['routine']:17s} C={row['classes']:<4d} T={row['points']:<7d} "
            f"hmmlearn {row['hmmlearn_s'] * 1e3:7.2f} ms  ventris {row['ventris_s'] * 1e3:7.2f} ms  "
            f"{row['ratio']:5.2f}x{target}"
        )


if __name__ == "__main__":
    main()
