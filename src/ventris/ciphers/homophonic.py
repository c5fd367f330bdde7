"""Homophonic substitution: many symbols to one letter, and symbols may be any tokens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ventris.datasets.letters import fold_text
from ventris.errors import DataError, ParameterError

Key = Mapping[str, str]


@dataclass(frozen=True)
class Tokens:
    """A ciphertext as tokens: words if white space stands between them and they are few, else characters."""

    tokens: tuple[str, ...]
    symbols: tuple[str, ...]
    codes: NDArray[np.int64]

    @classmethod
    def of(cls, text: str | Sequence[str]) -> Tokens:
        if isinstance(text, str):
            text = text.split() if _is_spaced(text) else [char for char in text if not char.isspace()]
        tokens = tuple(text)
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


def check_key(key: Key, alphabet: str) -> None:
    """Refuse a key whose letters are not of the alphabet."""
    strange = sorted({letter for letter in key.values() if letter not in alphabet})
    if strange or not key:
        raise ParameterError(
            f"a homophonic key must map symbols to single letters of {alphabet}",
            f"it maps some to {', '.join(map(repr, strange))}" if strange else "it is empty",
            "Correct the key",
        )


def encipher_homophonic(
    text: str, key: Key, *, alphabet: str, random_state: int | np.random.Generator | None = None
) -> list[str]:
    """Each letter replaced by one of its symbols, at random; everything else is left out.

    Parameters
    ----------
    text : str
    key : mapping from symbol to letter
    alphabet : str
    random_state : int, Generator or None

    Examples
    --------
    >>> encipher_homophonic("Abba", {"1": "a", "2": "b"}, alphabet="ab")
    ['1', '2', '2', '1']
    """
    check_key(key, alphabet)
    rng = np.random.default_rng(random_state)
    homophones: dict[str, list[str]] = {}
    for symbol, letter in key.items():
        homophones.setdefault(letter, []).append(symbol)
    plain = [char for char in fold_text(text, alphabet) if char in alphabet]
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

    Examples
    --------
    >>> decipher_homophonic("1 2 2 1", {"1": "a", "2": "b"})
    'abba'
    """
    return "".join(key.get(token, token) for token in Tokens.of(text).tokens)
