"""Reading wide tables: CPU by the number of columns, beside pandas and a straight line.

A table of D columns has D names to look up and, in each row, D cells to read: time must grow with D, not with
its square.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from statistics import median

import pandas as pd

from bench.clocks import interleaved, paired_ratio
from bench.growth import LINEAR, slope
from bench.rows import Measured, Row, alone
from ventris.readers import read_data

COLUMNS, QUICK_COLUMNS, POINTS = (1_000, 4_000, 16_000, 64_000), (1_000, 4_000, 16_000), 20
ROUNDS = 3


def write_table(path: Path, columns: int) -> None:
    """POINTS rows of so many numbers below their names."""
    names = ",".join(f"c{k}" for k in range(columns))
    rows = [",".join(f"{k % 97 / 8 + row}" for k in range(columns)) for row in range(POINTS)]
    path.write_text("\n".join([names, *rows]) + "\n")


def measure(quick: bool = False) -> Measured:
    """A row for the slope, and one against pandas for each width."""
    columns = QUICK_COLUMNS if quick else COLUMNS
    seconds, rows = [], []
    with tempfile.TemporaryDirectory() as folder:
        for n in columns:
            path = Path(folder) / f"{n}.csv"
            write_table(path, n)
            sides = {"ours": lambda path=path: read_data(path), "pandas": lambda path=path: pd.read_csv(path)}
            times = interleaved(sides, ROUNDS)
            seconds.append(median(times["ours"]))
            rows.append(_against_pandas(n, times))
    return Measured([_slope(columns, seconds), *rows])


def _against_pandas(columns: int, times: dict[str, list[float]]) -> Row:
    ratio, spread = paired_ratio(times["pandas"], times["ours"])
    return Row(
        suite="reading", compared=f"a table of {columns:,} columns, {POINTS} rows / pandas.read_csv",
        ours=median(times["ours"]), peer=median(times["pandas"]), unit="CPU-s", ratio=ratio, spread=spread,
        alone=alone("reading"),
    )  # fmt: skip


def _slope(columns: tuple[int, ...], seconds: list[float]) -> Row:
    whole, last = slope(columns, seconds), slope(columns[-2:], seconds[-2:])
    steepest = max(whole, last, 1e-2)
    return Row(
        suite="reading",
        compared=f"columns {columns[0]:,} … {columns[-1]:,}: CPU of reading / slope {LINEAR:g}",
        ours=steepest, peer=LINEAR, unit="log-log slope", ratio=LINEAR / steepest,
        spread=(LINEAR / steepest, LINEAR / max(min(whole, last), 1e-2)),
        alone=alone("reading"), bar=1.0, limit=True,
        note=f"{seconds[0]:.3g} … {seconds[-1]:.3g} CPU-s; slope {whole:.2f} over all, {last:.2f} at the end",
    )  # fmt: skip
