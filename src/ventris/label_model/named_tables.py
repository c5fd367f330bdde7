"""Square tables with names, as people have them: data frames, dictionaries of dictionaries, plain arrays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ventris.errors import LanguageModelError

Named = tuple[Any, list[Any] | None]  # the numbers, and the name of each row and column where there is one


def named_table(table: Any, what: str) -> Named:
    """Numbers of a table and the names of its labels, columns put into the order of the rows.

    Parameters
    ----------
    table : data frame, mapping of mappings, or array
        Of a data frame, index and columns name the labels; where only one of them does, or the first column
        holds text, that names both. Of ``{"a": {"a": 0.9, "b": 0.1}, …}`` what is left out is 0.
    what : str
        What the table is, for complaints.

    Examples
    --------
    >>> named_table({"a": {"b": 1.0}, "b": {"a": 0.5, "b": 0.5}}, "A transition matrix")
    ([[0.0, 1.0], [0.5, 0.5]], ['a', 'b'])
    >>> named_table([[0, 1], [1, 0]], "A transition matrix")
    ([[0, 1], [1, 0]], None)
    """
    if isinstance(table, Mapping):
        return _of_mapping(table, what)
    if hasattr(table, "columns") and hasattr(table, "to_numpy"):
        return _of_frame(table, what)
    return table, None


def in_order(values: Any, names: list[Any] | None, classes: Iterable[Any] | None) -> tuple[Any, Any]:
    """The table and its classes: those asked for, if a named table has just them, put into their order.

    Examples
    --------
    >>> in_order(np.array([[1, 2], [3, 4]]), ["a", "b"], "ba")[0].tolist()
    [[4, 3], [2, 1]]
    """
    if names is None or classes is None:
        return values, names if classes is None else classes
    wanted = list(classes)
    if sorted(map(str, wanted)) != sorted(map(str, names)):
        raise LanguageModelError(
            f"classes must be the names of the table, {_some(names)}",
            f"it is {_some(wanted)}",
            "Drop classes, rename the table's rows and columns, or give the bare numbers (.to_numpy())",
        )
    at = [list(map(str, names)).index(str(label)) for label in wanted]
    return np.asarray(values)[np.ix_(*[at] * np.ndim(values))], wanted


def _of_mapping(table: Mapping[Any, Any], what: str) -> Named:
    names = list(table)
    if not all(isinstance(row, Mapping) for row in table.values()):
        raise LanguageModelError(
            f"{what} as a dictionary must hold a dictionary for every label",
            f"{names[0]!r} holds a {type(table[names[0]]).__name__}" if names else "it is empty",
            'Give {"a": {"a": 0.9, "b": 0.1}, …}',
        )
    unknown = next((label for row in table.values() for label in row if label not in table), None)
    if unknown is not None:
        raise LanguageModelError(
            f"{what} must have a row for every label", f"{unknown!r} has none", "Add what follows it"
        )
    return [[float(row.get(name, 0.0)) for name in names] for row in table.values()], names


def _of_frame(frame: Any, what: str) -> Named:
    columns, n_rows = list(frame.columns), len(frame)
    rows = list(frame.index) if hasattr(frame, "index") else list(range(n_rows))
    if len(columns) == n_rows + 1 and _is_text(np.asarray(frame[columns[0]])):
        rows, columns = list(frame[columns[0]]), columns[1:]
    if len(columns) != n_rows:
        raise LanguageModelError(
            f"{what} must be square",
            f"its shape is {(n_rows, len(columns))}",
            "Give one row and one column a class",
        )
    values, numbered = frame[columns].to_numpy(), list(range(n_rows))
    order = _matching(rows, columns)
    if order is not None:
        return values[:, order], rows
    if rows == numbered or columns == numbered:
        return values, columns if rows == numbered else rows
    alone = sorted({str(name) for name in rows} ^ {str(name) for name in columns})
    raise LanguageModelError(
        f"Rows and columns of {what[0].lower()}{what[1:]} must have the same names, each once",
        f"only one of them has {alone[0]!r}" if alone else "one is there twice",
        "Rename them alike; their order may differ",
    )


def _matching(rows: Sequence[Any], columns: Sequence[Any]) -> list[int] | None:
    """Where each row's name is among the columns, compared as text: a file's header is always text."""
    place = {str(name): k for k, name in enumerate(columns)}
    same = len(place) == len(columns) and {str(name) for name in rows} == set(place)
    return [place[str(name)] for name in rows] if same else None


def _is_text(column: NDArray) -> bool:
    return column.dtype.kind in "OUST" and all(isinstance(each, str) for each in column.tolist())


def _some(names: Sequence[Any], n: int = 8) -> str:
    return ", ".join(repr(name) for name in names[:n]) + (", …" if len(names) > n else "")
