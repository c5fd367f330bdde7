"""`python -m bench`: every speed claim as a ratio measured in this one run.

Usage: python -m bench [NAME ...]     names: waiting, decoding, spdg
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bench import decoding, spdg, waiting

SUITES = {"waiting": waiting.rows, "decoding": decoding.rows, "spdg": spdg.rows}


def main() -> None:
    """Run the suites asked for, print a table each, write everything to bench/results.json."""
    console = Console(width=140)
    names = sys.argv[1:] or list(SUITES)
    results = {}
    for name in names:
        with console.status(f"measuring {name}"):
            results[name] = SUITES[name]()
        table = Table(title=f"{name}  (alone: python -m bench.{name})")
        for heading in results[name][0]:
            table.add_column(heading)
        for row in results[name]:
            table.add_row(*(f"{v:.3g}" if isinstance(v, float) else str(v) for v in row.values()))
        console.print(table)
    Path("bench/results.json").write_text(json.dumps(results, indent=1, default=str))


if __name__ == "__main__":
    main()
