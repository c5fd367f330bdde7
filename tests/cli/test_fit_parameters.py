"""`ventris fit` offers the classifier's parameters under their names, with their defaults."""

from __future__ import annotations

from dataclasses import fields
from inspect import signature

import pytest

from ventris.classifier import SequenceClassifier
from ventris.cli.fit import Learning, _classifier
from ventris.label_model.model import NgramModel


def test_every_default_is_the_classifiers_own():
    """--primal-lr was once 0.01 where the classifier has 0.1."""
    own = signature(SequenceClassifier).parameters
    assert {field.name: field.default for field in fields(Learning)} == {
        field.name: own[field.name].default for field in fields(Learning)
    }


@pytest.mark.parametrize(
    ("word", "meant"), [(None, "auto"), ("auto", "auto"), ("yes", True), ("no", False), ("300", 300.0)]
)
def test_adapt_is_a_word_or_a_number(word, meant):
    from ventris.cli import app

    given = [] if word is None else ["--adapt", word]
    _, bound, _ = app.parse_args(["fit", "x.npy", "--lm", "l.arpa", "-o", "m", *given], print_error=False)
    learning = bound.arguments.get("learning", Learning())
    clf = _classifier(NgramModel.from_transition_matrix([[0.6, 0.4], [0.9, 0.1]]), learning, None, 0, True)
    assert clf.adapt == meant and type(clf.adapt) is type(meant)
