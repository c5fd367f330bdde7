"""Labels as clusters of the inputs: where these are plain to see, they tell how labels follow one another.

Codes alone leave much open: of two labels, another border between them goes with other transitions about as
well. Inputs whose classes are Gaussian clusters settle it, and a label model that is off shows at once. Where
inputs are not of that kind nothing is said: points drawn from the clusters must fall into the codes as often
as the real ones do.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ventris.data.counts import mean_rows
from ventris.data.sequences import first_points
from ventris.deciphering.ciphertext import Ciphertext
from ventris.deciphering.freedom import Freed, best_names, name, residual_dependence
from ventris.deciphering.likelihood import Explained, block_lengths
from ventris.deciphering.settings import DEFAULT, SearchSettings
from ventris.deciphering.starts import groupings_of
from ventris.kernels.baum_welch import expect, likelihoods
from ventris.label_model.markov import stationary_distribution

Array = NDArray[np.floating]
_LEAST = 1e-300  # of a density relative to the likeliest cluster's: its logarithm must be finite


@dataclass(frozen=True)
class Cloud:
    """Points where the codebook sees them, shape (n, M), and the lengths of their sequences."""

    points: Array
    lengths: NDArray[np.int64]

    def beginning(self, n_points: int) -> Cloud:
        """The first `n_points`, or all if there are fewer."""
        return Cloud(*first_points(self.points, self.lengths, n_points))

    def in_blocks(self, n_points: int) -> Cloud:
        """The same points in sequences of about `n_points`, so that a sum over them has a standard error."""
        return Cloud(self.points, block_lengths(self.lengths, n_points))


@dataclass(frozen=True)
class Clusters:
    """A Gaussian cluster for each label, all of one shape, and how they follow one another (Gaussian HMM).

    Attributes
    ----------
    means : array of shape (C, M)
    root : array of shape (M, M)
        Cholesky factor of the covariance that all clusters share.
    transitions : array of shape (C, C)
    posteriors : array of shape (n, C)
        Of the points they were settled on, each in its sequence.
    pairs : array of shape (C, C)
        Expected number of each label pair in these.
    loglik, objective : float
        Log-density of the points; the same with the logarithm of the prior on transitions.
    n_rounds : int
    """

    means: Array
    root: Array
    transitions: Array
    posteriors: Array
    pairs: Array
    loglik: float
    objective: float
    n_rounds: int


def settle_clusters(
    cloud: Cloud,
    posteriors: Array,
    transitions: Array,
    *,
    pseudo_counts: float | None = None,
    settings: SearchSettings = DEFAULT,
    n_rounds: int | None = None,
) -> Clusters:
    """Clusters, and transitions if they are free, that make the points likeliest (EM, Baum–Welch).

    Parameters
    ----------
    cloud : Cloud
        n points.
    posteriors : array of shape (n, C)
        Labels to begin with.
    transitions : array of shape (C, C)
    pseudo_counts : float, optional
        Free transitions start there and are held there by so many label pairs; by default they stay.
    """
    prior = np.zeros_like(transitions)
    if pseudo_counts is not None:
        prior = pseudo_counts * stationary_distribution(transitions)[:, None] * transitions
    most, before, made = n_rounds or settings.shaped_rounds, -np.inf, 0
    while True:
        means, root = _moments(cloud.points, posteriors)
        posteriors, pairs, loglik = _expect(cloud, means, root, transitions)
        made += 1
        objective = loglik + float(np.sum(prior * np.log(np.maximum(transitions, _LEAST))))
        if made >= most or objective - before < settings.freed_gain:
            return Clusters(means, root, transitions, posteriors, pairs, loglik, objective, made)
        before = objective
        if pseudo_counts is not None:
            held = pairs + prior
            transitions = held / np.maximum(held.sum(axis=1, keepdims=True), _LEAST)


def cluster_logliks(clusters: Clusters, cloud: Cloud) -> Array:
    """Log-density of each sequence of points: shape (S,)."""
    scores, top = _scores(cloud.points, clusters.means, clusters.root)
    stops, logs = np.cumsum(cloud.lengths), np.empty(len(cloud.lengths))
    opening = stationary_distribution(clusters.transitions)
    likelihoods(np.arange(len(scores)), stops, scores, opening, clusters.transitions, logs)
    return logs + np.add.reduceat(top, stops - cloud.lengths)


def code_divergence(clusters: Clusters, centres: Array, frequency: Array, rng: np.random.Generator) -> float:
    """How far points drawn from clusters fall into other codes than real ones: KL in nats, less chance.

    Parameters
    ----------
    clusters : Clusters
    centres : array of shape (K, M)
        The codes.
    frequency : array of shape (K,)
        How often the real points fall into each.
    rng : Generator
    """
    n_drawn, n_codes = len(clusters.posteriors), len(centres)
    share = stationary_distribution(clusters.transitions)
    labels = rng.choice(len(share), p=share / share.sum(), size=n_drawn)
    drawn = clusters.means[labels] + rng.standard_normal((n_drawn, centres.shape[1])) @ clusters.root.T
    nearest = np.argmax(drawn @ centres.T - 0.5 * np.sum(centres**2, axis=1), axis=1)
    expected = (np.bincount(nearest, minlength=n_codes) + 0.5) / (n_drawn + 0.5 * n_codes)
    seen = frequency > 0
    divergence = float(np.sum(frequency[seen] * np.log(frequency[seen] / expected[seen])))
    return divergence - n_codes / (2 * n_drawn)


def let_go_by_shape(
    table: Array,
    learnt: Cloud,
    fresh: Cloud,
    ciphertext: Ciphertext,
    pseudo_counts: tuple[float, ...],
    rng: np.random.Generator,
) -> Freed | None:
    """Settle clusters with the given transitions and with free ones, and compare them on fresh points.

    None where the points are no such clusters, so that they cannot tell.

    Parameters
    ----------
    table : array of shape (K, C)
        The answer found with the given transitions.
    learnt, fresh : Cloud
        The first points of the ciphertext's sample, and points held out.
    ciphertext : Ciphertext
        With centres.
    pseudo_counts : tuple of float
        Label pairs that the given transitions may be worth; fresh points choose.
    rng : Generator
    """
    given, settings = np.asarray(ciphertext.lm.conditional(2), dtype=np.float64), ciphertext.settings
    assert ciphertext.centres is not None
    codes = ciphertext.sample.codes[: len(learnt.points)]
    parts = [part.in_blocks(settings.block) for part in (learnt, fresh)]
    held = settle_clusters(learnt, table[codes], given, settings=settings)
    starts = [held.posteriors]
    another = _another_basin(learnt, held, ciphertext, rng)
    if another is not None:
        starts.append(another)
    ends = [
        (worth, settle_clusters(learnt, start, given, pseudo_counts=worth, settings=settings))
        for start in starts
        for worth in pseudo_counts
    ]
    on_fresh = [cluster_logliks(end, parts[1]) for _, end in ends]
    best = int(np.argmax([logs.sum() for logs in on_fresh]))
    worth, free = ends[best]
    divergence = code_divergence(free, ciphertext.centres, ciphertext.code_frequency, rng)
    if divergence > settings.most_shape_divergence:
        return None
    again = settle_clusters(learnt, free.posteriors, given, settings=settings)
    theirs = max(held, again, key=lambda each: each.loglik)
    differences = [
        cluster_logliks(free, parts[0]) - cluster_logliks(theirs, parts[0]),
        on_fresh[best] - cluster_logliks(theirs, parts[1]),
    ]
    together = np.concatenate(differences)
    rows = mean_rows(codes, free.posteriors, len(table))
    explained = Explained(rows, free.transitions, free.pairs, free.loglik, free.objective, free.n_rounds)
    named, misfit, rival, names = name(explained, given, settings, has_names=False)
    n_free = given.size - len(given)
    return Freed(
        named,
        fresh_gain=float(differences[1].sum()),
        # What free transitions gain by chance, and what clusters not quite of this shape may gain by them.
        gain=float(together.sum()) - n_free - max(0.0, divergence) * len(learnt.points),
        deviation=float(together.std() * np.sqrt(len(together))),
        pseudo_counts=worth,
        residual=residual_dependence(named, ciphertext),
        misfit=misfit,
        rival_misfit=rival,
        rival_names=names,
        by_shape=True,
    )


def _another_basin(
    learnt: Cloud, held: Clusters, ciphertext: Ciphertext, rng: np.random.Generator
) -> Array | None:
    """Labels from groups of neighbouring codes, if clusters settled from there are likelier: shape (n, C)."""
    settings, n_classes = ciphertext.settings, len(held.transitions)
    scout = learnt.beginning(settings.scouted_points)
    codes = ciphertext.sample.codes[: len(scout.points)]
    even = np.full((n_classes, n_classes), 1 / n_classes)
    ours = settle_free(scout, held.posteriors[: len(codes)], held.transitions, settings)
    best = ours
    for groups in groupings_of(ciphertext, 4 * settings.shaped_starts, rng)[: settings.shaped_starts]:
        start = settings.map_certainty * np.eye(n_classes)[groups] + (1 - settings.map_certainty) / n_classes
        best = max(best, settle_free(scout, start[codes], even, settings), key=lambda each: each.loglik)
    as_given = float(cluster_logliks(held, scout).sum())
    if best.loglik < as_given + settings.another_basin:
        return None  # the given transitions are as good as free ones: their answer is left alone
    best = split_and_merge(scout, best, settings)
    if best.loglik < ours.loglik + settings.another_basin:
        return None
    names = best_names(best.pairs, held.transitions, settings)
    posteriors, _, _ = _expect(learnt, best.means, best.root, best.transitions)
    return posteriors[:, np.argsort(names)]


def settle_free(
    cloud: Cloud, posteriors: Array, transitions: Array, settings: SearchSettings, n_rounds: int | None = None
) -> Clusters:
    """Clusters settled with transitions that nothing holds back: one pair keeps them from zero."""
    return settle_clusters(
        cloud, posteriors, transitions, pseudo_counts=1.0, settings=settings, n_rounds=n_rounds
    )


def split_and_merge(cloud: Cloud, clusters: Clusters, settings: SearchSettings) -> Clusters:
    """Clusters with free transitions, one given up and another split in two while that makes points likelier.

    Where two labels fell into one cluster and a third has two, no small step leads out (SMEM).

    References
    ----------
    .. [1] N. Ueda, R. Nakano, Z. Ghahramani and G. E. Hinton, "SMEM algorithm for mixture models", Neural
       Computation 12 (2000), 2109-2128.
    """
    n_classes = len(clusters.means)
    for _ in range(n_classes):
        widest = _widest(cloud.points, clusters)[: settings.split_clusters]
        tried = [
            settle_free(
                cloud,
                _split(cloud.points, clusters, lost, wide),
                clusters.transitions,
                settings,
                settings.split_rounds,
            )
            for wide in widest
            for lost in range(n_classes)
            if lost != wide
        ]
        tried.sort(key=lambda each: -each.loglik)
        ends = [
            settle_free(cloud, each.posteriors, each.transitions, settings)
            for each in tried[: settings.split_settled]
        ]
        best = max(ends, key=lambda each: each.loglik, default=clusters)
        if best.loglik < clusters.loglik + settings.another_basin:
            break
        clusters = best
    return clusters


def _widest(points: Array, clusters: Clusters) -> list[int]:
    """Clusters whose own points scatter farthest along one axis, in units of what all share: widest first."""
    widths = [
        _main_axis(points, mean, weight, clusters.root)[0]
        for mean, weight in zip(clusters.means, clusters.posteriors.T, strict=True)
    ]
    return np.argsort(widths)[::-1].tolist()


def _main_axis(points: Array, mean: Array, weight: Array, root: Array) -> tuple[float, Array]:
    """Variance along the axis on which a cluster is widest, and each point's place on it: shape (n,)."""
    whitened = (points - mean) @ np.linalg.inv(root).T
    scatter = (whitened * weight[:, None]).T @ whitened / max(float(weight.sum()), 1.0)
    variances, axes = np.linalg.eigh(scatter)
    return float(variances[-1]), whitened @ axes[:, -1]


