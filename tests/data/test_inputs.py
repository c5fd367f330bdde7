"""What people hand over: every call that was silently misread, or refused without need, read or refused."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

import ventris as vt
from ventris.data.sequences import Sequences
from ventris.errors import AmbiguousInputWarning, DataError, ParameterError, VentrisWarning

CHAIN = vt.datasets.make_paper_chain(2, n_samples=1200)
X = CHAIN.train.X
LENGTHS = np.array([300, 300, 400])
PARTS = np.split(X, np.cumsum(LENGTHS)[:-1])
ROLLS = vt.datasets.make_casino(3000, n_test=500)
FACES = np.array(["one", "two", "three", "four", "five", "six"])


def fitted(X, lm=CHAIN.lm, **more):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", VentrisWarning)
        warnings.simplefilter("error", AmbiguousInputWarning)
        return vt.SequenceClassifier(lm, n_init=4, random_state=0, n_jobs=1).fit(X, **more)


@pytest.fixture(scope="module")
def plain():
    return fitted(PARTS)


# ------------------------------------------------------------------------------- hmmlearn's calls


@pytest.mark.parametrize("lengths", [LENGTHS, LENGTHS.tolist(), tuple(LENGTHS.tolist()), [1000]])
def test_lengths_by_position_are_refused_with_the_right_call(lengths):
    """hmmlearn's fit(X, lengths): y is ignored here, and the sequences ran together."""
    with pytest.raises(DataError, match=r"Call fit\(X, lengths=lengths\)"):
        fitted(X, y=lengths)


def test_scores_by_position_too(plain):
    with pytest.raises(DataError, match=r"Call score\(X, lengths=lengths\)"):
        plain.score(X, LENGTHS)


def test_a_score_with_labels_says_that_it_is_no_accuracy(plain):
    """scikit-learn's clf.score(X_test, y_test): 0.14 nats would be taken for 14 % right."""
    with pytest.warns(AmbiguousInputWarning, match=r"score is no accuracy and ignores y: it is in nats"):
        told = plain.score(X, CHAIN.train.y)
    assert told == plain.score(X)


@pytest.mark.parametrize("ask", ["predict", "predict_proba", "decode", "decode_proba", "decision_function"])
def test_what_has_no_y_takes_lengths_by_position(plain, ask):
    """hmmlearn's predict(X, lengths) and decode(X, lengths): there is nothing to mistake them for."""
    method = getattr(plain, ask)
    np.testing.assert_array_equal(method(X, LENGTHS), method(X, lengths=LENGTHS))
    assert plain.cost(X, LENGTHS) == plain.cost(X, lengths=LENGTHS)


def test_a_matrix_is_no_label_model_and_the_message_says_how_to_make_one_of_it():
    with pytest.raises(
        ParameterError, match=r"lm must be a label model, but it is a list\. Make one with Ngram"
    ):
        vt.SequenceClassifier([[0.9, 0.1], [0.1, 0.9]]).fit(X)


def test_other_features_than_learnt_from_are_refused_in_one_sentence(plain):
    with pytest.raises(DataError) as refused:
        plain.predict(X[:, :1])
    assert str(refused.value) == (
        "X has 1 features, but SequenceClassifier is expecting 2 features as input. "
        "Pass the features it was fitted on."
    )


def test_two_points_are_doubted_and_no_fault_of_arithmetic():
    """Nothing but doubts may be warned of: with no pair to learn from, zero was divided by zero."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", VentrisWarning)
        clf = vt.SequenceClassifier(ROLLS.lm, n_init=2, random_state=0, n_jobs=1).fit(["six", "one"])
    assert "TooFewSamplesWarning" in dict(clf.report_.warnings)


@pytest.mark.parametrize("y", [CHAIN.train.y, None, np.ones(1000, int), LENGTHS + 1, LENGTHS.astype(float)])
def test_labels_are_still_ignored(plain, y):
    np.testing.assert_array_equal(fitted(X, y=y, lengths=LENGTHS).coef_, plain.coef_)


def test_a_column_of_whole_numbers_says_which_it_took():
    """hmmlearn's symbols are (T, 1): taken as one number without a word."""
    column = ROLLS.train.X[:, None]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", VentrisWarning)
        warnings.simplefilter("always", AmbiguousInputWarning)
        with pytest.warns(AmbiguousInputWarning, match=r"as one numeric feature.*X\.ravel\(\)"):
            clf = vt.SequenceClassifier(ROLLS.lm, n_init=4, random_state=0).fit(column)
    assert not clf.symbolic_
    assert "as one numeric feature" in str(clf.report_)
    assert "one numeric feature" not in str(fitted(column.astype(float), ROLLS.lm).report_)
    assert fitted(column.ravel(), ROLLS.lm).symbolic_


