"""Substitutions without spaces, ours and subbreaker's readings of the same messages, kept one by one.

subbreaker takes seconds a message, so a whole comparison takes hours: every reading is appended to a file as
soon as it is made, and a run that was ended goes on where it stopped. The three readings of a message follow
one another, so that all see the same load of the machine.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from bench import cipher_peers
from ventris.ciphers import decipher
from ventris.ciphers.letter_model import letter_model
from ventris.ciphers.spelling import Spelling, alphabet_of
from ventris.deciphering.key_score import score_readings

OURS = "ventris"
PEERS = ("subbreaker", "subbreaker, our statistics")


@dataclass(frozen=True)
class Reading:
    """One message read by one solver; a search failed if the true text scores higher than what it found."""

    solver: str
    length: int
    number: int
    error: float
    seconds: float
    failed: bool


def error_rate(found: str, true: str) -> float:
    """Share of letters that are wrong; the layout of both is the same."""
    pairs = [(a, b) for a, b in zip(found, true, strict=True) if b != " "]
    return float(np.mean([a != b for a, b in pairs]))


def read(solver: str, cipher: str, plain: str, number: int) -> Reading:
    """Let one solver read one message, and judge it."""
    start = time.process_time()
    found = _solver(solver, number)(cipher)
    seconds = time.process_time() - start
    failed = _score(found) < _score(plain) - 1e-2
    return Reading(solver, len(plain), number, error_rate(found, plain), seconds, failed)


def _solver(solver: str, number: int) -> Callable[[str], str]:
    if solver == OURS:
        return lambda cipher: decipher(cipher, "en", "substitution", random_state=number).plaintext
    return lambda cipher: cipher_peers.subbreaker_reading(cipher, our_statistics=solver == PEERS[1])


def _score(text: str) -> float:
    """Log-likelihood of a text under our 5-grams."""
    spelling = Spelling.of(text, alphabet_of("en"))
    model = letter_model("en", 5, spelling.has_words())
    return float(score_readings(spelling.letters[None], model.text_of(spelling), model.tables)[0])


def paired_readings(
    messages: list[tuple[str, str]], length: int, n_peer: int, kept: Path
) -> dict[str, list[Reading]]:
    """Readings of (cipher, plain) `messages` by every solver, those `kept` from earlier runs among them."""
    known = {(r.solver, r.number): r for r in _kept(kept) if r.length == length}
    solvers = (OURS, *PEERS) if find_spec("subbreaker") and n_peer else (OURS,)
    readings: dict[str, list[Reading]] = {solver: [] for solver in solvers}
    for number, (cipher, plain) in enumerate(messages):
        for solver in solvers if number < n_peer else (OURS,):
            reading = known.get((solver, number))
            if reading is None:
                reading = read(solver, cipher, plain, number)
                with kept.open("a") as file:
                    file.write(json.dumps(asdict(reading)) + "\n")
            readings[solver].append(reading)
    return readings


def _kept(path: Path) -> Iterator[Reading]:
    if path.exists():
        yield from (Reading(**json.loads(line)) for line in path.read_text().splitlines())
