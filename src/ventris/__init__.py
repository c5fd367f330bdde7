"""Sequence classifiers learnt without labels, from a language model of the labels.

>>> import ventris as vt
>>> vt.NgramModel.from_transition_matrix([[0.6, 0.4], [0.9, 0.1]])
NgramModel(order=2, n_classes=2)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ventris import callbacks as callbacks
    from ventris import ciphers as ciphers
    from ventris import datasets as datasets
    from ventris import errors as errors
    from ventris import figures as figures
    from ventris.ciphers import decipher as decipher
    from ventris.ciphers import encipher as encipher
    from ventris.classifier import SequenceClassifier as SequenceClassifier
    from ventris.classifier import load as load
    from ventris.classifiers.scikit import ScikitLearner as ScikitLearner
    from ventris.data.alphabet import Alphabet as Alphabet
    from ventris.data.ngrams import NgramTable as NgramTable
    from ventris.data.sequences import Sequences as Sequences
    from ventris.diagnostics.doctor import doctor as doctor
    from ventris.label_model.model import NgramModel as NgramModel
    from ventris.solvers.registry import SPDG as SPDG
    from ventris.solvers.registry import FullBatch as FullBatch
    from ventris.spelling.correct import correct as correct
    from ventris.torch.learner import TorchLearner as TorchLearner
    from ventris.versions import show_versions as show_versions

__version__ = "0.1.0"

# Public names and the module that holds each: nothing is imported before it is asked for, which keeps
# `ventris --help` fast.
_HOME = {
    "Alphabet": "ventris.data.alphabet",
    "FullBatch": "ventris.solvers.registry",
    "SequenceClassifier": "ventris.classifier",
    "NgramModel": "ventris.label_model.model",
    "NgramTable": "ventris.data.ngrams",
    "SPDG": "ventris.solvers.registry",
    "ScikitLearner": "ventris.classifiers.scikit",
    "Sequences": "ventris.data.sequences",
    "TorchLearner": "ventris.torch",
    "correct": "ventris.spelling.correct",
    "decipher": "ventris.ciphers",
    "doctor": "ventris.diagnostics.doctor",
    "encipher": "ventris.ciphers",
    "load": "ventris.classifier",
    "show_versions": "ventris.versions",
}
_MODULES = ("callbacks", "ciphers", "datasets", "errors", "figures")

__all__ = [
    "SPDG",
    "Alphabet",
    "FullBatch",
    "NgramModel",
    "NgramTable",
    "ScikitLearner",
    "SequenceClassifier",
    "Sequences",
    "TorchLearner",
    "callbacks",
    "ciphers",
    "correct",
    "datasets",
    "decipher",
    "doctor",
    "encipher",
    "errors",
    "figures",
    "load",
    "show_versions",
]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    if name in _MODULES:
        return import_module(f"ventris.{name}")
    raise AttributeError(f"module 'ventris' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
