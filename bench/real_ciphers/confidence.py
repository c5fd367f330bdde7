"""Confidence of substitutions and homophonic keys: collected, fitted and held against what comes true.

    python -m bench.real_ciphers.confidence collect 2000 --out messages.jsonl   # begun again, it goes on
    … collect 334 --file ciphers/homophonic_development.txt --out file.jsonl
    … fit messages.jsonl file.jsonl

Messages are stretches of books that no statistics have counted, the first half of them here and the second
in the family below, which reads messages of seeds from 300 on. A message has 60 to 600 letters. Even seeds
are substitutions, letters run together; odd ones have 0.08 to 0.42 signs a letter, or one sign for each
letter of the alphabet if those are fewer. Right is more than 90 % of the letters. `fit` prints the constants
of `ventris.ciphers.confidence`, by the homophonic rows alone, and what substitutions' confidence comes to.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.ciphers import homophones
from bench.family import Family, Row
from bench.real_ciphers.files import needs
from bench.real_ciphers.homophonic import ALIKE, SOLVED, Cipher, ciphers, read, right
from bench.real_ciphers.unseen import CHOSEN_BY, FILE, REPORTED_BY, Part, stretch
from ventris.ciphers import decipher, encipher, encipher_homophonic
from ventris.ciphers.registry import cipher_of
from ventris.ciphers.spelling import alphabet_of

LENGTHS, RATIOS = (60, 600), (0.08, 0.42)
LEASTS = (0.5, 0.8, 0.9, 0.93, 0.95, 0.97, 0.98, 0.99)  # confidences from which readings are counted
SURE, N_MESSAGES = 0.9, 1_400
FIRST_SEED = 100_000  # of the messages that the fit is made of: far from those that are reported


@dataclass(frozen=True)
class Substituted:
    """A text in letters, and what it says."""

    name: str
    text: str
    plain: str
    seed: int


def make(part: Part, seed: int) -> Cipher | Substituted:
    """A message, its length, its kind, its key and its signs by chance."""
    rng = np.random.default_rng([seed, 23])
    plain = stretch(int(rng.integers(*LENGTHS)), rng, part)
    if seed % 2 == 0:
        key = cipher_of("substitution").draw("en", rng)
        return Substituted(f"message {seed}", encipher(plain, key, kind="substitution"), plain, seed)
    n_signs = round(rng.uniform(*RATIOS) * len(plain))
    key = homophones(plain, n_signs, rng) if n_signs > len(alphabet_of("en")) else _one_to_one(plain)
    signs = encipher_homophonic(plain, key, alphabet=alphabet_of("en"), random_state=rng)
    return Cipher(f"message {seed}", tuple(signs), plain, seed)


def _one_to_one(plain: str) -> dict[str, str]:
    return {f"{i:02d}": letter for i, letter in enumerate(sorted(set(plain)))}


def measure(message: Cipher | Substituted) -> Row:
    """At effort 1."""
    row: Row = {"task": message.name, "seed": message.seed, "length": len(message.plain)}
    if isinstance(message, Cipher):
        return row | {"kind": "homophonic", "ratio": message.ratio} | read(message, 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        start = time.process_time()
        found = decipher(message.text, "en", "substitution", random_state=message.seed)
        cpu = time.process_time() - start
    return row | {
        "kind": "substitution",
        "ratio": len(set(message.text)) / len(message.text),
        "right": right(found.plaintext, message.plain),
        "confidence": found.confidence,
        "cpu": cpu,
    }


def numbers(rows: list[Row]) -> Row:
    """How often sure readings are wrong, and how sure right ones are."""
    sure = [row for row in rows if row["confidence"] >= SURE]
    solved = [row for row in rows if row["right"] > SOLVED]
    return {
        "runs": len(rows),
        "sure": len(sure),
        "sure and wrong": sum(row["right"] <= SOLVED for row in sure) / max(1, len(sure)),
        "solved": len(solved),
        "solved and sure": sum(row["confidence"] >= SURE for row in solved) / max(1, len(solved)),
        "cpu": float(np.mean([row["cpu"] for row in rows])),
    }


def line(row: Row) -> str:
    """A message."""
    return (
        f"{row['task']}  {row['length']} signs, kinds {row['ratio']:.2f}  {100 * row['right']:5.1f} %  "
        f"confidence {row['confidence']:.3f}  {row['cpu']:.2f} CPU-s"
    )


FAMILY = Family(
    "ciphers: confidence",
    (partial(make, REPORTED_BY),),
    N_MESSAGES,
    measure=measure,
    numbers=numbers,
    line=line,
    why_not=needs(FILE),
)


# ------------------------------------------------------------------------------------------------- fitting
def collect(n_messages: int, out: Path, file: str = "") -> None:
    """A line of JSON a message, or a cipher of a file, as it is read."""
    done = len(out.read_text().splitlines()) if out.exists() else 0
    listed = ciphers(file) if file else ()
    with out.open("a") as rows:
        for number in range(done, min(n_messages, len(listed)) if file else n_messages):
            message = listed[number] if file else make(CHOSEN_BY, FIRST_SEED + number)
            rows.write(json.dumps(measure(message)) + "\n")
            rows.flush()


def fit(paths: Sequence[Path]) -> None:
    """The constants that `ventris.ciphers.confidence` holds, and what they do where they were not fitted."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import cross_val_predict

    rows = [json.loads(each) for path in paths for each in path.read_text().splitlines()]
    others = [row for row in rows if row["kind"] == "substitution"]
    rows = [row for row in rows if row["kind"] == "homophonic"]
    is_right = np.array([row["right"] > SOLVED for row in rows])
    signals = np.array([signals_of(row) for row in rows])
    model = LogisticRegression(C=100, max_iter=10_000)
    chance = cross_val_predict(model, signals, is_right, cv=10, method="predict_proba")[:, 1]
    model.fit(signals, is_right)
    constants = ", ".join(f"{x:.2f}" for x in (model.intercept_[0], *model.coef_[0]))
    print(f"INTERCEPT, RECURRED, ABOVE_LANGUAGE, CERTAIN = {constants}")
    for name, sure, held in (
        ("homophonic, ten folds", chance, rows),
        ("homophonic, as it is", np.array([row["confidence"] for row in rows]), rows),
        ("substitution, as it is", np.array([row["confidence"] for row in others]), others),
    ):
        tell(name, sure, np.array([row["right"] > SOLVED for row in held]))


