"""ARPA files: round trips, a brute-force back-off evaluator, kenlm where it is installed, damaged files."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ventris import NgramModel
from ventris.errors import FileFormatError, LanguageModelError, NonStationaryWarning
from ventris.label_model.arpa import SPECIAL, read_arpa, token_of

METHODS = ["additive", "witten-bell", "kneser-ney"]
TEXT = "she sells sea shells; the shells she sells are sea shells"


def text_model(order, method="witten-bell"):
    return NgramModel.from_text(TEXT, order=order, smoothing=method)


def log10_by_back_off(orders, gram):
    """log10 P(last | others) as the format defines it: listed, or a back-off weight and a shorter history."""
    listed = dict(zip(orders[len(gram) - 1].grams, orders[len(gram) - 1].log10_prob, strict=True))
    if gram in listed:
        return listed[gram]
    history = orders[len(gram) - 2]
    weight = dict(zip(history.grams, history.log10_backoff, strict=True)).get(gram[:-1], 0.0)
    return weight + log10_by_back_off(orders, gram[1:])


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_counted_models_come_back(tmp_path, order, method):
    lm = text_model(order, method)
    lm.to_arpa(tmp_path / "lm.arpa")
    back = NgramModel.from_arpa(tmp_path / "lm.arpa")
    assert back.classes == lm.classes  # the space among them
    assert back.order == order
    np.testing.assert_allclose(back.conditional(), lm.conditional(), rtol=1e-11)


@settings(max_examples=40, deadline=None)
@given(
    sequences=st.lists(st.lists(st.sampled_from("abcd"), max_size=12), min_size=1, max_size=6),
    order=st.integers(1, 3),
    method=st.sampled_from(METHODS),
)
def test_any_counted_model_comes_back(tmp_path_factory, sequences, order, method):
    """Short sequences: histories that were seen only at a beginning are the hard case."""
    path = tmp_path_factory.mktemp("arpa") / "lm.arpa"
    if max(map(len, sequences)) < order or not any(sequences):
        return
    lm = NgramModel.from_sequences(sequences, order=order, smoothing=method, classes="abcd")
    lm.to_arpa(path)
    np.testing.assert_allclose(NgramModel.from_arpa(path).conditional(), lm.conditional(), rtol=1e-10)


@pytest.mark.parametrize("method", METHODS)
def test_the_file_itself_says_the_right_probabilities(tmp_path, method):
    """Read by the brute-force evaluator, not by our own reader of meaning."""
    lm = NgramModel.from_sequences([list("xababcabdbca"), list("ycab")], order=3, smoothing=method)
    lm.to_arpa(tmp_path / "lm.arpa")
    orders, _ = read_arpa(tmp_path / "lm.arpa")
    for gram in product(range(lm.n_classes), repeat=3):
        logarithm = log10_by_back_off(orders, tuple(lm.classes[c] for c in gram))
        assert 10**logarithm == pytest.approx(lm.conditional()[gram], rel=1e-11)


@pytest.mark.parametrize("method", METHODS)
def test_every_history_is_listed_one_order_below(tmp_path, method):
    """Other tools refuse a file whose trigrams have contexts that are no bigrams."""
    NgramModel.from_sequences([list("xababcabdbca"), list("ycab")], order=4, smoothing=method).to_arpa(
        tmp_path / "lm.arpa"
    )
    orders, _ = read_arpa(tmp_path / "lm.arpa")
    for lower, upper in pairwise(orders):
        assert {gram[:-1] for gram in upper.grams} <= set(lower.grams)


@pytest.mark.parametrize("method", METHODS)
def test_kenlm_reads_the_same_numbers(tmp_path, method):
    kenlm = pytest.importorskip("kenlm")
    lm = NgramModel.from_sequences([list("xababcabdbca"), list("ycab")], order=3, smoothing=method)
    lm.to_arpa(tmp_path / "lm.arpa")
    theirs = kenlm.Model(str(tmp_path / "lm.arpa"))
    assert theirs.order == 3
    orders, _ = read_arpa(tmp_path / "lm.arpa")
    for gram in product(lm.classes, repeat=3):
        *_, (logarithm, _, unknown) = theirs.full_scores(" ".join(gram), bos=False, eos=False)
        assert not unknown
        assert logarithm == pytest.approx(
            log10_by_back_off(orders, gram), abs=2e-5
        )  # kenlm computes in float32
        codes = tuple(lm.alphabet.encode(gram))
        assert 10**logarithm == pytest.approx(lm.conditional()[codes], rel=1e-4)


CHAINS = {
    "plain": [[0.6, 0.4], [0.9, 0.1]],
    "with zeros": [[0.0, 0.5, 0.5], [1.0, 0.0, 0.0], [0.25, 0.75, 0.0]],
    "periodic": [[0.0, 1.0], [1.0, 0.0]],
}


@pytest.mark.parametrize("name", CHAINS)
def test_transition_matrices_come_back_zeros_and_whole_numbers_included(tmp_path, name):
    lm = NgramModel.from_transition_matrix(CHAINS[name])
    lm.to_arpa(tmp_path / "lm.arpa")
    back = NgramModel.from_arpa(tmp_path / "lm.arpa")
    assert back.classes == lm.classes
    assert all(type(label) is int for label in back.classes)
    np.testing.assert_allclose(back.conditional(2), lm.conditional(2), rtol=1e-12, atol=0)
    np.testing.assert_allclose(back.joint(2), lm.joint(2), rtol=1e-10, atol=0)


def test_a_joint_of_three_comes_back(tmp_path):
    joint = np.random.default_rng(0).dirichlet(np.ones(27)).reshape(3, 3, 3)
    with pytest.warns(NonStationaryWarning):
        lm = NgramModel.from_probabilities(joint, classes=["x", "yy", "ζ"])
    lm.to_arpa(tmp_path / "lm.arpa")
    back = NgramModel.from_arpa(tmp_path / "lm.arpa")
    assert back.classes == ("x", "yy", "ζ")
    np.testing.assert_allclose(back.conditional(), lm.conditional(), rtol=1e-12)


def test_truth_values_are_written_as_words(tmp_path):
    lm = NgramModel.from_sequences([[True, False, True, True]], order=2)
    lm.to_arpa(tmp_path / "lm.arpa")
    assert NgramModel.from_arpa(tmp_path / "lm.arpa").classes == ("False", "True")
    back = NgramModel.from_arpa(tmp_path / "lm.arpa", classes=[True, False])
    np.testing.assert_allclose(back.conditional(2), lm.conditional(2)[::-1, ::-1], rtol=1e-12)


def test_classes_choose_labels_and_their_order(tmp_path):
    lm = NgramModel.from_transition_matrix([[0.2, 0.3, 0.5], [0.4, 0.4, 0.2], [0.6, 0.3, 0.1]], classes="abc")
    lm.to_arpa(tmp_path / "lm.arpa")
    back = NgramModel.from_arpa(tmp_path / "lm.arpa", classes="ca")
    np.testing.assert_allclose(back.conditional(2), [[1 / 7, 6 / 7], [5 / 7, 2 / 7]], rtol=1e-12)


def test_a_file_by_another_hand(tmp_path):
    """Back-off left out where it is 1, sentence marks, an empty line, natural spacing: all legal."""
    (tmp_path / "lm.arpa").write_text(
        "made by hand\n\n\\data\\\nngram 1=5\nngram 2=2\n\n\\1-grams:\n"
        "-99 <s> -0.3\n-1.0 </s>\n-2 <unk>\n-0.30103 a -0.30103\n-0.60206 b\n\n"
        "\\2-grams:\n-0.1 a a\n-0.2 <s> b\n\n\\end\\\n"
    )
    lm = NgramModel.from_arpa(tmp_path / "lm.arpa")
    assert lm.classes == ("a", "b")
    after_a = np.array([10**-0.1, 10**-0.30103 * 10**-0.60206])
    after_b = np.array([10**-0.30103, 10**-0.60206])
    np.testing.assert_allclose(lm.conditional(2)[0], after_a / after_a.sum(), rtol=1e-12)
    np.testing.assert_allclose(lm.conditional(2)[1], after_b / after_b.sum(), rtol=1e-12)


# ---------------------------------------------------------------- damage


def test_a_file_cut_short_at_any_line_is_refused(tmp_path):
    """The line where reading stopped is named, whichever line was the last."""
    whole, part = tmp_path / "whole.arpa", tmp_path / "part.arpa"
    NgramModel.from_sequences([list("abcabbacda")], order=3).to_arpa(whole)
    lines = whole.read_text(encoding="utf-8").splitlines(keepends=True)
    assert len(lines) > 30
    for kept in range(len(lines)):
        part.write_text("".join(lines[:kept]), encoding="utf-8")
        with pytest.raises(FileFormatError) as caught:
            NgramModel.from_arpa(part)
        sentence = str(caught.value)
        assert sentence.startswith(f"{part} line {kept + 1}: expected ")
        assert ", but found " in sentence
        assert sentence.endswith("The file is cut short or damaged; write it again.")


def test_a_file_cut_short_at_any_character_is_refused(tmp_path):
    whole, part = tmp_path / "whole.arpa", tmp_path / "part.arpa"
    NgramModel.from_transition_matrix([[0.6, 0.4], [0.9, 0.1]]).to_arpa(whole)
    text = whole.read_text(encoding="utf-8")
    for kept in range(len(text) - 1):  # the last line break is not needed
        part.write_text(text[:kept], encoding="utf-8")
        with pytest.raises(FileFormatError):
            NgramModel.from_arpa(part)


HEAD = "\\data\\\nngram 1=2\n\n\\1-grams:\n"
DAMAGED = {
    "another format": (
        "once upon a time\n",
        2,
        "expected '\\\\data\\\\', but found 'the end of the file'",
    ),
    "no counts": (
        "\\data\\\n\\1-grams:\n",
        2,
        "expected a line like 'ngram 1=27', but found \\1-grams:",
    ),
    "a count that is no number": (
        "\\data\\\nngram 1=two\n",
        2,
        "expected a line like 'ngram 2=100', but found ngram 1=two",
    ),
    "orders out of order": (
        "\\data\\\nngram 2=2\n",
        2,
        "expected the count of order 1, but found ngram 2=2",
    ),
    "fewer n-grams than promised": (
        HEAD + "-1 a\n\\end\\\n",
        6,
        "expected 2 n-grams of order 1, but found only 1",
    ),
    "more n-grams than promised": (
        HEAD + "-1 a\n-1 b\n-1 c\n\\end\\\n",
        7,
        "expected '\\\\end\\\\', but found '-1 c'",
    ),
    "a row without a label": (
        HEAD + "-1\n-1 b\n\\end\\\n",
        5,
        "expected a log10 probability, 1 labels and a back-off weight, but found '-1'",
    ),
    "a probability that is no number": (
        HEAD + "x a\n-1 b\n\\end\\\n",
        5,
        "expected numbers for the probability and the back-off weight, but found 'x a'",
    ),
    "a probability above one": (
        HEAD + "0.5 a\n-1 b\n\\end\\\n",
        5,
        "expected a log10 probability of at most 0 and a back-off of at most 99, but found '0.5 a'",
    ),
    "a probability that is NaN": (
        HEAD + "nan a\n-1 b\n\\end\\\n",
        5,
        "expected a log10 probability of at most 0 and a back-off of at most 99, but found 'nan a'",
    ),
}


@pytest.mark.parametrize("case", DAMAGED)
def test_damage_is_named_with_its_line(tmp_path, case):
    text, line, complaint = DAMAGED[case]
    path = tmp_path / "lm.arpa"
    path.write_text(text)
    with pytest.raises(FileFormatError) as caught:
        NgramModel.from_arpa(path)
    assert (
        str(caught.value)
        == f"{path} line {line}: {complaint}. The file is cut short or damaged; write it again."
    )


def test_a_binary_file_is_refused(tmp_path):
    path = tmp_path / "lm.arpa"
    path.write_bytes(b"\x80\x81\x82")
    with pytest.raises(
        FileFormatError,
        match=r"must be an ARPA text file in UTF-8, but .* Check that it is the right file\.$",
    ):
        NgramModel.from_arpa(path)


def test_a_class_the_file_does_not_know_is_refused(tmp_path):
    text_model(2).to_arpa(tmp_path / "lm.arpa")
    with pytest.raises(LanguageModelError) as caught:
        NgramModel.from_arpa(tmp_path / "lm.arpa", classes="aé")
    assert (
        str(caught.value)
        == "Every class must be a unigram of the ARPA file, but 'é' is not. Check the classes."
    )


@pytest.mark.parametrize("label", ["two words", "", "\t", *SPECIAL, "<space>", "a\u2028b"])
def test_labels_that_cannot_be_written_are_refused(label):
    with pytest.raises(LanguageModelError) as caught:
        token_of(label)
    assert str(caught.value) == (
        "A label in an ARPA file must be one word, none of <s> </s> <unk> <space>, "
        f"but {label!r} is not. Rename the label before writing."
    )


def test_an_existing_file_is_kept_unless_forced(tmp_path):
    lm = text_model(2)
    lm.to_arpa(tmp_path / "lm.arpa", force=False)
    before = (tmp_path / "lm.arpa").read_text()
    with pytest.raises(FileFormatError, match="must not exist yet"):
        text_model(3).to_arpa(tmp_path / "lm.arpa", force=False)
    assert (tmp_path / "lm.arpa").read_text() == before
