"""`python -m bench.acceptance`: the claims about accuracy, measured again; every seed, the worst included.

Families: solvers (the paper's method on its chains) and those of `bench.families`. Results are kept in a JSON
file, family by family, held against their bars (`bench.bars`) and written to docs/proof/acceptance.md. Exit
status is 1 if a bar is missed.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from bench import learning, solving
from bench.bars import MET, MISSED, Judged, judge, numbers_of
from bench.families import FAMILIES, chosen
from bench.family import Family, Row

SOLVERS = "solvers"
REPORT = Path("docs/proof/acceptance.md")


def main(argv: Sequence[str] | None = None) -> int:
    """Measure the families asked for: a line a run, a table at the end, everything as JSON and as a page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="*", choices=[SOLVERS, *FAMILIES], help="families to measure")
    parser.add_argument("--seeds", type=int, help="seeds a family, at most")
    parser.add_argument("--first-seed", type=int, help="lower ones than a family's own were used for tuning")
    parser.add_argument("--jobs", type=int, default=1, help="processes that share a family's runs")
    parser.add_argument("--out", type=Path, default=Path("bench/acceptance.json"))
    parser.add_argument("--report", type=Path, default=REPORT)
    parser.add_argument("--page-only", action="store_true", help="measure nothing: judge what is kept")
    arguments = parser.parse_args(argv)
    console = Console(width=160)
    kept: dict[str, Any] = json.loads(arguments.out.read_text()) if arguments.out.exists() else {}
    if not arguments.page_only:
        _measure(arguments, kept, console)
    arguments.report.write_text(report(kept), encoding="utf-8")
    judged = judge(kept)
    console.print(_bars_table(judged))
    console.print(f"All runs are in {arguments.out}, the tables in {arguments.report}.")
    return int(any(bar.verdict == MISSED for bar in judged))


def _measure(arguments: argparse.Namespace, kept: dict[str, Any], console: Console) -> None:
    learning.warm_up()
    for name in arguments.only if arguments.only is not None else [SOLVERS, *FAMILIES]:
        if name != SOLVERS and (reason := FAMILIES[name].why_not()):
            console.print(f"{name}: not measured, for {reason}")
            continue
        kept[name] = _solvers(console) if name == SOLVERS else _family(name, arguments, console)
        arguments.out.write_text(json.dumps(kept, indent=1))


def _family(name: str, arguments: argparse.Namespace, console: Console) -> dict[str, Any]:
    asked, rows = (name, arguments.seeds, arguments.first_seed), []
    for row in _rows(asked, arguments.jobs):
        rows.append(row)
        console.print(_shown(name, row), highlight=False, markup=False, soft_wrap=True)
    summary = _summary(name, rows)
    console.print(_table({name: summary}) if FAMILIES[name].numbers is None else _column(name, summary))
    return {"summary": summary, "runs": rows}


Asked = tuple[str, int | None, int | None]  # a family's name, seeds at most, first seed


def _rows(asked: Asked, jobs: int) -> Iterator[Row]:
    """Every run in its order, whoever makes it; a process has one thread, for CPU is measured."""
    numbers = range(len(_of(asked)))
    if jobs == 1:
        yield from (_run(asked, number) for number in numbers)
        return
    os.environ["OMP_NUM_THREADS"] = os.environ["NUMBA_NUM_THREADS"] = "1"  # children inherit them
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=spawn, initializer=learning.warm_up) as pool:
        yield from pool.map(partial(_run, asked), numbers)


def _of(asked: Asked) -> Family:
    name, seeds, first_seed = asked
    return chosen([name], seeds, first_seed)[0]


def _run(asked: Asked, number: int) -> Row:
    family = _of(asked)
    return (family.measure or learning.measure)(family.task(number))


def _summary(name: str, rows: list[Row]) -> Row:
    """A family's own numbers, or those of label-free learning beside supervised."""
    return learning.summarise(rows) if FAMILIES[name].numbers is None else numbers_of(name, rows)


def _shown(name: str, row: Row) -> str:
    return (FAMILIES[name].line or _line)(row)


def _solvers(console: Console) -> dict[str, Any]:
    rows = []
    for row in solving.rows():
        rows.append(row)
        console.print(solving.line(row), highlight=False, markup=False, soft_wrap=True)
    summary = solving.summarise(rows)
    console.print(_table(summary))
    return {"summary": summary, "runs": rows}


# ------------------------------------------------------------------------------------------------ the page


