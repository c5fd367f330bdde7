"""A text taken apart into letters and the rest, so that it can be put together around new letters."""

from __future__ import annotations

import unicodedata
from collections import Counter
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from ventris.deciphering.key_score import BREAK, SPACE
from ventris.errors import DataError

_CAPITALS = {"ß": "ẞ"}  # str.upper() makes two letters of it, which no cipher could take back
_OWN_LETTERS = {"de": "äöüß", "es": "ñ", "ru": "ё"}
# Unmeasured: share of letters of another script beyond which a text mixes alphabets, and how many are too few
# to say so.
MIXED_SHARE, MIXED_LETTERS = 0.05, 3
_WORD_LENGTHS = (1.5, 12.0)  # unmeasured: mean letters of a word, punctuation included, in any language
# Unmeasured: share of words of one length from which on they are groups, where there are so many words.
_GROUPED_SHARE, _GROUPED_WORDS = 0.8, 4


def capital(letter: str) -> str:
    """The capital of a letter, one letter long where there is one."""
    return _CAPITALS.get(letter, letter.upper())


@cache
def alphabet_of(language: str) -> str:
    """Letters of a language, in order.

    Examples
    --------
    >>> alphabet_of("es")
    'abcdefghijklmnopqrstuvwxyzñ'
    """
    from ventris.ciphers.own_language import own_language
    from ventris.datasets.letters import load_counts

    own = own_language(language)
    return own.alphabet if own is not None else load_counts(language, order=1, space=False).alphabet


def alphabets_of(language: str) -> tuple[str, ...]:
    """The alphabets a cipher in this language may run over: its own, and the one without its own letters.

    German is often enciphered in A to Z, with ae for ä or the ä left standing; Russian without ё.

    Examples
    --------
    >>> [len(alphabet) for alphabet in alphabets_of("de")]
    [30, 26]
    """
    whole = alphabet_of(language)
    plain = "".join(letter for letter in whole if letter not in _OWN_LETTERS.get(language, ""))
    return (whole,) if plain == whole else (whole, plain)


@dataclass(frozen=True)
class Spelling:
    """A text in Unicode's composed form and the places of its letters.

    Attributes
    ----------
    text : str
    alphabet : str
    places : int array of shape (N,)
        Where in `text` the letters of the alphabet stand.
    letters : int array of shape (N,)
        Their numbers in the alphabet, in either case.
    n_unknown : int
        Letters of other alphabets, or with marks this one does not have; they are passed through. A letter
        with a combining mark is one: another letter in its place might melt into one with the mark.

    Examples
    --------
    >>> spelling = Spelling.of("Hello, World!", alphabet_of("en"))
    >>> spelling.rewritten((spelling.letters + 1) % 26)
    'Ifmmp, Xpsme!'
    """

    text: str
    alphabet: str
    places: NDArray[np.int64]
    letters: NDArray[np.int64]
    n_unknown: int

    @classmethod
    def of(cls, text: str, alphabet: str) -> Spelling:
        text = unicodedata.normalize("NFC", text)
        number = {letter: i for i, letter in enumerate(alphabet)}
        found = [
            (place, number[char.lower()])
            for place, char in enumerate(text)
            if char.lower() in number and not _is_mark(text[place + 1 : place + 2])
        ]
        places, letters = np.array(found, dtype=np.int64).reshape(-1, 2).T
        n_unknown = sum(char.isalpha() for char in text) - len(found)
        return cls(text, alphabet, places, letters, n_unknown)

    def rewritten(self, letters: NDArray) -> str:
        """The text with other letters in the same places, capitals where there were capitals."""
        chars = list(self.text)
        for place, letter in zip(self.places, letters, strict=True):
            new = self.alphabet[letter]
            chars[place] = capital(new) if chars[place].isupper() else new
        return "".join(chars)

    def layout(self, *, space: bool) -> NDArray[np.int64]:
        """The text as a row of symbols: the number of each letter in `letters`, SPACE or BREAK.

        A run of other characters is one SPACE, or nothing without `space`; a run with an unknown letter is a
        BREAK. With `space` the row begins with one, because messages begin with a word.
        """
        row, last = ([SPACE] if space else []), -1
        for i, place in enumerate(self.places):
            between = self.text[last + 1 : place]
            if any(char.isalpha() for char in between):
                row.append(BREAK)
            elif between and space and row and row[-1] != SPACE:
                row.append(SPACE)
            row.append(i)
            last = place
        if space and last + 1 < len(self.text) and row and row[-1] >= 0:
            row.append(SPACE)
        return np.array(row, dtype=np.int64)

    def has_words(self) -> bool:
        """Whether spaces stand between words, and not between groups of equal length or nowhere."""
        words = [len(word) for word in self.text.split()]
        if len(words) < 2 or not _WORD_LENGTHS[0] <= np.mean(words) <= _WORD_LENGTHS[1]:
            return False
        of_one_length = Counter(words[:-1]).most_common(1)[0][1]
        return len(words) < _GROUPED_WORDS or of_one_length < _GROUPED_SHARE * (len(words) - 1)


def check_letters(spelling: Spelling, language: str) -> None:
    """Refuse a text without letters of the alphabet, or with more than a few of another script."""
    n_letters = len(spelling.letters)
    if n_letters == 0 and spelling.n_unknown:
        raise DataError(
            f"the text must be written in the alphabet of {language!r} ({spelling.alphabet})",
            f"none of its {spelling.n_unknown} letters is ({_listed(spelling.text)})",
            "Choose another language, or language='auto'",
        )
    if n_letters == 0:
        raise DataError("the text must hold letters", "there are none", "Pass a text with letters")
    n_foreign = sum(
        count for script, count in _scripts(spelling.text) if script != _script(spelling.alphabet)
    )
    few = n_foreign < MIXED_LETTERS or n_foreign <= MIXED_SHARE * (n_letters + spelling.n_unknown)
    if spelling.n_unknown > n_letters or not few:
        raise DataError(
            f"the text must be written in one alphabet, that of {language!r} ({spelling.alphabet})",
            f"it mixes alphabets: {spelling.n_unknown} letters are of others ({_listed(spelling.text)})",
            "Split the text by script, or choose another language",
        )


def _is_mark(char: str) -> bool:
    return bool(char) and unicodedata.category(char)[0] == "M"


def _scripts(text: str) -> list[tuple[str, int]]:
    """Scripts of the letters and how many there are of each, most first; ª counts as Latin, ʼ as nothing."""
    letters = (char for char in text if unicodedata.category(char) in ("Lu", "Ll", "Lt", "Lo"))
    return Counter(_script(unicodedata.normalize("NFKC", char)) for char in letters).most_common()


def _script(letters: str) -> str:
    """Script of the first letter, as Unicode's names begin with it."""
    return unicodedata.name(letters[0], "UNKNOWN").split()[0].capitalize()


def _listed(text: str) -> str:
    return ", ".join(f"{name} {count}" for name, count in _scripts(text)[:3])
