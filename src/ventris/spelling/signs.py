"""Signs that letters are written as: with marks, without them, or digits in their place."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

DIGITS = "0123456789"  # written for letters inside words


@lru_cache(maxsize=4096)
def unmarked(letter: str) -> str:
    """A letter without its marks.

    Examples
    --------
    >>> unmarked("é"), unmarked("ſ"), unmarked("ω")
    ('e', 's', 'ω')
    """
    plain = unicodedata.normalize("NFKD", letter)[:1]
    return plain or letter
