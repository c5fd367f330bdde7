"""The set of labels and its refusals."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ventris.data.alphabet import Alphabet
from ventris.errors import LanguageModelError

alphabets = st.one_of(
    st.lists(st.text(max_size=3), min_size=2, max_size=9, unique=True),
    st.lists(st.integers(-50, 50), min_size=2, max_size=9, unique=True),
)


@given(classes=alphabets, data=st.data())
def test_decode_undoes_encode(classes, data):
    labels = data.draw(st.lists(st.sampled_from(classes), max_size=20))
    alphabet = Alphabet(classes)
    codes = alphabet.encode(labels)
    assert codes.tolist() == [classes.index(label) for label in labels]
    # NumPy's text arrays drop trailing NULs, which no label of a user holds.
    if not any(isinstance(label, str) and label.endswith("\0") for label in classes):
        assert alphabet.decode(codes).tolist() == labels


def test_numpy_labels_are_the_plain_ones():
    alphabet = Alphabet(np.array([3, 1, 2]))
    assert alphabet.classes == (3, 1, 2)
    assert all(type(label) is int for label in alphabet.classes)
    assert alphabet.encode(np.array([1, 3], np.int16)).tolist() == [1, 0]


def test_equal_alphabets_are_equal_and_hash_alike():
    assert Alphabet("abc") == Alphabet(["a", "b", "c"])
    assert hash(Alphabet("abc")) == hash(Alphabet(["a", "b", "c"]))
    assert Alphabet("abc") != Alphabet("acb")
    assert Alphabet("ab") != ("a", "b")
    assert repr(Alphabet("ab")) == "Alphabet(['a', 'b'])"
    assert len(Alphabet("abc")) == 3


BAD_ALPHABETS = {
    "duplicate classes": (
        lambda: Alphabet("abca"),
        "Classes must be distinct, but 'a' occurs twice. Give each label one name.",
    ),
    "one class": (
        lambda: Alphabet(["a"]),
        "A label model needs at least two classes, but it has 1: ['a']. "
        "With one class there is nothing to classify; check the labels.",
    ),
    "no class": (
        lambda: Alphabet([]),
        "A label model needs at least two classes, but it has 0: []. "
        "With one class there is nothing to classify; check the labels.",
    ),
    "text and numbers": (
        lambda: Alphabet(["a", 1]),
        "Classes must be all text or all numbers, but they are mixed. Turn them all into text.",
    ),
    "an unknown label": (
        lambda: Alphabet("ab").encode(["a", "z"]),
        "Labels must be among the 2 classes 'a', 'b', but 'z' is not. "
        "Add it to classes, or correct the labels.",
    ),
    "an unknown label of many": (
        lambda: Alphabet(range(20)).encode([20]),
        "Labels must be among the 20 classes 0, 1, 2, 3, 4, 5, 6, 7, …, but 20 is not. "
        "Add it to classes, or correct the labels.",
    ),
}


@pytest.mark.parametrize("case", BAD_ALPHABETS)
def test_refused_with_its_own_sentence(case):
    call, sentence = BAD_ALPHABETS[case]
    with pytest.raises(LanguageModelError) as caught:
        call()
    assert str(caught.value) == sentence
