"""One step of expectation over codes, against sums over every path and against forward–backward."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import pairwise, product

import numpy as np
import pytest

from ventris.inference.score import infer_labels
from ventris.kernels.baum_welch import expect, likelihoods
from ventris.label_model.model import NgramModel


def chain(n_classes, n_codes, seed):
    rng = np.random.default_rng(seed)
    transitions = rng.dirichlet(np.ones(n_classes), size=n_classes)
    return rng.dirichlet(np.ones(n_classes)), transitions, rng.uniform(0.1, 3.0, size=(n_codes, n_classes))


def expected(codes, lengths, opening, transitions, scores):
    """What the kernel adds to zeros: counts (K, C), pairs (C, C), logs (S,)."""
    counts, pairs, logs = np.zeros_like(scores), np.zeros_like(transitions), np.empty(len(lengths))
    expect(np.asarray(codes), np.cumsum(lengths), scores, opening, transitions, counts, pairs, logs)
    return counts, pairs, logs


def by_brute_force(codes, lengths, opening, transitions, scores):
    """The same, path by path."""
    counts, pairs, logs = np.zeros_like(scores), np.zeros_like(transitions), []
    for part in np.split(np.asarray(codes), np.cumsum(lengths)[:-1]):
        paths = list(product(range(len(opening)), repeat=len(part)))
        weights = np.array(
            [
                opening[path[0]]
                * np.prod([scores[code, label] for code, label in zip(part, path, strict=True)])
                * np.prod([transitions[pair] for pair in pairwise(path)])
                for path in paths
            ]
        )
        logs.append(np.log(weights.sum()))
        for weight, path in zip(weights / weights.sum(), paths, strict=True):
            for code, label in zip(part, path, strict=True):
                counts[code, label] += weight
            for pair in pairwise(path):
                pairs[pair] += weight
    return counts, pairs, np.array(logs)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("lengths", [[6], [1], [3, 1, 4]])
def test_counts_pairs_and_likelihoods_are_those_of_all_paths(n_classes, lengths):
    opening, transitions, scores = chain(n_classes, 4, seed=n_classes)
    codes = np.random.default_rng(sum(lengths)).integers(4, size=sum(lengths))
    found = expected(codes, lengths, opening, transitions, scores)
    for one, other in zip(found, by_brute_force(codes, lengths, opening, transitions, scores), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-14)
    assert found[0].sum() == pytest.approx(sum(lengths))
    assert found[1].sum() == pytest.approx(sum(length - 1 for length in lengths))


def test_what_was_there_is_added_to():
    opening, transitions, scores = chain(3, 4, seed=0)
    codes, stops, logs = np.array([0, 3, 1]), np.array([3]), np.empty(1)
    counts, pairs = np.full((4, 3), 2.0), np.full((3, 3), 5.0)
    expect(codes, stops, scores, opening, transitions, counts, pairs, logs)
    once = expected(codes, [3], opening, transitions, scores)
    np.testing.assert_allclose(counts - 2, once[0], atol=1e-14)
    np.testing.assert_allclose(pairs - 5, once[1], atol=1e-14)


@pytest.mark.parametrize("lengths", [[2_000], [700, 1, 2, 1_297]])
def test_the_way_forward_alone_has_the_same_likelihoods(lengths):
    """Two rows of messages do where a step has them all; long enough for the scale to be taken out."""
    opening, transitions, scores = chain(4, 9, seed=1)
    scores *= 5  # 2,000 points: e to more than a thousand
    codes, logs = np.random.default_rng(2).integers(9, size=2_000), np.empty(len(lengths))
    likelihoods(codes, np.cumsum(lengths), scores, opening, transitions, logs)
    np.testing.assert_allclose(logs, expected(codes, lengths, opening, transitions, scores)[2], rtol=1e-12)
    assert np.abs(logs).max() > 700 and np.isfinite(logs).all()


@pytest.mark.parametrize("n_classes", [2, 5])
def test_labels_are_those_that_forward_backward_infers(n_classes):
    lm = NgramModel.from_transition_matrix(chain(n_classes, 1, seed=3)[1])
    rng = np.random.default_rng(4)
    table, codes = rng.dirichlet(np.ones(n_classes), size=12), rng.integers(12, size=900)
    lengths, usage = np.array([400, 500]), table[codes].mean(axis=0)
    labels, score = infer_labels(table[codes], lengths, lm, 2, usage, n_jobs=1)
    read = np.zeros_like(table)
    np.add.at(read, codes, labels)
    counts, _, logs = expected(codes, lengths, lm.joint(1), lm.conditional(2), table / usage)
    np.testing.assert_allclose(counts, read, rtol=1e-8)
    assert logs.sum() / len(codes) == pytest.approx(score)


def test_a_row_of_its_own_pins_a_known_point():
    """As `deciphering.likelihood` does it: the point has a code of its own, whose score rules labels out."""
    opening, transitions, scores = chain(3, 2, seed=5)
    pinned = np.vstack([scores, [0.0, 1.0, 0.0]])
    codes = np.array([0, 1, 2, 0])
    counts, pairs, _ = expected(codes, [4], opening, transitions, pinned)
    np.testing.assert_allclose(counts[2], [0, 1, 0], atol=1e-15)
    np.testing.assert_allclose(pairs, by_brute_force(codes, [4], opening, transitions, pinned)[1], atol=1e-14)
    assert pairs[:, 1].sum() >= 1  # the pair that ends at the pinned point, whatever the label before


PRINT_BITS = """
import numpy as np
from ventris.kernels.baum_welch import expect, likelihoods
rng = np.random.default_rng(0)
codes, stops = rng.integers(40, size=4000), np.array([1500, 4000])
scores, transitions = rng.uniform(0.1, 3.0, size=(40, 4)), rng.dirichlet(np.ones(4), size=4)
counts, pairs, logs, alone = np.zeros((40, 4)), np.zeros((4, 4)), np.empty(2), np.empty(2)
expect(codes, stops, scores, np.full(4, 0.25), transitions, counts, pairs, logs)
likelihoods(codes, stops, scores, np.full(4, 0.25), transitions, alone)
print([array.tobytes().hex() for array in (counts, pairs, logs, alone)])
"""


def test_compiled_now_or_taken_from_the_cache_the_bits_are_the_same(tmp_path):
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    compiled, cached = (
        subprocess.run([sys.executable, "-c", PRINT_BITS], env=environment, capture_output=True, check=True)
        for _ in range(2)
    )
    assert compiled.stdout and compiled.stdout == cached.stdout
