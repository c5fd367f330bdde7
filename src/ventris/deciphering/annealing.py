"""The code table by annealing a hard map from codes to labels (simulated annealing): it needs no guess."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ventris.deciphering.ciphertext import Ciphertext, Contender
from ventris.deciphering.key_search import anneal_map

Array = NDArray[np.floating]

# An annealed map: with pairs at four lags and a start hot enough to melt, 8 of 8 starts at 50 labels arrived;
# with two lags or a cooler start, 1 in 4.
_MAP_MOVES, _MAP_TEMPERATURES = 2000, (6.0, 1.0)
_ALL_MOVES = 300  # codes up to which a map makes them all: beyond, each costs ever more
_STARTS_PER_MAP = 48  # one annealing takes as long as about this many starts of descent
_HARD = 0.9  # how sure a hard map is: what is left to other labels lets later steps change their mind


def _by_annealing(ciphertext: Ciphertext, n_starts: int, rng: np.random.Generator) -> tuple[list[Array], int]:
    """Hard maps from codes to labels, each from a random one.

    They want hardly more codes than labels: pairs of fewer, fuller codes are the surer guide, and what such a
    coarse codebook confuses, a finer one and the refits put right.
    """
    statistics, restarts = ciphertext.statistics, max(1, n_starts // _STARTS_PER_MAP)
    moves = _MAP_MOVES * statistics.n_codes * statistics.n_classes
    found = anneal_map(
        ciphertext.n_points * statistics.code_pairs,
        np.log(np.maximum(statistics.label_pairs, 1e-12)),
        moves=round(moves * min(1.0, (_ALL_MOVES / statistics.n_codes) ** 2)),
        temperatures=_MAP_TEMPERATURES,
        min_restarts=restarts,
        max_restarts=restarts,
        random_state=rng,
    )
    keys = [found.restart_keys[number] for number in np.argsort(found.restart_scores)[::-1]]
    others = (1 - _HARD) / statistics.n_classes
    return [_HARD * np.eye(statistics.n_classes)[key] + others for key in keys], restarts


ANNEALING = Contender("annealing", _by_annealing)
