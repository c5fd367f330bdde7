"""Files that visitors bring: limited in size, kind and number, in a folder that goes when the server ends."""

from __future__ import annotations

import re
import secrets
import shutil
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

from ventris.errors import FileFormatError
from ventris.web.errors import BusyError, TooLargeError, UnknownError

DATA_KINDS = (".npy", ".npz", ".csv", ".tsv", ".parquet", ".txt", ".zip")
LABEL_KINDS = (".arpa", ".lm", ".txt")
_OF_ONE = 12  # files of one visitor; the oldest goes when one more comes
_KEPT = 120  # files of all
_IN_HAND = 6  # files that one visitor may be sending at the same time
_LONGEST = 100  # bytes of a name that are kept


@dataclass
class Upload:
    """A file, who brought it and when it was last asked for."""

    path: Path
    visitor: str
    seen: float = field(default_factory=time.monotonic)
    is_whole: bool = True


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
        self._files: dict[str, Upload] = {}

    async def take(self, name: str, stream: AsyncIterator[bytes], visitor: str = "") -> tuple[str, Path]:
        """Write a stream to a file, and stop as soon as it is too long."""
        self._check_hands(visitor)
        key, path = self.place(name, visitor)
        self._files[key].is_whole = False
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
        self._files[key].is_whole = True
        return key, path

    def place(self, name: str, visitor: str = "") -> tuple[str, Path]:
        """An id and a path for a new file."""
        ending = Path(name).suffix.lower()
        if ending not in DATA_KINDS + LABEL_KINDS:
            kinds = ", ".join(sorted({*DATA_KINDS, *LABEL_KINDS}))
            raise FileFormatError(
                f"A file must end in one of {kinds}", f"{name[-80:]!r} does not", "Convert it, or rename it"
            )
        key = secrets.token_hex(8)
        path = self.folder / key / safe_name(name)
        path.parent.mkdir(parents=True)
        self._files[key] = Upload(path, visitor)
        self._make_room([k for k, file in self._files.items() if file.visitor == visitor], _OF_ONE)
        self._make_room(list(self._files), _KEPT)
        return key, path

    def path(self, key: str) -> Path:
        """Where the file of an id is."""
        file = self._files.get(key)
        if file is None or not file.is_whole or not file.path.is_file():
            raise UnknownError("A file's id must be known", f"{key[:40]!r} is not", "Upload the file again")
        file.seen = time.monotonic()
        return file.path

    def _make_room(self, keys: list[str], most: int) -> None:
        whole = [key for key in keys if self._files[key].is_whole]
        for key in sorted(whole, key=lambda k: self._files[k].seen)[: max(0, len(keys) - most)]:
            self._drop(key)

    def _check_hands(self, visitor: str) -> None:
        if sum(file.visitor == visitor and not file.is_whole for file in self._files.values()) >= _IN_HAND:
            raise BusyError(
                f"One visitor may send {_IN_HAND} files at a time", "as many are under way", "Wait for them"
            )

    def _check_size(self, name: str, size: int) -> None:
        if size > self.limit:
            raise TooLargeError(
                f"A file may have {self.limit / 2**20:g} megabytes",
                f"{name[-80:]} has more",
                "Send less of it, start ventris serve with a higher --upload-limit, or use ventris fit",
            )

    def _drop(self, key: str) -> None:
        shutil.rmtree(self._files.pop(key).path.parent, ignore_errors=True)


def safe_name(name: str) -> str:
    """The name without anything that could lead elsewhere, as long as every disk takes it.

    Examples
    --------
    >>> safe_name("../../etc/my points.csv"), len(safe_name("ü" * 300 + ".csv").encode()) <= 100
    ('my_points.csv', True)
    """
    kept = re.sub(r"[^\w.-]+", "_", Path(name.replace("\\", "/")).name).lstrip(".")
    return kept.encode("utf-8", "replace")[-_LONGEST:].decode("utf-8", "ignore") or "file"