def report(kept: dict[str, Any]) -> str:
    """The results as Markdown: the bars, a table of families, then every run."""
    families = {name: part for name, part in kept.items() if name != SOLVERS}
    parts = [_HEAD, _seeds(families), "## Bars\n", _verdict(judge(kept))]
    alike = [name for name in families if FAMILIES[name].numbers is None]
    if alike:
        rows = [{"family": name} | _summary(name, families[name]["runs"]) for name in alike]
        parts += ["## Families\n", _markdown(rows)]
    for name in (name for name in families if name not in alike):
        found = _summary(name, families[name]["runs"])
        parts += [f"## {name}\n", _markdown([{"number": n, "measured": v} for n, v in found.items()])]
    if SOLVERS in kept:
        rows = [{"method": name} | summary for name, summary in kept[SOLVERS]["summary"].items()]
        parts += ["## The paper's method from scratch\n", _markdown(rows)]
    parts.append("## Every run\n")
    for name, part in kept.items():
        line = solving.line if name == SOLVERS else partial(_shown, name)
        parts.append(
            f"### {name}\n\n" + "\n".join("    " + line(row).rstrip() for row in part["runs"]) + "\n"
        )
    return "\n".join(parts)


_HEAD = """# Acceptance

Written by `python -m bench.acceptance`; nothing here is typed by hand. Supervised is the same log-linear
classifier with the true labels, L-BFGS to convergence, best of three penalties on validation data, unless a
family's file in bench/trust says otherwise. Gaps are in points, ratios are of error rates, CPU is in seconds,
one thread.
"""


def _seeds(families: dict[str, Any]) -> str:
    """Where the seeds begin, from the runs themselves."""
    first: dict[int, list[str]] = {}
    for name, part in families.items():
        if part["runs"]:
            first.setdefault(min(row["seed"] for row in part["runs"]), []).append(name)
    if not first:
        return ""
    begin = "; ".join(f"at {seed} ({', '.join(names)})" for seed, names in sorted(first.items()))
    return (
        f"Seeds begin {begin}:\nlower ones were looked at while the route was being built, and settings "
        "were chosen on seeds\nfrom 100 on.\n"
    )


def _verdict(judged: list[Judged]) -> str:
    """How many bars are met and missed, and each one."""
    counts = [sum(bar.verdict == verdict for bar in judged) for verdict in (MET, MISSED)]
    counted = f"{counts[0]} met, {counts[1]} missed, {len(judged) - sum(counts)} not fully measured.\n"
    return counted + "\n" + _markdown([bar.cells() for bar in judged])


def _markdown(rows: list[dict[str, Any]]) -> str:
    def cell(value: Any) -> str:
        return f"{value:.3f}" if isinstance(value, float) else str(value)

    lines = ["| " + " | ".join(rows[0]) + " |", "|" + "---|" * len(rows[0])]
    return "\n".join([*lines, *("| " + " | ".join(map(cell, row.values())) + " |" for row in rows)]) + "\n"


# --------------------------------------------------------------------------------------------- on the screen


def _line(row: Row) -> str:
    steps = " ".join(f"{name} {seconds:.2f}" for name, seconds in row["steps"].items())
    return (
        f"{row['task']:<22} seed {row['seed']}  supervised {100 * row['supervised']:6.2f} %  "
        f"unsupervised {100 * row['unsupervised']:6.2f} %  decoded {100 * row['decoded']:6.2f} % "
        f"({100 * row['supervised_decoded']:.2f})  ECE {row['calibration']:.3f}  "
        f"CPU {row['cpu']:.2f} s ({row['supervised_cpu']:.2f}) [{steps}]  {' '.join(row['doubts'])}"
    )


def _bars_table(judged: list[Judged]) -> Table:
    table = Table("family", "asked", "measured", "verdict", title="Bars")
    for bar in judged:
        style = {MET: "green", MISSED: "bold red"}.get(bar.verdict, "")
        table.add_row(bar.family, bar.asked, bar.measured, bar.verdict, style=style)
    return table


def _column(name: str, summary: Row) -> Table:
    """The numbers of a family that reckons in its own way, one below the other."""
    table = Table("number", "measured", title=name)
    for number, value in summary.items():
        table.add_row(number, f"{value:.3f}" if isinstance(value, float) else str(value))
    return table


def _table(summaries: dict[str, Row]) -> Table:
    table = Table(title="Label-free against supervised (gaps in points)")
    table.add_column("family")
    for heading in next(iter(summaries.values())):
        table.add_column(heading, justify="right")
    for name, summary in summaries.items():
        cells = [f"{v:.3f}" if isinstance(v, float) else str(v) for v in summary.values()]
        table.add_row(name, *cells)
    return table


if __name__ == "__main__":
    sys.exit(main())
