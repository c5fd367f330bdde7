"""How much memory can still be had: by this process, under whatever limit it runs."""

from __future__ import annotations

import math
import os
import re
from pathlib import Path


def free_memory() -> float:
    """Bytes that can be had without swapping; where the system does not tell, all it has, or no limit.

    Examples
    --------
    >>> free_memory() > 0
    True
    """
    return max(0.0, min(_of_the_machine(), _of_this_process()))


def _of_the_machine() -> float:
    try:
        kilobytes = re.search(r"MemAvailable:\s+(\d+) kB", Path("/proc/meminfo").read_text())
        if kilobytes:
            return 1024.0 * int(kilobytes[1])
    except OSError:
        pass
    try:
        return float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (AttributeError, ValueError, OSError):
        return math.inf


def _of_this_process() -> float:
    """What a limit of address space leaves, if there is one."""
    try:
        import resource

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        if limit == resource.RLIM_INFINITY:
            return math.inf
        used = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
        return float(limit - used)
    except (ImportError, OSError, ValueError, AttributeError):
        return math.inf
