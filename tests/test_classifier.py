"""`SequenceClassifier` as a user meets it: what goes in, what comes out, what is refused, what is doubted."""

from __future__ import annotations

import copy
import pickle
import warnings

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.neural_network import MLPClassifier
from tests.quick_fits import CHAIN, METHODS, QUICK, X, Y, learn
from threadpoolctl import threadpool_limits

import ventris as vt
from ventris import errors, objective
from ventris.datasets import make_gaussian_hmm, random_hmm
from ventris.diagnostics.evidence import shuffled_null
from ventris.diagnostics.thresholds import Thresholds
from ventris.errors import DataError, DataTypeError, LanguageModelError, ParameterError, VentrisWarning
from ventris.inference import chains

LM4, MEANS4 = random_hmm(4, 3, random_state=0)
DATA4 = make_gaussian_hmm(LM4, MEANS4, n_samples=4_000, random_state=1)


@pytest.fixture(scope="module", params=sorted(METHODS))
def clf(request):
    return learn(method=request.param, **METHODS[request.param])


@pytest.fixture(scope="module")
def auto():
    return learn()


# -------------------------------------------------------------------------------- what it learns


def test_every_method_reads_the_papers_chain_without_labels(clf):
    assert np.mean(clf.predict(CHAIN.test.X) != CHAIN.test.y) < 0.06
    assert np.mean(clf.decode(CHAIN.test.X) != CHAIN.test.y) < 0.06


def test_a_right_fit_raises_no_doubt():
    clf = vt.SequenceClassifier(LM4, **QUICK).fit(DATA4.X)  # warnings are errors here
    assert clf.report_.warnings == []
    assert np.mean(clf.predict(DATA4.X) != DATA4.y) < 0.12


def test_learnt_state(clf):
    assert clf.coef_.shape == (2, 2) and clf.intercept_.shape == (2,)
    assert clf.dual_.shape == (2, 2) and (clf.dual_ < 0).all()
    assert clf.classes_.tolist() == [0, 1] and clf.n_features_in_ == 2
    np.testing.assert_allclose(clf.usage_, clf.predict_proba(X).mean(axis=0), rtol=1e-9)
    assert clf.excess_cost_ == pytest.approx(clf.cost_ - CHAIN.lm.entropy(2), rel=1e-9)
    assert isinstance(clf.history_, list) and clf.history_
    assert "J − H" in str(clf.report_)


def test_the_cost_is_j_of_the_outputs(clf):
    """(E1), (E2)."""
    p = clf.predict_proba(X)
    for order, expected in [(1, p.mean(axis=0)), (2, p[:-1].T @ p[1:] / (len(p) - 1))]:
        assert clf.cost(X, order=order) == pytest.approx(
            objective.cost(CHAIN.lm.joint(order), expected), rel=1e-9
        )
    assert clf.cost(X) == pytest.approx(clf.cost_, rel=1e-9)


def test_probabilities_are_the_softmax_of_the_decision_function(clf):
    """(E9): logits are γ(Wx + b)."""
    z = clf.decision_function(X)
    np.testing.assert_allclose(z, clf.gamma * (X @ clf.coef_.T + clf.intercept_), rtol=1e-9, atol=1e-9)
    p = np.exp(z - z.max(axis=1, keepdims=True))
    subnormal = np.finfo(float).tiny  # which the compiled exponential makes zero
    np.testing.assert_allclose(
        clf.predict_proba(X), p / p.sum(axis=1, keepdims=True), rtol=1e-9, atol=subnormal
    )


def test_decoding_is_the_argmax_of_its_probabilities(auto):
    np.testing.assert_array_equal(auto.decode(X), auto.decode_proba(X).argmax(axis=1))
    np.testing.assert_allclose(auto.decode_proba(X).sum(axis=1), 1, rtol=1e-9)
    np.testing.assert_array_equal(auto.decode(X, order=1), auto.decode_proba(X, order=1).argmax(axis=1))


def test_the_score_knows_a_right_classifier_from_a_renamed_one(auto):
    right = auto.score(CHAIN.test.X)
    renamed = learn()
    renamed.learner_.model = renamed.learner_.model.relabelled([1, 0])
    renamed.usage_ = renamed.usage_[::-1]
    assert right > 0 > renamed.score(CHAIN.test.X)


