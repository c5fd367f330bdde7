"""Names in the order people number things."""

from __future__ import annotations

import re
from pathlib import Path


def by_name(path: Path) -> list[int | str]:
    """A key that puts 2 before 10.

    Examples
    --------
    >>> sorted([Path("p10.npy"), Path("p2.npy")], key=by_name)[0].name
    'p2.npy'
    """
    parts = re.split(r"(\d+)", path.name)  # text and numbers alternate, so keys compare part by part
    return [int(part) if k % 2 else part for k, part in enumerate(parts)]
