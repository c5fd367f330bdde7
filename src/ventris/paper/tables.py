"""A table as data: named columns, raw values, and how each value is shown."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Column:
    """A heading, its unit, and the digits its numbers are shown with."""

    name: str
    unit: str = ""
    digits: int | None = None

    @property
    def heading(self) -> str:
        """Name and unit in one."""
        return f"{self.name} ({self.unit})" if self.unit else self.name

    def show(self, value: Any) -> str:
        """A value as the page shows it; what is missing is a dash.

        Examples
        --------
        >>> Column("error", "%", 2).show(-3.14159), Column("error").show(None), Column("n").show(50_000)
        ('−3.14', '–', '50,000')
        """
        if value is None:
            return "–"
        if isinstance(value, int):
            return f"{value:,}"
        if not isinstance(value, float):
            return str(value)
        if self.digits is None:
            return f"{value:g}".replace("e-0", "e-")
        return f"{value:.{self.digits}f}".replace("-", "−")


@dataclass(frozen=True)
class Table:
    """One table of the page.

    Attributes
    ----------
    name : str
        Also the name of its files.
    title : str
    columns : tuple of Column
    rows : list of lists
        Raw values: text, numbers or None.
    note : str
        What a reader must know, below the table.
    """

    name: str
    title: str
    columns: tuple[Column, ...]
    rows: list[list[Any]]
    note: str = ""

    def cells(self) -> list[list[str]]:
        """The rows as they are shown."""
        return [[c.show(v) for c, v in zip(self.columns, row, strict=True)] for row in self.rows]

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for a JSON file."""
        columns = [{"name": c.name, "unit": c.unit, "digits": c.digits} for c in self.columns]
        return {"title": self.title, "columns": columns, "rows": self.rows, "note": self.note}

    def to_csv(self) -> str:
        """Headings and raw values.

        Examples
        --------
        >>> print(Table("t", "T", (Column("a"), Column("b", "%")), [[1, 2.5]]).to_csv())
        a,b (%)
        1,2.5
        <BLANKLINE>
        """
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow([column.heading for column in self.columns])
        writer.writerows(self.rows)
        return text.getvalue()
