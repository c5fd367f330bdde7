"""Label models that are none: tables, texts, counts and graphs that do not describe labels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse

from reliability.case import Case
from reliability.material import LM
from ventris import NgramModel
from ventris.data.ngrams import NgramCounts
from ventris.errors import (
    DataTypeError,
    LanguageModelError,
    NonStationaryWarning,
    ParameterError,
    VentrisError,
)

EVEN = [[0.5, 0.5], [0.5, 0.5]]
MOVING = [[0.1, 0.6], [0.1, 0.2]]


def refused(name: str, error: type[VentrisError], words: str, attempt: Callable[[], Any]) -> Case:
    """A label model that must be refused."""
    return Case(name, lambda _: attempt(), error, words)


def matrix(name: str, words: str, value: Any, **options: Any) -> Case:
    """A transition matrix that is none."""
    return refused(
        f"transition matrix: {name}",
        LanguageModelError,
        words,
        lambda: NgramModel.from_transition_matrix(value, **options),
    )


def joint(name: str, words: str, value: Any) -> Case:
    """A joint of successive labels that is none."""
    return refused(f"joint: {name}", LanguageModelError, words, lambda: NgramModel.from_probabilities(value))


def sequences(
    name: str, error: type[VentrisError], words: str, value: Any, *arguments: Any, **options: Any
) -> Case:
    """Label sequences that cannot be counted."""
    return refused(
        f"label sequences: {name}",
        error,
        words,
        lambda: NgramModel.from_sequences(value, *arguments, **options),
    )


def counts(name: str, words: str, *tables: NgramCounts) -> Case:
    """Counts that are none."""
    return refused(
        f"counts: {name}",
        LanguageModelError,
        words,
        lambda: NgramModel.from_counts(tables, classes="ab"),
    )


def _unigrams(*values: int, codes: Any = (0, 1)) -> NgramCounts:
    return NgramCounts(1, 2, np.array(codes, dtype=np.int64), np.array(values, dtype=np.int64))


def _bigrams(codes: Any, values: Any, order: int = 2) -> NgramCounts:
    return NgramCounts(order, 2, np.array(codes), np.array(values))


MATRICES = [
    matrix("not square", "square", [[0.5, 0.5]]),
    matrix("of one axis", "square", [0.5, 0.5]),
    matrix("of no class", "square", np.zeros((0, 0))),
    matrix("of one class", "two classes", [[1.0]]),
    matrix("ragged", "numbers", [[0.5, 0.5], [1.0]]),
    matrix("text", "numbers", "abc"),
    matrix("None in it", "finite", [[None, 1.0], [0.5, 0.5]]),
    matrix("complex", "numbers", np.array(EVEN) + 0.5j),
    matrix("sparse", "numbers", scipy.sparse.csr_matrix(EVEN)),
    matrix("negative", "negative", [[1.5, -0.5], [0.5, 0.5]]),
    matrix("NaN", "finite", [[np.nan, 1.0], [0.5, 0.5]]),
    matrix("infinite", "finite", [[np.inf, 1.0], [0.5, 0.5]]),
    matrix("rows that do not sum to 1", "sum to 1", [[0.5, 0.6], [0.5, 0.5]]),
    matrix("reducible", "reachable", np.eye(2)),
    matrix("duplicate classes", "distinct", EVEN, classes="aa"),
    matrix("classes of mixed kinds", "all text or all numbers", EVEN, classes=["a", 1]),
    matrix("a list for a class", "text or numbers", EVEN, classes=[["a"], ["b"]]),
    matrix("NaN for a class", "NaN", EVEN, classes=[np.nan, 1.0]),
    matrix("too many classes", "as many names", EVEN, classes="abc"),
    matrix("a number for classes", "classes", EVEN, classes=3),
]

JOINTS = [
    joint("no axis", "axes", 1.0),
    joint("axes of different length", "axes", np.full((2, 3), 1 / 6)),
    joint("does not sum to 1", "sum to 1", EVEN),
    joint("negative", "negative", [1.5, -0.5]),
    joint("NaN", "finite", [np.nan, 1.0]),
    joint("text", "numbers", ["a", "b"]),
    Case(
        "joint: not stationary",
        lambda _: NgramModel.from_probabilities(MOVING),
        NonStationaryWarning,
        "first",
    ),
    joint("one class", "two classes", [1.0]),
]

TEXTS = [
    sequences("a text", DataTypeError, "from_text", "abab"),
    sequences("nothing", DataTypeError, "list of sequences", None),
    sequences("a number", DataTypeError, "list of sequences", 3),
    sequences("empty", LanguageModelError, "at least one label", []),
    sequences("empty sequences only", LanguageModelError, "at least one label", [[], []]),
    sequences("one class", LanguageModelError, "two classes", [["a", "a"]]),
    sequences("shorter than the order", LanguageModelError, "in a row", [["a"], ["b"]], 2),
    sequences("text and numbers", LanguageModelError, "mixed", [["a", 1]]),
    sequences("lists for labels", LanguageModelError, "text or numbers", [[["a"], ["b"]]]),
    sequences("None for a label", LanguageModelError, "text or numbers", [[0, None, 1]]),
    sequences("NaN for a label", LanguageModelError, "NaN", [[0.0, np.nan, 1.0, np.nan]]),
    sequences("a label outside classes", LanguageModelError, "'c' is not", [list("abc")], classes="ab"),
    sequences("order 0", ParameterError, "order", [list("abab")], 0),
    sequences("order 1.5", ParameterError, "order", [list("abab")], 1.5),
    sequences("order of a million", ParameterError, "lower order", [list("abab")], 10**6),
    sequences("smoothing unknown", ParameterError, "smoothing", [list("abab")], smoothing="none"),
    sequences("pseudo-count 0", ParameterError, "pseudo_count", [list("abab")], pseudo_count=0),
    sequences("pseudo-count NaN", ParameterError, "pseudo_count", [list("abab")], pseudo_count=np.nan),
    sequences("a lag in words", ParameterError, "max_lag", [list("abab")], max_lag="all"),
    refused("text: bytes", DataTypeError, "must be a str", lambda: NgramModel.from_text(b"abab")),
    refused("text: empty", LanguageModelError, "two classes", lambda: NgramModel.from_text("")),
    refused(
        "text: none of the alphabet",
        LanguageModelError,
        "none of its",
        lambda: NgramModel.from_text("ABAB", alphabet="ab"),
    ),
    refused(
        "text: an order beyond memory",
        ParameterError,
        "dense",
        lambda: NgramModel.from_text("abcdefghij" * 9, 9).joint(),
    ),
]

COUNTS = [
    counts("none", "order 1"),
    counts("negative", "negative", _unigrams(5, -1)),
    counts("fractions", "whole", NgramCounts(1, 2, np.array([0, 1]), np.array([0.5, 1.5]))),
    counts("all zero", "at least one", _unigrams(0, 0)),
    counts("an n-gram beyond the classes", "n-gram", _unigrams(1, 1, codes=(0, 7))),
    counts("an n-gram twice", "sorted", _unigrams(1, 1, codes=(1, 1))),
    counts("lengths that differ", "one count", _unigrams(1, 1, 1)),
    counts("an order left out", "order 2", _unigrams(1, 1), _bigrams([0, 1], [1, 1], order=3)),
    counts("of other classes", "classes", NgramCounts(1, 5, np.arange(5), np.arange(5))),
]

OTHERS = [
    refused("graph: no edge", LanguageModelError, "edge", lambda: NgramModel.from_graph([[0, 1], [0, 0]])),
    refused("graph: not square", LanguageModelError, "square", lambda: NgramModel.from_graph([[0, 1]])),
    refused(
        "graph: negative weight",
        LanguageModelError,
        "negative",
        lambda: NgramModel.from_graph([[0, 2, -1], [1, 0, 1], [1, 1, 0]]),
    ),
    refused("graph: NaN", LanguageModelError, "finite", lambda: NgramModel.from_graph([[0, np.nan], [1, 0]])),
    refused(
        "graph: always staying",
        ParameterError,
        "stay",
        lambda: NgramModel.from_graph([[0, 1], [1, 0]], stay=1),
    ),
    refused("asked: order 0", ParameterError, "order", lambda: LM.joint(0)),
    refused("asked: a table beyond memory", ParameterError, "dense", lambda: LM.joint(60)),
    refused("asked: lag 0", ParameterError, "lag", lambda: LM.pair(0)),
    refused("asked: lag 1.5", ParameterError, "lag", lambda: LM.pair(1.5)),  # type: ignore[arg-type]
    refused("asked: fewer than no samples", ParameterError, "samples", lambda: LM.sample(-1)),
    refused("asked: half a sample", ParameterError, "samples", lambda: LM.sample(1.5)),  # type: ignore[arg-type]
    refused(
        "asked: the number of a label unknown",
        LanguageModelError,
        "7 is not",
        lambda: LM.alphabet.encode([7]),
    ),
]

CASES = [*MATRICES, *JOINTS, *TEXTS, *COUNTS, *OTHERS]
