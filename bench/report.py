"""docs/proof/benchmarks.md from the results: tables, what was missed, and the plots beside them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from statistics import mean, median
from typing import Any, NamedTuple

from bench import plots

Result = dict[str, Any]

TITLES = {
    "accuracy": "Accuracy and time against what users would pick instead",
    "rival": "The ten chains: CPU until all are right",
    "spdg": "One SPDG update",
    "passes": "The expected n-gram pass",
    "loops": "Networks",
    "decoding": "Forward–backward and Viterbi",
    "counting": "Counting n-grams",
    "annealing": "Substitution ciphers",
    "growth": "Growth",
    "reading": "Wide tables",
    "waiting": "What a user waits for",
}
HEAD = """# Benchmarks

Written by `python -m bench`; nothing here is typed by hand. A ratio above one is better for Ventris, whatever
the unit. Rivals took turns in one run on one machine; times are CPU seconds on one thread (counting: two), so
that other work on the machine counts as little as it can; spread is the quartiles of the ratio over rounds or
tasks. **Bold** ratios miss their bar or lose to a rival. A *limit* is no rival: a plain sum, a large matrix
product, a straight line, a method that is shown the labels.
"""


def write(kept: Result, page: Path) -> None:
    """The page, and its plots in the folder `figures` beside it.

    Sections of suites that are not among the results stay as the page has them: one suite can be measured
    and published alone, for the results of the others need not be here.
    """
    before = sections_of(page.read_text(encoding="utf-8")) if page.exists() else {}
    figures = plots.draw(kept, page.parent / "figures")
    page.write_text(text_of(kept, figures, before), encoding="utf-8")


def sections_of(text: str) -> dict[str, str]:
    """The page's section of each suite, as it stands there."""
    names = {title: name for name, title in TITLES.items()}
    parts = re.split(r"^(?=## )", text, flags=re.M)[1:]
    return {names[part.partition("\n")[0].removeprefix("## ")]: part.rstrip("\n") + "\n" for part in parts}


def text_of(kept: Result, figures: dict[str, list[Path]], before: dict[str, str] | None = None) -> str:
    """Summary first, then a section a suite: of the results, or where there are none as it was before."""
    new = {name: _section(name, suite, figures.get(name, [])) for name, suite in kept.items()}
    found = (before or {}) | new
    sections = {name: found[name] for name in TITLES if name in found}
    return "\n".join([HEAD, _verdict(sections), *sections.values()])


def _section(name: str, suite: Result, figures: list[Path]) -> str:
    quick = " (a quick run: fewer rounds, smaller sizes)" if suite["quick"] else ""
    parts = [
        f"## {TITLES[name]}\n",
        f"`python -m bench --only {name}` · {suite['cpu_seconds']:.0f} CPU-s{quick} · "
        f"{suite['machine']}, load {suite['load']:.1f}\n",
        table(HEADINGS, (_marked(row) for row in suite["rows"])),
        *(f"![{TITLES[name]}](figures/{path.name})\n" for path in figures),
    ]
    if name == "accuracy":
        parts += ["### Every method\n", table(METHOD_HEADINGS, method_cells(suite["details"]))]
    if name == "growth":
        parts += ["### Every size\n", table(SIZE_HEADINGS, size_cells(suite["details"]))]
    return "\n".join(parts)


def _verdict(sections: dict[str, str]) -> str:
    """Bars met and missed, and every row that a peer wins, of the tables as they stand in the page."""
    rows = [(name, _Shown(*cells)) for name, text in sections.items() for cells in _rows_of(text)]
    judged = [row.bar.endswith(" met") for _, row in rows if row.bar.startswith("≥")]
    lines = [f"{sum(judged)} of {len(judged)} bars met.\n"]
    lost = [(name, row) for name, row in rows if row.ratio.startswith("**")]
    for title, has_bar in (("Missed", True), ("Behind a rival, where no bar was set", False)):
        chosen = [_sentence(name, row) for name, row in lost if row.bar.startswith("≥") == has_bar]
        if chosen:
            lines += [f"{title}:\n", *(f"* {sentence}" for sentence in chosen), ""]
    return "\n".join(lines)


