"""Codes read with a label model that is only roughly right: its transitions are let go, if the data insist.

Fixed transitions that are wrong pull the code table to wherever labels could follow one another as they say.
Let go, and held back by pseudo-counts, they follow the codes instead; the given ones then only tell names.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ventris.classifiers.loglinear import softmax
from ventris.deciphering.ciphertext import Ciphertext, Stretch
from ventris.deciphering.descent import is_matched
from ventris.deciphering.likelihood import Explained, code_logliks, explain, in_blocks
from ventris.deciphering.names import renamings
from ventris.deciphering.settings import SearchSettings
from ventris.deciphering.starts import groupings_of

Array = NDArray[np.floating]


@dataclass(frozen=True)
class Freed:
    """An answer with transitions of its own beside the one with those given.

    Attributes
    ----------
    explained : Explained
        Under the names by which the given transitions fit best.
    fresh_gain : float
        Nats by which points not learnt from are likelier with it.
    gain : float
        The same of all points, less than what free transitions gain by chance (Akaike's criterion).
    deviation : float
        Standard error of the gain.
    pseudo_counts : float
        What the given transitions were worth.
    residual : float
        Nats a symbol by which neighbouring codes hang together beyond their labels, chance taken off.
    misfit : float
        KL of the given transitions from those read, in nats a symbol.
    rival_misfit : float
        The same under the next best names.
    rival_names : array of shape (C,)
        What each label is called there.
    by_shape : bool
        Whether clusters of the inputs told, instead of the codes alone.
    """

    explained: Explained
    fresh_gain: float
    gain: float
    deviation: float
    pseudo_counts: float
    residual: float
    misfit: float
    rival_misfit: float
    rival_names: NDArray[np.int64]
    by_shape: bool = False

    def insists(self, nats: float, deviations: float, most_residual: float) -> bool:
        """Whether the data want other transitions: by so many nats and standard errors, fresh points too.

        Not where codes hang together by more than `most_residual` beyond their labels: what free transitions
        then explain is not how labels follow one another.
        """
        gains = self.fresh_gain > 0 and self.gain >= max(nats, deviations * self.deviation)
        return gains and self.residual < most_residual


def let_go(
    table: Array, ciphertext: Ciphertext, pseudo_counts: tuple[float, ...], rng: np.random.Generator
) -> Freed:
    """Settle a table with the given transitions and with free ones, and compare them on fresh points.

    Should the answer be a wrong one, groups of neighbouring codes are a start that no label model misled, and
    neighbours of known labels are another.

    Parameters
    ----------
    table : array of shape (K, C)
        The answer found with the given transitions.
    ciphertext : Ciphertext
    pseudo_counts : tuple of float
        Label pairs that the given transitions may be worth; fresh points choose.
    rng : Generator
    """
    given = np.asarray(ciphertext.lm.conditional(2), dtype=np.float64)
    settings = replace(ciphertext.settings, explain_gain=ciphertext.settings.freed_gain)
    suspicious = not is_matched(table, ciphertext, settings.sound_share)
    many = suspicious and len(given) <= settings.exhaustive_names
    learnt, fresh = _parts(ciphertext, settings.suspicious_points if many else settings.freed_points)
    parts = [in_blocks(part, settings.block) for part in (learnt, fresh)]

    def judged(each: Explained) -> tuple[Array, Array]:
        usage = ciphertext.code_frequency @ each.table
        first, second = (code_logliks(each.table, each.transitions, part, usage) for part in parts)
        return first, second

    held = explain(table, learnt, given, settings=settings)
    starts = [(table, worth) for worth in pseudo_counts]
    ends = [explain(table, learnt, given, pseudo_counts=worth, settings=settings) for worth in pseudo_counts]
    others = _grouped(ciphertext, given, rng) if suspicious else []
    for start in others + _nearest_known(ciphertext):
        starts.append((start, pseudo_counts[0]))
        ends.append(
            explain(
                start,
                learnt,
                given,
                pseudo_counts=pseudo_counts[0],
                settings=settings,
                to_beat=ends[0].objective - settings.far_behind,
            )
        )
    logs = [judged(end) for end in ends]
    on_fresh = [float(second.sum()) for _, second in logs]
    # An end of the answer's own comes with names that the label model was asked for.
    own = max(range(len(pseudo_counts)), key=lambda number: on_fresh[number])
    best = max(range(len(ends)), key=lambda number: on_fresh[number])
    if on_fresh[best] - on_fresh[own] < settings.another_basin:
        best = own
    # The given transitions get the same chance: settling may have come further with the others.
    again = explain(ends[best].table, learnt, given, settings=settings)
    theirs = judged(max(held, again, key=lambda each: each.loglik))
    differences = [mine - other for mine, other in zip(logs[best], theirs, strict=True)]
    together = np.concatenate(differences)
    known = learnt.known
    has_names = known is not None and len(known.named) >= len(given) - 1  # labels known of points are law
    named, misfit, rival, names = name(ends[best], given, settings, has_names)
    return Freed(
        named,
        fresh_gain=float(differences[1].sum()),
        # Of the points learnt from, what so many free transitions gain by chance is taken off twice over.
        gain=float(together.sum()) - given.size + len(given),
        deviation=float(together.std() * np.sqrt(len(together))),
        pseudo_counts=starts[best][1],
        residual=residual_dependence(named, ciphertext),
        misfit=misfit,
        rival_misfit=rival,
        rival_names=names,
    )


def _grouped(ciphertext: Ciphertext, given: Array, rng: np.random.Generator) -> list[Array]:
    """Tables that give each group of neighbouring codes a label, as their pairs suggest it."""
    settings, n_classes = ciphertext.settings, len(given)
    if ciphertext.centres is None or n_classes > settings.grouped_classes:
        return []
    code_pairs = ciphertext.statistics.code_pairs[0]
    tables = []
    for groups in groupings_of(ciphertext, 4 * settings.grouped_starts, rng)[: settings.grouped_starts]:
        member = np.eye(n_classes)[groups]
        names = best_names(ciphertext.n_points * member.T @ code_pairs @ member, given, settings)
        tables.append(
            settings.map_certainty * member[:, np.argsort(names)] + (1 - settings.map_certainty) / n_classes
        )
    return tables


def _nearest_known(ciphertext: Ciphertext) -> list[Array]:
    """A table that gives each code the label of the nearest code with a known one, if all labels have such.

    No label model is asked, so none can mislead it (nearest neighbour).
    """
    anchor, centres = ciphertext.anchor, ciphertext.centres
    if anchor is None or centres is None or not np.all(anchor.max(axis=0) > 0):
        return []
    distance = np.sum((centres[:, None] - centres[None]) ** 2, axis=2)  # (K, K)
    nearest = np.stack([distance[:, votes > 0].min(axis=1) for votes in anchor.T], axis=1)
    scale = np.median(np.sort(nearest, axis=1)[:, 1]) + 1e-12  # where the second nearest usually is
    return [softmax(-nearest / scale)]


def best_names(pairs: Array, given: Array, settings: SearchSettings) -> NDArray[np.int64]:
    """What each label is called where the given transitions fit best, renaming by renaming.

    Transitions, not pairs: how often a label comes in the long run is what a guess of them tells worst.
    """
    names = np.arange(len(pairs))
    for _ in range(len(pairs)):
        grid = np.ix_(np.argsort(names), np.argsort(names))
        loss, better = renamings(pairs[grid], given, settings)[0]
        if loss >= 0:
            break
        names = better[names]
    return names


def residual_dependence(answer: Explained, ciphertext: Ciphertext) -> float:
    """How far pairs of codes are from what their labels make of them: KL in nats a symbol, less chance.

    Codes of which one tells the next whatever their labels are, as overlapping pairs of letters do, break
    the assumption that labels explain all order there is. Free transitions would then explain that order.
    """
    found = ciphertext.statistics.code_pairs[0]
    pairs = answer.pairs / max(float(answer.pairs.sum()), 1e-12)  # two points may have no pair to learn from
    weighed = ciphertext.code_frequency[:, None] * answer.table
    shares = weighed / np.maximum(weighed.sum(axis=0), 1e-12)  # (K, C): p(code | label)
    expected = shares @ pairs @ shares.T
    seen = found > 0
    divergence = float(np.sum(found[seen] * np.log(found[seen] / np.maximum(expected[seen], 1e-300))))
    return divergence - float(np.count_nonzero(seen)) / (2 * ciphertext.n_points)


def settled(freed: Freed, ciphertext: Ciphertext) -> Explained:
    """The answer let go, settled on all the codes there are to read."""
    given = np.asarray(ciphertext.lm.conditional(2), dtype=np.float64)
    start, worth = freed.explained.table, freed.pseudo_counts
    return explain(start, ciphertext.sample, given, pseudo_counts=worth, settings=ciphertext.settings)


def _parts(ciphertext: Ciphertext, n_points: int) -> tuple[Stretch, Stretch]:
    """Codes to learn from and codes to judge by: those held out, or else the last of the sample."""
    settings, sample = ciphertext.settings, ciphertext.sample.beginning(n_points)
    if len(ciphertext.fresh.codes):
        return sample, ciphertext.fresh
    n_learnt = int((1 - settings.judging_share) * len(sample.codes))
    learnt = sample.beginning(n_learnt)
    left = sample.lengths.copy()
    left[: len(learnt.lengths)] -= learnt.lengths
    known = None if sample.known is None else sample.known[n_learnt:]
    return learnt, Stretch(sample.codes[n_learnt:], left[left > 0], known)


def name(
    freed: Explained, given: Array, settings: SearchSettings, has_names: bool
) -> tuple[Explained, float, float, NDArray[np.int64]]:
    """The answer under its best names, how far the given transitions are from it, and its next best names."""
    if not has_names:
        freed = freed.renamed(best_names(freed.pairs, given, settings))
    loss, names = renamings(freed.pairs, given, settings)[0]
    least = settings.impossible_pair
    n_pairs, rows = max(float(freed.pairs.sum()), least), freed.pairs.sum(axis=1, keepdims=True)
    found = np.maximum(freed.pairs / np.maximum(rows, least), least)
    misfit = float(np.sum(freed.pairs * np.log(found / np.maximum(given, least)))) / n_pairs
    return freed, misfit, misfit + loss / n_pairs, names
