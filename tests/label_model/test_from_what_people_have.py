"""Label models from data frames, dictionaries, counts, hmmlearn and KenLM; back to a frame or a picture."""

from __future__ import annotations

import inspect
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import ventris as vt
from ventris import NgramModel
from ventris.cli import run
from ventris.cli.lm import build
from ventris.errors import (
    DataTypeError,
    FileFormatError,
    LanguageModelError,
    MissingExtraError,
    ParameterError,
)

pd = pytest.importorskip("pandas")
P = np.array([[0.9, 0.1, 0.0], [0.2, 0.5, 0.3], [0.3, 0.3, 0.4]])
NAMES = ["sun", "cloud", "rain"]


# ---------------------------------------------------------------------------- a matrix with names


def test_a_data_frame_keeps_its_names():
    lm = NgramModel.from_transition_matrix(pd.DataFrame(P, index=NAMES, columns=NAMES))
    assert lm.classes == tuple(NAMES)
    np.testing.assert_allclose(lm.conditional(2), P, rtol=1e-12)


def test_columns_in_another_order_are_aligned_by_name():
    """Today the numbers are taken as they stand, and rain is called sun."""
    frame = pd.DataFrame(P, index=NAMES, columns=NAMES)[["rain", "sun", "cloud"]]
    np.testing.assert_allclose(NgramModel.from_transition_matrix(frame).conditional(2), P, rtol=1e-12)


def test_rows_and_columns_of_other_names_are_refused():
    frame = pd.DataFrame(P, index=NAMES, columns=["sun", "cloud", "snow"])
    with pytest.raises(LanguageModelError, match="must have the same names, each once, but only one of them"):
        NgramModel.from_transition_matrix(frame)


@pytest.mark.parametrize("named", ["index", "columns", "first column"])
def test_one_set_of_names_is_enough(named):
    frame = {
        "index": lambda: pd.DataFrame(P, index=NAMES),
        "columns": lambda: pd.DataFrame(P, columns=NAMES),
        "first column": lambda: pd.DataFrame(P, columns=NAMES, index=NAMES).reset_index(),
    }[named]()
    assert NgramModel.from_transition_matrix(frame).classes == tuple(NAMES)


def test_whole_numbers_stay_so_though_a_header_is_text(tmp_path):
    pd.DataFrame(P).to_csv(tmp_path / "P.csv")
    lm = NgramModel.from_transition_matrix(pd.read_csv(tmp_path / "P.csv", index_col=0))
    assert lm.classes == (0, 1, 2)


def test_a_polars_frame_is_one_too():
    pl = pytest.importorskip("polars", reason="polars is not installed")
    frame = pl.DataFrame({"from": NAMES} | {name: P[:, k] for k, name in enumerate(NAMES)})
    lm = NgramModel.from_transition_matrix(frame.select("from", "rain", "sun", "cloud"))
    assert lm.classes == tuple(NAMES)
    np.testing.assert_allclose(lm.conditional(2), P, rtol=1e-12)


def test_classes_choose_the_order_of_a_named_table_but_rename_nothing():
    frame = pd.DataFrame(P, index=NAMES, columns=NAMES)
    turned = NgramModel.from_transition_matrix(frame, classes=["rain", "sun", "cloud"])
    np.testing.assert_allclose(turned.conditional(2), P[np.ix_([2, 0, 1], [2, 0, 1])], rtol=1e-12)
    with pytest.raises(LanguageModelError, match="classes must be the names of the table"):
        NgramModel.from_transition_matrix(frame, classes="abc")


def test_dictionaries_of_dictionaries():
    lm = NgramModel.from_transition_matrix({"a": {"b": 1.0}, "b": {"a": 0.5, "b": 0.5}})
    np.testing.assert_allclose(lm.conditional(2), [[0, 1], [0.5, 0.5]])
    with pytest.raises(LanguageModelError, match="must have a row for every label, but 'c' has none"):
        NgramModel.from_transition_matrix({"a": {"b": 0.5, "c": 0.5}, "b": {"a": 1.0}})
    with pytest.raises(LanguageModelError, match="must hold a dictionary for every label"):
        NgramModel.from_transition_matrix({"a": 0.5, "b": 0.5})


