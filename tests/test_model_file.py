"""Classifiers as files: every prediction comes back bit for bit; what is not whole is refused."""

from __future__ import annotations

import json
import pickle
import warnings
from pathlib import Path

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

import ventris as vt
from ventris.datasets import make_paper_chain
from ventris.errors import FileFormatError, ParameterError, VentrisWarning
from ventris.label_model.state import lm_to_state
from ventris.storage.persistence import load_state, save_state

CHAIN = make_paper_chain(2, n_samples=3_600, random_state=0)
LETTERS = vt.NgramModel.from_sequences([list("abacabcabbacab" * 20)], order=3)


def fitted(kind):
    """One classifier of each kind that can be saved, and inputs to try it on."""
    lm, X, quick = CHAIN.lm, CHAIN.train.X, {"random_state": 0, "n_init": 8}
    if kind == "symbols":
        codes = np.array([2, 0, 1])[LETTERS.alphabet.encode(list("abacabcabbacab" * 60))]
        lm, X = LETTERS, codes
    parameters = {
        "auto": quick,
        "symbols": quick,
        "float32": quick,
        "full-batch": {"method": "full-batch", "random_state": 0, "n_init": 2, "gamma": 10.0},
        "diagonal": quick | {"features": "diagonal", "fit_intercept": False},
        "NumPy numbers": {"n_init": np.int64(8), "order": np.int64(2), "gamma": np.float64(1.5)},
    }[kind]
    X = X.astype(np.float32) if kind == "float32" else X
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", VentrisWarning)
        return vt.SequenceClassifier(lm, **parameters).fit(X), X


KINDS = ["auto", "symbols", "float32", "full-batch", "diagonal", "NumPy numbers"]


@pytest.fixture(scope="module")
def classifiers():
    return {kind: fitted(kind) for kind in KINDS}


def assert_same(again, clf, X):
    for method in ("predict", "predict_proba", "decision_function", "decode", "decode_proba"):
        np.testing.assert_array_equal(getattr(again, method)(X), getattr(clf, method)(X))
    np.testing.assert_array_equal(again.decode(X, method="viterbi"), clf.decode(X, method="viterbi"))
    assert again.score(X) == clf.score(X) and again.cost(X) == clf.cost(X)
    assert again.report_.to_dict() == clf.report_.to_dict()
    assert again.history_ == clf.history_
    np.testing.assert_array_equal(again.classes_, clf.classes_)
    np.testing.assert_array_equal(again.dual_, clf.dual_)


@pytest.mark.parametrize("kind", KINDS)
def test_a_saved_classifier_comes_back_bit_for_bit(classifiers, kind, tmp_path):
    clf, X = classifiers[kind]
    clf.save(tmp_path / "reader.ventris")
    again = vt.load(tmp_path / "reader.ventris")
    assert_same(again, clf, X)
    free = ("lm", "random_state", "checkpoint", "classifier")
    assert {k: v for k, v in again.get_params().items() if k not in free} == {
        k: v for k, v in clf.get_params().items() if k not in free
    }
    assert again.lm.classes == clf.lm.classes


@pytest.mark.parametrize("kind", KINDS)
def test_pickle_works_for_joblibs_sake(classifiers, kind):
    clf, X = classifiers[kind]
    assert_same(pickle.loads(pickle.dumps(clf)), clf, X)


def test_a_loaded_classifier_can_be_fitted_again(classifiers, tmp_path):
    clf, X = classifiers["auto"]
    clf.save(tmp_path / "a")
    again = vt.load(tmp_path / "a").set_params(random_state=0).fit(X)
    np.testing.assert_array_equal(again.coef_, clf.coef_)


