"""Torch and skorch are an extra: whoever asks for a network without them is told what to install."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ventris.errors import MissingExtraError

_PACKAGES = ("torch", "skorch")


@contextmanager
def asked_for(purpose: str) -> Iterator[None]:
    """Turn a missing package of the extra into a sentence.

    Raises
    ------
    MissingExtraError
        Where torch or skorch is not installed.
    """
    try:
        yield
    except ModuleNotFoundError as problem:
        if problem.name not in _PACKAGES:  # a fault of another kind stays what it is
            raise
        raise MissingExtraError(purpose, str(problem.name), "torch") from None
