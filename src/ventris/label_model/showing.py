"""A label model as a small table for a notebook: its commonest labels, and how they follow one another."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ventris.objective import entropy

if TYPE_CHECKING:
    from ventris.label_model.model import NgramModel

_SHOWN = 12  # labels: more would neither fit beside each other nor be read
_LETTERS = 24  # of a label's name


def model_as_html(lm: NgramModel) -> str:
    """The commonest labels, their frequencies, and p(next label | label) among them, the likelier the darker.

    Everything is escaped; the table is small however many labels there are.

    Examples
    --------
    >>> from ventris.label_model.model import NgramModel
    >>> lm = NgramModel.from_transition_matrix([[0.1, 0.9], [0.5, 0.5]], classes=["a", "<b>"])
    >>> html = model_as_html(lm)
    >>> "2 labels, order 2" in html, "<b>" in html, "&lt;b&gt;" in html
    (True, False, True)
    """
    frequency = lm.stationary()
    shown = shown_labels(lm, _SHOWN)
    follows = following(lm)[np.ix_(shown, shown)] if lm.order > 1 else None
    names = [_name(lm.classes[label]) for label in shown]
    head = "".join(f"<th>→ {name}</th>" for name in names) if follows is not None else ""
    rows = [
        f"<tr><th>{name}</th><td>{frequency[label]:.3f}</td>{_cells(follows, row)}</tr>"
        for row, (name, label) in enumerate(zip(names, shown, strict=True))
    ]
    what = f"{lm.n_classes:,} labels, order {lm.order}, entropy {entropy(frequency):.3g} nats a label"
    some = f"; the {len(shown)} commonest" if len(shown) < lm.n_classes else ""
    return (
        f"<table><caption>Ventris label model: {what}{some}</caption>"
        f"<tr><th>label</th><th>frequency</th>{head}</tr>{''.join(rows)}</table>"
    )


def shown_labels(lm: NgramModel, most: int) -> NDArray[np.int64]:
    """Numbers of the commonest labels, at most so many."""
    return np.argsort(-lm.stationary(), kind="stable")[:most]


def following(lm: NgramModel) -> NDArray[np.floating]:
    """p(next label | label): shape (C, C).

    Examples
    --------
    >>> from ventris.label_model.model import NgramModel
    >>> following(NgramModel.from_transition_matrix([[0.0, 1.0], [1.0, 0.0]]))
    array([[0., 1.],
           [1., 0.]])
    """
    pairs = lm.pair(1)
    return pairs / np.maximum(pairs.sum(axis=1, keepdims=True), np.finfo(float).tiny)


def _cells(follows: NDArray[np.floating] | None, row: int) -> str:
    if follows is None:
        return ""
    return "".join(
        f'<td style="background-color:rgba(31,119,180,{0.8 * p:.2f})">{p:.2f}</td>'
        for p in follows[row].tolist()
    )


def _name(label: Any) -> str:
    """Text in quotes, so that a space is seen; cut if it is long."""
    text = repr(label) if isinstance(label, str) else str(label)
    return escape(text if len(text) <= _LETTERS else text[: _LETTERS - 1] + "…")
