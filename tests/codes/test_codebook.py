"""Codes: nearest centres by brute force, sizes, constant features, mini-batches, and pairs k apart (E11)."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.cluster import KMeans

from ventris.codes import codebook
from ventris.codes.codebook import default_size, fit_codebook
from ventris.codes.settings import CodebookSettings
from ventris.data.sequences import Sequences
from ventris.errors import DataError


def sequences(n=2_000, n_features=3, seed=0):
    rng = np.random.default_rng(seed)
    centres = 5 * rng.standard_normal((6, n_features))
    labels = rng.integers(6, size=n)
    return Sequences.of(centres[labels] + rng.standard_normal((n, n_features)) * 0.3), labels


@pytest.mark.parametrize("n_features", [1, 3, 40])
def test_a_code_is_the_nearest_centre(n_features, monkeypatch):
    data, _ = sequences(500, n_features)
    book = fit_codebook(data, 9, np.random.default_rng(0))
    monkeypatch.setattr(codebook, "_ROWS", 64)
    distances = np.linalg.norm(book.embed(data.data)[:, None] - book.centres[None], axis=2)
    np.testing.assert_array_equal(book.codes(data.data), distances.argmin(axis=1))
    assert book.size == 9 and book.codes(data.data).dtype == np.int32
    assert book.axes.shape == (n_features, min(n_features, 30))


def test_well_separated_clusters_are_not_mixed():
    data, labels = sequences()
    codes = fit_codebook(data, 24, np.random.default_rng(0)).codes(data.data)
    assert all(len(set(labels[codes == code].tolist())) == 1 for code in np.unique(codes))


def test_the_scale_and_place_of_a_feature_do_not_matter():
    data, _ = sequences()
    moved = Sequences.of(data.data * [1e-3, 1.0, 1e4] + [5.0, 0.0, -1e5])
    codes = [fit_codebook(part, 12, np.random.default_rng(0)).codes(part.data) for part in (data, moved)]
    assert np.mean(codes[0] == codes[1]) > 0.99


def test_a_constant_feature_changes_no_code():
    data, _ = sequences()
    wider = Sequences.of(np.column_stack([data.data, np.full(data.n_points, 7.0)]))
    codes = [fit_codebook(part, 12, np.random.default_rng(0)).codes(part.data) for part in (data, wider)]
    np.testing.assert_array_equal(*codes)


def test_single_precision_stays_and_the_seed_decides():
    data, _ = sequences()
    single = Sequences.of(data.data.astype(np.float32))
    books = [fit_codebook(single, 12, np.random.default_rng(seed)) for seed in (0, 0, 1)]
    assert {value.dtype for value in vars(books[0]).values()} == {np.dtype(np.float32)}
    np.testing.assert_array_equal(books[0].centres, books[1].centres)
    assert not np.array_equal(books[0].centres, books[2].centres)


# ------------------------------------------------------------------------------------------ mini-batches


def mixture(seed, n_points=30_000, n_features=16):
    rng = np.random.default_rng(seed)
    means = 1.5 * rng.standard_normal((20, n_features))
    return means[rng.integers(20, size=n_points)] + rng.standard_normal((n_points, n_features))


def squared_distance(book, X):
    points = book.embed(X)
    return np.mean(np.sum((points - book.centres[book.codes(X)]) ** 2, axis=1))


@pytest.mark.parametrize("seed", range(3))
def test_mini_batches_place_centres_nearly_as_well(seed):
    """150 codes of 20 Gaussians, 15,000 points; the other half is fresh."""
    learnt, fresh = np.split(mixture(seed), 2)
    data = Sequences.of(learnt)
    whole = fit_codebook(data, 150, np.random.default_rng(seed))
    small = CodebookSettings(whole=10_000, mini_batch=1_000)
    parts = fit_codebook(data, 150, np.random.default_rng(seed), small)
    again = fit_codebook(data, 150, np.random.default_rng(seed), small)
    assert not np.array_equal(parts.centres, whole.centres)
    np.testing.assert_array_equal(parts.centres, again.centres)
    assert squared_distance(parts, fresh) < 1.02 * squared_distance(whole, fresh)
    assert len(np.unique(parts.codes(learnt))) == 150


def test_few_points_are_placed_by_plain_k_means():
    """The centres are scikit-learn's, number for number; seed 0."""
    X = mixture(0, 6_000, 5)
    book = fit_codebook(Sequences.of(X), 50, np.random.default_rng(0))
    rng = np.random.default_rng(0)
    sample = X[np.sort(rng.choice(6_000, 5_000, replace=False))]
    points = (sample - sample.mean(axis=0)) / sample.std(axis=0)
    plain = KMeans(50, n_init=1, max_iter=30, random_state=int(rng.integers(2**31))).fit(points)
    np.testing.assert_array_equal(book.centres, plain.cluster_centers_)


def test_codes_without_a_point_do_no_harm_in_mini_batches():
    """Four distinct points and nine codes."""
    small = CodebookSettings(whole=100, mini_batch=50)
    X = np.tile([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], (100, 1))
    codes = fit_codebook(Sequences.of(X), 9, np.random.default_rng(0), small).codes(X)
    assert len(np.unique(codes[:4])) == 4


def test_more_codes_than_points_are_refused():
    with pytest.raises(DataError, match=r"50 codes.*there are 10.*smaller codebook_size"):
        fit_codebook(Sequences.of(np.arange(20.0).reshape(10, 2)), 50, np.random.default_rng(0))


def test_the_size_follows_classes_and_data():
    assert default_size(10**6, 2) == 32
    assert default_size(10**6, 100) == 500
    assert default_size(2_000, 27) == 54  # never fewer than two codes a class
    sizes = [default_size(n, 10) for n in (100, 1_000, 3_000, 10_000)]
    assert sizes == sorted(sizes)
