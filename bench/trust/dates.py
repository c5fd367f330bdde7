"""Handwritten digits that spell dates: 5 to 8 are used nearly alike and hard to tell apart.

Years run from 1950 to 2024: a few more days in some months and the decades are all that parts 5, 6, 7 and 8.
Even seeds write DDMMYYYY, odd ones YYYYMMDD, one date after another without a gap; the label model has order
3 and is counted from other dates of the same years.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from bench.family import Family, Row
from bench.metrics import best_permutation_error, error_rate
from bench.reference import predict, supervised_reference
from bench.tasks import N_TEST, N_TRAIN, N_VALIDATION, Task, three_parts
from bench.trust.fits import doubt_numbers, ending, fit, numbered, percent
from ventris import NgramModel
from ventris.datasets.digits import digit_pools

FIRST_DAY, LAST_DAY = np.datetime64("1950-01-01"), np.datetime64("2024-12-31")
ORDER, N_OTHER_DATES = 3, 20_000
WITHIN = 1.3  # times the supervised error
MISREAD = 1 / 3  # share of a digit's images read as others from which on the digit counts as confused


def dates(n_dates: int, seed: int, rng: np.random.Generator) -> NDArray:
    """The digits of so many random days, eight each, in the seed's way of writing: shape (8 · n_dates,)."""
    days = FIRST_DAY + rng.integers((LAST_DAY - FIRST_DAY).astype(int) + 1, size=n_dates)
    written = [str(day).split("-") for day in days]
    order = slice(None, None, 1 if seed % 2 else -1)
    return np.array([int(digit) for parts in written for digit in "".join(parts[order])])


def dates_on_digits(seed: int) -> Task:
    """Images of the digits of random dates; the three parts share no image."""
    rng = np.random.default_rng([seed, 8])
    pools = digit_pools(rng)
    lm = NgramModel.from_sequences([dates(N_OTHER_DATES, seed, rng)], ORDER, classes=range(10))
    length = N_TRAIN + N_VALIDATION + N_TEST
    y = dates(length // 8 + 1, seed, rng)[:length]
    return Task.of_parts("dates on digits", seed, lm, three_parts(y, pools, rng))


def confused(y: NDArray, read: NDArray) -> list[int]:
    """Digits that are mostly, or often, read as others."""
    return [digit for digit in range(10) if error_rate(y[y == digit], read[y == digit]) > MISREAD]


def names_all(message: str, digits: Iterable[int]) -> bool:
    """Whether a message has every one of the digits as a word of its own, not inside a number.

    Examples
    --------
    >>> names_all("labels 5 and '8' may be exchanged: 0.6 nats", [5, 8]), names_all("58 of 0.6", [5, 6])
    (True, False)
    """
    found = set(re.findall(r"(?<![\w.,])[0-9](?![\w]|[.,]\d)", message))
    return {str(digit) for digit in digits} <= found


def measure(task: Task) -> Row:
    """Whether the digits have their names, and whether a doubt names those that have not."""
    clf, row = fit(task.lm, task.X_train, task.lengths, seed=task.seed)
    read, reference = numbered(clf, clf.predict(task.X_test)), supervised_reference(task)
    error, wrong = error_rate(task.y_test, read), confused(task.y_test, read)
    close = error <= WITHIN * reference.error_rate
    return row | {
        "task": task.name,
        "seed": task.seed,
        "supervised": reference.error_rate,
        "supervised_confused": confused(task.y_test, predict(reference.model, task.X_test)),
        "error": error,
        "renamed": best_permutation_error(task.y_test, read, 10),
        "decoded": error_rate(task.y_test, numbered(clf, clf.decode(task.X_test))),
        "supervised_decoded": reference.decoded_error,
        "confused": wrong,
        "close": close,
        "named": bool(wrong) and any(names_all(message, wrong) for _, message in clf.report_.warnings),
    }


def numbers(rows: list[Row]) -> Row:
    """Runs that are close, and those neither close nor doubted by name."""
    ratios = [row["error"] / row["supervised"] for row in rows]
    close = [row["close"] for row in rows]
    return {
        "runs": len(rows),
        "close": sum(close),
        "neither close nor named": sum(not row["close"] and not row["named"] for row in rows),
        "right, doubted": doubt_numbers(rows, close)["right, doubted"],
        "mean ratio": float(np.mean(ratios)),
        "worst ratio": float(np.max(ratios)),
        "cpu": float(np.mean([row["cpu"] for row in rows])),
    }


def line(row: Row) -> str:
    """A run."""
    digits = " ".join(map(str, row["confused"])) or "none"
    return (
        f"{row['task']} seed {row['seed']}  supervised {percent(row['supervised'])}  unsupervised "
        f"{percent(row['error'])} (renamed {percent(row['renamed'])})  decoded {percent(row['decoded'])} "
        f"({percent(row['supervised_decoded'])})  confused: {digits}{', named' if row['named'] else ''}  "
        f"{ending(row)}"
    )


# Seed 303 showed a doubt that named three digits of four, 305 none where points hardly decide; mended since.
FAMILY = Family(
    "dates on digits", (dates_on_digits,), 5, first_seed=310, measure=measure, numbers=numbers, line=line
)
