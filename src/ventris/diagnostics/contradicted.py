"""When a fit and the labels known of its points quarrel."""

from __future__ import annotations

import math
from typing import Any

from scipy.special import bdtrc

from ventris.data.contradictions import Contradictions, Names, renaming_in_words
from ventris.diagnostics.thresholds import DEFAULT, Thresholds
from ventris.errors import ContradictedLabelsWarning, Doubt


def doubts_about_known(
    found: Contradictions,
    names: Names,
    classes: tuple[Any, ...],
    *,
    expected: float = 0.0,
    thresholds: Thresholds = DEFAULT,
) -> list[Doubt]:
    """More known labels are contradicted than the classifier's own uncertainty makes (binomial test).

    Parameters
    ----------
    found : Contradictions
        Of the classifier's labels under the names it ends with.
    names : Names
        Those that would agree most, `best_names` of the same confusion.
    classes : tuple
    expected : float
        How many the classifier expects to contradict, from `expected_contradictions`.
    thresholds : Thresholds

    Examples
    --------
    >>> import numpy as np
    >>> from ventris.data.contradictions import best_names
    >>> confusion = np.array([[1.0, 9.0], [8.0, 2.0]])
    >>> found = Contradictions(17.0, 20, confusion)
    >>> print(doubts_about_known(found, best_names(confusion), ("a", "b"), expected=1.3)[0].seen)
    17 of 20 known labels are contradicted by the fit, where about 1 would be by chance; label model and \
labels quarrel: 14 more would agree if it were named a→b, b→a
    """
    share = max(thresholds.contradicted_share, min(expected / max(found.n_known, 1), 1.0))
    # As whole ones, rounded down: shares of probabilities are no evidence that a label was contradicted.
    n_against = math.floor(found.n_contradicted + thresholds.contradicted_rounding)
    if n_against < 1 or bdtrc(n_against - 1, found.n_known, share) >= thresholds.contradicted_chance:
        return []
    seen = f"{n_against} of {found.n_known} known labels are contradicted by the fit"
    chance = f", where about {expected:.0f} would be by chance" if expected >= 0.5 else ""
    quarrel = f"label model and labels quarrel: {_why(names, classes)}"
    return [ContradictedLabelsWarning(f"{seen}{chance}; {quarrel}")]


def _why(names: Names, classes: tuple[Any, ...]) -> str:
    if names.gain < 1:
        return "no other names would agree with more of them"
    renamed = renaming_in_words(names.permutation, classes)
    found = f"{names.gain:.0f} more would agree if it were named {renamed}"
    if names.tied:
        tied = ", ".join(str(classes[label]) for label in names.tied[:6])
        found += f", though they do not settle the name of {tied}" + (", …" if len(names.tied) > 6 else "")
    return found
