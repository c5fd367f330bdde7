"""`python -m bench.calibration`: what the signs of a fit are worth, learnt on random problems.

    collect   fits the problems of seeds 100 to 199, numbers 1 to N of each, and keeps signs beside true
              errors, a line of JSON a fit; begun again, it goes on where it was
    write     fits the table of `bench.calibrating` and writes it where the library reads it
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

from bench.calibrating import COVERAGE, Table, estimate, fit_table
from bench.family import Row
from bench.trust.fits import errors, fit, signs
from bench.trust.problems import KINDS, draw
from bench.trust.soak import auc, is_right, tenths_off

SEEDS = range(100, 200)
ROWS = Path("bench/calibration.jsonl")
TABLE = Path("src/ventris/diagnostics/calibration.json")
N_FOLDS, MOST_BYTES = 5, 10_000
LEANS = (0.0, 0.25, 0.5, 0.75, 1.0)
MOST_BIAS = 0.005  # of estimates of seeds not learnt from: half of what the soak allows


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


@dataclass(frozen=True)
class Trial:
    """What a kind of table makes of seeds it was not learnt from, for each lean (cross-validation)."""

    products: bool
    numbers: dict[float, Row]

    @classmethod
    def of(cls, rows: Sequence[Row], *, products: bool) -> Trial:
        """Each fifth of the seeds read with the table of the others."""
        found: dict[float, dict[int, Row]] = {lean: {} for lean in LEANS}
        for fold in range(N_FOLDS):
            inside = [k for k, row in enumerate(rows) if row["seed"] % N_FOLDS == fold]
            table = fit_table([row for row in rows if row["seed"] % N_FOLDS != fold], products=products)
            for lean in LEANS:
                leaning = table | {"lean": lean}
                found[lean] |= {k: estimate(leaning, rows[k]["signs"]) for k in inside}
        judgements = {lean: judged(rows, [each[k] for k in range(len(rows))]) for lean, each in found.items()}
        return cls(products, judgements)

    @property
    def lean(self) -> float:
        """The lean with the least deviation of those that stay honest; 0, the mean, where none does."""
        honest = [lean for lean, numbers in self.numbers.items() if _is_honest(numbers)]
        return min(honest, key=lambda lean: self.numbers[lean]["mean deviation"], default=0.0)

    @property
    def best(self) -> Row:
        """What comes of that lean."""
        return self.numbers[self.lean]


def _is_honest(numbers: Row) -> bool:
    return abs(numbers["bias"]) <= MOST_BIAS and not numbers["tenths off"]


def write(rows: Sequence[Row], path: Path) -> Table:
    """The table of all rows; products of signs only if seeds not learnt from are told better with them.

    That is, with a smaller deviation, from intervals that still cover about what they promise.
    """
    plain, richer = (Trial.of(rows, products=products) for products in (False, True))
    for trial in (plain, richer):
        kind = "with" if trial.products else "without"
        _show(f"{kind} products, lean {trial.lean:g}, seeds not learnt from", trial.best)
    covers = richer.best["interval covers"] > COVERAGE - 0.05
    chosen = richer if covers and richer.best["mean deviation"] < plain.best["mean deviation"] else plain
    table = fit_table(rows, products=chosen.products, lean=chosen.lean)
    text = json.dumps(table, separators=(",", ":")) + "\n"
    assert len(text) <= MOST_BYTES, f"the table has {len(text)} bytes, more than {MOST_BYTES}"
    path.write_text(text, encoding="utf-8")
    print(f"{len(text)} bytes in {path}, {'with' if chosen.products else 'without'} products")
    return table


def _show(title: str, numbers: Row) -> None:
    cells = (f"{n} {v:.3f}" if isinstance(v, float) else f"{n} {v}" for n, v in numbers.items())
    print(f"{title}: {', '.join(cells)}")


def main(argv: Sequence[str] | None = None) -> int:
    """Collect, write or check."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("command", choices=["collect", "write", "check"])
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
    else:
        table = json.loads(given.table.read_text(encoding="utf-8"))
        found = [estimate(table, row["signs"]) for row in rows]
        _show(f"{given.rows}, {COVERAGE:.0%} intervals", judged(rows, found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
