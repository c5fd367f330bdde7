"""Hypothesis strategies that tests share: label models, and sequences of inputs in every form `fit` takes."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from ventris import NgramModel, Sequences

LABELS = st.text(st.characters(min_codepoint=33, max_codepoint=0x24F, categories=("L", "N", "P")), min_size=1)


@st.composite
def label_models(draw: st.DrawFn, most_classes: int = 5, most_order: int = 3) -> NgramModel:
    """A label model: a chain (with impossible transitions, but irreducible), or counted and smoothed."""
    n_classes = draw(st.integers(2, most_classes))
    classes = draw(st.lists(LABELS, min_size=n_classes, max_size=n_classes, unique=True))
    if draw(st.booleans()):
        return NgramModel.from_transition_matrix(draw(transition_matrices(n_classes)), classes=classes)
    order = draw(st.integers(1, most_order))
    text = draw(st.lists(st.sampled_from(classes), min_size=order, max_size=60))
    smoothing = draw(st.sampled_from(["witten-bell", "kneser-ney", "additive"]))
    return NgramModel.from_sequences([text, classes * order], order, classes=classes, smoothing=smoothing)


@st.composite
def transition_matrices(draw: st.DrawFn, n_classes: int) -> NDArray[np.float64]:
    """A stochastic matrix with zeros in it; a ring of small weights keeps every class within reach."""
    cells = st.one_of(st.just(0.0), st.floats(1e-9, 1.0))
    weights = draw(hnp.arrays(np.float64, (n_classes, n_classes), elements=cells))
    weights = weights + 1e-3 * np.roll(np.eye(n_classes), 1, axis=1)
    return weights / weights.sum(axis=1, keepdims=True)


@st.composite
def sequences(draw: st.DrawFn, most_points: int = 30) -> tuple[Any, dict[str, Any], Sequences]:
    """Inputs in a form that `fit` takes, the keywords that go with them, and what they must be read as."""
    n_features = draw(st.integers(1, 4))
    lengths = draw(st.lists(st.integers(1, most_points), min_size=1, max_size=5))
    numbers = st.floats(-1e6, 1e6, width=32)
    kind = draw(st.sampled_from([np.float32, np.float64]))
    data = draw(hnp.arrays(kind, (sum(lengths), n_features), elements=numbers))
    whole = Sequences(data, np.array(lengths))
    form = draw(st.sampled_from(["array", "list", "nested lists", "column-major"]))
    if form == "list":
        return list(whole), {}, whole
    if form == "nested lists":
        return [part.tolist() for part in whole], {}, whole
    return np.asfortranarray(data) if form == "column-major" else data, {"lengths": lengths}, whole
