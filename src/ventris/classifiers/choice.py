"""Which learner a fit trains, and which a file holds: the only place that knows them all."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from inspect import signature
from typing import Any

from numpy.typing import NDArray

from ventris.classifiers.base import Learner
from ventris.classifiers.loglinear import Coordinates
from ventris.classifiers.loglinear_learner import LogLinearLearner
from ventris.classifiers.own import OwnLearner
from ventris.classifiers.scikit import ScikitLearner
from ventris.classifiers.settings import DEFAULT, LearnerSettings
from ventris.classifiers.table import TableLearner
from ventris.errors import FileFormatError, ParameterError

NETWORKS = ("mlp", "cnn", "tcn")  # presets of `ventris.torch`, by name
_TORCH = "torch"  # the kind of learner whose home is there: an extra, fetched only when asked for


def learner_of(
    classifier: Any,
    units: Callable[[], Coordinates],
    random_state: int = 0,
    n_symbols: int | None = None,
    settings: LearnerSettings = DEFAULT,
) -> Learner:
    """A table for symbols, the user's own classifier, or the log-linear model.

    Parameters
    ----------
    classifier : object, optional
        What the user gave.
    units : callable
        The units of the log-linear model's weights, where it is the log-linear model.
    random_state : int
        Of a scikit-learn classifier's targets.
    n_symbols : int, optional
        For symbols: how many there are.
    settings : LearnerSettings
        Of the log-linear model.
    """
    if n_symbols is not None:
        if classifier is not None:
            raise ParameterError(
                "Symbols are read with a table",
                f"classifier={classifier!r} was given",
                "Drop classifier, or turn the symbols into features",
            )
        return TableLearner(n_symbols)
    if classifier is None:
        return LogLinearLearner(units(), settings=settings)
    if isinstance(classifier, str):
        return _network(classifier, random_state)
    if _takes_soft_targets(classifier):
        return _own(classifier)
    return ScikitLearner(classifier, random_state=random_state)


def _network(name: str, random_state: int) -> Learner:
    if name not in NETWORKS:
        raise ParameterError(
            "classifier must be an object, or one of " + ", ".join(map(repr, NETWORKS)),
            f"it is {name!r}",
            "Choose one of them, or give an object with fit and predict_proba",
        )
    learner: Learner = import_module("ventris.torch").TorchLearner(name, random_state=random_state)
    return learner


def _own(classifier: Any) -> Learner:
    from sklearn.base import clone

    own = clone(classifier, safe=False)
    return own if isinstance(own, Learner) else OwnLearner(own)


def _takes_soft_targets(classifier: Any) -> bool:
    fit = getattr(classifier, "fit", None)
    return callable(fit) and "soft_targets" in signature(fit).parameters


def learner_from_state(
    kind: str,
    arrays: dict[str, NDArray],
    meta: dict[str, Any],
    *,
    fit_intercept: bool,
    gamma: float,
    classifier: Any = None,
    module: Any = None,
) -> Learner:
    """The learner that `get_state` took apart; a user's own is taken up by the one given.

    `module` is the class, or an instance, of a user's own network.

    Raises
    ------
    FileFormatError
        For a user's own classifier that is not given.
    """
    learner: Learner
    if kind == LogLinearLearner.kind:
        mask, _ = arrays["mask"].astype(bool), arrays["coef"]  # a file without weights is no classifier
        learner = LogLinearLearner(
            Coordinates(arrays["centre"], arrays["spread"], mask, fit_intercept, gamma)
        )
    elif kind == TableLearner.kind:
        learner = TableLearner(len(arrays["table"]))
    elif kind == _TORCH and classifier is None:
        learner = import_module("ventris.torch").TorchLearner.for_state(meta, module)
    else:
        learner = _given(kind, classifier)
    learner.set_state(arrays, meta)
    return learner


def _given(kind: str, classifier: Any) -> Learner:
    if classifier is None or not _takes_soft_targets(classifier):
        raise FileFormatError(
            "A model of one's own classifier is loaded into such a classifier",
            f"the file holds the state of one ({kind}) and none was given",
            "Call ventris.load(path, classifier=…) with an object of the same class and settings",
        )
    return _own(classifier)
