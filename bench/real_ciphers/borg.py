"""Borg.lat.898, folios 5v to 7r: recipes in Latin, letter by letter, words kept, read with "la"."""

from __future__ import annotations

import time
import warnings

from bench.family import Family, Row
from bench.real_ciphers.files import needs, place, read_json
from ventris.ciphers import decipher

TEXT, KEY = "ciphers/borg_5v-7r.txt", "ciphers/borg_key.json"


def make(seed: int) -> int:
    """The text is one; the seed is that of the search."""
    return seed


def measure(seed: int) -> Row:
    """Share of the letter signs, those of the known key, that are read as it says."""
    text, key = place(TEXT).read_text(encoding="utf-8"), read_json(KEY)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        start = time.process_time()
        found = decipher(text, "la", random_state=seed)
        cpu = time.process_time() - start
    signs, letters = "".join(text.split()), "".join(found.plaintext.split())
    pairs = [(key[sign], letter) for sign, letter in zip(signs, letters, strict=True) if sign in key]
    return {
        "task": "Borg",
        "seed": seed,
        "read": found.read,
        "right": sum(a == b for a, b in pairs) / len(pairs),
        "confidence": found.confidence,
        "doubts": [each.category.__name__ for each in caught],
        "cpu": cpu,
    }


def numbers(rows: list[Row]) -> Row:
    """The worst reading."""
    return {
        "runs": len(rows),
        "worst": min(row["right"] for row in rows),
        "most cpu": max(row["cpu"] for row in rows),
    }


def line(row: Row) -> str:
    """A reading."""
    return (
        f"{row['task']} seed {row['seed']}  {100 * row['right']:.1f} %  confidence {row['confidence']:.2f}  "
        f"{row['cpu']:.2f} CPU-s  {row['read']}  {' '.join(row['doubts'])}"
    )


FAMILY = Family(
    "ciphers: Borg, Latin", (make,), 3, measure=measure, numbers=numbers, line=line, why_not=needs(TEXT, KEY)
)