def test_the_score_of_a_constant_classifier_is_zero():
    clf = learn()
    clf.learner_.model = type(clf.learner_.model)(np.zeros((2, 2)), np.array([3.0, 0.0]))
    clf.usage_ = clf.predict_proba(X[:1])[0]
    assert clf.score(X) == pytest.approx(0, abs=1e-12)


def test_faithful_mode_is_the_printed_model():
    clf = learn(
        method="spdg", features="diagonal", fit_intercept=False, gamma=10.0, dual_form="direct", n_init=4,
        max_iter=20_000, primal_lr=1e-3, dual_lr=1e-2,
    )  # fmt: skip
    np.testing.assert_array_equal(clf.intercept_, 0)
    np.testing.assert_array_equal(clf.coef_ * (1 - np.eye(2)), 0)
    assert np.diag(clf.coef_).all() and (clf.dual_ < 0).all()


def test_the_printed_model_is_doubted_where_it_fails():
    """Without an intercept the boundary goes through the origin; the least J is then a wrong answer."""
    clf = vt.SequenceClassifier(
        CHAIN.lm, features="diagonal", fit_intercept=False, method="full-batch", **QUICK
    )
    with pytest.warns(errors.ExcessCostWarning):
        warnings.simplefilter("ignore", VentrisWarning)
        warnings.simplefilter("always", errors.ExcessCostWarning)
        clf.fit(X)


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_the_diagonal_form_stays_diagonal_through_the_route(fit_intercept):
    clf = learn(features="diagonal", fit_intercept=fit_intercept)
    np.testing.assert_array_equal(clf.coef_ * (1 - np.eye(2)), 0)
    assert fit_intercept or not clf.intercept_.any()


def test_diverging_rates_are_noticed_and_the_last_good_state_kept():
    clf = vt.SequenceClassifier(
        CHAIN.lm, method="spdg", primal_lr=1e6, dual_lr=1e4, dual_form="direct", max_iter=1_000, **QUICK
    )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        clf.fit(X)
    assert errors.DivergedWarning in {each.category for each in caught}
    assert np.isfinite(clf.coef_).all() and np.isfinite(clf.predict_proba(X)).all()


# -------------------------------------------------------------------------------- y and random_state


@pytest.mark.parametrize("method", sorted(METHODS))
def test_y_changes_no_bit(method):
    first = learn(method=method, **METHODS[method])
    for y in (Y, 1 - Y, np.array(["?"] * len(X)), "nonsense"):
        again = learn(method=method, fit={"y": y}, **METHODS[method])
        np.testing.assert_array_equal(again.coef_, first.coef_)
        np.testing.assert_array_equal(again.intercept_, first.intercept_)
        if method != "auto":
            break  # one is enough where a fit takes long


@pytest.mark.filterwarnings("ignore::ventris.errors.AmbiguousInputWarning")  # which says just that
def test_the_score_ignores_y(auto):
    assert auto.score(X, Y) == auto.score(X, 1 - Y) == auto.score(X)


@pytest.mark.parametrize("state", [np.random.default_rng, np.random.RandomState])
def test_the_same_random_state_gives_the_same_bits(state):
    first, second, third = (learn(random_state=state(seed)) for seed in (3, 3, 4))
    np.testing.assert_array_equal(first.coef_, second.coef_)
    assert not np.array_equal(first.coef_, third.coef_)
    assert first.report_.to_dict() == second.report_.to_dict()


def test_threads_change_no_prediction():
    pieces = np.array_split(DATA4.X, 20)
    fits = [learn(LM4, pieces, n_jobs=n) for n in (1, 2)]
    np.testing.assert_array_equal(fits[0].coef_, fits[1].coef_)
    for a, b in zip(*(clf.decode(pieces) for clf in fits), strict=True):
        np.testing.assert_array_equal(a, b)


# -------------------------------------------------------------------------------- what goes in and comes out


