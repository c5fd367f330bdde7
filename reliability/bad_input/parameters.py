"""Parameters outside their domain, alone and against the data."""

from __future__ import annotations

from typing import Any

import numpy as np

from reliability.case import Case, Desk
from reliability.material import LM, X, fit
from ventris import NgramModel
from ventris.errors import DataError, DataTypeError, LanguageModelError, ParameterError, VentrisError

THIRD = NgramModel.from_sequences([list("abacabcabbacab" * 20)], order=4)


def refused(name: str, error: type[VentrisError], words: str, **options: Any) -> Case:
    """Parameters that `fit` must refuse."""
    return Case(name, lambda _: fit(**options), error, words)


def outside(parameter: str, *values: Any, **others: Any) -> list[Case]:
    """Values that are outside a parameter's domain, whatever the data."""
    return [
        refused(f"{parameter}={value!r}", ParameterError, parameter, **others | {parameter: value})
        for value in values
    ]


def _checkpoint_in_a_file(desk: Desk) -> object:
    path = desk.given / "file"
    path.write_text("in the way")
    return fit(checkpoint=path)


CASES = [
    *outside("order", 0, -1, 1.5, "2"),
    *outside("gamma", 0, -1, np.nan, np.inf, "1"),
    *outside("method", "best", None),
    *outside("n_init", 0, 2.5),
    *outside("codebook_size", 1, "all", 4097, 10**9),
    *outside("features", "some"),
    *outside("batch_size", 0),
    *outside("subsequence_length", 0),
    *outside("primal_lr", 0, -1, np.nan, np.inf),
    *outside("dual_lr", 0, np.nan),
    *outside("max_iter", 0),
    *outside("tol", -1, np.nan),
    *outside("validation_fraction", -0.1, 1.0),
    *outside("checkpoint", 3),
    *outside("n_jobs", "all"),
    *outside("random_state", "x", -1),
    *outside("lm", None, [[0.5, 0.5], [0.5, 0.5]]),
    refused("an order above the label model's", LanguageModelError, "at most", order=9),
    refused("more codes than points", DataError, "codes", codebook_size=401),
    refused("a classifier that is none", DataTypeError, "predict_proba", classifier=3),
    refused("a diagonal of other width", ParameterError, "diagonal", inputs=np.c_[X, X], features="diagonal"),
    refused("spdg on symbols", ParameterError, "auto", inputs=np.arange(50) % 3, method="spdg"),
    refused("spdg with known labels", ParameterError, "auto", partial=[0] * 400, method="spdg"),
    refused("spdg beyond order 3", ParameterError, "at most 3", lm=THIRD, order=4, method="spdg"),
    refused("subsequences longer than sequences", DataError, "500", subsequence_length=500, method="spdg"),
    refused(
        "subsequences shorter than a window", ParameterError, "window", subsequence_length=1, method="spdg"
    ),
    refused("full-batch on one point", ParameterError, "window", inputs=X[:1], method="full-batch"),
    Case("a checkpoint where a file is", _checkpoint_in_a_file, ParameterError, "is a file"),
    Case("n_jobs of ten thousand", lambda _: fit(n_jobs=10**4)),
    Case("the largest seed", lambda _: fit(random_state=2**32 - 1)),
    Case("one start", lambda _: fit(lm=LM, n_init=1)),
]
