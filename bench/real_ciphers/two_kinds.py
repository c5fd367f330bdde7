"""Quagmire III at 300 letters and columnar transposition at 200: unseen text, keys by chance.

The alphabet of a quagmire is that of a word of the same books, and so is its key word, of 3 to 8 letters.
Columns are 2 to 12. Kinds and English are given; exact is every letter right.
"""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np

from bench.family import Family, Row
from bench.real_ciphers.files import needs
from bench.real_ciphers.homophonic import right
from bench.real_ciphers.unseen import FILE, kept_out, stretch
from ventris.ciphers import decipher, encipher

LENGTHS = {"quagmire": 300, "columnar": 200}
# Seeds 300 to 399 were looked at: 94 columnar texts were exact, before turned columns were compared, and 73
# quagmires, while three periods shared thirty runs.
N_MESSAGES, FIRST_SEED = 100, 400
ALPHABET_WORD, KEY_WORD, COLUMNS = (7, 11), (3, 8), (2, 12)  # letters of a word, and columns: from, to


@dataclass(frozen=True)
class Message:
    """A text and its key."""

    kind: str
    seed: int
    plain: str
    key: Any


@cache
def words(least: int, most: int) -> tuple[str, ...]:
    """Words of so many letters."""
    return tuple(sorted({word for word in kept_out().split() if least <= len(word) <= most}))


def make(kind: str, seed: int) -> Message:
    """A message of a kind."""
    rng = np.random.default_rng([seed, 24])
    plain = stretch(LENGTHS[kind], rng)
    if kind == "columnar":
        columns = int(rng.integers(COLUMNS[0], COLUMNS[1] + 1))
        return Message(kind, seed, plain, tuple((rng.permutation(columns) + 1).tolist()))
    key = tuple(str(rng.choice(words(*lengths))) for lengths in (ALPHABET_WORD, KEY_WORD))
    return Message(kind, seed, plain, key)


def measure(message: Message) -> Row:
    """One reading."""
    cipher = encipher(message.plain, message.key, kind=message.kind)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        start = time.process_time()
        found = decipher(cipher, "en", message.kind, random_state=message.seed)
        cpu = time.process_time() - start
    return {
        "task": message.kind,
        "seed": message.seed,
        "key": str(message.key),
        "right": right(found.plaintext, message.plain),
        "confidence": found.confidence,
        "cpu": cpu,
    }


def numbers(rows: list[Row]) -> Row:
    """Exact readings, and sure ones that are not."""
    return {
        "runs": len(rows),
        "exact": float(np.mean([row["right"] == 1 for row in rows])),
        "sure and not exact": sum(row["right"] < 1 and row["confidence"] >= 0.9 for row in rows),
        "cpu": float(np.mean([row["cpu"] for row in rows])),
        "most cpu": max(row["cpu"] for row in rows),
    }


def line(row: Row) -> str:
    """A message."""
    return (
        f"{row['task']} seed {row['seed']}  {100 * row['right']:5.1f} %  confidence {row['confidence']:.2f}  "
        f"{row['cpu']:.2f} CPU-s  key {row['key']}"
    )


def _family(kind: str, name: str) -> Family:
    how = {"measure": measure, "numbers": numbers, "line": line, "why_not": needs(FILE)}
    return Family(name, (partial(make, kind),), N_MESSAGES, FIRST_SEED, **how)


QUAGMIRE = _family("quagmire", "ciphers: quagmire III, 300 letters")
COLUMNAR = _family("columnar", "ciphers: columnar, 200 letters")
