"""What a person may pass by mistake: each mistake is a sentence, none a Python error or a silent answer."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ventris as vt
from ventris.ciphers import decipher_homophonic, decipher_with, encipher_homophonic
from ventris.ciphers.spelling import alphabet_of
from ventris.errors import ParameterError, VentrisError

A_TO_Z = alphabet_of("en")


@pytest.mark.parametrize(
    ("kind", "key", "reason"),
    [
        ("caesar", None, "whole number, but it is None"),
        ("caesar", 2.5, "whole number, but it is 2.5"),
        ("caesar", True, "whole number, but it is True"),
        ("affine", 5, "two whole numbers, but it is 5"),
        ("affine", None, "two whole numbers, but it is None"),
        ("affine", ("x", 1), r"two whole numbers, but it is \('x', 1\)"),
        ("affine", (5.7, 8), r"two whole numbers, but it is \(5.7, 8\)"),
        ("affine", "58", "two whole numbers, but it is '58'"),
        ("affine", {5: 1, 8: 1}, "two whole numbers"),
        ("vigenere", 5, "a word in the letters .* but it is 5"),
        ("vigenere", None, "a word in the letters .* but it is None"),
        ("vigenere", b"lemon", "a word in the letters .* but it is b'lemon'"),
        ("substitution", None, "26 letters .* but it is None"),
        ("substitution", list(A_TO_Z), "26 letters .* but it is"),
        ("homophonic", "abc", "a homophonic key must be a dict .* but it is 'abc'"),
        ("homophonic", {}, "it is empty"),
        ("homophonic", {"17": "!"}, "it maps some to '!'"),
        ("homophonic", {"17": 5}, "it maps some to 5"),
        ("homophonic", {"a": ["17"], "b": ["17"]}, "'17' stands for several"),
        ("homophonic", {"a": ["17"], "18": "b"}, "both"),
        ("homophonic", {"1 7": "a", "2": "b", "3": "c"}, "without white space"),
        ("homophonic", {17: "a", "2": "b", "3": "c"}, "it holds the symbol 17"),
        (["caesar"], 3, "kind must be one of caesar"),
        ("auto", 3, "kind must be one of caesar.*homophonic"),
    ],
)
def test_bad_keys(kind, key, reason):
    for turn in (vt.encipher, decipher_with):
        with pytest.raises(ParameterError, match=reason):
            turn("abc", key, kind=kind)


@pytest.mark.parametrize("text", [b"abc", None, 5, 2.5, {"a": 1}])
def test_texts_of_other_types(text):
    with pytest.raises(VentrisError, match=f"must be a str.*it is a {type(text).__name__}"):
        vt.encipher(text, 3, kind="caesar")
    with pytest.raises(VentrisError, match=f"must be a str.*it is a {type(text).__name__}"):
        decipher_with(text, 3, kind="caesar")
    with pytest.raises(
        VentrisError, match=f"must be a str or a list of symbols.*it is a {type(text).__name__}"
    ):
        vt.decipher(text)
    with pytest.raises(VentrisError, match="must be a str"):
        decipher_homophonic(text, {"1": "a"})


def test_lists_are_symbols_and_nothing_else():
    with pytest.raises(ParameterError, match=r"list of symbols is a homophonic cipher.*kind is 'caesar'"):
        vt.decipher(["a", "b"], kind="caesar")
    with pytest.raises(VentrisError, match="symbols must be strings or whole numbers"):
        vt.decipher([None, 2.5, "a", "b", "c", "d"], "en")


@pytest.mark.parametrize("random_state", ["x", -1, 2.5, {}])
def test_bad_seeds(random_state):
    with pytest.raises(ParameterError, match="random_state must be"):
        vt.decipher("abc def", random_state=random_state)
    with pytest.raises(ParameterError, match="random_state must be"):
        vt.encipher("a", {"1": "a"}, kind="homophonic", random_state=random_state)


@pytest.mark.parametrize("language", [None, 5, ["en"], "tlh"])
def test_bad_languages(language):
    with pytest.raises(ParameterError, match="language must be"):
        vt.encipher("abc", 3, kind="caesar", language=language)
    with pytest.raises(ParameterError, match="language must be"):
        vt.decipher("abc", language)


@pytest.mark.parametrize("alphabet", ["", "a", "aba", "aA", "ab\u0308", "\u0308ab", "abς", 5, ["a", "b"]])
def test_bad_alphabets(alphabet):
    with pytest.raises(ParameterError, match="alphabet must be"):
        vt.encipher("abc", 3, kind="caesar", alphabet=alphabet)


def test_whole_numbers_of_every_size_and_type_are_keys():
    assert vt.encipher("abc", 10**30, kind="caesar") == vt.encipher("abc", 10**30 % 26, kind="caesar")
    assert vt.encipher("abc", np.int8(3), kind="caesar") == "def"
    large = (10**30 + 1, -(10**30))
    small = tuple(part % 26 for part in large)
    assert vt.encipher("abc", large, kind="affine") == vt.encipher("abc", small, kind="affine")
    assert vt.encipher("abc", np.array([5, 8]), kind="affine") == vt.encipher("abc", [5, 8], kind="affine")


def test_a_decomposed_key_is_the_composed_one():
    assert vt.encipher("niño", "sen\u0303or", kind="vigenere", language="es") == vt.encipher(
        "niño", "señor", kind="vigenere", language="es"
    )


@given(st.text(A_TO_Z), st.integers(0, 99), st.booleans())
def test_homophonic_through_the_front_door(text, seed, by_letter):
    listed = {letter: [f"{i:02d}", f"{i + 50}"] for i, letter in enumerate(A_TO_Z)}
    by_symbol = {symbol: letter for letter, symbols in listed.items() for symbol in symbols}
    key = listed if by_letter else by_symbol
    cipher = vt.encipher(text, key, kind="homophonic", random_state=seed)
    assert decipher_with(cipher, key, kind="homophonic") == text
    assert decipher_homophonic(cipher.split(), key) == text


def test_homophones_of_one_character_need_no_space():
    cipher = vt.encipher("Abba!", {"a": ["△"], "b": ["□"]}, kind="homophonic")
    assert cipher == "△□□△"
    assert decipher_with(cipher, {"△": "a", "□": "b"}, kind="homophonic") == "abba"


ODD = (
    None, 5, -1, 2.5, float("nan"), True, "", "x", "58", b"x", [], ["a"], [1, 2], (5, 8), {}, {"a": 1},
    {"a": ["1"]}, {"a": [1]}, {"a": "bc"}, {(1, 2): "a"}, set(), object(), np.array([1, 2]),
    np.array(["a", "b"]), np.zeros((2, 2)), [[1], [2]], 10**30, "\ud800", "q\u0308",
)  # fmt: skip


def answers_or_says_why(call, *given, **named):
    """Any error but ours fails the test that called this."""
    with suppress(VentrisError):
        call(*given, **named)


@pytest.mark.parametrize("odd", ODD, ids=lambda odd: type(odd).__name__)
@pytest.mark.filterwarnings("ignore::ventris.ciphers.ShortTextWarning")
def test_nothing_odd_is_a_python_error(odd):
    for kind in ("caesar", "affine", "vigenere", "substitution", "homophonic"):
        answers_or_says_why(vt.encipher, "abc ä", odd, kind=kind)
        answers_or_says_why(decipher_with, "abc ä", odd, kind=kind)
    for name in ("kind", "language", "alphabet", "random_state"):
        answers_or_says_why(vt.encipher, "abc", 3, **({"kind": "caesar"} | {name: odd}))
    for name in ("kind", "language", "random_state"):
        answers_or_says_why(vt.decipher, "abc", **({"kind": "caesar", "language": "en"} | {name: odd}))
    for kind in ("auto", "caesar", "homophonic"):
        answers_or_says_why(vt.decipher, odd, "en", kind)
    for name in ("text", "key", "alphabet", "random_state"):
        given = {"text": "a", "key": {"1": "a"}, "alphabet": "ab"} | {name: odd}
        answers_or_says_why(encipher_homophonic, **given)
    answers_or_says_why(decipher_homophonic, odd, {"1": "a"})
    answers_or_says_why(decipher_homophonic, "1", odd)
