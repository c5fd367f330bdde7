"""Texts of symbols: words or characters, numbered the same way at fit and at predict."""

from __future__ import annotations

import pytest

from ventris.errors import DataError
from ventris.readers import read_data


def test_words_are_symbols_and_lines_are_sequences(tmp_path):
    (tmp_path / "codes.txt").write_text("10 2 2\n\n2 30\n")
    data = read_data(tmp_path / "codes.txt")
    assert data.schema.symbols == ("2", "10", "30")  # by value, not as text
    assert data.sequences.data.tolist() == [1, 0, 0, 0, 2]
    assert data.sequences.lengths.tolist() == [3, 2]


def test_a_model_s_symbols_keep_their_numbers(tmp_path):
    (tmp_path / "fit.txt").write_text("ABBA C\n")
    (tmp_path / "later.txt").write_text("CAC\n")
    fitted = read_data(tmp_path / "fit.txt", characters=True)
    assert fitted.schema.symbols == (" ", "A", "B", "C")
    later = read_data(tmp_path / "later.txt", schema=fitted.schema)  # --characters need not be said again
    assert later.sequences.data.tolist() == [3, 1, 3]
    (tmp_path / "later.txt").write_text("CAC\nCAD\n")
    with pytest.raises(DataError, match=r"line 2: symbols must be among the 4 .* but 'D' is not"):
        read_data(tmp_path / "later.txt", schema=fitted.schema)


def test_an_empty_text_is_refused(tmp_path):
    (tmp_path / "empty.txt").write_text("\n \n")
    with pytest.raises(DataError, match="at least one point"):
        read_data(tmp_path / "empty.txt")