def _split(points: Array, clusters: Clusters, lost: int, wide: int) -> Array:
    """Labels once cluster `lost` is shared out among the others and half of the `wide` one has its name."""
    scores, _ = _scores(points, clusters.means, clusters.root)
    others = scores * stationary_distribution(clusters.transitions)
    others[:, lost] = 0.0
    shared = others / np.maximum(others.sum(axis=1, keepdims=True), _LEAST)
    labels = clusters.posteriors + clusters.posteriors[:, [lost]] * shared
    _, place = _main_axis(points, clusters.means[wide], clusters.posteriors[:, wide], clusters.root)
    labels[:, lost] = np.where(place > 0, labels[:, wide], 0.0)
    labels[:, wide] -= labels[:, lost]
    return labels


def _moments(points: Array, posteriors: Array) -> tuple[Array, Array]:
    """Means (C, M) and the Cholesky factor of what scatter they leave (M, M)."""
    weight = posteriors.sum(axis=0) + 1e-9  # a cluster may have lost all its points
    means = posteriors.T @ points / weight[:, None]
    total = points.T @ points / len(points)
    within = total - (means * weight[:, None]).T @ means / weight.sum()
    variance = np.diag(total)
    within[np.diag_indices_from(within)] += np.where(variance > 0, 1e-6 * variance, 1.0)  # as class means
    return means, np.linalg.cholesky(within)


