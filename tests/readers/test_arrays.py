"""NumPy files come in as they are, mapped and not copied; damaged ones are refused by name."""

from __future__ import annotations

import io
import zipfile

import numpy as np
import pytest

from ventris.errors import DataError, FileFormatError
from ventris.readers import arrays, read_data

POINTS = np.random.default_rng(7).standard_normal((12, 3))


def test_an_array_is_mapped_not_copied(tmp_path):
    np.save(tmp_path / "x.npy", POINTS)
    data = read_data(tmp_path / "x.npy").sequences.data
    assert isinstance(data, np.memmap)
    np.testing.assert_array_equal(data, POINTS)


def test_three_axes_are_sequences_of_one_length(tmp_path):
    np.save(tmp_path / "x.npy", POINTS.reshape(4, 3, 3))
    data = read_data(tmp_path / "x.npy")
    np.testing.assert_array_equal(data.sequences.data, POINTS)
    assert data.sequences.lengths.tolist() == [3, 3, 3, 3]
    assert np.shares_memory(data.sequences.data, data.sequences.data.base)


def test_whole_numbers_in_one_axis_are_symbols(tmp_path):
    np.save(tmp_path / "x.npy", np.array([0, 2, 1]))
    data = read_data(tmp_path / "x.npy")
    assert data.sequences.is_symbolic and data.schema.kind == "symbols"


def test_an_archive_holds_points_and_lengths(tmp_path):
    np.savez(tmp_path / "x.npz", X=POINTS, lengths=[5, 7], other=1)
    data = read_data(tmp_path / "x.npz")
    assert data.sequences.lengths.tolist() == [5, 7]
    assert data.names == ("0", "1")
    np.testing.assert_array_equal(data.sequences.data, POINTS)


def test_an_archive_is_weighed_before_it_is_unpacked(tmp_path, monkeypatch):
    """64 MB of zeros in 64 kB; unpacking is not even begun, whatever the member's name or header says."""
    np.savez_compressed(tmp_path / "x.npz", X=np.zeros((2**20, 8)), lengths=[2**20])
    assert (tmp_path / "x.npz").stat().st_size < 100_000
    monkeypatch.setattr(arrays, "free_memory", lambda: 50_000_000)
    with monkeypatch.context() as patch:
        patch.setattr(np.lib.format, "read_array", lambda *_, **__: pytest.fail("it was unpacked"))
        with pytest.raises(FileFormatError, match=r"must fit into memory.*67 MB.*50 MB.*numpy\.save"):
            read_data(tmp_path / "x.npz")
    monkeypatch.setattr(arrays, "free_memory", lambda: 80_000_000)
    assert read_data(tmp_path / "x.npz").sequences.n_points == 2**20


def test_what_is_not_read_of_an_archive_may_be_large(tmp_path, monkeypatch):
    np.savez_compressed(tmp_path / "x.npz", X=POINTS, other=np.zeros((2**20, 8)))
    monkeypatch.setattr(arrays, "free_memory", lambda: 50_000_000)
    np.testing.assert_array_equal(read_data(tmp_path / "x.npz").sequences.data, POINTS)


def test_a_member_larger_or_smaller_than_its_header_says_is_refused(tmp_path):
    whole = io.BytesIO()
    np.save(whole, POINTS)
    for content in (whole.getvalue() + bytes(10**6), whole.getvalue()[:-8]):
        with zipfile.ZipFile(tmp_path / "x.npz", "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("X.npy", content)
        with pytest.raises(FileFormatError, match=r"x\.npz must be a NumPy file.*X takes"):
            read_data(tmp_path / "x.npz")


def test_a_folder_of_arrays_is_read_in_the_order_of_numbers(tmp_path):
    np.save(tmp_path / "part10.npy", POINTS[5:])
    np.save(tmp_path / "part2.npy", POINTS[:5])
    data = read_data(tmp_path)
    assert data.names == ("part2", "part10")
    np.testing.assert_array_equal(data.sequences.data, POINTS)
    assert data.sequences.restore(np.arange(12)).shape == (12,)  # one array, not a list


def test_what_is_no_array_is_refused_by_name(tmp_path):
    (tmp_path / "text.npy").write_text("no array")
    np.savez(tmp_path / "y.npz", Y=POINTS)
    np.save(tmp_path / "short.npy", POINTS)
    (tmp_path / "short.npy").write_bytes((tmp_path / "short.npy").read_bytes()[:-50])
    np.save(tmp_path / "objects.npy", np.array([{}], dtype=object), allow_pickle=True)
    np.save(tmp_path / "deep.npy", np.zeros((2, 2, 2, 2)))
    (tmp_path / "cut.npz").write_bytes((tmp_path / "y.npz").read_bytes()[:60])
    for name in ("text.npy", "short.npy", "objects.npy", "cut.npz"):
        with pytest.raises(FileFormatError, match=name):
            read_data(tmp_path / name)
    with pytest.raises(FileFormatError, match=r"named X, but it holds Y"):
        read_data(tmp_path / "y.npz")
    with pytest.raises(DataError, match=r"\(2, 2, 2, 2\)"):
        read_data(tmp_path / "deep.npy")
    with pytest.raises(FileFormatError, match="there is no such"):
        read_data(tmp_path / "none.npy")
