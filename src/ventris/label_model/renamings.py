"""Which labels are easily mistaken for which: the renamings that cost a label sequence the least likelihood.

Names are decided by the likelihood of a whole sequence. If label c is called π(c), it loses
``Σ P(g) (log p(g) − log p(π(g)))`` nats a symbol, p the last label of an n-gram given those before it. Times
the number of points this is how clearly a right name stands out from a wrong one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ventris.objective.relabelling import swap_gains

Array = NDArray[np.floating]
Permutation = tuple[int, ...]

# Nats in a whole sequence at which names are decided. The difference of log-likelihoods varies about its mean
# m with a variance of about 2 m, so that at 10 the wrong name wins once in 80.
DECIDED = 10.0
AUTOMORPHISM = 1e-9  # nats: rounding in a table read from a file stays below it
_LISTED = 40  # unmeasured: renamings listed at most
_TURNED = 12  # unmeasured: best swaps that are combined with all others, for cycles of three labels
_WORK = 20_000_000  # unmeasured: entries of tables to look at, which bounds renamings tried at high orders
_TRIED = 1_000_000  # unmeasured: sets of labels tried before the smallest is sought greedily


@dataclass(frozen=True)
class Renaming:
    """Labels that might be given one another's names, and what tells that they were not.

    Attributes
    ----------
    moved : tuple of (label, name)
        Label c is mistaken for the second.
    nats : float
        What it costs a label sequence, nats a symbol.
    share : float
        Of the points whose label it moves, so of errors if it is made.
    points_needed : float
        Points at which the right names are clearly likelier, labels seen without error; infinite where
        the renaming changes nothing.

    Examples
    --------
    >>> Renaming(((0, 1), (1, 0)), 0.004, 0.5, 2500.0).is_excluded_by({1})
    True
    """

    moved: tuple[tuple[int, int], ...]
    nats: float
    share: float
    points_needed: float

    def is_excluded_by(self, named: Collection[int]) -> bool:
        """Whether a known point of one of these labels tells that the names are wrong."""
        return any(label in named for label, _ in self.moved)

    def in_words(self, classes: Sequence[Any]) -> str:
        """Which label is mistaken for which, at most six of them: 5↔8, or a→b, b→c, c→a."""
        if len(self.moved) == 2:
            return "↔".join(str(classes[label]) for label, _ in self.moved)
        words = [f"{classes[label]}→{classes[name]}" for label, name in self.moved]
        return ", ".join(words[:6]) + (", …" if len(words) > 6 else "")


def roughly(n_points: float) -> str:
    """A number of points to two digits, in words.

    Examples
    --------
    >>> roughly(5955), roughly(83), roughly(np.inf)
    ('6,000', '83', 'no number of')
    """
    return f"{float(f'{n_points:.2g}'):,.0f}" if np.isfinite(n_points) else "no number of"


def near_renamings(joint: Array, candidates: Iterable[Permutation]) -> tuple[Renaming, ...]:
    """The renamings that cost least, cheapest first: swaps, cycles of three, and the given candidates.

    Parameters
    ----------
    joint : array of shape (C,) * N
        Probabilities of n-grams.
    candidates : iterable of permutations
        Others to consider; ``permutation[c]`` is what c is mistaken for.

    Examples
    --------
    >>> sticky = np.array([[0.45, 0.05, 0.0], [0.05, 0.15, 0.05], [0.0, 0.05, 0.2]])
    >>> for each in near_renamings(sticky, ())[:2]:
    ...     print(each.in_words("abc"), f"{each.nats:.3f} nats, {each.points_needed:.0f} points")
    a↔c 0.029 nats, 340 points
    b↔c 0.923 nats, 11 points
    """
    share = joint.sum(axis=tuple(range(1, joint.ndim)))
    bigram = joint.sum(axis=tuple(range(2, joint.ndim))) if joint.ndim > 1 else np.outer(joint, joint)
    proposed = set(candidates) | set(_swaps_and_turns(bigram, log_conditional(bigram)))
    proposed.discard(tuple(range(len(joint))))
    wanted = min(_LISTED, max(_TURNED, _WORK // joint.size))
    first = _cheapest(bigram, proposed, 2 * wanted)
    costs = _costs(joint, first) if joint.ndim > 2 else _costs(bigram, first)
    ranked = sorted(zip(costs, first, strict=True))
    return tuple(_renaming(p, cost, share) for cost, p in _without_sums(ranked)[:wanted])


def log_conditional(joint: Array) -> Array:
    """log p(last | before) of every n-gram, shape (C,) * N.

    What never comes counts as e¹⁰ times rarer than chance: one such n-gram decides, none is infinite.
    Where what is before never comes, nothing is known of what follows but its frequency.
    """
    last = joint.sum(axis=tuple(range(joint.ndim - 1)))
    before = joint.sum(axis=-1, keepdims=True)
    conditional = np.where(before > 0, joint / np.where(before > 0, before, 1.0), last)
    return np.log(np.maximum(conditional, np.exp(-DECIDED) * np.maximum(last, AUTOMORPHISM)))


def _costs(joint: Array, renamings: Sequence[Permutation]) -> list[float]:
    """Nats a symbol that each renaming loses."""
    log_prob = log_conditional(joint)
    kept = float(np.sum(joint * log_prob))
    return [kept - float(np.sum(joint * log_prob[np.ix_(*[p] * joint.ndim)])) for p in renamings]


def _cheapest(bigram: Array, renamings: Iterable[Permutation], n_kept: int) -> list[Permutation]:
    listed = sorted(renamings)
    order = np.argsort(_costs(bigram, listed), kind="stable")[:n_kept]
    return [listed[place] for place in order]


def _swaps_and_turns(bigram: Array, log_prob: Array) -> Iterable[Permutation]:
    """The best exchanges of two labels, and the best cycles of three that begin with one of those."""
    n_classes = len(bigram)
    same, (first, second) = np.arange(n_classes), np.triu_indices(n_classes, k=1)
    gains = swap_gains(bigram[None], log_prob[None])[first, second]
    best = np.argsort(-gains, kind="stable")[: 2 * _LISTED]
    swaps = [_exchanged(same, int(first[k]), int(second[k])) for k in best]
    yield from (tuple(names.tolist()) for names in swaps)
    for names in swaps[:_TURNED]:
        further = swap_gains(bigram[None], log_prob[np.ix_(names, names)][None])
        meets = (names != same)[:, None] != (names != same)[None, :]  # one label of the swap, one other
        further = np.where(meets, further, -np.inf)[first, second]
        for k in np.argsort(-further, kind="stable")[:_LISTED]:
            if further[k] > -np.inf:
                yield tuple(_exchanged(names, int(first[k]), int(second[k])).tolist())


def _exchanged(names: NDArray, a: int, b: int) -> NDArray:
    out = names.copy()
    out[[a, b]] = names[[b, a]]
    return out


def _without_sums(ranked: list[tuple[float, Permutation]]) -> list[tuple[float, Permutation]]:
    """Leave out what only joins renamings of other labels that cost less each: it tells nothing new."""
    kept: list[tuple[float, Permutation]] = []
    cheaper: set[frozenset[tuple[int, int]]] = set()
    for cost, names in ranked:
        cycles = _cycles(names)
        if len(cycles) == 1 or not any(cycle in cheaper for cycle in cycles):
            kept.append((cost, names))
        if len(cycles) == 1:
            cheaper.add(cycles[0])
    return kept


def _cycles(names: Permutation) -> list[frozenset[tuple[int, int]]]:
    left = {c: name for c, name in enumerate(names) if c != name}
    found = []
    while left:
        label, pairs = next(iter(left)), []
        while label in left:
            pairs.append((label, left[label]))
            label = left.pop(label)
        found.append(frozenset(pairs))
    return found


def _renaming(names: Permutation, cost: float, share: Array) -> Renaming:
    moved = tuple((c, int(name)) for c, name in enumerate(names) if c != name)
    nats = max(0.0, cost) if cost > AUTOMORPHISM else 0.0
    points = float(np.ceil(DECIDED / nats)) if nats else np.inf
    return Renaming(moved, nats, float(share[[c for c, _ in moved]].sum()), points)


def settling_labels(moved: Iterable[frozenset[int]], frequency: Sequence[float]) -> tuple[int, ...]:
    """The fewest labels such that each renaming moves one of them: known points exclude it (hitting set).

    Among sets as small, the labels that come most often: points of them are easiest to find.

    Parameters
    ----------
    moved : iterable of sets
        The labels that each renaming moves.
    frequency : sequence of C numbers

    Examples
    --------
    >>> settling_labels([frozenset({0, 1}), frozenset({1, 2})], [0.5, 0.2, 0.3])
    (1,)
    >>> settling_labels([frozenset({0, 1}), frozenset({2, 3})], [0.1, 0.4, 0.2, 0.3])
    (1, 3)
    """
    left = list(moved)
    labels = sorted(frozenset().union(*left), key=lambda label: -frequency[label])
    tried = 0
    for size in range(len(labels) + 1):
        for chosen in combinations(labels, size):
            tried += 1
            if all(not moved.isdisjoint(chosen) for moved in left):
                return tuple(sorted(chosen))
            if tried > _TRIED // max(len(left), 1):
                return _settling_greedily(left, labels)
    return tuple(labels)


def _settling_greedily(left: list[frozenset[int]], labels: list[int]) -> tuple[int, ...]:
    chosen: list[int] = []
    while left:
        best = max(labels, key=lambda label: sum(label in moved for moved in left))
        chosen.append(best)
        left = [moved for moved in left if best not in moved]
    return tuple(sorted(chosen))
