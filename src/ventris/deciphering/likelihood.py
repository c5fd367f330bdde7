"""What codes mean, by the likelihood of a whole stretch of them: settled to the last nat, and compared.

Expectation–maximisation of the code table under the label model's pairs. The label model can be let go as
well: its transitions then follow the data, held back by as many pseudo-counts as it is trusted for.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ventris.data.counts import mean_counts
from ventris.deciphering.ciphertext import Stretch
from ventris.deciphering.settings import DEFAULT, SearchSettings
from ventris.kernels.baum_welch import expect, likelihoods
from ventris.label_model.markov import stationary_distribution

Array = NDArray[np.floating]
_LEAST = 1e-9  # as in `inference.score`: no code rules a label out for good
_CONTRADICTED = 1e-4  # unmeasured: share of a known label in a row that speaks against it; it costs 9 nats


@dataclass(frozen=True)
class Explained:
    """A stretch of codes explained: the table, the transitions, and how likely they make the stretch.

    Attributes
    ----------
    table : array of shape (K, C)
        p(label | code).
    transitions : array of shape (C, C)
        p(label | the label before): the label model's, or what it became.
    pairs : array of shape (C, C)
        Expected number of each label pair in the stretch.
    loglik : float
        Nats by which the stretch is likelier than codes drawn one by one.
    objective : float
        The same with the logarithm of the prior on transitions, where they are free.
    n_rounds : int
    """

    table: Array
    transitions: Array
    pairs: Array
    loglik: float
    objective: float
    n_rounds: int

    def renamed(self, names: NDArray) -> Explained:
        """The same explanation once label i is called `names[i]`."""
        old = np.argsort(names)
        grid = np.ix_(old, old)
        return Explained(
            self.table[:, old],
            self.transitions[grid],
            self.pairs[grid],
            self.loglik,
            self.objective,
            self.n_rounds,
        )


def explain(
    table: Array,
    stretch: Stretch,
    transitions: Array,
    *,
    pseudo_counts: float | None = None,
    settings: SearchSettings = DEFAULT,
    n_rounds: int | None = None,
    to_beat: float = -np.inf,
    leave_out: Array | None = None,
) -> Explained:
    """Settle a table, and transitions if they are free, on a stretch of codes (EM, Baum–Welch).

    Parameters
    ----------
    table : array of shape (K, C)
        Where to begin.
    stretch : Stretch
    transitions : array of shape (C, C)
        Of the label model.
    pseudo_counts : float, optional
        Free transitions start there and are held there by so many label pairs (Dirichlet prior, maximum a
        posteriori); by default they stay.
    settings : SearchSettings
    n_rounds : int, optional
        At most; by default what the settings say.
    to_beat : float
        An objective; what will not come near it need not be settled to the end.
    leave_out : array of shape (K, C), optional
        A table already known; who comes near it need not go on.

    References
    ----------
    .. [1] J.-L. Gauvain and C.-H. Lee, "Maximum a posteriori estimation for multivariate Gaussian mixture
       observations of Markov chains", IEEE Transactions on Speech and Audio Processing 2 (1994), 291-298.
    """
    prior = np.zeros_like(transitions)
    if pseudo_counts is not None:
        prior = pseudo_counts * stationary_distribution(transitions)[:, None] * transitions
    codes = _Codes(stretch, *table.shape)
    before, made = -np.inf, 0
    while True:
        counts, pairs, loglik = codes.expect(table, transitions)
        made += 1
        objective = loglik + float(np.sum(prior * np.log(np.maximum(transitions, 1e-300))))
        gain = objective - before
        last = made >= (n_rounds or settings.explain_rounds) or gain < settings.explain_gain
        known = leave_out is not None and codes.distance(table, leave_out) < settings.one_answer
        if last or known or objective + settings.gains_ahead * gain < to_beat:
            return Explained(table, transitions, pairs, loglik, objective, made)
        before, table = objective, mean_counts(counts)
        if pseudo_counts is not None:
            held = pairs + prior
            transitions = held / np.maximum(held.sum(axis=1, keepdims=True), 1e-300)


def code_logliks(table: Array, transitions: Array, stretch: Stretch, usage: Array) -> Array:
    """Nats by which each sequence of a stretch is likelier than its codes one by one: shape (S,)."""
    codes = _Codes(stretch, *table.shape)
    return codes.logliks(table, transitions, usage)


def table_distance(one: Array, other: Array, frequency: Array) -> float:
    """Mean difference of two tables' rows, from 0 to 1 (total variation).

    Examples
    --------
    >>> table_distance(np.eye(2), np.array([[1.0, 0.0], [1.0, 0.0]]), np.array([0.75, 0.25]))
    0.25
    """
    return 0.5 * float(frequency @ np.abs(one - other).sum(axis=1))


def in_blocks(stretch: Stretch, n_points: int) -> Stretch:
    """The stretch cut into sequences of about `n_points`, so that a sum over it has a standard error.

    Examples
    --------
    >>> in_blocks(Stretch(np.zeros(10, dtype=int), np.array([7, 3])), 3).lengths
    array([3, 4, 3])
    """
    return Stretch(stretch.codes, block_lengths(stretch.lengths, n_points), stretch.known)


def block_lengths(lengths: NDArray[np.int64], n_points: int) -> NDArray[np.int64]:
    """Lengths of sequences cut into parts of about `n_points` each."""
    parts = [np.diff(np.linspace(0, n, max(1, n // n_points) + 1).astype(np.int64)) for n in lengths]
    return np.concatenate(parts)


class _Codes:
    """A stretch as the kernel wants it: a point of which something is known has scores of its own."""

    def __init__(self, stretch: Stretch, n_codes: int, n_classes: int) -> None:
        self.n_codes, self.stops = n_codes, np.cumsum(stretch.lengths)
        self.codes = np.asarray(stretch.codes, dtype=np.int64)
        self.code_of_known = self.codes[:0]
        self.given: Array = np.zeros((0, n_classes))
        if stretch.known is not None and stretch.known.n:
            places = np.flatnonzero(stretch.known.mask)
            self.code_of_known, self.given = self.codes[places], stretch.known.probabilities(n_classes)
            self.codes = self.codes.copy()
            self.codes[places] = n_codes + np.arange(len(places))
        self.frequency = np.bincount(stretch.codes, minlength=n_codes) / max(1, len(stretch.codes))

    def distance(self, one: Array, other: Array) -> float:
        return table_distance(one, other, self.frequency)

    def expect(self, table: Array, transitions: Array) -> tuple[Array, Array, float]:
        """Expected labels of each code (K, C), expected label pairs (C, C), and the log-likelihood."""
        rows = self._scores(table, self.frequency @ table)
        counts, pairs, logs = np.zeros_like(rows), np.zeros_like(transitions), np.empty(len(self.stops))
        opening = stationary_distribution(transitions)
        expect(self.codes, self.stops, rows, opening, transitions, counts, pairs, logs)
        np.add.at(counts, self.code_of_known, counts[self.n_codes :])
        return counts[: self.n_codes], pairs, float(logs.sum())

    def logliks(self, table: Array, transitions: Array, usage: Array) -> Array:
        logs = np.empty(len(self.stops))
        opening = stationary_distribution(transitions)
        likelihoods(self.codes, self.stops, self._scores(table, usage), opening, transitions, logs)
        return logs

    def _scores(self, table: Array, usage: Array) -> Array:
        rows = table
        if len(self.code_of_known):
            rows = np.concatenate([table, self._known_rows(table)])
        return np.ascontiguousarray(np.maximum(rows / np.maximum(usage, _LEAST), _LEAST), dtype=np.float64)

    def _known_rows(self, table: Array) -> Array:
        """Labels ruled out have no share, and a table that speaks against a known one pays for it."""
        return self.given * np.maximum(table[self.code_of_known], _CONTRADICTED)
