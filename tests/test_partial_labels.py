"""Labels known in part: they decide what a label model cannot, however they are spelt."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from tests.quick_fits import CHAIN, QUICK, X, learn

import ventris as vt
from ventris import errors
from ventris.data.known_labels import read_known_labels
from ventris.datasets import make_gaussian_hmm
from ventris.errors import DataError, LanguageModelError

RING = vt.NgramModel.from_transition_matrix(
    0.85 * np.roll(np.eye(5), 1, axis=1) + 0.03, classes=list("abcde")
)
RING_DATA = make_gaussian_hmm(RING, 3 * np.eye(5), n_samples=4_000, random_state=2)
RING_Y = np.array(RING.classes)[RING_DATA.y]


def one_of_each(unknown):
    labels = np.full(4_000, unknown, dtype=object)
    for name in RING.classes:
        labels[list(RING_Y).index(name)] = name
    return labels


@pytest.mark.filterwarnings("ignore::ventris.errors.VentrisWarning")  # it has other doubts beside this one
def test_a_ring_of_labels_is_undecidable_without_names_and_said_to_be():
    with pytest.warns(errors.UnidentifiableWarning, match="partial_labels"):
        vt.SequenceClassifier(RING, **QUICK).fit(RING_DATA.X)


@pytest.mark.parametrize("unknown", [None, -1])
def test_one_labelled_point_a_class_decides_a_ring(unknown):
    for seed in range(2):
        clf = vt.SequenceClassifier(RING, n_init=8, random_state=seed)
        clf.fit(RING_DATA.X, partial_labels=one_of_each(unknown))  # no warning: the names are decided
        assert np.mean(clf.predict(RING_DATA.X) != RING_Y) < 0.07


def labels_at(rows):
    labels = np.full(4_000, None, dtype=object)
    labels[rows] = RING_Y[rows]
    return labels


def soft_at(rows, sure=0.9):
    """Probabilities that lead to the right label, the others sharing the rest; at other points nothing."""
    soft = np.full((4_000, 5), np.nan)
    soft[rows] = (1 - sure) / 4
    soft[rows, RING_DATA.y[rows]] = sure
    return soft


SCATTERED = np.random.default_rng(0).choice(4_000, 20, replace=False)
FORMS = {
    "one class": labels_at(np.flatnonzero(RING_DATA.y == 2)[:20]),
    "scattered": labels_at(SCATTERED),
    "a few a class": labels_at(np.concatenate([np.flatnonzero(RING_DATA.y == c)[:3] for c in range(5)])),
    "probabilities": soft_at(SCATTERED),
    "a frame": pd.DataFrame(soft_at(SCATTERED)[:, ::-1], columns=list("edcba")),
}


@pytest.mark.parametrize("given", FORMS.values(), ids=FORMS)
def test_every_form_of_known_labels_decides_a_ring(given):
    clf = vt.SequenceClassifier(RING, n_init=8, random_state=0)
    clf.fit(RING_DATA.X, partial_labels=given)  # no warning: the names are decided
    assert np.mean(clf.predict(RING_DATA.X) != RING_Y) < 0.07


@pytest.mark.parametrize("labelled", [0, 1])
def test_labels_of_one_sequence_name_the_others(labelled):
    cuts = [0, 400, 800, 4_000]
    parts = [RING_DATA.X[start:stop] for start, stop in pairwise(cuts)]
    given = [None, None, None]
    given[labelled] = RING_Y[cuts[labelled] : cuts[labelled + 1]]
    clf = vt.SequenceClassifier(RING, n_init=8, random_state=0).fit(parts, partial_labels=given)
    assert np.mean(np.concatenate(clf.predict(parts)) != RING_Y) < 0.07


def test_hard_labels_and_sure_probabilities_are_one_and_the_same():
    hard = learn(RING, RING_DATA.X, fit={"partial_labels": labels_at(SCATTERED)})
    sure = learn(RING, RING_DATA.X, fit={"partial_labels": soft_at(SCATTERED, sure=1.0)})
    np.testing.assert_array_equal(hard.coef_, sure.coef_)


def test_symbols_take_probabilities_too():
    symbols = 2 * RING_DATA.y + np.random.default_rng(1).integers(0, 2, 4_000)
    clf = vt.SequenceClassifier(RING, n_init=8, random_state=0)
    clf.fit(symbols, partial_labels=soft_at(SCATTERED))
    np.testing.assert_array_equal(clf.predict(symbols), RING_Y)


def test_a_fit_with_probabilities_goes_on_from_its_checkpoint_and_from_no_other(tmp_path):
    fit = {"partial_labels": soft_at(SCATTERED)}
    first = learn(RING, RING_DATA.X, fit=fit, checkpoint=tmp_path)
    again = learn(RING, RING_DATA.X, fit=fit, checkpoint=tmp_path)
    np.testing.assert_array_equal(again.coef_, first.coef_)
    with pytest.raises(errors.VentrisError, match="partial_labels"):
        learn(RING, RING_DATA.X, fit={"partial_labels": soft_at(SCATTERED, 0.8)}, checkpoint=tmp_path)


def test_partial_labels_may_come_as_a_list_for_each_sequence():
    labels = one_of_each(None)
    whole = learn(RING, RING_DATA.X, fit={"lengths": [2_500, 1_500], "partial_labels": labels})
    parts = [labels[:2_500].tolist(), labels[2_500:].tolist()]
    again = learn(RING, [RING_DATA.X[:2_500], RING_DATA.X[2_500:]], fit={"partial_labels": parts})
    np.testing.assert_array_equal(again.coef_, whole.coef_)


def missing_in_pandas_words():
    return pd.Series(one_of_each(None), dtype="string")


def missing_as_categories():
    return pd.Series(one_of_each(None), dtype="category")


def missing_as_nan():
    return pd.Series(one_of_each(np.nan), dtype=object)


def missing_as_a_mask():
    labels = one_of_each("a")  # what lies under the mask must not be read
    return np.ma.MaskedArray(labels, mask=[label is None for label in one_of_each(None)])


@pytest.mark.parametrize(
    "given", [missing_in_pandas_words, missing_as_categories, missing_as_nan, missing_as_a_mask]
)
def test_labels_missing_in_any_way_are_unknown(given):
    clf, sequences = vt.SequenceClassifier(RING), vt.Sequences.of(RING_DATA.X)
    expected = read_known_labels(one_of_each(None), sequences.lengths, clf.lm.alphabet)
    assert expected.n == 5 and expected.soft is None
    found = read_known_labels(given(), sequences.lengths, clf.lm.alphabet)
    np.testing.assert_array_equal(found.hard, expected.hard)


def test_whole_numbers_of_pandas_and_numpy_may_be_missing_too():
    clf, sequences = vt.SequenceClassifier(CHAIN.lm), vt.Sequences.of(X[:4])
    parts = vt.Sequences.of([X[:2], X[2:4]])
    for given in (
        pd.Series([1, None, 0, -1], dtype="Int64"),
        np.ma.MaskedArray([1, 0, 0, -1], mask=[0, 1, 0, 0]),
        np.array([1.0, np.nan, 0.0, -1.0]),
    ):
        np.testing.assert_array_equal(
            read_known_labels(given, sequences.lengths, clf.lm.alphabet).hard, [1, -1, 0, -1]
        )
        np.testing.assert_array_equal(
            read_known_labels([given[:2], given[2:]], parts.lengths, clf.lm.alphabet).hard, [1, -1, 0, -1]
        )


def test_classes_the_label_model_does_not_have_are_refused():
    with pytest.raises((DataError, LanguageModelError), match="'z'"):
        vt.SequenceClassifier(RING).fit(RING_DATA.X, partial_labels=["z", *[None] * 3_999])


def test_partial_labels_of_another_length_are_refused():
    with pytest.raises(DataError, match=r"one entry for each point.*3 for 4000 points"):
        vt.SequenceClassifier(RING).fit(RING_DATA.X, partial_labels=[None, "a", None])
