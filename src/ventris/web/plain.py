"""Results as JSON can hold them: short numbers, no NaN."""

from __future__ import annotations

import json
import math
from typing import Any

DIGITS = 5  # significant digits a plot can show; they keep answers short


def plain(value: Any) -> Any:
    """Python's own numbers and lists, floats cut to five digits, NaN and infinity as None.

    Examples
    --------
    >>> import numpy as np
    >>> plain({"J": np.float64(1.2345678), "worst": float("inf"), "path": np.arange(3)})
    {'J': 1.2346, 'worst': None, 'path': [0, 1, 2]}
    """
    if isinstance(value, dict):
        return {str(name): plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    if isinstance(value, float):
        return _short(float(value))
    if value is None or isinstance(value, str | bool | int):
        return value
    return plain(value.tolist()) if hasattr(value, "tolist") else str(value)


def _short(number: float) -> float | None:
    return float(f"{number:.{DIGITS}g}") if math.isfinite(number) else None


def to_json(value: Any) -> str:
    """`plain` data as one line of JSON."""
    return json.dumps(plain(value), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
