"""Ciphers with their keys: what each does to a letter, and which keys it takes.

A cipher turns letter i at place t into another; all here but the homophonic one do so by a permutation of the
alphabet that depends on t only through the period of the key. Case, digits, punctuation and line breaks stay.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from math import gcd
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ventris.ciphers.arguments import checked_alphabet, checked_text
from ventris.ciphers.homophonic import decipher_homophonic, encipher_homophonic, joined, written_key
from ventris.ciphers.spelling import Spelling
from ventris.errors import ParameterError


class Cipher(Protocol):
    """What every letter cipher offers."""

    kind: str

    def tables(self, key: Any, alphabet: str) -> NDArray[np.int64]:
        """Permutations of the alphabet, shape (period, C); a key that does not fit is refused."""

    def show(self, key: Any, alphabet: str) -> str:
        """The key as a user would type it."""

    def parse(self, text: str) -> Any:
        """The inverse of `show`."""


class Caesar:
    """Letter i becomes letter i + key: ciphertext = plaintext + key, around the alphabet.

    Examples
    --------
    >>> encipher("The quick brown fox", 23, kind="caesar")
    'Qeb nrfzh yoltk clu'
    """

    kind = "caesar"

    def tables(self, key: int, alphabet: str) -> NDArray[np.int64]:
        if not _is_whole(key):
            raise ParameterError("a Caesar key must be a whole number", f"it is {key!r}", "Pass a shift")
        size = len(alphabet)
        return (np.arange(size) + int(key) % size)[None] % size

    def show(self, key: int, alphabet: str) -> str:
        return str(int(key))

    def parse(self, text: str) -> int:
        return int(text)


class Affine:
    """Letter i becomes letter a·i + b; a must have no factor in common with the size of the alphabet.

    Examples
    --------
    >>> decipher_with(encipher("Attack at dawn", (5, 8), kind="affine"), (5, 8), kind="affine")
    'Attack at dawn'
    """

    kind = "affine"

    def tables(self, key: Sequence[int], alphabet: str) -> NDArray[np.int64]:
        size = len(alphabet)
        pair = list(key) if isinstance(key, list | tuple | np.ndarray) else []
        if len(pair) != 2 or not all(map(_is_whole, pair)):
            raise ParameterError("an affine key must be two whole numbers", f"it is {key!r}", "Pass (a, b)")
        a, b = (int(part) % size for part in pair)
        if gcd(a, size) != 1:
            raise ParameterError(
                f"the multiplier of an affine key must be coprime to {size}, the size of the alphabet",
                f"{pair[0]} shares the factor {gcd(a, size)} with it, so that letters would coincide",
                "Choose another multiplier",
            )
        return ((a * np.arange(size) + b) % size)[None]

    def show(self, key: Sequence[int], alphabet: str) -> str:
        return ",".join(str(int(part)) for part in key)

    def parse(self, text: str) -> tuple[int, ...]:
        return tuple(int(part) for part in text.split(","))


class Vigenere:
    """Letter t is shifted by letter t of the key word, over and over.

    Examples
    --------
    >>> encipher("Attack at dawn!", "lemon", kind="vigenere")
    'Lxfopv ef rnhr!'
    """

    kind = "vigenere"

    def tables(self, key: str, alphabet: str) -> NDArray[np.int64]:
        expected = f"a Vigenère key must be a word in the letters {alphabet}"
        word = _spelt(key, expected)
        unknown = sorted({char for char in word if char not in alphabet})
        if not word or unknown:
            got = f"it holds {', '.join(map(repr, unknown))}" if unknown else "it is empty"
            raise ParameterError(expected, got, "Correct the key")
        shifts = np.array([alphabet.index(char) for char in word])
        return (np.arange(len(alphabet)) + shifts[:, None]) % len(alphabet)

    def show(self, key: str, alphabet: str) -> str:
        return key

    def parse(self, text: str) -> str:
        return text


class Substitution:
    """Letter i becomes letter i of the key, which is the alphabet in another order.

    Examples
    --------
    >>> encipher("Flee at once", "zebrascdfghijklmnopqtuvwxy", kind="substitution")
    'Siaa zq lkba'
    """

    kind = "substitution"

    def tables(self, key: str, alphabet: str) -> NDArray[np.int64]:
        expected = f"a substitution key must hold each of the {len(alphabet)} letters {alphabet} once"
        key = _spelt(key, expected)
        repeated = sorted({char for char in key if key.count(char) > 1})
        missing = [char for char in alphabet if char not in key]
        if len(key) != len(alphabet) or repeated or missing:
            got = f"it has {len(key)} letters"
            got += f", {', '.join(map(repr, repeated))} more than once" if repeated else ""
            got += f", {', '.join(map(repr, missing))} never" if missing else ""
            raise ParameterError(expected, got, "Correct the key")
        return np.array([[alphabet.index(char) for char in key]])

    def show(self, key: str, alphabet: str) -> str:
        return key

    def parse(self, text: str) -> str:
        return text


def _is_whole(number: object) -> bool:
    return isinstance(number, int | np.integer) and not isinstance(number, bool)


def _spelt(key: object, expected: str) -> str:
    """A key word in small composed letters."""
    if not isinstance(key, str):
        raise ParameterError(expected, f"it is {key!r}", "Pass a str")
    return unicodedata.normalize("NFC", key).lower()


LETTER_CIPHERS: Mapping[str, Cipher] = {c.kind: c for c in (Caesar(), Affine(), Vigenere(), Substitution())}
KINDS = (*LETTER_CIPHERS, "homophonic")


def letter_cipher(kind: str) -> Cipher:
    """The cipher of a name."""
    if not isinstance(kind, str) or kind not in LETTER_CIPHERS:
        raise ParameterError(f"kind must be one of {', '.join(KINDS)}", f"it is {kind!r}", "Choose one")
    return LETTER_CIPHERS[kind]


def encipher(
    text: str,
    key: Any,
    *,
    kind: str,
    language: str = "en",
    alphabet: str | None = None,
    random_state: int | np.random.Generator | None = 0,
) -> str:
    """Encipher a text; what is not a letter of the alphabet stays as it is, or is left out by "homophonic".

    Parameters
    ----------
    text : str
    key : int, (int, int), str or dict
        A shift for "caesar", (a, b) for "affine", a word for "vigenere", an alphabet for "substitution", and
        for "homophonic" a dict from letter to the list of its symbols, or from symbol to letter.
    kind : {"caesar", "affine", "vigenere", "substitution", "homophonic"}
    language : str, default "en"
    alphabet : str or None, default None
        The letters in their order, if not those of the language: A to Z for German, say.
    random_state : int, Generator or None, default 0
        Which of its symbols a letter gets, for "homophonic".

    Returns
    -------
    str
        Symbols of several characters have spaces between them.

    Examples
    --------
    >>> encipher("Zähne", 1, kind="caesar", language="de", alphabet="abcdefghijklmnopqrstuvwxyz")
    'Aäiof'
    >>> encipher("Abba", {"a": ["17", "04"], "b": ["93"]}, kind="homophonic")
    '04 93 93 04'
    """
    letters = checked_alphabet(language, alphabet)
    if isinstance(kind, str) and kind == "homophonic":
        symbols = written_key(key, letters)
        tokens = encipher_homophonic(checked_text(text), symbols, alphabet=letters, random_state=random_state)
        return joined(tokens, symbols)
    spelling = Spelling.of(checked_text(text), letters)
    tables = letter_cipher(kind).tables(key, letters)  # (period, C)
    row = np.arange(len(spelling.letters)) % len(tables)
    return spelling.rewritten(tables[row, spelling.letters])


def decipher_with(
    text: str, key: Any, *, kind: str, language: str = "en", alphabet: str | None = None
) -> str:
    """Decipher a text whose key is known: the inverse of `encipher`, with the same parameters."""
    letters = checked_alphabet(language, alphabet)
    if isinstance(kind, str) and kind == "homophonic":
        return decipher_homophonic(checked_text(text), written_key(key, letters))
    spelling = Spelling.of(checked_text(text), letters)
    inverse = np.argsort(letter_cipher(kind).tables(key, letters), axis=1)
    row = np.arange(len(spelling.letters)) % len(inverse)
    return spelling.rewritten(inverse[row, spelling.letters])
