"""Glyphs: what is drawn is the text, moved and scaled as asked, with noise as asked."""

from __future__ import annotations

import builtins
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ventris.datasets.glyphs import ALPHABET, GlyphData, available_fonts, make_glyphs
from ventris.errors import DataError, DataTypeError, MissingExtraError, ParameterError

PANGRAM = "The quick brown fox jumps over the lazy dog."
CLEAN: dict[str, Any] = {"noise": 0.0, "jitter": 0.0}


def nearest(data: GlyphData, templates: GlyphData) -> np.ndarray:
    """Labels of the templates closest to each glyph: an independent reader."""
    distance = ((data.X[:, None] - templates.X[None]) ** 2).sum(axis=2)
    return templates.y[distance.argmin(axis=1)]


def test_text_is_folded_and_spelt_by_the_labels() -> None:
    data = make_glyphs("Zoë's  naïve\ncafé — 25 Ω x", random_state=0)
    assert data.text == "zoe s naive cafe x"
    assert [data.alphabet[label] for label in data.y] == list(data.text)
    assert data.alphabet == ALPHABET and len(ALPHABET) == 27


@pytest.mark.parametrize("font", available_fonts())
def test_images_can_be_read_back_in_every_font(font: str) -> None:
    templates = make_glyphs(ALPHABET[:-1] + " a", fonts=font, **CLEAN)
    data = make_glyphs(PANGRAM, fonts=font, noise=0.1, jitter=0.0, random_state=1)
    assert data.fonts == (font,)
    np.testing.assert_array_equal(nearest(data, templates), data.y)


def test_letters_hold_ink_and_the_space_none() -> None:
    data = make_glyphs(ALPHABET[:-1] + " a", **CLEAN)
    ink = data.X.sum(axis=1)
    assert ink[26] == 0 and ink[:26].min() > 5
    assert data.X.dtype == np.float32 and data.X.min() >= 0 and data.X.max() <= 1
    assert ink[ALPHABET.index("m")] > 2 * ink[ALPHABET.index("i")]


def test_letters_stand_on_one_line() -> None:
    """b rises above x, p falls below it: a reader needs where the letter stands, not only its shape."""
    rows = {c: np.flatnonzero(make_glyphs(c, **CLEAN).image().sum(axis=1)) for c in "bxp"}
    assert rows["b"][0] < rows["x"][0] - 1 and rows["p"][-1] > rows["x"][-1] + 1
    assert rows["b"][-1] == rows["x"][-1] and abs(rows["p"][0] - rows["x"][0]) <= 1


def test_jitter_moves_and_scales_within_its_bounds() -> None:
    still = make_glyphs("o", **CLEAN).image()
    moved = make_glyphs("o" * 2000, noise=0.0, jitter=2.0, random_state=2)
    images = moved.X.reshape(-1, 16, 16)
    grid = np.arange(16)
    mass = images.sum(axis=(1, 2))
    centres = np.stack([images.sum(axis=2) @ grid, images.sum(axis=1) @ grid], axis=1) / mass[:, None]
    home = np.array([still.sum(axis=1) @ grid, still.sum(axis=0) @ grid]) / still.sum()
    offsets = centres - home
    assert np.abs(offsets).max() < 2.5  # two pixels, and up to half a pixel from scaling about the middle
    np.testing.assert_allclose(
        offsets.mean(axis=0), 0, atol=0.25
    )  # letters are drawn on a quarter-pixel grid
    assert offsets.max(axis=0).min() > 1.8 and offsets.min(axis=0).max() < -1.8
    heights = (images.max(axis=2) > 0.3).sum(axis=1)
    assert heights.max() - heights.min() >= 2


def test_no_jitter_draws_each_letter_once() -> None:
    data = make_glyphs("abab", **CLEAN)
    np.testing.assert_array_equal(data.X[0], data.X[2])
    assert np.abs(data.X[0] - data.X[1]).max() > 0.5


def test_noise_is_gaussian_of_the_given_size() -> None:
    clean = make_glyphs("e" * 500, **CLEAN)
    noisy = make_glyphs("e" * 500, noise=0.4, jitter=0.0, random_state=3)
    difference = noisy.X - clean.X
    n = difference.size
    assert abs(difference.mean()) < 4 * 0.4 / np.sqrt(n)
    np.testing.assert_allclose(difference.std(), 0.4, rtol=4 / np.sqrt(2 * n))


def test_several_fonts_are_mixed_evenly_glyph_by_glyph() -> None:
    names = ["DejaVuSans", "cmr10", "STIXGeneralBol"]
    mixed = make_glyphs("n" * 3000, fonts=names, random_state=4, **CLEAN)
    assert mixed.fonts == tuple(names)
    np.testing.assert_allclose(np.bincount(mixed.font) / 3000, 1 / 3, atol=4 * np.sqrt(2 / 9 / 3000))
    for number, name in enumerate(names):
        alone = make_glyphs("n", fonts=name, **CLEAN)
        np.testing.assert_array_equal(mixed.X[mixed.font == number][0], alone.X[0])


def test_image_sets_glyphs_side_by_side_and_part_cuts() -> None:
    data = make_glyphs(PANGRAM, size=12, random_state=5)
    line = data.image(4, 9)
    assert line.shape == (12, 60)
    np.testing.assert_array_equal(line[:, 12:24].ravel(), data.X[5])
    assert data.part(4, 9).text == "quick"
    np.testing.assert_array_equal(data.part(4, 9).image(), line)


def test_same_seed_same_glyphs() -> None:
    first, again = (make_glyphs(PANGRAM, fonts=["cmr10", "cmtt10"], random_state=6) for _ in range(2))
    np.testing.assert_array_equal(first.X, again.X)
    assert not np.array_equal(first.X, make_glyphs(PANGRAM, fonts=["cmr10", "cmtt10"], random_state=7).X)


def font_file(name: str) -> Path:
    import matplotlib

    return Path(matplotlib.get_data_path(), "fonts", "ttf", f"{name}.ttf")


def test_fonts_by_path(tmp_path: Path) -> None:
    own = tmp_path / "my font.ttf"
    own.write_bytes(font_file("cmss10").read_bytes())
    by_path, by_name = (make_glyphs("path", fonts=font, **CLEAN) for font in (own, "cmss10"))
    assert by_path.fonts == ("my font",)
    np.testing.assert_array_equal(by_path.X, by_name.X)


def test_a_font_without_letters_is_refused() -> None:
    with pytest.raises(DataError, match="each in its own way"):
        make_glyphs("a", fonts=font_file("STIXSizOneSymReg"))


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"fonts": "Nonesuch"}, ParameterError),
        ({"fonts": []}, ParameterError),
        ({"size": 3}, ParameterError),
        ({"size": 16.5}, ParameterError),
        ({"noise": -1.0}, ParameterError),
        ({"noise": float("nan")}, ParameterError),
        ({"jitter": 9.0}, ParameterError),
        ({"text": "123 Ω"}, DataError),
        ({"text": b"abc"}, DataTypeError),
    ],
)
def test_wrong_use_is_named(wrong: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        make_glyphs(**{"text": "abc", **wrong})


@pytest.mark.parametrize("package", ["PIL", "matplotlib"])
def test_a_missing_package_names_the_extra(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *args: Any, **kwargs: Any) -> Any:
        if name.split(".")[0] == package:
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtraError, match=r"ventris\[glyphs\]"):
        make_glyphs("abc")
