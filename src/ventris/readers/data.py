"""`read_data`: whatever the file is, sequences come out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ventris.errors import FileFormatError
from ventris.readers import archives, arrays, images, symbols, tables
from ventris.readers.natural_order import by_name
from ventris.readers.schema import Data, Schema
from ventris.readers.text import Location, check_exists, is_stdin, stored


def read_data(
    path: Location,
    *,
    columns: Sequence[str] = (),
    layout: tables.Layout | None = None,
    characters: bool = False,
    schema: Schema | None = None,
) -> Data:
    """Read sequences of inputs from a file or a folder.

    Parameters
    ----------
    path : path
        `.npy` (memory-mapped), `.npz` (X, lengths), `.csv`, `.tsv` or `.parquet` (a `sequence` column groups
        rows), a folder of `.npy` files or of images of one size (a folder in it is a sequence), a `.zip` of
        such images, or a text of symbols with one sequence a line; `-` reads comma-separated values from
        standard input.
    columns : sequence of str
        Columns of a table to take; by default all but `sequence` and `label`.
    layout : tables.Layout, optional
        More about a table: which column groups rows, which holds labels, how it is written.
    characters : bool, default False
        Whether each character of a text is a symbol, rather than each word.
    schema : Schema, optional
        How the data a model was fitted on was read; this file is then read the same way.
    """
    found, kept = stored(check_exists(path)), schema or Schema()
    if found is not path:
        path = found
    ending = found.suffix.lower()
    if found.is_dir():
        return _read_folder(found, kept)
    if ending == ".npy":
        return arrays.read_npy(found)
    if ending == ".npz":
        return arrays.read_npz(found)
    if ending == ".zip":
        return archives.read_zip(found, kept)
    if ending in tables.ENDINGS or is_stdin(path):
        asked = layout or tables.Layout()
        wanted = tuple(columns) or asked.columns or kept.columns
        group = kept.sequence or None if asked.sequence is None else asked.sequence
        return tables.read_table(path, replace(asked, columns=wanted, sequence=group))
    return symbols.read_symbols(path, characters or kept.characters, kept.symbols)


def _read_folder(folder: Path, schema: Schema) -> Data:
    inside = sorted((p for p in folder.iterdir() if not p.name.startswith(".")), key=by_name)
    files = [path for path in inside if path.suffix.lower() == ".npy"]
    if files:
        return arrays.read_npy_folder(files)
    groups = {folder.name: _images(inside)} | {
        sub.name: _images(sorted(sub.iterdir(), key=by_name)) for sub in inside if sub.is_dir()
    }
    filled = {name: found for name, found in groups.items() if found}
    if not filled:
        raise FileFormatError(
            f"The folder {folder} must hold .npy files or images", "it holds neither", "Check the path"
        )
    return images.read_images(list(filled.values()), tuple(filled), schema.size)


def _images(paths: Sequence[Path]) -> list[Path]:
    return [path for path in paths if path.suffix.lower() in images.ENDINGS]
