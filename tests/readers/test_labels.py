"""Label files, truth files and label models."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from ventris.errors import DataError, FileFormatError
from ventris.label_model.model import NgramModel
from ventris.readers import (
    match_labels,
    read_label_column,
    read_label_model,
    read_label_sequences,
    read_label_text,
)


def test_labels_that_are_all_whole_numbers_become_such(tmp_path):
    path = tmp_path / "labels.txt"
    path.write_text("10 2\n-1 2\n")
    assert read_label_sequences(path) == [[10, 2], [-1, 2]]
    path.write_text("10 2\n07 2\n")
    assert read_label_sequences(path) == [["10", "2"], ["07", "2"]]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("truth.csv", "time,label\n0,b\n1,?\n2,a\n"),
        ("truth.tsv", "label\ttime\nb\t0\n\t1\na\t2\n"),
        ("one.csv", "b\n-1\na\n"),
        ("truth.txt", "b\n\n a\n"),
    ],
)
def test_a_label_column_or_one_label_a_line(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    assert match_labels(read_label_column(tmp_path / name), ["a", "b"], 3).tolist() == [1, -1, 0]


def test_truth_as_parquet_and_as_an_array(tmp_path):
    pd.DataFrame({"label": ["b", None, "a"]}).to_parquet(tmp_path / "t.parquet")
    assert match_labels(read_label_column(tmp_path / "t.parquet"), ["a", "b"], 3).tolist() == [1, -1, 0]
    np.save(tmp_path / "t.npy", np.array([1, 0, 1]))
    assert match_labels(read_label_column(tmp_path / "t.npy"), [0, 1], 3).tolist() == [1, 0, 1]


def test_a_space_can_be_a_label(tmp_path):
    (tmp_path / "t.txt").write_text("a\n \na \n")
    assert match_labels(read_label_column(tmp_path / "t.txt"), [" ", "a"], 3).tolist() == [1, 0, 1]


def test_wrong_truth_is_named_with_its_line(tmp_path):
    path = tmp_path / "truth.csv"
    path.write_text("time,label\n0,a\n1,c\n")
    with pytest.raises(DataError, match=r"truth\.csv line 3: labels must be among a, b, but it holds 'c'"):
        match_labels(read_label_column(path), ["a", "b"], 2)
    with pytest.raises(DataError, match="each of the 5 points, but it holds 2"):
        match_labels(read_label_column(path), ["a", "b"], 5)
    path.write_text("time,z\n0,a\n")
    with pytest.raises(DataError, match="a column named 'label', but it has time, z"):
        read_label_column(path)


def test_a_label_model_and_what_is_none(tmp_path):
    lm = NgramModel.from_transition_matrix([[0.6, 0.4], [0.9, 0.1]], classes="ab")
    lm.to_arpa(tmp_path / "lm.arpa")
    np.testing.assert_allclose(read_label_model(tmp_path / "lm.arpa").joint(2), lm.joint(2), rtol=1e-9)
    (tmp_path / "labels.txt").write_text("a b a\n")
    with pytest.raises(FileFormatError, match=r"ventris lm build .*labels\.txt -o labels\.arpa"):
        read_label_model(tmp_path / "labels.txt")


def test_empty_label_files_are_refused(tmp_path):
    (tmp_path / "empty.txt").write_text("\n")
    with pytest.raises(FileFormatError, match="must hold labels"):
        read_label_sequences(tmp_path / "empty.txt")
    with pytest.raises(FileFormatError, match="must hold text"):
        read_label_text(tmp_path / "empty.txt")
    with pytest.raises(FileFormatError, match="it is a folder"):
        read_label_text(tmp_path)
