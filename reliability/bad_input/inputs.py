"""What users hand to `fit` and `predict`, by accident or in hope."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse
from sklearn.exceptions import NotFittedError

import ventris as vt
from reliability.case import Case, Desk
from reliability.material import LABELS, LM, SYMBOLS, X, fit, fitted, with_cell
from ventris.errors import DataError, DataTypeError, LanguageModelError, ParameterError, VentrisError


def learns(name: str, make: Callable[[], Any], **options: Any) -> Case:
    """Inputs that are unusual and sound: they must be learnt from, with doubts at most."""
    return Case(name, lambda _: fit(make(), **options))


def refused(
    name: str, error: type[VentrisError], words: str, make: Callable[[], Any], **options: Any
) -> Case:
    """Inputs that `fit` must refuse."""
    return Case(name, lambda _: fit(make(), **options), error, words)


def lengths(name: str, words: str, value: Any) -> Case:
    """Lengths that do not belong to the points."""
    return Case(f"lengths: {name}", lambda _: fit(lengths=value), DataError, words)


def partial(name: str, error: type[VentrisError], words: str, value: Any) -> Case:
    """Known labels that cannot be."""
    return Case(f"partial labels: {name}", lambda _: fit(partial=value), error, words)


def after(name: str, error: type[VentrisError] | None, words: str, attempt: Callable[[Any], object]) -> Case:
    """Something asked of a fitted classifier."""

    def ask(_: Desk) -> object:
        return attempt(fitted())

    return Case(f"fitted: {name}", ask, error, words)


def _frame(**columns: Any) -> pd.DataFrame:
    return pd.DataFrame({"a": X[:, 0]} | columns)


TYPES = [
    refused("bytes", DataError, "2-D", lambda: b"hello"),
    refused("nothing", DataError, "2-D", lambda: None),
    refused("a number", DataError, "2-D", lambda: 3),
    refused("a dictionary of numbers", DataError, "under each name", lambda: {"a": 1}),
    refused("a dictionary of columns", DataError, "columns of numbers", lambda: {"a": X[:, 0]}),
    refused("a generator of rows", DataError, "2-D", lambda: iter(X)),
    refused("an empty list", DataError, "2-D", list),
    refused("a list with nothing in it", DataError, "sequence 1", lambda: [X, None]),
    refused("object array with text", DataError, "must hold numbers", lambda: np.array([[1, "a"]], object)),
    refused("object array with None", DataError, "row 0", lambda: np.array([[1, None], [2, 3]], object)),
    refused("text array", DataError, "must hold numbers", lambda: np.array([["a", "b"]] * 9)),
    refused("structured array", DataTypeError, "must hold numbers", lambda: np.zeros((9, 2), "f8,f8")),
    refused("complex", DataError, "real numbers", lambda: X + 1j),
    refused("dates", DataTypeError, "must hold numbers", lambda: np.full((9, 2), "2020-01-01", "M8[D]")),
    refused("time spans", DataTypeError, "must hold numbers", lambda: np.ones((9, 2), "m8[s]")),
    refused("sparse matrix", DataTypeError, "sparse", lambda: scipy.sparse.csr_matrix(X)),
    refused("sparse array", DataTypeError, "sparse", lambda: scipy.sparse.csr_array(X)),
    refused("masked array with gaps", DataError, "masked", lambda: np.ma.masked_array(X, X > 1)),
    refused("pandas, text in a column", DataError, "must hold numbers", lambda: _frame(b="x")),
    refused(
        "pandas, a missing number",
        DataTypeError,
        "must hold numbers",
        lambda: _frame(b=pd.array([1, None] * 200, "Int64")),
    ),
    refused(
        "pandas, dates in a column",
        DataTypeError,
        "must hold numbers",
        lambda: _frame(b=pd.date_range("2020", periods=400)),
    ),
    refused(
        "pandas, column names of mixed types",
        DataError,
        "feature name",
        lambda: pd.DataFrame(X, columns=["a", 1]),
    ),
    refused("pandas, a series", DataError, "2-D", lambda: pd.Series(X[:, 0])),
    learns("a text", lambda: "hello" * 20),
    learns("a list of texts", lambda: ["ab", "cd", "cd"] * 20),
    learns("object array of numbers", lambda: X.astype(object)),
    learns("masked array without gaps", lambda: np.ma.masked_array(X)),
    learns("np.matrix", lambda: _matrix(X)),
    learns("booleans", lambda: X > 0),
    learns("half precision", lambda: X.astype(np.float16)),
    learns("extended precision", lambda: X.astype(np.longdouble)),
    learns("big-endian", lambda: X.astype(">f8")),
    learns("column-major, not contiguous", lambda: np.asfortranarray(np.repeat(X, 2, axis=0))[::2]),
    learns("read-only", lambda: _read_only(X)),
    learns("a list of data frames", lambda: [pd.DataFrame(X[:200]), pd.DataFrame(X[200:])]),
    learns("sequences of different precision", lambda: [X[:200], X[200:].astype(np.float32)]),
]


def _matrix(points: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PendingDeprecationWarning)  # NumPy's advice, and ours
        return np.asmatrix(points)


def _read_only(points: Any) -> Any:
    copied = points.copy()
    copied.setflags(write=False)
    return copied


SHAPES = [
    refused("no points", DataError, "0 sample", lambda: X[:0]),
    refused("no features", DataError, "0 feature", lambda: X[:, :0]),
    refused("0-D", DataError, "2-D", lambda: np.array(3.0)),
    refused("1-D numbers", DataError, "2-D", lambda: X[:, 0]),
    refused("4-D", DataError, "2-D", lambda: X.reshape(20, 10, 2, 2)),
    refused("rows of different length", DataError, "differ in length", lambda: [[1.5, 2], [3]]),
    refused("whole numbers of one length", DataError, "could be either", lambda: [[1, 2], [3, 0]]),
    refused("sequences of different width", DataError, "same number", lambda: [X[:9], X[:9, :1]]),
    refused("an empty sequence among others", DataError, "sequence 1", lambda: [X, X[:0]]),
    refused("features and symbols mixed", DataError, "same number", lambda: [X, np.arange(4)]),
    refused("a single sample", DataError, "2 points", lambda: X[:1]),
    refused("single samples only", DataError, "2 points", lambda: [X[:1], X[1:2]]),
    refused("fewer points than codes", DataError, "codes", lambda: X[:3]),
    learns("ten points", lambda: X[:10]),
    learns("3-D", lambda: X.reshape(20, 20, 2)),
    learns("sequences of one point among longer ones", lambda: [X[:1], X[1:200], X[200:201], X[201:]]),
    learns("unsorted lengths", lambda: X, lengths=[5, 300, 45, 50]),
]

VALUES = [
    refused("NaN", DataError, "row 3", lambda: with_cell(np.nan)),
    refused("infinity", DataError, "row 3", lambda: with_cell(np.inf)),
    refused("minus infinity", DataError, "row 3", lambda: with_cell(-np.inf)),
    refused("too large to be squared", DataError, "squared", lambda: X * 1e300),
    refused("one number too large", DataError, "squared", lambda: with_cell(1e200)),
    refused("too large to be squared, float32", DataError, "squared", lambda: (X * 1e37).astype(np.float32)),
    refused(
        "larger than float64", DataError, "finite", lambda: X.astype(np.longdouble) * np.longdouble("1e999")
    ),
    learns("1e100", lambda: X * 1e100),
    learns("1e15, float32", lambda: (X * 1e15).astype(np.float32)),
    learns("1e-200", lambda: X * 1e-200),
    learns("subnormal", lambda: X * 1e-310),
    learns("subnormal, float32", lambda: (X * 1e-40).astype(np.float32)),
    learns("an offset of 1e12", lambda: X + 1e12),
    learns("an offset of 1e6, float32", lambda: (X + 1e6).astype(np.float32)),
    learns("all points the same", lambda: np.ones((50, 2))),
    learns("two points, repeated", lambda: np.repeat(X[:2], 100, axis=0)),
    learns("a constant feature", lambda: np.column_stack([X, np.ones(400)])),
    learns("features a million million apart", lambda: X * [1e-6, 1e6]),
    learns("one outlier of 1e9", lambda: with_cell(1e9)),
]

SYMBOL_CASES = [
    refused("symbols: negative", DataError, "numbered from 0", lambda: np.array([0, -1, 2])),
    refused("symbols: huge", DataError, "below 4,096", lambda: np.array([0, 2**62, 2])),
    refused(
        "symbols: larger than int64", DataError, "below 4,096", lambda: np.array([0, 2**64 - 1], np.uint64)
    ),
    refused("symbols: none", DataError, "0 sample", lambda: np.zeros(0, int)),
    refused("symbols: one", DataError, "2 points", lambda: np.array([0])),
    learns("symbols: always the same", lambda: np.zeros(50, int)),
    learns("symbols: of one byte", lambda: SYMBOLS.astype(np.uint8)),
    learns("symbols: fewer than labels", lambda: SYMBOLS % 2),
]

LENGTHS = [
    Case("lengths: in the place of y", lambda _: fit_with_y([300, 100]), DataError, "lengths=lengths"),
    lengths("too short", "add up", [100, 100]),
    lengths("too long", "add up", [500]),
    lengths("zero", "at least 1", [0, 400]),
    lengths("negative", "at least 1", [-1, 401]),
    lengths("fractions", "whole numbers", [200.0, 200.0]),
    lengths("two axes", "1-D", [[200, 200]]),
    lengths("ragged", "differ in length", [[1], [2, 3]]),
    lengths("a single number", "1-D", 400),
    lengths("a text", "whole numbers", "400"),
    lengths("none in it", "whole numbers", []),
    lengths("truth values", "whole numbers", [True] * 400),
    # Added up in 64 bits these make 400: the check once passed, and the process died.
    lengths("a sum that overflows", "add up", np.array([2**63 - 1, 2**63 - 1, 402])),
    lengths("beyond int64", "add up|at least 1", np.array([2**64 - 1, 401], dtype=np.uint64)),
    Case("lengths: with a list", lambda _: fit([X], lengths=[400]), DataError, "carries its own"),
    Case("lengths: with Sequences", lambda _: _sequences_and_lengths(), DataError, "carry their own"),
]


def fit_with_y(y: Any) -> object:
    """hmmlearn's call."""
    return vt.SequenceClassifier(LM, n_init=4, random_state=0).fit(X, y)


