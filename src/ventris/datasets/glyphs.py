"""Printed text as a sequence of small letter images, one a label.

Each letter of each font is drawn once, at four times the size asked for; moved and scaled a little, and made
small, it gives a bank of images. A text is then a lookup in that bank plus noise, so a million glyphs cost
no more drawing than ten.
"""

from __future__ import annotations

import string
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ventris.datasets.gaussian import RandomState
from ventris.datasets.letters import BREAK, fold_text
from ventris.errors import DataError, DataTypeError, MissingExtraError, ParameterError

ALPHABET = string.ascii_lowercase + " "
# The text fonts among those that come with matplotlib; the rest hold symbols only.
SHIPPED = (
    "DejaVuSans",
    "DejaVuSans-Bold",
    "DejaVuSans-Oblique",
    "DejaVuSans-BoldOblique",
    "DejaVuSansMono",
    "DejaVuSansMono-Bold",
    "DejaVuSansMono-Oblique",
    "DejaVuSansMono-BoldOblique",
    "DejaVuSerif",
    "DejaVuSerif-Bold",
    "DejaVuSerif-Italic",
    "DejaVuSerif-BoldItalic",
    "STIXGeneral",
    "STIXGeneralBol",
    "STIXGeneralItalic",
    "STIXGeneralBolIta",
    "cmb10",
    "cmmi10",
    "cmr10",
    "cmss10",
    "cmti10",
    "cmtt10",
)

_FINE = 4  # drawn pixels a side of one final pixel: moves of a quarter pixel are exact
_FILL = 0.75  # share of the height between the top of "l" and the foot of "p": room for jitter and a wide "m"
_ROWS = 8192  # rows that get their noise at once


@dataclass(frozen=True)
class GlyphData:
    """Letter images and the letters they show.

    Attributes
    ----------
    X : float32 array of shape (T, size²)
        Ink, row by row: 0 paper, 1 ink, plus noise.
    y : int array of shape (T,)
        Numbers of the letters in `alphabet`. For measuring only: no training code takes it.
    alphabet : str
        a to z and the space.
    fonts : tuple of str
        The fonts used.
    font : int array of shape (T,)
        Which of them drew each glyph.
    size : int
        Height and width of an image, in pixels.

    Examples
    --------
    >>> make_glyphs("seven signs", random_state=0).part(0, 5).text
    'seven'
    """

    X: NDArray[np.float32]
    y: NDArray[np.int64]
    alphabet: str
    fonts: tuple[str, ...]
    font: NDArray[np.int64]
    size: int

    @property
    def text(self) -> str:
        """What the images say."""
        return "".join(np.array(list(self.alphabet))[self.y])

    def part(self, start: int, stop: int) -> GlyphData:
        """The glyphs from `start` to before `stop`."""
        cut = slice(start, stop)
        return replace(self, X=self.X[cut], y=self.y[cut], font=self.font[cut])

    def image(self, start: int = 0, stop: int | None = None) -> NDArray[np.float32]:
        """Glyphs `start` to `stop` side by side as one line of print: shape (size, n·size)."""
        tiles = self.X[start:stop].reshape(-1, self.size, self.size)  # (n, row, column)
        return tiles.transpose(1, 0, 2).reshape(self.size, -1)


def make_glyphs(
    text: str,
    *,
    fonts: str | Path | Sequence[str | Path] | None = None,
    size: int = 16,
    noise: float = 0.2,
    jitter: float = 0.5,
    random_state: RandomState = None,
) -> GlyphData:
    """A text as a sequence of letter images.

    The text is folded to the letters a to z and single spaces first. Each image is a letter in one of the
    fonts, moved by up to `jitter` pixels each way and made taller or shorter by as much, plus Gaussian noise.

    Parameters
    ----------
    text : str
    fonts : str, path, or sequence of them, default "DejaVuSans"
        Names of `available_fonts()`, or paths of font files. Of several, each glyph takes one at random.
    size : int, default 16
        Height and width of an image.
    noise : float, default 0.2
        Standard deviation of the noise; ink is 1, paper 0.
    jitter : float, default 0.5
        In pixels, at most a quarter of `size`.
    random_state : int, Generator or None

    Returns
    -------
    GlyphData

    Raises
    ------
    MissingExtraError
        Without Pillow, or without matplotlib where its fonts are asked for by name.

    Examples
    --------
    >>> data = make_glyphs("The quick brown fox!", random_state=0)
    >>> data.X.shape, data.text
    ((19, 256), 'the quick brown fox')
    >>> data.image(0, 3).shape
    (16, 48)
    """
    _check_parameters(size, noise, jitter)
    y = _labels(text)
    names = _font_list(fonts)
    rng = np.random.default_rng(random_state)
    bank = np.stack([_font_bank(name, size, jitter) for name in names])  # (F, C, V, size²)
    font = rng.integers(len(names), size=len(y))
    X = bank[font, y, rng.integers(bank.shape[2], size=len(y))]
    _add_noise(X, noise, rng)
    return GlyphData(X, y, ALPHABET, tuple(Path(name).stem for name in names), font, size)


def available_fonts() -> tuple[str, ...]:
    """Names of the text fonts that come with matplotlib.

    Examples
    --------
    >>> "DejaVuSerif-Italic" in available_fonts()
    True
    """
    folder = _font_folder()
    return tuple(name for name in SHIPPED if (folder / f"{name}.ttf").is_file())


# ------------------------------------------------------------------------------------------ the request