@pytest.mark.parametrize(
    "method", ["predict", "predict_proba", "decision_function", "decode", "decode_proba"]
)
def test_list_in_list_out_array_in_array_out(auto, method):
    pieces = [X[:7], X[7:8], X[8:60]]
    as_list = getattr(auto, method)(pieces)
    assert isinstance(as_list, list) and [len(part) for part in as_list] == [7, 1, 52]
    as_array = getattr(auto, method)(X[:60], lengths=[7, 1, 52])
    assert isinstance(as_array, np.ndarray)
    np.testing.assert_array_equal(np.concatenate(as_list), as_array)
    assert isinstance(getattr(auto, method)([X[:5]]), list)


def test_a_list_and_an_array_with_lengths_teach_the_same():
    pieces = np.array_split(X, 7)
    first = learn(data=pieces)
    second = learn(data=X, fit={"lengths": [len(part) for part in pieces]})
    np.testing.assert_array_equal(first.coef_, second.coef_)


def test_pieces_of_unequal_sequences_are_read_in_their_own_sequence(auto):
    whole = auto.decode_proba(X[:20])
    apart = auto.decode_proba(X[:20], lengths=[10, 10])
    assert np.abs(whole[10] - apart[10]).max() > 0
    np.testing.assert_array_equal(apart[10:], auto.decode_proba(X[10:20]))


def test_predictions_are_the_label_models_own_classes():
    lm = vt.NgramModel.from_transition_matrix(CHAIN.lm.conditional(2), classes=["down", "up"])
    clf = learn(lm)
    assert clf.classes_.tolist() == ["down", "up"]
    assert set(clf.predict(X)) == set(clf.decode(X)) == {"down", "up"}
    assert np.mean(clf.predict(X) != np.array(["down", "up"])[Y]) < 0.06


@pytest.mark.parametrize("method", sorted(METHODS))
def test_single_precision_is_kept(method):
    clf = learn(data=X.astype(np.float32), method=method, **METHODS[method])
    assert clf.predict_proba(X.astype(np.float32)).dtype == np.float32
    assert clf.decode_proba(X.astype(np.float32)).dtype == np.float32
    assert np.mean(clf.predict(X.astype(np.float32)) != Y) < 0.06


def test_a_memory_map_gives_what_the_array_gives(tmp_path, auto):
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    clf = learn(data=mapped)
    np.testing.assert_array_equal(clf.coef_, auto.coef_)
    np.testing.assert_array_equal(clf.predict(mapped), auto.predict(X))


def test_whole_number_features_and_nested_lists_are_features():
    clf = learn(data=np.round(100 * X).astype(int))
    assert np.mean(clf.predict(np.round(100 * X).astype(int)) != Y) < 0.06
    assert len(clf.predict([[1, 2], [3, 4]])) == 2


def test_verbose_tells_and_silence_says_nothing(capsys):
    learn(verbose=1)
    said = capsys.readouterr()
    assert "route" in said.err and not said.out
    learn(verbose=0)
    assert capsys.readouterr() == ("", "")


# -------------------------------------------------------------------------------- what is refused

