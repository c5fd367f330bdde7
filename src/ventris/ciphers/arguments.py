"""What a person may pass: text and alphabet, each checked once, with a sentence for every mistake."""

from __future__ import annotations

import unicodedata

from ventris.ciphers.own_language import own_language
from ventris.ciphers.spelling import alphabet_of, capital
from ventris.datasets.letters import available_languages
from ventris.errors import DataTypeError, ParameterError


def checked_text(text: object) -> str:
    """The text, if it is one."""
    if not isinstance(text, str):
        remedy = "Decode it first" if isinstance(text, bytes | bytearray) else "Pass a str"
        raise DataTypeError("the text must be a str", f"it is a {type(text).__name__}", remedy)
    return text


def checked_language(language: object) -> str:
    """The code of a language whose statistics are shipped, or that was learnt in this process."""
    if isinstance(language, str) and own_language(language) is not None:
        return language
    if not isinstance(language, str) or language not in available_languages():
        codes = ", ".join(available_languages())
        raise ParameterError(f"language must be one of {codes}", f"it is {language!r}", "Choose one")
    return language


def checked_alphabet(language: object, alphabet: object = None) -> str:
    """The letters a cipher runs over: those given, or those of the language.

    Examples
    --------
    >>> checked_alphabet("en", "ABC")
    'abc'
    """
    if alphabet is None:
        return alphabet_of(checked_language(language))
    letters = alphabet.lower() if isinstance(alphabet, str) else ""
    if len(letters) < 2 or len(set(letters)) < len(letters) or not _is_stable(letters):
        raise ParameterError(
            "alphabet must be a str of two or more letters, each once and each with one capital or none",
            f"it is {alphabet!r}",
            "Correct it, or leave it out to use the language's",
        )
    return letters


def _is_stable(letters: str) -> bool:
    """Whether capitals lead back to the letters, and no two of them melt into one."""
    return all(capital(letter).lower() == letter for letter in letters) and all(
        unicodedata.is_normalized("NFC", first + second) and unicodedata.category(second)[0] != "M"
        for first in letters
        for second in letters
    )
