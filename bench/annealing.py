"""Substitution ciphers without spaces: annealing against subbreaker's hill climbing, on the same messages.

The messages are cut from Python's language reference, which the shipped letter statistics have not seen.
"""

from __future__ import annotations

import string
import warnings
from importlib.util import find_spec
from statistics import mean, median
from time import process_time

import numpy as np

from bench import texts
from bench.cipher_peers import subbreaker_reading
from bench.clocks import paired_ratio
from bench.rows import Measured, Row, alone
from ventris.ciphers import decipher, encipher
from ventris.errors import VentrisWarning

SEED, LENGTHS, N_MESSAGES, BAR = 0, (100, 200, 400), 3, 5.0


def messages(length: int, n: int) -> list[tuple[str, str]]:
    """Plain and enciphered texts of `length` letters, each under a key of its own."""
    letters = texts.language_reference().replace(" ", "")
    rng = np.random.default_rng([SEED, length])
    pairs = []
    for start in rng.integers(len(letters) - length, size=n):
        plain = letters[start : start + length]
        key = "".join(rng.permutation(list(string.ascii_lowercase)))
        pairs.append((plain, encipher(plain, key, kind="substitution")))
    return pairs


def wrong_letters(found: str, plain: str) -> float:
    """Share of letters that are not the message's."""
    return mean(a != b for a, b in zip(found, plain, strict=True))


def measure(quick: bool = False) -> Measured:
    """A row a length; none where subbreaker is not installed."""
    if not find_spec("subbreaker"):
        return Measured([])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", VentrisWarning)  # short messages are the point here
        decipher("a warm start for the compiled search", "en", "substitution")
        return Measured([_row(length, 1 if quick else N_MESSAGES) for length in LENGTHS])


def _row(length: int, n: int) -> Row:
    ours, theirs = [], []
    for number, (plain, cipher) in enumerate(messages(length, n)):
        began = process_time()
        found = decipher(cipher, "en", "substitution", random_state=number).plaintext
        between = process_time()
        rival = subbreaker_reading(cipher, our_statistics=False)
        ours.append((wrong_letters(found, plain), between - began))
        theirs.append((wrong_letters(rival, plain), process_time() - between))
    ratio, spread = paired_ratio([s for _, s in theirs], [s for _, s in ours])
    errors = [100 * mean(error for error, _ in side) for side in (ours, theirs)]
    return Row(
        suite="annealing",
        compared=f"substitution, {length} letters, no spaces, {n} messages / subbreaker",
        ours=median(s for _, s in ours),
        peer=median(s for _, s in theirs),
        unit="CPU-s",
        ratio=ratio,
        spread=spread,
        alone=alone("annealing"),
        bar=BAR,
        note=f"wrong letters {errors[0]:.1f} % against {errors[1]:.1f} %",
    )
