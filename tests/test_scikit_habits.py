"""What users of scikit-learn do without thinking: pipelines, routing, displays, frames, notebooks."""

from __future__ import annotations

import sys
import types
import warnings

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.metrics import ConfusionMatrixDisplay
from sklearn.model_selection import GroupKFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import ventris as vt
from ventris.errors import DataError, MissingExtraError, ParameterError, VentrisWarning
from ventris.progress import Progress

DAYS = vt.datasets.make_weather(1200, n_test=300)
LENGTHS = np.array([300] * 4)
GROUPS = np.repeat(np.arange(4), LENGTHS)


@pytest.fixture(scope="module")
def clf():
    return vt.SequenceClassifier(DAYS.lm, random_state=0, n_jobs=1).fit(DAYS.train.X)


def test_decode_behind_a_pipeline():
    pipe = make_pipeline(StandardScaler(), vt.SequenceClassifier(DAYS.lm, random_state=0, n_jobs=1))
    pipe.fit(DAYS.train.X)
    decoded = pipe[-1].decode(pipe[:-1].transform(DAYS.test.X))
    assert np.mean(decoded != DAYS.test.y) < 0.1
    assert np.mean(pipe.predict(DAYS.test.X) != DAYS.test.y) < 0.1


def test_lengths_reach_a_pipelines_last_step():
    pipe = make_pipeline(StandardScaler(), vt.SequenceClassifier(DAYS.lm, random_state=0, n_jobs=1))
    with sklearn.config_context(enable_metadata_routing=True):
        pipe[-1].set_fit_request(lengths=True)
        pipe.fit(DAYS.train.X, lengths=LENGTHS)
    assert pipe[-1].report_.n_sequences == 4


def test_groups_are_cut_along_with_the_points_under_cross_validation():
    with sklearn.config_context(enable_metadata_routing=True), warnings.catch_warnings():
        warnings.simplefilter("ignore", VentrisWarning)
        clf = vt.SequenceClassifier(DAYS.lm, n_init=4, random_state=0, n_jobs=1)
        clf.set_fit_request(groups=True).set_score_request(groups=True)
        found = cross_validate(
            clf, DAYS.train.X, cv=GroupKFold(2), params={"groups": GROUPS}, return_estimator=True,
            error_score="raise", return_indices=True,
        )  # fmt: skip
    assert [each.report_.n_sequences for each in found["estimator"]] == [2, 2]
    for each, test, score in zip(
        found["estimator"], found["indices"]["test"], found["test_score"], strict=True
    ):
        assert score == pytest.approx(each.score(DAYS.train.X[test], groups=GROUPS[test]))


def test_a_list_of_sequences_is_cut_between_them_and_lengths_cannot_be_cut():
    clf = vt.SequenceClassifier(DAYS.lm, n_init=4, n_fits=1, random_state=0, n_jobs=1)
    parts = np.split(DAYS.train.X, 4)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", VentrisWarning)
        found = cross_validate(clf, parts, cv=2, return_estimator=True, error_score="raise")
        assert [each.report_.n_sequences for each in found["estimator"]] == [2, 2]
        with sklearn.config_context(enable_metadata_routing=True):
            clf.set_fit_request(lengths=True).set_score_request(lengths=True)
            with pytest.raises(
                DataError, match=r"under cross-validation groups=.* is cut along with the points"
            ):
                cross_validate(clf, DAYS.train.X, cv=2, params={"lengths": LENGTHS}, error_score="raise")


def test_a_confusion_matrix_from_the_estimator(clf):
    pytest.importorskip("matplotlib")
    from matplotlib.figure import Figure

    display = ConfusionMatrixDisplay.from_estimator(clf, DAYS.test.X, DAYS.test.y, ax=Figure().subplots())
    assert display.confusion_matrix.sum() == 300
    assert display.confusion_matrix.trace() > 270
    assert display.display_labels.tolist() == sorted(DAYS.lm.classes)


def test_not_yet_fitted_it_learns_without_labels_as_a_clusterer_does():
    """A classifier would be expected to make use of y, and cross-validation to sort points by it."""
    from sklearn.base import clone, is_classifier

    fresh = vt.SequenceClassifier(DAYS.lm)
    assert not is_classifier(fresh)
    fitted = vt.SequenceClassifier(DAYS.lm, random_state=0, n_jobs=1).fit(DAYS.train.X)
    assert is_classifier(fitted) and not is_classifier(clone(fitted))


# -------------------------------------------------------------------------------- frames as output


def test_probabilities_as_pandas_frames(clf):
    named = vt.SequenceClassifier(DAYS.lm, random_state=0, n_jobs=1).set_output(transform="pandas")
    dates = pd.date_range("2020-01-01", periods=1200)
    table = pd.DataFrame(DAYS.train.X, columns=["t", "p", "h"], index=dates)
    named.fit(table)
    frame = named.decode_proba(table)
    assert frame.columns.tolist() == list(DAYS.lm.classes) and frame.index.equals(dates)
    np.testing.assert_allclose(frame.to_numpy(), clf.decode_proba(DAYS.train.X), rtol=1e-6)
    parts = named.predict_proba([table[:600], table[600:]])
    assert [len(part) for part in parts] == [600, 600] and parts[1].index[0] == dates[600]
    assert isinstance(named.set_output(transform="default").predict_proba(table), np.ndarray)


def test_probabilities_as_polars_frames(clf):
    pl = pytest.importorskip("polars", reason="polars is not installed")
    frame = clf.set_output(transform="polars").predict_proba(DAYS.test.X)
    clf.set_output(transform="default")
    assert isinstance(frame, pl.DataFrame) and frame.columns == list(DAYS.lm.classes)


def test_other_containers_are_refused(clf, monkeypatch):
    with pytest.raises(ParameterError, match="transform must be one of default, pandas, polars"):
        clf.set_output(transform="xarray")
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(MissingExtraError, match="needs the package 'polars'"):
        clf.set_output(transform="polars").predict_proba(DAYS.test.X)
    clf.set_output(transform="default")


# -------------------------------------------------------------------------------------- notebooks


class Notebook(types.ModuleType):
    """IPython as a kernel has it, which keeps what it is asked to show."""

    def __init__(self):
        super().__init__("IPython")
        self.shown, self.updated = [], []
        self.display = types.ModuleType("IPython.display")
        self.display.HTML = str
        self.display.display = self._display

    def get_ipython(self):
        return types.SimpleNamespace(kernel=object())

    def _display(self, page, display_id):
        self.shown.append(page)
        return types.SimpleNamespace(update=self.updated.append)


def test_a_notebook_gets_one_bar_drawn_in_place(monkeypatch, capsys):
    notebook = Notebook()
    monkeypatch.setitem(sys.modules, "IPython", notebook)
    monkeypatch.setitem(sys.modules, "IPython.display", notebook.display)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", VentrisWarning)
        vt.SequenceClassifier(DAYS.lm, random_state=0, n_jobs=1, verbose=1).fit(DAYS.train.X[:300])
    assert len(notebook.shown) == 1 and "<progress" in notebook.shown[0]
    assert notebook.updated and capsys.readouterr().err == ""
    assert " of " in notebook.updated[-1] and "0 of" not in notebook.updated[-1].split("</progress>")[1]


def test_a_file_asked_for_gets_lines_in_a_notebook_too(monkeypatch, capsys):
    notebook = Notebook()
    monkeypatch.setitem(sys.modules, "IPython", notebook)
    with Progress(1, file=sys.stdout) as progress:
        progress.begin("restarts", total=1)
        progress.advance()
    assert capsys.readouterr().out.startswith("restarts: begun") and not notebook.shown
