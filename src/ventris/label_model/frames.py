"""A label model as a data frame: what follows what, by name."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from ventris.errors import MissingExtraError

if TYPE_CHECKING:
    import pandas as pd

    from ventris.label_model.model import NgramModel


def model_as_frame(lm: NgramModel, order: int | None = None) -> pd.DataFrame:
    """p(label | labels before it), one row a history and one column a label; of order 1, the frequencies.

    Examples
    --------
    >>> from ventris.label_model.model import NgramModel
    >>> lm = NgramModel.from_transition_matrix([[0.9, 0.1], [0.5, 0.5]], classes=["dry", "wet"])
    >>> print(model_as_frame(lm))  # doctest: +NORMALIZE_WHITESPACE
    next   dry  wet
    label
    dry    0.9  0.1
    wet    0.5  0.5
    """
    try:
        import pandas as pd
    except ImportError:
        raise MissingExtraError("A label model as a data frame", "pandas", "tables") from None
    k = min(2, lm.order) if order is None else order
    if k == 1:
        index = pd.Index(lm.classes, name="label")
        return pd.DataFrame({"frequency": lm.stationary()}, index=index)
    if k == 2:
        index = pd.Index(lm.classes, name="label")
    else:
        names = [f"label −{back}" for back in range(k - 1, 0, -1)]
        index = pd.MultiIndex.from_tuples(list(product(lm.classes, repeat=k - 1)), names=names)
    table = lm.conditional(k).reshape(-1, lm.n_classes)
    return pd.DataFrame(table, index=index, columns=pd.Index(lm.classes, name="next"))
