"""Without torch these tests are skipped; where `VENTRIS_TORCH_TESTS=required` a skipped one is a failure."""

from __future__ import annotations

import os
from importlib.util import find_spec

import numpy as np
import pytest

REQUIRED = os.environ.get("VENTRIS_TORCH_TESTS") == "required"
MISSING = [name for name in ("torch", "skorch") if find_spec(name) is None]
if MISSING and REQUIRED:
    raise RuntimeError(f"{' and '.join(MISSING)} not installed, and VENTRIS_TORCH_TESTS=required asks for it")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if REQUIRED and report.skipped:
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid} was skipped, and VENTRIS_TORCH_TESTS=required asks for it"
    return report


@pytest.fixture(autouse=True)
def one_thread():
    """Sums in one order: the same seed gives the same weights."""
    torch = pytest.importorskip("torch")
    n_threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(n_threads)


@pytest.fixture
def rng():
    return np.random.default_rng(0)
