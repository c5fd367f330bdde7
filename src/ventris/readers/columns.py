"""What the columns of a table are: each with its role and what it holds, before anything is read whole."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Literal

import numpy as np

from ventris.errors import DataError
from ventris.readers.dialect import read_rows
from ventris.readers.tables import Layout, choose, is_number, open_parquet, rows_of, split_header
from ventris.readers.text import Location, open_text

Role = Literal["feature", "sequence", "label", "unused"]
_ROWS = 60  # rows looked at
_SHOWN = 3  # values given as an example


@dataclass(frozen=True)
class Column:
    """A column, the role it has unless someone says otherwise, and how it begins.

    Attributes
    ----------
    name : str
    role : {"feature", "sequence", "label", "unused"}
    numeric : bool
        Whether any of the first rows holds a finite number: one that does not is an error to be told, not a
        reason to leave the column out.
    begins : tuple of str
        Its first values.
    """

    name: str
    role: Role
    numeric: bool
    begins: tuple[str, ...]


def columns_of(path: Location, layout: Layout | None = None) -> list[Column]:
    """The columns of a `.csv`, `.tsv` or `.parquet` file and what `read_data` would take each for.

    A column that holds no numbers is not taken for a feature here, so that any table can be begun with.

    Examples
    --------
    >>> import tempfile
    >>> table = Path(tempfile.mkdtemp()) / "points.csv"
    >>> _ = table.write_text("sequence,x,note,label\\na,1,dry,up\\na,2,wet,down\\n")
    >>> [(column.name, column.role) for column in columns_of(table)]
    [('sequence', 'sequence'), ('x', 'feature'), ('note', 'unused'), ('label', 'label')]
    """
    layout = layout or Layout()
    names, cells, numeric = _beginning(path, layout)
    try:
        chosen = choose(path, names, layout)
        features, group = {names[k] for k in chosen.features}, chosen.group
    except DataError:  # no feature is left: the user has still to choose one
        features, group = set(), None
    hidden = layout.label or "label"
    found = []
    for k, name in enumerate(names):
        suspect = name not in features and k != group and not layout.columns
        role: Role = "sequence" if k == group else "unused"
        if name in features and (numeric[k] or layout.columns):
            role = "feature"
        elif role == "unused" and (name == hidden or suspect):
            role = "label"
        found.append(Column(name, role, numeric[k], tuple(cells[k][:_SHOWN])))
    return found


def _beginning(path: Location, layout: Layout) -> tuple[list[str], list[list[str]], list[bool]]:
    """Names, first values and whether they are numbers, column by column."""
    if Path(path).suffix.lower() == ".parquet":
        file = open_parquet(Path(path))
        names = list(file.schema_arrow.names)
        rows = next(file.iter_batches(_ROWS), None)
        values = [[] if rows is None else rows.column(name).to_pylist() for name in names]
        numeric = [any(isinstance(v, int | float) and np.isfinite(v) for v in column) for column in values]
        return names, [[str(v) for v in column] for column in values], numeric
    with open_text(path) as text:
        reader, dialect = read_rows(text, Path(path).suffix.lower(), layout.separator, layout.decimal)
        names, after = split_header(rows_of(path, reader), path, dialect)
        found = [row.cells for row in islice(after, _ROWS)]
    cells = [[row[k] for row in found] for k in range(len(names))]
    return names, cells, [any(is_number(cell, dialect) for cell in column) for column in cells]
