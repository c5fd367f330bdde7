"""`python -m bench.calibration`: what the signs of a fit are worth, learnt on random problems.

    collect   fits the problems of seeds 100 to 199, numbers 1 to N of each, and keeps signs beside true
              errors, a line of JSON a fit; begun again, it goes on where it was
    write     fits the table of `bench.calibrating` and writes it where the library reads it
    curve     says what tables of more and more of the fits make of seeds they were not learnt from
    check     reads signs that were collected, of another kind of problems for example, with a written table

The soak of the acceptance takes number 0 of seeds from 300 on: no problem is in both.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bench.calibrating import Table, estimate, fit_table, outlook
from bench.family import Row
from bench.trust.fits import errors, fit, signs
from bench.trust.problems import KINDS, draw
from bench.trust.soak import auc, is_right, tenths_off
from ventris.diagnostics.calibration import Outlook

SEEDS = range(100, 200)
ROWS = Path("bench/calibration.jsonl")
TABLE = Path("src/ventris/diagnostics/calibration.json")
N_FOLDS, MOST_BYTES, COVERAGE = 5, 100_000, 0.9
POINTS = (0.5, 0.52, 0.54, 0.56, 0.58, 0.6)  # quantiles that may be the estimate
SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)  # of the forest
MOST_BIAS = 0.0025  # of estimates of seeds not learnt from: a quarter of what the soak allows


def collected(seed: int, number: int, kind: str) -> Row:
    """One problem: signs of its fit, and the truth beside them."""
    problem = draw(seed, number, kind)
    clf, row = fit(problem.given, problem.X_train, problem.lengths, seed=seed)
    return {
        "seed": seed,
        "number": number,
        "kind": kind,
        "points": len(problem.X_train),
        "labels": problem.given.n_classes,
        "off": problem.off,
        "best": problem.best,
        "cpu": row["cpu"],
        "doubts": row["doubts"],
        "remarks": row["remarks"],
        "signs": signs(clf),
    } | errors(clf, problem.X_test, problem.y_test)


def read_rows(path: Path) -> list[Row]:
    """The lines of a file that are whole; a process that was ended may have left half of one."""
    rows = []
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
        try:
            rows.append(json.loads(line))
        except json.JSONDecodeError:
            print(f"{path}: a line that was cut short is left out", file=sys.stderr)
    return rows


def missing(path: Path, numbers: int, kind: str) -> Iterator[tuple[int, int, str]]:
    """The problems not yet in the file; all seeds of a number before the next number."""
    done = {(row["seed"], row["number"], row["kind"]) for row in read_rows(path)}
    wanted = ((seed, number, kind) for number in range(1, numbers + 1) for seed in SEEDS)
    return (each for each in wanted if each not in done)


def collect(path: Path, numbers: int, kind: str, jobs: int) -> None:
    """Fit what is missing, each process on one thread."""
    os.environ["OMP_NUM_THREADS"] = os.environ["NUMBA_NUM_THREADS"] = "1"  # children inherit them
    wanted = list(missing(path, numbers, kind))
    spawn = multiprocessing.get_context("spawn")
    if path.exists() and not path.read_text(encoding="utf-8").endswith("\n"):
        path.write_text("".join(json.dumps(row) + "\n" for row in read_rows(path)), encoding="utf-8")
    with ProcessPoolExecutor(jobs, mp_context=spawn) as pool, path.open("a", encoding="utf-8") as file:
        waiting = [pool.submit(collected, *each) for each in wanted]
        for count, future in enumerate(as_completed(waiting), start=1):
            row = future.result()
            file.write(json.dumps(row) + "\n")
            file.flush()
            print(
                f"{count} of {len(wanted)}: seed {row['seed']} number {row['number']}  "
                f"best {row['best']:.3f}  error {row['error']:.3f}  "
                f"{'right' if is_right(row) else 'WRONG'}  CPU {row['cpu']:.1f} s",
                flush=True,
            )


# ------------------------------------------------------------------------------------------------- judging


def judged(rows: Sequence[Row], found: Sequence[Row]) -> Row:
    """The bars of the soak that hang on the table, for estimates of these rows."""
    truth = np.array([row["error"] for row in rows])
    estimates = np.array([each["estimated_error"] for each in found])
    wrong = np.array([not is_right(row) for row in rows])
    covered = [f["low"] <= e <= f["high"] for f, e in zip(found, truth, strict=True)]
    names_wrong = np.array([row["error"] > row["renamed"] + 0.02 for row in rows])
    return {
        "fits": len(rows),
        "wrong": float(wrong.mean()),
        "mean deviation": float(np.abs(truth - estimates).mean()),
        "bias": float((estimates - truth).mean()),
        "tenths off": tenths_off(estimates, truth),
        "interval covers": float(np.mean(covered)),
        "mean width": float(np.mean([f["high"] - f["low"] for f in found])),
        "AUC of the estimate": auc(estimates, wrong),
        "AUC of right": auc(1 - np.array([f["right_probability"] for f in found]), wrong),
        "AUC of names": auc(1 - np.array([f["naming_probability"] for f in found]), wrong),
        "AUC of names for wrong names": auc(
            1 - np.array([f["naming_probability"] for f in found]), names_wrong
        ),
    }


Choice = tuple[float, float]  # the forest's share, and the quantile that is the estimate


@dataclass(frozen=True)
class Trial:
    """What tables make of seeds they were not learnt from, for each choice (cross-validation)."""

    numbers: dict[Choice, Row]
    levels: dict[Choice, float]

    @classmethod
    def of(cls, rows: Sequence[Row]) -> Trial:
        """Each fifth of the seeds read with the table of the others."""
        folds = [[row for row in rows if row["seed"] % N_FOLDS != fold] for fold in range(N_FOLDS)]
        tables = [fit_table(part) for part in folds]
        numbers, levels = {}, {}
        for share in SHARES:
            looks = [
                outlook(tables[row["seed"] % N_FOLDS] | {"forest_share": share}, row["signs"]) for row in rows
            ]
            level = covering(looks, [row["error"] for row in rows])
            for point in POINTS:
                numbers[share, point] = judged(rows, [look.estimated(point, level) for look in looks])
                levels[share, point] = level
        return cls(numbers, levels)

    @property
    def choice(self) -> Choice:
        """That with the least deviation of those that stay honest; the least bias where none does."""
        honest = [choice for choice, numbers in self.numbers.items() if is_honest(numbers)]
        if not honest:
            return min(self.numbers, key=lambda choice: abs(self.numbers[choice]["bias"]))
        return min(honest, key=lambda choice: self.numbers[choice]["mean deviation"])

    @property
    def best(self) -> Row:
        """What comes of it."""
        return self.numbers[self.choice]


def covering(looks: Sequence[Outlook], errors: Sequence[float]) -> float:
    """The least level whose intervals cover what they promise, by bisection: wider ones cover more."""
    low, high = 0.5, 0.999
    for _ in range(9):
        level = (low + high) / 2
        ends = (look.quantiles([(1 - level) / 2, (1 + level) / 2]) for look in looks)
        covered = np.mean([one <= error <= other for (one, other), error in zip(ends, errors, strict=True)])
        low, high = (low, level) if covered >= COVERAGE else (level, high)
    return round(high, 4)


def is_honest(numbers: Row) -> bool:
    """Whether estimates have hardly any bias, in any tenth."""
    return abs(numbers["bias"]) <= MOST_BIAS and not numbers["tenths off"]


def write(rows: Sequence[Row], path: Path) -> Table:
    """The table of all rows, what is chosen chosen as seeds not learnt from want it."""
    trial = Trial.of(rows)
    share, point = trial.choice
    _show(f"forest's share {share:g}, estimate at {point:g}, seeds not learnt from", trial.best)
    table = fit_table(rows, forest_share=share, point=point, level=trial.levels[trial.choice])
    text = json.dumps(table, separators=(",", ":")) + "\n"
    assert len(text) <= MOST_BYTES, f"the table has {len(text)} bytes, more than {MOST_BYTES}"
    path.write_text(text, encoding="utf-8")
    print(f"{len(text)} bytes in {path}")
    return table


def curve(rows: Sequence[Row], step: int = 400) -> None:
    """What tables of more and more fits make of seeds not learnt from, beside who knows right from wrong."""
    for n_rows in [*range(step, len(rows), step), len(rows)]:
        trial = Trial.of(rows[:n_rows])
        share, point = trial.choice
        _show(f"{n_rows} fits, forest's share {share:g}, estimate at {point:g}", trial.best)
    _show("told which fits are wrong", Trial.of([_told(row) for row in rows]).best)


def _told(row: Row) -> Row:
    return row | {"signs": row["signs"] | {"is_wrong": float(not is_right(row))}}


def _show(title: str, numbers: Row) -> None:
    cells = (f"{n} {v:.3f}" if isinstance(v, float) else f"{n} {v}" for n, v in numbers.items())
    print(f"{title}: {', '.join(cells)}")


def main(argv: Sequence[str] | None = None) -> int:
    """Collect, write, say what more would bring, or check."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("command", choices=["collect", "write", "curve", "check"])
    parser.add_argument("--rows", type=Path, default=ROWS)
    parser.add_argument("--table", type=Path, default=TABLE)
    parser.add_argument("--numbers", type=int, default=20, help="problems a seed")
    parser.add_argument("--kind", choices=KINDS, default=KINDS[0])
    parser.add_argument("--jobs", type=int, default=2, help="processes, one thread each")
    given = parser.parse_args(argv)
    if given.command == "collect":
        collect(given.rows, given.numbers, given.kind, given.jobs)
        return 0
    rows: list[Any] = sorted(read_rows(given.rows), key=lambda row: (row["number"], row["seed"]))
    if given.command == "write":
        write(rows, given.table)
    elif given.command == "curve":
        curve(rows)
    else:
        table = json.loads(given.table.read_text(encoding="utf-8"))
        found = [estimate(table, row["signs"]) for row in rows]
        _show(f"{given.rows}, {COVERAGE:.0%} intervals", judged(rows, found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
