"""`python -m bench.ciphers`: what the cipher breakers are held to, on text the statistics have not seen.

Usage: python -m bench.ciphers [--only TASK ...] [--messages N] [--peer-messages N] [--texts FOLDER]

Texts are built by tools/build_letter_statistics.py (Debian packages, downloaded once into the folder).
Peers: pip install subbreaker lantern; without them their columns are left out and the table says so.
subbreaker's readings take hours; each is kept beside OUT as it is made, and a run that was ended goes on.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from bench import cipher_peers
from bench.cipher_pairs import OURS, Reading, error_rate, paired_readings, read
from bench.cipher_texts import messages
from ventris.ciphers import decipher, encipher, encipher_homophonic
from ventris.ciphers.registry import cipher_of
from ventris.ciphers.spelling import alphabet_of

SEED = 20


@dataclass(frozen=True)
class Setting:
    """How much to measure."""

    n_messages: int
    n_peer: int
    texts: Path
    kept: Path


@dataclass(frozen=True)
class Line:
    """One measured cell: its value, the bar and whether it is met."""

    task: str
    cell: str
    value: str
    bar: str
    met: bool


def paired_lower(difference: np.ndarray, seed: int = 0) -> float:
    """Lower end of the 95 % bootstrap interval of a mean paired difference: above 0 only if it is real."""
    rng = np.random.default_rng(seed)
    means = rng.choice(difference, size=(2000, len(difference))).mean(axis=1)
    return float(np.quantile(means, 0.025))


def drawn(kind: str, plain: str, rng: np.random.Generator, language: str = "en") -> str:
    """A text enciphered with a key by chance."""
    return encipher(plain, cipher_of(kind).draw(language, rng), kind=kind, language=language)


# ---------------------------------------------------------------------------- tasks
def caesar(setting: Setting) -> Iterator[Line]:
    """Correct shifts, spaces kept."""
    n = 25 * setting.n_messages
    for length, bar in ((5, 0.95), (8, 0.99), (10, 0.995), (20, 0.999)):
        rng = np.random.default_rng([SEED, length])
        plain = messages("en", length, n, SEED, setting.texts)
        cipher = [drawn("caesar", text, rng) for text in plain]
        ours = np.mean(
            [decipher(c, "en", "caesar").plaintext == p for c, p in zip(cipher, plain, strict=True)]
        )
        theirs = None
        if find_spec("lantern"):
            theirs = np.mean(
                [cipher_peers.lantern_caesar(c) == p for c, p in zip(cipher, plain, strict=True)]
            )
        ahead = theirs is None or ours > theirs or ours == theirs == 1
        value = (
            f"{100 * ours:.2f} % (lantern {100 * theirs:.2f} %)"
            if theirs is not None
            else f"{100 * ours:.2f} %"
        )
        yield Line("caesar", f"{length} letters", value, f">= {100 * bar} %", bool(ours >= bar and ahead))


def substitution(setting: Setting) -> Iterator[Line]:
    """Symbol error without spaces, failed searches and time, against subbreaker on the same messages."""
    for length in (1000, 400, 200, 100):  # the quick cells first: subbreaker takes longest on short texts
        plain = [text.replace(" ", "") for text in _plain(setting, length)]
        pairs = [(_substituted(text, number), text) for number, text in enumerate(plain)]
        readings = paired_readings(pairs, length, setting.n_peer, setting.kept)
        ours = readings.pop(OURS)
        yield _alone(ours, f"{length} letters")
        for solver, theirs in readings.items():
            yield _paired(ours[: len(theirs)], theirs, f"{length} letters, {solver} ({len(theirs)})")


def _alone(ours: list[Reading], cell: str) -> Line:
    failures = np.mean([r.failed for r in ours])
    seconds = np.median([r.seconds for r in ours])
    value = f"error {100 * np.mean([r.error for r in ours]):.2f} %, failures {100 * failures:.1f} %, "
    value += f"median {seconds:.2f} CPU-s"
    met = failures <= 0.01 and seconds <= 1
    return Line("substitution", cell, value, "failures <= 1 %, median <= 1 s", bool(met))


def _paired(ours: list[Reading], theirs: list[Reading], cell: str) -> Line:
    mine, peer = np.array([r.error for r in ours]), np.array([r.error for r in theirs])
    ratio = np.median([r.seconds for r in theirs]) / np.median([r.seconds for r in ours])
    value = f"{100 * mine.mean():.2f} % against {100 * peer.mean():.2f} %, {ratio:.1f}x faster"
    met = paired_lower(mine - peer) <= 0 and ratio >= 5
    return Line("substitution", cell, value, "not above, >= 5x", bool(met))


def _plain(setting: Setting, length: int) -> list[str]:
    return messages("en", length, setting.n_messages, SEED, setting.texts)


def _substituted(plain: str, number: int, language: str = "en") -> str:
    return drawn("substitution", plain, np.random.default_rng([SEED, number]), language)


def spaced_substitution(setting: Setting) -> Iterator[Line]:
    """Symbol error with spaces, which must help."""
    for length, bar in ((50, 0.12), (100, 0.015), (200, 0.003)):
        plain = _plain(setting, length)
        spaced = np.mean([_ours(text, i) for i, text in enumerate(plain)])
        joined = np.mean([_ours(text.replace(" ", ""), i) for i, text in enumerate(plain)])
        value = f"{100 * spaced:.2f} % (without spaces {100 * joined:.2f} %)"
        met = spaced <= bar and (spaced < joined or joined == 0)
        yield Line("substitution with spaces", f"{length} letters", value, f"<= {100 * bar} %", bool(met))


def _ours(plain: str, number: int) -> float:
    return read(OURS, _substituted(plain, number), plain, number).error


def homophonic(setting: Setting) -> Iterator[Line]:
    """408 symbols, 54 homophones, shared out by how often each letter occurs."""
    n = max(1, setting.n_messages // 4)
    errors, seconds = [], []
    for number, text in enumerate(messages("en", 408, n, SEED, setting.texts)):
        plain = text.replace(" ", "")
        key = homophones(plain, 54, np.random.default_rng([SEED, number]))
        cipher = encipher_homophonic(plain, key, alphabet=alphabet_of("en"), random_state=number)
        start = time.process_time()
        found = decipher(cipher, "en", "homophonic", random_state=number).plaintext
        seconds.append(time.process_time() - start)
        errors.append(error_rate(found, plain))
    solved = int(np.sum(np.array(errors) <= 0.05))
    value = f"{solved} of {n} solved, worst {100 * max(errors):.1f} %, median {np.median(seconds):.2f} CPU-s"
    met = solved >= 0.96 * n and np.median(seconds) <= 5
    yield Line("homophonic", "408 symbols, 54 homophones", value, ">= 48 of 50, <= 5 s", bool(met))


def homophones(plain: str, n_symbols: int, rng: np.random.Generator) -> dict[str, str]:
    """A key that flattens the text: each further symbol goes to the letter that is busiest a symbol."""
    alphabet = alphabet_of("en")
    counts = np.array([plain.count(letter) + 0.3 for letter in alphabet])
    share = np.ones(len(alphabet), dtype=int)
    while share.sum() < n_symbols:
        share[np.argmax(counts / share)] += 1
    names = [f"{i:02d}" for i in rng.permutation(n_symbols)]
    return dict(
        zip(names, (letter for letter, k in zip(alphabet, share, strict=True) for _ in range(k)), strict=True)
    )


def vigenere(setting: Setting) -> Iterator[Line]:
    """Exact plaintexts, 300 letters, periods 3 to 12 in turn."""
    exact, seconds = [], []
    for number, text in enumerate(_plain(setting, 300)):
        shifts = np.random.default_rng([SEED, number]).integers(26, size=3 + number % 10)
        cipher = encipher(text, "".join(alphabet_of("en")[shift] for shift in shifts), kind="vigenere")
        start = time.process_time()
        exact.append(decipher(cipher, "en", "vigenere").plaintext == text)
        seconds.append(time.process_time() - start)
    value = f"{100 * np.mean(exact):.1f} %, median {np.median(seconds):.2f} CPU-s"
    yield Line("vigenere", "periods 3-12, 300 letters", value, ">= 99 %", bool(np.mean(exact) >= 0.99))


def languages(setting: Setting) -> Iterator[Line]:
    """400 letters without spaces, in six languages, none of them told."""
    right, errors = [], []
    cells = {}
    for language in ("en", "de", "fr", "es", "it", "ru"):
        own, wrong = [], []
        for number, text in enumerate(
            messages(language, 400, max(1, setting.n_messages // 6), SEED, setting.texts)
        ):
            plain = text.replace(" ", "")
            result = decipher(_substituted(plain, number, language), kind="substitution", random_state=number)
            own.append(result.language == language)
            wrong.append(error_rate(result.plaintext, plain))
        cells[language] = f"{language} {100 * np.mean(own):.0f} % / {100 * np.mean(wrong):.2f} %"
        right += own
        errors += wrong
    value = f"language {100 * np.mean(right):.1f} %, error {100 * np.mean(errors):.2f} % "
    value += f"({', '.join(cells.values())})"
    met = np.mean(right) >= 0.98 and np.mean(errors) <= 0.01
    yield Line("unknown language", "400 letters, no spaces", value, ">= 98 %, <= 1 %", bool(met))


def calibration(setting: Setting) -> Iterator[Line]:
    """Posterior of the best shift against how often it is right, 3 to 12 letters."""
    n = 10 * setting.n_messages
    confidence, right = [], []
    for length in range(3, 13):
        rng = np.random.default_rng([SEED, length])
        for plain in messages("en", length, n, SEED + 1, setting.texts):
            result = decipher(drawn("caesar", plain, rng), "en", "caesar")
            confidence.append(result.confidence)
            right.append(result.plaintext == plain)
    edges = np.array([0, 0.2, 0.4, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0 + 1e-9])
    bins = np.digitize(confidence, edges) - 1
    for b in range(len(edges) - 1):
        members = bins == b
        if members.any():
            stated, observed = np.mean(np.array(confidence)[members]), np.mean(np.array(right)[members])
            value = f"{members.sum()} messages: stated {100 * stated:.1f} %, right {100 * observed:.1f} %"
            met = members.sum() < 1000 or abs(stated - observed) <= 0.03
            yield Line(
                "shift posterior",
                f"{edges[b]:.2f}-{edges[b + 1]:.2f}",
                value,
                "within 3 points",
                bool(met),
            )


TASKS: dict[str, Callable[[Setting], Iterator[Line]]] = {
    task.__name__: task
    for task in (caesar, substitution, spaced_substitution, homophonic, vigenere, languages, calibration)
}


_HEAD = """# Ciphers, measured

