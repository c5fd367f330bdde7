"""Units of work, each computed once: plain arguments in, plain data out, one file apiece.

A unit whose file holds the same arguments is not computed again, so a run that was killed goes on where it
was. A unit that takes minutes also keeps its inner state, in a `Memory` of its own.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ventris.solvers.base import Memory
from ventris.storage.checkpoint import Checkpoint
from ventris.storage.files import atomic_path, make_folder

Plain = dict[str, Any]
Tell = Callable[[float], object]  # told how much of a unit is done, from 0 to 1
_FORMAT = 1  # raised when a unit computes something else from the same arguments


@dataclass(frozen=True)
class Unit:
    """One piece of work.

    Attributes
    ----------
    name : str
        Also the name of its file.
    compute : callable
        A module's function, so that another process can find it; ``compute(**arguments)`` gives plain data.
    arguments : dict
        Plain data.
    is_long : bool
        Whether `compute` also takes ``memory`` and ``tell``.
    weight : float
        About how long it takes, beside the others.
    """

    name: str
    compute: Callable[..., Plain]
    arguments: Plain = field(default_factory=dict)
    is_long: bool = False
    weight: float = 1.0


class Store:
    """A folder of computed units."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        make_folder(self.folder)

    def load(self, unit: Unit) -> Plain | None:
        """What was computed for this unit with these arguments, or None."""
        try:
            content = json.loads(self._file(unit).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        same = content.get("format") == _FORMAT and content.get("arguments") == unit.arguments
        return content if same else None

    def compute(self, unit: Unit, tell: Tell) -> Plain:
        """Compute a unit and keep it: arguments, result and CPU seconds."""
        began = time.process_time()
        if unit.is_long:
            result = unit.compute(**unit.arguments, memory=self._memory(unit), tell=tell)
        else:
            result = unit.compute(**unit.arguments)
        content = {
            "format": _FORMAT,
            "arguments": unit.arguments,
            "cpu_seconds": round(time.process_time() - began, 2),
            "result": result,
        }
        with atomic_path(self._file(unit)) as temporary:
            temporary.write_text(json.dumps(content, allow_nan=False), encoding="utf-8")
        return content

    def _memory(self, unit: Unit) -> Callable[[str], Memory]:
        """Places for the inner states of a unit; a folder kept for other arguments is emptied."""
        folder = self.folder / f"{unit.name}.states"
        mark = {"parameters": unit.arguments}
        try:
            checkpoint = Checkpoint(folder, mark)
        except ValueError:
            for file in folder.iterdir():
                file.unlink()
            checkpoint = Checkpoint(folder, mark)
        return checkpoint.step

    def _file(self, unit: Unit) -> Path:
        return self.folder / f"{unit.name}.json"
