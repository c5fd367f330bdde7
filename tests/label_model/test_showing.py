"""Label models in a notebook: right numbers, escaped names, and a table that stays small."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pytest

from ventris.label_model.model import NgramModel


def cells(lm):
    """Caption, and the text of every cell, row by row."""
    root = ElementTree.fromstring(lm._repr_html_())
    rows = [["".join(cell.itertext()) for cell in row] for row in root.iter("tr")]
    return "".join(root.find("caption").itertext()), rows


def test_frequencies_and_transitions_by_hand():
    lm = NgramModel.from_transition_matrix([[0.1, 0.9], [0.6, 0.4]], classes=["a", "b"])
    caption, rows = cells(lm)
    assert "2 labels, order 2" in caption and "commonest" not in caption
    assert rows == [
        ["label", "frequency", "→ 'b'", "→ 'a'"],
        ["'b'", "0.600", "0.40", "0.60"],  # πP = π: 0.4 and 0.6; the commonest comes first
        ["'a'", "0.400", "0.90", "0.10"],
    ]


def test_names_are_escaped_and_cut():
    names = ["<script>alert(1)</script>", "&", 'say "yes"' * 50]
    lm = NgramModel.from_transition_matrix(np.full((3, 3), 1 / 3), classes=names)
    html = lm._repr_html_()
    assert "<script" not in html and len(html) < 3_000
    assert {"'&'", "'<script>alert(1)</scri…"} <= {row[0] for row in cells(lm)[1]}


@pytest.mark.parametrize("order", [1, 2])
def test_a_thousand_labels_make_a_small_table(order):
    labels = np.random.default_rng(0).integers(1_000, size=20_000)
    lm = NgramModel.from_sequences([labels.tolist()], order=order)
    caption, rows = cells(lm)
    assert f"{lm.n_classes:,} labels" in caption and "the 12 commonest" in caption
    assert [len(row) for row in rows] == [2 if order == 1 else 14] * 13
    assert len(lm._repr_html_()) < 20_000
