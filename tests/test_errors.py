"""Every doubt is a warning with a name, an explanation and a remedy, and survives pickling."""

from __future__ import annotations

import pickle
import warnings

import pytest

import ventris as vt
from ventris import errors
from ventris.errors import VentrisWarning

ALL = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, errors.Doubt)]
NAMES = {
    "UnidentifiableWarning", "WeakLabelModelWarning", "CloseRunnerUpWarning", "CollapsedOutputWarning",
    "ExcessCostWarning", "NoStructureWarning", "NotConvergedWarning", "DivergedWarning",
    "TooFewSamplesWarning", "NotRecurredWarning", "FewCodesWarning", "NonStationaryWarning",
    "ShortTextWarning", "ContradictedLabelsWarning", "LabelModelMismatchWarning",
    "DoubtfulAnswerWarning", "AmbiguousNamesWarning", "AmbiguousUnitsWarning", "DoubtfulReadingWarning",
    "NothingCorrectedWarning",
}  # fmt: skip


def test_the_list_is_complete():
    assert {kind.__name__ for kind in ALL} - {"Doubt"} == NAMES


@pytest.mark.parametrize("kind", [kind for kind in ALL if kind is not errors.Doubt])
def test_a_doubt_says_what_was_seen_and_what_to_do(kind):
    doubt = kind("Something was seen")
    assert issubclass(kind, VentrisWarning) and kind.__doc__
    assert str(doubt) == f"Something was seen. {kind.remedy}." and len(kind.remedy) > 10
    assert str(pickle.loads(pickle.dumps(doubt))) == str(doubt)


@pytest.mark.parametrize("name", sorted(NAMES))
def test_each_doubt_can_be_silenced_by_its_public_name_and_no_other_is(name):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.filterwarnings("ignore", category=getattr(vt.errors, name))
        for each in sorted(NAMES):
            warnings.warn(getattr(errors, each)("Something was seen"), stacklevel=1)
    assert {type(warning.message).__name__ for warning in caught} == NAMES - {name}


def test_the_doubt_about_short_texts_is_the_one_of_the_ciphers():
    from ventris.ciphers import result

    assert result.ShortTextWarning is vt.ciphers.ShortTextWarning is vt.errors.ShortTextWarning