BAD = X.copy()[:50]
REFUSED = {
    "NaN": (np.where(np.arange(100).reshape(50, 2) == 7, np.nan, BAD), "finite numbers.*row 3 holds NaN"),
    "infinity": (np.where(np.arange(100).reshape(50, 2) == 9, np.inf, BAD), "row 4 holds NaN or infinity"),
    "1-D floats": (BAD[:, 0], r"Expected 2D array.*1-D.*reshape\(-1, 1\)"),
    "4-D": (BAD.reshape(5, 5, 2, 2), "2-D, one row a point.*4-D"),
    "no points": (np.zeros((0, 2)), "at least one point"),
    "no features": (np.zeros((5, 0)), "at least one feature"),
    "an empty sequence": (
        [BAD[:10], np.zeros((0, 2))],
        "sequence 1 must hold at least one point.*Leave empty",
    ),
    "unequal widths": ([BAD[:10], BAD[:10, :1]], r"same number of features.*\[1, 2\]"),
    "text": (np.array([["a", "b"], ["c", "d"]]), "must hold numbers"),
    "complex": (BAD * 1j, "real numbers"),
    "negative symbols": (np.array([0, 1, -1]), "numbered from 0"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_inputs_that_cannot_be_used_are_refused_with_a_sentence(name, auto):
    data, sentence = REFUSED[name]
    with pytest.raises((DataError, DataTypeError), match=sentence):
        vt.SequenceClassifier(CHAIN.lm).fit(data)
    with pytest.raises((DataError, DataTypeError), match=sentence):
        auto.predict(data)


@pytest.mark.parametrize("method", ["fit", "predict", "predict_proba", "decode", "score", "cost"])
def test_lengths_that_do_not_add_up_always_raise(auto, method):
    with pytest.raises(DataError, match=r"add up to 60 for 40 points"):
        getattr(auto, method)(X[:40], lengths=[30, 30])
    with pytest.raises(DataError, match=r"carries its own lengths"):
        getattr(auto, method)([X[:40]], lengths=[40])


def test_sequences_shorter_than_the_order_are_read_as_far_as_they_go():
    lm = vt.NgramModel.from_sequences([CHAIN.lm.sample(5_000, 0)], order=3)
    pieces = [X[:1], X[1:3], X[3:]]
    clf = learn(lm, pieces)
    assert [len(part) for part in clf.decode(pieces)] == [1, 2, len(X) - 3]
    assert np.mean(np.concatenate(clf.decode(pieces)) != Y) < 0.06


def test_sequences_all_shorter_than_a_pair_are_refused():
    with pytest.raises(DataError, match=r"must hold 2 points.*longest has 1"):
        vt.SequenceClassifier(CHAIN.lm).fit([X[:1], X[1:2]])


def test_other_features_or_another_kind_than_learnt_from_are_refused(auto):
    with pytest.raises(DataError, match=r"X has 3 features, but SequenceClassifier is expecting 2 features"):
        auto.predict(np.zeros((4, 3)))
    with pytest.raises(DataError, match=r"symbols \(1-D integers\) and the other features"):
        auto.predict(np.array([0, 1]))


def test_before_fit_nothing_is_predicted():
    for method in ("predict", "predict_proba", "decode", "score", "cost"):
        with pytest.raises(NotFittedError):
            getattr(vt.SequenceClassifier(CHAIN.lm), method)(X)


@pytest.mark.parametrize(
    "parameters",
    [
        {"method": "magic"},
        {"gamma": 0},
        {"n_init": 0},
        {"features": 3},
        {"validation_fraction": 0.7},
        {"adapt": "always"},
        {"adapt": 0},
        {"adapt": -300.0},
        {"adapt": np.inf},
        {"adapt": np.nan},
        {"adapt": None},
        {"n_fits": 0},
        {"n_fits": 3},
        {"n_fits": 1.5},
        {"n_fits": None},
    ],
)
def test_parameters_outside_their_domain_are_refused(parameters):
    with pytest.raises(ValueError, match=next(iter(parameters))):
        vt.SequenceClassifier(CHAIN.lm, **parameters).fit(X)


def test_unknown_orders_and_decoders_are_refused(auto):
    with pytest.raises(LanguageModelError, match="between 1 and the label model's 2"):
        auto.decode(X, order=3)
    with pytest.raises(ParameterError, match="'posterior' or 'viterbi'"):
        auto.decode(X, method="guess")


# -------------------------------------------------------------------------------- a label model that moves

TRUE = LM4.conditional(2)
NOISY = make_gaussian_hmm(LM4, 0.7 * MEANS4, n_samples=9_000, random_state=100)
OFF = vt.NgramModel.from_transition_matrix(0.6 * TRUE + 0.4 * np.roll(TRUE, 1, axis=1), classes="abcd")


def moving(adapt, lm=OFF, **parameters):
    return learn(lm, NOISY.X, adapt=adapt, n_init=16, **parameters)


def errors_of(clf):
    """Wrong labels, each point alone and in its sequence."""
    y = clf.classes_[NOISY.y]
    return np.mean(clf.predict(NOISY.X) != y), np.mean(clf.decode(NOISY.X) != y)


@pytest.fixture(scope="module")
def moved():
    return moving("auto")


def test_a_wrong_label_model_moves_and_decoding_gains_by_it(moved):
    stays = moving(False)
    assert stays.lm_ is stays.lm is OFF and stays.report_.adapted == {}
    assert moved.lm is OFF and moved.lm_ is not OFF and moved.lm_.classes == OFF.classes
    assert np.abs(moved.lm_.conditional(2) - TRUE).max() < np.abs(OFF.conditional(2) - TRUE).max() / 2
    right = moving(False, lm=vt.NgramModel.from_transition_matrix(TRUE, classes="abcd"))
    wrong, adapted, best = (errors_of(clf)[1] for clf in (stays, moved, right))
    assert wrong - adapted > 0.6 * (wrong - best) > 0


def test_the_report_says_which_pairs_moved(moved):
    told = moved.report_.adapted
    assert told["gain"] >= 5 and told["pseudo_counts"] > 0 and told["moved"]
    given, found, places = OFF.conditional(2), moved.lm_.conditional(2), OFF.alphabet.encode
    for first, second, factor in told["moved"]:
        pair = (*places([first]), *places([second]))
        assert factor == pytest.approx(found[pair] / given[pair], rel=1e-6)
        assert f"{second!r} follows {first!r} {factor:.2g} times as often as you said" in str(moved.report_)
    assert "LabelModelMismatchWarning" in dict(moved.report_.warnings)


def test_scores_costs_and_nulls_are_those_of_the_moved_label_model(moved):
    given = copy.copy(moved)
    given.lm_ = OFF
    assert moved.score(NOISY.X) > given.score(NOISY.X)
    assert moved.cost(NOISY.X) == moved.cost_ != given.cost(NOISY.X)
    null = moved.report_.shuffled_null(NOISY.X, n_shuffles=1, random_state=0)
    assert null.score == pytest.approx(moved.report_.score)


def test_a_right_label_model_is_left_as_it_is():
    clf = learn(LM4, NOISY.X)
    assert clf.lm_ is clf.lm is LM4 and clf.report_.adapted == {}


def test_a_mere_guess_moves_as_far_as_it_is_told_to():
    free, stiff = moving(True), moving(1e6)
    distances = [np.abs(clf.lm_.conditional(2) - OFF.conditional(2)).max() for clf in (free, stiff)]
    assert distances[0] > 0.05 > 0.02 > distances[1] > 0
    assert stiff.report_.adapted["pseudo_counts"] == 1e6


@pytest.mark.parametrize(
    ("plain", "of_numpy"), [(True, np.True_), (False, np.False_), (300.0, np.int64(300))]
)
def test_what_numpy_calls_true_is_no_number(plain, of_numpy):
    one, other = (learn(adapt=adapt, data=X[:1_500]) for adapt in (plain, of_numpy))
    np.testing.assert_array_equal(one.lm_.conditional(2), other.lm_.conditional(2))
    assert [row["step"] for row in one.history_] == [row["step"] for row in other.history_]


def test_solvers_leave_the_label_model_alone():
    clf = learn(method="full-batch", n_init=2)
    assert clf.lm_ is clf.lm and clf.report_.estimated_error is None and clf.report_.in_words() == ""


def test_one_fit_makes_one_search():
    steps = [[row["step"] for row in learn(n_fits=n).history_] for n in (1, 2)]
    assert "again" not in steps[0] and steps[1].count("again") == 1


# -------------------------------------------------------------------------------- the null


def test_the_report_shuffles_time_when_asked(auto):
    """Against the function that `fit` calls, and against data whose time is shuffled to begin with."""
    null = auto.report_.shuffled_null(X, n_shuffles=7, random_state=3)
    assert len(null.null_scores) == 7 and null.is_above
    np.testing.assert_allclose(null.score, auto.report_.null["score"], rtol=1e-12)
    expected = shuffled_null(auto.predict_proba(X), None, CHAIN.lm, 2, np.random.default_rng(3), n_shuffles=7)
    assert null == expected and auto.report_.shuffled_null(X, n_shuffles=7, random_state=3) == null
    shuffled = np.random.default_rng(1).permutation(X)
    null = auto.report_.shuffled_null(shuffled, random_state=3)
    assert not null.is_above and len(null.null_scores) == Thresholds().null_shuffles


def test_the_report_shuffles_inside_each_sequence(auto):
    parts = [X[:1_500], X[1_500:]]
    whole = auto.report_.shuffled_null(X, [1_500, 2_500], random_state=0)
    assert auto.report_.shuffled_null(parts, random_state=0) == whole
    assert whole != auto.report_.shuffled_null(X, random_state=0)


def test_the_reports_null_survives_copies_and_files(auto, tmp_path):
    expected = auto.report_.shuffled_null(X, random_state=0)
    auto.save(tmp_path / "model")
    for again in (pickle.loads(pickle.dumps(auto)), copy.deepcopy(auto), vt.load(tmp_path / "model")):
        assert again.report_ == auto.report_
        assert again.report_.shuffled_null(X, random_state=0) == expected
    copy.copy(auto)
    assert auto.report_._examined is auto  # a copy beside it does not take the report over


def test_a_report_alone_pickles_without_its_classifier(auto):
    alone = pickle.loads(pickle.dumps(auto.report_))
    assert alone == auto.report_ and len(pickle.dumps(alone)) < 10_000
    with pytest.raises(ParameterError, match=r"classifier.*report_"):
        alone.shuffled_null(X)


@pytest.mark.parametrize("n_shuffles", [0, 1.5, "2"])
def test_a_null_needs_a_shuffle(auto, n_shuffles):
    with pytest.raises(ParameterError, match="n_shuffles"):
        auto.report_.shuffled_null(X, n_shuffles=n_shuffles)


# -------------------------------------------------------------------------------- threads


def test_decoding_and_scoring_use_the_threads_asked_for_and_give_the_same(auto, monkeypatch):
    expected = auto.decode_proba(X), auto.decode(X, method="viterbi"), auto.score(X)
    used = []

    def watched(walk):
        def walked(chain, spans, task, n_jobs, **results):
            used.append(n_jobs)
            return walk(chain, spans, task, n_jobs, **results)

        return walked

    monkeypatch.setattr(chains, "walk", watched(chains.walk))
    several = copy.deepcopy(auto).set_params(n_jobs=3)
    found = several.decode_proba(X), several.decode(X, method="viterbi"), several.score(X)
    several.decode(X)
    assert set(used) == {3} and len(used) >= 4
    for one, other in zip(expected, found, strict=True):
        np.testing.assert_array_equal(one, other)


# -------------------------------------------------------------------------------- symbols


def test_a_substitution_cipher_is_read():
    key = np.array([2, 0, 3, 1])
    clf = vt.SequenceClassifier(LM4, **QUICK).fit(key[DATA4.y])
    np.testing.assert_array_equal(clf.predict(key), np.arange(4))
    np.testing.assert_array_equal(clf.predict(key[DATA4.y]), DATA4.y)
    assert not hasattr(clf, "coef_")


def test_homophones_and_unknown_symbols_are_read_in_their_sequence():
    rng = np.random.default_rng(3)
    symbols = 2 * np.array([2, 0, 3, 1])[DATA4.y] + rng.integers(2, size=4_000)
    clf = vt.SequenceClassifier(LM4, **QUICK).fit([symbols[:1_000], symbols[1_000:]])
    np.testing.assert_array_equal(clf.predict(symbols), DATA4.y)
    # A label that its neighbours all but exclude is theirs to tell: one of 4,000 is as likely as not.
    assert np.sum(np.concatenate(clf.decode([symbols[:1_000], symbols[1_000:]])) != DATA4.y) <= 1
    np.testing.assert_allclose(clf.predict_proba(np.array([99])).sum(), 1, rtol=1e-12)


# -------------------------------------------------------------------------------- any classifier


class Prototypes:
    """A user's own classifier: soft means of each class, and a softmax of the distances to them."""

    def fit(self, X, soft_targets, sample_weight=None):
        share = soft_targets.mean(axis=0)
        self.means_, self.log_share_ = (soft_targets.T @ X) / (len(X) * share[:, None]), np.log(share)
        return self

    def predict_proba(self, X):
        z = self.log_share_ - 0.5 * np.sum((X[:, None] - self.means_) ** 2, axis=2)
        p = np.exp(z - z.max(axis=1, keepdims=True))
        return p / p.sum(axis=1, keepdims=True)


CLASSIFIERS = {
    "own": (Prototypes(), 0.11),
    "boosting": (HistGradientBoostingClassifier(max_iter=20, max_leaf_nodes=8, random_state=0), 0.14),
    "mlp": (MLPClassifier((8,), solver="lbfgs", max_iter=60, tol=1e-2, random_state=0), 0.14),
}


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_any_classifier_can_be_taught(name):
    classifier, bound = CLASSIFIERS[name]
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="lbfgs failed to converge")
        clf = learn(LM4, DATA4.X, classifier=classifier)
        assert np.mean(clf.predict(DATA4.X) != DATA4.y) < bound
        assert not hasattr(clf, "coef_") and clf.decision_function(DATA4.X).shape == (4_000, 4)


def test_what_is_no_classifier_is_refused():
    with pytest.raises(DataTypeError, match="int has not"):
        vt.SequenceClassifier(CHAIN.lm, classifier=3).fit(X)


# -------------------------------------------------------------------------------- doubts


def doubts_of(lm, data, **parameters):
    """Doubts that were voiced, and those that were only remarked upon."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        clf = vt.SequenceClassifier(lm, **QUICK | parameters).fit(data)
    voiced = {each.category for each in caught}
    assert {kind.__name__ for kind in voiced} == {name for name, _ in clf.report_.warnings}
    return voiced, {getattr(errors, name) for name, _ in clf.report_.remarks}


RNG = np.random.default_rng(5)
DOUBTED = {
    # Clusters are plain to see, so the label model moves to labels drawn one by one, which is the truth.
    "shuffled time": (LM4, DATA4.X[RNG.permutation(4_000)], {}, {errors.LabelModelMismatchWarning}),
    "pure noise": (LM4, RNG.standard_normal((4_000, 3)), {}, {errors.ExcessCostWarning}),
    # It moves towards the data, so that J − H of what it became is as it should be.
    "another label model": (
        random_hmm(4, random_state=7)[0], DATA4.X, {}, {errors.LabelModelMismatchWarning}
    ),
    "fewer codes than labels": (LM4, DATA4.X, {"codebook_size": 3}, {errors.FewCodesWarning}),
    "fewer symbols than labels": (LM4, DATA4.y // 2, {}, {errors.FewCodesWarning}),
    "shuffled symbols": (LM4, RNG.permutation(DATA4.y), {}, {errors.ExcessCostWarning}),
    "constant features": (CHAIN.lm, np.ones((2_000, 2)), {}, {errors.NoStructureWarning}),
    "labels without order": (
        vt.NgramModel.from_probabilities([0.3, 0.7]), X, {}, {errors.WeakLabelModelWarning}
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", DOUBTED)
def test_what_cannot_be_right_ends_in_a_named_warning(name):
    """The doubt that names it is there; of how many doubts it is one, and which come first, tables say."""
    lm, data, parameters, expected = DOUBTED[name]
    voiced, remarked = doubts_of(lm, data, **parameters)
    assert voiced and expected <= voiced | remarked


@pytest.mark.parametrize("name", ["another label model", "fewer codes than labels", "constant features"])
def test_what_is_so_whether_or_not_the_answer_is_right_is_voiced(name):
    lm, data, parameters, expected = DOUBTED[name]
    assert expected <= doubts_of(lm, data, **parameters)[0]


def test_few_points_are_told_of():
    """Few may be enough: whether that is a doubt or a remark, the answer as a whole decides."""
    assert errors.TooFewSamplesWarning in set.union(*doubts_of(LM4, DATA4.X[:300]))


def test_a_constant_feature_does_no_harm(auto):
    clf = vt.SequenceClassifier(CHAIN.lm, **QUICK).fit(np.c_[X, np.full(len(X), 5.0)])
    assert np.mean(clf.predict(np.c_[X, np.full(len(X), 5.0)]) != auto.predict(X)) < 0.01


def test_a_notebook_shows_the_diagram_and_once_fitted_the_report():
    import sklearn

    clf = vt.SequenceClassifier(CHAIN.lm, n_init=8, random_state=0)
    unfitted = clf._repr_mimebundle_()["text/html"]
    assert "sk-container" in unfitted and "Ventris report" not in unfitted
    clf.fit(CHAIN.train.X)
    for html in (clf._repr_html_(), clf._repr_mimebundle_()["text/html"]):
        assert "sk-container" in html and clf.report_._repr_html_() in html
    with sklearn.config_context(display="text"):
        assert set(clf._repr_mimebundle_()) == {"text/plain"} and not hasattr(clf, "_repr_html_")
