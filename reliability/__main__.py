"""`python -m reliability`: what Ventris survives, counted; exits non-zero on any loss.

Results go to reliability/results.json; docs/proof/reliability.md is written when every suite has some.
"""

from __future__ import annotations

import argparse
import faulthandler
import json
import sys
from collections.abc import Callable
from pathlib import Path

from rich.console import Console
from rich.table import Table

from reliability import bad_input, determinism, document, faults, fuzz, soak, stress, web
from reliability.tally import Tally, of_cases, timed

RESULTS = Path(__file__).parent / "results.json"
PAGE = Path(__file__).parents[1] / "docs" / "proof" / "reliability.md"


def suites(options: argparse.Namespace) -> dict[str, Callable[[], Tally]]:
    """Every suite by name, in the order of the page."""
    return {
        "bad-input": _bad_input,
        "faults": lambda: faults.run(options.kills),
        "stress": stress.run,
        "determinism": determinism.run,
        "soak": lambda: _soak(options.fits),
        "fuzz": lambda: fuzz.run(options.minutes),
        "web": lambda: web.run(options.seconds),
    }


def _bad_input() -> Tally:
    groups = [of_cases(name, cases) for name, cases in bad_input.GROUPS.items()]
    return Tally("bad-input", bad_input.ABOUT, groups)


def _soak(n_fits: int) -> Tally:
    return soak.run(n_fits, lambda n: n % 50 == 49 and print(f"{n + 1} fits", file=sys.stderr, flush=True))


def table(tally: Tally) -> Table:
    """A suite's counts, group by group, and its losses."""
    found = Table(title=f"{tally.suite} ({tally.cpu_seconds:.0f} CPU-s)", title_justify="left")
    for heading in ("cases", "tried", "survived", "lost", "measured"):
        found.add_column(heading, justify="left" if heading in ("cases", "measured") else "right")
    for group in tally.groups:
        lost = len(group.losses)
        counts = (f"{group.tried:,}", f"{group.survived:,}", f"{lost:,}")
        found.add_row(group.name, *counts, group.measured, style="red" if lost else "")
        for name, loss in group.losses.items():
            found.add_row(f"  {name}", "", "", "", loss, style="red")
    return found


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m reliability", description=__doc__)
    names = list(suites(argparse.Namespace()))
    parser.add_argument("--only", nargs="+", choices=names, default=names, help="suites to run")
    parser.add_argument("--minutes", type=float, default=10, help="of fuzzing")
    parser.add_argument("--fits", type=int, default=1000, help="of the soak")
    parser.add_argument("--seconds", type=float, default=120, help="of calls made up for the page")
    parser.add_argument("--kills", type=int, default=20, help="of fits with checkpoints")
    return parser.parse_args()


def kept() -> dict[str, Tally]:
    """The results of earlier runs."""
    plain = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    return {name: Tally.from_dict(tally) for name, tally in plain.items()}


def main() -> None:
    """Run the suites asked for."""
    faulthandler.enable()  # a crash must at least say where
    options, console = _options(), Console(width=150, highlight=False, markup=False)
    lost = 0
    for name in options.only:
        tally = Tally(name, "")
        with timed(tally):
            found = suites(options)[name]()
        found.cpu_seconds = tally.cpu_seconds
        console.print(table(found))
        _write(kept() | {name: found}, list(suites(options)))
        lost += found.lost
    console.print(f"{lost} lost" if lost else "Nothing was lost.")
    sys.exit(1 if lost else 0)


def _write(results: dict[str, Tally], names: list[str]) -> None:
    ordered = {name: results[name] for name in names if name in results}
    plain = {name: tally.to_dict() for name, tally in ordered.items()}
    RESULTS.write_text(json.dumps(plain, indent=1, ensure_ascii=False), encoding="utf-8")
    if set(ordered) == set(names):
        PAGE.write_text(document.render(ordered), encoding="utf-8")


if __name__ == "__main__":
    main()
