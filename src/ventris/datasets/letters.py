"""Letter statistics shipped with Ventris: integer n-gram counts of ten languages, never their texts.

A file `letter_counts/<language>.npz` is a zip of plain arrays, one member per order, so that reading order 3
decompresses no more than order 3:

* `space_k`, `plain_k`: the k-grams seen, with and without the space, as byte planes: first the
  differences between consecutive codes, then the counts, each in as few bytes as they need. A code is the
  n-gram read as a number in base C, the oldest symbol first.
* `space_pairs`, `plain_pairs`: counts of two symbols `lag` apart, shape (8, C, C).
* `metadata`: JSON as bytes: alphabet, sources, totals, pruning.
"""

from __future__ import annotations

import json
import unicodedata
import zipfile
import zlib
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from ventris.errors import FileFormatError, ParameterError

MAX_ORDER = 5
N_LAGS = 8
BREAK = "\x00"  # stands where a run in another script was dropped: no n-gram crosses it

_FOLDER = Path(__file__).parent / "letter_counts"
_BOOKS = Path(__file__).parent / "book_counts"  # more text, without spaces, for languages that have some
_DAMAGE = (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error)
_SPELT = {
    "œ": "oe",
    "æ": "ae",
    "ß": "ss",
    "ø": "o",
    "ς": "σ",
    "ł": "l",
    "đ": "d",
    "ð": "d",
    "þ": "th",
    "ı": "i",
}


