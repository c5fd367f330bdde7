"""A label model described."""

from __future__ import annotations

import json

import numpy as np
import pytest

from ventris.label_model.facts import describe
from ventris.label_model.model import NgramModel


def test_facts_of_a_trigram_model():
    rng = np.random.default_rng(2)
    lm = NgramModel.from_sequences([rng.integers(0, 3, 500).tolist()], order=3)
    facts = describe(lm, top=5)
    joint, conditional = lm.joint(3), lm.conditional(3)
    assert facts.entropy_rate == pytest.approx(-np.sum(joint * np.log(conditional)), rel=1e-9)
    probs = [row["prob"] for row in facts.ngrams]
    np.testing.assert_allclose(probs, np.sort(joint.ravel())[::-1][:5], rtol=1e-12)
    assert facts.ngrams[0]["labels"] == list(np.unravel_index(joint.argmax(), joint.shape))
    assert json.loads(json.dumps(facts.to_dict()))["order"] == 3


def test_of_a_unigram_model_all_entropy_is_left():
    facts = describe(NgramModel.from_probabilities([0.7, 0.3]))
    assert facts.entropy_rate == pytest.approx(facts.entropy, rel=1e-12)
