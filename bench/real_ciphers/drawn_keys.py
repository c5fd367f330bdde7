"""Homophonic ciphers of 340 letters in 63 signs, as Zodiac 340 has: unseen text, keys by chance."""

from __future__ import annotations

from functools import partial

import numpy as np

from bench.ciphers import homophones
from bench.family import Family, Row
from bench.real_ciphers.files import needs
from bench.real_ciphers.homophonic import SOLVED, Cipher, read
from bench.real_ciphers.unseen import FILE, stretch
from ventris.ciphers import encipher_homophonic
from ventris.ciphers.spelling import alphabet_of

LENGTH, N_SIGNS, N_KEYS = 340, 63, 50


def make(seed: int) -> Cipher:
    """A stretch, a key that flattens it, and which sign each letter got."""
    rng = np.random.default_rng([seed, 21])
    plain = stretch(LENGTH, rng)
    key = homophones(plain, N_SIGNS, rng)
    signs = encipher_homophonic(plain, key, alphabet=alphabet_of("en"), random_state=rng)
    return Cipher(f"seed {seed}", tuple(signs), plain, seed)


def measure(cipher: Cipher) -> Row:
    """At effort 1."""
    return {"task": cipher.name, "seed": cipher.seed, "ratio": cipher.ratio} | read(cipher, 1)


def numbers(rows: list[Row]) -> Row:
    """How many were solved, and which were not warned of."""
    return {
        "runs": len(rows),
        "solved": sum(row["right"] > SOLVED for row in rows),
        "unsolved and silent": sum(row["right"] <= SOLVED and not row["warned"] for row in rows),
        "mean right": float(np.mean([row["right"] for row in rows])),
        "cpu": float(np.mean([row["cpu"] for row in rows])),
    }


def line(row: Row) -> str:
    """A key."""
    warned = "warned" if row["warned"] else ""
    return f"{row['task']}  {100 * row['right']:5.1f} %  {row['cpu']:.2f} CPU-s  {warned}"


FAMILY = Family(
    "ciphers: 340 letters, 63 signs",
    (partial(make),),
    N_KEYS,
    measure=measure,
    numbers=numbers,
    line=line,
    why_not=needs(FILE),
)