# ---------------------------------------------------------------------------------------- nested lists


def test_nested_whole_numbers_of_one_length_are_refused_with_both_calls():
    """Two sequences of three symbols were taken as two points of three features."""
    with pytest.raises(DataError, match=r"which could be either.*numpy\.array\(X\).*for part in X"):
        Sequences.of([[0, 1, 2], [2, 1, 0]])


def test_nested_whole_numbers_of_several_lengths_are_symbols():
    read = Sequences.of([[0, 1, 2], [2, 1]])
    assert read.is_symbolic and read.lengths.tolist() == [3, 2]


def test_a_fitted_classifier_knows_which_kind_is_meant(plain):
    rolls = fitted(ROLLS.train.X, ROLLS.lm)
    nested = ROLLS.test.X[:20].reshape(4, 5)
    expected = rolls.predict(ROLLS.test.X[:20])
    np.testing.assert_array_equal(np.concatenate(rolls.predict(nested.tolist())), expected)
    assert plain.predict([[0, 1], [1, 2]]).shape == (2,)


def test_nested_floats_stay_a_table():
    assert Sequences.of([[0.5, 1.0], [1.0, 0.0]]).data.shape == (2, 2)


def test_tables_in_lists_are_sequences():
    assert Sequences.of([[[0, 1], [1, 0]], [[2, 2]]]).lengths.tolist() == [2, 1]


# ---------------------------------------------------------------------------------- symbols by name


@pytest.mark.parametrize("kind", ["array", "object array", "list", "Series", "lists"])
def test_texts_are_symbols_and_their_names_are_kept(kind, tmp_path):
    texts, expected = FACES[ROLLS.train.X], None
    given = {
        "array": lambda: texts,
        "object array": lambda: texts.astype(object),
        "list": lambda: [texts],
        "Series": lambda: pd.Series(texts),
        "lists": lambda: [texts[:1000].tolist(), texts[1000:].tolist()],
    }[kind]()
    clf = fitted(given, ROLLS.lm)
    assert clf.symbols_ == ("five", "four", "one", "six", "three", "two")
    expected = clf.predict(FACES[:6])
    assert expected.tolist() == ["fair"] * 5 + ["loaded"]
    clf.save(tmp_path / "rolls.ventris")
    again = vt.load(tmp_path / "rolls.ventris")
    assert again.symbols_ == clf.symbols_
    assert again.predict(["six", "one"]).tolist() == ["loaded", "fair"]


def test_texts_are_read_as_numbers_are():
    order = np.argsort(np.argsort(FACES))  # the number of each face, its names sorted
    by_name, by_number = fitted(FACES[ROLLS.train.X], ROLLS.lm), fitted(order[ROLLS.train.X], ROLLS.lm)
    np.testing.assert_array_equal(by_name.decode(FACES[ROLLS.test.X]), by_number.decode(order[ROLLS.test.X]))


def test_a_symbol_never_fitted_on_is_refused_by_name():
    clf = fitted(FACES[ROLLS.train.X], ROLLS.lm)
    with pytest.raises(DataError, match="among the 6 that were fitted on, but 'seven' is not"):
        clf.predict(["six", "seven"])
    by_number = fitted(ROLLS.train.X, ROLLS.lm)
    with pytest.raises(DataError, match=r"must hold symbols as numbers.*'six' for example"):
        by_number.predict(["six"])


def test_one_text_is_its_characters_and_many_texts_are_words():
    assert Sequences.of("ACCA").symbols == ("A", "C")
    words = Sequences.of(["the", "cat", "the"])
    assert words.symbols == ("cat", "the") and words.is_ambiguous
    assert "for sequences of characters" in words.notes[0]


# --------------------------------------------------------------------------------- other containers


def test_a_generator_of_sequences(plain):
    np.testing.assert_array_equal(fitted(part for part in PARTS).coef_, plain.coef_)


def test_a_dictionary_of_sequences_comes_back_as_one(plain):
    named = dict(zip("abc", PARTS, strict=True))
    np.testing.assert_array_equal(fitted(named).coef_, plain.coef_)
    found = plain.predict(named)
    assert list(found) == ["a", "b", "c"]
    np.testing.assert_array_equal(found["b"], plain.predict(PARTS)[1])


def test_known_labels_of_a_dictionary_go_by_name():
    named = dict(zip("abc", PARTS, strict=True))
    by_name = fitted(named, partial_labels={"b": CHAIN.train.y[300:600]})
    by_place = fitted(PARTS, partial_labels=[None, CHAIN.train.y[300:600], None])
    np.testing.assert_array_equal(by_name.coef_, by_place.coef_)


