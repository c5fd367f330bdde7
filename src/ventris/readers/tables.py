"""Tables: `.csv`, `.tsv` and `.parquet`, read block by block; a `sequence` column groups rows.

A column `label` is never a feature: true labels must not slip into training through a file. Nor is one that
is called `Label`, `target`, `class` or `y` taken for one in silence.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ventris.data.sequences import Sequences
from ventris.errors import DataError, FileFormatError, MissingExtraError
from ventris.readers.available import free_memory
from ventris.readers.dialect import Dialect, read_rows
from ventris.readers.schema import Data, Schema
from ventris.readers.text import Location, open_text

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

SEQUENCE, LABEL = "sequence", "label"
_LABELS = ("label", "labels", "target", "class", "y")  # names of columns that may well hold true labels
ENDINGS = (".csv", ".tsv", ".parquet")
_ROWS = 8192  # rows turned into numbers at a time


@dataclass(frozen=True)
class Layout:
    """What a table's columns are, and how it is written; what is None or empty is found out.

    Attributes
    ----------
    columns : tuple of str
        The features, in this order; by default all but sequence and label.
    sequence, label : str, optional
        The column that groups rows, and the one that holds labels; `sequence` and `label` by default. An
        empty text says that no column groups rows.
    separator, decimal : str, optional
        Of separated values.
    """

    columns: tuple[str, ...] = ()
    sequence: str | None = None
    label: str | None = None
    separator: str | None = None
    decimal: str | None = None


@dataclass(frozen=True)
class Chosen:
    """Positions of the feature columns and of the one that groups rows, and what is to be said about it."""

    features: list[int]
    group: int | None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Row:
    """One row of a table as text, and where it stands."""

    line: int
    cells: list[str]


@dataclass
class Groups:
    """Runs of rows that share a value of the `sequence` column."""

    path: Location
    names: list[str] = field(default_factory=list)
    lengths: list[int] = field(default_factory=list)

    def add(self, name: str, line: int) -> None:
        """One more row; a sequence that was left cannot be taken up again."""
        if self.names and self.names[-1] == name:
            self.lengths[-1] += 1
            return
        if name in self._seen:
            raise DataError(
                f"{self.path} line {line}: the rows of one sequence must stand together",
                f"sequence {name!r} was there before",
                "Sort the rows by sequence, keeping their order of time",
            )
        self._seen.add(name)
        self.names.append(name)
        self.lengths.append(1)

    def __post_init__(self) -> None:
        self._seen = set(self.names)


def read_table(path: Location, layout: Layout = Layout()) -> Data:
    """Feature vectors from a table, one row a point.

    Parameters
    ----------
    path : path to a `.csv`, `.tsv` or `.parquet` file, or `-` for separated values
    layout : Layout
    """
    ending = Path(path).suffix.lower()
    if ending == ".parquet":
        return _read_parquet(Path(path), layout)
    with open_text(path) as file:
        reader, dialect = read_rows(file, ending, layout.separator, layout.decimal)
        names, rows = split_header(rows_of(path, reader), path, dialect)
        return _collect(path, rows, names, choose(path, names, layout), dialect)


def rows_of(path: Location, reader: Iterator[list[str]]) -> Iterator[Row]:
    """The rows that are not blank; a row of another width than the first is refused with its line."""
    width = 0
    try:
        for cells in reader:
            line = reader.line_num  # type: ignore[attr-defined]
            if not cells:
                continue
            width = width or len(cells)
            if len(cells) != width:
                raise DataError(
                    f"{path} line {line}: every row must have {width} cells as the first",
                    f"it has {len(cells)}",
                    "Complete or remove the row",
                )
            yield Row(line, cells)
    except csv.Error as problem:
        raise FileFormatError(
            f"{path} must be a table of separated values", f"{problem}", "Check the row"
        ) from None


def split_header(rows: Iterator[Row], path: Location, dialect: Dialect) -> tuple[list[str], Iterator[Row]]:
    """Column names and the rows after them; a first row of numbers only is data, its columns are numbered."""
    first = next(rows, None)
    if first is None:
        raise FileFormatError(f"{path} must hold at least one row", "it is empty", "Check the path")
    if all(is_number(cell, dialect) for cell in first.cells):
        return [str(k) for k in range(len(first.cells))], _prepended(first, rows)
    names = [cell.strip() for cell in first.cells]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise DataError(f"{path} line 1: column names must differ", f"{twice!r} is there twice", "Rename one")
    return names, rows


def _prepended(first: Row, rows: Iterator[Row]) -> Iterator[Row]:
    yield first
    yield from rows


def is_number(cell: str, dialect: Dialect) -> bool:
    """Whether a cell holds one."""
    try:
        dialect.number(cell)
    except ValueError:
        return False
    return True


def choose(path: Location, names: Sequence[str], layout: Layout) -> Chosen:
    """Which columns are features, and which groups rows.

    Examples
    --------
    >>> choose("t.csv", ["run", "a", "b"], Layout(columns=("b,a",), sequence="run"))
    Chosen(features=[2, 1], group=0, notes=())
    >>> choose("t.csv", ["a", "Class"], Layout()).notes
    ("without the column 'Class', which may hold labels (--columns takes it all the same)",)
    """
    place = {name: k for k, name in enumerate(names)}  # thousands of columns are looked up by name
    for name, option in ((layout.sequence, "--sequence"), (layout.label, "--label")):
        if name and name not in place:
            raise DataError(
                f"{path} must have the column {name!r} that {option} names",
                f"it has {_some(names)}",
                "Correct the name",
            )
    group = None if layout.sequence == "" else place.get(layout.sequence or SEQUENCE)
    columns = _split_names(layout.columns, place)
    missing = next((name for name in columns if name not in place), None)
    if missing is not None:
        raise DataError(
            f"{path} must have the columns {', '.join(columns)}",
            f"{missing!r} is not among {_some(names)}",
            "Correct the names, or choose other columns",
        )
    if columns:
        return Chosen([place[name] for name in columns], group)
    return _all_but(path, names, group, layout.label)


def _split_names(columns: Sequence[str], place: dict[str, int]) -> list[str]:
    """Names given one by one, or several with commas between; a name may itself hold a comma."""
    split = ([given] if given in place else given.split(",") for given in columns)
    return [name if name in place else name.strip() for names in split for name in names]


def _all_but(path: Location, names: Sequence[str], group: int | None, label: str | None) -> Chosen:
    """All columns that are neither sequence nor label, nor look like one."""
    hidden = {label or LABEL}
    suspects = [name for name in names if name.lower() in _LABELS and name not in hidden]
    notes = []
    for name in suspects:
        if name == "y" and "x" in names:  # coordinates
            notes.append("with the column 'y' as a feature beside 'x' (--label y leaves it out)")
        else:
            hidden.add(name)
            notes.append(
                f"without the column {name!r}, which may hold labels (--columns takes it all the same)"
            )
    features = [k for k, name in enumerate(names) if k != group and name not in hidden]
    if not features:
        raise DataError(
            f"{path} must have a column of numbers", f"it has only {_some(names)}", "Add the features"
        )
    return Chosen(features, group, tuple(notes))


def _some(names: Sequence[str], n: int = 12) -> str:
    return ", ".join(names[:n]) + (", …" if len(names) > n else "")


def _collect(path: Location, rows: Iterator[Row], names: list[str], chosen: Chosen, dialect: Dialect) -> Data:
    groups, blocks = Groups(path), []
    while block := _take(rows):
        blocks.append(_numbers(path, block, names, chosen.features, dialect))
        if chosen.group is not None:
            for row in block:
                groups.add(row.cells[chosen.group], row.line)
    return _data(blocks, groups, names, chosen)


def _take(rows: Iterator[Row]) -> list[Row]:
    return list(islice(rows, _ROWS))


def _numbers(
    path: Location, block: list[Row], names: list[str], chosen: list[int], dialect: Dialect
) -> NDArray:
    """Cells as float64: shape (n, D); the first that is no finite number is named with line and column."""
    cells = [[row.cells[k] for k in chosen] for row in block]
    try:
        if dialect.decimal == ",":
            values = np.array([[dialect.number(cell) for cell in row] for row in cells])
        else:
            values = np.array(cells, dtype=np.float64)
    except ValueError:
        values = np.array(
            [[dialect.number(c) if is_number(c, dialect) else np.nan for c in row] for row in cells]
        )
    if not np.isfinite(values).all():
        row, column = (int(k) for k in np.argwhere(~np.isfinite(values))[0])
        raise DataError(
            f"{path} line {block[row].line}, column {names[chosen[column]]!r}: a finite number is expected",
            f"it holds {cells[row][column]!r}",
            "Correct it, or leave the column out by choosing the others (--columns); --separator and "
            "--decimal say how the table is written",
        )
    return values


def _data(blocks: list[NDArray], groups: Groups, names: Sequence[str], chosen: Chosen) -> Data:
    columns = tuple(names[k] for k in chosen.features)
    values = np.concatenate(blocks) if blocks else np.zeros((0, len(columns)))
    grouped = chosen.group is not None
    sequences = Sequences.of(values, groups.lengths if grouped and groups.lengths else None)
    noted = replace(sequences, notes=sequences.notes + chosen.notes)
    schema = Schema(columns=columns, sequence=names[chosen.group] if chosen.group is not None else "")
    return Data.of(noted, schema, tuple(groups.names) if grouped else None)


# --------------------------------------------------------------------------------------------- parquet


def _read_parquet(path: Path, layout: Layout) -> Data:
    file = open_parquet(path)
    names = list(file.schema_arrow.names)
    chosen = choose(path, names, layout)
    wanted = [names[k] for k in chosen.features]
    group = None if chosen.group is None else names[chosen.group]
    _weigh(path, file, len(wanted))
    groups, blocks, at = Groups(path), [], 1
    for batch in _batches(file, path, [*wanted, *([group] if group else [])]):
        blocks.append(
            np.stack([_parquet_numbers(path, name, batch.column(name), at) for name in wanted], axis=1)
        )
        for k, name in enumerate(batch.column(group).to_pylist() if group else []):
            groups.add(str(name), at + k)
        at += batch.num_rows
    return _data(blocks, groups, names, chosen)


def _weigh(path: Path, file: pq.ParquetFile, n_columns: int) -> None:
    """Refuse a table too large for memory by what its end says: a column of one value packs to nothing."""
    needed, free = 8.0 * file.metadata.num_rows * n_columns, free_memory()
    if needed > free:
        raise FileFormatError(
            f"The columns of {path} must fit into memory",
            f"they unpack to {needed / 1e6:,.0f} MB where {free / 1e6:,.0f} MB are available",
            "Choose fewer columns, or write fewer rows",
        )


def open_parquet(path: Path) -> pq.ParquetFile:
    """The file, of which only the end has been read."""
    try:
        import pyarrow.parquet as pq
    except ImportError:
        raise MissingExtraError("Reading .parquet files", "pyarrow", "tables") from None
    with _whole_parquet(path):
        return pq.ParquetFile(path)


def _batches(file: pq.ParquetFile, path: Path, columns: list[str]) -> Iterator[pa.RecordBatch]:
    """Blocks of rows; a file can be whole at both ends and damaged between."""
    with _whole_parquet(path):
        yield from file.iter_batches(_ROWS, columns=columns)


@contextmanager
def _whole_parquet(path: Path) -> Iterator[None]:
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, OSError) as problem:
        raise FileFormatError(
            f"{path} must be a parquet file", f"it cannot be read: {problem}", "Write it again"
        ) from None


def _parquet_numbers(path: Path, name: str, column: object, at: int) -> NDArray:
    values = column.to_numpy(zero_copy_only=False)  # type: ignore[attr-defined]
    if not (np.issubdtype(values.dtype, np.number) or values.dtype == bool):
        raise DataError(
            f"{path}, column {name!r}: numbers are expected", f"it holds {values.dtype}", "Choose others"
        )
    if not np.isfinite(values).all():
        row = at + int(np.argmin(np.isfinite(values)))
        raise DataError(
            f"{path} row {row}, column {name!r}: a finite number is expected",
            "it is empty, NaN or infinite",
            "Correct it, or leave the column out by choosing the others (--columns)",
        )
    return values.astype(np.float64)


def label_cells(path: Location, layout: Layout = Layout()) -> Iterator[tuple[int, str]]:
    """Line and text of each label: the column named, a column `label`, or the only column there is.

    Examples
    --------
    >>> import tempfile
    >>> truth = Path(tempfile.mkdtemp()) / "truth.csv"
    >>> _ = truth.write_text("time,label\\n0,walk\\n1,run\\n")
    >>> list(label_cells(truth))
    [(2, 'walk'), (3, 'run')]
    """
    ending = Path(path).suffix.lower()
    if ending == ".parquet":
        yield from _parquet_labels(Path(path), layout.label)
        return
    with open_text(path) as file:
        reader, _ = read_rows(file, ending, layout.separator, layout.decimal)
        rows = rows_of(path, reader)
        first = next(rows, None)
        names = [cell.strip() for cell in first.cells] if first else []
        at = _label_column(path, names, layout.label)
        if first is not None and at is None:
            yield first.line, first.cells[0]
        for row in rows:
            yield row.line, row.cells[at or 0]


def _label_column(path: Location, names: Sequence[str], wanted: str | None) -> int | None:
    """Place of the labels; None for a file of one column without a heading."""
    if wanted is not None:
        if wanted not in names:
            raise _no_label(path, names, wanted)
        return list(names).index(wanted)
    exact = [k for k, name in enumerate(names) if name == LABEL]
    close = exact or [k for k, name in enumerate(names) if name.lower() in _LABELS]
    if len(close) == 1:
        return close[0]
    if len(names) > 1:
        raise _no_label(path, names, LABEL)
    return None


def _parquet_labels(path: Path, wanted: str | None) -> Iterator[tuple[int, str]]:
    file = open_parquet(path)
    names = file.schema_arrow.names
    place = _label_column(path, names, wanted)
    at = 1
    for batch in _batches(file, path, [names[place or 0]]):
        for value in batch.column(0).to_pylist():
            yield at, "" if value is None else str(value)
            at += 1


def _no_label(path: Location, names: Sequence[str], wanted: str) -> DataError:
    return DataError(
        f"{path} must have a column named {wanted!r}",
        f"it has {_some(names)}",
        "Say which one holds the labels with --label, or rename it",
    )
