"""The quarrel between a fit and known labels: doubted where chance does not make it, with counts."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from ventris.data.contradictions import Contradictions, best_names, contradictions
from ventris.data.known_labels import KnownLabels
from ventris.diagnostics.contradicted import doubts_about_known
from ventris.errors import ContradictedLabelsWarning


def doubts(n_against, n_known, expected=0.0):
    """Of two labels, all known to be "a"; what is contradicted was called "b"."""
    confusion = np.array([[n_known - n_against, n_against], [0.0, 0.0]])
    found = Contradictions(float(n_against), n_known, confusion)
    return doubts_about_known(found, best_names(confusion), ("a", "b"), expected=expected)


@pytest.mark.parametrize("n_known", [1, 2, 5, 20, 100])
@pytest.mark.parametrize("share", [0.0, 0.05, 0.2, 0.4])
def test_the_border_is_the_binomial_tail(n_known, share):
    rate = max(share, 0.05)
    for n_against in range(n_known + 1):
        tail = stats.binom.sf(n_against - 1, n_known, rate)
        assert bool(doubts(n_against, n_known, share * n_known)) == (tail < 0.01)


def test_the_sentence_counts_and_names():
    (doubt,) = doubts(17, 20, expected=2.2)
    assert isinstance(doubt, ContradictedLabelsWarning)
    assert doubt.seen == (
        "17 of 20 known labels are contradicted by the fit, where about 2 would be by chance; label model "
        "and labels quarrel: 14 more would agree if it were named a→b, b→a"
    )


def test_labels_that_no_renaming_saves_are_doubted_too():
    known = np.repeat([0, 1, 2], 6)
    found = contradictions(KnownLabels(known), np.tile([0, 1, 2], 6), 3)  # at random
    (doubt,) = doubts_about_known(found, best_names(found.confusion), ("a", "b", "c"))
    assert doubt.seen.startswith("12 of 18") and "no other names" in doubt.seen


def test_names_that_known_labels_leave_open_are_told():
    confusion = np.array([[0.0, 4.0, 4.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    (doubt,) = doubts_about_known(Contradictions(8.0, 8, confusion), best_names(confusion), ("a", "b", "c"))
    assert "do not settle the name of b, c" in doubt.seen


def test_a_right_fit_of_overlapping_classes_is_left_in_peace():
    """4 of 20 contradicted by a classifier that expects 4.5 errors, as overlapping classes make them."""
    assert doubts(4, 20, expected=4.5) == []
