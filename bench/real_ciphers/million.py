"""A million letters of books no statistics have counted: what each kind costs, in a process of its own."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from functools import partial

import numpy as np

from bench.family import Family, Row
from bench.real_ciphers.files import needs
from bench.real_ciphers.unseen import FILE, kept_out
from ventris.ciphers import decipher, encipher
from ventris.ciphers.registry import cipher_of

LENGTH = 1_000_000  # letters
KINDS = ("caesar", "vigenere", "substitution", "homophonic")


def make(kind: str, seed: int) -> tuple[str, int]:
    """A kind of cipher, and the seed of its key."""
    return kind, seed


def text() -> str:
    """The books over and over, until there are so many letters."""
    books = kept_out()
    a_time = len(books) - books.count(" ")
    whole = books * (1 + LENGTH // a_time)
    places = np.flatnonzero(np.frombuffer(whole.encode(), dtype=np.uint8) != ord(" "))
    return whole[: places[LENGTH - 1] + 1]


def read(kind: str, seed: int) -> Row:
    """One reading, English given: CPU seconds of `decipher`, and the most memory of the process."""
    plain = text()
    key = cipher_of(kind).draw("en", np.random.default_rng([seed, 22]))
    cipher = encipher(plain, key, kind=kind)
    start = time.process_time()
    found = decipher(cipher, "en")
    cpu = time.process_time() - start
    plain = plain if cipher_of(kind).keeps_layout else plain.replace(" ", "")
    same = np.frombuffer(found.plaintext.encode(), np.uint8) == np.frombuffer(plain.encode(), np.uint8)
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
    return {
        "task": kind,
        "seed": seed,
        "right": float(same.mean()),
        "cpu": cpu,
        "gigabytes": most,
        "read": found.read,
    }


def measure(task: tuple[str, int]) -> Row:
    """The reading of another process, so that memory is its own."""
    call = [sys.executable, "-m", "bench.real_ciphers.million", task[0], str(task[1])]
    return json.loads(subprocess.run(call, check=True, capture_output=True, text=True).stdout)


def numbers(rows: list[Row]) -> Row:
    """The worst of the kinds."""
    return {
        "runs": len(rows),
        "worst": min(row["right"] for row in rows),
        "most cpu": max(row["cpu"] for row in rows),
        "most GB": max(row["gigabytes"] for row in rows),
    }


def line(row: Row) -> str:
    """A kind."""
    return (
        f"{row['task']:<13} seed {row['seed']}  {100 * row['right']:.2f} %  {row['cpu']:.1f} CPU-s  "
        f"{row['gigabytes']:.2f} GB  {row['read']}"
    )


FAMILY = Family(
    "ciphers: a million letters",
    tuple(partial(make, kind) for kind in KINDS),
    1,
    measure=measure,
    numbers=numbers,
    line=line,
    why_not=needs(FILE),
)

if __name__ == "__main__":
    print(json.dumps(read(sys.argv[1], int(sys.argv[2]))))
