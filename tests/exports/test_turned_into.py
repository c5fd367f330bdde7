"""A fitted classifier as pictures, as an ONNX file, as an hmmlearn model: each says what we say."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression

import ventris as vt
from ventris.errors import DataError, MissingExtraError, ParameterError
from ventris.exports.hmmlearn import gaussian_hmm

DAYS = vt.datasets.make_weather(1500, n_test=400)
ROLLS = vt.datasets.make_casino(5000, n_test=2000)


@pytest.fixture(scope="module")
def weather():
    return vt.SequenceClassifier(DAYS.lm, random_state=0, n_jobs=1).fit(DAYS.train.X)


@pytest.fixture(scope="module")
def casino():
    return vt.SequenceClassifier(ROLLS.lm, random_state=0, n_jobs=1).fit(ROLLS.train.X)


# -------------------------------------------------------------------------------------- pictures


def test_four_pictures_along_data_and_two_without(weather):
    pytest.importorskip("matplotlib")
    four = weather.plot(DAYS.test.X, y=DAYS.test.y, n_points=50)
    four.canvas.draw()
    assert len(four.axes) == 4 and four.axes[3].get_images()[0].get_array().shape == (3, 50)
    two = weather.plot()
    two.canvas.draw()
    assert [axes.get_title(loc="left") for axes in two.axes] == ["Label usage", "Pairs of neighbours"]


def test_the_pairs_drawn_are_those_of_the_outputs(weather):
    pytest.importorskip("matplotlib")
    dots = weather.plot().axes[1].collections[0].get_offsets()
    outputs = weather.predict_proba(DAYS.train.X)
    found = (outputs[:-1].T @ outputs[1:]) / (len(outputs) - 1)
    np.testing.assert_allclose(dots[:, 1], found.ravel(), rtol=1e-6)
    np.testing.assert_allclose(dots[:, 0], DAYS.lm.joint(2).ravel(), rtol=1e-6)


def test_pictures_of_lists_of_sequences_and_of_symbols(casino):
    pytest.importorskip("matplotlib")
    parts, truth = np.split(ROLLS.test.X, 4), np.split(ROLLS.test.y, 4)
    assert len(casino.plot(parts, y=truth).axes) == 4
    with pytest.raises(DataError, match="y must hold one label for each point of X"):
        casino.plot(parts, y=truth[:2])


def test_an_unfitted_classifier_has_no_pictures():
    with pytest.raises(NotFittedError):
        vt.SequenceClassifier(DAYS.lm).plot()


# ------------------------------------------------------------------------------------------ ONNX


def run(path, X):
    pytest.importorskip("onnx", reason="onnx is not installed")
    runtime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    return runtime.InferenceSession(path).run(["label", "probabilities"], {"X": X})


@pytest.mark.parametrize(("dtype", "atol"), [("float32", 1e-4), ("float64", 1e-12)])
def test_onnx_says_what_predict_says(weather, tmp_path, dtype, atol):
    pytest.importorskip("onnx", reason="onnx is not installed")
    weather.to_onnx(tmp_path / "days.onnx", dtype=dtype)
    labels, probabilities = run(tmp_path / "days.onnx", DAYS.test.X.astype(dtype))
    np.testing.assert_allclose(probabilities, weather.predict_proba(DAYS.test.X), atol=atol)
    sure = np.sort(probabilities, axis=1)[:, -1] > 0.5 + atol
    np.testing.assert_array_equal(labels[sure], weather.predict(DAYS.test.X)[sure])


def test_onnx_of_symbols_knows_the_unknown_one(casino, tmp_path):
    pytest.importorskip("onnx", reason="onnx is not installed")
    casino.to_onnx(tmp_path / "rolls.onnx")
    rolls = np.array([0, 5, 77, 3])
    labels, probabilities = run(tmp_path / "rolls.onnx", rolls)
    np.testing.assert_allclose(probabilities, casino.predict_proba(rolls), atol=1e-6)
    assert labels.tolist() == casino.predict(rolls).tolist()


def test_onnx_keeps_whole_numbers_as_labels(tmp_path):
    pytest.importorskip("onnx", reason="onnx is not installed")
    chain = vt.datasets.make_paper_chain(2, n_samples=3000)
    clf = vt.SequenceClassifier(chain.lm, random_state=0, gamma=3.0, n_jobs=1).fit(chain.train.X)
    clf.to_onnx(tmp_path / "chain.onnx", dtype="float64")
    labels, probabilities = run(tmp_path / "chain.onnx", chain.test.X)
    assert labels.dtype == np.int64
    np.testing.assert_array_equal(labels, clf.predict(chain.test.X))
    np.testing.assert_allclose(probabilities, clf.predict_proba(chain.test.X), atol=1e-12)


def test_onnx_refuses_what_it_cannot_write(weather, tmp_path, monkeypatch):
    own = vt.SequenceClassifier(
        DAYS.lm, classifier=LogisticRegression(max_iter=5000), random_state=0, n_jobs=1
    )
    own.fit((DAYS.train.X - DAYS.train.X.mean(axis=0)) / DAYS.train.X.std(axis=0))
    with pytest.raises(ParameterError, match="to_onnx writes the log-linear classifier"):
        own.to_onnx(tmp_path / "own.onnx")
    with pytest.raises(ParameterError, match="dtype must be 'float32' or 'float64'"):
        weather.to_onnx(tmp_path / "days.onnx", dtype="int8")
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(MissingExtraError, match="needs the package 'onnx'"):
        weather.to_onnx(tmp_path / "days.onnx")
    assert not list(tmp_path.iterdir())


# -------------------------------------------------------------------------------------- hmmlearn


def test_class_means_and_covariance_are_those_of_soft_labels():
    pytest.importorskip("hmmlearn", reason="hmmlearn is not installed")
    rng = np.random.default_rng(0)
    X, q = rng.standard_normal((50, 3)) + 5, rng.dirichlet([1, 1], size=50)
    lm = vt.NgramModel.from_transition_matrix([[0.9, 0.1], [0.3, 0.7]])
    hmm = gaussian_hmm(X, q, lm)
    means = np.stack([np.average(X, axis=0, weights=q[:, c]) for c in (0, 1)])
    within = sum(q[t, c] * np.outer(X[t] - means[c], X[t] - means[c]) for t in range(50) for c in (0, 1))
    np.testing.assert_allclose(hmm.means_, means, rtol=1e-10)
    np.testing.assert_allclose(hmm.covars_[0], within / 50, atol=1e-5)


def test_hmmlearn_reads_what_decode_reads(weather, casino):
    pytest.importorskip("hmmlearn", reason="hmmlearn is not installed")
    gaussian = weather.to_hmmlearn(DAYS.train.X)
    states = gaussian.predict_proba(DAYS.test.X).argmax(axis=1)
    assert np.mean(weather.classes_[states] == weather.decode(DAYS.test.X)) > 0.97
    symbols = casino.to_hmmlearn(ROLLS.train.X)
    states = symbols.predict_proba(ROLLS.test.X[:, None]).argmax(axis=1)
    assert np.mean(casino.classes_[states] == casino.decode(ROLLS.test.X)) > 0.98
    assert symbols.emissionprob_.shape == (2, 6)


def test_the_way_back_is_the_same_label_model(weather):
    pytest.importorskip("hmmlearn", reason="hmmlearn is not installed")
    again = vt.NgramModel.from_hmmlearn(weather.to_hmmlearn(DAYS.train.X), classes=DAYS.lm.classes)
    np.testing.assert_allclose(again.conditional(2), weather.lm_.conditional(2), rtol=1e-9)


def test_without_hmmlearn_a_sentence(weather, monkeypatch):
    monkeypatch.setitem(sys.modules, "hmmlearn", None)
    with pytest.raises(MissingExtraError, match="needs the package 'hmmlearn'"):
        weather.to_hmmlearn(DAYS.train.X)
