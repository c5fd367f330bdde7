"""`SequenceClassifier(method=vt.SPDG(…))`: settings with their solver, in files and in grid searches too."""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

import ventris as vt
from ventris.cli.fit import Learning
from ventris.errors import FileFormatError, ParameterError
from ventris.solvers.base import Solver
from ventris.solvers.registry import SOLVERS, solver_from_state, solver_to_state
from ventris.solvers.spdg import SPDGSettings
from ventris.storage.persistence import load_state, save_state

CHAIN = vt.datasets.make_paper_chain(2, n_samples=3_600, random_state=0)
X = CHAIN.train.X
SAME = [
    (
        {"method": "spdg", "primal_lr": 0.05, "batch_size": 4, "max_iter": 3_000},
        vt.SPDG(primal_lr=0.05, batch_size=4, max_updates=3_000, look_every=300),
    ),
    ({"method": "full-batch", "max_iter": 7, "tol": 1e-4}, vt.FullBatch(max_iter=7, tol=1e-4)),
]


@pytest.mark.parametrize(("parameters", "solver"), SAME, ids=["spdg", "full-batch"])
@pytest.mark.filterwarnings("ignore::ventris.errors.VentrisWarning")
def test_an_object_gives_the_bits_its_name_and_parameters_give(parameters, solver):
    named = vt.SequenceClassifier(CHAIN.lm, n_init=2, random_state=0, **parameters).fit(X)
    given = vt.SequenceClassifier(CHAIN.lm, n_init=2, random_state=0, method=solver).fit(X)
    assert given.coef_.tobytes() == named.coef_.tobytes()
    assert given.dual_.tobytes() == named.dual_.tobytes()
    assert given.history_ == named.history_
    assert given.report_.method == named.report_.method == parameters["method"]


def test_every_default_has_one_home():
    """dual_lr was once 0.05 in three places and 0.01 in the fourth."""
    names = ("primal_lr", "dual_lr", "batch_size", "subsequence_length", "dual_form")
    values = [vt.SPDG(), SPDGSettings(), Learning(), vt.SequenceClassifier(CHAIN.lm)]
    for name in names:
        assert len({getattr(value, name) for value in values}) == 1, name


def test_settings_are_named_set_and_cloned_as_scikit_learn_does():
    solver = vt.SPDG(primal_lr=0.02)
    clf = vt.SequenceClassifier(CHAIN.lm, method=solver)
    assert clf.get_params(deep=True)["method__primal_lr"] == 0.02
    assert "method__primal_lr" not in clf.get_params(deep=False)
    copy = clone(clf).set_params(method__primal_lr=0.5, method__dual_lr=0.1)
    assert (copy.method.primal_lr, copy.method.dual_lr) == (0.5, 0.1)
    assert (solver.primal_lr, solver.dual_lr) == (0.02, vt.SPDG().dual_lr)  # a clone has a solver of its own
    with pytest.raises(ValueError, match="Invalid parameter 'speed'"):
        copy.set_params(method__speed=1)
    assert repr(clf.method) == "SPDG(primal_lr=0.02)"


@pytest.mark.filterwarnings("ignore::ventris.errors.VentrisWarning")
def test_a_grid_search_turns_a_solvers_settings():
    pieces = np.array_split(X, 6)
    clf = vt.SequenceClassifier(CHAIN.lm, method=vt.SPDG(max_updates=4_000), n_init=2, random_state=0)
    search = GridSearchCV(clf, {"method__primal_lr": [1e-9, 0.1]}, cv=2, error_score="raise").fit(pieces)
    assert search.best_params_ == {"method__primal_lr": 0.1}  # at the other rate nothing is learnt
    assert search.best_estimator_.method.max_updates == 4_000
    assert clf.method.primal_lr == vt.SPDG().primal_lr


@pytest.mark.parametrize(
    ("beside", "sentence"),
    [
        ({"primal_lr": 0.3}, "primal_lr=0.3 was given beside it"),
        ({"max_iter": 50, "tol": 0.1}, "max_iter=50, tol=0.1 was given beside it"),
        ({"checkpoint_every": 10}, "checkpoint_every=10"),
    ],
    ids=lambda given: next(iter(given)) if isinstance(given, dict) else "",
)
@pytest.mark.parametrize("solver", [vt.SPDG(), vt.FullBatch()], ids=lambda solver: solver.name)
def test_a_setting_given_twice_is_refused(solver, beside, sentence):
    with pytest.raises(ParameterError, match=sentence):
        vt.SequenceClassifier(CHAIN.lm, method=solver, **beside).fit(X)


