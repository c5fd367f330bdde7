"""Every doubt is a warning with a name, an explanation and a remedy, and survives pickling."""

from __future__ import annotations

import pickle

import pytest

from ventris import errors
from ventris.errors import VentrisWarning

ALL = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, errors.Doubt)]
NAMES = {
    "UnidentifiableWarning", "WeakLabelModelWarning", "CloseRunnerUpWarning", "CollapsedOutputWarning",
    "ExcessCostWarning", "NoStructureWarning", "NotConvergedWarning", "DivergedWarning",
    "TooFewSamplesWarning", "NotRecurredWarning", "FewCodesWarning", "NonStationaryWarning",
}  # fmt: skip


def test_the_list_is_complete():
    assert {kind.__name__ for kind in ALL} - {"Doubt"} == NAMES


@pytest.mark.parametrize("kind", [kind for kind in ALL if kind is not errors.Doubt])
def test_a_doubt_says_what_was_seen_and_what_to_do(kind):
    doubt = kind("Something was seen")
    assert issubclass(kind, VentrisWarning) and kind.__doc__
    assert str(doubt) == f"Something was seen. {kind.remedy}." and len(kind.remedy) > 10
    assert str(pickle.loads(pickle.dumps(doubt))) == str(doubt)
