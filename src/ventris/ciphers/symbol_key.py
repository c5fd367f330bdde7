"""A key from symbols to letters, whichever way round it is written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from ventris.errors import ParameterError

Key = Mapping[str, str] | Mapping[str, Sequence[str]]  # symbol to letter, or letter to its symbols
_FORM = "a homophonic key must be a dict from symbol to letter, or from letter to the list of its symbols"


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
