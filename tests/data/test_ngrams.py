"""Counting n-grams, against Counter; tables with their residual mass."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ventris.data.ngrams import (
    DENSE_CELLS,
    NgramCounts,
    NgramTable,
    check_dense,
    count_ngrams,
    count_pairs,
    encode_text,
    grams_of,
)
from ventris.errors import DataError, ParameterError


def cut(symbols, lengths):
    """Runs without a break: the sequences, cut again at every negative symbol."""
    runs, start = [], 0
    for length in lengths:
        runs.append([])
        for symbol in symbols[start : start + length]:
            if symbol < 0:
                runs.append([])
            else:
                runs[-1].append(int(symbol))
        start += length
    return runs


def counter(symbols, lengths, order):
    return Counter(
        tuple(run[k : k + order]) for run in cut(symbols, lengths) for k in range(len(run) - order + 1)
    )


texts = st.lists(st.lists(st.integers(-1, 2), min_size=1, max_size=15), min_size=1, max_size=5)


@settings(max_examples=60, deadline=None)  # the first example compiles
@given(texts=texts, order=st.integers(1, 4))
def test_counts_equal_a_counter_and_cross_no_break(texts, order):
    symbols, lengths = np.concatenate(texts), [len(text) for text in texts]
    counts = count_ngrams(symbols, order, 3, lengths)
    expected = counter(symbols, lengths, order)
    assert dict(zip(map(tuple, counts.grams().tolist()), counts.counts.tolist(), strict=True)) == expected
    assert counts.total == sum(expected.values())
    assert np.all(np.diff(counts.codes) > 0)


@settings(max_examples=60, deadline=None)  # the first example compiles
@given(texts=texts, lag=st.integers(1, 5))
def test_pairs_equal_a_counter_and_cross_no_break(texts, lag):
    symbols, lengths = np.concatenate(texts), [len(text) for text in texts]
    expected = np.zeros((3, 3), int)
    for run in cut(symbols, lengths):
        for first, second in zip(run, run[lag:], strict=False):
            expected[first, second] += 1
    np.testing.assert_array_equal(count_pairs(symbols, lag, 3, lengths), expected)


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int64, np.uint8])
def test_any_integer_type_counts_alike(dtype):
    symbols = np.random.default_rng(0).integers(0, 27, 5000).astype(dtype)
    windows = np.lib.stride_tricks.sliding_window_view(symbols, 3)
    grams, occurrences = np.unique(windows, axis=0, return_counts=True)
    counts = count_ngrams(symbols, 3, 27)
    np.testing.assert_array_equal(counts.grams(), grams)
    np.testing.assert_array_equal(counts.counts, occurrences)


def test_orders_too_large_for_a_dense_table_count_alike():
    symbols = np.random.default_rng(0).integers(0, 3, 3000)
    symbols[::97] = -1
    assert DENSE_CELLS < 300**4
    counts = count_ngrams(symbols, 4, 300, [1000, 2000])
    assert dict(zip(map(tuple, counts.grams().tolist()), counts.counts.tolist(), strict=True)) == counter(
        symbols, [1000, 2000], 4
    )


def test_dense_and_sparse_counts_are_one():
    counts = NgramCounts(2, 3, np.array([1, 6]), np.array([5, 7]))
    assert counts.dense().tolist() == [[0, 5, 0], [0, 0, 0], [7, 0, 0]]
    assert counts.grams().tolist() == [[0, 1], [2, 0]]


@given(gram=st.lists(st.integers(0, 6), min_size=1, max_size=6))
def test_codes_are_numbers_in_base_c_oldest_symbol_first(gram):
    code = int("".join(map(str, gram)), base=7)
    assert grams_of(np.array([code]), len(gram), 7).tolist() == [gram]


def test_a_table_keeps_the_most_probable_and_says_what_it_leaves():
    joint = np.random.default_rng(0).dirichlet(np.ones(27)).reshape(3, 3, 3)
    full, some = NgramTable.from_dense(joint), NgramTable.from_dense(joint, top=5)
    assert full.order == some.order == 3
    assert np.all(np.diff(full.prob) <= 0)
    np.testing.assert_array_equal(joint[tuple(full.grams.T)], full.prob)
    np.testing.assert_array_equal(some.prob, np.sort(joint.ravel())[::-1][:5])
    np.testing.assert_allclose([full.mass, full.residual], [1, 0], atol=1e-15)
    np.testing.assert_allclose(some.residual, np.sort(joint.ravel())[:-5].sum(), rtol=1e-12)


def test_a_table_lists_no_impossible_ngram():
    table = NgramTable.from_dense(np.array([[0.5, 0.0], [0.0, 0.5]]))
    assert table.grams.tolist() == [[0, 0], [1, 1]]


@given(text=st.text(alphabet="abcé🙂 z", max_size=30), alphabet=st.sampled_from(["ab ", "é🙂", "zyx", "a🙂"]))
def test_text_is_encoded_character_by_character(text, alphabet):
    assert encode_text(text, alphabet).tolist() == [alphabet.find(character) for character in text]


def test_a_dense_table_beyond_the_limit_is_refused():
    assert check_dense(2, 26) == DENSE_CELLS
    with pytest.raises(ParameterError) as caught:
        check_dense(27, 6)
    assert str(caught.value) == (
        "A dense table may have at most 67,108,864 cells, but order 6 over 27 symbols has 387,420,489. "
        "Use a lower order, or the sparse table(order, top=…)."
    )


def test_codes_that_would_not_fit_a_machine_word_are_refused():
    with pytest.raises(ParameterError) as caught:
        count_ngrams(np.arange(10), 7, 100_000)
    assert str(caught.value) == (
        "n-grams must be numbered below 2**63, but order 7 over 100000 symbols has 1e+35 of them. "
        "Use a lower order."
    )


def test_a_symbol_beyond_the_alphabet_is_refused_before_it_writes_out_of_bounds():
    for count in (count_ngrams, count_pairs):
        with pytest.raises(DataError) as caught:
            count(np.array([0, 5, 1]), 1, 3)
        assert str(caught.value) == (
            "Symbols must be below 3, the number of symbols, but the largest is 5. "
            "Give the true number of symbols, or number them 0, 1, 2, …."
        )
