"""What is known of a key before it is found: entries that hold or cannot, words of the text, and nulls."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ventris.ciphers.signs import UNKNOWN, Signs
from ventris.ciphers.symbol_key import symbol_key
from ventris.errors import DataError, ParameterError

Crib = tuple[str, int | None]


@dataclass(frozen=True)
class Known:
    """What the user knows.

    Attributes
    ----------
    fixed : dict
        Sign → its letter.
    excluded : dict
        Sign → letters that it is not.
    cribs : tuple of (word, place or None)
        Words of the plaintext; a place is the number of the sign, from 0, at which a word begins.
    nulls : tuple of str
        Signs that stand for nothing.

    Examples
    --------
    >>> known = Known.of(fixed={"%": "E"}, cribs=["kill", ("like", 1)])
    >>> known.fixed, known.cribs
    ({'%': 'e'}, (('kill', None), ('like', 1)))
    """

    fixed: dict[str, str]
    excluded: dict[str, str]
    cribs: tuple[Crib, ...]
    nulls: tuple[str, ...]

    @classmethod
    def of(cls, fixed: Any = None, excluded: Any = None, cribs: Any = (), nulls: Any = ()) -> Known:
        return cls(
            symbol_key(fixed) if fixed else {},
            _letters_of("excluded", excluded),
            tuple(_crib(each) for each in ([cribs] if isinstance(cribs, str) else cribs)),
            tuple(map(str, nulls)),
        )

    def __bool__(self) -> bool:
        return bool(self.fixed or self.excluded or self.cribs or self.nulls)

    def allowed(self, signs: Signs, alphabet: str) -> NDArray[np.bool_]:
        """Letters that each kind of sign may be, cribs without a place left out: shape (K, C)."""
        number = {symbol: i for i, symbol in enumerate(signs.symbols)}
        allowed = np.ones((len(number), len(alphabet)), dtype=np.bool_)
        for symbol, letters in self.excluded.items():
            if symbol in number:
                allowed[number[symbol], [alphabet.index(x) for x in letters if x in alphabet]] = False
        for symbol, letter in self.fixed.items():
            if symbol in number:
                allowed[number[symbol]] &= _only(letter, alphabet)
        for word, place in self.cribs:
            if place is not None:
                _impose(allowed, signs, word, place, alphabet)
        empty = [symbol for symbol, i in number.items() if not allowed[i].any()]
        if empty:
            raise DataError(
                "what is known must leave every sign a letter",
                f"fixed, excluded and cribs leave none for {empty[0]!r}",
                "Correct one of them",
            )
        return allowed

    @property
    def floating(self) -> tuple[str, ...]:
        """Cribs without a place."""
        return tuple(word for word, place in self.cribs if place is None)


def places_for(word: str, signs: Signs, allowed: NDArray[np.bool_], alphabet: str) -> list[int]:
    """Numbers of the signs at which a word may begin, so that no sign has two letters, or one it is not."""
    letters = np.array([alphabet.find(char) for char in word])
    if (letters < 0).any():
        return []
    found = []
    for place in range(len(signs.codes) - len(word) + 1):
        window = signs.codes[place : place + len(word)]
        known = window != UNKNOWN
        pairs = dict.fromkeys(zip(window[known].tolist(), letters[known].tolist(), strict=True))
        if len({code for code, _ in pairs}) == len(pairs) and all(allowed[pair] for pair in pairs):
            found.append(place)
    return found


def imposed(
    allowed: NDArray[np.bool_], signs: Signs, word: str, place: int, alphabet: str
) -> NDArray[np.bool_]:
    """What is allowed once a word stands at a place."""
    held = allowed.copy()
    _impose(held, signs, word, place, alphabet)
    return held


def _impose(allowed: NDArray[np.bool_], signs: Signs, word: str, place: int, alphabet: str) -> None:
    if not 0 <= place <= len(signs.codes) - len(word):
        raise DataError(
            f"a crib must lie within the {len(signs.codes)} signs",
            f"{word!r} at {place} does not",
            "Count the place from 0",
        )
    for char, code in zip(word, signs.codes[place : place + len(word)], strict=True):
        if code != UNKNOWN:
            allowed[code] &= _only(char, alphabet)


def _only(letter: str, alphabet: str) -> NDArray[np.bool_]:
    if letter not in alphabet:
        raise ParameterError(
            f"letters of cribs and fixed entries must be of {alphabet}", f"one is {letter!r}", "Correct it"
        )
    return np.array([char == letter for char in alphabet])


def _crib(given: Any) -> Crib:
    expected = "a crib must be a word, or a word and the number of the sign at which it begins"
    word, place = given if isinstance(given, tuple | list) and len(given) == 2 else (given, None)
    if not isinstance(word, str) or not (letters := _plain(word)):
        raise ParameterError(expected, f"one is {given!r}", "Pass 'kill' or ('kill', 12)")
    if place is not None and (isinstance(place, bool) or not isinstance(place, int | np.integer)):
        raise ParameterError(expected, f"one is {given!r}", "Pass 'kill' or ('kill', 12)")
    return letters, None if place is None else int(place)


def _plain(word: str) -> str:
    return "".join(char for char in word.lower() if char.isalpha())


def _letters_of(name: str, given: Any) -> dict[str, str]:
    """Sign → letters, from a mapping to strings or to lists of letters."""
    if not given:
        return {}
    if not isinstance(given, Mapping) or not all(
        isinstance(letters, str | Sequence) and all(isinstance(x, str) and x for x in letters)
        for letters in given.values()
    ):
        raise ParameterError(
            f"{name} must be a dict from sign to letters", f"it is {given!r}", "Pass {'%': 'aeo'}"
        )
    return {str(symbol): _joined(letters) for symbol, letters in given.items()}


def _joined(letters: Iterable[str]) -> str:
    return "".join(letters).lower()
