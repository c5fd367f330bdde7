"""States first, then names: the contender for label models that stay, and then move to one of few others.

A walk on a floor plan folds every search that names as it goes: half a building fits as well the other way
round, and no small step leads back. Dwell alone tells which codes belong together, without any name; the
moves between such states are a graph, and the label model is a graph: one is laid upon the other.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ventris.deciphering.ciphertext import Ciphertext, Contender, Stretch
from ventris.deciphering.dwelling import find_states
from ventris.deciphering.graph_names import match_graph
from ventris.deciphering.likelihood import Explained, explain
from ventris.inference.decoding import label_posteriors
from ventris.inference.score import scaled_likelihoods
from ventris.label_model.markov import stationary_distribution
from ventris.label_model.symmetries import best_symmetry_of_pairs

Array = NDArray[np.floating]


def _by_states(ciphertext: Ciphertext, n_starts: int, rng: np.random.Generator) -> tuple[list[Array], int]:
    """States by dwell, named by the graph of moves, settled under the label model; best first."""
    settings, ends = ciphertext.settings.dwelling, []
    transitions = np.asarray(ciphertext.lm.conditional(2), dtype=np.float64)
    label_pairs = ciphertext.statistics.label_pairs[0]
    for _ in range(max(1, n_starts // settings.starts_per_grouping)):
        states = find_states(ciphertext, rng)
        evidence = _evidence(states, ciphertext)
        namings = match_graph(states.pairs, label_pairs, rng, evidence=evidence, settings=settings)
        near = [each for each in namings if each.score > namings[0].score - settings.naming_gap]
        for naming in near[: settings.namings]:
            start = states.renamed(naming.names).table
            ends.append(_under_names(start, transitions, ciphertext))
    ends.sort(key=lambda end: -end.objective)
    return [_on_one_side(end.table, ciphertext) for end in ends], len(ends)


def _on_one_side(table: Array, ciphertext: Ciphertext) -> Array:
    """The one of the labellings that look the same which every start would choose.

    A plan may be its own mirror image. Whether starts agree is to tell whether the answer is sure, not which
    side of the mirror it stands on: the side is the one on which fixed random numbers, one for each code and
    label, sum to most. Where labels are known, they say which side.
    """
    if ciphertext.anchor is not None:
        return table
    votes = np.random.default_rng(0).random(table.shape)
    agreement = (ciphertext.code_frequency[:, None] * table).T @ votes
    names = best_symmetry_of_pairs(ciphertext.statistics.label_pairs[0], agreement)
    return table[:, np.argsort(names)]


def _under_names(table: Array, transitions: Array, ciphertext: Ciphertext) -> Explained:
    certainty = ciphertext.settings.rival_certainty
    softened = certainty * table + (1 - certainty) / table.shape[1]
    settings = replace(ciphertext.settings, explain_gain=ciphertext.settings.dwelling.state_gain)
    return explain(softened, ciphertext.sample, transitions, settings=settings)


def _evidence(states: Explained, ciphertext: Ciphertext) -> Array | None:
    """Nats that known labels say for each name of each state: shape (C, C).

    A point in the sample is read in its sequence; of one elsewhere only its code is known.
    """
    sample, worth = ciphertext.sample, ciphertext.settings.dwelling.known_label
    if ciphertext.anchor is None:
        return None
    votes = states.table.T @ (ciphertext.anchor / max(1e-12, ciphertext.anchor.max()))
    if sample.known is not None and sample.known.n:
        read = _read(states, sample)[sample.known.mask]
        votes = votes * 1e-2 + read.T @ sample.known.probabilities(states.table.shape[1])
    return worth * votes


def _read(states: Explained, sample: Stretch) -> Array:
    scores = scaled_likelihoods(states.table)[sample.codes]
    opening = stationary_distribution(states.transitions)
    return label_posteriors(scores, sample.lengths, [opening], states.transitions, n_jobs=1)[0]


STATES = Contender("states", _by_states, has_read=True)