class LetterCounts:
    """Counts of the letter n-grams of one language.

    Parameters
    ----------
    path : pathlib.Path
        The file of the language.
    order : int
        Highest order that may be asked for.
    space : bool
        Whether the space is a symbol; it is then the last one.
    added : LetterCounts, optional
        Counts of more text, which are added.

    Examples
    --------
    >>> counts = load_counts("en", order=2)
    >>> codes, n = counts.counts(1)
    >>> counts.alphabet[codes[n.argmax()]]
    ' '
    """

    def __init__(self, path: Path, *, order: int, space: bool, added: LetterCounts | None = None) -> None:
        self.order, self.space, self._path, self._added = order, space, path, added
        self._prefix = "space" if space else "plain"
        metadata = json.loads(self._member("metadata").tobytes())
        self.alphabet: str = metadata["alphabet"] + " " * space
        self.language: str = metadata["language"]
        self.sources: list[dict[str, Any]] = metadata["sources"] + (added.sources if added else [])
        self.metadata: dict[str, Any] = metadata

    @property
    def total(self) -> int:
        """Number of symbols counted."""
        return int(self.metadata["totals"][self._prefix]) + (self._added.total if self._added else 0)

    def counts(self, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Codes (sorted) and counts of the k-grams seen, both int64 of shape (n_kgrams,).

        Rare k-grams of orders 4 and 5 were pruned: `metadata["pruning"]` says from which count on, and how
        much mass they held.
        """
        if not 1 <= k <= self.order:
            raise ParameterError(f"k must be between 1 and {self.order}", f"it is {k}", "Load a higher order")
        planes = self._member(f"{self._prefix}_{k}")
        width = self.metadata["widths"][f"{self._prefix}_{k}"]
        codes, counts = np.cumsum(from_planes(planes[:width])), from_planes(planes[width:])
        if self._added is None:
            return codes, counts
        more, counts_of_more = self._added.counts(k)
        both, place = np.unique(np.concatenate([codes, more]), return_inverse=True)
        sums = np.bincount(place, weights=np.concatenate([counts, counts_of_more]))
        return both, sums.astype(np.int64)

    def pairs(self, lag: int) -> np.ndarray:
        """Counts of symbol i and, `lag` places later, symbol j: shape (C, C), int64."""
        if not 1 <= lag <= N_LAGS:
            raise ParameterError(
                f"lag must be between 1 and {N_LAGS}", f"it is {lag}", "Choose a shorter lag"
            )
        return self._member(f"{self._prefix}_pairs")[lag - 1].astype(np.int64)

    def _member(self, name: str) -> np.ndarray:
        try:
            with self._path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
                return np.asarray(archive[name])
        except _DAMAGE as error:
            raise FileFormatError(
                f"{self._path.name} must be a file of letter counts with a member {name!r}",
                f"it is damaged or cut short ({error})",
                "Reinstall Ventris, or rebuild it with tools/build_letter_statistics.py",
            ) from error


def load_counts(language: str, *, order: int, space: bool = True, books: bool = False) -> LetterCounts:
    """Letter n-gram counts of a language.

    Parameters
    ----------
    language : str
        ISO 639-1 code, one of `available_languages()`.
    order : int
        Highest order wanted, 1 to 5.
    space : bool
        Whether the space counts as a symbol.
    books : bool
        Whether to add the n-grams of books, where a language has them and spaces do not count.

    Returns
    -------
    LetterCounts

    Examples
    --------
    >>> load_counts("de", order=3, space=False).alphabet
    'abcdefghijklmnopqrstuvwxyzäöüß'
    """
    if language not in available_languages():
        codes = ", ".join(available_languages())
        raise ParameterError(
            f"language must be one of {codes}", f"it is {language!r}", "Choose one of these codes"
        )
    if not 1 <= order <= MAX_ORDER:
        raise ParameterError(
            f"order must be between 1 and {MAX_ORDER}", f"it is {order}", "Choose an order in that range"
        )
    more, path = None, _BOOKS / f"{language}.npz"
    if books and not space and path.exists():
        more = LetterCounts(path, order=order, space=False)
    return LetterCounts(_FOLDER / f"{language}.npz", order=order, space=space, added=more)


@cache
def available_languages() -> tuple[str, ...]:
    """Codes of the languages whose statistics are shipped.

    Examples
    --------
    >>> "en" in available_languages()
    True
    """
    return tuple(sorted(path.stem for path in _FOLDER.glob("*.npz")))


def to_planes(values: np.ndarray) -> np.ndarray:
    """Byte planes of non-negative integers, lowest byte first: shape (n_bytes, n).

    Planes of high bytes are nearly all zero, so they compress to almost nothing.

    Examples
    --------
    >>> to_planes(np.array([1, 258]))
    array([[1, 2],
           [0, 1]], dtype=uint8)
    """
    planes = np.ascontiguousarray(values, dtype="<u8").view(np.uint8).reshape(-1, 8).T
    needed = max(1, int(np.max(np.flatnonzero(planes.any(axis=1)), initial=0)) + 1)
    return np.ascontiguousarray(planes[:needed])


def from_planes(planes: np.ndarray) -> np.ndarray:
    """Integers of byte planes: the inverse of `to_planes`, int64.

    Examples
    --------
    >>> from_planes(to_planes(np.array([1, 258])))
    array([  1, 258])
    """
    values = np.zeros(planes.shape[1], dtype=np.int64)
    for plane in planes[::-1]:
        values = (values << 8) | plane
    return values


def fold_text(text: str, alphabet: str) -> str:
    """Text in lower-case letters of the alphabet, single spaces and breaks.

    Marks on letters that the alphabet does not know are dropped (é → e, but ñ stays ñ in Spanish), ligatures
    are spelt out, whatever is no letter is a space, and a run in another script is a break, which no n-gram
    crosses.

    Examples
    --------
    >>> fold_text("L'été, señor — Ω!", "abcdefghijklmnopqrstuvwxyz").strip(BREAK)
    'l ete senor'
    """
    text = unicodedata.normalize("NFC", text).lower()
    text = text.translate({ord(char): _folded(char, alphabet) for char in set(text)})
    pieces = (" ".join(piece.split()) for piece in text.split(BREAK))
    return BREAK.join(piece for piece in pieces if piece)


def _folded(char: str, alphabet: str) -> str:
    if char in alphabet:
        return char
    if unicodedata.category(char) in {"Mn", "Cf"}:  # stray accents, soft hyphens
        return ""
    if not char.isalpha():
        return " "
    base = _SPELT.get(char) or "".join(c for c in unicodedata.normalize("NFKD", char) if c.isalpha())
    return base if base and set(base) <= set(alphabet) else BREAK