def signals_of(row: Row) -> list[float]:
    """What the regression sees: the terms of `Signals.confidence`."""
    return [row["alike"] >= ALIKE, -row["gain_below_language"], -np.log(1.0001 - row["certain"])]


def tell(name: str, confidence: NDArray, is_right: NDArray) -> None:
    """How many readings are sure from a confidence on, how many of these are wrong, and what is missed."""
    print(f"{name}: {len(is_right)} readings, {int(is_right.sum())} right")
    for least in LEASTS:
        sure = confidence >= least
        missed = np.mean(~sure[is_right]) if is_right.any() else 0.0
        wrong = int(np.sum(~is_right[sure]))
        print(f"  confidence >= {least}: {sure.sum()}, of them wrong {wrong}; right and below {missed:.3f}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=["collect", "fit"])
    parser.add_argument("given", nargs="+", help="how many messages, or files of their signals")
    parser.add_argument("--out", type=Path, default=Path("build/signals.jsonl"))
    parser.add_argument(
        "--file", default="", help="of ciphers, below VENTRIS_DATA, to collect in their place"
    )
    arguments = parser.parse_args()
    if arguments.what == "collect":
        collect(int(arguments.given[0]), arguments.out, arguments.file)
    else:
        fit([Path(each) for each in arguments.given])


if __name__ == "__main__":
    main()
