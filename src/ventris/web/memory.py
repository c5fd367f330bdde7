"""How much memory a process uses, and how much a server's workers may use together."""

from __future__ import annotations

import os
from pathlib import Path

_MOST = 6 * 2**30  # bytes: what a fit of a file that may be uploaded can need
_LEAST = 2 * 2**30


def resident(pid: int | None) -> int:
    """Bytes of memory a process holds; 0 where the system does not say.

    Examples
    --------
    >>> resident(os.getpid()) > 10_000_000 or not Path("/proc/self/statm").exists()
    True
    """
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, AttributeError, IndexError):
        return 0


def fair_share() -> int:
    """Half of what the machine has, within bounds."""
    try:
        whole = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return _MOST
    return max(_LEAST, min(_MOST, whole // 2))
