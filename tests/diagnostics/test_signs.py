"""Signs that tell right from wrong: each from where it should come, none that a fit does not have."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ventris.deciphering.race import TableSearch
from ventris.diagnostics.evidence import Findings, output_use, shuffled_null, total_correlation
from ventris.diagnostics.goodness import goodness_of_fit
from ventris.diagnostics.signs import Fresh, expected_errors, signs_of
from ventris.inference.score import infer_labels, sequence_score
from ventris.label_model.identifiability import identifiability


@pytest.fixture(scope="module")
def findings(chain, outputs):
    """What `examine` finds of a right classifier."""
    lengths = np.array([len(outputs)])
    null = shuffled_null(outputs, lengths, chain.lm, 2, np.random.default_rng(0))
    return Findings(
        chain.lm.joint(2),
        chain.lm.classes,
        len(outputs) - 1,
        0.001,
        0.02,
        output_use(outputs, chain.lm.stationary()),
        null,
        identifiability(chain.lm),
    )


@pytest.fixture(scope="module")
def fresh(outputs):
    return Fresh(outputs, np.array([len(outputs)]))


def test_outputs_expect_their_own_errors(chain, outputs, fresh):
    """A classifier whose probabilities are right errs as often as it expects; in sequences, less often."""
    found = expected_errors(fresh, chain.lm, 2)
    y = chain.train.y
    labels = infer_labels(outputs, fresh.lengths, chain.lm, 2, n_jobs=1)[0]
    assert found["alone"] == pytest.approx(np.mean(outputs.argmax(axis=1) != y), abs=0.01)
    assert found["in_sequence"] == pytest.approx(np.mean(outputs.argmax(axis=1) != y), abs=0.01)
    assert found["decoded"] == pytest.approx(np.mean(labels.argmax(axis=1) != y), abs=0.01)
    assert found["decoded"] < found["alone"] and found["decoded"] < found["in_sequence"]
    assert found["fresh_score"] == pytest.approx(sequence_score(outputs, fresh.lengths, chain.lm, 2))


def test_exchanged_names_expect_no_more_of_themselves_alone_but_much_more_in_sequence(chain, outputs, fresh):
    right, wrong = (
        expected_errors(Fresh(each, fresh.lengths), chain.lm, 2)
        for each in (outputs, outputs[:, ::-1].copy())
    )
    assert wrong["alone"] == pytest.approx(right["alone"])
    assert wrong["in_sequence"] > right["in_sequence"] and wrong["fresh_score"] < right["fresh_score"]


def test_what_a_fit_does_not_have_is_left_out(chain, findings, fresh):
    found = signs_of(findings, fresh, None, chain.lm, 2, [])
    for absent in ("disagreement", "free_gain", "mismatch", "recurrence", "rival_names"):
        assert absent not in found
    assert found["moved"] == 0.0 and found["labels"] == 2.0
    assert found["points_a_label"] == findings.n_windows / 2
    assert found["dependence"] == pytest.approx(total_correlation(findings.lm_prob))
    assert found["unmatched"] == pytest.approx(0.02 / found["dependence"])
    assert all(isinstance(value, float) and np.isfinite(value) for value in found.values())


def test_signs_come_from_the_steps_the_search_and_the_test_of_fit(chain, findings, fresh):
    table = np.full((3, 2), 0.5)
    search = TableSearch(
        table,
        1.0,
        0.01,
        n_starts=12,
        recurrence=3,
        found_by="descent",
        fresh_score=0.1,
        fresh_margin=0.02,
        n_fresh=1_000,
        margin=0.001,
        rivals=(((1, 0), 12.5, 3.0), ((0, 1), 80.0, 4.0)),
    )
    history = [
        {"step": "decipher"},
        {"step": "adapt", "gain": -7.0, "misfit": 0.01, "rival_misfit": 0.2, "kept": False},
        {"step": "again", "disagreement": 0.3, "gain": -4.0, "kept": False},
        {"step": "adapt", "gain": 99.0, "kept": True},  # of the outputs: it did not look at names
    ]
    mismatch = goodness_of_fit(fresh.outputs, fresh.lengths, chain.lm, np.random.default_rng(0))
    found = signs_of(replace(findings, search=search), fresh, mismatch, chain.lm, 2, history)
    expected = {
        "disagreement": 0.3,
        "another_gain": -4.0,
        "free_gain": -7.0,
        "misfit": 0.01,
        "rival_misfit": 0.2,
        "moved": 1.0,
        "recurrence": 3 / 12,
        "runner_up": 0.001 * findings.n_windows,
        "fresh_runner_up": 20.0,
        "rival_names": 12.5,
        "mismatch": mismatch.z,
        "mismatch_excess": mismatch.excess,
    }
    assert {name: found[name] for name in expected} == pytest.approx(expected)


def test_what_is_no_number_is_left_out(chain, findings, fresh):
    history = [{"step": "again", "disagreement": float("nan"), "gain": float("inf"), "kept": False}]
    found = signs_of(findings, fresh, None, chain.lm, 2, history)
    assert "disagreement" not in found and "another_gain" not in found
