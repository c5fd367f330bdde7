"""The code table by annealing a hard map from codes to labels (simulated annealing): it needs no guess."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ventris.deciphering.ciphertext import Ciphertext, Contender
from ventris.deciphering.key_search import anneal_map

Array = NDArray[np.floating]


def _by_annealing(ciphertext: Ciphertext, n_starts: int, rng: np.random.Generator) -> tuple[list[Array], int]:
    """Hard maps from codes to labels, each from a random one (simulated annealing).

    They want hardly more codes than labels: pairs of fewer, fuller codes are the surer guide, and what such a
    coarse codebook confuses, a finer one and the refits put right.

    References
    ----------
    .. [1] S. Kirkpatrick, C. D. Gelatt and M. P. Vecchi, "Optimization by simulated annealing", Science 220
       (1983), 671-680.
    """
    statistics, settings = ciphertext.statistics, ciphertext.settings
    restarts = max(1, n_starts // settings.starts_per_map)
    moves = settings.map_moves * statistics.n_codes * statistics.n_classes
    found = anneal_map(
        ciphertext.n_points * statistics.code_pairs,
        np.log(np.maximum(statistics.label_pairs, settings.impossible_pair)),
        entropy_weight=settings.map_entropy,
        moves=round(moves * min(1.0, (settings.all_moves_codes / statistics.n_codes) ** 2)),
        temperatures=settings.map_temperatures,
        n_restarts=restarts,
        random_state=rng,
        settings=settings.cooling,
    )
    keys = [found.restart_keys[number] for number in np.argsort(found.restart_scores)[::-1]]
    others = (1 - settings.map_certainty) / statistics.n_classes
    hard = settings.map_certainty * np.eye(statistics.n_classes)
    return [hard[key] + others for key in keys], restarts


ANNEALING = Contender("annealing", _by_annealing)
