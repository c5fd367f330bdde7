"""`python -m bench.doubts`: what each doubt is worth, in fits whose truth is known → docs/proof/doubts.md.

It reads the soak's thousand fits, which `python -m bench.acceptance --only soak` keeps. What a doubt means,
and what to do about it, comes from its class in `ventris.errors`.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from bench.family import Row
from bench.trust.fits import MISMATCH, NAMES_WRONG
from bench.trust.soak import FAMILY, RIGHT, is_right
from ventris import errors
from ventris.errors import Doubt

KEPT, PAGE = Path("bench/acceptance.json"), Path("docs/proof/doubts.md")
NAMES = errors.AmbiguousNamesWarning.__name__
Test = Callable[[Row], bool]

_HEAD = """# What each doubt is worth

Written by `python -m bench.doubts`; nothing here is typed by hand. Doubts are counted in {n:,} fits of random
problems (seeds {first} to {last}), measured by `python -m bench.acceptance --only soak`.

* A fit is *wrong* if its error on test points is more than {points:.0f} points above that of the best
  classifier of single points: {wrong}. That is the precision of a doubt that tells nothing.
* *Names are wrong* if others would make its error smaller by more than {names_points:.0f} points: {names}.
* The label model is *off* where its transitions were mixed with those of another: {off}.
* A doubt is *voiced* (a warning) where the answer as a whole is doubtful, or where it is so whatever the
  answer is worth; else it is a *remark* in the report.

| of | fits | with a warning |
| --- | --- | --- |
{warned}
"""
_COLUMNS = (
    "| doubt | fits | of these wrong (precision) | of the wrong (recall) | of the right, label model too |\n"
    "| --- | --- | --- | --- | --- |\n"
)
_OFF = """## Label models that are off, names that are wrong

`{mismatch}`, warned or remarked, whether or not the answer is right:

| label model | fits | told | as a warning |
| --- | --- | --- | --- |
{lines}

What two doubts say, held against what they are about:

| doubt | about | fits with it | of these so (precision) | of those that are so (recall) |
| --- | --- | --- | --- | --- |
{about}
"""


# ------------------------------------------------------------------------------------------------ counting


def share(rows: Iterable[Row], happened: Test) -> str:
    """How many of the rows it happened in, as a page shows it.

    Examples
    --------
    >>> share([{"off": 0.0}, {"off": 0.1}, {"off": 0.3}], lambda row: row["off"] > 0)
    '67 % (2 of 3)'
    >>> share([], lambda row: True)
    '–'
    """
    found = [happened(row) for row in rows]
    return f"{100 * sum(found) / len(found):.0f} % ({sum(found):,} of {len(found):,})" if found else "–"


def is_wrong(row: Row) -> bool:
    """More than 5 points above the best classifier of single points."""
    return not is_right(row)


def is_off(row: Row) -> bool:
    """Whether the label model was spoilt."""
    return row["off"] > 0


def names_wrong(row: Row) -> bool:
    """Whether other names would make the error clearly smaller."""
    return row["error"] > row["renamed"] + NAMES_WRONG


def is_right_by_right(row: Row) -> bool:
    """A right fit with a right label model: nothing is to be doubted."""
    return is_right(row) and not is_off(row)


def having(name: str, *keys: str) -> Test:
    """Whether a fit has this doubt, voiced ("doubts") or remarked upon ("remarks")."""
    return lambda row: any(name in row[key] for key in keys)


def doubt_classes() -> list[type[Doubt]]:
    """Every doubt there is, in the order of `ventris.errors`."""
    named = [thing for thing in vars(errors).values() if isinstance(thing, type)]
    return [thing for thing in named if issubclass(thing, Doubt) and thing is not Doubt]


# ------------------------------------------------------------------------------------------------ the page


def page_of(rows: Sequence[Row]) -> str:
    """The page of these fits; nothing in it but counts and the words of the doubts' own classes."""
    names = [kind.__name__ for kind in doubt_classes()]
    parts = [
        _head(rows),
        _table("As warnings", "doubts", names, rows),
        _table("As remarks", "remarks", names, rows),
        _against_their_own(rows),
        _meanings(),
    ]
    return "\n".join(parts)