def _sequences_and_lengths() -> object:
    from ventris import Sequences

    return fit(Sequences.of(X), lengths=[400])


def _reads_far_away(clf: Any) -> None:
    assert np.isfinite(clf.predict_proba(X * 1e300)).all()
    for method in ("posterior", "viterbi"):
        clf.decode(X * 1e300, method=method)
    assert np.isfinite(clf.score(X * 1e300))


PARTIAL = [
    partial("too few", DataError, "one entry", [0]),
    partial("unknown to the label model", LanguageModelError, "7 is not", [7] * 400),
    partial("a number", DataError, "one entry", 3),
    partial("lists and numbers mixed", DataError, "one entry", [[0, 1], 3]),
    partial("a dictionary for a label", LanguageModelError, "is not", [{}] * 400),
    partial("two axes", DataError, "a column for each of the 2 classes", np.zeros((400, 1), int)),
    learns("partial labels: all unknown", lambda: X, partial=[None] * 400),
    learns("partial labels: NaN everywhere", lambda: X, partial=np.full(400, np.nan)),
    learns("partial labels: pandas' NA", lambda: X, partial=pd.Series([0, None] * 200, dtype="Int64")),
    learns("partial labels: masked", lambda: X, partial=np.ma.MaskedArray([9] * 400, mask=True)),
    partial("masked, but not all", LanguageModelError, "9 is not", np.ma.MaskedArray([9] * 400)),
    partial("a table of pandas", DataError, "the classes as its columns", pd.DataFrame({"label": [0] * 400})),
    learns("partial labels: one class only", lambda: X, partial=[0] * 400),
    learns("partial labels: all of them", lambda: X, partial=LABELS),
]

FITTED = [
    after("other width", DataError, "2 features", lambda clf: clf.predict(X[:, :1])),
    after("symbols instead of features", DataError, "of the kind", lambda clf: clf.predict(np.arange(4))),
    after("no points", DataError, "0 sample", lambda clf: clf.predict(X[:0])),
    after("NaN", DataError, "row 0", lambda clf: clf.decode(X * np.nan)),
    after("sparse", DataTypeError, "sparse", lambda clf: clf.score(scipy.sparse.csr_matrix(X))),
    after("an unknown way to decode", ParameterError, "viterbi", lambda clf: clf.decode(X, method="x")),
    after("a fractional order", ParameterError, "whole number", lambda clf: clf.decode(X, order=1.5)),
    after("an order in words", ParameterError, "whole number", lambda clf: clf.decode(X, order="two")),
    after("too high an order", LanguageModelError, "between 1", lambda clf: clf.decode(X, order=7)),
    after("numbers of 1e300", None, "", _reads_far_away),
    Case("not fitted", lambda _: vt.SequenceClassifier(LM).predict(X), NotFittedError, "not fitted"),
]

CASES = [*TYPES, *SHAPES, *VALUES, *SYMBOL_CASES, *LENGTHS, *PARTIAL, *FITTED]
