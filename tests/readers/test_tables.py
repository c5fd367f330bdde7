"""Tables against pandas; every complaint names its line and column."""

from __future__ import annotations

import io
import re

import numpy as np
import pandas as pd
import pytest

from ventris.errors import DataError, FileFormatError
from ventris.readers import read_data

FRAME = pd.DataFrame(
    np.random.default_rng(11).standard_normal((20_000, 3)), columns=["x", "y", "z"]
)  # more than two blocks
FRAME.insert(0, "sequence", np.repeat(["a", "b", "c"], [8_000, 4_000, 8_000]))
FRAME["label"] = "secret"


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet"])
def test_a_table_is_read_as_pandas_wrote_it(tmp_path, ending):
    path = tmp_path / f"points.{ending}"
    if ending == "parquet":
        FRAME.to_parquet(path)
    else:
        FRAME.to_csv(path, sep="\t" if ending == "tsv" else ",", index=False)
    data = read_data(path)
    np.testing.assert_allclose(data.sequences.data, FRAME[["x", "y", "z"]].to_numpy(), rtol=1e-15)
    assert data.sequences.lengths.tolist() == [8_000, 4_000, 8_000]
    assert data.names == ("a", "b", "c")
    assert data.schema.columns == ("x", "y", "z")  # the label is no feature


def test_columns_are_taken_by_name_in_the_order_asked(tmp_path):
    FRAME.head(10).to_csv(tmp_path / "p.csv", index=False)
    data = read_data(tmp_path / "p.csv", columns=["z", "x"])
    np.testing.assert_allclose(data.sequences.data, FRAME[["z", "x"]].head(10).to_numpy(), rtol=1e-15)
    again = read_data(tmp_path / "p.csv", schema=data.schema)
    np.testing.assert_array_equal(again.sequences.data, data.sequences.data)


def test_a_table_without_a_header_has_numbered_columns(tmp_path):
    (tmp_path / "p.csv").write_text("1,2\n3,4\n")
    data = read_data(tmp_path / "p.csv")
    assert data.schema.columns == ("0", "1")
    assert data.sequences.data.tolist() == [[1, 2], [3, 4]]


def test_a_byte_order_mark_carriage_returns_and_blank_lines_are_no_matter(tmp_path):
    (tmp_path / "p.csv").write_bytes(b"\xef\xbb\xbfx,y\r\n1,2\r\n\r\n3,4\r\n")
    data = read_data(tmp_path / "p.csv")
    assert data.schema.columns == ("x", "y") and data.sequences.n_points == 2


def test_standard_input_is_a_table(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("x\n1\n2\n"))
    assert read_data("-").sequences.data.tolist() == [[1], [2]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x,y\n1,2\n3\n", "line 3: every row must have 2 cells as the first, but it has 1"),
        ("x,y\n1,2\n\n3,four\n", "line 4, column 'y': a finite number is expected, but it holds 'four'"),
        ("x,y\n1,\n", "line 2, column 'y'"),
        ("x,y\n1,nan\n", "line 2, column 'y'"),
        ("x,x\n1,2\n", "'x' is there twice"),
        ("sequence,x\na,1\nb,2\na,3\n", "line 4: the rows of one sequence must stand together"),
        ("sequence,label\na,b\n", "must have a column of numbers"),
        ("x,y\n", "at least one point"),
        ("", "it is empty"),
        ('x,y\n"1,2\n', "must be a table of separated values"),
    ],
)
def test_a_wrong_table_is_named_with_its_place(tmp_path, text, message):
    path = tmp_path / "wrong.csv"
    path.write_text(text)
    with pytest.raises((DataError, FileFormatError), match=re.escape(message)):
        read_data(path)


def test_a_column_that_is_missing_is_named(tmp_path):
    FRAME.head(3).to_parquet(tmp_path / "p.parquet")
    with pytest.raises(DataError, match="'w' is not among sequence, x, y, z, label"):
        read_data(tmp_path / "p.parquet", columns=["w"])
    with pytest.raises(DataError, match="column 'label': numbers are expected"):
        read_data(tmp_path / "p.parquet", columns=["label"])


def test_an_empty_cell_of_a_parquet_table_is_named_with_its_row(tmp_path):
    frame = FRAME.head(9_000)[["x"]].copy()
    frame.loc[8_999, "x"] = np.nan
    frame.to_parquet(tmp_path / "p.parquet")
    with pytest.raises(DataError, match="row 9000, column 'x'"):
        read_data(tmp_path / "p.parquet")
    (tmp_path / "cut.parquet").write_bytes((tmp_path / "p.parquet").read_bytes()[:-10])
    with pytest.raises(FileFormatError, match=r"cut\.parquet must be a parquet file"):
        read_data(tmp_path / "cut.parquet")


def test_what_is_no_text_is_refused(tmp_path):
    (tmp_path / "p.csv").write_bytes(b"x,y\n\xff\xfe\n")
    with pytest.raises(FileFormatError, match="must be text in UTF-8"):
        read_data(tmp_path / "p.csv")
