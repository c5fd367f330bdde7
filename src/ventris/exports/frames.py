"""Probabilities as data frames."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from ventris.errors import MissingExtraError

CONTAINERS = ("default", "pandas", "polars")


def as_frame(probabilities: NDArray, classes: NDArray, kind: str, X: Any = None) -> Any:
    """A pandas or polars frame, one column a class; a pandas index of X is kept.

    Examples
    --------
    >>> import numpy as np
    >>> as_frame(np.array([[0.25, 0.75]]), np.array(["a", "b"]), "pandas").loc[0, "b"]
    np.float64(0.75)
    """
    if kind == "polars":
        try:
            import polars
        except ImportError:
            raise MissingExtraError("Data frames of polars", "polars", "polars") from None
        return polars.DataFrame(probabilities, schema=[str(label) for label in classes])
    try:
        import pandas
    except ImportError:
        raise MissingExtraError("Data frames", "pandas", "tables") from None
    index = X.index if isinstance(X, pandas.DataFrame | pandas.Series) else None
    keep = index if index is not None and len(index) == len(probabilities) else None
    return pandas.DataFrame(probabilities, columns=classes.tolist(), index=keep)
