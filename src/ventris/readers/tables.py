"""Tables: `.csv`, `.tsv` and `.parquet`, read block by block; a `sequence` column groups rows.

A column `label` is never a feature: true labels must not slip into training through a file.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ventris.data.sequences import Sequences
from ventris.errors import DataError, FileFormatError, MissingExtraError
from ventris.readers.schema import Data, Schema
from ventris.readers.text import Location, open_text

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

SEQUENCE, LABEL = "sequence", "label"
ENDINGS = (".csv", ".tsv", ".parquet")
_ROWS = 8192  # rows turned into numbers at a time


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


def read_table(path: Location, columns: Sequence[str] = ()) -> Data:
    """Feature vectors from a table, one row a point.

    Parameters
    ----------
    path : path to a `.csv`, `.tsv` or `.parquet` file, or `-` for comma-separated values
    columns : sequence of str
        The columns to take, in this order; by default all but `sequence` and `label`.
    """
    if Path(path).suffix.lower() == ".parquet":
        return _read_parquet(Path(path), columns)
    with open_text(path) as file:
        rows = rows_of(path, csv.reader(file, delimiter=_delimiter(path), strict=True))
        names, rows = split_header(rows, path)
        chosen = choose(path, names, columns)
        return _collect(path, rows, names, chosen)


def _delimiter(path: Location) -> str:
    return "\t" if Path(path).suffix.lower() == ".tsv" else ","


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


def split_header(rows: Iterator[Row], path: Location) -> tuple[list[str], Iterator[Row]]:
    """Column names and the rows after them; a first row of numbers only is data, its columns are numbered."""
    first = next(rows, None)
    if first is None:
        raise FileFormatError(f"{path} must hold at least one row", "it is empty", "Check the path")
    if all(_is_number(cell) for cell in first.cells):
        return [str(k) for k in range(len(first.cells))], _prepended(first, rows)
    names = [cell.strip() for cell in first.cells]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise DataError(f"{path} line 1: column names must differ", f"{twice!r} is there twice", "Rename one")
    return names, rows


def _prepended(first: Row, rows: Iterator[Row]) -> Iterator[Row]:
    yield first
    yield from rows


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def choose(path: Location, names: Sequence[str], columns: Sequence[str]) -> list[int]:
    """Positions of the feature columns."""
    missing = [name for name in columns if name not in names]
    if missing:
        raise DataError(
            f"{path} must have the columns {', '.join(columns)}",
            f"{missing[0]!r} is not among {', '.join(names)}",
            "Correct the names, or choose other columns",
        )
    wanted = columns or [name for name in names if name not in (SEQUENCE, LABEL)]
    if not wanted:
        raise DataError(
            f"{path} must have a column of numbers", f"it has only {', '.join(names)}", "Add the features"
        )
    return [list(names).index(name) for name in wanted]


def _collect(path: Location, rows: Iterator[Row], names: list[str], chosen: list[int]) -> Data:
    group_at = names.index(SEQUENCE) if SEQUENCE in names else None
    groups, blocks = Groups(path), []
    while block := _take(rows):
        blocks.append(_numbers(path, block, names, chosen))
        if group_at is not None:
            for row in block:
                groups.add(row.cells[group_at], row.line)
    columns = tuple(names[k] for k in chosen)
    return _data(blocks, groups if group_at is not None else None, columns)


def _take(rows: Iterator[Row]) -> list[Row]:
    return list(islice(rows, _ROWS))


def _numbers(path: Location, block: list[Row], names: list[str], chosen: list[int]) -> NDArray:
    """Cells as float64: shape (n, D); the first that is no finite number is named with line and column."""
    cells = [[row.cells[k] for k in chosen] for row in block]
    try:
        values = np.array(cells, dtype=np.float64)
    except ValueError:
        values = np.array([[float(c) if _is_number(c) else np.nan for c in row] for row in cells])
    if not np.isfinite(values).all():
        row, column = (int(k) for k in np.argwhere(~np.isfinite(values))[0])
        raise DataError(
            f"{path} line {block[row].line}, column {names[chosen[column]]!r}: a finite number is expected",
            f"it holds {cells[row][column]!r}",
            "Correct it, or leave the column out by choosing the others (--columns)",
        )
    return values


def _data(blocks: list[NDArray], groups: Groups | None, columns: tuple[str, ...]) -> Data:
    values = np.concatenate(blocks) if blocks else np.zeros((0, len(columns)))
    sequences = Sequences.of(values, groups.lengths if groups and groups.lengths else None)
    return Data.of(sequences, Schema(columns=columns), tuple(groups.names) if groups else None)


# --------------------------------------------------------------------------------------------- parquet


def _read_parquet(path: Path, columns: Sequence[str]) -> Data:
    file = _open_parquet(path)
    names = list(file.schema_arrow.names)
    wanted = [names[k] for k in choose(path, names, columns)]
    groups, blocks, at = Groups(path), [], 1
    with_groups = SEQUENCE in names
    for batch in _batches(file, path, [*wanted, *([SEQUENCE] if with_groups else [])]):
        blocks.append(
            np.stack([_parquet_numbers(path, name, batch.column(name), at) for name in wanted], axis=1)
        )
        for k, name in enumerate(batch.column(SEQUENCE).to_pylist() if with_groups else []):
            groups.add(str(name), at + k)
        at += batch.num_rows
    return _data(blocks, groups if with_groups else None, tuple(wanted))


def _open_parquet(path: Path) -> pq.ParquetFile:
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


def label_cells(path: Location) -> Iterator[tuple[int, str]]:
    """Line and text of each label: a column `label`, or the only column there is.

    Examples
    --------
    >>> import tempfile
    >>> truth = Path(tempfile.mkdtemp()) / "truth.csv"
    >>> _ = truth.write_text("time,label\\n0,walk\\n1,run\\n")
    >>> list(label_cells(truth))
    [(2, 'walk'), (3, 'run')]
    """
    if Path(path).suffix.lower() == ".parquet":
        yield from _parquet_labels(Path(path))
        return
    with open_text(path) as file:
        rows = rows_of(path, csv.reader(file, delimiter=_delimiter(path), strict=True))
        first = next(rows, None)
        names = [cell.strip() for cell in first.cells] if first else []
        if LABEL not in names and len(names) > 1:
            raise _no_label(path, names)
        if first is not None and LABEL not in names:
            yield first.line, first.cells[0]
        at = names.index(LABEL) if LABEL in names else 0
        for row in rows:
            yield row.line, row.cells[at]


def _parquet_labels(path: Path) -> Iterator[tuple[int, str]]:
    file = _open_parquet(path)
    if LABEL not in file.schema_arrow.names:
        raise _no_label(path, file.schema_arrow.names)
    at = 1
    for batch in _batches(file, path, [LABEL]):
        for value in batch.column(0).to_pylist():
            yield at, "" if value is None else str(value)
            at += 1


def _no_label(path: Location, names: Sequence[str]) -> DataError:
    return DataError(
        f"{path} must have a column named {LABEL!r}", f"it has {', '.join(names)}", "Rename the right one"
    )
