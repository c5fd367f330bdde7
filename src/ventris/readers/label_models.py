"""Label models from files of every kind: ARPA, a matrix with names, JSON, a graph, counts, KenLM."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ventris.errors import FileFormatError, LanguageModelError, MissingExtraError
from ventris.label_model.arpa import label_of
from ventris.label_model.model import NgramModel
from ventris.readers.arrays import load_array
from ventris.readers.dialect import Dialect, read_rows
from ventris.readers.tables import rows_of
from ventris.readers.text import Location, check_exists, is_stdin, keep_stdin, open_text, peek_stdin

TABLES, GRAPHS = (".csv", ".tsv"), (".graphml", ".gexf", ".gml", ".net", ".edgelist")
ENDINGS = (*TABLES, *GRAPHS, ".json", ".npy")
_KENLM = b"mmap lm http://kheafield.com/code"


@dataclass(frozen=True)
class Told:
    """What a user says about a file of a label model.

    Attributes
    ----------
    classes : sequence, optional
        The labels, where the file has no names for them.
    stay : float
        Of a graph: probability to stay where one is.
    counting : dict
        smoothing and pseudo_count of counts.
    """

    classes: Sequence[Any] | None = None
    stay: float = 0.0
    counting: dict[str, Any] = field(default_factory=dict)


def is_label_model(path: Location) -> bool:
    """Whether a file is a label model already, rather than a text of labels to be counted."""
    if is_stdin(path):
        return _ending_of_stdin() is not None
    found = check_exists(path)
    if found.is_dir():
        return False
    with found.open("rb") as file:
        head = file.read(100_000)
    return found.suffix.lower() in ENDINGS or b"\\data\\" in head or head.startswith(_KENLM)


def read_label_model(path: Location, told: Told = Told()) -> NgramModel:
    """A label model from an ARPA file, a table, JSON, a graph or a KenLM binary; by ending, then by content.

    For a text of labels the error names the command that makes a model of it.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "P.csv"
    >>> _ = path.write_text(",wet,dry\\nwet,0.7,0.3\\ndry,0.1,0.9\\n")
    >>> read_label_model(path).to_dataframe().loc["dry", "wet"]
    np.float64(0.1)
    """
    if is_stdin(path):
        path = keep_stdin(_ending_of_stdin() or ".arpa")
    found = check_exists(path)
    ending = found.suffix.lower()
    if ending in TABLES:
        return _of_table(found, told)
    if ending == ".json":
        return _of_json(found, told)
    if ending in GRAPHS:
        return _of_graph(found, told)
    if ending == ".npy":
        return _of_matrix(found, load_array(found), None, told)
    if found.is_file() and _begins_with(found, _KENLM):
        return _of_kenlm(found, told)
    with open_text(found) as file:
        head = file.read(100_000)
    if "\\data\\" not in head:
        raise FileFormatError(
            f"{path} must be an ARPA file, a table (.csv), .json, a graph (.graphml) or a KenLM binary",
            "it has no \\data\\ line",
            f"For a text of labels, first run: ventris lm build {path} -o labels.arpa",
        )
    return NgramModel.from_arpa(found, classes=told.classes)


def _ending_of_stdin() -> str | None:
    """The ending that a label model on standard input would have as a file; none for a text of labels."""
    head = peek_stdin()
    begins = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    for mark, ending in _BEGINNINGS.items():
        if begins.startswith(mark):
            return ending
    if b"\\data\\" in head:
        return ".arpa"
    for mark, ending in {b"<graphml": ".graphml", b"<gexf": ".gexf"}.items():
        if mark in head:
            return ending
    return ".csv" if _looks_like_a_table(head.decode("utf-8-sig", errors="replace")) else None


_BEGINNINGS = {b"{": ".json", b"[": ".json", b"\x93NUMPY": ".npy", _KENLM: ".arpa"}


def _looks_like_a_table(text: str) -> bool:
    """Whether the second line has as many cells as the first: names, two at most, and then numbers.

    White space sets words of a text apart as well, so a tab counts only where the first cell is empty.
    """
    lines = [line for line in text.splitlines() if line.strip()][:2]
    if len(lines) < 2:
        return False
    for mark in (",", ";", "|", *(["\t"] if lines[0].startswith("\t") else [])):
        first, second = (line.split(mark) for line in lines)
        dialect = Dialect(mark, "," if mark == ";" else ".")
        if len(first) == len(second) > 1 and all(
            _is_number(cell, dialect) for cell in second[2:] or second[1:]
        ):
            return True
    return False


def _begins_with(path: Path, mark: bytes) -> bool:
    with path.open("rb") as file:
        return file.read(len(mark)) == mark


# ------------------------------------------------------------------------------------------------- tables


def _of_table(path: Path, told: Told) -> NgramModel:
    """A matrix with or without names, or rows of from, to and number."""
    with open_text(path) as file:
        reader, dialect = read_rows(file, path.suffix.lower())
        rows = [row.cells for row in rows_of(path, reader)]
    if not rows:
        raise FileFormatError(f"{path} must hold a matrix", "it is empty", "Check the path")
    if len(rows) > 1 and len(rows[0]) == 3 and _are_edges(rows[1:], dialect):
        return _of_mapping(path, _edges(path, rows[1:], dialect), told)
    names: list[str] | None = None
    has_header = not all(_is_number(cell, dialect) for cell in rows[0])
    has_names = not all(_is_number(row[0], dialect) for row in rows[1:] or rows)
    columns = [cell.strip() for cell in rows[0][int(has_names) :]] if has_header else None
    body = rows[int(has_header) :]
    if has_names:
        names = [row[0].strip() for row in body]
        body = [row[1:] for row in body]
    values = np.array([[_number(path, cell, dialect) for cell in row] for row in body])
    if names and columns and sorted(names) != sorted(columns):
        alone = sorted(set(names) ^ set(columns))
        raise LanguageModelError(
            f"Rows and columns of {path} must have the same names, each once",
            f"only one of them has {alone[0]!r}" if alone else "one is there twice",
            "Rename them alike; their order may differ",
        )
    if names and columns:
        values = values[:, [columns.index(name) for name in names]]
    return _of_matrix(path, values, names or columns, told)


def _are_edges(rows: list[list[str]], dialect: Dialect) -> bool:
    return not any(_is_number(row[0], dialect) or _is_number(row[1], dialect) for row in rows)


def _edges(path: Path, rows: list[list[str]], dialect: Dialect) -> dict[Any, Any]:
    return {(row[0].strip(), row[1].strip()): _number(path, row[2], dialect) for row in rows}


def _is_number(cell: str, dialect: Dialect) -> bool:
    try:
        dialect.number(cell)
    except ValueError:
        return False
    return True


def _number(path: Path, cell: str, dialect: Dialect) -> float:
    try:
        return dialect.number(cell)
    except ValueError:
        raise FileFormatError(
            f"{path} must hold a matrix of numbers", f"one cell holds {cell!r}", "Correct it"
        ) from None


def _of_matrix(path: Path, values: NDArray, names: Sequence[Any] | None, told: Told) -> NgramModel:
    """Probabilities if every row sums to one, counts if all are whole."""
    classes = told.classes if names is None else names
    table = np.asarray(values, dtype=float)
    if table.ndim == 2 and np.allclose(table.sum(axis=1), 1, atol=1e-3):
        rounded = table / table.sum(axis=1, keepdims=True)  # three digits of each are often all there is
        return NgramModel.from_transition_matrix(rounded, classes=classes)
    if np.all(table == np.round(table)):
        return NgramModel.from_counts(table, classes=classes, **told.counting)
    raise LanguageModelError(
        f"{path} must hold probabilities, each row summing to 1, or counts",
        "it holds neither",
        "Divide each row by its sum; if the columns sum to 1, transpose the table",
    )


# ---------------------------------------------------------------------------------------------------- JSON


def _of_json(path: Path, told: Told) -> NgramModel:
    """{"a": {"b": 0.5, …}, …}; {"a b": 12, …}; or {"classes": […], "transitions": [[…], …]}.

    The last may say how long labels last: "min_dwell": 5, or "durations": {"a": [0, 3, 1], …}.
    """
    try:
        with open_text(path) as file:
            plain = json.load(file)
    except (ValueError, RecursionError) as problem:
        raise FileFormatError(f"{path} must be JSON", f"it is not: {problem}", "Write it again") from None
    if isinstance(plain, list):
        return _of_matrix(path, _array(path, plain), None, told)
    if not isinstance(plain, dict) or not plain:
        raise FileFormatError(f"{path} must hold a label model", "it holds none", _JSON)
    told_stays = ("min_dwell", "durations") if "transitions" in plain else ()
    lasting = {key: plain[key] for key in told_stays if key in plain}
    matrix = next((plain[key] for key in ("transitions", "counts", "matrix") if key in plain), None)
    if isinstance(matrix, list):
        model = _of_matrix(path, _array(path, matrix), plain.get("classes"), told)
        return model.lasting(**lasting) if lasting else model
    if {"nodes", "links"} <= plain.keys() or {"nodes", "edges"} <= plain.keys():
        return NgramModel.from_graph(_networkx().node_link_graph(plain), stay=told.stay)
    if all(isinstance(row, dict) for row in plain.values()):
        pairs = {(first, second): p for first, row in plain.items() for second, p in row.items()}
        return _of_mapping(path, pairs, told)
    if all(isinstance(count, int | float) for count in plain.values()):
        return _of_mapping(path, {tuple(gram.split()): count for gram, count in plain.items()}, told)
    raise FileFormatError(f"{path} must hold a label model", "it is made otherwise", _JSON)


_JSON = 'Give {"a": {"a": 0.9, "b": 0.1}, …}, {"a b": 12, …}, or {"classes": […], "transitions": [[…], …]}'


def _array(path: Path, rows: list[Any]) -> NDArray:
    try:
        return np.array(rows, dtype=float)
    except (TypeError, ValueError):
        raise FileFormatError(f"{path} must hold a matrix of numbers", "it does not", _JSON) from None


def _of_mapping(path: Path, grams: dict[Any, Any], told: Told) -> NgramModel:
    """Pairs with probabilities that sum to one after each label, or n-grams with counts."""
    if any(isinstance(p, bool) or not isinstance(p, int | float) for p in grams.values()):
        raise FileFormatError(f"{path} must hold numbers", "some entries are none", _JSON)
    if all(len(gram) == 2 for gram in grams):
        table: dict[Any, dict[Any, float]] = {}
        for (first, second), p in grams.items():
            table.setdefault(first, {})[second] = float(p)
        sums = np.array([sum(row.values()) for row in table.values()])
        if np.allclose(sums, 1, atol=1e-3):
            rows = {
                first: {second: p / sum(row.values()) for second, p in row.items()}
                for first, row in table.items()
            }
            return NgramModel.from_transition_matrix(rows, classes=told.classes)
    return NgramModel.from_counts(grams, classes=told.classes, **told.counting)


# ------------------------------------------------------------------------------------------ graphs, KenLM


def _of_graph(path: Path, told: Told) -> NgramModel:
    nx = _networkx()
    readers = {".graphml": nx.read_graphml, ".gexf": nx.read_gexf, ".gml": nx.read_gml,
               ".net": nx.read_pajek, ".edgelist": nx.read_weighted_edgelist}  # fmt: skip
    try:
        graph = readers[path.suffix.lower()](path)
    except Exception as problem:  # every format has errors of its own
        raise FileFormatError(
            f"{path} must be a graph that networkx reads", f"it says: {problem}", "Write it again"
        ) from None
    return NgramModel.from_graph(graph, stay=told.stay, classes=told.classes)


def _of_kenlm(path: Path, told: Told) -> NgramModel:
    if told.classes is None:
        raise LanguageModelError(
            "A KenLM binary does not tell its words, so the labels must be given",
            f"{path} came without",
            f'Make an ARPA file of it: ventris lm build {path} --alphabet "a b c" -o labels.arpa',
        )
    return NgramModel.from_kenlm(path, classes=[label_of(str(word)) for word in told.classes])


def _networkx() -> Any:
    try:
        import networkx
    except ImportError:
        raise MissingExtraError("Reading graph files", "networkx", "graph") from None
    return networkx
