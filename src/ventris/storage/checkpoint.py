"""A folder that lets an interrupted fit go on: a manifest of what is being fitted, one state file a step.

Every file is written beside its place and renamed to it, so a fit ended at any moment, even by kill −9,
leaves the last whole state of each step.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ventris.errors import FileFormatError, ParameterError
from ventris.storage.files import atomic_path, make_folder
from ventris.storage.persistence import Arrays, load_state, save_state

_MANIFEST = "manifest.json"
_FORMAT, _VERSION = "ventris-checkpoint", 1
_ROWS = 65_536
_MEANINGS = {
    "parameters": "the parameters differ",
    "data": "the data differ",
    "label_model": "the label model differs",
}


def hash_array(array: NDArray) -> str:
    """Checksum of all the bytes of an array, its type and its shape; read in blocks of rows.

    Examples
    --------
    >>> whole, real = np.arange(3), np.arange(3.0)
    >>> hash_array(real) == hash_array(real.copy()), hash_array(real) == hash_array(whole)
    (True, False)
    """
    digest = hashlib.blake2b(f"{array.dtype.str}|{array.shape}".encode(), digest_size=16)
    rows = np.atleast_1d(array)
    for first in range(0, len(rows), _ROWS):
        digest.update(np.ascontiguousarray(rows[first : first + _ROWS]).data)
    return digest.hexdigest()


def hash_state(arrays: Arrays, header: dict[str, Any]) -> str:
    """Checksum of arrays and JSON-able values together."""
    parts = {name: hash_array(array) for name, array in arrays.items()}
    return hashlib.blake2b(json.dumps([header, parts], sort_keys=True).encode(), digest_size=16).hexdigest()


def fingerprint(
    parameters: Mapping[str, Any],
    X: NDArray,
    lengths: NDArray,
    label_model: tuple[Arrays, dict[str, Any]],
) -> dict[str, Any]:
    """What a checkpoint belongs to: JSON-able parameters, and checksums of the data and the label model.

    Parameters
    ----------
    parameters : mapping
        Whatever changes the result; values that JSON cannot hold are compared by their repr.
    X : array of shape (T, D)
    lengths : array of shape (S,)
    label_model : tuple of arrays and header
        From `label_model.state.lm_to_state`.
    """
    plain = json.loads(json.dumps(dict(parameters), default=repr, sort_keys=True))
    data = f"{hash_array(X)}-{hash_array(np.asarray(lengths, dtype=np.int64))}"
    return {"parameters": plain, "data": data, "label_model": hash_state(*label_model)}


class Checkpoint:
    """A folder of states that belongs to one fit.

    Parameters
    ----------
    path : path
        Created if it is not there.
    fingerprint : dict
        From `fingerprint`. A folder that belongs to another fit is refused.

    Examples
    --------
    >>> import tempfile
    >>> folder = Checkpoint(tempfile.mkdtemp(), {"parameters": {"order": 2}})
    >>> folder.load("solve-0") is None
    True
    >>> folder.store("solve-0", {"w": np.ones(2)}, {"update": 5})
    >>> folder.load("solve-0")
    ({'w': array([1., 1.])}, {'update': 5})
    """

    def __init__(self, path: str | os.PathLike[str], fingerprint: dict[str, Any]) -> None:
        self.path, self.fingerprint = make_folder(path), fingerprint
        if self.is_begun(path):
            self._compare(self._read_manifest())
        else:
            self._write_manifest()

    @staticmethod
    def is_begun(path: str | os.PathLike[str]) -> bool:
        """Whether a folder belongs to a fit already."""
        return (Path(path) / _MANIFEST).exists()

    def load(self, step: str) -> tuple[Arrays, dict[str, Any]] | None:
        """What `store` kept last for this step, or None."""
        file = self._file(step)
        return load_state(file) if file.exists() else None

    def store(self, step: str, arrays: Arrays, meta: dict[str, Any]) -> None:
        """Keep the state of a step, in place of its earlier one."""
        save_state(self._file(step), arrays, meta)

    def step(self, name: str) -> Step:
        """One step's own place, for a solver."""
        return Step(self, name)

    def _file(self, step: str) -> Path:
        return self.path / f"{step}.state"

    def _write_manifest(self) -> None:
        content = {"format": _FORMAT, "version": _VERSION, "fingerprint": self.fingerprint}
        with atomic_path(self.path / _MANIFEST) as temporary:
            temporary.write_text(json.dumps(content, indent=1, sort_keys=True), encoding="utf-8")

    def _read_manifest(self) -> dict[str, Any]:
        try:
            content = json.loads((self.path / _MANIFEST).read_text(encoding="utf-8"))
            if content["format"] == _FORMAT and content["version"] <= _VERSION:
                return content["fingerprint"]
        except (ValueError, TypeError, KeyError):
            pass
        raise FileFormatError(
            f"{self.path / _MANIFEST} must be the manifest of a checkpoint this Ventris can read",
            "it is not",
            "Choose another folder, or remove this one",
        )

    def _compare(self, kept: dict[str, Any]) -> None:
        now = json.loads(json.dumps(self.fingerprint))
        differing = [key for key in sorted({*kept, *now}) if kept.get(key) != now.get(key)]
        if differing:
            raise ParameterError(
                f"The checkpoint folder {self.path} must belong to this fit",
                "; ".join(_difference(key, kept.get(key), now.get(key)) for key in differing),
                "Give the data and parameters it was begun with, choose another folder, or remove this one",
            )


class Step:
    """One step of a checkpoint: where a solver loads and stores its state."""

    def __init__(self, checkpoint: Checkpoint, name: str) -> None:
        self.checkpoint, self.name = checkpoint, name

    def load(self) -> tuple[Arrays, dict[str, Any]] | None:
        """What was stored last, or None."""
        return self.checkpoint.load(self.name)

    def store(self, arrays: Arrays, meta: dict[str, Any]) -> None:
        """Keep this state."""
        self.checkpoint.store(self.name, arrays, meta)


def clear_states(folder: Path) -> None:
    """Remove the states and the manifest, and what a killed process left half written; all else stays."""
    leftovers = [*folder.glob("*.state"), *folder.glob(".*.state.*"), folder / _MANIFEST]
    for file in [*leftovers, *folder.glob(f".{_MANIFEST}.*")]:
        file.unlink(missing_ok=True)


def _difference(key: str, kept: Any, now: Any) -> str:
    if not (isinstance(kept, dict) and isinstance(now, dict)):
        return _MEANINGS.get(key, f"{key} differs")
    names = [name for name in sorted({*kept, *now}) if kept.get(name) != now.get(name)]
    return ", ".join(f"{name} was {kept.get(name)!r} and is {now.get(name)!r}" for name in names)
