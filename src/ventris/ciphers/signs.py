"""A ciphertext cut into signs: single characters, tokens between white space, or the rows of a grid.

Letters, digits and any other sign are on one footing. What stood between them, lines above all, is kept, so
that the plaintext can be set as the ciphertext was. How a text was cut is said, and a doubt is a warning.
"""

from __future__ import annotations

import unicodedata
import warnings
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ventris.ciphers.spelling import Spelling, alphabet_of
from ventris.errors import AmbiguousUnitsWarning, DataError, DataTypeError, ParameterError

LETTERS, SIGNS, TOKENS, GRID = UNITS = ("letters", "signs", "tokens", "grid")
LISTED = "listed"  # units of a text that came as a list
UNKNOWN = -1  # code of a sign that nobody can read
# Shares of characters, all of them unmeasured. A text is one of signs if fewer of its characters are letters
# than the first; if more kinds are in use than any alphabet has; or if more signs than the third stand inside
# words, where hyphens and apostrophes are few. Above the fourth it is of letters, but in doubt.
FEW_LETTERS, MANY_KINDS, INSIDE, SOME_INSIDE = 0.5, 40, 0.12, 0.04
NUMBERS = 0.5  # unmeasured: share of words that are numbers, or signs of one length that recur, in tokens
LONGEST = 4  # unmeasured: characters of a token that is no number
_IN_WORDS = "'’ʼ-‐‑–—."  # what stands inside words of a plain text too


@dataclass(frozen=True)
class Cut:
    """How a text was cut, and what speaks against it.

    Attributes
    ----------
    units : str
        One of UNITS.
    doubt : str
        What else it might be; empty if it is clear.
    """

    units: str
    doubt: str = ""


@dataclass(frozen=True)
class Signs:
    """A ciphertext as signs.

    Attributes
    ----------
    tokens : tuple of str
        The signs in their order.
    symbols : tuple of str
        Kinds of signs, sorted; unknown ones are none.
    codes : int array of shape (N,)
        Number of each token among the kinds, or UNKNOWN.
    between : tuple of str
        What stands before each token: nothing, line ends, or the space between words.
    units : str
        How the text was cut; "listed" if it came so.
    after : str
        What stands after the last token, in a text of letters.
    """

    tokens: tuple[str, ...]
    symbols: tuple[str, ...]
    codes: NDArray[np.int64]
    between: tuple[str, ...]
    units: str
    after: str = ""

    @classmethod
    def of(
        cls,
        text: str | Sequence[Any],
        units: str | None = None,
        *,
        unknown: str = "",
        nulls: Iterable[str] = (),
    ) -> Signs:
        """Cut a text; a list of signs is cut already.

        Parameters
        ----------
        text : str or sequence of str or int
        units : str, optional
            One of "letters", "signs", "tokens" and "grid"; found by default. Letters are small.
        unknown : str
            A sign that stands for one that nobody can read.
        nulls : iterable of str
            Signs that stand for nothing, and are left out.

        Examples
        --------
        >>> signs = Signs.of("a%/a\\n/%b%")
        >>> len(signs.tokens), signs.symbols, signs.set("THATHATS")
        (8, ('%', '/', 'a', 'b'), 'THAT\\nHATS')
        """
        after = ""
        if isinstance(text, str):
            units = units or cut_of(text).units
            by_words = units == TOKENS or (units == GRID and _is_spaced_grid(text))
            pairs = list(_letters(text) if units == LETTERS else _pieces(text, by_words=by_words))
            if units == LETTERS and pairs:
                after = pairs.pop()[0].rstrip()
        else:
            units, pairs = LISTED, [("", str(token)) for token in checked_symbols(text)]
        left_out = {str(null) for null in nulls}
        pairs = [(between, token) for between, token in _without(pairs, left_out)]
        if not pairs:
            raise DataError(
                "the ciphertext must hold symbols", "it is empty", "Pass a text or a list of tokens"
            )
        between, tokens = zip(*pairs, strict=True)
        symbols = sorted(set(tokens) - {unknown})
        number = {symbol: i for i, symbol in enumerate(symbols)}
        codes = np.array([number.get(token, UNKNOWN) for token in tokens], dtype=np.int64)
        first = between[0] if units == LETTERS else ""
        return cls(tokens, tuple(symbols), codes, (first, *between[1:]), units, after)

    def head(self, n: int) -> Signs:
        """The first n signs, their kinds those of all; itself if there are no more."""
        if len(self.tokens) <= n:
            return self
        return replace(self, tokens=self.tokens[:n], codes=self.codes[:n], between=self.between[:n])

    @property
    def known(self) -> NDArray[np.int64]:
        """Codes of the signs that can be read."""
        return self.codes[self.codes != UNKNOWN]

    def set(self, letters: Iterable[str]) -> str:
        """Letters of the signs that can be read, where those stood; unknown ones stay."""
        fresh = iter(letters)
        held = (
            before + (token if code == UNKNOWN else next(fresh))
            for before, token, code in zip(self.between, self.tokens, self.codes, strict=True)
        )
        return "".join(held) + self.after

    def in_words(self) -> str:
        """How many signs, how many kinds, and how they were cut."""
        n_rows = 1 + sum(before.count("\n") for before in self.between)
        n_unknown = int(np.sum(self.codes == UNKNOWN))
        how = {
            LETTERS: "letters",
            SIGNS: "one a character",
            TOKENS: "each between white space",
            GRID: "in a grid",
            LISTED: "as listed",
        }[self.units]
        rows = f", {n_rows} lines" if n_rows > 1 else ""
        if self.units == GRID:
            rows = f" of {n_rows} rows"
        gone = f", {n_unknown} of them unknown" if n_unknown else ""
        return f"{len(self.tokens)} signs of {len(self.symbols)} kinds, {how}{rows}{gone}"


