"""The rows of the claim: a family each, beside the known channel and, on 10,000 letters, beside peers."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass
from functools import partial
from string import ascii_lowercase
from typing import Any

import numpy as np

from bench.family import Family, Row
from bench.real_ciphers.files import needs
from bench.spelling import peers
from bench.spelling.distance import distance, error_rate
from bench.spelling.noises import Noise, confusions, keyboard
from bench.spelling.texts import FILE, first_letters, folded, stretches
from ventris.datasets.letters import BREAK, fold_text
from ventris.spelling.channel import Channel
from ventris.spelling.correct import correct
from ventris.spelling.language import language_of
from ventris.spelling.result import Correction

LONG, SHORT, PEERS_SEE = 100_000, 5_000, 10_000  # letters
WHAT_IS_LOST = {"inserted": 0.02, "dropped": 0.02, "spaces": 0.01}


@dataclass(frozen=True, eq=False)
class Task:
    """A text, its noise, and what is asked of it."""

    name: str
    seed: int
    n_letters: int
    noise: Noise | None
    beside_peers: bool = False


def typed(rate: float, seed: int) -> Task:
    """Keys hit beside the one meant."""
    return Task(f"keyboard {rate:.0%}", seed, LONG, keyboard(rate), beside_peers=True)


def typed_fast(seed: int) -> Task:
    """The same, letters and spaces lost and added too."""
    return Task("keyboard 10%, edits", seed, LONG, keyboard(0.1, **WHAT_IS_LOST), beside_peers=True)


def typed_briefly(seed: int) -> Task:
    """A page of it."""
    return Task("keyboard 10%, a page", seed, SHORT, keyboard(0.1))


def confused(seed: int) -> Task:
    """Each letter has three others that it is taken for, nobody knows which."""
    return Task("confusion 40%", seed, LONG, confusions(0.4, seed))


def clean(seed: int) -> Task:
    """Nothing was done to it."""
    return Task("clean", seed, LONG, None)


def timed(text: str, **how: Any) -> tuple[Correction, float]:
    """What `correct` makes of a text, and CPU seconds."""
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = correct(text, "en", **how)
    return found, time.process_time() - start


def measure(task: Task) -> Row:
    """Errors as shares of letters and spaces, with the channel learnt and with the true one."""
    language_of("en")  # read once, and not counted here
    meant = folded(task.seed, task.n_letters)
    if task.noise is None:
        return _measure_clean(task)
    written = task.noise.apply(meant, task.seed)
    found, cpu = timed(written)
    known, cpu_known = timed(written, channel=task.noise.channel(meant))
    row = {
        "task": task.name,
        "seed": task.seed,
        "letters": len(written) - written.count(" "),
        "written": error_rate(meant, written),
        "error": error_rate(meant, found.text),
        "known": error_rate(meant, known.text),
        "cpu": cpu,
        "cpu_known": cpu_known,
        "rates": found.channel.rates,
        "confidence": found.confidence,
    }
    return row | (_beside_peers(task, meant, found.channel) if task.beside_peers else {})


def _beside_peers(task: Task, meant: str, channel: Channel) -> Row:
    """The first letters alone; ours with the channel that the whole text has taught."""
    head = first_letters(meant, PEERS_SEE)
    written = task.noise.apply(head, task.seed)
    ours = error_rate(head, timed(written, channel=channel)[0].text)
    return {"peers": peers.errors(head, written), "ours_beside_peers": ours}


def _measure_clean(task: Task) -> Row:
    """Letters of clean text that are changed: as it is printed, and in small letters alone."""
    books = []
    for printed in stretches(task.seed, task.n_letters):  # each is a text of its own: one writer, one noise
        found, cpu = timed(printed)
        small = fold_text(printed, ascii_lowercase).replace(BREAK, " ")
        books.append(
            {
                "letters": sum(char.isalpha() for char in printed),
                "changed": distance(printed, found.text),
                "changed_folded": distance(small, timed(small)[0].text),
                "cpu": cpu,
                "rates": found.channel.rates,
                "some": [
                    [each.before, each.after, round(each.probability, 3)] for each in found.changes[:20]
                ],
            }
        )
    letters = sum(book["letters"] for book in books)
    return {
        "task": task.name,
        "seed": task.seed,
        "letters": letters,
        "changed": sum(book["changed"] for book in books) / letters,
        "changed_folded": sum(book["changed_folded"] for book in books) / letters,
        "cpu": sum(book["cpu"] for book in books),
        "books": books,
    }


# --------------------------------------------------------------------------------------------- numbers


def numbers(rows: list[Row]) -> Row:
    """Ratios to the known channel's error and to the peers'."""
    ratios = [row["error"] / max(row["known"], 1e-9) for row in rows]
    found = {
        "runs": len(rows),
        "mean ratio": float(np.mean(ratios)),
        "worst ratio": float(np.max(ratios)),
        "worst error": max(row["error"] for row in rows),
        "most cpu": max(row["cpu"] for row in rows),
    }
    beside = [row for row in rows if "peers" in row]
    if beside:
        shares = {
            name: max(row["ours_beside_peers"] / row["peers"][name] for row in beside)
            for name in beside[0]["peers"]
        }
        found |= {
            "worst share of symspell's": shares["symspell"],
            "worst share of any peer's": max(shares.values()),
        }
    return found


def clean_numbers(rows: list[Row]) -> Row:
    """Per cent of letters changed."""
    return {
        "runs": len(rows),
        "most changed, %": 100 * max(row["changed"] for row in rows),
        "most changed in small letters, %": 100 * max(row["changed_folded"] for row in rows),
    }


def line(row: Row) -> str:
    """A run."""
    if "changed" in row:
        return (
            f"{row['task']} seed {row['seed']}  changed {row['changed']:.4%} as printed, "
            f"{row['changed_folded']:.4%} in small letters  {row['cpu']:.1f} CPU-s"
        )
    beside = ""
    if "peers" in row:
        told = ", ".join(f"{name} {error:.2%}" for name, error in row["peers"].items())
        beside = f"  first letters: ours {row['ours_beside_peers']:.2%}, {told}"
    ratio = row["error"] / max(row["known"], 1e-9)
    return (
        f"{row['task']} seed {row['seed']}  {row['written']:.2%} → {row['error']:.2%}  "
        f"known {row['known']:.2%} ({ratio:.2f}x)  {row['cpu']:.1f} CPU-s, "
        f"with the known channel {row['cpu_known']:.1f}{beside}"
    )


def _why_not() -> str:
    return needs(FILE)() or peers.why_not()


SUBSTITUTIONS = Family(
    "spelling: keyboard substitutions",
    tuple(partial(typed, rate) for rate in (0.05, 0.1, 0.2)),
    3,
    measure=measure,
    numbers=numbers,
    line=line,
    why_not=_why_not,
)
EDITS = Family(
    "spelling: with edits", (typed_fast,), 3, measure=measure, numbers=numbers, line=line, why_not=_why_not
)
PAGE = Family(
    "spelling: 5,000 letters",
    (typed_briefly,),
    3,
    measure=measure,
    numbers=numbers,
    line=line,
    why_not=needs(FILE),
)
CONFUSIONS = Family(
    "spelling: unknown confusions",
    (confused,),
    3,
    measure=measure,
    numbers=numbers,
    line=line,
    why_not=needs(FILE),
)
CLEAN = Family(
    "spelling: clean text",
    (clean,),
    3,
    measure=measure,
    numbers=clean_numbers,
    line=line,
    why_not=needs(FILE),
)
