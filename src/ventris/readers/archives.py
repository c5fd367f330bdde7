"""A zip of images: looked through before anything is unpacked, since a few kilobytes can claim terabytes."""

from __future__ import annotations

import io
import zipfile
import zlib
from pathlib import Path, PurePosixPath

from ventris.errors import FileFormatError
from ventris.readers.available import free_memory
from ventris.readers.images import ENDINGS, read_image_files
from ventris.readers.natural_order import by_name
from ventris.readers.schema import Data, Schema

_MOST = 200_000  # images in one archive
_DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, NotImplementedError, ValueError)


class _Member(io.BytesIO):
    """A file of the archive, and what a complaint calls it."""

    name: str = ""


def read_zip(path: Path, schema: Schema) -> Data:
    """The images of an archive, in the order of their names; a folder in it is a sequence.

    Nothing is written to the disk: no name in the archive can lead anywhere.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            members = _images(path, archive)
            _weigh(path, [archive.getinfo(name) for name in members])
            groups: dict[str, list[_Member]] = {}
            for name in members:
                file = _Member(archive.read(name))
                file.name = name
                groups.setdefault(str(PurePosixPath(name).parent), []).append(file)
    except FileFormatError:
        raise
    except _DAMAGE as problem:
        raise FileFormatError(
            f"{path} must be a zip archive", f"it cannot be read: {problem}", "Pack it again"
        ) from None
    except MemoryError:
        raise _too_large(path, "they do not") from None
    return read_image_files(list(groups.values()), tuple(groups), schema.size)


def _images(path: Path, archive: zipfile.ZipFile) -> list[str]:
    def counts(name: str) -> bool:
        place = PurePosixPath(name)
        hidden = any(part.startswith((".", "__MACOSX")) for part in place.parts)
        return place.suffix.lower() in ENDINGS and not hidden

    found = [name for name in archive.namelist() if counts(name)]
    if not found:
        raise FileFormatError(
            f"{path} must hold images", "it holds none", f"Pack files that end in {', '.join(ENDINGS)}"
        )
    if len(found) > _MOST:
        raise _too_large(path, f"there are {len(found):,} of them")
    return sorted(found, key=lambda name: (str(PurePosixPath(name).parent), by_name(Path(name))))


def _weigh(path: Path, members: list[zipfile.ZipInfo]) -> None:
    """`zipfile` never unpacks more than a member declares, so what is declared can be trusted as a limit."""
    needed, free = sum(member.file_size for member in members), free_memory()
    if needed > free / 2:  # pixels take room beside them
        sizes = f"{needed / 1e6:,.0f} MB where {free / 1e6:,.0f} MB are available"
        raise _too_large(path, f"they unpack to {sizes}")


def _too_large(path: Path, problem: str) -> FileFormatError:
    return FileFormatError(f"The images of {path} must fit into memory", problem, "Pack fewer")
