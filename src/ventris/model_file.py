"""A fitted `SequenceClassifier` as one file, and back; the format itself is `persistence`'s."""

from __future__ import annotations

import os
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ventris.classifiers.base import Capability, Learner
from ventris.classifiers.choice import learner_from_state
from ventris.diagnostics.report import Report
from ventris.errors import FileFormatError, MissingExtraError, ParameterError
from ventris.label_model.model import NgramModel
from ventris.label_model.state import lm_from_state, lm_to_state
from ventris.storage.persistence import load_state, save_state

if TYPE_CHECKING:
    from ventris.classifier import SequenceClassifier

_SCALARS = ("order_", "n_features_in_", "symbolic_", "cost_", "excess_cost_", "history_")
_OURS = ("log-linear", "table")
_ADAPTED = "adapted."  # marks the arrays of the label model after adapting
_OWN = "own."  # marks the arrays of a user's own classifier
# Parameters that files of earlier versions hold and the classifier no longer has: in 0.1.0 "auto" could also
# descend on the divergence the other way round, which changed no answer.
_GONE = {"divergence"}
_ROUNDING = 1e-3  # shares of single precision add up to one within this
_KINDS: dict[str, Any] = {
    "int": int, "float": (int, float), "str": str, "dict": dict, "list": list, "tuple": tuple,
}  # fmt: skip
_LARGEST = 1e30  # weights times gamma: beyond, logits of sound points would leave single precision


def save_classifier(
    clf: SequenceClassifier,
    path: str | os.PathLike[str],
    *,
    force: bool = True,
    more: dict[str, Any] | None = None,
) -> None:
    """Write a fitted classifier, its parameters, its label model and its report.

    Parameters
    ----------
    clf : SequenceClassifier
    path : path
    force : bool, default True
        Whether an existing file may be replaced.
    more : dict, optional
        JSON-able values to keep beside; `load_classifier` does not look at them.
    """
    lm_arrays, lm_header = lm_to_state(clf.lm)
    outputs = {"usage": clf.usage_, "dual": np.asarray(clf.dual_)}
    learnt, learner = _learner_state(clf.learner_)
    moved, moved_header = ({}, None) if clf.lm_ is clf.lm else lm_to_state(clf.lm_)
    arrays = lm_arrays | learnt | outputs | {f"{_ADAPTED}{name}": array for name, array in moved.items()}
    left_out = {"lm", "classifier", "checkpoint", "random_state", "callbacks"}
    parameters = {k: _plain(v) for k, v in clf.get_params(deep=False).items() if k not in left_out}
    header = {
        "kind": "SequenceClassifier",
        "parameters": parameters,
        "label_model": lm_header,
        "adapted_label_model": moved_header,
        "learner": learner,
        "fitted": {name: getattr(clf, name) for name in _SCALARS},
        "feature_names": list(getattr(clf, "feature_names_in_", [])),
        "symbols": None if clf.symbols_ is None else list(clf.symbols_),
        "report": clf.report_.to_dict(),
    }
    save_state(path, arrays, header | (more or {}), force=force)


def _plain(value: Any) -> Any:
    """JSON knows Python's numbers, not NumPy's, and solvers by their names."""
    from ventris.solvers.base import Solver  # scikit-learn, which reading data does without
    from ventris.solvers.registry import solver_to_state

    if isinstance(value, Solver):
        return solver_to_state(value)
    return value.item() if isinstance(value, np.generic) else value


def _learner_state(learner: Learner) -> tuple[dict[str, NDArray], dict[str, Any]]:
    """What was learnt; the arrays of a user's own classifier are marked as such, whatever it calls them."""
    if Capability.STATE not in learner.capabilities:
        raise ParameterError(
            "save() writes classifiers that give their state as arrays",
            f"the classifier is a {type(learner).__name__}, whose inside is not ours to write",
            "Keep it with joblib.dump, and load only files you trust",
        )
    arrays, meta = learner.get_state()
    prefix = "" if learner.kind in _OURS else _OWN
    return {f"{prefix}{name}": array for name, array in arrays.items()}, {"kind": learner.kind, "meta": meta}


def load_classifier(
    path: str | os.PathLike[str], kind: type[SequenceClassifier], classifier: Any = None, module: Any = None
) -> SequenceClassifier:
    """The classifier of class `kind` that `save_classifier` wrote.

    `classifier` takes up a user's own, `module` what a user's own network learnt.

    Raises
    ------
    FileFormatError
        For a file that is damaged, of a later version, or of something else.
    """
    arrays, header = load_state(path)
    try:
        lm = lm_from_state(arrays, header["label_model"])
        clf = kind(lm, **_parameters(header["parameters"]))
        clf.lm_ = _adapted(arrays, header.get("adapted_label_model"), lm)
        clf.classifier = classifier
        clf.learner_ = _learner(arrays, header.get("learner"), clf, module)
        clf.classes_, clf.usage_, clf.dual_ = lm.alphabet.array, arrays["usage"], arrays["dual"]
        if planted := set(header["fitted"]) - set(_SCALARS):
            raise ValueError(f"fitted holds {sorted(planted)}, which nothing has learnt")
        for name in _SCALARS:
            setattr(clf, name, header["fitted"][name])
        clf.symbols_ = _symbols(header.get("symbols"))  # a file of 0.1.0 has none
        if header["feature_names"]:
            clf.feature_names_in_ = np.array(header["feature_names"], dtype=object)
        clf.report_ = Report.from_dict(header["report"])
        clf.report_.belongs_to(clf)
        _check_fitted(clf, arrays)
    except (FileFormatError, MissingExtraError):
        raise
    except (KeyError, TypeError, AttributeError, IndexError, ValueError) as problem:
        raise FileFormatError(
            f"{os.fspath(path)} must hold a fitted SequenceClassifier",
            f"part of it is missing, damaged or of another kind ({problem!r})",
            "Write it again with save()",
        ) from problem
    if clf.learner_.model is not None:
        clf.coef_, clf.intercept_ = arrays["coef"], arrays["intercept"]
    return clf


