"""The code table by a one-to-one key from groups of codes to labels, tens or hundreds of them.

Codes that lie together, or symbols in the same company, are put into as many groups as there are labels;
their pairs are then a text in a syllabary, and exchanges of labels are annealed. What groups confuse is put
right by reading, which every table goes through before tables are compared.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ventris.deciphering.ciphertext import Ciphertext, Contender
from ventris.deciphering.key_search import anneal_map
from ventris.deciphering.settings import SearchSettings
from ventris.deciphering.starts import groupings_of, signature_key

Array = NDArray[np.floating]


def _by_key(ciphertext: Ciphertext, n_starts: int, rng: np.random.Generator) -> tuple[list[Array], int]:
    """Hard maps, each of a grouping of its own, best first (simulated annealing).

    References
    ----------
    .. [1] S. Kirkpatrick, C. D. Gelatt and M. P. Vecchi, "Optimization by simulated annealing", Science 220
       (1983), 671-680.
    """
    statistics, settings = ciphertext.statistics, ciphertext.settings
    n_classes = statistics.n_classes
    groupings = groupings_of(ciphertext, 4 * settings.group_keys, rng)
    log_prob = np.log(np.maximum(statistics.label_pairs, settings.impossible_pair))
    ends = []
    for number in range(settings.group_keys):
        groups = groupings[number % len(groupings)]
        pairs = ciphertext.n_points * _of_groups(statistics.code_pairs, groups, n_classes)
        # A grouping met again, as symbols have only one, is searched from anywhere.
        start = _signed(groups, ciphertext, rng) if number < len(groupings) else None
        key = _annealed(pairs, log_prob, start, settings, rng)
        score = float(np.sum(pairs * log_prob[:, key][:, :, key]))
        ends.append((score, key[groups]))
    others = (1 - settings.map_certainty) / n_classes
    hard = settings.map_certainty * np.eye(n_classes)
    return [hard[key] + others for _, key in sorted(ends, key=lambda end: -end[0])], settings.group_keys


def _of_groups(code_pairs: Array, groups: NDArray, n_groups: int) -> Array:
    """Shares of pairs of groups, some perhaps empty: shape (L, C, C)."""
    member = np.eye(n_groups)[groups]  # (K, C)
    return member.T @ code_pairs @ member


def _signed(groups: NDArray, ciphertext: Ciphertext, rng: np.random.Generator) -> NDArray[np.int64]:
    """Label of each group by its signature, empty groups having those left over: shape (C,)."""
    n_classes = ciphertext.statistics.n_classes
    key = np.full(n_classes, -1)
    key[groups] = signature_key(groups, ciphertext, rng, shaken=False)
    key[key < 0] = np.setdiff1d(np.arange(n_classes), key)
    return key


def _annealed(
    pairs: Array,
    log_prob: Array,
    start: NDArray | None,
    settings: SearchSettings,
    rng: np.random.Generator,
) -> NDArray[np.int64]:
    """Exchanges of labels: cool and at every lag from a guess, hot and of neighbours alone from anywhere."""
    n_classes, lags = log_prob.shape[1], slice(None) if start is not None else slice(1)
    scale = float(pairs[lags].sum()) / n_classes**2  # what `anneal_map` measures temperatures in
    if start is None:
        nats = [each * float(pairs[0].sum()) for each in settings.group_temperatures]
    else:
        nats = list(settings.signed_temperatures)
    return anneal_map(
        pairs[lags],
        log_prob[lags],
        entropy_weight=0.0,  # no exchange changes how often labels are used in all
        moves=settings.group_moves[start is not None] * n_classes**2,
        temperatures=(nats[0] / scale, nats[1] / scale),
        n_restarts=1,
        one_to_one=True,
        start=start,
        random_state=rng,
        settings=settings.cooling,
    ).key


GROUPED_KEY = Contender("grouped key", _by_key)
