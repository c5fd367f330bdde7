"""Which name each label has: renamings of an answer, settled and compared by the likelihood of all the codes.

A search may end in the right classes under wrong names: no start of it need have come near the right ones.
So the answer's own renamings are asked: the least costly by the pairs it reads are settled as it was.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from ventris.deciphering.ciphertext import Stretch
from ventris.deciphering.likelihood import Explained, code_logliks, explain, in_blocks, table_distance
from ventris.deciphering.settings import DEFAULT, SearchSettings
from ventris.label_model.markov import stationary_distribution
from ventris.objective.relabelling import swap_gains

Array = NDArray[np.floating]
Names = NDArray[np.int64]  # what label i is called: shape (C,)


@dataclass(frozen=True)
class Rival:
    """Another naming, settled.

    Attributes
    ----------
    names : array of shape (C,)
        What each label of the answer is called in it.
    loss : float
        Nats by which it makes the codes less likely; below zero, likelier.
    deviation : float
        Standard error of the loss, from blocks of the codes.
    explained : Explained
    """

    names: Names
    loss: float
    deviation: float
    explained: Explained

    def is_behind(self, settings: SearchSettings = DEFAULT) -> bool:
        """Whether chance is no reason for the loss."""
        return self.loss > max(settings.decisive, settings.deviations * self.deviation)


def renamings(
    counts: Array, label_prob: Array, settings: SearchSettings = DEFAULT
) -> list[tuple[float, Names]]:
    """Renamings of labels read so often together, the least costly first: (nats lost, names).

    Of few labels all, of many every exchange of two.

    Parameters
    ----------
    counts : array of shape (C,) * N
        How often each n-gram of labels was read.
    label_prob : array of shape (C,) * N
        What the label model says of each.

    Examples
    --------
    >>> sticky = np.array([[0.60, 0.10], [0.10, 0.20]])
    >>> [(loss, names)] = renamings(100 * sticky, sticky)
    >>> round(loss, 1), names.tolist()
    (43.9, [1, 0])
    """
    logs = np.log(np.maximum(label_prob, settings.impossible_pair))
    everyone = np.arange(len(counts))
    if len(counts) <= settings.exhaustive_names:
        names = [np.array(order) for order in permutations(everyone)][1:]
        kept = float(np.sum(counts * logs))
        losses = [kept - float(np.sum(counts * logs[np.ix_(*[each] * logs.ndim)])) for each in names]
    else:
        gains = swap_gains(counts[None], logs[None])
        pairs = [(a, b) for b in everyone for a in everyone[:b]]
        names = [np.where(everyone == a, b, np.where(everyone == b, a, everyone)) for a, b in pairs]
        losses = [-float(gains[pair]) for pair in pairs]
    return sorted(zip(losses, names, strict=True), key=lambda each: each[0])


def settle_names(
    answer: Explained,
    stretch: Stretch,
    transitions: Array,
    *,
    pseudo_counts: float | None = None,
    settings: SearchSettings = DEFAULT,
) -> tuple[Explained, list[Rival]]:
    """The naming that makes the codes likeliest, and the others that came near, nearest first.

    Parameters
    ----------
    answer : Explained
        Of this stretch.
    stretch : Stretch
    transitions : array of shape (C, C)
        The label model's own, whatever became of them in the answer: names are its names.
    pseudo_counts : float, optional
        As the answer was settled with.
    settings : SearchSettings
    """
    label_pairs = stationary_distribution(transitions)[:, None] * transitions
    least = settings.rival_share * len(stretch.codes)
    tried: list[tuple[float, Names, Explained]] = []
    value = answer.objective
    for _ in range(len(transitions)):  # each turn takes another name up: it ends, whatever rounding does
        tried = []
        for loss, names in renamings(answer.pairs, label_pairs, settings)[: settings.rival_names]:
            if loss > least:
                break
            start = answer.renamed(names).table
            softened = settings.rival_certainty * start + (1 - settings.rival_certainty) / start.shape[1]
            rival = explain(
                softened,
                stretch,
                transitions,
                pseudo_counts=pseudo_counts,
                settings=settings,
                to_beat=value - settings.far_behind,
                leave_out=answer.table,
            )
            tried.append((rival.objective, names, rival))
        better, _, best = max(tried, key=lambda each: each[0], default=(-np.inf, None, answer))
        if better <= value + settings.explain_gain:
            break
        answer, value = best, better
    rivals = [
        Rival(names, value - other, _deviation(answer, rival, stretch, settings), rival)
        for other, names, rival in tried
        if not _are_one(answer, rival, stretch, settings)
    ]
    return answer, sorted(rivals, key=lambda rival: rival.loss)


def _are_one(one: Explained, other: Explained, stretch: Stretch, settings: SearchSettings) -> bool:
    """Whether settling led a renaming back to where it came from."""
    frequency = np.bincount(stretch.codes, minlength=len(one.table)) / len(stretch.codes)
    return table_distance(one.table, other.table, frequency) < settings.one_answer


def _deviation(one: Explained, other: Explained, stretch: Stretch, settings: SearchSettings) -> float:
    """Standard error of the difference of log-likelihoods, from blocks of the stretch."""
    blocks = in_blocks(stretch, settings.block)
    frequency = np.bincount(stretch.codes, minlength=len(one.table)) / len(stretch.codes)
    logs = [
        code_logliks(each.table, each.transitions, blocks, frequency @ each.table) for each in (one, other)
    ]
    difference = logs[0] - logs[1]
    return float(difference.std() * np.sqrt(len(difference)))
