"""One tree of errors and one of doubts: what was expected or seen, what came, what to do.

Every doubt is a warning with a name and a remedy, so that `warnings.filterwarnings` can choose among them.
"""

from __future__ import annotations

from typing import ClassVar


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


class UnlikeAnyLanguageError(DataError):
    """A ciphertext that no kind of cipher in any known language explains."""


class InUseError(VentrisError, RuntimeError):
    """A folder in which another process, or another thread of this one, is at work."""


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


class AmbiguousInputWarning(VentrisWarning):
    """Inputs that could be read in two ways: which one was taken, and how to say that the other is meant."""


# ---------------------------------------------------------------------------------------------- doubts


class Doubt(VentrisWarning):
    """A doubt: what was seen, and what can be done about it.

    Examples
    --------
    >>> print(WeakLabelModelWarning("The label before tells 0.001 nats about the next"))
    The label before tells 0.001 nats about the next. Use a label model of higher order or from \
more text, more data, or a few partial_labels.
    """

    remedy: ClassVar[str] = ""

    def __init__(self, seen: str) -> None:
        super().__init__(seen)
        self.seen = seen

    def __str__(self) -> str:
        return f"{self.seen}. {self.remedy}."


class UnidentifiableWarning(Doubt):
    """The label model looks the same after its labels are renamed: no data can tell which name is whose."""

    remedy = "Use a label model of higher order or less symmetry, or name a few points with partial_labels"


class WeakLabelModelWarning(Doubt):
    """The label model says little about how labels follow one another."""

    remedy = "Use a label model of higher order or from more text, more data, or a few partial_labels"


class NonStationaryWarning(Doubt):
    """The labels at the beginning of an n-gram are others than at its end: the table has no long run."""

    remedy = "Check that the oldest label is the first axis; give full-length windows, or from_sequences"


class CloseRunnerUpWarning(Doubt):
    """A different answer fits the label model almost as well as the one chosen."""

    remedy = "Compare both by score on fresh data, give more data, or name a few points with partial_labels"


class CollapsedOutputWarning(Doubt):
    """Some labels are hardly ever predicted although the label model expects them."""

    remedy = "Raise n_init, scale the features, or check that the label model belongs to this data"


class ExcessCostWarning(Doubt):
    """The outputs' n-grams stay far from the label model's."""

    remedy = "Raise n_init or max_iter, use richer features, or check that the label model fits this data"


class LabelModelMismatchWarning(Doubt):
    """The labels follow one another otherwise in the data than the label model says."""

    remedy = (
        "Use a label model from data of the same kind; adapt= says how far it follows these, names rest on it"
    )


class DoubtfulAnswerWarning(Doubt):
    """Fits that look like this one are often wrong."""

    remedy = (
        "Read its remarks, give more points or a surer label model, or name a few points with partial_labels"
    )


class AmbiguousNamesWarning(Doubt):
    """The classes may be right, but some of them could as well have one another's names."""

    remedy = "Name a point or two of each of these labels with partial_labels, or give more data"


class NoStructureWarning(Doubt):
    """The same outputs in shuffled time fit the label model as well: nothing sequential was learnt."""

    remedy = "Check that points are in their order of time, and raise n_init; do not use these predictions"


class NotConvergedWarning(Doubt):
    """The solver was stopped before it had converged."""

    remedy = "Raise max_iter, or scale the features"


class DivergedWarning(Doubt):
    """The solver left the region where it can learn; its last good state is kept."""

    remedy = "Lower primal_lr or dual_lr, or scale the features"


class TooFewSamplesWarning(Doubt):
    """There are too few windows to estimate the n-grams of the outputs."""

    remedy = "Give more points, or lower order"


class FewCodesWarning(Doubt):
    """There are fewer codes than labels, so some labels can have no code of their own."""

    remedy = "Raise codebook_size, give more data, or use a label model with fewer labels"


class NotRecurredWarning(Doubt):
    """Only one start of many led to the best answer, so a better one may have been missed."""

    remedy = "Raise n_init"


class ContradictedLabelsWarning(Doubt):
    """The fit contradicts known labels more often than its own uncertainty explains."""

    remedy = "Check that the known labels and the label model belong to this data, or name a few points more"


class ShortTextWarning(Doubt):
    """The text is too short to have one reading only."""

    remedy = "Compare the alternatives, or give a longer text"


class AmbiguousUnitsWarning(Doubt):
    """It is not clear what the signs of a text are."""

    remedy = "Say how it is to be cut with units='letters', 'signs', 'tokens' or 'grid'"


class DoubtfulReadingWarning(Doubt):
    """A reading of a ciphertext is likely to be wrong."""

    remedy = "Raise effort, give a longer text, a model of the language or what is known of the key"


class NothingCorrectedWarning(Doubt):
    """A text was left as it is: there is too little of it, or it is none in this language."""

    remedy = "Give a longer text, or the language, lm or corpus that it belongs to"
