"""docs/proof/benchmarks.md from the results: tables, what was missed, and the plots beside them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from statistics import mean, median
from typing import Any

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
    """The page, and its plots in the folder `figures` beside it."""
    figures = plots.draw(kept, page.parent / "figures")
    page.write_text(text_of(kept, figures), encoding="utf-8")


def text_of(kept: Result, figures: dict[str, list[Path]]) -> str:
    """Summary first, then a section a suite."""
    parts = [HEAD, _verdict(kept)]
    for name, suite in kept.items():
        parts.append(f"## {TITLES[name]}\n")
        quick = " (a quick run: fewer rounds, smaller sizes)" if suite["quick"] else ""
        parts.append(
            f"`python -m bench --only {name}` · {suite['cpu_seconds']:.0f} CPU-s{quick} · "
            f"{suite['machine']}, load {suite['load']:.1f}\n"
        )
        parts.append(table(HEADINGS, (_marked(row) for row in suite["rows"])))
        parts += [f"![{TITLES[name]}](figures/{path.name})\n" for path in figures.get(name, [])]
        if name == "accuracy":
            parts += ["### Every method\n", table(METHOD_HEADINGS, method_cells(suite["details"]))]
        if name == "growth":
            parts += ["### Every size\n", table(SIZE_HEADINGS, size_cells(suite["details"]))]
    return "\n".join(parts)


def _verdict(kept: Result) -> str:
    """Bars met and missed, and every row that a peer wins."""
    rows = [row for suite in kept.values() for row in suite["rows"]]
    judged = [row for row in rows if row["met"] is not None]
    lines = [f"{sum(row['met'] for row in judged)} of {len(judged)} bars met.\n"]
    missed = [row for row in judged if not row["met"]]
    lost = [row for row in rows if row["lost"] and row["met"] is None]
    for title, chosen in (("Missed", missed), ("Behind a rival, where no bar was set", lost)):
        if chosen:
            lines += [f"{title}:\n", *(f"* {_sentence(row)}" for row in chosen), ""]
    return "\n".join(lines)


def _sentence(row: Result) -> str:
    note = f" ({row['note']})" if row["note"] else ""
    bar = f", bar {row['bar']:g}" if row["bar"] is not None else ""
    return f"{row['suite']}: {row['compared']}: {number(row['ratio'])}x{bar}{note}"


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
