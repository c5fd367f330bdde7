"""NumPy files: `.npy` as a memory map, `.npz` with X and lengths, a folder of `.npy` files."""

from __future__ import annotations

import math
import warnings
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tokenize import TokenError
from typing import IO

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from ventris.data.sequences import Sequences
from ventris.errors import DataError, FileFormatError
from ventris.readers.available import free_memory
from ventris.readers.schema import Data, Schema

# What NumPy lets through from its parts when a file is damaged: the parser of headers, zlib, zipfile.
_DAMAGE = (
    ArithmeticError, AttributeError, EOFError, LookupError, OSError, RuntimeError, SyntaxError,
    TypeError, ValueError, TokenError, zipfile.BadZipFile, zlib.error,
)  # fmt: skip


@contextmanager
def _quiet() -> Iterator[None]:
    """NumPy warns of headers that are old or oddly spelt; that it reads them, or refuses them, is enough."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def read_npy(path: Path) -> Data:
    """One array, never read whole: (T, D) features, (T,) symbols, or (S, T, D) sequences of one length."""
    array = load_array(path)
    lengths = None
    if array.ndim == 3:
        lengths = np.full(array.shape[0], array.shape[1])
        array = array.reshape(-1, array.shape[2])  # of a memory map this is still one
    return _of(Sequences.of(array, lengths))


def read_npz(path: Path) -> Data:
    """The arrays X and, if it is there, lengths."""
    try:
        # Opened here: NumPy leaves a damaged archive open.
        with _quiet(), open(path, "rb") as file, np.load(file, allow_pickle=False) as archive:
            wanted = [name for name in archive.files if name in ("X", "lengths")]
            _weigh(path, archive.zip, wanted)
            found = {name: archive[name] for name in wanted}
            names = ", ".join(archive.files)
    except FileFormatError:
        raise
    except _DAMAGE as problem:
        raise _damaged(path, problem) from None
    except MemoryError as problem:
        raise _too_large(path, f"they do not: {problem}") from None
    if "X" not in found:
        raise FileFormatError(
            f"{path} must hold an array named X", f"it holds {names}", "Write it with numpy.savez(path, X=…)"
        )
    return _of(Sequences.of(found["X"], found.get("lengths")))


def _weigh(path: Path, archive: zipfile.ZipFile, names: Sequence[str]) -> None:
    """Refuse members too large for memory, or of another size than their headers say, before unpacking any.

    A few kilobytes can unpack to terabytes, or claim to. `zipfile` never unpacks more than the size a member
    declares, so that size can be trusted as a limit.
    """
    members = [archive.getinfo(name if name in archive.namelist() else f"{name}.npy") for name in names]
    needed, free = sum(member.file_size for member in members), free_memory()
    if needed > free:
        raise _too_large(
            path, f"they unpack to {needed / 1e6:,.0f} MB where {free / 1e6:,.0f} MB are available"
        )
    for name, member in zip(names, members, strict=True):
        with archive.open(member) as file:
            claimed = _claimed_size(file)
        if claimed not in (None, member.file_size):
            raise ValueError(f"{name} takes {member.file_size:,} bytes where its header claims {claimed:,}")


def _claimed_size(file: IO[bytes]) -> int | None:
    """Bytes of an array and its header, as the header says; None for what NumPy needs no header to judge."""
    if file.read(len(npy.MAGIC_PREFIX)) != npy.MAGIC_PREFIX:
        return None
    file.seek(0)
    version = npy.read_magic(file)
    if version == (1, 0):
        shape, _, dtype = npy.read_array_header_1_0(file)
    elif version == (2, 0):
        shape, _, dtype = npy.read_array_header_2_0(file)
    else:
        raise ValueError(f"format {version} is not for plain numbers")
    return None if dtype.hasobject else file.tell() + math.prod(shape) * dtype.itemsize


def _too_large(path: Path, problem: str) -> FileFormatError:
    return FileFormatError(
        f"The arrays of {path} must fit into memory",
        problem,
        "Write X with numpy.save instead: a .npy file is never read whole",
    )


def read_npy_folder(files: Sequence[Path]) -> Data:
    """Each file one sequence, in the order of their names."""
    sequences = Sequences.of([load_array(file) for file in files])
    return _of(sequences, tuple(file.stem for file in files))


def load_array(path: Path) -> NDArray:
    """The array of a `.npy` file, mapped."""
    try:
        with _quiet():
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
