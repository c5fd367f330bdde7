"""What Ventris runs on, to be told with every report of a fault."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version

import ventris

NEEDED = ("numpy", "scipy", "scikit-learn", "numba", "safetensors", "cyclopts", "rich", "threadpoolctl")
OPTIONAL = (
    "matplotlib", "Pillow", "networkx", "pandas", "pyarrow", "plotly", "hmmlearn", "fastapi", "uvicorn",
    "kenlm", "onnx", "polars",
    "torch", "skorch",
)  # fmt: skip


def version_of(package: str) -> str | None:
    """The version of an installed package, or None.

    Examples
    --------
    >>> version_of("no-such-package") is None
    True
    """
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def collect_versions() -> dict[str, dict[str, str]]:
    """Versions by group and name: the system, packages needed and optional, and the libraries with threads.

    Examples
    --------
    >>> list(collect_versions())
    ['system', 'needed', 'optional', 'threads']
    """
    return {
        "system": {
            "ventris": ventris.__version__,
            "python": f"{platform.python_version()} ({platform.python_implementation()})",
            "machine": f"{platform.platform()}, {os.cpu_count()} cores",
        },
        "needed": {name: version_of(name) or "missing" for name in NEEDED},
        "optional": {name: version_of(name) or "not installed" for name in OPTIONAL},
        "threads": _threads(),
    }


def _threads() -> dict[str, str]:
    """BLAS, OpenMP and numba: what does the arithmetic, for which processor, in how many threads."""
    import numba
    import scipy.linalg  # noqa: F401 (only a library that is loaded can be asked)
    import sklearn.utils._openmp_helpers  # noqa: F401
    from llvmlite.binding import get_host_cpu_name
    from threadpoolctl import threadpool_info

    found = {}
    for pool in threadpool_info():
        parts = (pool.get("version"), pool.get("architecture"), f"{pool['num_threads']} threads")
        # NumPy and SciPy bring a BLAS each: the file's name tells them apart.
        name = f"{pool['internal_api']} ({os.path.basename(pool['filepath'])})"
        found[name] = ", ".join(part for part in parts if part)
    cpu = os.environ.get("NUMBA_CPU_NAME") or get_host_cpu_name()
    return found | {"numba": f"{cpu}, {numba.get_num_threads()} threads"}


def show_versions() -> None:
    """Print the versions of Ventris, Python, the packages it uses and the libraries that do the arithmetic.

    Examples
    --------
    >>> import ventris as vt
    >>> vt.show_versions()  # doctest: +ELLIPSIS
    system
      ventris ...
    """
    for group, rows in collect_versions().items():
        print(group)
        for name, text in rows.items():
            print(f"  {name:15} {text}")
