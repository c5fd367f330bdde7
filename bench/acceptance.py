"""`python -m bench.acceptance`: the claims about accuracy, measured again; every seed, the worst included.

Usage: python -m bench.acceptance [--only NAME ...] [--seeds N] [--out FILE.json]
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from bench import learning
from bench.tasks import FAMILIES


def main() -> None:
    """Measure the families asked for: a line a run, a table at the end, everything as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="*", choices=list(FAMILIES), help="families to measure")
    parser.add_argument("--seeds", type=int, help="seeds a family, at most")
    parser.add_argument("--out", type=Path, default=Path("bench/acceptance.json"))
    arguments = parser.parse_args()
    console = Console(width=160)
    kept: dict[str, Any] = json.loads(arguments.out.read_text()) if arguments.out.exists() else {}
    for family in learning.families(arguments.only, arguments.seeds):
        rows = []
        for task in family:
            rows.append(learning.measure(task))
            console.print(_line(rows[-1]), highlight=False, soft_wrap=True)
        kept[family.name] = {"summary": learning.summarise(rows), "runs": rows}
        arguments.out.write_text(json.dumps(kept, indent=1))
        console.print(_table({family.name: kept[family.name]["summary"]}))
    console.print(_table({name: each["summary"] for name, each in kept.items()}))


def _line(row: learning.Row) -> str:
    steps = " ".join(f"{name} {seconds:.2f}" for name, seconds in row["steps"].items())
    return (
        f"{row['task']:<22} seed {row['seed']}  supervised {100 * row['supervised']:6.2f} %  "
        f"unsupervised {100 * row['unsupervised']:6.2f} %  decoded {100 * row['decoded']:6.2f} % "
        f"({100 * row['supervised_decoded']:.2f})  ECE {row['calibration']:.3f}  "
        f"CPU {row['cpu']:.2f} s ({row['supervised_cpu']:.2f}) [{steps}]  {' '.join(row['doubts'])}"
    )


def _table(summaries: dict[str, learning.Row]) -> Table:
    table = Table(title="Label-free against supervised (gaps in points)")
    table.add_column("family")
    for heading in next(iter(summaries.values())):
        table.add_column(heading, justify="right")
    for name, summary in summaries.items():
        cells = [f"{v:.3f}" if isinstance(v, float) else str(v) for v in summary.values()]
        table.add_row(name, *cells)
    return table


if __name__ == "__main__":
    main()