class _Shown(NamedTuple):
    """A row as the page shows it."""

    compared: str
    ours: str
    peer: str
    unit: str
    ratio: str
    spread: str
    bar: str
    note: str


def _rows_of(section: str) -> list[list[str]]:
    """Cells of the first table of a section, its headings apart."""
    lines = [line for line in section.partition("\n### ")[0].splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line[1:-1].split("|")] for line in lines[1:]]


def _sentence(name: str, row: _Shown) -> str:
    note = f" ({row.note})" if row.note else ""
    bar = f", bar {row.bar.split()[1]}" if row.bar else ""
    return f"{name}: {row.compared}: {row.ratio.strip('*')}{bar}{note}"


# ------------------------------------------------------------------------------------------------- tables

HEADINGS = ("compared (ours / peer)", "ours", "peer", "unit", "ratio", "spread", "bar", "note")
METHOD_HEADINGS = (
    "data",
    "method",
    "right basin",
    "error alone %",
    "error decoded %",
    "worst decoded %",
    "CPU-s a fit",
)
SIZE_HEADINGS = ("axis", "size", "points", "classes", "features", "CPU-s", "of it decipher", "peak MB")


def number(value: float) -> str:
    """Three figures, without an exponent."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def cells(row: Result) -> tuple[str, ...]:
    """A row's cells, for the screen and the page."""
    bar = "limit" if row["limit"] else ""
    if row["bar"] is not None:
        bar = f"≥ {row['bar']:g} {'met' if row['met'] else 'MISSED'}"
    low, high = row["spread"]
    return (
        row["compared"],
        number(row["ours"]),
        number(row["peer"]),
        row["unit"],
        f"{number(row['ratio'])}x",
        f"{number(low)}–{number(high)}",
        bar,
        row["note"],
    )


def _marked(row: Result) -> tuple[str, ...]:
    found = list(cells(row))
    if row["lost"]:
        found[4] = f"**{found[4]}**"
    return tuple(found)


def table(headings: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """A Markdown table.

    Examples
    --------
    >>> print(table(("a", "b"), [("1", "2")]))
    | a | b |
    |---|---|
    | 1 | 2 |
    <BLANKLINE>
    """
    lines = [headings, ("---",) * len(headings), *rows]
    rule = "|" + "---|" * len(headings)
    text = ["| " + " | ".join(line) + " |" for line in lines]
    return "\n".join([text[0], rule, *text[2:]]) + "\n"


def method_cells(details: list[Result]) -> Iterable[tuple[str, ...]]:
    """One line for each kind of data and method: shares, means, the worst, the median time."""
    keys = dict.fromkeys((run["family"], run["method"], run["bound"]) for run in details)
    for family, method, bound in keys:
        runs = [run for run in details if (run["family"], run["method"]) == (family, method)]
        name = f"{method} (sees labels)" if bound else method
        right = f"{sum(run['right'] for run in runs)} of {len(runs)}"
        seconds = f"{median(run['seconds'] for run in runs):.2f}"
        worst = _percent(runs, "decoded", max)
        yield family, name, right, _percent(runs, "alone"), _percent(runs, "decoded"), worst, seconds


def _percent(runs: list[Result], kind: str, summary: Any = mean) -> str:
    values = [run[kind] for run in runs if run[kind] is not None]
    return f"{100 * summary(values):.2f}" if values else ""


def size_cells(details: list[Result]) -> Iterable[tuple[str, ...]]:
    """One line for each size of each axis."""
    for d in details:
        counts = (f"{d[key]:,}" for key in ("value", "points", "classes", "features"))
        yield d["axis"], *counts, f"{d['seconds']:.2f}", f"{d['decipher']:.3f}", f"{d['megabytes']:.0f}"