@pytest.mark.parametrize("kind", ["list", "dictionary"])
def test_frames_among_sequences_keep_the_names_of_their_columns(plain, kind):
    """Columns in another order were read as they stood; a dictionary of frames was said to have no names."""
    frames = {name: pd.DataFrame(part, columns=["a", "b"]) for name, part in zip("xyz", PARTS, strict=True)}
    turned = {name: frame[["b", "a"]] for name, frame in frames.items()}
    given, other = (
        (frames, turned) if kind == "dictionary" else (list(frames.values()), list(turned.values()))
    )
    clf = fitted(given)
    np.testing.assert_allclose(clf.coef_, plain.coef_, rtol=1e-9)  # columns first in memory
    assert clf.feature_names_in_.tolist() == ["a", "b"]
    assert len(clf.predict(given)) == 3
    with pytest.raises(DataError, match="Columns must be named by text, and be those that were fitted on"):
        clf.predict(other)
    with pytest.raises(DataError, match="be those that were fitted on"):
        fitted([frames["x"], turned["y"]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", VentrisWarning)
        assert not hasattr(clf.fit(PARTS), "feature_names_in_")


@pytest.mark.parametrize(
    ("wrong", "says"),
    [({}, "it is empty"), ({"a": 1.0}, "'a' holds a float"), ({"x": [0.5, 1.0]}, "columns of numbers")],
)
def test_dictionaries_of_something_else_are_refused(wrong, says):
    with pytest.raises(DataError, match=says):
        Sequences.of(wrong)


@pytest.mark.parametrize("kind", ["Series", "object array"])
def test_a_column_of_arrays(plain, kind):
    column = np.empty(3, dtype=object)
    column[:] = PARTS
    np.testing.assert_array_equal(
        fitted(pd.Series(column) if kind == "Series" else column).coef_, plain.coef_
    )


def test_an_array_of_three_axes_is_so_many_sequences_and_the_report_says_so():
    stack = X.reshape(10, 100, 2)
    clf = fitted(stack)
    np.testing.assert_array_equal(clf.coef_, fitted(list(stack)).coef_)
    assert "10 sequences of 100 points each" in str(clf.report_)
    assert clf.predict(stack).shape == (10, 100) and clf.decode_proba(stack).shape == (10, 100, 2)
    with pytest.raises(DataError, match="holds S sequences of T points each, but lengths was given"):
        fitted(stack, lengths=[1000])


def test_polars_frames_and_columns(plain):
    pl = pytest.importorskip("polars", reason="polars is not installed")
    frame = pl.DataFrame({"a": X[:, 0], "b": X[:, 1]})
    clf = fitted(frame, lengths=LENGTHS)
    np.testing.assert_allclose(clf.coef_, plain.coef_, rtol=1e-9)  # columns first in memory
    assert clf.feature_names_in_.tolist() == ["a", "b"]
    with pytest.raises(DataError, match="Columns must be named"):
        clf.predict(frame.select("b", "a"))
    letters = Sequences.of(pl.Series(["a", "b", "a"]))
    assert letters.symbols == ("a", "b")


def test_torch_tensors(plain):
    torch = pytest.importorskip("torch", reason="torch is not installed")
    tensor = torch.tensor(X, requires_grad=True)
    np.testing.assert_array_equal(fitted(tensor, lengths=LENGTHS).coef_, plain.coef_)
    np.testing.assert_array_equal(fitted([torch.tensor(part) for part in PARTS]).coef_, plain.coef_)
    assert Sequences.of(torch.tensor([0, 1, 1])).is_symbolic


# ------------------------------------------------------------------------------------------- groups


def test_groups_say_whose_point_it_is(plain):
    groups = np.repeat(["a", "b", "c"], LENGTHS)
    np.testing.assert_array_equal(fitted(X, groups=groups).coef_, plain.coef_)
    np.testing.assert_array_equal(plain.decode(X, groups=groups), np.concatenate(plain.decode(PARTS)))
    assert plain.score(X, groups=groups) == pytest.approx(plain.score(PARTS))


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"groups": [0, 1, 0]}, "must stand together, but 0 is there again"),
        ({"groups": [0, 1]}, "name the sequence of each of the 3 points"),
        ({"groups": [0, 0, 1], "lengths": [2, 1]}, "both were given"),
    ],
)
def test_groups_that_do_not_fit_are_refused(more, says):
    with pytest.raises(DataError, match=says):
        Sequences.of(np.zeros((3, 1)), **more)
