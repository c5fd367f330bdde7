"""The report half of a public batch of homophonic ciphers, 54 to 680 signs, hard ones included.

Each is read at effort 1. Those below .35 kinds of signs a sign that were not read, or on which searches did
not agree, are read at effort 8 too; the others would end in the same way there. Solved is more than 90 % of
the letters right. The first 114 ciphers below .35 were looked at by an earlier session; nothing was chosen
by them. The runs that are kept were made once, before found keys were settled sign by sign and before the
confidence was fitted anew (its intercept was too high, by a tenth of a nat a sign): warnings are more now.
"""

from __future__ import annotations

import re
import time
import warnings
from dataclasses import dataclass
from functools import cache, partial

import numpy as np

from bench.family import REPORTED_FROM, Family, Row
from bench.real_ciphers.files import needs, place
from ventris.ciphers import decipher
from ventris.errors import DoubtfulReadingWarning

FILE, N_CIPHERS = "ciphers/homophonic_report.txt", 333
EFFORTS = (1, 8)
BINS = {
    "below .25": (0.0, 0.25),
    ".25 to .30": (0.25, 0.30),
    ".30 to .35": (0.30, 0.35),
    "above": (0.35, 9.0),
}
SOLVED, ALIKE = 0.9, 3


@dataclass(frozen=True)
class Cipher:
    """Signs and what they stand for."""

    name: str
    signs: tuple[str, ...]
    plain: str
    seed: int

    @property
    def ratio(self) -> float:
        """Kinds of signs a sign."""
        return len(set(self.signs)) / len(self.signs)


@cache
def ciphers(file: str = FILE) -> tuple[Cipher, ...]:
    """All ciphers of a batch, in its order."""
    blocks = place(file).read_text(encoding="utf-8").split("output_sub_directory=")[1:]
    found = []
    for number, block in enumerate(blocks):
        name, _, rest = block.partition("\n")
        signs, _, plain = rest.partition("solution_plaintext=")
        letters = re.sub("[^a-z]", "", plain.lower())
        found.append(Cipher(name, tuple(signs.split()), letters, REPORTED_FROM + number))
    return tuple(found)


def make(seed: int) -> Cipher:
    """Cipher number seed − 300."""
    return ciphers()[seed - REPORTED_FROM]


def right(found: str, plain: str) -> float:
    """Share of the letters that are right."""
    return float(np.mean([a == b for a, b in zip(found, plain, strict=True)]))


def read(cipher: Cipher, effort: float) -> Row:
    """One reading: how much of it is right, whether it was warned of, and what it cost."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        start = time.process_time()
        found = decipher(list(cipher.signs), "en", "homophonic", effort=effort, random_state=cipher.seed)
        cpu = time.process_time() - start
    seen = found.evidence
    return {
        "right": right(found.plaintext, cipher.plain),
        "warned": any(issubclass(each.category, DoubtfulReadingWarning) for each in caught),
        "confidence": found.confidence,
        "alike": round(seen["agreement"] * seen["searches"]),
        "searches": seen["searches"],
        "gain_below_language": seen["gain_below_language"],
        "certain": seen["certain"],
        "cpu": cpu,
    }


def measure(cipher: Cipher) -> Row:
    """The cipher at effort 1, and at effort 8 where that may give something else."""
    row: Row = {"task": cipher.name, "seed": cipher.seed, "length": len(cipher.signs), "ratio": cipher.ratio}
    row["effort 1"] = row["effort 8"] = first = read(cipher, EFFORTS[0])
    again = first["right"] <= SOLVED or first["alike"] < ALIKE
    if again and cipher.ratio < BINS["above"][0]:
        row["effort 8"] = read(cipher, EFFORTS[1])
    return row


def numbers(rows: list[Row]) -> Row:
    """Solved of each bin at each effort, and how warnings and solutions go together."""
    out: Row = {"runs": len(rows)}
    for effort in EFFORTS:
        for name, (low, high) in BINS.items():
            if name == "above" and effort > 1:
                continue
            held = [row[f"effort {effort}"] for row in rows if low <= row["ratio"] < high]
            out[f"{name}, effort {effort}"] = sum(each["right"] > SOLVED for each in held)
            out[f"ciphers {name}"] = len(held)
        every = [row[f"effort {effort}"] for row in rows]
        solved = [each for each in every if each["right"] > SOLVED]
        out[f"unsolved and silent, effort {effort}"] = sum(
            each["right"] <= SOLVED and not each["warned"] for each in every
        )
        out[f"solved and warned of, effort {effort}"] = sum(each["warned"] for each in solved) / max(
            1, len(solved)
        )
        out[f"cpu, effort {effort}"] = float(np.mean([each["cpu"] for each in every]))
        out[f"most cpu, effort {effort}"] = float(np.max([each["cpu"] for each in every]))
    return out


def line(row: Row) -> str:
    """A cipher."""
    efforts = (
        f"effort {effort}: {100 * row[f'effort {effort}']['right']:5.1f} % "
        f"{'warned' if row[f'effort {effort}']['warned'] else '      '} "
        f"{row[f'effort {effort}']['cpu']:5.2f} s"
        for effort in EFFORTS
    )
    return f"{row['task']:<14} {row['length']} signs, kinds {row['ratio']:.3f}  {'  '.join(efforts)}"


FAMILY = Family(
    "ciphers: homophonic report file",
    (partial(make),),
    N_CIPHERS,
    measure=measure,
    numbers=numbers,
    line=line,
    why_not=needs(FILE),
)