def test_a_frame_that_is_not_square_is_refused():
    with pytest.raises(LanguageModelError, match="must be square, but its shape is"):
        NgramModel.from_transition_matrix(pd.DataFrame(P[:2], columns=NAMES))


def test_a_graph_may_be_a_frame():
    frame = pd.DataFrame([[0, 1, 1], [1, 0, 0], [1, 0, 0]], index=NAMES, columns=NAMES)
    assert NgramModel.from_graph(frame).to_dataframe().loc["sun", "rain"] == 0.5


# ---------------------------------------------------------------------------------------- counts


def brute(text: str, order: int) -> Counter:
    return Counter(text[k : k + order] for k in range(len(text) - order + 1))


def test_counts_of_all_orders_are_those_of_the_text():
    text = "abracadabra"
    counts = brute(text, 1) + brute(text, 2) + brute(text, 3)
    mine, counted = NgramModel.from_counts(counts), NgramModel.from_text(text, 3, max_lag=1)
    assert mine.classes == counted.classes
    np.testing.assert_allclose(mine.conditional(3), counted.conditional(3), rtol=1e-12)


def test_orders_that_are_missing_are_summed_up():
    lm = NgramModel.from_counts({("x", "y"): 3, ("y", "x"): 4, ("x", "x"): 1}, smoothing="additive")
    by_hand = NgramModel.from_counts(np.array([[1, 3], [4, 0]]), classes="xy", smoothing="additive")
    np.testing.assert_allclose(lm.joint(2), by_hand.joint(2), rtol=1e-12)
    assert [table.total for table in lm.statistics.counts] == [8, 8]


def test_a_frame_of_counts_keeps_its_names_and_zeros_do_not_forbid():
    frame = pd.DataFrame([[8, 2], [1, 0]], index=["a", "b"], columns=["a", "b"])
    lm = NgramModel.from_counts(frame[["b", "a"]])
    assert lm.classes == ("a", "b") and lm.conditional(2)[1, 1] > 0
    assert lm.conditional(2)[0, 0] > lm.conditional(2)[0, 1]


@pytest.mark.parametrize(
    ("counts", "says"),
    [
        ({}, "at least one n-gram"),
        ({"ab": 0.5}, "whole numbers"),
        ({"ab": -1}, "not negative"),
        (np.ones((2, 3)), "axes of one length"),
    ],
)
def test_counts_that_are_none_are_refused(counts, says):
    with pytest.raises(LanguageModelError, match=says):
        NgramModel.from_counts(counts)


# ------------------------------------------------------------------------------ other programs


def test_an_hmmlearn_model_gives_its_transitions():
    hmm = pytest.importorskip("hmmlearn.hmm", reason="hmmlearn is not installed")
    model = hmm.GaussianHMM(3)
    with pytest.raises(DataTypeError, match="this GaussianHMM has none"):
        NgramModel.from_hmmlearn(model)
    model.transmat_ = P
    lm = NgramModel.from_hmmlearn(model, classes=NAMES)
    assert lm.classes == tuple(NAMES)
    np.testing.assert_allclose(lm.conditional(2), P, rtol=1e-12)


@pytest.fixture
def arpa(tmp_path):
    NgramModel.from_text("abracadabra cadabra", 3).to_arpa(tmp_path / "m.arpa")
    return tmp_path / "m.arpa"


def test_kenlm_says_what_the_arpa_file_says(arpa):
    pytest.importorskip("kenlm", reason="kenlm is not installed")
    read = NgramModel.from_arpa(arpa)
    again = NgramModel.from_kenlm(arpa, classes=read.classes)
    np.testing.assert_allclose(again.conditional(3), read.conditional(3), rtol=1e-5)
    with pytest.raises(LanguageModelError, match="'z' is none"):
        NgramModel.from_kenlm(arpa, classes="az")
    arpa.with_name("bad").write_bytes(b"mmap lm http://kheafield.com/code\x00 broken")
    with pytest.raises(FileFormatError, match="must be a KenLM binary or an ARPA file, but kenlm says"):
        NgramModel.from_kenlm(arpa.with_name("bad"), classes="az")


