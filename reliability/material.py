"""Small things that cases are made of: a label model, points, a quick fit, files that are whole."""

from __future__ import annotations

import warnings
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import ventris as vt
from ventris.errors import VentrisWarning
from ventris.storage.persistence import load_state, save_state

LM = vt.NgramModel.from_transition_matrix([[0.6, 0.4], [0.9, 0.1]])
LABELS = LM.sample(400, random_state=0)
X = np.where(LABELS[:, None] == 0, -1.0, 1.0) + 0.4 * np.random.default_rng(0).standard_normal((400, 2))
SYMBOLS = np.array([2, 0, 1])[np.arange(300) % 3]
QUICK = {"random_state": 0, "n_init": 4}


def fit(inputs: Any = X, lm: Any = LM, lengths: Any = None, partial: Any = None, **parameters: Any) -> Any:
    """A quick fit, and what a fitted classifier can do with the same inputs; outputs must be numbers."""
    clf = vt.SequenceClassifier(lm, **QUICK | parameters).fit(inputs, lengths=lengths, partial_labels=partial)
    proba = clf.predict_proba(inputs, lengths=lengths)
    parts = proba if isinstance(proba, list) else [proba]
    assert all(np.isfinite(part).all() for part in parts), "an output is not a number"
    clf.decode(inputs, lengths=lengths)
    assert np.isfinite(clf.score(inputs, lengths=lengths))
    return clf


@cache
def fitted() -> Any:
    """One fitted classifier, for cases about what comes after."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", VentrisWarning)
        return fit()


def with_cell(value: float) -> NDArray:
    """The points, with one number replaced."""
    changed = X.copy()
    changed[3, 1] = value
    return changed


def model_file(folder: Path) -> Path:
    """A whole model file."""
    path = folder / "model.ventris"
    fitted().save(path)
    return path


def edited_model(folder: Path, arrays: dict[str, NDArray | None], header: dict[str, Any]) -> Path:
    """A model file edited with all the care that makes its checksum right again; None removes.

    Of a part of the header that is a table, only the given entries change.
    """
    path = model_file(folder)
    kept, head = load_state(path)
    whole = {name: value for name, value in (kept | arrays).items() if value is not None}
    for name, value in header.items():
        head[name] = head[name] | value if isinstance(value, dict) else value
    save_state(path, whole, {name: value for name, value in head.items() if value is not None})
    return path


def arpa_file(folder: Path, text: str | bytes | None = None) -> Path:
    """A whole ARPA file of the label model, or one of this content."""
    path = folder / "labels.arpa"
    if text is None:
        LM.to_arpa(path)
    else:
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def points_file(folder: Path) -> Path:
    """A whole `.npy` file."""
    path = folder / "points.npy"
    np.save(path, X)
    return path


def write(folder: Path, name: str, content: bytes | str) -> Path:
    """A file of this content."""
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path