def _head(rows: Sequence[Row]) -> str:
    groups: dict[str, Test] = {
        "right fits with a right label model": is_right_by_right,
        "right fits with a label model that is off": lambda row: is_right(row) and is_off(row),
        "wrong fits": is_wrong,
    }
    chosen = {words: [row for row in rows if test(row)] for words, test in groups.items()}
    lines = (
        f"| {words} | {len(group):,} | {share(group, lambda row: bool(row['doubts']))} |"
        for words, group in chosen.items()
    )
    seeds = [row["seed"] for row in rows]
    return _HEAD.format(
        n=len(rows),
        first=min(seeds),
        last=max(seeds),
        points=100 * RIGHT,
        wrong=share(rows, is_wrong),
        names_points=100 * NAMES_WRONG,
        names=share(rows, names_wrong),
        off=share(rows, is_off),
        warned="\n".join(lines),
    )


def _table(title: str, key: str, names: Sequence[str], rows: Sequence[Row]) -> str:
    """Those noticed in any of the fits, the surest first; the others by name."""
    wrong, calm = ([row for row in rows if test(row)] for test in (is_wrong, is_right_by_right))
    lines = {}
    for name in names:
        has = having(name, key)
        told = [row for row in rows if has(row)]
        if told:
            cells = (name, f"{len(told):,}", share(told, is_wrong), share(wrong, has), share(calm, has))
            lines[name] = (-sum(map(is_wrong, told)) / len(told), f"| {' | '.join(cells)} |")
    missing = [f"`{name}`" for name in names if name not in lines]
    table = [_COLUMNS + "\n".join(line for _, line in sorted(lines.values()))] if lines else []
    never = [f"In none of these fits: {', '.join(missing)}."] if missing else []
    return "\n\n".join([f"## {title}", *table, *never]) + "\n"


def _against_their_own(rows: Sequence[Row]) -> str:
    """Two doubts are not about the answer as a whole, but about the label model and about names."""
    told, voiced = having(MISMATCH, "doubts", "remarks"), having(MISMATCH, "doubts")
    lines = []
    for off in sorted({row["off"] for row in rows}):
        group = [row for row in rows if row["off"] == off]
        words = f"off, {100 * off:g} % of another" if off else "right"
        lines.append(f"| {words} | {len(group):,} | {share(group, told)} | {share(group, voiced)} |")
    about = (
        (MISMATCH, "a label model that is off", told, is_off),
        (NAMES, "wrong names", having(NAMES, "doubts", "remarks"), names_wrong),
    )
    held = []
    for name, words, test, truth in about:
        with_it = [row for row in rows if test(row)]
        cells = (share(with_it, truth), share([row for row in rows if truth(row)], test))
        held.append(f"| {name} | {words} | {len(with_it):,} | {' | '.join(cells)} |")
    return _OFF.format(mismatch=MISMATCH, lines="\n".join(lines), about="\n".join(held))


def _meanings() -> str:
    """What each doubt means and what to do about it, in the words of its class."""
    lines = ["## What they mean, and what to do", ""]
    for kind in doubt_classes():
        meaning = " ".join((kind.__doc__ or "").split("\n\n")[0].split())
        lines += [f"* **{kind.__name__}**: {meaning} *{kind.remedy}.*"]
    return "\n".join([*lines, ""])


def main(argv: Sequence[str] | None = None) -> int:
    """Read the rows, write the page."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kept", type=Path, default=KEPT, help="what bench.acceptance keeps")
    parser.add_argument("--report", type=Path, default=PAGE)
    given = parser.parse_args(argv)
    kept = json.loads(given.kept.read_text(encoding="utf-8")) if given.kept.exists() else {}
    rows = kept.get(FAMILY.name, {}).get("runs", [])
    if not rows:
        print(
            f"There is no soak in {given.kept}: run python -m bench.acceptance --only soak", file=sys.stderr
        )
        return 1
    given.report.write_text(page_of(rows), encoding="utf-8")
    print(f"{len(rows):,} fits are counted in {given.report}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