@pytest.mark.parametrize("kind", ["probing", "trie"])
def test_a_kenlm_binary_is_read(arpa, kind, capfd):
    """Made from this very ARPA file by KenLM 0.3.0, `build_binary probing m.arpa probing.klm`, and `trie`."""
    pytest.importorskip("kenlm", reason="kenlm is not installed")
    binary = Path(__file__).parent / "kenlm_binaries" / f"{kind}.klm"
    read = NgramModel.from_arpa(arpa)
    again = NgramModel.from_kenlm(binary, classes=read.classes)
    np.testing.assert_allclose(again.conditional(3), read.conditional(3), rtol=1e-5)
    out = arpa.with_name("built.arpa")
    assert run(["lm", "build", str(binary), "--alphabet", "<space> a b c d r", "-o", str(out)]) == 0
    np.testing.assert_allclose(NgramModel.from_arpa(out).conditional(3), read.conditional(3), rtol=1e-4)
    assert run(["lm", "show", str(binary)]) == 1
    assert f"ventris lm build {binary} --alphabet" in capfd.readouterr().err
    cut = arpa.with_name("cut.klm")
    cut.write_bytes(binary.read_bytes()[:250])
    with pytest.raises(FileFormatError, match="must be a KenLM binary or an ARPA file, but kenlm says"):
        NgramModel.from_kenlm(cut, classes=read.classes)


def test_without_kenlm_a_sentence(arpa, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "kenlm", None)
    with pytest.raises(MissingExtraError, match="needs the package 'kenlm'"):
        NgramModel.from_kenlm(arpa, classes="ab")


# -------------------------------------------------------------------------- to look at, and defaults


def test_a_frame_comes_back_as_the_same_model():
    lm = NgramModel.from_transition_matrix(P, classes=NAMES)
    again = NgramModel.from_transition_matrix(lm.to_dataframe())
    assert again.classes == lm.classes
    np.testing.assert_array_equal(again.conditional(2), lm.conditional(2))


def test_frames_of_other_orders():
    lm = NgramModel.from_text("abracadabra", 3)
    long = lm.to_dataframe(3)
    assert long.loc[("a", "b"), "r"] == lm.conditional(3)[0, 1, 4]
    assert lm.to_dataframe(1)["frequency"].sum() == pytest.approx(1)


@pytest.mark.parametrize("kind", ["matrix", "graph"])
def test_pictures_show_every_label_by_name(kind):
    pytest.importorskip("matplotlib")
    figure = NgramModel.from_transition_matrix(P, classes=NAMES).plot(kind)
    axes = figure.axes[0]
    written = {text.get_text() for text in [*axes.texts, *axes.get_xticklabels()]}
    assert set(NAMES) <= written
    figure.canvas.draw()


def test_pictures_of_many_labels_show_the_commonest():
    pytest.importorskip("matplotlib")
    english = vt.datasets.load_language("en")
    figure = english.plot(top=5)
    assert len(figure.axes[0].get_xticklabels()) == 5 and "5 commonest" in figure.axes[0].get_title(
        loc="left"
    )
    english.plot("graph").canvas.draw()
    with pytest.raises(ParameterError, match="kind must be 'matrix' or 'graph'"):
        english.plot("pie")
    with pytest.raises(ParameterError, match="order 2 or more"):
        NgramModel.from_probabilities([0.5, 0.5]).plot()


def test_one_default_order_everywhere():
    """Today two for sequences and three for texts, for the command line and for languages."""
    functions = (
        NgramModel.from_sequences,
        NgramModel.from_text,
        vt.datasets.load_language,
        build,
    )
    assert {inspect.signature(each).parameters["order"].default for each in functions} == {3}
