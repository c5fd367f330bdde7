"""Images become rows of grey values; odd sizes and broken files are named."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from ventris.errors import DataError, FileFormatError
from ventris.readers import read_data

GREY = np.random.default_rng(3).integers(0, 256, (4, 5, 6)).astype(np.uint8)


def save(folder, numbers):
    folder.mkdir(exist_ok=True)
    for number in numbers:
        Image.fromarray(GREY[number]).save(folder / f"glyph{number + 8}.png")  # 8, 9, 10, 11


def test_a_folder_of_images_is_one_sequence_in_the_order_of_numbers(tmp_path):
    save(tmp_path / "page", range(4))
    data = read_data(tmp_path / "page")
    np.testing.assert_allclose(data.sequences.data, GREY.reshape(4, 30) / 255, rtol=1e-6)
    assert data.sequences.lengths.tolist() == [4] and data.schema.size == (5, 6)


def test_folders_inside_are_sequences(tmp_path):
    save(tmp_path / "a", [0, 1, 2])
    save(tmp_path / "b", [3])
    data = read_data(tmp_path)
    assert data.names == ("a", "b") and data.sequences.lengths.tolist() == [3, 1]


def test_a_strange_size_or_a_broken_image_is_named(tmp_path):
    save(tmp_path / "page", [0])
    Image.fromarray(GREY[0][:, :4]).save(tmp_path / "page" / "narrow.png")
    with pytest.raises(DataError, match=r"6 wide and 5 high, but .*narrow\.png is 4 wide"):
        read_data(tmp_path / "page")
    (tmp_path / "page" / "narrow.png").write_bytes(b"no image")
    with pytest.raises(FileFormatError, match=r"narrow\.png must be an image"):
        read_data(tmp_path / "page")


def test_a_folder_of_nothing_is_refused(tmp_path):
    (tmp_path / "notes.txt").write_text("a b")
    with pytest.raises(FileFormatError, match="it holds neither"):
        read_data(tmp_path)
