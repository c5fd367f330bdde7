"""`python -m bench`: every claim about speed and accuracy as a ratio measured in this one run.

Suites may be run one at a time: each one's results are merged into the file and the page is written anew.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
from importlib import import_module
from pathlib import Path
from time import perf_counter
from typing import Any

from rich.console import Console
from rich.table import Table
from threadpoolctl import threadpool_limits

from bench import report
from bench.waiting import cpu_seconds

SUITES = (
    "accuracy",
    "rival",
    "spdg",
    "passes",
    "loops",
    "decoding",
    "counting",
    "annealing",
    "growth",
    "reading",
    "waiting",
)


def main() -> None:
    """Run the suites asked for, print a table each, keep the results, write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="+", choices=SUITES, default=SUITES, help="suites to run")
    parser.add_argument("--quick", action="store_true", help="fewer rounds, smaller sizes: some minutes")
    parser.add_argument("--out", type=Path, default=Path("bench/results.json"))
    parser.add_argument("--page", type=Path, default=Path("docs/proof/benchmarks.md"))
    arguments = parser.parse_args()
    console = Console(width=170)
    kept = merged(arguments.out)
    for name in arguments.only:
        with console.status(f"measuring {name}"):
            kept[name] = measured(name, arguments.quick)
        arguments.out.write_text(json.dumps(kept, indent=1))
        console.print(table_of(name, kept[name]))
    report.write(kept, arguments.page)
    console.print(f"Everything is in {arguments.out}; the page is {arguments.page}.")


def merged(out: Path) -> dict[str, Any]:
    """The results so far, in the order of the suites."""
    found = json.loads(out.read_text()) if out.exists() else {}
    return {name: found[name] for name in SUITES if name in found}


def measured(name: str, quick: bool) -> dict[str, Any]:
    """One suite's results, with what they cost and the machine they were measured on."""
    suite = import_module(f"bench.{name}")
    wall, cpu = perf_counter(), cpu_seconds()
    # One thread for every library, of this process and of those it starts: threads that wait for one another
    # burn CPU, and a rival's must not be held against it.
    os.environ["OMP_NUM_THREADS"] = "1"
    with threadpool_limits(1):
        found = suite.measure(quick)
    return {
        "rows": [row.to_dict() for row in found.rows],
        "details": found.details,
        "quick": quick,
        "cpu_seconds": cpu_seconds() - cpu,
        "seconds": perf_counter() - wall,
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}",
        "load": os.getloadavg()[0],
    }


def table_of(name: str, suite: dict[str, Any]) -> Table:
    """One suite as a table; a bar that was missed and a peer that is ahead stand out."""
    title = f"{name}  ({suite['cpu_seconds']:.0f} CPU-s; alone: python -m bench --only {name})"
    table = Table(title=title, title_justify="left")
    for heading in ("compared", "ours", "peer", "unit", "ratio", "spread", "bar", "note"):
        table.add_column(heading, justify="right" if heading in ("ours", "peer", "ratio") else "left")
    for row in suite["rows"]:
        style = "bold red" if row["lost"] else "green" if row["met"] else ""
        table.add_row(*report.cells(row), style=style)
    return table


if __name__ == "__main__":
    main()
