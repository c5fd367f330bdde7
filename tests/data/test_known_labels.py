"""What is known of labels: every form it comes in, what is refused, and what it does to outputs."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from ventris.data.alphabet import Alphabet
from ventris.data.known_labels import KnownLabels, read_known_labels
from ventris.errors import DataError

ABC = Alphabet("abc")
NAN = [np.nan] * 3
ROWS = np.array([[0.2, 0.3, 0.5], NAN, [0.0, 1.0, 0.0], [0.5, 0.5, 0.0]])
SOFT = np.array([[0.2, 0.3, 0.5], NAN, NAN, [0.5, 0.5, 0.0]])


def frame():
    return pd.DataFrame(ROWS[:, [2, 0, 1]], columns=list("cab"))  # another order: matched by name


def nullable():
    return pd.DataFrame({name: pd.array(ROWS[:, k], dtype="Float64") for k, name in enumerate("abc")})


def masked():
    filled = np.where(np.isnan(ROWS), 0.7, ROWS)  # what lies under the mask must not be read
    return np.ma.MaskedArray(filled, mask=np.isnan(ROWS))


@pytest.mark.parametrize(
    "given",
    [lambda: ROWS, lambda: [ROWS[:1], ROWS[1:]], frame, lambda: [frame()[:1], frame()[1:]], nullable, masked],
    ids=["array", "list", "frame", "frames", "nullable", "masked"],
)
def test_probabilities_in_any_form_are_read_alike(given):
    known = read_known_labels(given(), [1, 3], ABC)
    np.testing.assert_array_equal(known.hard, [-1, -1, 1, -1])  # a sure row is a certain label
    np.testing.assert_allclose(known.soft, SOFT, rtol=1e-12)
    assert known.n == 3
    np.testing.assert_array_equal(known.mask, [True, False, True, True])


def test_sequences_may_be_known_each_in_its_own_way_or_not_at_all():
    known = read_known_labels([["a", None], None, ROWS[:2], np.array(["b", "c"])], [2, 3, 2, 2], ABC)
    np.testing.assert_array_equal(known.hard, [0, -1, -1, -1, -1, -1, -1, 1, 2])
    np.testing.assert_array_equal(np.flatnonzero(~np.isnan(known.soft).any(axis=1)), [5])
    assert known[5:].n == 3 and known[:5].n == 1 and len(known[5:]) == 4


def test_numbers_written_as_text_name_the_columns_of_number_classes():
    given = pd.DataFrame({"1": [0.9], "0": [0.1]})
    np.testing.assert_allclose(read_known_labels(given, [1], Alphabet([0, 1])).soft, [[0.1, 0.9]])


def test_probabilities_rounded_when_written_are_made_to_sum_to_one():
    known = read_known_labels(np.full((1, 3), 0.333), [1], ABC)
    np.testing.assert_allclose(known.soft, 1 / 3, rtol=1e-12)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (
            np.array([[0.2, 0.3, 0.6], [0.1, 0.1, 0.1]]),
            r"sum to one.*0 is 0\.2, 0\.3, 0\.6.*1\.1.*1 more",
        ),
        (np.array([[0.5, 0.5, 0.0], [1.2, -0.2, 0.0]]), r"not be negative.*row 1 is 1\.2, -0\.2, 0"),
        (np.array([[0.5, np.nan, 0.5], NAN]), r"all known or all NaN.*row 0"),
        (np.array([[np.inf, 0.5, 0.5], NAN]), r"sum to one"),
        (np.array([[0.5, 0.5], [1.0, 0.0]]), r"each of the 3 classes.*it has 2"),
        (np.array([["a", "b", "c"], ["a", "b", "c"]]), r"probabilities of the classes.*one list"),
        (
            pd.DataFrame({"a": [0.5], "b": [0.5], "z": [0.0]}),
            r"^partial_labels as a data frame.*no column is 'c', and 'z' is no class",
        ),
        (pd.DataFrame({"label": ["a", "b"]}), r"table\['label'\]"),
        (pd.DataFrame([[0.2, 0.2, 0.6]] * 2, columns=list("aab")), r"no column is 'c'"),
        (np.zeros((2, 3, 3)), r"neither one list"),
        (ROWS, r"4 for 2 points"),
    ],
)
def test_what_is_no_knowledge_gets_a_sentence(given, sentence):
    with pytest.raises(DataError, match=sentence):
        read_known_labels(given, [2], ABC)


def test_lists_must_be_as_long_as_their_sequences_though_the_sum_be_right():
    with pytest.raises(DataError, match="sequence 0 has 1 for 2 points"):
        read_known_labels([["a"], ["b", "c", "a"]], [2, 2], ABC)
    with pytest.raises(DataError, match="2 lists for 3 sequences"):
        read_known_labels([["a"], None], [1, 1, 1], ABC)
    # One long sequence may have its labels in pieces.
    np.testing.assert_array_equal(read_known_labels([["a"], ["b", "c"]], [3], ABC).hard, [0, 1, 2])


# ------------------------------------------------------------------------------------- what it does


def test_probabilities_are_evidence_by_bayes_rule():
    """Brute force: p(y | x) q(y) / Σ, at each point by itself."""
    rng = np.random.default_rng(0)
    outputs, given = rng.dirichlet(np.ones(4), 6), rng.dirichlet(np.ones(4), 6)
    found = KnownLabels(np.full(6, -1), given).clamp(outputs)
    for t in range(6):
        joint = [outputs[t, y] * given[t, y] for y in range(4)]
        np.testing.assert_allclose(found[t], np.array(joint) / sum(joint), rtol=1e-12, atol=1e-6)


def test_equal_probabilities_say_nothing():
    outputs = np.random.default_rng(1).dirichlet(np.ones(4), 5)
    equal = KnownLabels(np.full(5, -1), np.full((5, 4), 0.25))
    np.testing.assert_allclose(equal.clamp(outputs), outputs, rtol=1e-12)
    np.testing.assert_array_equal(equal.votes(np.arange(5), 5, 4), 0)
    assert equal.named == set()


def test_what_probabilities_exclude_stays_excluded_against_sure_outputs():
    sure = np.array([[1e-12, 1e-12, 1.0], [0.0, 0.0, 1.0]])
    found = KnownLabels(np.full(2, -1), np.array([[0.5, 0.5, 0.0]] * 2)).clamp(sure)
    np.testing.assert_allclose(found, [[0.5, 0.5, 0], [0.5, 0.5, 0]], atol=1e-5)
    assert (found > 0).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_outputs_keep_their_type_and_are_not_changed(dtype):
    outputs = np.full((4, 3), 1 / 3, dtype=dtype)
    known = read_known_labels(ROWS, [4], ABC)
    assert known.clamp(outputs).dtype == dtype and (outputs == dtype(1 / 3)).all()
    np.testing.assert_allclose(known.clamp(outputs)[[0, 2]], [[0.2, 0.3, 0.5], [0, 1, 0]], atol=2e-6)
    np.testing.assert_array_equal(known.clamp(outputs)[1], outputs[1])


def test_votes_of_certain_labels_are_counts_and_of_probabilities_their_excess():
    known = read_known_labels(ROWS, [4], ABC)
    votes = known.votes(np.array([0, 1, 1]), 2, 3)
    np.testing.assert_allclose(votes, [[0, 0.1, 0.3], [0.5, 1.5, 0]], atol=1e-12)


def test_a_label_is_named_once_probabilities_together_are_decisive():
    nine = np.array([[0.9, 0.1, 0.0]])
    needed = int(np.ceil(5 / np.log(9)))  # nats for "a" against "b" of one such row
    for n_rows, named in ((needed - 1, set()), (needed, {0})):
        assert KnownLabels(np.full(n_rows, -1), np.repeat(nine, n_rows, axis=0)).named == named


def test_the_mark_of_a_checkpoint_tells_probabilities_apart():
    hard, other = KnownLabels(np.array([1, -1])), np.array([NAN, [0.1, 0.3, 0.6]])
    assert hard.plain() == [1, -1]
    marks = [KnownLabels(hard.hard, soft).plain() for soft in (other, other.copy(), other[:, ::-1].copy())]
    assert marks[0] == marks[1] != marks[2]
