"""A period over a keyed alphabet (quagmire III): the alphabet is annealed, its columns turned to fit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ventris.deciphering.key_score import Tables, log_likelihood
from ventris.deciphering.key_settings import KEYS, KeySettings


@dataclass(frozen=True)
class KeyedPeriods:
    """Keys that runs ended at, best first.

    Attributes
    ----------
    keys : tuple of (int array of shape (C,), int array of shape (P,))
        The alphabet, and the shift of each column in it.
    scores : array of shape (S,)
        Log-likelihood of the text under each, in nats.
    """

    keys: tuple[tuple[NDArray[np.int64], NDArray[np.int64]], ...]
    scores: NDArray[np.float64]


def read_keyed(letters: NDArray, alphabet: NDArray, shifts: NDArray) -> NDArray[np.int64]:
    """Every letter moved back in the alphabet by the shift of its column.

    Examples
    --------
    >>> read_keyed(np.array([0, 0, 1]), np.array([2, 0, 1]), np.array([0, 1])).tolist()
    [0, 2, 1]
    """
    columns = np.asarray(shifts)[np.arange(len(letters)) % len(shifts)]
    return np.asarray(alphabet)[(np.argsort(alphabet)[letters] - columns) % len(alphabet)]


def find_keyed_period(
    letters: NDArray,
    tables: Tables,
    frequency: NDArray,
    rng: np.random.Generator,
    *,
    enough: float,
    effort: float = 1.0,
    settings: KeySettings = KEYS,
) -> KeyedPeriods:
    """The likeliest key (simulated annealing); periods whose columns use letters most unevenly take turns.

    Parameters
    ----------
    letters : int array of shape (N,)
    tables : sequence of arrays of shapes (C,), (C, C), …
        log p of a letter given the ones before it.
    frequency : array of shape (C,)
    rng : Generator
    enough : float
        Nats a letter: a reading that costs no more ends the search.
    effort : float
    settings : KeySettings
    """
    from ventris.kernels.key_climbs import anneal_keyed

    letters, n_labels = np.asarray(letters, dtype=np.int64), len(frequency)
    periods, log_prob = _likely_periods(letters, n_labels, settings), tables[-1].ravel()
    longest = min(settings.keyed_word, n_labels - 1)
    found: dict[tuple, tuple] = {}
    for run in range(max(1, round(settings.keyed_runs * effort))):
        period = periods[run % len(periods)]
        best, _ = anneal_keyed(
            letters, _columns(letters, period, n_labels).astype(float), np.log(frequency), log_prob,
            len(tables), longest, settings.keyed_weight, *settings.keyed_temperatures, settings.keyed_moves,
            np.uint64(rng.integers(1, 2**63)),
        )  # fmt: skip
        key = best[:n_labels], best[n_labels:]
        score = float(log_likelihood(read_keyed(letters, *key)[None], tables)[0])
        found[tuple(best)] = (score, key)
        if -score <= enough * len(letters):
            break
    ranked = sorted(found.values(), key=lambda end: -end[0])
    return KeyedPeriods(tuple(key for _, key in ranked), np.array([score for score, _ in ranked]))


def _columns(letters: NDArray, period: int, n_labels: int) -> NDArray[np.int64]:
    """How often each column of a period has each letter: shape (P, C)."""
    return np.array([np.bincount(letters[c::period], minlength=n_labels) for c in range(period)])


def _likely_periods(letters: NDArray, n_labels: int, settings: KeySettings) -> list[int]:
    """Periods by the index of coincidence of their columns, the most uneven ones first."""
    evenness = {}
    for period in range(2, settings.keyed_longest + 1):
        counts = _columns(letters, period, n_labels)
        totals = counts.sum(axis=1)
        pairs = np.maximum(totals * (totals - 1), 1)
        evenness[period] = float(np.mean((counts * (counts - 1)).sum(axis=1) / pairs))
    ranked = sorted(evenness, key=lambda period: -evenness[period])[: settings.keyed_periods]
    return [period for period in ranked if evenness[period] >= settings.keyed_even * evenness[ranked[0]]]
