"""Homophonic substitution: many symbols to one letter, and symbols may be any tokens."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ventris.ciphers.arguments import checked_alphabet, checked_generator, checked_text
from ventris.datasets.letters import fold_text
from ventris.errors import DataError, DataTypeError, ParameterError

Key = Mapping[str, str] | Mapping[str, Sequence[str]]  # symbol to letter, or letter to its symbols
_FORM = "a homophonic key must be a dict from symbol to letter, or from letter to the list of its symbols"


@dataclass(frozen=True)
class Tokens:
    """A ciphertext as tokens: words if white space stands between them and they are few, else characters."""

    tokens: tuple[str, ...]
    symbols: tuple[str, ...]
    codes: NDArray[np.int64]

    @classmethod
    def of(cls, text: str | Sequence[str]) -> Tokens:
        if isinstance(text, str):
            text = text.split() if _is_spaced(text) else _characters(text)
        tokens = tuple(map(str, checked_symbols(text)))
        if not tokens:
            raise DataError(
                "the ciphertext must hold symbols", "it is empty", "Pass a text or a list of tokens"
            )
        symbols, codes = np.unique(np.array(tokens), return_inverse=True)
        return cls(tokens, tuple(map(str, symbols)), codes)


def _is_spaced(text: str) -> bool:
    """Tokens such as `17 04 93`: several characters each, and numbers more often than not."""
    words = text.split()
    return len(words) > 1 and sum(any(char.isdigit() for char in word) for word in words) > 0.5 * len(words)


def _characters(text: str) -> list[str]:
    return [char for char in text if not char.isspace()]


def checked_symbols(tokens: object) -> Sequence[Any] | NDArray:
    """The tokens of a ciphertext, if they are such."""
    if isinstance(tokens, bytes | bytearray) or not isinstance(tokens, Sequence | np.ndarray):
        got = f"it is a {type(tokens).__name__}"
        raise DataTypeError("the text must be a str or a list of symbols", got, "Pass one of these")
    if not all(isinstance(token, str | int | np.integer) for token in tokens):
        strange = next(token for token in tokens if not isinstance(token, str | int | np.integer))
        raise DataTypeError("symbols must be strings or whole numbers", f"one is {strange!r}", "Convert them")
    return tokens


def symbol_key(key: Key, alphabet: str | None = None) -> dict[str, str]:
    """A key from symbol to letter, whichever way round it came; one that cannot be read is refused.

    Parameters
    ----------
    key : mapping from symbol to letter, or from letter to the list of its symbols
    alphabet : str or None
        Letters that may occur; None for any.

    Examples
    --------
    >>> symbol_key({"a": ["17", "04"], "b": ["93"]})
    {'17': 'a', '04': 'a', '93': 'b'}
    """
    if not isinstance(key, Mapping):
        raise ParameterError(_FORM, f"it is {key!r}", "Correct the key")
    listed = [isinstance(value, list | tuple) for value in key.values()]
    if any(listed) and not all(listed):
        raise ParameterError(_FORM, "it holds both kinds of entry", "Keep to one of them")
    pairs: list[tuple[Any, Any]] = list(key.items())
    if any(listed):
        pairs = [(symbol, letter) for letter, symbols in key.items() for symbol in symbols]
    _check_pairs(pairs, alphabet)
    return {symbol: letter.lower() for symbol, letter in pairs}


def _check_pairs(pairs: list[tuple[Any, Any]], alphabet: str | None) -> None:
    """Refuse symbols that are none or stand for several letters, and letters that are not of the alphabet."""
    odd = [symbol for symbol, _ in pairs if not isinstance(symbol, str) or not symbol]
    strange = sorted({repr(letter) for _, letter in pairs if not _is_letter(letter, alphabet)})
    held = Counter(symbol for symbol, _ in pairs if isinstance(symbol, str))
    twice = [symbol for symbol, count in held.items() if count > 1]
    faults = [
        *(f"it holds the symbol {symbol!r}, which is no str with characters" for symbol in odd),
        *(f"{symbol!r} stands for several" for symbol in twice),
        *([f"it maps some to {', '.join(strange)}"] if strange else []),
        *([] if pairs else ["it is empty"]),
    ]
    if faults:
        letters = f"; letters are single ones{f' of {alphabet}' if alphabet else ''}"
        raise ParameterError(_FORM + letters, faults[0], "Correct the key")


def _is_letter(letter: Any, alphabet: str | None) -> bool:
    if not isinstance(letter, str) or len(letter) != 1:
        return False
    return letter.lower() in alphabet if alphabet else letter.isalpha()


def written_key(key: Key, alphabet: str) -> dict[str, str]:
    """A key from symbol to letter whose symbols can stand in a text."""
    symbols = symbol_key(key, alphabet)
    spaced = [symbol for symbol in symbols if any(char.isspace() for char in symbol)]
    if spaced:
        got = f"{spaced[0]!r} has some"
        raise ParameterError("symbols in a text must be without white space", got, "Rename them")
    return symbols


def joined(tokens: Sequence[str], key: Mapping[str, str]) -> str:
    """Tokens as one text, from which `decipher_homophonic` can tell them with the key."""
    return (" " if _is_long(key) else "").join(tokens)


def _is_long(key: Mapping[str, str]) -> bool:
    return any(len(symbol) > 1 for symbol in key)


def encipher_homophonic(
    text: str, key: Key, *, alphabet: str, random_state: int | np.random.Generator | None = None
) -> list[str]:
    """Each letter replaced by one of its symbols, at random; everything else is left out.

    Parameters
    ----------
    text : str
    key : mapping from symbol to letter, or from letter to the list of its symbols
    alphabet : str
    random_state : int, Generator or None

    Examples
    --------
    >>> encipher_homophonic("Abba", {"1": "a", "2": "b"}, alphabet="ab")
    ['1', '2', '2', '1']
    """
    rng, alphabet = checked_generator(random_state), checked_alphabet("en", alphabet)
    homophones: dict[str, list[str]] = {}
    for symbol, letter in symbol_key(key, alphabet).items():
        homophones.setdefault(letter, []).append(symbol)
    plain = [char for char in fold_text(checked_text(text), alphabet) if char in alphabet]
    silent = sorted(set(plain) - set(homophones))
    if silent:
        raise ParameterError(
            "the key must have a symbol for every letter of the text",
            f"it has none for {', '.join(silent)}",
            "Add them",
        )
    return [homophones[char][rng.integers(len(homophones[char]))] for char in plain]


def decipher_homophonic(text: str | Sequence[str], key: Key) -> str:
    """Each token replaced by its letter; tokens the key does not know stay.

    Parameters
    ----------
    text : str or sequence of str
        In a str, white space stands between symbols of several characters, and may between others.
    key : mapping from symbol to letter, or from letter to the list of its symbols

    Examples
    --------
    >>> decipher_homophonic("1 2 2 1", {"1": "a", "2": "b"})
    'abba'
    """
    letters = symbol_key(key)
    if isinstance(text, str):
        text = text.split() if _is_long(letters) else _characters(text)
    return "".join(letters.get(str(token), str(token)) for token in checked_symbols(text))
