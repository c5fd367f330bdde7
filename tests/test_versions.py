"""A report of a fault names what it happened on."""

from __future__ import annotations

import re
import tomllib
from importlib import metadata
from pathlib import Path

import numpy as np

import ventris as vt
from ventris import versions

PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def names(requirements: list[str]) -> set[str]:
    return {re.split(r"[<>=\[;]", text)[0].strip() for text in requirements} - {"ventris"}


def test_every_package_ventris_asks_for_is_listed():
    extras = PROJECT["optional-dependencies"]
    offered = set().union(*(names(asked) for extra, asked in extras.items() if extra not in ("docs", "test")))
    assert set(versions.NEEDED) == names(PROJECT["dependencies"])
    assert set(versions.OPTIONAL) == offered


def test_what_is_printed_is_what_is_installed(capsys):
    vt.show_versions()
    printed, threads = capsys.readouterr().out.split("\nthreads\n")
    rows = dict(line.split(maxsplit=1) for line in printed.splitlines() if line.startswith(" "))
    assert rows["ventris"] == vt.__version__ and rows["numpy"] == np.__version__
    installed = {name: metadata.version(name) for name in versions.NEEDED}
    assert {name: rows[name] for name in versions.NEEDED} == installed
    assert re.search(r"^  numba .*\d+ threads$", threads, re.M)
    assert re.search(r"^  (openblas|mkl|blis|flexiblas) .*\d+ threads$", threads, re.M)


def test_what_is_not_installed_is_said(monkeypatch):
    def none(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(versions, "version", none)
    found = versions.collect_versions()
    assert set(found["optional"].values()) == {"not installed"} and set(found["needed"].values()) == {
        "missing"
    }
