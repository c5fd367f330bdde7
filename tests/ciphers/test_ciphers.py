"""Ciphers with their keys: identities for every alphabet and text, and keys that are refused."""

from __future__ import annotations

import unicodedata
from math import gcd

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ventris.ciphers import decipher_homophonic, decipher_with, encipher, encipher_homophonic
from ventris.ciphers.cipher import LetterCipher
from ventris.ciphers.registry import cipher_of, ciphers
from ventris.ciphers.signs import Signs
from ventris.ciphers.spelling import alphabet_of
from ventris.datasets.letters import available_languages
from ventris.errors import DataError, ParameterError

# Marks that melt into letters, next to them or past one another.
MARKS = "\u0300\u0301\u0303\u0306\u0308\u030a\u030c\u0323\u0327\u0345"
LETTER_KINDS = [cipher.kind for cipher in ciphers() if isinstance(cipher, LetterCipher)]
LANGUAGES = st.sampled_from(available_languages())


def keys(kind: str, alphabet: str) -> st.SearchStrategy:
    size = len(alphabet)
    multipliers = [a for a in range(1, size) if gcd(a, size) == 1]
    return {
        "caesar": st.integers(-100, 100),
        "affine": st.tuples(st.sampled_from(multipliers), st.integers(0, size)),
        "vigenere": st.text(alphabet, min_size=1, max_size=12),
        "substitution": st.permutations(alphabet).map("".join),
        "quagmire": st.tuples(st.text(alphabet, max_size=9), st.text(alphabet, min_size=1, max_size=8)),
        "columnar": st.integers(2, 9).flatmap(lambda n: st.permutations(range(1, n + 1))).map(tuple),
    }[kind]


@pytest.mark.parametrize("kind", LETTER_KINDS)
@given(data=st.data(), language=LANGUAGES)
def test_deciphering_undoes_enciphering(kind, data, language):
    alphabet = alphabet_of(language)
    text = data.draw(st.text() | st.text(alphabet + alphabet.upper() + MARKS + " .,\n7é"))
    key = data.draw(keys(kind, alphabet))
    cipher = encipher(text, key, kind=kind, language=language)
    # Unicode's composed form is the text; every character keeps its place.
    assert decipher_with(cipher, key, kind=kind, language=language) == unicodedata.normalize("NFC", text)
    assert len(cipher) == len(unicodedata.normalize("NFC", text))


def test_a_letter_with_a_mark_is_not_turned_into_one_that_melts_with_it():
    assert encipher("q\u0308 a", 4, kind="caesar", language="de") == "q\u0308 e"  # u + mark would be ü


@pytest.mark.parametrize("kind", LETTER_KINDS)
@given(data=st.data())
def test_a_shown_key_is_the_key(kind, data):
    cipher, key = cipher_of(kind), data.draw(keys(kind, alphabet_of("en")))
    assert cipher.parse(cipher.show(key)) == key


def test_published_examples():
    assert encipher("THE QUICK BROWN FOX", 23, kind="caesar") == "QEB NRFZH YOLTK CLU"
    assert encipher("ATTACKATDAWN", "LEMON", kind="vigenere") == "LXFOPVEFRNHR"
    assert encipher("AFFINECIPHER", (5, 8), kind="affine") == "IHHWVCSWFRCP"


@pytest.mark.parametrize(
    ("kind", "key", "reason"),
    [
        ("caesar", "three", "whole number"),
        ("affine", (13, 1), "13 shares the factor 13"),
        ("affine", (3,), "two whole numbers"),
        ("vigenere", "", "it is empty"),
        ("vigenere", "señor", "it holds 'ñ'"),
        ("substitution", "abc", "it has 3 letters"),
        ("substitution", "aacdefghijklmnopqrstuvwxyz", "'a' more than once, 'b' never"),
        ("rot13", 1, "kind must be one of"),
    ],
)
def test_bad_keys_are_refused_with_the_reason(kind, key, reason):
    with pytest.raises(ParameterError, match=reason):
        encipher("text", key, kind=kind)


@given(st.text(alphabet_of("en")), st.integers(1, 4), st.integers(0, 2**32))
def test_homophones_are_read_back(text, n_each, seed):
    key = {f"{letter}{i}": letter for letter in alphabet_of("en") for i in range(n_each)}
    cipher = encipher_homophonic(text, key, alphabet=alphabet_of("en"), random_state=seed)
    assert text == "" or decipher_homophonic(cipher, key) == text


def test_homophonic_refusals():
    with pytest.raises(ParameterError, match="it maps some to '!'"):
        encipher_homophonic("a", {"1": "!"}, alphabet="ab")
    with pytest.raises(ParameterError, match="it has none for b"):
        encipher_homophonic("ab", {"1": "a"}, alphabet="ab")
    with pytest.raises(DataError, match="it is empty"):
        Signs.of("  ")


def test_tokens_are_numbers_or_characters():
    assert Signs.of("12 7 12").tokens == ("12", "7", "12")
    assert Signs.of("△□ △").tokens == ("△", "□", "△")
