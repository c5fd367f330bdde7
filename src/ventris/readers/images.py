"""A folder of images of one size: each image a point, in the order of their names."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ventris.data.sequences import Sequences
from ventris.errors import DataError, FileFormatError, MissingExtraError
from ventris.readers.schema import Data, Schema

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
    parts = []
    for files in folders:
        pixels = np.empty((len(files), 0), dtype=np.float32)
        for row, file in enumerate(files):
            image = _grey(file)
            size = size or image.shape
            _check_size(file, image.shape, size)
            if not pixels.size:
                pixels = np.empty((len(files), image.size), dtype=np.float32)
            pixels[row] = image.ravel()
        parts.append(pixels)
    return Data.of(Sequences.of(parts), Schema("images", size=tuple(size)), names)


def _grey(path: Path) -> NDArray:
    try:
        from PIL import Image, UnidentifiedImageError
    except ImportError:
        raise MissingExtraError("Reading images", "Pillow", "glyphs") from None
    try:
        with Image.open(path) as image:
            return np.asarray(image.convert("L"), dtype=np.float32) / 255
    except (UnidentifiedImageError, Image.DecompressionBombError, OSError, SyntaxError) as problem:
        raise FileFormatError(
            f"{path} must be an image", f"it cannot be read: {problem}", "Remove or replace it"
        ) from None


def _check_size(path: Path, got: tuple[int, ...], expected: tuple[int, ...]) -> None:
    if tuple(got) != tuple(expected):
        raise DataError(
            f"All images must be {expected[1]} wide and {expected[0]} high",
            f"{path} is {got[1]} wide and {got[0]} high",
            "Scale or crop it to the size of the others",
        )
