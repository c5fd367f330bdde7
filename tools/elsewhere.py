"""`make test-elsewhere`: the tests that depend on arithmetic, on machines that this one can pretend to be.

BLAS, compiled code and NumPy choose their instructions by the processor, and these round differently: with
AVX-512 sums are taken in other groups than with AVX2, and without FMA a product is rounded before a sum.
A test that passes here and fails elsewhere hangs on a rounding. Environment variables of OpenBLAS, numba and
NumPy make them choose as on an older x86; on other processors the tests run as they are.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from llvmlite import binding

ROOT = Path(__file__).parents[1]
# Everything that rounds; not what reads files, parses, draws, serves or tells, which no instruction changes.
FOLDERS = ("kernels", "objective", "classifiers", "solvers", "inference", "codes", "deciphering", "route",
           "label_model", "diagnostics", "ciphers")  # fmt: skip
FILES = ("test_classifier.py", "test_partial_labels.py", "test_evaluation.py", "test_errata.py")
STRESS = ("test_stress", "test_one_seed_gives_the_same_bits_and_threads_change_nothing_that_shows")


def tests() -> list[str]:
    """What pytest is asked for."""
    chosen = [f"tests/{name}" for name in (*FOLDERS, *FILES)]
    return chosen + [f"tests/test_reliability.py::{name}" for name in STRESS]


def machines() -> dict[str, dict[str, str]]:
    """Machines this one can be, each with its environment, in the order of their age."""
    as_it_is: dict[str, dict[str, str]] = {"as it is": {}}
    if platform.machine().lower() not in ("x86_64", "amd64"):
        _say(f"a {platform.machine()} processor can pretend to be no other: the tests run as they are")
        return as_it_is
    extensions = np.show_config(mode="dicts")["SIMD Extensions"].get("found", [])
    without = {
        "OPENBLAS_CORETYPE": "Nehalem",
        "NUMBA_CPU_NAME": "generic",
        "NPY_DISABLE_CPU_FEATURES": " ".join(extensions),
    }
    found = {"without FMA": without}
    has = binding.get_host_cpu_features()
    if has.get("avx2") and has.get("fma"):
        found["Haswell"] = {"OPENBLAS_CORETYPE": "Haswell", "NUMBA_CPU_NAME": "haswell"}
    else:
        _say("this processor has no AVX2 and FMA, so it cannot pretend to be a Haswell")
    return found | as_it_is


def run(name: str, pretended: dict[str, str], arguments: Sequence[str]) -> bool:
    """Whether the tests pass on this machine; numba keeps compiled code apart by the processor's name."""
    settings = " ".join(f'{key}="{value}"' for key, value in pretended.items())
    _say(f"{name}: {settings}" if settings else name)
    command = [sys.executable, "-m", "pytest", *tests(), *arguments]
    return subprocess.run(command, cwd=ROOT, env=os.environ | pretended).returncode == 0


def _say(sentence: str) -> None:
    print(f"test-elsewhere: {sentence}", flush=True)


def main(arguments: Sequence[str]) -> int:
    """Run on every machine, further arguments handed to pytest; 1 if any test failed on any."""
    failed = [name for name, pretended in machines().items() if not run(name, pretended, arguments)]
    _say(f"failures on: {', '.join(failed)}" if failed else "no test hangs on the machine")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
