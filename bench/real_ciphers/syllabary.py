"""Latin in a syllabary: hundreds of signs, one a syllable, and a model of syllables by other authors.

A sign is a vowel with at most two consonants before it, or a consonant alone; `inventory` of them are in use,
all letters and then the commonest in the model's text, and what is rarer is spelt by smaller ones, its first
consonants by themselves. Spaces are left out. Works are those of latin.txt; whose author's name, the first
word of the title, hashes to a multiple of three is enciphered, the others are counted. The key is drawn, and
kind, language and key are found by `decipher(tokens, lm=…)` from the tokens alone.
"""

from __future__ import annotations

import hashlib
import re
import time
import warnings
from collections import Counter
from dataclasses import dataclass
from functools import cache, partial

import numpy as np

from bench.family import Family, Row
from bench.real_ciphers.files import needs, place
from ventris import NgramModel
from ventris.ciphers import decipher
from ventris.datasets.letters import BREAK, fold_text
from ventris.errors import DoubtfulReadingWarning

FILE = "ciphers/latin.txt"
LETTERS, VOWELS = "abcdefghiklmnopqrstuxyz", "aeiouy"
TITLE = 100  # signs at the beginning of a work that are left out: its title, and the author's name
ORDER, TRIPLES = 3, 310  # of the model; more labels have pairs alone
_SYLLABLE = re.compile(f"[^{VOWELS}](?=[^{VOWELS}]{{2}})|[^{VOWELS}]{{0,2}}[{VOWELS}]|[^{VOWELS}]")


@dataclass(frozen=True)
class Text:
    """A ciphertext of so many kinds at most, and its syllables."""

    inventory: int
    seed: int
    signs: tuple[str, ...]
    plain: tuple[str, ...]


@cache
def works(counted: bool) -> tuple[str, ...]:
    """The works of the model, or those that are enciphered, as words in small letters."""
    found = []
    for line in place(FILE).read_text(encoding="utf-8").splitlines():
        author = re.split(r"[:, ]", line.strip())[0].lower()
        if (int(hashlib.sha256(author.encode()).hexdigest(), 16) % 3 > 0) == counted:
            latin = line.lower().translate(str.maketrans("jv", "iu"))
            found.append(fold_text(latin, LETTERS).replace(BREAK, " "))
    return tuple(found)


@cache
def inventory_of(size: int) -> frozenset[str]:
    """All letters and the commonest other syllables of the model's text."""
    held = dict.fromkeys(LETTERS)
    for syllable, _ in Counter(s for work in works(True) for s in cut(work)).most_common():
        if len(held) == size:
            break
        held.setdefault(syllable)
    return frozenset(held)


def cut(text: str, inventory: frozenset[str] | None = None) -> list[str]:
    """The syllables of a text; those that are not in use are spelt."""
    syllables = [each for word in text.split() for each in _SYLLABLE.findall(word)]
    return [part for each in syllables for part in (_spelt(each, inventory) if inventory else [each])]


def _spelt(syllable: str, inventory: frozenset[str]) -> list[str]:
    return [syllable] if syllable in inventory else [syllable[0], *_spelt(syllable[1:], inventory)]


@cache
def model(size: int) -> NgramModel:
    """Syllables counted in the works that are not enciphered."""
    inventory = inventory_of(size)
    texts = [cut(work, inventory) for work in works(True)]
    return NgramModel.from_sequences(texts, ORDER if size <= TRIPLES else 2, classes=sorted(inventory))


def make(size: int, length: int, seed: int) -> Text:
    """A stretch of works in an order by chance, and signs for its syllables."""
    rng, inventory = np.random.default_rng([seed, 25]), inventory_of(size)
    plain: list[str] = []
    for number in rng.permutation(len(works(False))):
        plain += cut(works(False)[number], inventory)[TITLE:]
        if len(plain) >= length:
            break
    sign = {
        syllable: f"{n:03d}" for syllable, n in zip(sorted(inventory), rng.permutation(size), strict=True)
    }
    return Text(size, seed, tuple(sign[x] for x in plain[:length]), tuple(plain[:length]))


def measure(text: Text) -> Row:
    """One reading; what making the model costs is not counted, what the search makes of it is."""
    lm = model(text.inventory)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        start = time.process_time()
        found = decipher(list(text.signs), lm=lm, random_state=text.seed)
        cpu = time.process_time() - start
    read = [found.key[sign] for sign in text.signs]
    return {
        "task": f"{text.inventory} signs, {len(text.signs):,}",
        "seed": text.seed,
        "kinds": len(set(text.signs)),
        "right": float(np.mean([a == b for a, b in zip(read, text.plain, strict=True)])),
        "confidence": found.confidence,
        "warned": any(issubclass(each.category, DoubtfulReadingWarning) for each in caught),
        "cpu": cpu,
    }


def numbers(rows: list[Row]) -> Row:
    """The mean and the worst of each size and length."""
    out: Row = {"runs": len(rows), "most cpu": max(row["cpu"] for row in rows)}
    for task in dict.fromkeys(row["task"] for row in rows):
        held = [row["right"] for row in rows if row["task"] == task]
        out |= {f"{task}: mean": float(np.mean(held)), f"{task}: worst": min(held)}
    return out


def line(row: Row) -> str:
    """A text."""
    return (
        f"{row['task']} ({row['kinds']} kinds) seed {row['seed']}  {100 * row['right']:.2f} %  "
        f"confidence {row['confidence']:.2f}  {row['cpu']:.1f} CPU-s"
    )


def _family(name: str, n_seeds: int, *sizes: tuple[int, int]) -> Family:
    makers = tuple(partial(make, *size) for size in sizes)
    return Family(name, makers, n_seeds, measure=measure, numbers=numbers, line=line, why_not=needs(FILE))


SMALL = _family("ciphers: syllabary of 116 signs", 5, (116, 2_000), (116, 5_000))
LARGE = _family("ciphers: syllabaries of 300 and 500 signs", 3, (300, 20_000), (500, 20_000))
