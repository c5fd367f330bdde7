"""Files to try the command line on: unlabelled points, a text of labels, and the truth to measure by.

A machine goes through five states. Its log book, kept on other days, shows how states follow one another; its
sensors are recorded without a word about the state.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ventris.datasets import make_gaussian_hmm
from ventris.label_model.model import NgramModel
from ventris.storage.files import atomic_path, make_folder

STATES = ("clean", "cool", "idle", "warm", "work")
# p(next state | state): the machine warms up, works, cools, and is cleaned now and then.
TRANSITIONS = np.array(
    [
        [0.30, 0.00, 0.60, 0.10, 0.00],
        [0.35, 0.30, 0.30, 0.05, 0.00],
        [0.00, 0.00, 0.50, 0.50, 0.00],
        [0.00, 0.05, 0.00, 0.35, 0.60],
        [0.00, 0.25, 0.00, 0.00, 0.75],
    ]
)
MEANS = np.array(
    [
        [0.0, 2.2, 0.4, 1.8],
        [1.2, 0.2, 2.0, 0.3],
        [0.0, 0.0, 0.0, 0.0],
        [2.0, 0.4, 0.3, 0.6],
        [2.4, 0.6, 2.2, 2.0],
    ]
)
VARIANCE = 0.35
SEED = 0


def write_example_files(folder: Path, *, n_samples: int = 12_000, force: bool = False) -> list[Path]:
    """Write `points.npy`, `test.npy`, `truth.csv` and `labels.txt` to a folder.

    Parameters
    ----------
    folder : path
        Created if it is not there.
    n_samples : int, default 12,000
        Points to learn from; a third as many are for testing.
    force : bool, default False
        Whether existing files may be replaced.

    Returns
    -------
    list of paths
        In the order above: points to learn from, points to test on, the labels of the latter, and the log
        book of other days, 400 lines of 50 states.
    """
    lm = NgramModel.from_transition_matrix(TRANSITIONS, classes=STATES)
    data = make_gaussian_hmm(lm, MEANS, VARIANCE, n_samples=n_samples + n_samples // 3, random_state=SEED)
    other_days = lm.alphabet.decode(lm.sample(20_000, SEED + 1)).reshape(400, 50)
    truth = lm.alphabet.decode(data.y[n_samples:])
    make_folder(folder)
    return [
        _save_array(folder / "points.npy", data.X[:n_samples], force),
        _save_array(folder / "test.npy", data.X[n_samples:], force),
        _save_lines(folder / "truth.csv", ["label", *truth], force),
        _save_lines(folder / "labels.txt", [" ".join(day) for day in other_days], force),
    ]


def _save_array(path: Path, array: NDArray, force: bool) -> Path:
    with atomic_path(path, force=force) as temporary, open(temporary, "wb") as file:
        np.save(file, array.astype(np.float32))
    return path


def _save_lines(path: Path, lines: list[str], force: bool) -> Path:
    with atomic_path(path, force=force) as temporary:
        temporary.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path
