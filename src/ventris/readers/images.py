"""A folder of images of one size: each image a point, in the order of their names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ventris.data.sequences import Sequences
from ventris.errors import DataError, FileFormatError, MissingExtraError
from ventris.readers.available import free_memory
from ventris.readers.schema import Data, Schema

if TYPE_CHECKING:
    from PIL import Image

ENDINGS = (".png", ".jpg", ".jpeg", ".bmp", ".gif", ".tif", ".tiff", ".pgm", ".webp")


def read_images(folders: Sequence[Sequence[Path]], names: tuple[str, ...], size: tuple[int, ...]) -> Data:
    """Grey values in [0, 1], one row of pixels an image; each folder's images are one sequence.

    Parameters
    ----------
    folders : list of lists of paths
        The images of each sequence, in order.
    names : tuple of str
        Of the sequences.
    size : tuple of int
        Height and width the images must have; empty: those of the first.
    """
    return read_image_files(folders, names, size)


def read_image_files(
    folders: Sequence[Sequence[Path | IO[bytes]]], names: tuple[str, ...], size: tuple[int, ...]
) -> Data:
    """The same of files that are open already."""
    parts = []
    n_images = sum(len(files) for files in folders)
    for files in folders:
        pixels = np.empty((len(files), 0), dtype=np.float32)
        for row, file in enumerate(files):
            if not size:
                _check_room(file, n_images)
            image = _grey(file)
            size = size or image.shape
            _check_size(_name_of(file), image.shape, size)
            if not pixels.size:
                pixels = np.empty((len(files), image.size), dtype=np.float32)
            pixels[row] = image.ravel()
        parts.append(pixels)
    return Data.of(Sequences.of(parts), Schema("images", size=tuple(size)), names)


def _name_of(file: Path | IO[bytes]) -> str:
    return str(getattr(file, "name", file)) if not isinstance(file, Path) else str(file)


def _check_room(first: Path | IO[bytes], n_images: int) -> None:
    """All images are as large as the first, whose head says how large that is."""
    with _opened(first) as image:
        needed = 4.0 * image.width * image.height * n_images
    free = free_memory()
    if needed > free:
        raise FileFormatError(
            "All images must fit into memory",
            f"{n_images:,} as large as {_name_of(first)} take {needed / 1e6:,.0f} MB "
            f"where {free / 1e6:,.0f} MB are available",
            "Scale them down, or take fewer",
        )


def _grey(file: Path | IO[bytes]) -> NDArray:
    with _opened(file) as image:
        return np.asarray(image.convert("L"), dtype=np.float32) / 255


@contextmanager
def _opened(file: Path | IO[bytes]) -> Iterator[Image.Image]:
    try:
        from PIL import Image, UnidentifiedImageError
    except ImportError:
        raise MissingExtraError("Reading images", "Pillow", "glyphs") from None
    if not isinstance(file, Path):
        file.seek(0)
    try:
        with Image.open(file) as image:
            yield image
    except (UnidentifiedImageError, Image.DecompressionBombError, OSError, SyntaxError) as problem:
        raise FileFormatError(
            f"{_name_of(file)} must be an image", f"it cannot be read: {problem}", "Remove or replace it"
        ) from None


def _check_size(path: str, got: tuple[int, ...], expected: tuple[int, ...]) -> None:
    if tuple(got) != tuple(expected):
        raise DataError(
            f"All images must be {expected[1]} wide and {expected[0]} high",
            f"{path} is {got[1]} wide and {got[0]} high",
            "Scale or crop it to the size of the others",
        )
