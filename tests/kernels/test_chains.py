"""The compiled walks themselves: blocks, candidates, and steps that the public functions hide."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from tests.inference.twins import posteriors_twin

from ventris.inference import chains
from ventris.kernels import chains as kernels
from ventris.kernels import lattice


def model(rng, n_classes, order):
    joint = rng.dirichlet(np.ones(n_classes ** (order - 1))).reshape((n_classes,) * (order - 1))
    return joint, rng.dirichlet(np.ones(n_classes), size=(n_classes,) * (order - 1))


@pytest.mark.parametrize("maximise", [False, True])
@pytest.mark.parametrize("width", [4, 28])
def test_product(width, maximise):
    rng = np.random.default_rng(width)
    x, matrix, y = rng.random(width), rng.random((width, width)), np.empty(width)
    kernels._product(x, matrix, y, maximise)
    expected = (x[:, None] * matrix).max(axis=0) if maximise else x @ matrix
    np.testing.assert_allclose(y, expected, rtol=1e-14)


@pytest.mark.parametrize("order", [2, 3])
def test_a_lattice_of_all_labels_is_the_dense_chain(order):
    rng = np.random.default_rng(order)
    joint, conditional = model(rng, 4, order)
    scores, spans = rng.random((50, 4)), np.array([[0, 20], [20, 50]])
    everything = np.tile(np.arange(4, dtype=np.int16), (50, 1)), np.full(50, 4)
    dense, dense_logs = chains.posteriors(chains.dense(scores, joint, conditional), spans, 1)
    pruned, logs = chains.posteriors(chains.pruned(scores, spans, joint, conditional, *everything), spans, 1)
    np.testing.assert_allclose(pruned, dense, rtol=1e-12)
    np.testing.assert_allclose(logs, dense_logs, rtol=1e-12)


def test_a_pruned_lattice_is_the_dense_chain_with_the_other_scores_at_zero():
    rng = np.random.default_rng(3)
    joint, conditional = model(rng, 5, 4)
    scores, spans = rng.random((40, 5)), np.array([[0, 40]])
    counts = rng.integers(1, 4, size=40)
    candidates = rng.permuted(np.tile(np.arange(5, dtype=np.int16), (40, 1)), axis=1)
    found, logs = chains.posteriors(
        chains.pruned(scores, spans, joint, conditional, candidates, counts), spans, 1
    )
    masked = np.zeros_like(scores)
    for t in range(40):
        masked[t, candidates[t, : counts[t]]] = scores[t, candidates[t, : counts[t]]]
    expected, log = posteriors_twin(masked, [None, None, joint], conditional)
    np.testing.assert_allclose(found, expected, rtol=1e-11)
    np.testing.assert_allclose(logs, log, rtol=1e-12)


@pytest.mark.parametrize("room", [1, 30, 1000])
def test_blocks_cover_every_step_within_the_room(room):
    rng = np.random.default_rng(0)
    joint, conditional = model(rng, 3, 3)
    scores, spans = rng.random((60, 3)), np.array([[0, 60]])
    counts = rng.integers(1, 4, size=60)
    candidates = np.tile(np.arange(3, dtype=np.int16), (60, 1))
    for chain in (
        chains.dense(scores, joint, conditional),
        chains.pruned(scores, spans, joint, conditional, candidates, counts),
    ):
        blocks = chains._blocks(chain, 5, 50, room)
        assert blocks[0][0] == 5
        assert blocks[-1][1] == 50
        assert all(left[1] == right[0] for left, right in pairwise(blocks))
        sizes = [chain.offset(end) - chain.offset(begin) for begin, end in blocks]
        assert all(size <= room or end - begin == 1 for size, (begin, end) in zip(sizes, blocks, strict=True))


def test_memory_of_a_long_trigram_sequence_stays_bounded(monkeypatch):
    import tracemalloc

    monkeypatch.setattr(chains, "MESSAGE_BUDGET", 2**16)
    rng = np.random.default_rng(0)
    joint, conditional = model(rng, 8, 3)
    scores = rng.random((50_000, 8))
    chain, spans = chains.dense(scores, joint, conditional), np.array([[0, 50_000]])
    chains.posteriors(
        chain, spans, 1
    )  # compiles, where nothing is cached yet: the compiler's memory is not meant
    tracemalloc.start()
    posteriors, _ = chains.posteriors(chain, spans, 1)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    every_message = 50_000 * 64 * 8
    assert peak < posteriors.nbytes + every_message / 5


def test_likeliest_labels():
    posteriors = np.array([[0.1, 0.5, 0.05, 0.35], [0.25, 0.25, 0.25, 0.25], [1e-9, 1.0, 0.0, 0.0]])
    candidates, counts = np.zeros((3, 2), dtype=np.int16), np.zeros(3, dtype=np.int64)
    lattice.likeliest(posteriors, 0.3, candidates, counts)
    np.testing.assert_array_equal(counts, [2, 1, 1])
    np.testing.assert_array_equal(candidates[0], [1, 3])
    assert candidates[1, 0] == 0  # none reaches the threshold: the best one stays
    lattice.likeliest(posteriors, 0.01, candidates, counts)
    np.testing.assert_array_equal(counts, [2, 2, 1])  # never more than there is room for


def test_thinning_drops_the_least_likely_inside_each_sequence():
    posteriors = np.array([[0.6, 0.3, 0.1], [0.5, 0.48, 0.02], [0.9, 0.06, 0.04]] * 2)
    candidates, counts = np.tile(np.arange(3, dtype=np.int16), (6, 1)), np.array([3, 3, 3, 1, 3, 3])
    lattice.thin(posteriors, candidates, counts, np.array([[0, 3], [3, 6]]), 3, 9)
    # 27 → 18 (drops 0.02) → 12 (0.04) → 6 (0.06); the other sequence has 9 as it is.
    np.testing.assert_array_equal(counts, [3, 2, 1, 1, 3, 3])