def test_the_names_of_features_are_kept(tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(CHAIN.train.X, columns=["left", "right"])
    vt.SequenceClassifier(CHAIN.lm, random_state=0, n_init=8).fit(frame).save(tmp_path / "a")
    again = vt.load(tmp_path / "a")
    assert again.feature_names_in_.tolist() == ["left", "right"] and len(again.predict(frame)) == len(frame)
    with pytest.raises(ValueError, match="feature names"):
        again.predict(frame.rename(columns={"left": "up"}))


# -------------------------------------------------------------------------------------------- refusals


def test_an_existing_file_can_be_protected(classifiers, tmp_path):
    clf, _ = classifiers["auto"]
    clf.save(tmp_path / "a")
    before = (tmp_path / "a").read_bytes()
    with pytest.raises((FileExistsError, vt.errors.VentrisError)):
        clf.save(tmp_path / "a", force=False)
    assert (tmp_path / "a").read_bytes() == before


def test_nothing_fitted_nothing_saved(tmp_path):
    from sklearn.exceptions import NotFittedError

    with pytest.raises(NotFittedError):
        vt.SequenceClassifier(CHAIN.lm).save(tmp_path / "a")
    assert not (tmp_path / "a").exists()


def test_a_foreign_classifier_is_refused(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", VentrisWarning)
        clf = vt.SequenceClassifier(
            CHAIN.lm, random_state=0, n_init=8, classifier=DecisionTreeClassifier(max_depth=3)
        ).fit(CHAIN.train.X)
    with pytest.raises(ParameterError, match=r"ScikitLearner, whose inside.*joblib"):
        clf.save(tmp_path / "a")
    assert not (tmp_path / "a").exists()


@pytest.fixture
def file(classifiers, tmp_path):
    classifiers["auto"][0].save(tmp_path / "reader.ventris")
    return tmp_path / "reader.ventris"


@pytest.mark.parametrize("share", [0.0, 0.001, 0.3, 0.9, 0.999])
def test_a_truncated_file_is_refused(file, share):
    content = file.read_bytes()
    file.write_bytes(content[: int(share * len(content))])
    with pytest.raises(FileFormatError):
        vt.load(file)


def test_a_changed_weight_is_noticed(file):
    content = bytearray(file.read_bytes())
    content[-3] ^= 1
    file.write_bytes(bytes(content))
    with pytest.raises(FileFormatError, match="checksum"):
        vt.load(file)


def test_an_edited_header_is_noticed(file):
    content = file.read_bytes()
    assert content.count(b"full") >= 1
    file.write_bytes(content.replace(b"auto", b"spdg", 1))
    with pytest.raises(FileFormatError, match="checksum"):
        vt.load(file)


def test_a_future_version_is_refused(file):
    content = file.read_bytes()
    length = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + length])
    header["__metadata__"]["version"] = "2"
    text = json.dumps(header).encode()
    file.write_bytes(len(text).to_bytes(8, "little") + text + content[8 + length :])
    with pytest.raises(FileFormatError, match=r"versions up to 1.*newer Ventris"):
        vt.load(file)


@pytest.mark.parametrize("part", ["parameters", "label_model", "fitted", "report", "feature_names"])
def test_a_whole_file_with_a_part_missing_is_refused(file, part):
    arrays, header = load_state(file)
    del header[part]
    save_state(file, arrays, header)
    with pytest.raises(FileFormatError, match=f"must hold a fitted SequenceClassifier.*{part}"):
        vt.load(file)


@pytest.mark.parametrize("array", ["coef", "intercept", "mask", "usage", "lm.conditional"])
def test_a_whole_file_with_an_array_missing_is_refused(file, array):
    arrays, header = load_state(file)
    del arrays[array]
    save_state(file, arrays, header)
    with pytest.raises(FileFormatError, match="must hold a fitted SequenceClassifier"):
        vt.load(file)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("dual", lambda array: np.full_like(array, np.nan)),
        ("dual", lambda array: -array),
        ("dual", lambda array: array.ravel()[:3]),
        ("usage", lambda array: 0 * array),
    ],
)
def test_arrays_that_no_fit_leaves_are_refused(file, name, change):
    arrays, header = load_state(file)
    arrays[name] = change(arrays[name])
    save_state(file, arrays, header)
    with pytest.raises(FileFormatError, match=name):
        vt.load(file)


@pytest.mark.parametrize(
    ("part", "name", "value"),
    [
        ("fitted", "cost_", "<script>"),
        ("fitted", "history_", "none"),
        ("fitted", "predict", "mine"),
        ("report", "cost", "<b>0</b>"),
        ("report", "warnings", {"a": 1}),
        ("report", "usage", ["<b>"]),
        ("report", "surprise", 1),
    ],
)
def test_what_was_planted_among_the_fields_is_refused(file, part, name, value):
    arrays, header = load_state(file)
    header[part][name] = value
    save_state(file, arrays, header)
    with pytest.raises(FileFormatError, match="must hold a fitted SequenceClassifier"):
        vt.load(file)


def test_an_unknown_parameter_is_refused(file):
    arrays, header = load_state(file)
    header["parameters"]["surprise"] = 1
    save_state(file, arrays, header)
    with pytest.raises(FileFormatError, match="surprise"):
        vt.load(file)


