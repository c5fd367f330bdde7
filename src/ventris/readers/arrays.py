"""NumPy files: `.npy` as a memory map, `.npz` with X and lengths, a folder of `.npy` files."""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path
from tokenize import TokenError

import numpy as np
from numpy.typing import NDArray

from ventris.errors import DataError, FileFormatError
from ventris.readers.schema import Data, Schema
from ventris.sequences import Sequences

# What NumPy lets through from its parts when a file is damaged: the parser of headers, zlib, zipfile.
_DAMAGE = (
    ArithmeticError, AttributeError, EOFError, LookupError, NotImplementedError, OSError, SyntaxError,
    TypeError, ValueError, TokenError, zipfile.BadZipFile, zlib.error,
)  # fmt: skip


def read_npy(path: Path) -> Data:
    """One array, never read whole: (T, D) features, (T,) symbols, or (S, T, D) sequences of one length."""
    array = _load(path)
    lengths = None
    if array.ndim == 3:
        lengths = np.full(array.shape[0], array.shape[1])
        array = array.reshape(-1, array.shape[2])  # of a memory map this is still one
    return _of(Sequences.of(array, lengths))


def read_npz(path: Path) -> Data:
    """The arrays X and, if it is there, lengths."""
    try:
        # Opened here: NumPy leaves a damaged archive open.
        with open(path, "rb") as file, np.load(file, allow_pickle=False) as archive:
            found = {name: archive[name] for name in archive.files if name in ("X", "lengths")}
            names = ", ".join(archive.files)
    except _DAMAGE as problem:
        raise _damaged(path, problem) from None
    except MemoryError as problem:  # a few kilobytes can unpack to terabytes, or claim to
        raise FileFormatError(
            f"The arrays of {path} must fit into memory",
            f"they do not: {problem}",
            "Write X with numpy.save instead: a .npy file is never read whole",
        ) from None
    if "X" not in found:
        raise FileFormatError(
            f"{path} must hold an array named X", f"it holds {names}", "Write it with numpy.savez(path, X=…)"
        )
    return _of(Sequences.of(found["X"], found.get("lengths")))


def read_npy_folder(files: Sequence[Path]) -> Data:
    """Each file one sequence, in the order of their names."""
    sequences = Sequences.of([_load(file) for file in files])
    return _of(sequences, tuple(file.stem for file in files))


def _load(path: Path) -> NDArray:
    try:
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    except _DAMAGE as problem:
        raise _damaged(path, problem) from None
    if not isinstance(array, np.ndarray):
        raise _damaged(path, "it is an archive")
    if array.ndim not in (1, 2, 3):
        raise DataError(
            f"{path} must hold (T, D) features, (T,) whole numbers or (S, T, D) sequences",
            f"its shape is {array.shape}",
            "Reshape it",
        )
    return array


def _of(sequences: Sequences, names: tuple[str, ...] | None = None) -> Data:
    return Data.of(sequences, Schema("symbols" if sequences.is_symbolic else "features"), names)


def _damaged(path: Path, problem: object) -> FileFormatError:
    return FileFormatError(
        f"{path} must be a NumPy file", f"it cannot be read: {problem}", "Write it again with numpy.save"
    )


def by_name(path: Path) -> list[int | str]:
    """A key that puts 2 before 10.

    Examples
    --------
    >>> sorted([Path("p10.npy"), Path("p2.npy")], key=by_name)[0].name
    'p2.npy'
    """
    parts = re.split(r"(\d+)", path.name)  # text and numbers alternate, so keys compare part by part
    return [int(part) if k % 2 else part for k, part in enumerate(parts)]
