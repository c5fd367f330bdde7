"""What is read needs no more than it must: extras are asked for by name, and only when they are needed."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from PIL import Image

from ventris.errors import MissingExtraError
from ventris.readers import read_data


@pytest.mark.parametrize(("package", "extra"), [("pyarrow", "tables"), ("PIL", "glyphs")])
def test_a_missing_extra_is_named(tmp_path, monkeypatch, package, extra):
    (tmp_path / "x.parquet").write_bytes(b"PAR1")
    Image.fromarray(np.zeros((2, 2), np.uint8)).save(tmp_path / "x.png")
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtraError, match=rf"ventris\[{extra}\]"):
        read_data(tmp_path / "x.parquet" if package == "pyarrow" else tmp_path)


def test_tables_of_text_are_read_without_pandas(tmp_path):
    (tmp_path / "x.csv").write_text("x\n1\n")
    code = f"import sys; from ventris.readers import read_data; read_data({str(tmp_path / 'x.csv')!r}); "
    done = subprocess.run(
        [sys.executable, "-c", code + "print({'pandas', 'pyarrow', 'sklearn', 'PIL'} & set(sys.modules))"],
        capture_output=True,
        text=True,
    )
    assert done.stdout == "set()\n", done.stderr
