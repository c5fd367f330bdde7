"""What other programs know about labels: the transitions of an hmmlearn model, the n-grams of KenLM."""

from __future__ import annotations

import os
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ventris.data.ngrams import check_dense
from ventris.errors import DataTypeError, FileFormatError, LanguageModelError, MissingExtraError


def hmmlearn_transitions(model: Any) -> NDArray[np.float64]:
    """The transition matrix of an hmmlearn model, fitted or given by hand.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> hmmlearn_transitions(SimpleNamespace(transmat_=[[0.9, 0.1], [0.2, 0.8]]))
    array([[0.9, 0.1],
           [0.2, 0.8]])
    """
    matrix = getattr(model, "transmat_", None)
    if matrix is None:
        raise DataTypeError(
            "from_hmmlearn takes an hmmlearn model that has a transition matrix, transmat_",
            f"this {type(model).__name__} has none",
            "Fit it, or set its transmat_, first",
        )
    return np.asarray(matrix, dtype=np.float64)


def kenlm_conditional(path: str | os.PathLike[str], tokens: list[str]) -> NDArray[np.float64]:
    """P(label | the labels before), of KenLM's full order, over these labels alone: shape (C,) * N.

    What the file gives to ``</s>``, ``<unk>`` and other words is shared out in proportion.

    Parameters
    ----------
    path : path
        A KenLM binary, or an ARPA file.
    tokens : list of str
        The labels as words of the file. A binary does not tell its words, so they must be given.
    """
    try:
        import kenlm
    except ImportError:
        raise MissingExtraError("Reading KenLM files", "kenlm", "kenlm") from None
    try:
        model = kenlm.Model(os.fspath(path))
    except (OSError, RuntimeError, UnicodeError) as problem:
        raise FileFormatError(
            f"{os.fspath(path)} must be a KenLM binary or an ARPA file", f"kenlm says: {_line(problem)}",
            "Build it again with build_binary",
        ) from None  # fmt: skip
    unknown = next((token for token in tokens if token not in model), None)
    if unknown is not None:
        raise LanguageModelError(
            f"classes must be words of {os.fspath(path)}", f"{unknown!r} is none", "Check the names"
        )
    order = int(model.order)
    check_dense(len(tokens), order)
    table = np.empty((len(tokens),) * order)
    for history in product(range(len(tokens)), repeat=order - 1):
        state, following = kenlm.State(), kenlm.State()
        model.NullContextWrite(state)
        for label in history:
            model.BaseScore(state, tokens[label], following)
            state, following = following, kenlm.State()
        table[history] = [model.BaseScore(state, token, following) for token in tokens]  # log10
    table = 10.0**table
    return table / table.sum(axis=-1, keepdims=True)


def _line(problem: Exception) -> str:
    return " ".join(str(problem).split()).rstrip(".")[:200]
