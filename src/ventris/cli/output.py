"""What every command shows, and where: results on standard output, everything else on standard error."""

from __future__ import annotations

import csv
import json
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from ventris.storage.json_values import plain

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from rich.console import Console, RenderableType

    from ventris.readers import Data
    from ventris.storage.files import Target

_STDOUT = 1  # its descriptor


def say(message: object) -> None:
    """One line for the user that is no result."""
    print(f"ventris: {message}", file=sys.stderr, flush=True)


def show(*parts: RenderableType, beside: Path | None = None) -> None:
    """Tables and sentences on standard output; colours only where a terminal and NO_COLOR allow them.

    Parameters
    ----------
    *parts : renderable
    beside : path, optional
        A file just written: if that was standard output itself, the rest goes to standard error.
    """
    console = _console(is_standard_output(beside))
    for part in parts:
        console.print(part, soft_wrap=isinstance(part, str))  # a path must not be cut at the 80th column


def _console(stderr: bool) -> Console:
    """A console that takes labels and paths as they are: `[UNK]` is a label, not a style."""
    from rich.console import Console

    return Console(highlight=False, markup=False, emoji=False, stderr=stderr)


def emit(result: Any, *, beside: Path | None = None) -> None:
    """A result as JSON on standard output; `beside` as in `show`."""
    text = json.dumps(plain(result), indent=2, ensure_ascii=False, allow_nan=False)
    print(text, file=sys.stderr if is_standard_output(beside) else sys.stdout)


def is_standard_output(path: Path | None) -> bool:
    """Whether a path is a name of standard output: no sentence may follow a model written there."""
    from ventris.storage.files import find_target

    return path is not None and find_target(path).into == _STDOUT


@contextmanager
def doubts_as_lines() -> Iterator[None]:
    """Warnings of Ventris become lines on standard error; those of others stay what they are."""
    from ventris.errors import VentrisWarning

    def line(
        message: Warning | str, category: type[Warning], filename: str, lineno: int, *_: Any, **__: Any
    ) -> None:
        if issubclass(category, VentrisWarning):
            say(f"{category.__name__}: {message}")
        else:
            sys.stderr.write(warnings.formatwarning(message, category, filename, lineno))

    with warnings.catch_warnings():
        warnings.simplefilter("always", VentrisWarning)
        warnings.showwarning = line
        yield


def check_target(path: Path, force: bool) -> Target:
    """Refuse, before any work is done, a file that could not be written after it."""
    from ventris.storage.files import find_target

    return find_target(path, force=force)


def labels_format(out: Path | None, asked: str | None, force: bool) -> str:
    """csv, parquet or json: as asked, else as the file's ending says; a target that cannot be is refused."""
    from ventris.errors import MissingExtraError, ParameterError

    if out is not None:
        check_target(out, force)
    ending = out.suffix.lower().lstrip(".") if out is not None else ""
    form = asked or (ending if ending in ("parquet", "json") else "csv")
    if form == "parquet":
        if out is None:
            raise ParameterError(
                "A parquet file needs a name", "labels would go to standard output", "Give one with -o"
            )
        try:
            import pyarrow.parquet  # noqa: F401
        except ImportError:
            raise MissingExtraError("Writing .parquet files", "pyarrow", "tables") from None
    return form


def give_labels(
    data: Data,
    labels: NDArray,
    proba: NDArray | None,
    classes: Sequence[Any],
    *,
    out: Path | None,
    form: str,
    force: bool,
    as_json: bool,
) -> None:
    """One row a point: its sequence, its label and, if asked for, the probability of each class."""
    from ventris.storage.files import atomic_path

    if out is None:
        if form == "json":
            emit(_labels_as_json(data, labels, proba, classes))
        else:
            _write_rows(sys.stdout, data, labels, proba, classes)
        return
    with atomic_path(out, force=force) as temporary:
        if form == "parquet":
            _write_parquet(temporary, data, labels, proba, classes)
        else:
            with temporary.open("w", encoding="utf-8") as file:
                if form == "json":
                    json.dump(plain(_labels_as_json(data, labels, proba, classes)), file, ensure_ascii=False)
                else:
                    _write_rows(file, data, labels, proba, classes)
    summary = {"written": str(out), "n_points": len(labels), "classes": list(classes)}
    if as_json:
        emit(summary, beside=out)
    else:
        show(f"{len(labels):,} labels are in {out}.", beside=out)


def _write_parquet(
    path: Path, data: Data, labels: NDArray, proba: NDArray | None, classes: Sequence[Any]
) -> None:
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns: dict[str, Any] = {"sequence": np.repeat(np.array(data.names), data.sequences.lengths)}
    columns["label"] = labels
    if proba is not None:
        columns |= {f"p_{label}": proba[:, k] for k, label in enumerate(classes)}
    pq.write_table(pa.table(columns), path)


def _write_rows(
    file: TextIO, data: Data, labels: NDArray, proba: NDArray | None, classes: Sequence[Any]
) -> None:
    from ventris.readers import label_rows

    sure = [] if proba is None else [(f"p_{c}", proba[:, k], ".6g") for k, c in enumerate(classes)]
    csv.writer(file, lineterminator="\n").writerows(label_rows(data, labels, sure))


def _labels_as_json(
    data: Data, labels: NDArray, proba: NDArray | None, classes: Sequence[Any]
) -> dict[str, Any]:
    """The same as plain data: one entry a sequence."""
    offsets = data.sequences.offsets
    parts = list(zip(data.names, offsets[:-1], offsets[1:], strict=True))
    sequences = [{"sequence": name, "labels": labels[start:stop].tolist()} for name, start, stop in parts]
    if proba is not None:
        for entry, (_, start, stop) in zip(sequences, parts, strict=True):
            entry["proba"] = proba[start:stop].astype(float).round(6).tolist()
    return {"classes": list(classes), "sequences": sequences}