def test_another_kind_of_state_is_refused(tmp_path):
    save_state(tmp_path / "a", {"w": np.ones(3)}, {"kind": "something else"})
    with pytest.raises(FileFormatError, match="must hold a fitted SequenceClassifier"):
        vt.load(tmp_path / "a")


def test_a_missing_file_is_said_to_be_missing(tmp_path):
    with pytest.raises(FileFormatError, match="no such file"):
        vt.load(tmp_path / "nothing")


# ------------------------------------------------------------------------------ label models that moved


@pytest.fixture(scope="module", params=["pairs", "triples"])
def moved(request):
    """A classifier whose label model has moved, and inputs."""
    if request.param == "pairs":
        lm, X = make_paper_chain(7, n_samples=12).lm, CHAIN.train.X
    else:
        lm, X = LETTERS, fitted("symbols")[1]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", VentrisWarning)
        clf = vt.SequenceClassifier(lm, adapt=50.0, n_init=8, random_state=0).fit(X)
    assert clf.lm_ is not clf.lm and clf.lm_.order == lm.order
    return clf, X


def test_a_moved_label_model_comes_back_and_decodes_the_same(moved, tmp_path):
    clf, X = moved
    clf.save(tmp_path / "model")
    again = vt.load(tmp_path / "model")
    assert_same(again, clf, X)
    order = clf.lm.order
    assert again.adapt == 50.0 and again.lm_.classes == clf.lm.classes
    for lm, other in ((again.lm, clf.lm), (again.lm_, clf.lm_)):
        np.testing.assert_array_equal(lm.conditional(order), other.conditional(order))


def test_one_that_stayed_is_the_very_same_after_loading(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", VentrisWarning)
        clf = vt.SequenceClassifier(CHAIN.lm, adapt=False, n_init=8, random_state=0).fit(CHAIN.train.X)
    clf.save(tmp_path / "model")
    again = vt.load(tmp_path / "model")
    assert clf.lm_ is clf.lm and again.lm_ is again.lm
    assert not [name for name in load_state(tmp_path / "model")[0] if name.startswith("adapted.")]


@pytest.mark.parametrize("change", ["classes", "order", "gone"])
def test_a_moved_label_model_that_does_not_belong_is_refused(moved, change, tmp_path):
    clf, _ = moved
    clf.save(tmp_path / "model")
    arrays, header = load_state(tmp_path / "model")
    if change == "gone":
        arrays = {name: array for name, array in arrays.items() if not name.startswith("adapted.")}
    elif change == "classes":
        classes = header["adapted_label_model"]["classes"]
        header["adapted_label_model"]["classes"] = classes[::-1]
    else:
        lower = vt.NgramModel.from_probabilities(clf.lm.joint(1), classes=clf.lm.classes)
        own, header["adapted_label_model"] = lm_to_state(lower)
        arrays |= {f"adapted.{name}": array for name, array in own.items()}
    save_state(tmp_path / "model", arrays, header)
    sentence = "must hold a fitted SequenceClassifier"
    with pytest.raises(FileFormatError, match=sentence if change == "gone" else f"{sentence}.*{change}"):
        vt.load(tmp_path / "model")


# ------------------------------------------------------------------------------ files of earlier versions

EARLIER = Path(__file__).parent / "files_of_0_1_0"  # written by version 0.1.0, before the modules were moved


@pytest.mark.parametrize("name", ["loglinear", "spdg", "table"])
def test_files_of_0_1_0_still_load_and_answer_as_they_did(name):
    told = json.loads((EARLIER / "outputs.json").read_text(encoding="utf-8"))
    points = np.array(told["symbols" if name == "table" else "X"])
    clf = vt.load(EARLIER / f"{name}.ventris")
    np.testing.assert_allclose(clf.predict_proba(points), told[name], rtol=1e-9)
    assert str(clf.report_)
    assert clf.lm_ is clf.lm and clf.adapt == "auto" and clf.n_fits == 2
    assert clf.report_.estimated_error is None and clf.report_.remarks == []


def test_a_table_of_0_1_0_decodes_as_it_did():
    told = json.loads((EARLIER / "outputs.json").read_text(encoding="utf-8"))
    assert vt.load(EARLIER / "table.ventris").decode(np.array(told["symbols"])).tolist() == told["decode"]
