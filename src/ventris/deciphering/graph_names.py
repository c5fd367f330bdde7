"""States named by the moves between them: which room is which, from the plan of doors alone.

A walk on a plan moves in small steps, so a naming that is right here and folded there is a deep local
optimum of the moves themselves. Moves are therefore diffused first: who is reached from where, sooner or
later, changes smoothly with a swap, and its best naming is nearly the right one. Swaps of names are annealed
on that, and then on the moves.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ventris.deciphering.dwell_settings import DEFAULT, DwellSettings
from ventris.kernels.graph_matching import swap_names

Array = NDArray[np.floating]
End = tuple[NDArray[np.int64], float]  # names and their score


class Naming(NamedTuple):
    """State i is called `names[i]`; `score` in nats; how many annealings ended there."""

    names: NDArray[np.int64]
    score: float
    n_starts: int


def without_staying(pairs: Array) -> Array:
    """Pairs of two different labels: shape (C, C).

    Examples
    --------
    >>> without_staying(np.array([[5.0, 1.0], [2.0, 7.0]]))
    array([[0., 1.],
           [2., 0.]])
    """
    return pairs * ~np.eye(len(pairs), dtype=bool)


def diffused(moves: Array, reach: float) -> Array:
    """Shares of pairs of labels that a walk of these moves connects, sooner or later (resolvent kernel).

    ``R = (1 − a) Σ_k a^k Jᵏ``, J the moves in both directions, made to follow one another, a the reach.

    References
    ----------
    .. [1] R. I. Kondor and J. Lafferty, "Diffusion kernels on graphs and other discrete structures", ICML
       2002, 315-322.

    Examples
    --------
    >>> path = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 1.0], [0.0, 1.0, 0.0]])
    >>> diffused(path, 0.5).round(3)
    array([[0.146, 0.083, 0.021],
           [0.083, 0.333, 0.083],
           [0.021, 0.083, 0.146]])
    """
    both = moves + moves.T
    often = both.sum(axis=1)
    steps = both / np.maximum(often, 1e-12)[:, None]
    kernel = (1 - reach) * np.linalg.inv(np.eye(len(moves)) - reach * steps)
    return (often / often.sum())[:, None] * kernel


def match_graph(
    pairs: Array,
    label_pairs: Array,
    rng: np.random.Generator,
    *,
    evidence: Array | None = None,
    settings: DwellSettings = DEFAULT,
) -> list[Naming]:
    """Namings of states under which their moves follow the graph, best first (quadratic assignment).

    Parameters
    ----------
    pairs : array of shape (C, C)
        How often each state followed each.
    label_pairs : array of shape (C, C)
        What the label model says of labels.
    evidence : array of shape (C, C), optional
        Nats that speak for each name of each state: known labels.
    settings : DwellSettings

    References
    ----------
    .. [1] J. T. Vogelstein et al., "Fast approximate quadratic programming for graph matching", PLoS ONE 10
       (2015), e0121002.

    Examples
    --------
    >>> path = np.diag([3.0, 1.0, 2.0], 1)
    >>> [best, *_] = match_graph((path + path.T)[::-1, ::-1], path + path.T, np.random.default_rng(0))
    >>> best.names
    array([3, 2, 1, 0])
    """
    moves, n_classes = without_staying(np.asarray(pairs, dtype=float)), len(pairs)
    doors = without_staying(np.asarray(label_pairs, dtype=float))
    doors = doors / doors.sum()
    log_doors = np.log(np.maximum(doors, settings.floor / n_classes**2))
    own = np.zeros_like(moves) if evidence is None else evidence
    per_label = moves.sum() / n_classes

    def anneal(
        counts: Array, logs: Array, names: NDArray, between: tuple[float, float]
    ) -> tuple[NDArray, float]:
        heat = np.append(per_label * np.geomspace(*between, settings.temperatures), 0.0)
        seed = int(rng.integers(1, 2**62))
        return swap_names(counts, logs, own, names.copy(), heat, settings.swaps * n_classes, seed)

    ends = []
    for number in range(settings.matchings):
        reach = settings.reach[number % len(settings.reach)]
        far = diffused(moves / moves.sum(), reach) * moves.sum()
        far_logs = np.log(np.maximum(diffused(doors, reach), 1e-300))
        first, _ = anneal(far, far_logs, rng.permutation(n_classes), settings.far)
        ends.append(anneal(moves, log_doors, first, settings.near))
    for _ in range(settings.faq_starts):
        ends.append(anneal(moves, log_doors, _relaxed(moves, log_doors, rng), settings.near))
    return _distinct(ends)


def _relaxed(moves: Array, logs: Array, rng: np.random.Generator) -> NDArray[np.int64]:
    """Names by the relaxed problem from a random start (FAQ)."""
    from scipy.optimize import quadratic_assignment

    options = {"maximize": True, "P0": "randomized", "rng": rng}
    return quadratic_assignment(moves, logs, method="faq", options=options).col_ind.astype(np.int64)


def _distinct(ends: list[End]) -> list[Naming]:
    found: list[Naming] = []
    for names, score in sorted(ends, key=lambda end: -end[1]):
        same = next((n for n, each in enumerate(found) if np.array_equal(each.names, names)), None)
        if same is None:
            found.append(Naming(names, float(score), 1))
        else:
            found[same] = found[same]._replace(n_starts=found[same].n_starts + 1)
    return found
