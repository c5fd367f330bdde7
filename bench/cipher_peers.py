"""The peers: lantern for shifts, subbreaker for substitutions, the latter also with our statistics."""

from __future__ import annotations

import io
import json
from functools import cache
from importlib import resources
from typing import Any

import numpy as np

from ventris.datasets.letters import load_counts


def lantern_caesar(text: str) -> str:
    """lantern's best reading of a shift cipher, by its quadgrams."""
    from lantern.fitness import english
    from lantern.modules import shift

    return "".join(shift.crack(text, english.quadgrams)[0].plaintext)


def subbreaker_reading(text: str, *, our_statistics: bool) -> str:
    """subbreaker's reading of a substitution, with its own quadgrams or with ours."""
    result = _breaker(our_statistics).break_cipher(text)
    return str(result.plaintext)


@cache
def _breaker(our_statistics: bool) -> Any:
    from subbreaker.breaker import Breaker

    if our_statistics:
        return Breaker(io.StringIO(json.dumps(_our_quadgrams())))
    with resources.files("subbreaker").joinpath("quadgram/EN.json").open(encoding="utf-8") as file:
        return Breaker(file)


def _our_quadgrams() -> dict[str, Any]:
    """Our English 4-gram counts in subbreaker's scale: 1000 for a typical one, unseen ones at 0."""
    counts = load_counts("en", order=4, space=False)
    codes, n = counts.counts(4)
    digits = np.array([codes // 26**i % 26 for i in (3, 2, 1, 0)])
    index = digits.T @ 32 ** np.arange(3, -1, -1)
    share = n / n.sum()
    value = np.log(share) - np.log(0.1 * share.min())
    value *= 1000 / (share @ value)
    table = np.zeros(32**4, dtype=int)
    table[index] = np.rint(value)
    return {
        "alphabet": counts.alphabet,
        "nbr_quadgrams": int(n.sum()),
        "most_frequent_quadgram": "tion",
        "max_fitness": int(table.max()),
        "average_fitness": float(table.sum() / 26**4),
        "quadgrams": table.tolist(),
    }
