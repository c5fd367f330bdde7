"""What more of anything costs: CPU and peak memory of a fit, each in its own process, and log-log slopes.

Five axes: points (a memory-mapped file), classes, order of the label model, codes, starts. A slope of one is
linear growth. Beside them two wide files, 64 features, for what ten times the points cost and hold. Every
process fits a small problem first, so that imports and compiled code do not count.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from bench.rival import fit_quietly
from bench.rows import Measured, Row, alone
from ventris import NgramModel
from ventris.datasets import random_hmm

SEED, BLOCKS = 0, 64
SHORT, REPEATS = 3.0, 3  # a fit of fewer CPU seconds is made three times
LINEAR, FLAT = 1.1, 0.1  # the steepest slopes in the number of points that still pass
# Ten times as many points of 64 features may cost so many times the fit and the decipher step, and a fit may
# hold so many times its array.
WIDE_FIT, WIDE_DECIPHER, WIDE_MEMORY = 11.0, 1.2, 2.0


@dataclass(frozen=True)
class Size:
    """One problem of an axis, and the parameters of its fit."""

    axis: str
    value: int
    points: int = 20_000
    classes: int = 5
    features: int = 4
    order: int = 2
    codes: int | None = None
    starts: int | None = None


WIDE = [Size("wide points", n, points=n, classes=10, features=64) for n in (100_000, 1_000_000)]


def axes(quick: bool) -> dict[str, list[Size]]:
    """The sizes of each axis; a quick run leaves out the largest."""
    points = (10_000, 100_000) if quick else (10_000, 100_000, 1_000_000, 10_000_000)
    classes = (2, 5, 10, 20) if quick else (2, 5, 10, 20, 50, 100)
    codes = (32, 128, 512) if quick else (32, 128, 512, 2048, 4096)
    starts = (1, 16, 64) if quick else (1, 4, 16, 64, 256)
    return {
        "points": [Size("points", n, points=n, classes=2, features=2) for n in points],
        "classes": [Size("classes", n, points=30_000, classes=n, features=16) for n in classes],
        "order": [Size("order", n, classes=4, order=n) for n in range(1, 4 if quick else 6)],
        "codes": [Size("codes", n, points=20_000, classes=3, codes=n, starts=1) for n in codes],
        "starts": [Size("starts", n, classes=10, features=8, starts=n) for n in starts],
    }


# --------------------------------------------------------------------------------- one fit in its process


def problem(size: Size, folder: Path) -> tuple[NgramModel, Path]:
    """A Gaussian HMM's inputs as a float32 file, written block by block, and its label model."""
    rng = np.random.default_rng([SEED, size.classes, size.order])
    chain, means = random_hmm(size.classes, size.features, random_state=rng)
    lm = chain if size.order == 2 else NgramModel.from_sequences([chain.sample(200_000, rng)], size.order)
    path = folder / "inputs.npy"
    shape = (size.points, size.features)
    X = np.lib.format.open_memmap(path, mode="w+", dtype=np.float32, shape=shape)
    y = chain.sample(size.points, rng)
    for block in np.array_split(np.arange(size.points), BLOCKS):
        X[block] = means[y[block]] + rng.standard_normal((len(block), size.features))
    X.flush()
    return lm, path


def fit_and_print(size: Size) -> None:
    """Fit, short fits three times, and print as JSON their CPU and the growth of the resident peak."""
    small = Size("", 0, points=2000, classes=size.classes, features=size.features, order=size.order)
    with tempfile.TemporaryDirectory() as name:
        warm_lm, warm_path = problem(small, Path(name))
        fit_quietly(warm_lm, np.load(warm_path), random_state=SEED)
        lm, path = problem(size, Path(name))
        X = np.load(path, mmap_mode="r")
        Path("/proc/self/clear_refs").write_text("5")  # the peak of resident memory starts anew
        before = _status("VmRSS")
        parameters = {"codebook_size": size.codes, "n_init": size.starts, "order": size.order}
        runs = [_fit(lm, X, parameters)]
        megabytes = (_status("VmHWM") - before) / 1024
        while runs[0]["seconds"] < SHORT and len(runs) < REPEATS:
            runs.append(_fit(lm, X, parameters))
    print(json.dumps({"megabytes": megabytes, "runs": runs}))


def _fit(lm: NgramModel, X: Any, parameters: dict[str, Any]) -> dict[str, float]:
    """CPU seconds of one fit and of its decipher step."""
    clf, seconds = fit_quietly(lm, X, random_state=SEED, **parameters)
    decipher = sum(row["cpu_seconds"] for row in clf.history_ if row["step"] == "decipher")
    return {"seconds": seconds, "decipher": decipher}


