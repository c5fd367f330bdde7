"""English that no statistics have seen: the 30 books that are kept out of whatever is counted.

Choices are made on the first half of them (seeds 100 to 199), reports on the second.
"""

from __future__ import annotations

import gzip
from functools import cache
from string import ascii_lowercase

import numpy as np

from bench.family import REPORTED_FROM
from bench.real_ciphers.files import place
from ventris.datasets.letters import BREAK, fold_text

FILE = "english/books.txt.gz"
KEPT_OUT, BOOKS_A_TEXT = 30, 5


@cache
def kept_out() -> tuple[str, ...]:
    """The last books, as they are written."""
    text = gzip.decompress(place(FILE).read_bytes()).decode("utf-8")
    return tuple(book for book in text.split("\n\n") if book.strip())[-KEPT_OUT:]


def stretches(seed: int, n_letters: int) -> list[str]:
    """Stretches of whole lines from some of the books of a seed's half, so many letters in all."""
    rng = np.random.default_rng([seed, 23])
    half = kept_out()[: KEPT_OUT // 2] if seed < REPORTED_FROM else kept_out()[KEPT_OUT // 2 :]
    wanted, found = n_letters // BOOKS_A_TEXT, []
    for book in rng.permutation(len(half)):
        lines = half[book].split("\n")
        sizes = np.array([sum(char.isalpha() for char in line) for line in lines])
        if sizes.sum() < 1.2 * wanted or len(found) == BOOKS_A_TEXT:
            continue
        last = int(np.searchsorted(np.cumsum(sizes[::-1]), wanted))
        first = int(rng.integers(0, len(lines) - last))
        end = first + int(np.searchsorted(np.cumsum(sizes[first:]), wanted)) + 1
        found.append("\n".join(lines[first:end]))
    return found


def folded(seed: int, n_letters: int) -> str:
    """So many small letters, with single spaces between words."""
    text = " ".join(
        fold_text(part, ascii_lowercase).replace(BREAK, " ") for part in stretches(seed, n_letters)
    )
    letters = np.cumsum([char != " " for char in text])
    return text[: int(np.searchsorted(letters, n_letters)) + 1].strip()


def first_letters(text: str, n_letters: int) -> str:
    """The beginning of a text, whole words."""
    letters = np.cumsum([char != " " for char in text])
    end = int(np.searchsorted(letters, n_letters))
    return text[: text.find(" ", end)] if " " in text[end:] else text