def checked_symbols(tokens: object) -> Sequence[Any] | NDArray:
    """The tokens of a ciphertext, if they are such."""
    if isinstance(tokens, bytes | bytearray) or not isinstance(tokens, Sequence | np.ndarray):
        got = f"it is a {type(tokens).__name__}"
        raise DataTypeError("the text must be a str or a list of symbols", got, "Pass one of these")
    if not all(isinstance(token, str | int | np.integer) for token in tokens):
        strange = next(token for token in tokens if not isinstance(token, str | int | np.integer))
        raise DataTypeError("symbols must be strings or whole numbers", f"one is {strange!r}", "Convert them")
    return tokens


def checked_units(units: object) -> str | None:
    """One of UNITS, or None to find out."""
    if units == "auto" or units is None:
        return None
    if units not in UNITS:
        raise ParameterError(
            f"units must be 'auto' or one of {', '.join(UNITS)}", f"it is {units!r}", "Choose one"
        )
    return str(units)


def warn_of_units(cut: Cut) -> None:
    """Say that a text may be cut in another way."""
    warnings.warn(AmbiguousUnitsWarning(f"The text was read as {cut.units}, but {cut.doubt}"), stacklevel=5)


# ------------------------------------------------------------------------------------------- how to cut
def cut_of(text: str) -> Cut:
    """How a text is to be cut, if nobody says.

    Examples
    --------
    >>> [cut_of(text).units for text in ("Call me Ishmael.", "17 4 93 17", "9%P/Z/UB%kOR=pX=B")]
    ['letters', 'tokens', 'signs']
    """
    words, visible = text.split(), _characters(text)
    if not visible:
        return Cut(LETTERS)
    if len(words) > 1 and (tokens := _cut_into_tokens(text, words)):
        return tokens
    letters = sum(char.isalpha() for char in visible)
    rows = GRID if _is_grid(text) else SIGNS
    if letters < FEW_LETTERS * len(visible):
        readable = letters > 0 or any(
            char.isdigit() or unicodedata.category(char)[0] == "S" for char in visible
        )
        return Cut(rows) if readable else Cut(LETTERS)
    spelling = Spelling.of(text, alphabet_of("en"))
    if not spelling.has_words() and len(set(visible)) > MANY_KINDS:
        return Cut(rows)
    inside = _share_inside(words)
    if inside > INSIDE:
        return Cut(rows, "" if inside > 2 * INSIDE else "it may be letters with punctuation ('letters')")
    if inside > SOME_INSIDE:
        odd = "".join(sorted({char for word in words for char in _inner(word) if not char.isalpha()}))
        return Cut(LETTERS, f"{odd!r} stand inside words and may be signs like the letters ('signs')")
    if _mixes_case(words):
        return Cut(LETTERS, "capitals stand inside words and may be other signs than small letters ('signs')")
    return Cut(LETTERS)


