"""Ciphers with their keys: a text enciphered, and deciphered by who knows the key."""

from __future__ import annotations

from typing import Any

import numpy as np

from ventris.ciphers.arguments import checked_alphabet, checked_text
from ventris.ciphers.registry import cipher_of


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
    kind : str
        One of `ventris.ciphers.registry.kinds()`.
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
    return cipher_of(kind).encipher(checked_text(text), key, letters, random_state)


def decipher_with(
    text: str, key: Any, *, kind: str, language: str = "en", alphabet: str | None = None
) -> str:
    """Decipher a text whose key is known: the inverse of `encipher`.

    Parameters
    ----------
    text : str
    key, kind, language, alphabet : as in `encipher`

    Examples
    --------
    >>> decipher_with("LVKTFP", "linear", kind="vigenere")
    'ANXPFY'
    """
    letters = checked_alphabet(language, alphabet)
    return cipher_of(kind).decipher(checked_text(text), key, letters)