def _adapted(arrays: dict[str, NDArray], header: dict[str, Any] | None, lm: NgramModel) -> NgramModel:
    """What the label model became; itself where nothing moved, as in files of 0.1.0."""
    if header is None:
        return lm
    own = {name.removeprefix(_ADAPTED): array for name, array in arrays.items() if name.startswith(_ADAPTED)}
    adapted = lm_from_state(own, header)
    if adapted.alphabet != lm.alphabet or adapted.order != lm.order:
        raise ValueError("the adapted label model has other classes or another order")
    return adapted


def _symbols(saved: Any) -> tuple[str, ...] | None:
    """What symbols were called, if they came as texts."""
    if saved is None:
        return None
    if not isinstance(saved, list) or not all(isinstance(name, str) for name in saved):
        raise ValueError("symbols must be texts")
    if len(set(saved)) < len(saved):
        raise ValueError("a symbol is there twice")
    return tuple(saved)


def _parameters(saved: dict[str, Any]) -> dict[str, Any]:
    """Parameters as they were given: a solver object was kept as its name and settings."""
    from ventris.solvers.registry import solver_from_state  # scikit-learn, which reading data does without

    method = saved["method"]
    given = {name: value for name, value in saved.items() if name not in _GONE}
    return given | {"method": solver_from_state(method) if isinstance(method, dict) else method}


def _check_fitted(clf: SequenceClassifier, arrays: dict[str, NDArray]) -> None:
    """Refuse parts that do not fit together: a file whose checksum is right may still have been edited."""
    clf._validate_params()
    _check_scalars(clf)
    n_classes, n_features = clf.lm.n_classes, clf.n_features_in_
    shapes: dict[str, tuple[int, ...]] = {
        "usage": (n_classes,),
        "coef": (n_classes, n_features),
        "mask": (n_classes, n_features),
        "intercept": (n_classes,),
        "centre": (n_features,),
        "spread": (n_features,),
        "table": (len(arrays.get("table", ())), n_classes),
    }
    for name, shape in shapes.items():
        _check_array(name, arrays, shape)
    if abs(float(arrays["usage"].sum()) - 1) > _ROUNDING:
        raise ValueError("usage must be shares of one whole")
    dual = arrays["dual"]
    if dual.ndim < 1 or set(dual.shape) != {n_classes} or dual.dtype not in (np.float32, np.float64):
        raise ValueError(f"dual must have a number for each n-gram of labels, not shape {dual.shape}")
    if not np.isfinite(dual).all() or np.any(dual >= 0):
        raise ValueError("dual must hold negative numbers")
    for name in {"coef", "intercept"} & set(arrays):
        if arrays[name].size and np.abs(arrays[name]).max() > _LARGEST / abs(clf.gamma):
            raise ValueError(f"{name} times gamma must stay below {_LARGEST:g}")
    names = getattr(clf, "feature_names_in_", [])
    if len(names) not in (0, n_features) or not all(isinstance(name, str) for name in names):
        raise ValueError(f"feature_names must be {n_features} texts")
    if not (type(clf.order_) is int and 1 <= clf.order_ <= clf.lm.order):
        raise ValueError(f"order_ is {clf.order_!r}")


def _check_scalars(clf: SequenceClassifier) -> None:
    """Refuse what was planted where numbers belong: a report is shown, and may be shown on a page."""
    whole, real = (int, np.integer), (int, float, np.integer, np.floating)
    for name in ("cost_", "excess_cost_"):
        if not isinstance(getattr(clf, name), real) or isinstance(getattr(clf, name), bool):
            raise ValueError(f"{name} must be a number")
    if not isinstance(clf.n_features_in_, whole) or not isinstance(clf.symbolic_, bool):
        raise ValueError("n_features_in_ must be a whole number, symbolic_ yes or no")
    rows = clf.history_
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise ValueError("history_ must be a list of steps")
    for field in fields(Report):
        value, kind = getattr(clf.report_, field.name), str(field.type)
        right = _KINDS.get(kind.split("[")[0].split(" |")[0])
        if right and value is not None and (not isinstance(value, right) or isinstance(value, bool)):
            raise ValueError(f"the report's {field.name} must be {kind}")


def _check_array(name: str, arrays: dict[str, NDArray], shape: tuple[int, ...]) -> None:
    """Of this shape and finite; what counts or divides is not negative, or not zero."""
    array = arrays.get(name)
    if array is None:
        return
    real = array.dtype == np.uint8 if name == "mask" else array.dtype in (np.float32, np.float64)
    if array.shape != shape or not real or not np.isfinite(array).all():
        raise ValueError(f"{name} must hold {shape} finite numbers, not {array.shape} of {array.dtype}")
    if (name in ("usage", "table") and np.any(array < 0)) or (name == "spread" and np.any(array <= 0)):
        raise ValueError(f"{name} must be positive")


def _learner(
    arrays: dict[str, NDArray], header: dict[str, Any] | None, clf: Any, module: Any = None
) -> Learner:
    if header is None:  # a file of 0.1.0, which knew two kinds
        header = {"kind": "table" if "table" in arrays else "log-linear", "meta": {}}
    if header["kind"] not in _OURS:
        arrays = {name.removeprefix(_OWN): array for name, array in arrays.items() if name.startswith(_OWN)}
    return learner_from_state(
        header["kind"],
        arrays,
        header["meta"],
        fit_intercept=clf.fit_intercept,
        gamma=clf.gamma,
        classifier=clf.classifier,
        module=module,
    )
