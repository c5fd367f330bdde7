"""`ventris doctor`: labels that are hard to tell apart in a table, and known ones that settle them."""

from __future__ import annotations

import json

import numpy as np
import pytest

from ventris.datasets import make_gaussian_hmm
from ventris.label_model.model import NgramModel


@pytest.fixture
def islands(tmp_path, monkeypatch):
    """Files of two states that stay for long; of too few points to tell which is which."""
    monkeypatch.chdir(tmp_path)
    lm = NgramModel.from_transition_matrix([[0.99, 0.01], [0.005, 0.995]], classes=["island", "sea"])
    data = make_gaussian_hmm(lm, [[0.0], [2.0]], n_samples=3_000, random_state=100)
    lm.to_arpa("labels.arpa")
    np.save("points.npy", data.X)
    lines = ["?"] * 3_000
    place = int(np.argmax(data.y == 1))
    lines[place] = "sea"
    (tmp_path / "known.txt").write_text("\n".join(lines) + "\n")


def test_the_table_names_labels_and_points_and_known_labels_settle_them(islands, ventris):
    told = ventris("doctor", "points.npy", "--lm", "labels.arpa").out
    row = next(line for line in told.splitlines() if "island↔sea" in line and "no" in line)
    assert "6,000" in row and "100.0 %" in row and "Hardest to tell apart" in told
    known = ventris("doctor", "points.npy", "--lm", "labels.arpa", "--partial-labels", "known.txt").out
    assert "by known labels" in " ".join(known.split()) and "go:" in known


def test_json_holds_what_would_settle_it(islands, ventris):
    found = json.loads(ventris("doctor", "points.npy", "--lm", "labels.arpa", "--json").out)
    assert found["verdict"] == "doubtful" and found["settled_by"] == ["sea"]
    assert found["hard_to_tell"][0]["labels"] == "island↔sea" and found["hard_to_tell"][0]["decided"] == "no"
