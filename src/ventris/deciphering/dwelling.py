"""States without names, found by dwell: codes that follow one another within a stay belong together.

Codes are grouped by how often they are seen close together, whatever their names; transitions between the
groups are then free, and follow the codes (Baum–Welch). A start may spend one state on two rooms and two on
one: states are then given up and others divided, as long as the codes get likelier.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ventris.deciphering.ciphertext import Ciphertext, Stretch
from ventris.deciphering.dwell_settings import DwellSettings
from ventris.deciphering.likelihood import Explained, explain

Array = NDArray[np.floating]


def find_states(ciphertext: Ciphertext, rng: np.random.Generator) -> Explained:
    """As many states as there are labels, their transitions as the codes have them (Baum–Welch, free)."""
    settings, n_classes = ciphertext.settings.dwelling, ciphertext.statistics.n_classes
    start = settings.stay * np.eye(n_classes) + (1 - settings.stay) / n_classes
    scouts = []
    for groups in groupings_by_dwell(ciphertext, rng):
        member = np.eye(n_classes)[groups]
        table = settings.member * member + (1 - settings.member) * member.mean(axis=0)
        scouts.append(_settled(table, start, ciphertext, settings.scout_rounds))
    best = max(scouts, key=lambda scout: scout.loglik)
    states = _settled(best.table, best.transitions, ciphertext, settings.state_rounds)
    return split_and_merge(states, ciphertext)


def nearness(ciphertext: Ciphertext) -> Array:
    """Pairs of codes close together, in either order, counted over all the points: shape (K, K)."""
    close = ciphertext.n_points * ciphertext.statistics.code_pairs.sum(axis=0)
    return (close + close.T) / 2


def groupings_by_dwell(ciphertext: Ciphertext, rng: np.random.Generator) -> list[NDArray[np.int64]]:
    """The group of each code, as many as labels, in a few ways: shape (K,) each (spectral clustering).

    References
    ----------
    .. [1] A. Y. Ng, M. I. Jordan and Y. Weiss, "On spectral clustering: analysis and an algorithm", NIPS 14
       (2001), 849-856.
    """
    from sklearn.cluster import KMeans

    n_classes, close = ciphertext.statistics.n_classes, nearness(ciphertext)
    often = np.maximum(close.sum(axis=1), 1e-9)  # a code never seen weighs nothing, and divides nothing by it
    vectors = np.linalg.eigh(close / np.sqrt(often[:, None] * often))[1][:, -n_classes:]
    vectors = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    seeds = rng.integers(2**31, size=ciphertext.settings.dwelling.groupings)
    means = [KMeans(n_classes, n_init=1, random_state=int(seed)) for seed in seeds]
    return [each.fit_predict(vectors, sample_weight=often) for each in means]


def split_and_merge(states: Explained, ciphertext: Ciphertext) -> Explained:
    """Give up a state and divide another, while the codes get likelier for it (split–merge EM).

    References
    ----------
    .. [1] N. Ueda, R. Nakano, Z. Ghahramani and G. E. Hinton, "SMEM algorithm for mixture models", Neural
       Computation 12 (2000), 2109-2128.
    """
    settings, close = ciphertext.settings.dwelling, nearness(ciphertext)
    tried: set[tuple[int, int]] = set()
    n_trials, moved = 0, False
    while n_trials < settings.trials:
        gains, sides = division_gains(states.table, close)
        options = [
            (int(gone), int(split))
            for gone in dispensable(states.pairs, states.table, close)[: settings.gone_states]
            for split in np.argsort(-gains)[: settings.split_states]
            if gone != split and (int(gone), int(split)) not in tried
        ]
        if not options:
            break
        gone, split = max(options, key=lambda each: gains[each[1]])
        table, transitions = _moved(states, gone, split, sides[split], settings)
        n_trials += 1
        attempt = _settled(table, transitions, ciphertext, settings.trial_rounds, states.objective)
        if attempt.loglik > states.loglik + settings.move_gain:
            states, moved = attempt, True
            tried.clear()
        else:
            tried.add((gone, split))
    return _settled(states.table, states.transitions, ciphertext, settings.state_rounds) if moved else states


def division_gains(table: Array, close: Array) -> tuple[Array, Array]:
    """What dividing each state in two would tell, in nats, and the side of each code: (C,) and (C, K).

    Codes of one room are seen in any order; codes of two rooms in one state are not: the second eigenvector
    of the pairs inside the state then tells the two apart, and sides of neighbours agree.
    """
    n_codes, n_classes = table.shape
    gains, sides = np.zeros(n_classes), np.zeros((n_classes, n_codes))
    for state in range(n_classes):
        inside = close * np.outer(table[:, state], table[:, state])
        often = inside.sum(axis=1)
        codes = np.flatnonzero(often > 1e-3 * often.sum())  # rarer ones only blur the eigenvector
        if len(codes) < 3:
            continue
        kept, root = inside[np.ix_(codes, codes)], np.sqrt(often[codes])
        vector = np.linalg.eigh(kept / np.outer(root, root))[1][:, -2]
        sides[state, codes] = np.where(vector > 0, 1.0, -1.0)
        # Of two halves drawn to differ, chance makes neighbours agree as well: about a nat a code.
        gains[state] = _agreement(kept, vector > 0) - len(codes)
    return gains, sides


def _agreement(pairs: Array, side: NDArray[np.bool_]) -> float:
    """Nats that the side of a code tells about its neighbour's, over all pairs (mutual information)."""
    halves = np.stack([side, ~side]).astype(float)
    joint = halves @ pairs @ halves.T
    total = joint.sum()
    apart = np.outer(joint.sum(axis=1), joint.sum(axis=0)) / total
    return float(np.sum(joint * np.log(np.maximum(joint, 1e-12) / np.maximum(apart, 1e-12))))