@pytest.mark.parametrize(
    "solver",
    [
        vt.SPDG(primal_lr=0.0), vt.SPDG(dual_lr=np.nan), vt.SPDG(decay=-1.0), vt.SPDG(batch_size=2.5),
        vt.SPDG(dual_form="naive"), vt.SPDG(max_updates=0), vt.SPDG(patience=0), vt.FullBatch(max_iter=0),
        vt.FullBatch(tol="small"), SOLVERS["naive-sgd"].__class__(floor=0.0),
    ],
    ids=repr,
)  # fmt: skip
def test_settings_outside_their_domain_are_refused_at_fit(solver):
    with pytest.raises(ParameterError, match="Every setting of a solver must be in its domain"):
        vt.SequenceClassifier(CHAIN.lm, method=solver).fit(X)


def test_what_is_no_solver_is_refused():
    with pytest.raises(ParameterError, match="'method' parameter"):
        vt.SequenceClassifier(CHAIN.lm, method=vt.SPDG).fit(X)


@pytest.mark.parametrize("solver", [vt.SPDG(primal_lr=0.2, max_updates=2_000), vt.FullBatch(max_iter=3)],
                         ids=lambda solver: solver.name)  # fmt: skip
@pytest.mark.filterwarnings("ignore::ventris.errors.VentrisWarning")
class TestFiles:
    def test_a_model_file_keeps_the_solver(self, solver, tmp_path):
        clf = vt.SequenceClassifier(CHAIN.lm, method=solver, n_init=2, random_state=0).fit(X)
        clf.save(tmp_path / "model")
        back = vt.load(tmp_path / "model")
        assert back.method == solver
        assert back.predict_proba(X).tobytes() == clf.predict_proba(X).tobytes()
        again = back.set_params(random_state=0).fit(X)
        assert again.coef_.tobytes() == clf.coef_.tobytes()

    def test_a_file_that_names_an_unknown_solver_or_setting_is_refused(self, solver, tmp_path):
        vt.SequenceClassifier(CHAIN.lm, method=solver, n_init=2, random_state=0).fit(X).save(tmp_path / "a")
        arrays, header = load_state(tmp_path / "a")
        good = header["parameters"]["method"]
        for bad in (
            good | {"solver": "os.system"},
            good | {"settings": {"speed": 1}},
            good | {"settings": {"tol": "small"}},
            {},
        ):
            save_state(
                tmp_path / "b", arrays, header | {"parameters": header["parameters"] | {"method": bad}}
            )
            with pytest.raises(FileFormatError, match="must hold a fitted SequenceClassifier"):
                vt.load(tmp_path / "b")

    def test_a_checkpoint_knows_the_solver_it_was_begun_with(self, solver, tmp_path):
        def fit(method):
            folder = tmp_path / "state"
            return vt.SequenceClassifier(
                CHAIN.lm, method=method, n_init=2, random_state=0, checkpoint=folder
            ).fit(X)

        first, again = fit(solver), fit(clone(solver))
        assert again.coef_.tobytes() == first.coef_.tobytes()
        with pytest.raises(ParameterError, match="method__tol was"):
            fit(clone(solver).set_params(tol=1e-3))


@pytest.mark.parametrize("name", sorted(SOLVERS))
def test_a_state_brings_back_the_solver(name):
    solver = clone(SOLVERS[name]).set_params(tol=np.float64(0.25))
    state = json.loads(json.dumps(solver_to_state(solver)))
    assert solver_from_state(state) == solver
    assert type(solver_from_state(state)) is type(solver)


def test_a_solver_of_ones_own_has_no_name_that_a_file_could_give():
    @dataclass(repr=False)
    class Mine(Solver):
        name = "spdg"

    with pytest.raises(ParameterError, match="this one is a Mine"):
        solver_to_state(Mine())