Written by `python -m bench.ciphers`; nothing here is typed by hand. Messages come from a genre the letter
statistics have not seen; keys are random. Times are CPU seconds, one thread. A search failed if the true text
scores higher than the one it found. Numbers in brackets are messages a peer has read.

| task | cell | measured | bar | met |
|---|---|---|---|---|
"""


def report(measured: dict[str, Any]) -> str:
    """All lines as one Markdown table."""
    lines = [Line(**line) for part in measured.values() for line in part["lines"]]
    rows = (f"| {x.task} | {x.cell} | {x.value} | {x.bar} | {'yes' if x.met else '**no**'} |" for x in lines)
    return _HEAD + "\n".join(rows) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--only", nargs="*", choices=list(TASKS), default=list(TASKS))
    parser.add_argument(
        "--messages", type=int, default=200, help="messages a cell (25 times as many for Caesar)"
    )
    parser.add_argument(
        "--peer-messages", type=int, help="messages for subbreaker, which is slow; default: all"
    )
    parser.add_argument("--texts", type=Path, default=Path("build/unseen"))
    parser.add_argument("--out", type=Path, default=Path("bench/ciphers.json"))
    parser.add_argument("--report", type=Path, default=Path("docs/proof/ciphers.md"))
    arguments = parser.parse_args()
    n_peer = arguments.messages if arguments.peer_messages is None else arguments.peer_messages
    setting = Setting(arguments.messages, n_peer, arguments.texts, arguments.out.with_suffix(".jsonl"))
    warnings.simplefilter("ignore")  # short messages are the point here
    decipher("a warm start for the compiled search", "en", "substitution")
    measured: dict[str, Any] = json.loads(arguments.out.read_text()) if arguments.out.exists() else {}
    for name in arguments.only:
        lines = []
        for line in TASKS[name](setting):
            lines.append(line)
            mark = "met   " if line.met else "MISSED"
            print(f"{mark} {line.task}: {line.cell}: {line.value} [{line.bar}]", flush=True)
        measured[name] = {"messages": setting.n_messages, "lines": [vars(line) for line in lines]}
        arguments.out.write_text(json.dumps(measured, indent=1))
        arguments.report.write_text(report(measured), encoding="utf-8")


if __name__ == "__main__":
    main()