def _status(name: str) -> int:
    """A field of this process's status, in kilobytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(dict(line.split(":", 1) for line in lines)[name].split()[0])


def in_a_process(size: Size) -> dict[str, Any]:
    """What `fit_and_print` prints, for a process of its own."""
    command = [sys.executable, "-m", "bench.growth", json.dumps(asdict(size))]
    found = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return dict(json.loads(found.splitlines()[-1]))


# ------------------------------------------------------------------------------------------------- slopes


def slope(sizes: Sequence[float], costs: Sequence[float]) -> float:
    """Least-squares slope of ln cost against ln size.

    Examples
    --------
    >>> round(slope([10, 100, 1000], [2.0, 20.0, 200.0]), 6)
    1.0
    """
    return float(np.polyfit(np.log(sizes), np.log(np.maximum(costs, 1e-6)), 1)[0])


def measure(quick: bool = False) -> Measured:
    """All sizes of all axes; two rows an axis, three for the points."""
    chosen = axes(quick)
    details = [_detail(size, in_a_process(size)) for sizes in chosen.values() for size in sizes]
    rows = [row for axis in chosen for row in _rows(axis, [d for d in details if d["axis"] == axis])]
    if not quick:
        wide = [_detail(size, in_a_process(size)) for size in WIDE]
        rows, details = rows + _wide_rows(*wide), details + wide
    return Measured(rows, details)


def _detail(size: Size, found: dict[str, Any]) -> dict[str, Any]:
    return asdict(size) | {
        "seconds": median(run["seconds"] for run in found["runs"]),
        "decipher": median(run["decipher"] for run in found["runs"]),
        "megabytes": found["megabytes"],
        "runs": found["runs"],
    }


def _rows(axis: str, details: list[dict[str, Any]]) -> list[Row]:
    span = f"{details[0]['value']:,} … {details[-1]['value']:,}"
    rows = [
        _row(f"{axis} {span}: CPU of a fit", "seconds", details, LINEAR if axis == "points" else None),
        _row(f"{axis} {span}: peak memory", "megabytes", details, LINEAR if axis == "points" else None),
    ]
    if axis == "points":
        rows.append(_row(f"points {span}: CPU of the decipher step", "decipher", details, FLAT))
    return rows


def _row(compared: str, what: str, details: list[dict[str, Any]], limit: float | None) -> Row:
    sizes, costs = [d["value"] for d in details], [d[what] for d in details]
    whole, last = slope(sizes, costs), slope(sizes[-2:], costs[-2:])
    unit = "MB" if what == "megabytes" else "CPU-s"
    wanted = 1.0 if limit is None else limit
    steepest = max(whole, last, 1e-2)  # what a fit costs at any size flattens the slope over all of them
    return Row(
        suite="growth",
        compared=f"{compared} / slope {wanted:g}",
        ours=steepest,
        peer=wanted,
        unit="log-log slope",
        ratio=wanted / steepest,
        spread=(wanted / steepest, wanted / max(min(whole, last), 1e-2)),
        alone=alone("growth"),
        bar=None if limit is None else 1.0,
        limit=True,
        note=f"{costs[0]:.3g} … {costs[-1]:.3g} {unit}; slope {whole:.2f} over all, {last:.2f} at the end",
    )


def _wide_rows(small: dict[str, Any], large: dict[str, Any]) -> list[Row]:
    array = large["points"] * large["features"] * 4 / 2**20  # MB of float32
    return [
        _times("CPU of a fit", large["seconds"] / small["seconds"], WIDE_FIT, "times that of 100,000"),
        _times(
            "CPU of decipher", large["decipher"] / small["decipher"], WIDE_DECIPHER, "times that of 100,000"
        ),
        _times("peak memory", large["megabytes"] / array, WIDE_MEMORY, "times the array"),
    ]


def _times(what: str, found: float, most: float, unit: str) -> Row:
    return Row(
        suite="growth",
        compared=f"1,000,000 points of 64 features, {what} / at most {most:g}",
        ours=found,
        peer=most,
        unit=unit,
        ratio=most / found,
        spread=(most / found, most / found),
        alone=alone("growth"),
        bar=1.0,
        limit=True,
    )


def main() -> None:
    """The process of one fit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("size", help="the size, as JSON")
    fit_and_print(Size(**json.loads(parser.parse_args().size)))


if __name__ == "__main__":
    main()
