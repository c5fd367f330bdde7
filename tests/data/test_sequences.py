"""Sequences in, sequences out: lengths, windows, dtypes, memory maps, and every refusal by its sentence."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from ventris.data.sequences import Sequences, check_lengths, first_points, shifted, window_blocks
from ventris.errors import DataError, DataTypeError, VentrisError

lengths_lists = st.lists(st.integers(1, 12), min_size=1, max_size=8)


def positions(block) -> list[int]:
    return list(range(block.start, block.stop)) if isinstance(block, slice) else block.tolist()


def windows_by_hand(lengths, order) -> list[int]:
    """Start of every window that lies inside one sequence, by looking at each sequence alone."""
    found, start = [], 0
    for length in lengths:
        found += [start + k for k in range(length - order + 1)]
        start += length
    return found


@given(lengths=lengths_lists, order=st.integers(1, 4), size=st.integers(1, 9))
def test_blocks_hold_every_window_inside_a_sequence_once_and_in_order(lengths, order, size):
    if max(lengths) < order:
        with pytest.raises(DataError):
            list(window_blocks(sum(lengths), order, lengths, size))
        return
    blocks = list(window_blocks(sum(lengths), order, lengths, size))
    assert [p for block in blocks for p in positions(block)] == windows_by_hand(lengths, order)
    assert all(1 <= len(positions(block)) <= size for block in blocks)


@given(lengths=lengths_lists, places=st.integers(0, 3))
def test_shifted_moves_every_window_of_a_block(lengths, places):
    for block in window_blocks(sum(lengths), 1, lengths, size=4):
        assert positions(shifted(block, places)) == [p + places for p in positions(block)]


@given(lengths=st.lists(st.integers(1, 6), min_size=1, max_size=6), n_points=st.integers(0, 40))
def test_the_first_points_keep_their_sequences(lengths, n_points):
    owner = np.repeat(np.arange(len(lengths)), lengths)  # which sequence each point is of
    rows, kept = first_points(owner, np.array(lengths), n_points)
    np.testing.assert_array_equal(rows, owner[:n_points])
    assert np.repeat(np.arange(len(kept)), kept).tolist() == rows.tolist()


def test_an_unbroken_run_is_a_slice_so_that_indexing_makes_no_copy():
    data = np.zeros((10, 2))
    (block,) = window_blocks(10, 3)
    assert np.shares_memory(data[block], data)


@given(lengths=lengths_lists)
def test_restore_undoes_concatenation(lengths):
    parts = [np.arange(n) + 10 * k for k, n in enumerate(lengths)]
    sequences = Sequences.of(parts)
    restored = sequences.restore(sequences.data)
    assert [part.tolist() for part in restored] == [part.tolist() for part in parts]
    assert [part.tolist() for part in sequences] == [part.tolist() for part in parts]


def test_array_in_array_out_even_with_lengths():
    sequences = Sequences.of(np.zeros((5, 2)), lengths=[2, 3])
    per_point = np.arange(5)
    assert sequences.restore(per_point) is per_point
    assert (len(sequences), sequences.offsets.tolist()) == (2, [0, 2, 5])


@given(lengths=lengths_lists, fraction=st.floats(0.05, 0.95))
def test_split_is_contiguous_and_cuts_at_most_one_sequence(lengths, fraction):
    data = np.arange(sum(lengths))
    left, right = Sequences.of(data, lengths).split(fraction)
    assert np.concatenate([left.data, right.data]).tolist() == data.tolist()
    assert (left.lengths.sum(), right.lengths.sum()) == (left.n_points, right.n_points)
    assert right.n_points == max(1, round(fraction * len(data)))
    # Every original boundary survives, and no more than one is new.
    kept = set(left.offsets.tolist()) | {left.n_points + k for k in right.offsets.tolist()}
    original = {0, *np.cumsum(lengths).tolist()}
    assert original <= kept
    assert len(kept - original) <= 1


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_float_arrays_pass_untouched(dtype):
    X = np.ones((4, 2), dtype)
    assert Sequences.of(X).data is X
    assert Sequences.of([X, X]).data.dtype == dtype


@pytest.mark.parametrize(
    "X", [np.ones((4, 2), np.int32), np.ones((4, 2), ">f8"), [[1.0, 2], [3, 4]], [[True]]]
)
def test_other_numbers_become_float64(X):
    data = Sequences.of(X).data
    assert data.dtype == np.float64
    assert data.dtype.isnative
    np.testing.assert_array_equal(data, np.asarray(X))


def test_a_memory_map_is_neither_copied_nor_loaded(tmp_path):
    np.save(tmp_path / "X.npy", np.random.default_rng(0).standard_normal((1000, 3)).astype(np.float32))
    X = np.load(tmp_path / "X.npy", mmap_mode="r")
    for sequences in (Sequences.of(X, lengths=[400, 600]), Sequences.of([X])):
        assert isinstance(sequences.data, np.memmap)
        assert np.shares_memory(sequences.data, X)
        assert all(np.shares_memory(part, X) for part in sequences)
        assert all(np.shares_memory(half.data, X) for half in sequences.split(0.25))


def test_integers_in_one_dimension_are_symbols():
    symbols = Sequences.of(np.array([2, 0, 1], np.uint8))
    assert symbols.is_symbolic
    assert symbols.data.dtype == np.uint8
    assert not Sequences.of(np.zeros((3, 1))).is_symbolic
    assert [part.tolist() for part in Sequences.of([np.array([0, 1]), np.array([2])])] == [[0, 1], [2]]


def test_lists_of_tables_and_of_frames_are_lists_of_sequences():
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]})
    for X in ([frame, frame], [[[1, 3], [2, 4]], [[1, 3], [2, 4]]]):
        sequences = Sequences.of(X)
        assert sequences.came_as_list
        assert sequences.lengths.tolist() == [2, 2]
    assert Sequences.of(frame).lengths.tolist() == [2]


def test_sequences_pass_unchanged():
    sequences = Sequences.of(np.zeros((3, 1)))
    assert Sequences.of(sequences) is sequences


BAD_INPUTS = {
    "lengths that do not add up": (
        lambda: Sequences.of(np.zeros((40, 2)), lengths=[30, 30]),
        "lengths must add up to the number of points, but they add up to 60 for 40 points. "
        "Pass the lengths of this very array, or a list of sequences, which needs none; under "
        "cross-validation groups=, which sequence each point belongs to, is cut along with the points.",
    ),
    "lengths that are not whole": (
        lambda: check_lengths([1.5, 1.5], 3),
        "lengths must be a 1-D array of whole numbers, but it is 1-D of type float64. "
        "Give the number of points of each sequence, in order.",
    ),
    "lengths that are a table": (
        lambda: check_lengths([[1, 2]], 3),
        "lengths must be a 1-D array of whole numbers, but it is 2-D of type int64. "
        "Give the number of points of each sequence, in order.",
    ),
    "a length of zero": (
        lambda: check_lengths([3, 0], 3),
        "Every length must be at least 1, but sequence 1 has length 0. Leave empty sequences out.",
    ),
    "a list and lengths": (
        lambda: Sequences.of([np.zeros((2, 1))], lengths=[2]),
        "A list of sequences carries its own lengths, but lengths was given as well. "
        "Drop it, or pass one concatenated array.",
    ),
    "Sequences and other lengths": (
        lambda: Sequences.of(Sequences.of(np.zeros((4, 1))), lengths=[2, 2]),
        "Sequences carry their own lengths, but lengths or groups was given as well. Drop them.",
    ),
    "sequences of several widths": (
        lambda: Sequences.of([np.zeros((2, 3)), np.zeros((2, 4))]),
        "All sequences must have the same number of features, but they have [3, 4]. "
        "Check how each sequence was cut out.",
    ),
    "rows of several widths": (
        lambda: Sequences.of([[0.5, 1, 2], [1, 0]]),
        "X must be a table of numbers or a list of arrays, but its rows differ in length. "
        "Turn each sequence into an array with numpy.asarray.",
    ),
    "NaN": (
        lambda: Sequences.of([np.zeros((2, 1)), np.array([[0.0], [np.nan]])]),
        "sequence 1 must hold finite numbers, but row 1 holds NaN or infinity. "
        "Remove or impute such rows, for example with sklearn.impute.SimpleImputer.",
    ),
    "infinity": (
        lambda: Sequences.of(np.array([[np.inf]])),
        "X must hold finite numbers, but row 0 holds NaN or infinity. "
        "Remove or impute such rows, for example with sklearn.impute.SimpleImputer.",
    ),
    "no point": (
        lambda: Sequences.of(np.zeros((0, 2))),
        "X must hold at least one point, but it has 0 sample(s) (shape=(0, 2)) while a minimum of 1 "
        "is required. Leave empty sequences out.",
    ),
    "no symbol": (
        lambda: Sequences.of(np.zeros(0, int)),
        "X must hold at least one point, but it has 0 sample(s) (shape=(0,)) while a minimum of 1 "
        "is required. Leave empty sequences out.",
    ),
    "no feature": (
        lambda: Sequences.of(np.zeros((2, 0))),
        "X must have at least one feature, but it has 0 feature(s) (shape=(2, 0)) while a minimum of 1 is "
        "required. Check how the features were selected.",
    ),
    "complex numbers": (
        lambda: Sequences.of(np.ones((2, 1)) * 1j),
        "X must hold real numbers, but Complex data not supported: it holds complex ones. "
        "Take the real part, the magnitude or both as features.",
    ),
    "floats in one dimension": (
        lambda: Sequences.of(np.zeros(3)),
        "X must be 2-D, one row a point, or 1-D integers, one symbol a point. Expected 2D array, "
        "but it is 1-D of type float64. Reshape your data, for one feature with array.reshape(-1, 1), "
        "for one point with array.reshape(1, -1).",
    ),
    "four dimensions": (
        lambda: Sequences.of(np.zeros((2, 2, 2, 2))),
        "X must be 2-D, one row a point, or 1-D integers, one symbol a point. Expected 2D array, "
        "but it is 4-D of type float64. Reshape your data, for one feature with array.reshape(-1, 1), "
        "for one point with array.reshape(1, -1).",
    ),
    "negative symbols": (
        lambda: Sequences.of(np.array([0, -1])),
        "X must hold symbols numbered from 0, but the smallest is -1. "
        "Number the symbols 0, 1, 2, … with numpy.unique(return_inverse=True).",
    ),
    "only sequences shorter than the order": (
        lambda: list(window_blocks(5, 3, [2, 2, 1])),
        "At least one sequence must hold 3 points, the order of the label model, but the longest has 2. "
        "Give longer sequences or a lower order.",
    ),
}


@pytest.mark.parametrize("case", BAD_INPUTS)
def test_refused_with_its_own_sentence(case):
    call, sentence = BAD_INPUTS[case]
    with pytest.raises(DataError) as caught:
        call()
    assert str(caught.value) == sentence


def test_a_sparse_matrix_is_refused_rather_than_made_dense():
    with pytest.raises(DataTypeError) as caught:
        Sequences.of(scipy.sparse.csr_matrix(np.eye(2)))
    assert str(caught.value) == (
        "X must be a dense array, but it is a sparse matrix. Convert it with .toarray() if it fits."
    )


def test_words_are_refused():
    with pytest.raises(
        DataError, match=r"^X must hold numbers, but type <U1 .*Encode categories as numbers first;"
    ):
        Sequences.of(np.array([["a"]]))


def test_objects_that_are_no_numbers_are_refused():
    with pytest.raises(
        DataTypeError, match=r"^X must hold numbers, but .*Encode categories as numbers first;"
    ):
        Sequences.of(np.array([[{}]], dtype=object))


def test_every_error_is_both_ours_and_pythons():
    with pytest.raises(VentrisError) as caught:
        Sequences.of(np.zeros(3))
    assert isinstance(caught.value, ValueError)
    assert caught.value.expected
    assert caught.value.got
    assert caught.value.remedy
