"""Label files: sequences of labels for a label model, and one label a point, given or found."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ventris.errors import DataError, FileFormatError
from ventris.readers.arrays import read_npy
from ventris.readers.schema import Data
from ventris.readers.tables import ENDINGS, Layout, label_cells
from ventris.readers.text import Location, check_exists, lines_of, open_text

UNKNOWN = ("", "?", "-1")  # how a file says that a label is not known
_ROWS = 65_536  # rows made into Python's own numbers at a time


# ------------------------------------------------------------------------------------------ label models


def read_label_sequences(path: Location) -> list[list[Any]]:
    """One sequence a line, labels separated by white space; labels that are all whole numbers become such.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "labels.txt"
    >>> _ = path.write_text("walk walk run\\nrun walk\\n")
    >>> read_label_sequences(path)
    [['walk', 'walk', 'run'], ['run', 'walk']]
    """
    lines = [text.split() for _, text in lines_of(path)]
    if not lines:
        raise FileFormatError(f"{path} must hold labels", "it is empty", "Give one sequence of labels a line")
    if all(_is_whole(label) for labels in lines for label in labels):
        return [[int(label) for label in labels] for labels in lines]
    return lines


def _is_whole(text: str) -> bool:
    """Whether a label is a whole number written as Python writes it: 7 and −7, but neither 07 nor +7."""
    digits = text.removeprefix("-")
    return digits.isascii() and digits.isdigit() and str(int(text)) == text


def read_label_text(path: Location) -> str:
    """A whole text, whose characters are the labels; each line is a sequence."""
    with open_text(path) as file:
        text = file.read().replace("\r\n", "\n")
    if not text.strip():
        raise FileFormatError(f"{path} must hold text", "it is empty", "Check the path")
    return text


# --------------------------------------------------------------------------------------- one label a point


@dataclass(frozen=True)
class LabelColumn:
    """Labels as text, in the order of the data, and the line each stands on."""

    path: Location
    labels: list[str]
    lines: list[int]

    def __len__(self) -> int:
        return len(self.labels)


def read_label_column(path: Location, layout: Layout | None = None) -> LabelColumn:
    """A table's column of labels, an array of whole numbers, or a text with one label a line."""
    ending = check_exists(path).suffix.lower()
    if ending == ".npy":
        values = read_npy(Path(path)).sequences.data
        return LabelColumn(path, [str(value) for value in values.ravel().tolist()], [*range(values.size)])
    cells = list(label_cells(path, layout or Layout()) if ending in ENDINGS else _plain(path))
    return LabelColumn(path, [text for _, text in cells], [line for line, _ in cells])


def _plain(path: Location) -> Iterable[tuple[int, str]]:
    """Every line a label, blank ones included: they say that a label is not known."""
    with open_text(path) as file:
        yield from ((number, line.rstrip("\r\n")) for number, line in enumerate(file, start=1))


def match_labels(column: LabelColumn, classes: Sequence[Any], n_points: int) -> NDArray[np.int64]:
    """Class numbers of the labels, −1 where unknown: shape (T,).

    Parameters
    ----------
    column : LabelColumn
    classes : sequence
        The label model's, compared by their text.
    n_points : int
        T, the number of labels there must be.

    Examples
    --------
    >>> match_labels(LabelColumn("truth.txt", ["b", "?", "a"], [1, 2, 3]), ["a", "b"], 3)
    array([ 1, -1,  0])
    """
    if len(column) != n_points:
        raise DataError(
            f"{column.path} must hold one label for each of the {n_points:,} points",
            f"it holds {len(column):,}",
            "Give the labels of this very data, in its order",
        )
    number = dict.fromkeys(UNKNOWN, -1) | {str(label): k for k, label in enumerate(classes)}
    # A space may itself be a label; otherwise white space around one means nothing.
    texts = [label if label in number else label.strip() for label in column.labels]
    try:
        return np.array([number[text] for text in texts], dtype=np.int64)
    except KeyError:
        row = next(k for k, text in enumerate(texts) if text not in number)
        shown = ", ".join(str(label) for label in classes[:8]) + (", …" if len(classes) > 8 else "")
        raise DataError(
            f"{column.path} line {column.lines[row]}: labels must be among {shown}",
            f"it holds {column.labels[row]!r}",
            "Correct it, or leave it empty if it is not known",
        ) from None


# ------------------------------------------------------------------------------------------ labels found


def label_rows(
    read: Data, labels: NDArray, more: Sequence[tuple[str, NDArray, str]] = ()
) -> Iterator[list[Any]]:
    """The rows of a table of labels, its header first: one row a point, beginning with its sequence's name.

    Parameters
    ----------
    read : Data
        The points.
    labels : array of shape (T,)
    more : sequence of (name, array of shape (T,), format)
        Further columns; an empty format leaves a value as it is.

    Examples
    --------
    >>> from ventris.data.sequences import Sequences
    >>> from ventris.readers.schema import Schema
    >>> read = Data.of(Sequences.of(np.zeros((3, 1)), [2, 1]), Schema(), ("a", "b"))
    >>> for row in label_rows(read, np.array(["u", "v", "u"]), [("p", np.array([0.5, 1.0, 0.25]), ".2f")]):
    ...     print(row)
    ['sequence', 'label', 'p']
    ['a', 'u', '0.50']
    ['a', 'v', '1.00']
    ['b', 'u', '0.25']
    """
    yield ["sequence", "label", *(name for name, _, _ in more)]
    offsets = read.sequences.offsets
    for name, start, stop in zip(read.names, offsets[:-1], offsets[1:], strict=True):
        for first in range(int(start), int(stop), _ROWS):
            part = slice(first, min(first + _ROWS, int(stop)))
            columns = [_cells(values[part], form) for _, values, form in more]
            for label, *cells in zip(labels[part].tolist(), *columns, strict=True):
                yield [name, label, *cells]


def _cells(values: NDArray, form: str) -> list[Any]:
    return [format(value, form) for value in values.tolist()] if form else values.tolist()
