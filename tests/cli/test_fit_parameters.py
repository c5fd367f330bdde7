"""`ventris fit` offers the classifier's parameters under their names, with their defaults."""

from __future__ import annotations

from dataclasses import fields
from inspect import signature

from ventris.classifier import SequenceClassifier
from ventris.cli.fit import Learning


def test_every_default_is_the_classifiers_own():
    """--primal-lr was once 0.01 where the classifier has 0.1."""
    own = signature(SequenceClassifier).parameters
    assert {field.name: field.default for field in fields(Learning)} == {
        field.name: own[field.name].default for field in fields(Learning)
    }
