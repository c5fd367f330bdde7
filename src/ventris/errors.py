"""One tree of errors; every message says what was expected, what came, and what to do."""

from __future__ import annotations


class VentrisError(Exception):
    """Base of every error Ventris raises on purpose.

    Parameters
    ----------
    expected : str
        What was expected.
    got : str
        What came instead.
    remedy : str
        What the user can do about it.

    Examples
    --------
    >>> print(DataError("X must hold numbers", "it holds text", "Encode it first"))
    X must hold numbers, but it holds text. Encode it first.
    """

    def __init__(self, expected: str, got: str, remedy: str) -> None:
        # All three parts go to `args`, so that the error survives pickling between worker processes.
        super().__init__(expected, got, remedy)
        self.expected, self.got, self.remedy = expected, got, remedy

    def __str__(self) -> str:
        return f"{self.expected}, but {self.got}. {self.remedy}."


class DataError(VentrisError, ValueError):
    """Inputs, lengths or labels that cannot be used as they are."""


class DataTypeError(VentrisError, TypeError):
    """An argument of the wrong type."""


class LanguageModelError(VentrisError, ValueError):
    """A label model that is not a distribution over label sequences, or does not fit the data."""


class ParameterError(VentrisError, ValueError):
    """A parameter outside its domain."""


class FileFormatError(VentrisError, ValueError):
    """A file that is damaged, cut short, or not of the format it claims."""


class MissingExtraError(VentrisError, ImportError):
    """A part of Ventris whose optional dependency is not installed."""

    def __init__(self, purpose: str, package: str, extra: str) -> None:
        super().__init__(
            f"{purpose} needs the package {package!r}",
            "it is not installed",
            f"Run: pip install 'ventris[{extra}]'",
        )
        self.args = (purpose, package, extra)


class VentrisWarning(UserWarning):
    """Base of every doubt Ventris voices; each subclass names one and its remedy."""