def _check_parameters(size: int, noise: float, jitter: float) -> None:
    if not isinstance(size, int | np.integer) or size < 6:
        raise ParameterError("size must be a whole number of at least 6", f"it is {size!r}", "Try 16")
    if not 0 <= noise < np.inf:
        raise ParameterError("noise must be finite and not negative", f"it is {noise!r}", "Try 0.2")
    if not 0 <= jitter <= size / 4:
        raise ParameterError(
            f"jitter must be between 0 and {size / 4:g}, a quarter of the size",
            f"it is {jitter!r}",
            "Choose a smaller jitter or larger images",
        )


def _labels(text: str) -> NDArray[np.int64]:
    """Class numbers of the folded text."""
    if not isinstance(text, str):
        raise DataTypeError("text must be a str", f"it is {type(text).__name__}", "Decode it first")
    folded = fold_text(text, string.ascii_lowercase).replace(BREAK, " ")
    if not folded:
        raise DataError("text must hold letters from a to z", "it holds none", "Give English text, say")
    codes = np.frombuffer(folded.encode("ascii"), dtype=np.uint8).astype(np.int64)
    return np.where(codes == ord(" "), len(ALPHABET) - 1, codes - ord("a"))


def _font_list(fonts: str | Path | Sequence[str | Path] | None) -> list[str]:
    asked = "DejaVuSans" if fonts is None else fonts
    names = [str(asked)] if isinstance(asked, str | Path) else [str(font) for font in asked]
    if not names:
        raise ParameterError("fonts must name at least one font", "it is empty", "See available_fonts()")
    return names


def _font_folder() -> Path:
    try:
        import matplotlib
    except ImportError as error:
        raise MissingExtraError("Finding fonts by name", "matplotlib", "glyphs") from error
    return Path(matplotlib.get_data_path()) / "fonts" / "ttf"


def _pillow() -> tuple[Any, Any, Any]:
    try:
        from PIL import Image, ImageDraw, ImageFont
    except ImportError as error:
        raise MissingExtraError("Rendering glyphs", "Pillow", "glyphs") from error
    return Image, ImageDraw, ImageFont


def _open_font(name: str, pixels: int) -> Any:
    _, _, ImageFont = _pillow()
    path = Path(name) if Path(name).is_file() else _font_folder() / f"{name}.ttf"
    try:
        return ImageFont.truetype(str(path), pixels, layout_engine=ImageFont.Layout.BASIC)
    except OSError as error:
        raise ParameterError(
            "fonts must hold names of available_fonts() or paths of TrueType or OpenType files",
            f"{name!r} is neither",
            f"Choose among {', '.join(available_fonts())}, or check the path",
        ) from error


# ----------------------------------------------------------------------------------------- the drawing


def _font_bank(name: str, size: int, jitter: float) -> NDArray[np.float32]:
    """Every letter at every height and place: shape (C, V, size²)."""
    room = (size + 2 * int(np.ceil(jitter))) * _FINE
    moves = np.round(_spread(jitter, 0.5) * _FINE).astype(int)
    sheets = [
        _draw_alphabet(name, size + grow, room) for grow in _spread(jitter, 1.0)
    ]  # each (C, room, room)
    variants = [_shrunk(sheet, dy, dx, size) for sheet in sheets for dy in moves for dx in moves]
    return np.stack(variants, axis=1)


def _spread(jitter: float, step: float) -> NDArray:
    """Evenly from −jitter to jitter, about `step` apart, zero among them."""
    return np.linspace(-jitter, jitter, 2 * int(np.ceil(jitter / step)) + 1)


def _draw_alphabet(name: str, height: float, room: int) -> NDArray[np.float32]:
    """The letters on square sheets of `room` pixels, all on one baseline: shape (C, room, room)."""
    Image, ImageDraw, _ = _pillow()
    probe = _open_font(name, 100)
    top, foot = probe.getbbox("bdfhkl", anchor="ls")[1], probe.getbbox("gpqy", anchor="ls")[3]
    pixels = max(1, round(100 * height * _FINE * _FILL / max(foot - top, 1)))
    font = _open_font(name, pixels)
    baseline = round(room / 2 - pixels / 100 * (top + foot) / 2)  # the middle between top and foot is centred
    sheets = np.zeros((len(ALPHABET), room, room), dtype=np.float32)
    for sheet, letter in zip(sheets, ALPHABET, strict=True):
        page = Image.new("L", (room, room))
        ImageDraw.Draw(page).text((room / 2, baseline), letter, fill=255, font=font, anchor="ms")
        sheet[:] = np.asarray(page) / np.float32(255)
    _refuse_without_letters(sheets, name)
    return sheets


def _refuse_without_letters(sheets: NDArray, name: str) -> None:
    """A font without a letter draws the same box for each, or nothing."""
    n_different = len({sheet.tobytes() for sheet in sheets})
    if n_different < len(sheets):
        raise DataError(
            "A font must draw the letters a to z, each in its own way",
            f"{name!r} has only {n_different} different images for {len(sheets)} characters",
            "Choose a text font; available_fonts() lists some",
        )


def _shrunk(sheets: NDArray, dy: int, dx: int, size: int) -> NDArray[np.float32]:
    """Move the letters down dy and right dx fine pixels and average blocks of pixels: (C, size²)."""
    edge = (sheets.shape[1] - size * _FINE) // 2
    rows, columns = (slice(edge - d, edge - d + size * _FINE) for d in (dy, dx))
    blocks = sheets[:, rows, columns].reshape(len(sheets), size, _FINE, size, _FINE)
    return blocks.mean(axis=(2, 4)).reshape(len(sheets), -1)


def _add_noise(X: NDArray[np.float32], noise: float, rng: np.random.Generator) -> None:
    """In place, in blocks: the noise of all glyphs at once would double the memory."""
    for first in range(0, len(X), _ROWS):
        rows = X[first : first + _ROWS]
        rows += np.float32(noise) * rng.standard_normal(rows.shape, dtype=np.float32)
