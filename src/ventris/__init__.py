"""Sequence classifiers learnt without labels, from a language model of the labels.

>>> import ventris as vt
>>> vt.NgramModel.from_transition_matrix([[0.6, 0.4], [0.9, 0.1]])
NgramModel(order=2, n_classes=2)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ventris import ciphers as ciphers
    from ventris import datasets as datasets
    from ventris import errors as errors
    from ventris import figures as figures
    from ventris.alphabet import Alphabet as Alphabet
    from ventris.ciphers import decipher as decipher
    from ventris.ciphers import encipher as encipher
    from ventris.classifier import SequenceClassifier as SequenceClassifier
    from ventris.classifier import load as load
    from ventris.language_model import NgramModel as NgramModel
    from ventris.learners import ScikitLearner as ScikitLearner
    from ventris.ngrams import NgramTable as NgramTable
    from ventris.sequences import Sequences as Sequences

__version__ = "0.1.0"

# Public names and the module that holds each: nothing is imported before it is asked for, which keeps
# `ventris --help` fast.
_HOME = {
    "Alphabet": "ventris.alphabet",
    "SequenceClassifier": "ventris.classifier",
    "NgramModel": "ventris.language_model",
    "NgramTable": "ventris.ngrams",
    "ScikitLearner": "ventris.learners",
    "Sequences": "ventris.sequences",
    "decipher": "ventris.ciphers",
    "encipher": "ventris.ciphers",
    "load": "ventris.classifier",
}
_MODULES = ("ciphers", "datasets", "errors", "figures")

__all__ = [
    "Alphabet",
    "NgramModel",
    "NgramTable",
    "ScikitLearner",
    "SequenceClassifier",
    "Sequences",
    "ciphers",
    "datasets",
    "decipher",
    "encipher",
    "errors",
    "figures",
    "load",
]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    if name in _MODULES:
        return import_module(f"ventris.{name}")
    raise AttributeError(f"module 'ventris' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
