"""Which machines `make test-elsewhere` pretends to be, and that what it runs is there."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from tools import elsewhere


def test_every_test_asked_for_is_there():
    for asked in elsewhere.tests():
        file, _, name = asked.partition("::")
        path = elsewhere.ROOT / file
        assert path.exists(), asked
        assert not name or f"def {name}(" in path.read_text(encoding="utf-8"), asked


@pytest.mark.parametrize(
    ("machine", "features", "names"),
    [
        ("x86_64", {"avx2": True, "fma": True}, ["without FMA", "Haswell", "as it is"]),
        ("AMD64", {"avx2": False, "fma": False}, ["without FMA", "as it is"]),
        ("arm64", {}, ["as it is"]),
    ],
)
def test_a_machine_pretends_only_what_it_can_be_and_says_so(machine, features, names, monkeypatch, capsys):
    monkeypatch.setattr(elsewhere.platform, "machine", lambda: machine)
    monkeypatch.setattr(elsewhere.binding, "get_host_cpu_features", lambda: features)
    assert list(elsewhere.machines()) == names
    assert bool(capsys.readouterr().out) == (len(names) < 3)


@pytest.mark.skipif("Haswell" not in elsewhere.machines(), reason="FMA is either not there or always there")
def test_without_fma_products_are_rounded_before_they_are_added():
    """(1 + u)(1 − u) − 1 is −u² if fused and 0 if not: the pretence reaches compiled code."""
    code = (
        "from numba import njit\n"
        "@njit(fastmath={'contract'})\n"
        "def f(a, b, c): return a * b + c\n"
        "print(f(1 + 2.0**-30, 1 - 2.0**-30, -1.0))"
    )
    found = {}
    for name in ("without FMA", "Haswell"):  # as it is, this process may be pretending itself
        environment = os.environ | elsewhere.machines()[name]
        done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, check=True)
        found[name] = float(done.stdout)
    assert found == {"without FMA": 0.0, "Haswell": -(2.0**-60)}


def test_a_failure_on_any_machine_is_one(monkeypatch, capsys):
    asked = []

    def run(command, cwd, env):
        asked.append(env.get("NUMBA_CPU_NAME", "here"))
        return subprocess.CompletedProcess(command, int(env.get("NUMBA_CPU_NAME") == "generic"))

    monkeypatch.setattr(elsewhere, "machines", lambda: {"old": {"NUMBA_CPU_NAME": "generic"}, "new": {}})
    monkeypatch.setattr(elsewhere.subprocess, "run", run)
    monkeypatch.delenv("NUMBA_CPU_NAME", raising=False)
    assert elsewhere.main(["-x"]) == 1
    assert asked == ["generic", "here"] and "failures on: old" in capsys.readouterr().out
