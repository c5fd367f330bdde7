"""Stretches of the books that no shipped statistics have counted."""

from __future__ import annotations

import gzip
from functools import cache

import numpy as np

from bench.real_ciphers.files import place
from ventris.ciphers.spelling import alphabet_of
from ventris.datasets.letters import BREAK, fold_text

FILE, KEPT_OUT = "english/books.txt.gz", 30


@cache
def kept_out() -> str:
    """The last books as lower-case letters and single spaces."""
    text = gzip.decompress(place(FILE).read_bytes()).decode("utf-8")
    books = [book for book in text.split("\n\n") if book.strip()][-KEPT_OUT:]
    return " ".join(fold_text(book, alphabet_of("en")).replace(BREAK, " ") for book in books)


@cache
def _letters() -> tuple[str, np.ndarray]:
    text = kept_out()
    starts = np.flatnonzero(np.frombuffer(text.encode(), dtype=np.uint8) == ord(" ")) + 1
    before = np.cumsum(np.frombuffer(text.encode(), dtype=np.uint8) != ord(" "))
    return text.replace(" ", ""), before[starts - 1]


def stretch(length: int, rng: np.random.Generator) -> str:
    """So many letters without spaces, from the beginning of a word."""
    letters, starts = _letters()
    start = int(rng.choice(starts[starts < len(letters) - length]))
    return letters[start : start + length]
