"""Results as JSON can hold them: Python's own numbers and lists, no NaN."""

from __future__ import annotations

import json
import math
from typing import Any

SHORT = 5  # significant digits a plot can show; they keep answers short


def plain(value: Any, digits: int | None = None) -> Any:
    """NumPy's numbers and arrays as Python's, NaN and infinity as None, floats cut to so many digits.

    Examples
    --------
    >>> import numpy as np
    >>> plain({"J": np.float64(1.2345678), "worst": float("inf"), "path": np.arange(3)}, digits=5)
    {'J': 1.2346, 'worst': None, 'path': [0, 1, 2]}
    """
    if isinstance(value, dict):
        return {str(name): plain(part, digits) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part, digits) for part in value]
    if isinstance(value, float):
        return _cut(float(value), digits)
    if value is None or isinstance(value, str | bool | int):
        return value
    return plain(value.tolist(), digits) if hasattr(value, "tolist") else str(value)


def _cut(number: float, digits: int | None) -> float | None:
    if not math.isfinite(number):
        return None
    return number if digits is None else float(f"{number:.{digits}g}")


def to_json(value: Any) -> str:
    """`plain` data with short numbers as one line of JSON."""
    return json.dumps(plain(value, SHORT), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
