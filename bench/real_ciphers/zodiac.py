"""Zodiac 408 in the three forms it is passed around in, Zodiac 340's sections, and Beale 2."""

from __future__ import annotations

import re
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import partial

from bench.family import Family, Row
from bench.real_ciphers.files import needs, read_json
from bench.real_ciphers.homophonic import right
from ventris.ciphers import decipher

Z408, Z340, BEALE = "ciphers/zodiac408.json", "ciphers/zodiac340_sections_1_2.json", "ciphers/beale2.json"
BEALE_EFFORT = 8


@dataclass(frozen=True)
class Known:
    """A ciphertext in some form, and its letters."""

    name: str
    text: str | list[str]
    plain: str
    effort: float
    seed: int


def zodiac_408(form: str, seed: int) -> Known:
    """As a list, as one line, or as the file of 24 rows of 17 signs."""
    cipher = read_json(Z408)
    signs, width = cipher["ciphertext"], cipher["columns"]
    plain = "".join(cipher["knownSolutionKey"][sign] for sign in signs)
    rows = "".join("".join(signs[i : i + width]) + "\n" for i in range(0, len(signs), width))
    forms: dict[str, str | list[str]] = {"list": signs, "line": "".join(signs), "grid": rows}
    return Known(f"Zodiac 408, {form}", forms[form], plain, 1, seed)


def zodiac_340(seed: int) -> Known:
    """Sections 1 and 2 in reading order."""
    cipher = read_json(Z340)
    return Known("Zodiac 340, sections", cipher["signs"], cipher["plaintext"].lower(), 1, seed)


def beale_2(seed: int) -> Known:
    """The numbers; the printed text has ten letters more, for the original has slips."""
    cipher = read_json(BEALE)
    plain = re.sub("[^a-z]", "", cipher["plaintext_as_printed"].lower())
    return Known("Beale 2", cipher["signs"], plain, BEALE_EFFORT, seed)


def alike(found: str, plain: str) -> float:
    """Share of the letters that are right; where lengths differ, of those that an alignment finds."""
    if len(found) == len(plain):
        return right(found, plain)
    blocks = SequenceMatcher(None, found, plain, autojunk=False).get_matching_blocks()
    return sum(block.size for block in blocks) / len(plain)


def measure(known: Known) -> Row:
    """One reading in English."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        start = time.process_time()
        found = decipher(known.text, "en", effort=known.effort, random_state=known.seed)
        cpu = time.process_time() - start
    letters = "".join(found.plaintext.split())
    return {
        "task": known.name,
        "seed": known.seed,
        "read": found.read,
        "right": alike(letters, known.plain),
        "confidence": found.confidence,
        "doubts": [each.category.__name__ for each in caught],
        "cpu": cpu,
    }


def numbers(rows: list[Row]) -> Row:
    """The worst of each text, and the most that any cost."""

    def worst(name: str, key: str, choose: Callable) -> float:
        return float(choose([row[key] for row in rows if row["task"].startswith(name)] or [float("nan")]))

    return {
        "runs": len(rows),
        "Zodiac 408, worst": worst("Zodiac 408", "right", min),
        "Zodiac 408, most cpu": worst("Zodiac 408", "cpu", max),
        "Zodiac 340, worst": worst("Zodiac 340", "right", min),
        "Beale 2": worst("Beale 2", "right", min),
        "Beale 2, cpu": worst("Beale 2", "cpu", max),
    }


def line(row: Row) -> str:
    """A text."""
    doubts = " ".join(row["doubts"])
    return (
        f"{row['task']:<22} seed {row['seed']}  {100 * row['right']:5.1f} %  confidence "
        f"{row['confidence']:.2f}  {row['cpu']:.2f} CPU-s  {row['read']}  {doubts}"
    )


FAMILY = Family(
    "ciphers: Zodiac and Beale",
    (*(partial(zodiac_408, form) for form in ("list", "line", "grid")), zodiac_340, beale_2),
    1,
    measure=measure,
    numbers=numbers,
    line=line,
    why_not=needs(Z408, Z340, BEALE),
)
