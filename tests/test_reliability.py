"""The quick part of `make reliability`, the same cases; properties of random sequences and label models.

Not here, for they take minutes: twenty kills, the soak, the fuzz.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from reliability import bad_input, determinism, faults, fuzz, killing, soak, stress
from reliability.case import Case, why_lost
from reliability.document import render
from reliability.strategies import label_models, sequences
from reliability.tally import Group, Tally, of_cases

from ventris import NgramModel, Sequences
from ventris.errors import DataError
from ventris.label_model.state import lm_from_state, lm_to_state


def names(cases):
    return [case.name for case in cases]


# -------------------------------------------------------------------------------------- bad input, faults


def test_there_are_cases_enough_and_each_has_its_own_name():
    assert len(bad_input.CASES) >= 60
    for cases in bad_input.GROUPS.values():
        assert len(set(names(cases))) == len(cases)


@pytest.mark.parametrize("case", bad_input.CASES, ids=names(bad_input.CASES))
def test_bad_input_ends_as_documented(case):
    assert why_lost(case) == ""


@pytest.mark.parametrize("case", faults.FULL_DISK, ids=names(faults.FULL_DISK))
def test_a_full_disk_costs_no_file(case):
    assert why_lost(case) == ""


@pytest.mark.parametrize("case", faults.READ_ONLY, ids=names(faults.READ_ONLY))
def test_a_read_only_folder_stays_as_it_is(case):
    assert why_lost(case) == ""


@pytest.mark.parametrize("case", faults.VANISHED, ids=names(faults.VANISHED))
def test_input_that_vanishes_costs_no_output(case):
    assert why_lost(case) == ""


@pytest.mark.parametrize(("kind", "share"), [("auto", 0.6), ("spdg", 0.3)])
def test_a_killed_fit_goes_on_to_the_same_bits(kind, share):
    assert killing.kill_and_go_on(kind, share, *killing._timed(kind))


# ------------------------------------------------------------------------------------ stress, determinism


@pytest.mark.parametrize("group", stress.GROUPS, ids=lambda group: group.__name__)
def test_stress(group):
    assert group().losses == {}


PROBLEMS = [problem for problem in determinism.problems() if len(problem.X) < 10_000]


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda problem: problem.name)
def test_one_seed_gives_the_same_bits_and_threads_change_nothing_that_shows(problem):
    first = problem.fit()
    determinism.same_bits(first, problem.fit(), problem.X)
    determinism.same_but_for_rounding(first, problem.fit(2, n_jobs=2), problem.X)


# --------------------------------------------------------------------------------------- fuzz, soak, a few


LOST_ONCE = [  # by ten minutes of fuzzing, each mended since
    ("model, checksum put right", 4184),  # weights whose logits no number can hold
    ("model, checksum put right", 4865),  # counts that are not whole numbers
    ("npy", 8946),  # a name of a type that NumPy warns of
    ("npz", 6508),  # a member marked as encrypted
    ("label column, npy", 7087),  # a header as Python 2 wrote it
]


@pytest.mark.parametrize(("name", "number"), LOST_ONCE)
def test_what_was_lost_once_is_not_lost_again(name, number):
    assert fuzz.why_lost(fuzz.TARGETS[name], number)[0] == ""


@pytest.mark.parametrize("target", fuzz.TARGETS.values(), ids=list(fuzz.TARGETS))
def test_files_changed_at_random_are_read_or_refused(target):
    found = [fuzz.why_lost(target, number) for number in range(30)]
    assert [loss for loss, _ in found if loss] == []
    assert not all(good for _, good in found)  # something was damaged


def test_a_few_fits_of_the_soak_survive():
    tally = soak.run(5)
    assert tally.lost == 0 and tally.groups[0].tried == 5 and "CPU-s a fit" in tally.groups[0].measured


def test_memory_that_grows_is_seen():
    rng = np.random.default_rng(0)
    steady = 300 + rng.standard_normal(100)
    assert abs(soak.growth(steady.tolist(), every=10)) < 20
    assert soak.growth((steady + 0.8 * np.arange(100)).tolist(), every=10) == pytest.approx(80, abs=20)


# ------------------------------------------------------------------------------ the battery notices losses


def raises(error):
    def attempt(desk):
        raise error

    return attempt


def test_every_kind_of_loss_is_noticed():
    lost = {
        "another error": Case("", raises(ValueError("numpy's own")), DataError),
        "no error": Case("", lambda desk: None, DataError),
        "other words": Case("", raises(DataError("a", "b", "c")), DataError, "row 7"),
        "a message without a remedy": Case("", raises(DataError("a", "b", "")), DataError),
        "an error where none may be": Case("", raises(DataError("a", "b", "c"))),
        "a warning of NumPy": Case("", lambda desk: np.float64(1) / np.float64(0)),
        "a file left behind": Case("", lambda desk: (desk.made / "half").write_text("a")),
        "the old file changed": Case("", lambda desk: (desk.made / "old").write_text("a")),
    }
    assert {name for name, case in lost.items() if not why_lost(case)} == set()
    assert why_lost(Case("", raises(DataError("a", "b", "c")), DataError, "b")) == ""


def test_losses_are_counted_and_named_on_the_page():
    group = of_cases("cases", [Case("good", lambda desk: None), Case("bad", raises(ValueError("why")))])
    group.hold("worse", lambda: 1 / 0)
    assert (group.tried, group.survived, list(group.losses)) == (3, 1, ["bad", "worse"])
    tally = Tally("stress", "About.", [group, Group("others", 2)])
    assert tally.lost == 2 and Tally.from_dict(tally.to_dict()) == tally
    page = render({"stress": tally})
    assert "| cases | 3 | 1 | 2 |" in page and "* **worse** (cases): ZeroDivisionError" in page


# ---------------------------------------------------------------------------------------- random problems


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(sequences())
def test_sequences_are_read_alike_in_every_form(given_sequences):
    X, keywords, whole = given_sequences
    read = Sequences.of(X, **keywords)
    np.testing.assert_array_equal(read.data, whole.data)
    np.testing.assert_array_equal(read.lengths, whole.lengths)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(lm=label_models())
def test_label_models_are_distributions_and_survive_files(lm, tmp_path_factory):
    for k in range(1, lm.order + 2):
        assert lm.joint(k).sum() == pytest.approx(1, rel=1e-9) and (lm.joint(k) >= 0).all()
        np.testing.assert_allclose(lm.conditional(k).sum(axis=-1), 1, rtol=1e-9)
    again = lm_from_state(*lm_to_state(lm))
    np.testing.assert_array_equal(again.joint(), lm.joint())
    path = tmp_path_factory.mktemp("arpa") / "lm.arpa"
    lm.to_arpa(path)
    written = NgramModel.from_arpa(path)
    assert written.classes == lm.classes
    np.testing.assert_allclose(written.conditional(), lm.conditional(), rtol=1e-9, atol=1e-98)