def _cut_into_tokens(text: str, words: list[str]) -> Cut | None:
    """Tokens: numbers, or signs of one length, not too long, that recur."""
    units = GRID if _is_grid(text) else TOKENS
    if sum(word.isdigit() for word in words) > NUMBERS * len(words):
        return Cut(units)
    lengths, kinds = Counter(map(len, words)), len(set(words))
    length, n_such = lengths.most_common(1)[0]
    if n_such < len(words) or length > LONGEST or kinds > NUMBERS * len(words):
        return None
    if length == 1 or any(char.isdigit() for word in words for char in word):
        return Cut(units)
    return Cut(units, f"they may be groups of {length} letters ('letters', 'signs')")


def _is_grid(text: str) -> bool:
    """Rows of one width, the last perhaps shorter: in characters, or in tokens between white space."""
    rows = [row.split() for row in text.splitlines() if row.strip()]
    if len(rows) < 2:
        return False
    spaced = any(len(row) > 1 for row in rows)
    widths = [len(row) if spaced else len(row[0]) for row in rows]
    return len(set(widths[:-1])) == 1 and 1 < widths[0] >= widths[-1] and len(widths) > 2


def _is_spaced_grid(text: str) -> bool:
    return any(len(row.split()) > 1 for row in text.splitlines())


def _share_inside(words: list[str]) -> float:
    """Share of characters inside words that are neither letters nor what plain text has there."""
    inner = [char for word in words for char in _inner(word)]
    return sum(not char.isalpha() and char not in _IN_WORDS for char in inner) / max(1, len(inner))


def _inner(word: str) -> str:
    """A word without the punctuation at its ends; nothing of a word without letters."""
    places = [i for i, char in enumerate(word) if unicodedata.category(char)[0] != "P"]
    return word[places[0] : places[-1] + 1] if any(char.isalpha() for char in word) else ""


def _mixes_case(words: list[str]) -> bool:
    """Whether capitals follow small letters inside words more than now and then."""
    pairs = [pair for word in words for pair in pairwise(word)]
    return sum(a.islower() and b.isupper() for a, b in pairs) > INSIDE * max(1, len(pairs))


# --------------------------------------------------------------------------------------------- to cut it
def _characters(text: str) -> list[str]:
    return [char for char in text if not char.isspace() and unicodedata.category(char) != "Cf"]


def _pieces(text: str, *, by_words: bool) -> Iterable[tuple[str, str]]:
    """Each token after the layout that comes before it.

    Line ends are kept. So is the space between words, where the tokens are characters; marks without width
    go with the character before them.
    """
    text = unicodedata.normalize("NFC", text)
    for number, line in enumerate(text.splitlines()):
        before = "\n" if number else ""
        for word in line.split():
            for token in [word] if by_words else _graphemes(word):
                yield before, token
                before = ""
            before = before if by_words else " "
        if not line.split():
            yield before, ""


def _letters(text: str) -> Iterable[tuple[str, str]]:
    """Each letter, made small, after whatever stands before it; at the end what stands after the last."""
    held = ""
    for char in unicodedata.normalize("NFC", text):
        if char.isalpha():
            yield held, char.lower()
            held = ""
        else:
            held += char
    yield held, ""


def _graphemes(word: str) -> list[str]:
    """Characters, each with the marks that belong to it."""
    found: list[str] = []
    for char in word:
        kind = unicodedata.category(char)
        if found and kind[0] == "M":
            found[-1] += char
        elif kind != "Cf":  # a mark of the encoding, or of the direction
            found.append(char)
    return found


def _without(pairs: list[tuple[str, str]], left_out: set[str]) -> Iterable[tuple[str, str]]:
    """Pairs whose token is a sign; the layout before others is kept for the next."""
    held = ""
    for between, token in pairs:
        held += between
        if token and token not in left_out:
            yield held, token
            held = ""
