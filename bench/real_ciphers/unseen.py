"""Stretches of the books that no shipped statistics have counted."""

from __future__ import annotations

import gzip
from functools import cache

import numpy as np

from bench.real_ciphers.files import place
from ventris.ciphers.spelling import alphabet_of
from ventris.datasets.letters import BREAK, fold_text

FILE, KEPT_OUT = "english/books.txt.gz", 30
ALL, CHOSEN_BY, REPORTED_BY = (0, 30), (0, 15), (15, 30)  # which of them: all, or a half
Part = tuple[int, int]


@cache
def kept_out(part: Part = ALL) -> str:
    """The last books, or some of them, as lower-case letters and single spaces."""
    text = gzip.decompress(place(FILE).read_bytes()).decode("utf-8")
    books = [book for book in text.split("\n\n") if book.strip()][-KEPT_OUT:][slice(*part)]
    return " ".join(fold_text(book, alphabet_of("en")).replace(BREAK, " ") for book in books)


@cache
def _letters(part: Part) -> tuple[str, np.ndarray]:
    text = kept_out(part)
    starts = np.flatnonzero(np.frombuffer(text.encode(), dtype=np.uint8) == ord(" ")) + 1
    before = np.cumsum(np.frombuffer(text.encode(), dtype=np.uint8) != ord(" "))
    return text.replace(" ", ""), before[starts - 1]


def stretch(length: int, rng: np.random.Generator, part: Part = ALL) -> str:
    """So many letters without spaces, from the beginning of a word."""
    letters, starts = _letters(part)
    start = int(rng.choice(starts[starts < len(letters) - length]))
    return letters[start : start + length]
