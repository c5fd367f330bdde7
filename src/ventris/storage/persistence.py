"""State in files: safetensors with a JSON header, versioned and checked, written whole; never pickle."""

from __future__ import annotations

import hashlib
import json
import math
import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ventris.errors import FileFormatError
from ventris.storage.files import as_path, atomic_path

FORMAT, VERSION = "ventris-model", 1
_PREFIX = 8  # bytes that hold the header's length
_LONGEST_HEADER = 100_000_000
_BITS = {
    "BOOL": 8, "U8": 8, "I8": 8, "I16": 16, "U16": 16, "I32": 32, "U32": 32, "I64": 64, "U64": 64,
    "F16": 16, "F32": 32, "F64": 64,
}  # fmt: skip
Arrays = dict[str, NDArray]


def save_state(
    path: str | os.PathLike[str], arrays: Arrays, header: dict[str, Any], force: bool = True
) -> None:
    """Write arrays and a JSON-able header as one file, all of it or nothing.

    Parameters
    ----------
    path : path
    arrays : dict of arrays
    header : dict
        JSON-able; floats, and integers of any size, come back exactly.
    force : bool, default True
        Whether an existing file may be replaced.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "state.ventris"
    >>> save_state(path, {"w": np.array([1.0, 2.0])}, {"gamma": 10.0})
    >>> load_state(path)
    ({'w': array([1., 2.])}, {'gamma': 10.0})
    """
    from safetensors.numpy import save

    plain = {name: np.asarray(array, order="C") for name, array in arrays.items()}
    text = json.dumps(header)
    digest = _digest(plain, text)
    metadata = {"format": FORMAT, "version": str(VERSION), "header": text, "sha256": digest}
    content = save(plain, metadata)
    with atomic_path(path, force=force) as temporary, open(temporary, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())  # a rename must not reach the disk before the bytes do


def load_state(path: str | os.PathLike[str]) -> tuple[Arrays, dict[str, Any]]:
    """Arrays and header of a file that `save_state` wrote; anything else is refused with a sentence."""
    from safetensors import SafetensorError
    from safetensors.numpy import load

    found = as_path(path)
    metadata = _checked_metadata(found)
    try:
        arrays = load(found.read_bytes())
    except SafetensorError as problem:
        raise _damaged(path, str(problem)) from None
    if metadata.get("sha256") != _digest(arrays, metadata["header"]):
        raise _damaged(path, "its content does not match its checksum")
    return arrays, _json_object(found, metadata["header"])


def _digest(arrays: Arrays, text: str) -> str:
    """Checksum over names, types, shapes, bytes and header: safetensors itself has none."""
    digest = hashlib.sha256(text.encode())
    for name in sorted(arrays):
        array = arrays[name]
        digest.update(f"|{name}|{array.dtype.str}|{array.shape}|".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()


# ---------------------------------------------------------------------------------------------- checks


def _damaged(path: str | os.PathLike[str], what: str) -> FileFormatError:
    return FileFormatError(
        f"{path} must be a whole {FORMAT} file", what, "Copy it again from its source, or save the model anew"
    )


def _checked_metadata(path: Path) -> dict[str, str]:
    """The metadata, after everything the header claims was held against the size of the file."""
    try:
        size = path.stat().st_size
        with open(path, "rb") as file:
            text = _header_text(path, size, file.read(_PREFIX), file)
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError) as problem:
        what = "it is a folder" if isinstance(problem, IsADirectoryError) else "there is no such file"
        raise FileFormatError(f"{path} must be a {FORMAT} file", what, "Check the path") from None
    tensors = _json_object(path, text)
    metadata = tensors.pop("__metadata__", {})
    _check_format(path, metadata)
    _check_sizes(path, tensors, size - _PREFIX - len(text))
    return metadata


def _header_text(path: Path, size: int, prefix: bytes, file: Any) -> bytes:
    if len(prefix) < _PREFIX:
        raise _damaged(path, f"it has only {size} bytes")
    length = int.from_bytes(prefix, "little")
    if length > min(size - _PREFIX, _LONGEST_HEADER):
        raise _damaged(path, f"it is cut short or of another kind: {size} bytes cannot hold its header")
    return file.read(length)


def _json_object(path: Path, text: bytes | str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise _damaged(path, "its header cannot be read") from None
    if not isinstance(value, dict):
        raise _damaged(path, "its header is no table")
    return value


def _check_format(path: Path, metadata: Any) -> None:
    if not isinstance(metadata, dict) or metadata.get("format") != FORMAT:
        raise FileFormatError(
            f"{path} must be a {FORMAT} file", "it was written by something else", "Check the path"
        )
    version = metadata.get("version", "")
    if not (isinstance(version, str) and version.isdecimal() and isinstance(metadata.get("header"), str)):
        raise _damaged(path, "its header is incomplete")
    if int(version) > VERSION:
        raise FileFormatError(
            f"This Ventris reads versions up to {VERSION} of {FORMAT} files",
            f"{path} has version {version}",
            "Install a newer Ventris",
        )


def _check_sizes(path: Path, tensors: dict[str, Any], n_bytes: int) -> None:
    """Refuse claims that the file cannot hold, before any memory is asked for."""
    claimed = 0
    for name, entry in tensors.items():
        claimed += _claimed_bytes(path, name, entry)
    if claimed != n_bytes:
        raise _damaged(path, f"its arrays claim {claimed:,} bytes and {n_bytes:,} are there")


def _claimed_bytes(path: Path, name: str, entry: Any) -> int:
    try:
        shape, bits = entry["shape"], _BITS[entry["dtype"]]
        first, last = entry["data_offsets"]
        whole = all(isinstance(n, int) and n >= 0 for n in (*shape, first, last))
    except (KeyError, TypeError, ValueError):
        raise _damaged(path, f"array {name!r} is not described as it should be") from None
    if not whole or math.prod(shape) * bits != 8 * (last - first):
        raise _damaged(path, f"array {name!r} does not fit its own description")
    return last - first