def dispensable(pairs: Array, table: Array, close: Array) -> NDArray[np.int64]:
    """States in the order in which they can be done without: rare ones, and halves of one room."""
    both = (pairs + pairs.T) / 2
    stays = np.diag(both)
    # Nats that telling i from j apart says about the next of the two: little for halves of one room.
    told = np.full(both.shape, np.inf)
    for i in range(len(both)):
        for j in range(i):
            told[i, j] = told[j, i] = _agreement(
                np.array([[stays[i], both[i, j]], [both[i, j], stays[j]]]), np.array([True, False])
            )
    return np.argsort(np.minimum(told.min(axis=1), both.sum(axis=1)))


def _moved(
    states: Explained, gone: int, split: int, side: Array, settings: DwellSettings
) -> tuple[Array, Array]:
    """Table and transitions once state `gone` is a part of state `split`, its codes gone to the others."""
    table, pairs = states.table.copy(), states.pairs.copy()
    table[:, gone], pairs[gone], pairs[:, gone] = 0.0, 0.0, 0.0
    table += 1e-6  # a code that only the lost state had takes any other
    table[:, gone] = 0.0
    table /= table.sum(axis=1, keepdims=True)
    share = 0.5 + (settings.sure_side - 0.5) * side
    table[:, gone], table[:, split] = share * table[:, split], (1 - share) * table[:, split]
    pairs[:, split] /= 2
    pairs[split] /= 2
    pairs[gone], pairs[:, gone] = pairs[split], pairs[:, split]
    inside = 2 * pairs[split, split]
    pairs[[split, gone], [split, gone]] = settings.sure_side * inside
    pairs[[split, gone], [gone, split]] = (1 - settings.sure_side) * inside
    pairs += settings.free_pairs / len(pairs) ** 2
    return table, pairs / pairs.sum(axis=1, keepdims=True)


def _settled(
    table: Array, transitions: Array, ciphertext: Ciphertext, n_rounds: int, to_beat: float = -np.inf
) -> Explained:
    settings, dwelling = ciphertext.settings, ciphertext.settings.dwelling
    # As many rounds as are left cannot each gain more than the last one did.
    quick = replace(settings, explain_gain=dwelling.state_gain, gains_ahead=float(n_rounds))
    sample = Stretch(ciphertext.sample.codes, ciphertext.sample.lengths)  # states have no names to be known
    return explain(
        table,
        sample,
        transitions,
        pseudo_counts=dwelling.free_pairs,
        settings=quick,
        n_rounds=n_rounds,
        to_beat=to_beat,
    )
