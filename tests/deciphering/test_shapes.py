"""Clusters of the inputs: exact sums, right label models left alone, wrong ones told, other shapes silent."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest
from scipy.stats import multivariate_normal
from tests.deciphering.homophones import ciphertext_of

from ventris.codes.codebook import fit_codebook
from ventris.data.sequences import Sequences
from ventris.datasets import make_paper_chain
from ventris.deciphering.settings import DEFAULT
from ventris.deciphering.shapes import (
    Cloud,
    cluster_logliks,
    code_divergence,
    let_go_by_shape,
    settle_clusters,
    settle_free,
    split_and_merge,
)
from ventris.label_model.markov import stationary_distribution

TRANSITIONS = np.array([[0.7, 0.3], [0.2, 0.8]])


def tiny_cloud(seed=100):
    """Two sequences, so short that every path of labels can be counted."""
    rng = np.random.default_rng(seed)
    return Cloud(
        rng.standard_normal((9, 2)) + np.repeat([[0, 0], [2, 1], [0, 0]], 3, axis=0), np.array([5, 4])
    )


def test_sums_over_paths_are_those_of_brute_force():
    cloud = tiny_cloud()
    settled = settle_clusters(cloud, np.eye(2)[[0, 0, 0, 1, 1, 1, 0, 0, 0]], TRANSITIONS, n_rounds=3)
    opening = stationary_distribution(TRANSITIONS)
    covariance = settled.root @ settled.root.T
    density = np.stack([multivariate_normal(m, covariance).pdf(cloud.points) for m in settled.means], axis=1)
    posteriors, pairs, logs, first = np.zeros((9, 2)), np.zeros((2, 2)), [], 0
    for n in cloud.lengths:
        total, own, steps = 0.0, np.zeros((n, 2)), np.zeros((2, 2))
        for path in product(range(2), repeat=int(n)):
            weight = opening[path[0]] * np.prod(density[first + np.arange(n), path])
            weight *= np.prod([TRANSITIONS[a, b] for a, b in pairwise(path)])
            total += weight
            own[np.arange(n), path] += weight
            for a, b in pairwise(path):
                steps[a, b] += weight
        posteriors[first : first + n], first = own / total, first + n
        pairs += steps / total
        logs.append(np.log(total))
    np.testing.assert_allclose(settled.posteriors, posteriors, rtol=1e-9)
    np.testing.assert_allclose(settled.pairs, pairs, rtol=1e-9)
    np.testing.assert_allclose(cluster_logliks(settled, cloud), logs, rtol=1e-9)
    assert settled.loglik == pytest.approx(np.sum(logs), rel=1e-9)


def test_every_round_makes_the_points_likelier():
    data = make_paper_chain(1, n_samples=2_000, random_state=100)
    cloud = Cloud(data.train.X, np.array([len(data.train.X)]))
    start = np.random.default_rng(100).dirichlet([5, 5], size=len(cloud.points))
    settled = [
        settle_clusters(cloud, start, TRANSITIONS, pseudo_counts=30.0, n_rounds=n).objective
        for n in range(1, 12)
    ]
    assert np.all(np.diff(settled) > -1e-6)


def as_seen(number, given, n=24_000, seed=100, warp=None):
    """A chain's inputs as a search with another chain's transitions sees them, the table right."""
    data = make_paper_chain(number, n_samples=n, random_state=seed)
    X = data.train.X if warp is None else warp(data.train.X, np.random.default_rng(seed))
    codebook = fit_codebook(Sequences.of(X), 24, np.random.default_rng(seed))
    codes = codebook.codes(X)
    counts = np.full((24, 2), 0.5)
    np.add.at(counts, (codes, data.train.y), 1)
    lm = make_paper_chain(given, n_samples=120).lm
    ciphertext = ciphertext_of(codes, lm, 24, codebook.centres)
    n_learnt = int(0.9 * len(X))
    points = codebook.embed(X).astype(float)
    clouds = [Cloud(part, np.array([len(part)])) for part in (points[:n_learnt], points[n_learnt:])]
    table = counts / counts.sum(axis=1, keepdims=True)
    freed = let_go_by_shape(table, *clouds, ciphertext, (300.0,), np.random.default_rng(seed))
    return freed, data.lm.conditional(2)


@pytest.mark.parametrize("number", range(1, 11))
def test_a_right_label_model_is_left_alone(number):
    freed, _ = as_seen(number, number)
    assert freed is not None and freed.by_shape
    assert not freed.insists(5.0, 3.0, 0.4)


@pytest.mark.parametrize(("number", "given"), [(6, 2), (7, 6), (9, 5), (4, 7), (6, 3), (5, 9)])
def test_what_codes_leave_open_clusters_tell(number, given):
    """Neighbours that codes alone were content with, or misled by: the chain's own transitions are found."""
    freed, own = as_seen(number, given)
    assert freed.insists(5.0, 3.0, 0.4)
    found = freed.explained.transitions
    assert min(np.abs(found - each).max() for each in (own, own[::-1, ::-1])) < 0.05


def heavy(X, rng):
    return X + 0.5 * rng.standard_t(1.5, size=X.shape)


def bent(X, rng):
    return np.column_stack([X[:, 0], X[:, 1] + 0.5 * X[:, 0] ** 2])


@pytest.mark.parametrize("warp", [heavy, bent])
def test_inputs_of_another_shape_tell_nothing(warp):
    freed, _ = as_seen(6, 6, warp=warp)
    assert freed is None


def test_points_of_the_clusters_fall_into_the_codes_alike():
    data = make_paper_chain(3, n_samples=24_000, random_state=100)
    X = data.train.X
    cloud = Cloud(X, np.array([len(X)]))
    clusters = settle_clusters(cloud, np.eye(2)[data.train.y], data.lm.conditional(2))
    centres = X[:24]

    def divergence(points):
        nearest = np.argmin(np.sum((points[:, None] - centres) ** 2, axis=2), axis=1)
        frequency = np.bincount(nearest, minlength=24) / len(points)
        return code_divergence(clusters, centres, frequency, np.random.default_rng(0))

    assert abs(divergence(X)) < 0.004
    assert divergence(X + np.array([0.5, 0.0])) > 0.02


def test_splitting_leads_out_where_rounds_do_not():
    """Two labels in one cluster, one label in two: rounds stay there."""
    rng = np.random.default_rng(100)
    labels = rng.integers(0, 3, size=3_000)
    means = np.array([[0.0, 0.0], [6.0, 0.0], [30.0, 0.0]])
    cloud = Cloud(means[labels] + rng.standard_normal((3_000, 2)), np.array([3_000]))
    start = np.zeros((3_000, 3))
    start[labels < 2, 0] = 1
    halves = np.flatnonzero(labels == 2)
    start[halves[::2], 1] = start[halves[1::2], 2] = 1
    stuck = settle_free(cloud, start, np.full((3, 3), 1 / 3), DEFAULT)
    found = split_and_merge(cloud, stuck, DEFAULT)
    assert np.abs(np.sort(stuck.means[:, 0]) - means[:, 0]).max() > 2
    np.testing.assert_allclose(np.sort(found.means[:, 0]), means[:, 0], atol=0.3)
    assert found.loglik > stuck.loglik + 1_000
