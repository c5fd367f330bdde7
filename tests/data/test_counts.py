"""Counts that add: any cutting into chunks and any order of merging, against counting one pair at a time."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ventris.data.counts import N_LAGS, PairCounts, chunks, lagged_pairs
from ventris.errors import DataError, ParameterError

K = 3


def by_hand(sequences, n_lags):
    """Pairs (L, K, K) and single codes (K,), one at a time; a negative code breaks its sequence."""
    pairs, singles = np.zeros((n_lags, K, K), np.int64), np.zeros(K, np.int64)
    for sequence in sequences:
        for t, code in enumerate(sequence):
            if code < 0:
                continue
            singles[code] += 1
            for lag in range(1, min(n_lags, t) + 1):
                if min(sequence[t - lag : t]) >= 0:
                    pairs[lag - 1, sequence[t - lag], code] += 1
    return pairs, singles


def owned(codes, lengths, first, stop, n_lags, more):
    """What one engine counts of the rows `first` to `stop`, given `more` rows before them than it needs."""
    start = max(0, first - n_lags - more)
    ends = np.cumsum(lengths)
    inside = np.diff(np.clip(ends, start, stop), prepend=start)
    return PairCounts(K, n_lags).add(codes[start:stop], inside[inside > 0], context=first - start)


sequences = st.lists(st.lists(st.integers(-1, K - 1), min_size=1, max_size=12), min_size=1, max_size=5)


@settings(max_examples=200, deadline=None)  # the first example compiles
@given(sequences=sequences, n_lags=st.integers(0, 5), data=st.data())
def test_any_chunks_merged_in_any_order_count_alike(sequences, n_lags, data):
    """(E11), bit for bit: cuts fall anywhere, in the middle of sequences too, and chunks may be empty."""
    codes, lengths = np.concatenate(sequences), [len(sequence) for sequence in sequences]
    inner = data.draw(st.lists(st.integers(0, len(codes)), max_size=8))
    cuts = [0, *sorted(inner), len(codes)]
    parts = [
        owned(codes, lengths, first, stop, n_lags, more=data.draw(st.integers(0, 3)))
        for first, stop in itertools.pairwise(cuts)
    ]
    while len(parts) > 1:  # any two of them, until one is left: every tree of merges
        first, second = data.draw(st.permutations(range(len(parts))))[:2]
        merged = parts[first].merge(parts[second])
        parts = [part for k, part in enumerate(parts) if k not in (first, second)] + [merged]
    pairs, singles = by_hand(sequences, n_lags)
    whole = PairCounts(K, n_lags).add(codes, lengths)
    for found in (parts[0], whole):
        assert found.pairs.dtype == found.singles.dtype == np.int64
        np.testing.assert_array_equal(found.pairs, pairs)
        np.testing.assert_array_equal(found.singles, singles)
    assert parts[0].frequencies().tobytes() == lagged_pairs(codes, K, lengths, n_lags).tobytes()


@settings(max_examples=100, deadline=None)
@given(sequences=sequences, n_lags=st.integers(0, 5), n_rows=st.integers(1, 20))
def test_fixed_blocks_of_rows_count_alike(sequences, n_lags, n_rows):
    codes, lengths = np.concatenate(sequences), [len(sequence) for sequence in sequences]
    found, n_owned = PairCounts(K, n_lags), 0
    for start, stop, context, inside in chunks(lengths, n_lags, n_rows):
        assert stop - start - context <= n_rows
        assert start + context == n_owned  # every row has one owner
        n_owned = stop
        found.add(codes[start:stop], inside, context=context)
    assert n_owned == len(codes)
    pairs, singles = by_hand(sequences, n_lags)
    np.testing.assert_array_equal(found.pairs, pairs)
    np.testing.assert_array_equal(found.singles, singles)


def test_pairs_are_counted_inside_sequences_only():
    """F⁽ᵏ⁾ of (E11), against counting one pair at a time."""
    rng = np.random.default_rng(0)
    codes, lengths = rng.integers(4, size=60), np.array([1, 2, 30, 3, 24])
    found = lagged_pairs(codes, 4, lengths, n_lags=3)
    for lag in (1, 2, 3):
        counts = np.zeros((4, 4))
        for part in np.split(codes, np.cumsum(lengths)[:-1]):
            for a, b in zip(part, part[lag:], strict=False):
                counts[a, b] += 1
        np.testing.assert_allclose(found[lag - 1], counts / counts.sum(), rtol=1e-14)


def test_sequences_without_a_pair_give_zeros_not_nan():
    np.testing.assert_array_equal(lagged_pairs(np.array([0, 1]), 2, np.array([1, 1]), n_lags=2), 0)


def test_shares_sum_to_one_at_each_lag():
    counts = PairCounts(4).add(np.random.default_rng(0).integers(4, size=50), [20, 30])
    assert counts.n_lags == N_LAGS
    np.testing.assert_allclose(counts.frequencies().sum(axis=(1, 2)), 1.0, rtol=1e-14)
    np.testing.assert_allclose(counts.code_frequencies().sum(), 1.0, rtol=1e-14)
    assert not PairCounts(4).code_frequencies().any()


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.int32, np.uint64])
def test_any_kind_of_whole_number_counts_alike(dtype):
    codes = np.random.default_rng(1).integers(K, size=40)
    found, expected = PairCounts(K).add(codes.astype(dtype)), PairCounts(K).add(codes)
    np.testing.assert_array_equal(found.pairs, expected.pairs)
    np.testing.assert_array_equal(found.singles, expected.singles)


def test_what_does_not_fit_is_refused():
    with pytest.raises(ParameterError, match="at least one code"):
        PairCounts(0)
    with pytest.raises(ParameterError, match="3 codes at 2 lags"):
        PairCounts(K, 4).merge(PairCounts(K, 2))
    with pytest.raises(DataError, match="below 3"):
        PairCounts(K).add(np.array([0, 3]))
    with pytest.raises(DataError, match="4 of 3 rows"):
        PairCounts(K).add(np.array([0, 1, 2]), context=4)