def _scores(points: Array, means: Array, root: Array) -> tuple[Array, Array]:
    """Densities relative to the likeliest cluster's, (n, C), and the logarithm of that one, (n,)."""
    inverse = np.linalg.inv(root).T
    whitened, centres = points @ inverse, means @ inverse
    squares = np.sum(whitened**2, axis=1)[:, None] + np.sum(centres**2, axis=1) - 2 * whitened @ centres.T
    logs = -0.5 * squares - np.log(np.diag(root)).sum() - 0.5 * points.shape[1] * np.log(2 * np.pi)
    top = logs.max(axis=1)
    return np.maximum(np.exp(logs - top[:, None]), _LEAST), top


def _expect(cloud: Cloud, means: Array, root: Array, transitions: Array) -> tuple[Array, Array, float]:
    """Labels of the points in their sequences (n, C), expected label pairs (C, C), and the log-density."""
    scores, top = _scores(cloud.points, means, root)
    labels, pairs, logs = np.zeros_like(scores), np.zeros_like(transitions), np.empty(len(cloud.lengths))
    opening, numbers = stationary_distribution(transitions), np.arange(len(scores))
    expect(numbers, np.cumsum(cloud.lengths), scores, opening, transitions, labels, pairs, logs)
    return labels, pairs, float(logs.sum() + top.sum())
