"""Inputs as a ciphertext: every point becomes the number of its nearest centre (vector quantisation).

Once counted, the codes' n-grams are all the later search needs: its cost no longer depends on the number of
points.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ventris.codes.settings import DEFAULT, CodebookSettings
from ventris.data.sequences import Sequences
from ventris.errors import DataError

MOST_CODES = 4096  # pairs of codes, or of symbols, at four lags then fill half a gigabyte
_ROWS = 32_768  # points assigned at a time


@dataclass(frozen=True)
class Codebook:
    """Centres in a standardised, rotated space (k-means codebook on principal components).

    Attributes
    ----------
    mean, scale : arrays of shape (D,)
    axes : array of shape (D, M)
        Principal axes of the standardised inputs.
    centres : array of shape (K, M)
    """

    mean: NDArray
    scale: NDArray
    axes: NDArray
    centres: NDArray

    @property
    def size(self) -> int:
        """K, the number of codes."""
        return len(self.centres)

    def embed(self, X: NDArray) -> NDArray:
        """Standardise and rotate: shape (n, M)."""
        return ((X - self.mean) / self.scale) @ self.axes

    def codes(self, X: NDArray) -> NDArray[np.int32]:
        """Number of the nearest centre of each row, in blocks: shape (T,)."""
        half_norms = 0.5 * np.sum(self.centres**2, axis=1)
        out = np.empty(len(X), dtype=np.int32)
        for first in range(0, len(X), _ROWS):
            points = self.embed(X[first : first + _ROWS])
            # |x − c|² is least where x·c − |c|²/2 is greatest.
            out[first : first + _ROWS] = np.argmax(points @ self.centres.T - half_norms, axis=1)
        return out


def default_size(n_points: int, n_classes: int, settings: CodebookSettings = DEFAULT) -> int:
    """K: enough codes that few of them straddle two classes, each still seen often enough to count its pairs.

    Examples
    --------
    >>> default_size(50_000, 2), default_size(50_000, 27), default_size(500, 27)
    (32, 135, 54)
    """
    wanted = max(settings.least_codes, settings.codes_a_label * n_classes)
    seen = min(wanted, n_points // settings.points_a_code)
    return int(max(settings.least_codes_a_label * n_classes, seen))


def fit_codebook(
    sequences: Sequences, size: int, rng: np.random.Generator, settings: CodebookSettings = DEFAULT
) -> Codebook:
    """Place `size` centres on a sample of the points (k-means, mini-batch k-means, k-means++).

    References
    ----------
    D. Arthur and S. Vassilvitskii, "k-means++: The Advantages of Careful Seeding", SODA 2007, 1027–1035.

    D. Sculley, "Web-Scale K-Means Clustering", WWW 2010, 1177–1178.
    """
    X = sequences.data
    if len(X) < size:
        raise DataError(
            f"A codebook of {size} codes needs at least as many points",
            f"there are {len(X)}",
            "Give more data, or a smaller codebook_size",
        )
    n_rows = min(len(X), max(settings.sample, settings.sample_a_code * size))
    rows = np.sort(rng.choice(len(X), n_rows, replace=False))
    sample = np.asarray(X[rows], dtype=np.float64)
    mean, scale = sample.mean(axis=0), sample.std(axis=0)
    scale[scale == 0] = 1.0  # a constant feature says nothing and must not divide by zero
    sample = (sample - mean) / scale
    axes = np.eye(sample.shape[1])
    if sample.shape[1] > settings.components:
        from sklearn.decomposition import PCA  # takes 0.1 CPU-s, which few features need not wait for

        axes = PCA(settings.components, svd_solver="covariance_eigh").fit(sample).components_.T
    # Points stay double: scikit-learn's k-means++ is slower on single ones.
    centres = _place_centres(sample @ axes, size, int(rng.integers(2**31)), settings)
    kind = X.dtype
    return Codebook(mean.astype(kind), scale.astype(kind), axes.astype(kind), centres.astype(kind))


def _place_centres(points: NDArray, size: int, seed: int, settings: CodebookSettings) -> NDArray:
    """Centres of shape (size, M) by k-means, in mini-batches where points are many."""
    from sklearn.cluster import KMeans, MiniBatchKMeans
    from sklearn.exceptions import ConvergenceWarning

    means = KMeans(size, n_init=1, max_iter=settings.turns, random_state=seed)
    if len(points) > settings.whole:
        means = MiniBatchKMeans(
            size,
            n_init=1,
            max_iter=settings.epochs,
            batch_size=settings.mini_batch,
            max_no_improvement=None,  # all points, five times: steps are too few to judge by
            random_state=seed,
        )
    with warnings.catch_warnings():
        # Fewer distinct points than codes leave some codes unused, which does no harm.
        warnings.simplefilter("ignore", ConvergenceWarning)
        return means.fit(points).cluster_centers_
