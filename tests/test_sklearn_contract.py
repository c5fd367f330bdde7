"""scikit-learn's own battery of checks, in full, on the default estimator."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.utils.estimator_checks import parametrize_with_checks

import ventris as vt
from ventris.errors import DataError, VentrisWarning

LM = vt.NgramModel.from_transition_matrix([[0.6, 0.4], [0.9, 0.1]])


@parametrize_with_checks([vt.SequenceClassifier(LM)])
def test_contract(estimator, check):
    with warnings.catch_warnings():
        # The checks' tiny random data deserve every doubt there is; they are not the point here.
        warnings.simplefilter("ignore", VentrisWarning)
        check(estimator)


CHAIN = vt.datasets.make_paper_chain(2, n_samples=3_600, random_state=0)
PIECES = np.array_split(CHAIN.train.X, 12)


def test_a_clone_has_the_parameters_and_nothing_learnt():
    clf = vt.SequenceClassifier(CHAIN.lm, n_init=8, random_state=0, gamma=2.0).fit(CHAIN.train.X)
    copy = clone(clf)
    assert not hasattr(copy, "coef_")
    assert copy.lm.classes == clf.lm.classes
    assert {k: v for k, v in copy.get_params().items() if k != "lm"} == {
        k: v for k, v in clf.get_params().items() if k != "lm"
    }
    np.testing.assert_array_equal(copy.fit(CHAIN.train.X).coef_, clf.coef_)


def test_grid_search_over_a_list_of_sequences():
    grid = {"codebook_size": [2, 24], "fit_intercept": [True, False]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", VentrisWarning)
        search = GridSearchCV(
            vt.SequenceClassifier(CHAIN.lm, n_init=8, random_state=0), grid, cv=3, error_score="raise"
        ).fit(PIECES)
    assert search.best_params_["fit_intercept"] is True  # the printed model cannot read this chain
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    predictions = search.predict(PIECES)
    assert isinstance(predictions, list)
    assert np.mean(np.concatenate(predictions) != CHAIN.train.y) < 0.06


def test_labels_given_to_a_grid_search_cannot_leak():
    estimator = vt.SequenceClassifier(CHAIN.lm, n_init=8, random_state=0)
    searches = []
    for y in (None, [part.mean() for part in np.array_split(CHAIN.train.y, 12)]):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", VentrisWarning)
            searches.append(GridSearchCV(estimator, {"refine": [True]}, cv=KFold(2)).fit(PIECES, y))
    np.testing.assert_array_equal(*(search.best_estimator_.coef_ for search in searches))


def test_lengths_that_no_longer_add_up_raise_inside_a_grid_search():
    """hmmlearn's lengths are silently wrong there: folds of the points, lengths of the whole."""
    search = GridSearchCV(
        vt.SequenceClassifier(CHAIN.lm, n_init=8, random_state=0), {"n_init": [8]}, cv=2, error_score="raise"
    )
    with pytest.raises(DataError, match="lengths must add up"):
        search.fit(CHAIN.train.X, lengths=[1_500, 1_500])
