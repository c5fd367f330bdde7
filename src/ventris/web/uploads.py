"""Files that visitors bring: limited in size and kind, kept in a temporary folder that goes at exit."""

from __future__ import annotations

import re
import secrets
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

from ventris.errors import FileFormatError
from ventris.web.errors import TooLargeError, UnknownError

DATA_KINDS = (".npy", ".npz", ".csv", ".tsv", ".parquet", ".txt")
LABEL_KINDS = (".arpa", ".lm", ".txt")
_KEPT = 24  # files; the oldest goes when one more comes


class Uploads:
    """The files, by id.

    Parameters
    ----------
    folder : Path
    limit : int
        Bytes of the largest file taken.
    """

    def __init__(self, folder: Path, limit: int) -> None:
        self.folder, self.limit = folder, limit
        self._files: dict[str, Path] = {}

    async def take(self, name: str, stream: AsyncIterator[bytes]) -> tuple[str, Path]:
        """Write a stream to a file, and stop as soon as it is too long."""
        key, path = self.place(name)
        size = 0
        try:
            with path.open("wb") as file:
                async for chunk in stream:
                    size += len(chunk)
                    self._check_size(name, size)
                    file.write(chunk)
            if size == 0:
                raise FileFormatError(f"{name} must hold something", "it is empty", "Choose another file")
        except BaseException:
            self._drop(key)
            raise
        return key, path

    def place(self, name: str) -> tuple[str, Path]:
        """An id and a path for a new file."""
        ending = Path(name).suffix.lower()
        if ending not in DATA_KINDS + LABEL_KINDS:
            kinds = ", ".join(sorted({*DATA_KINDS, *LABEL_KINDS}))
            raise FileFormatError(
                f"A file must end in one of {kinds}", f"{name!r} does not", "Convert it, or rename it"
            )
        key = secrets.token_hex(8)
        path = self.folder / key / safe_name(name)
        path.parent.mkdir(parents=True)
        self._files[key] = path
        while len(self._files) > _KEPT:
            self._drop(next(iter(self._files)))
        return key, path

    def path(self, key: str) -> Path:
        """Where the file of an id is."""
        if key not in self._files:
            raise UnknownError("A file's id must be known", f"{key!r} is not", "Upload the file again")
        return self._files[key]

    def _check_size(self, name: str, size: int) -> None:
        if size > self.limit:
            raise TooLargeError(
                f"A file may have {self.limit / 2**20:g} megabytes",
                f"{name} has more",
                "Send less of it, start ventris serve with a higher --upload-limit, or use ventris fit",
            )

    def _drop(self, key: str) -> None:
        shutil.rmtree(self._files.pop(key).parent, ignore_errors=True)


def safe_name(name: str) -> str:
    """The name without anything that could lead elsewhere.

    Examples
    --------
    >>> safe_name("../../etc/my points.csv")
    'my_points.csv'
    """
    kept = re.sub(r"[^\w.-]+", "_", Path(name.replace("\\", "/")).name).lstrip(".")
    return kept[-100:] or "file"
