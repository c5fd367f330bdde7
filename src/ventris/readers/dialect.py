"""How a table of separated values is written: what parts its cells, and whether 1,5 is a number."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import TextIO

from ventris.errors import ParameterError

SEPARATORS = (",", ";", "\t", "|")
_NAMES = {"comma": ",", "semicolon": ";", "tab": "\t", "\\t": "\t", "bar": "|", "space": " "}
_LINES = 12  # lines looked at


@dataclass(frozen=True)
class Dialect:
    """What parts the cells of a row, and what the whole of a number from its fraction."""

    separator: str = ","
    decimal: str = "."

    def number(self, cell: str) -> float:
        """The number in a cell; ValueError if there is none."""
        return float(cell.replace(",", ".")) if self.decimal == "," else float(cell)


def dialect_of(
    lines: Sequence[str], ending: str = "", separator: str | None = None, decimal: str | None = None
) -> Dialect:
    """How these lines are written, as far as nobody said so.

    The separator is the one that gives all rows as many cells, more than one, and most of them numbers; a
    comma inside numbers is their decimal point where it does not part cells.

    Parameters
    ----------
    lines : sequence of str
        The first lines of a table.
    ending : str
        Of the file's name: `.tsv` says tab.
    separator, decimal : str, optional
        What is known already; "tab" and "semicolon" are understood.

    Examples
    --------
    >>> dialect_of(["x;y", "1,5;2", "3,25;4"])
    Dialect(separator=';', decimal=',')
    >>> dialect_of(["x,y", "1.5,2"])
    Dialect(separator=',', decimal='.')
    """
    given = None if separator is None else _NAMES.get(separator, separator)
    if given is not None and len(given) != 1:
        raise ParameterError(
            "The separator must be one character",
            f"it is {separator!r}",
            'Give ";", or tab',
        )
    if decimal not in (None, ".", ","):
        raise ParameterError("The decimal point must be . or ,", f"it is {decimal!r}", "Choose one")
    found = given or ("\t" if ending == ".tsv" else _separator(lines))
    if decimal is not None:
        return Dialect(found, decimal)
    return Dialect(found, "," if found != "," and _has_decimal_commas(lines, found) else ".")


def read_rows(
    file: TextIO, ending: str, separator: str | None = None, decimal: str | None = None
) -> tuple[Iterator[list[str]], Dialect]:
    """The rows of an open table as csv's reader gives them, and how they are written."""
    first = list(islice(file, _LINES))
    dialect = dialect_of(first, ending, separator, decimal)
    return csv.reader(chain(first, file), delimiter=dialect.separator, strict=True), dialect


def _separator(lines: Sequence[str]) -> str:
    """The likeliest separator; a single column has none, and any that does not occur will do."""
    scores = {mark: _score(lines, mark) for mark in SEPARATORS}
    best = max(SEPARATORS, key=lambda mark: scores[mark])
    if scores[best] > 0:
        return best
    single = (
        bool(lines[1:]) and "," not in lines[0] and all(_is_number(line.strip(), ",") for line in lines[1:])
    )
    return ";" if single else ","


def _score(lines: Sequence[str], mark: str) -> float:
    """Zero unless all rows have as many cells, more than one; then the share of numbers after the first."""
    try:
        rows = [row for row in csv.reader(lines, delimiter=mark) if row]
    except csv.Error:
        return 0.0
    if not rows or len({len(row) for row in rows}) > 1 or len(rows[0]) < 2:
        return 0.0
    cells = [cell for row in rows[1:] or rows for cell in row]
    numbers = sum(_is_number(cell, ".") or (mark != "," and _is_number(cell, ",")) for cell in cells)
    return 0.1 + numbers / max(len(cells), 1)


def _has_decimal_commas(lines: Iterable[str], mark: str) -> bool:
    cells = [cell for row in csv.reader(lines, delimiter=mark) for cell in row]
    return any("," in cell and _is_number(cell, ",") for cell in cells) and not any(
        "." in cell and _is_number(cell, ".") for cell in cells
    )


def _is_number(cell: str, decimal: str) -> bool:
    try:
        float(cell.replace(",", ".") if decimal == "," else cell)
    except ValueError:
        return False
    return True
