"""A file is written whole or not at all."""

from __future__ import annotations

import os

import pytest

from ventris.errors import FileFormatError
from ventris.storage.files import atomic_path


def test_the_new_file_replaces_the_old_one(tmp_path):
    target = tmp_path / "model.txt"
    target.write_text("old")
    with atomic_path(target) as temporary:
        temporary.write_text("new")
        assert target.read_text() == "old"  # until the block ends, readers see the old one
    assert target.read_text() == "new"
    assert os.listdir(tmp_path) == ["model.txt"]


def test_an_error_leaves_the_old_file_and_no_debris(tmp_path):
    target = tmp_path / "model.txt"
    target.write_text("old")
    with pytest.raises(KeyboardInterrupt), atomic_path(target) as temporary:
        temporary.write_text("half of the n")
        raise KeyboardInterrupt
    assert target.read_text() == "old"
    assert os.listdir(tmp_path) == ["model.txt"]


def test_others_may_read_what_the_umask_allows(tmp_path):
    before = os.umask(0o027)
    try:
        with atomic_path(tmp_path / "model.txt") as temporary:
            temporary.write_text("new")
        assert os.umask(0o027) == 0o027  # reading the umask did not change it
    finally:
        os.umask(before)
    assert (tmp_path / "model.txt").stat().st_mode & 0o777 == 0o640


def test_an_existing_file_is_kept_unless_overwriting_is_allowed(tmp_path):
    target = tmp_path / "model.txt"
    target.write_text("old")
    with pytest.raises(FileFormatError) as caught, atomic_path(target, force=False):
        pass
    assert str(caught.value) == (
        f"{target} must not exist yet, but it does. Choose another name, or allow overwriting (--force)."
    )
    assert target.read_text() == "old"


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(FileFormatError) as caught, atomic_path(tmp_path / "none" / "model.txt"):
        pass
    assert (
        str(caught.value) == f"The folder {tmp_path / 'none'} must exist, but it does not. Create it first."
    )
