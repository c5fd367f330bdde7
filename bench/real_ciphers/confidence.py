"""Confidence of homophonic readings: collected, fitted and held against what comes true.

    python -m bench.real_ciphers.confidence collect 2000 --out signals.jsonl   # begun again, it goes on
    python -m bench.real_ciphers.confidence fit signals.jsonl

Messages are stretches of books that no statistics have counted, the first half of them here and the second
in the family below, which reads messages of seeds from 300 on. A message has 60 to 600 letters, and a key of
0.08 to 0.42 signs a letter, or one sign for each letter of the alphabet if those are fewer.
"""

from __future__ import annotations

import argparse
import json
from functools import partial
from pathlib import Path

import numpy as np

from bench.ciphers import homophones
from bench.family import Family, Row
from bench.real_ciphers.files import needs
from bench.real_ciphers.homophonic import SOLVED, Cipher, read
from bench.real_ciphers.unseen import CHOSEN_BY, FILE, REPORTED_BY, Part, stretch
from ventris.ciphers import encipher_homophonic
from ventris.ciphers.spelling import alphabet_of

LENGTHS, RATIOS = (60, 600), (0.08, 0.42)
SURE, N_MESSAGES = 0.9, 1_400
FIRST_SEED = 100_000  # of the messages that the fit is made of: far from those that are reported


def make(part: Part, seed: int) -> Cipher:
    """A message, its length, its key and its signs by chance."""
    rng = np.random.default_rng([seed, 23])
    plain = stretch(int(rng.integers(*LENGTHS)), rng, part)
    n_signs = round(rng.uniform(*RATIOS) * len(plain))
    key = homophones(plain, n_signs, rng) if n_signs > len(alphabet_of("en")) else _one_to_one(plain)
    signs = encipher_homophonic(plain, key, alphabet=alphabet_of("en"), random_state=rng)
    return Cipher(f"message {seed}", tuple(signs), plain, seed)


def _one_to_one(plain: str) -> dict[str, str]:
    return {f"{i:02d}": letter for i, letter in enumerate(sorted(set(plain)))}


def measure(cipher: Cipher) -> Row:
    """At effort 1."""
    row = {"task": cipher.name, "seed": cipher.seed, "length": len(cipher.signs), "ratio": cipher.ratio}
    return row | read(cipher, 1)


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
def collect(n_messages: int, out: Path) -> None:
    """A line of JSON a message, as it is read."""
    done = len(out.read_text().splitlines()) if out.exists() else 0
    with out.open("a") as file:
        for number in range(done, n_messages):
            file.write(json.dumps(measure(make(CHOSEN_BY, FIRST_SEED + number))) + "\n")
            file.flush()


def fit(path: Path) -> None:
    """Coefficients of the logistic regression that `ventris.ciphers.confidence` holds, and what they do."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import cross_val_predict

    rows = [json.loads(each) for each in path.read_text().splitlines()]
    right = np.array([row["right"] > SOLVED for row in rows])
    signals = np.array(
        [[row["alike"] >= 3, -row["gain_below_language"], -np.log(1.0001 - row["certain"])] for row in rows]
    )
    model = LogisticRegression(C=100, max_iter=10_000)
    chance = cross_val_predict(model, signals, right, cv=10, method="predict_proba")[:, 1]
    model.fit(signals, right)
    print(f"{len(rows)} messages, {right.sum()} right; intercept {model.intercept_}, weights {model.coef_}")
    for least in (0.5, 0.8, 0.9, 0.93, 0.95, 0.97, 0.98, 0.99):
        sure = chance >= least
        print(
            f"confidence >= {least}: {sure.sum()}, of them wrong {np.sum(~right[sure])}; "
            f"right and below {np.mean(~sure[right]):.3f}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=["collect", "fit"])
    parser.add_argument("given", help="how many messages, or the file of their signals")
    parser.add_argument("--out", type=Path, default=Path("build/signals.jsonl"))
    arguments = parser.parse_args()
    if arguments.what == "collect":
        collect(int(arguments.given), arguments.out)
    else:
        fit(Path(arguments.given))


if __name__ == "__main__":
    main()
