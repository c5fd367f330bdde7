"""A text cut into the symbols that noise may have touched, and put together again around what was meant.

Letters are symbols, in either case; so is a single blank. Any other run of characters, a line break or a
comma, stands between words beyond doubt. Markup, addresses and words that are to be kept are beyond doubt as
a whole.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ventris.inference.pair_chains import Symbols
from ventris.spelling.language import Language
from ventris.spelling.signs import DIGITS, unmarked

MARKUP = re.compile(
    r"<[^<>\n]{1,300}>|&#?\w{1,12};|\\[A-Za-z]+\*?|`[^`\n]*`|\b(?:https?|ftp)://\S+|\bwww\.\S+|\S+@\S+\.\w+"
)
_WORD = re.compile(r"[^\W_]+", re.UNICODE)
_MARKS = "\u0300-\u036f"
_PIECE = re.compile(rf"[^\W_][{_MARKS}]*|(?:(?![^\W_]).)+", re.UNICODE | re.DOTALL)
_SENTENCE_END = re.compile(r"(?:^|[.!?:;…\n][\"'”’»)\]*_]*|\n\s*|[\"'“‘«(\[—–*_-])\s*$")


@dataclass(frozen=True, eq=False)
class Cut:
    """A text and its symbols.

    Attributes
    ----------
    text : str
    symbols : Symbols
    starts, ends : int arrays of shape (T,)
        The characters of each symbol.
    fixed : bool array of shape (T,)
        Whether it is beyond doubt.
    n_letters : int
        Letters of the language's alphabet.
    """

    text: str
    symbols: Symbols
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    fixed: NDArray[np.bool_]
    n_letters: int


def cut_text(text: str, language: Language, *, keep: str | None = None, names: bool = True) -> Cut:
    """Cut a text into symbols.

    Parameters
    ----------
    text : str
    language : Language
    keep : str, optional
        A regular expression; words it is found in are left alone.
    names : bool
        Whether words with a capital or a digit that the vocabulary does not have are left alone too.
    """
    number = {letter: i for i, letter in enumerate(language.alphabet)}
    space, n_classes = len(number), len(number) + 1
    size = n_classes + len(DIGITS)
    kept = _kept_spans(text, language, keep, names)
    codes, starts, ends, fixed = [], [], [], []
    n_letters = 0
    place, spans = 0, iter([*kept, (len(text), len(text), True)])
    for begin, end, whole in spans:
        for piece in _PIECE.finditer(text, place, begin):
            code = _code(piece.group(), number, space, size)
            n_letters += code < space or size <= code < size + space
            codes.append(code)
            starts.append(piece.start())
            ends.append(piece.end())
            fixed.append(code >= size)
        if begin < end and whole:
            _append(codes, starts, ends, fixed, size + space, begin, end)
        elif begin < end:
            for piece in _PIECE.finditer(text, begin, end):
                code = _code(piece.group(), number, space, size)
                code = size + (code if code < space else space) if code < size else code
                n_letters += code < size + space
                _append(codes, starts, ends, fixed, code, piece.start(), piece.end())
        place = end
    return _assembled(text, codes, starts, ends, fixed, n_letters, n_classes)


def _append(codes: list, starts: list, ends: list, fixed: list, code: int, begin: int, end: int) -> None:
    codes.append(code)
    starts.append(begin)
    ends.append(end)
    fixed.append(True)


def _code(piece: str, number: dict[str, int], space: int, size: int) -> int:
    """The symbol that a piece of text is: a letter, a digit in a word, a blank, or something beyond doubt."""
    if piece == " ":
        return space
    letter = unicodedata.normalize("NFC", piece).lower()
    if letter in number:
        return number[letter]
    if letter in DIGITS and len(letter) == 1:
        return space + 1 + DIGITS.index(letter)
    plain = unmarked(letter)
    if piece[0].isalpha() and plain in number:
        return number[plain]
    return size + space


def _assembled(
    text: str, codes: list, starts: list, ends: list, fixed: list, n_letters: int, n_classes: int
) -> Cut:
    """Arrays of the symbols; runs of separators are one, and digits outside words separate them."""
    size, space = n_classes + len(DIGITS), n_classes - 1
    code = np.array(codes, np.int64)
    begin, end = np.array(starts, np.int64), np.array(ends, np.int64)
    digit = (code >= n_classes) & (code < size)
    code[digit & ~_in_words(code, digit, space)] = size + space
    divides = (code == space) | (code == size + space)
    follows = divides & np.r_[False, divides[:-1]]
    heads = np.flatnonzero(~follows)
    runs = np.diff(np.r_[heads, len(code)])
    last = heads + runs - 1
    code, begin, end = code[heads], begin[heads], end[last]
    code[(code == space) & (runs > 1)] = size + space
    own = np.r_[np.arange(n_classes), np.full(len(DIGITS), space), np.arange(n_classes)]
    beyond = code >= size
    # A letter may be lost before a comma, but not inside a word that is kept, nor at its beginning.
    may_drop = ~beyond | ((code == size + space) & ~np.r_[True, beyond[:-1]])
    may_add = ~beyond & (code != np.r_[code[1:], -1])
    after = np.r_[False, beyond[:-1]]
    may_drop &= ~(after & (code == space))
    before = np.r_[beyond[1:], True]
    may_add &= ~((code == space) & (after | before))  # a kept word is not joined to another
    return Cut(text, Symbols(code, own, may_drop, may_add), begin, end, beyond, n_letters)


def _in_words(code: NDArray, digit: NDArray, space: int) -> NDArray[np.bool_]:
    """Digits of runs of letters and digits in which letters are at least as many."""
    word = digit | (code < space)
    run = np.cumsum(word & ~np.r_[False, word[:-1]]) * word
    letters = np.bincount(run, code < space, minlength=1)
    digits = np.bincount(run, digit, minlength=1)
    return (letters >= digits)[run] & word


# ---------------------------------------------------------------------------------------------- what is kept


def _kept_spans(text: str, language: Language, keep: str | None, names: bool) -> list[tuple[int, int, bool]]:
    """Stretches beyond doubt, in order: (begin, end, whether it separates words as a whole)."""
    markup = [(found.start(), found.end(), True) for found in MARKUP.finditer(text)]
    spans: list[tuple[int, int, bool]] = []
    pattern = re.compile(keep) if keep else None
    inside = iter([*markup, (len(text) + 1, len(text) + 1, True)])
    current = next(inside)
    for found in _WORD.finditer(text):
        while found.start() >= current[1]:
            spans.append(current)
            current = next(inside)
        if found.end() > current[0]:
            continue
        word = found.group()
        if (pattern is not None and pattern.search(word)) or (names and _is_name(text, found, language)):
            spans.append((found.start(), found.end(), False))
    spans += [current, *inside]
    return [span for span in sorted(spans) if span[0] < len(text)]


def _is_name(text: str, found: re.Match[str], language: Language) -> bool:
    """Whether an unknown word has a capital or a digit; a capital that begins a sentence says nothing."""
    word = found.group()
    if word.isdigit() or not language.vocabulary:
        return False
    if any(char.isdigit() for char in word):
        return True
    if word.lower() == word:
        return False
    if _folded(word, language.alphabet) in language.vocabulary:
        return False
    if word[0].isupper() and (len(word) == 1 or word[1:].islower()):
        return not _SENTENCE_END.search(
            text[max(0, found.start() - 12) : found.start()] if found.start() else ""
        )
    return not _shouted(text, found)


def _shouted(text: str, found: re.Match[str]) -> bool:
    """Whether the whole line is in capitals, so that they say nothing."""
    begin, end = text.rfind("\n", 0, found.start()) + 1, text.find("\n", found.end())
    line = text[begin : end if end >= 0 else len(text)][:400]
    return line.isupper() and len(_WORD.findall(line)) > 1


@lru_cache(maxsize=65536)
def _folded(word: str, alphabet: str) -> str:
    letters = unicodedata.normalize("NFC", word).lower()
    return "".join(letter if letter in alphabet else unmarked(letter) for letter in letters)
