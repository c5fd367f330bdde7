"""Sequence classifiers learnt without labels, from a language model of the labels."""

__version__ = "0.1.0"
