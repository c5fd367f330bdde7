"""A label model taken apart into arrays and JSON-able values, and put together again: for files."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ventris.data.alphabet import Alphabet
from ventris.data.ngrams import NgramCounts
from ventris.errors import DataTypeError, LanguageModelError
from ventris.label_model.durations import Durations, DurationStatistics
from ventris.label_model.markov import check_conditional, check_distribution
from ventris.label_model.model import NgramModel
from ventris.label_model.statistics import CountedStatistics, MarkovStatistics

Arrays = dict[str, NDArray]


def lm_to_state(lm: NgramModel) -> tuple[Arrays, dict[str, Any]]:
    """A label model as arrays and a JSON-able header.

    Examples
    --------
    >>> lm = NgramModel.from_sequences([["a", "b", "a"]], order=2)
    >>> again = lm_from_state(*lm_to_state(lm))
    >>> again.classes, bool(np.array_equal(again.joint(2), lm.joint(2)))
    (('a', 'b'), True)
    """
    header: dict[str, Any] = {"classes": _plain_classes(lm)}
    statistics = lm.statistics
    if isinstance(statistics, DurationStatistics):
        return _lasting_arrays(statistics.durations), header | {"statistics": "durations"}
    if isinstance(statistics, MarkovStatistics):
        arrays = {"lm.conditional": statistics._conditional, "lm.contexts": statistics._contexts}
        return arrays, header | {"statistics": "markov"}
    if isinstance(statistics, CountedStatistics):
        settings = {"smoothing": statistics.smoothing, "pseudo_count": statistics.pseudo_count}
        return _counted_arrays(statistics), header | settings | {"statistics": "counted"}
    raise DataTypeError(
        "Only label models of counts or conditionals can be saved",
        f"this one holds {type(statistics).__name__}",
        "Write it with to_arpa()",
    )


def _plain_classes(lm: NgramModel) -> list[Any]:
    strange = [label for label in lm.classes if type(label) not in (str, int, float, bool)]
    if strange:
        raise DataTypeError(
            "Only text and numbers can be saved as class names",
            f"{strange[0]!r} is a {type(strange[0]).__name__}",
            "Rename the classes",
        )
    return list(lm.classes)


def _lasting_arrays(durations: Durations) -> Arrays:
    return {
        "lm.moves": durations.moves,
        "lm.stay": durations.stay,
        "lm.first": durations.first,
        "lm.enter": durations.enter,
    }


def _lasting(arrays: Arrays, n_classes: int) -> DurationStatistics:
    """The durations of a file, checked: it may have been edited."""
    moves, stay = arrays["lm.moves"], arrays["lm.stay"]
    first, enter = _whole(arrays, "lm.first"), arrays["lm.enter"]
    check_conditional(moves, n_classes)
    sizes = np.diff(first)
    if len(sizes) != n_classes or sizes.min() < 1 or first[0] != 0 or first[-1] != len(enter):
        raise LanguageModelError(
            "Durations must have a histogram for each label",
            f"{len(enter)} entries are cut into {len(sizes)} parts",
            "Save the label model again",
        )
    histograms = tuple(np.split(enter, first[1:-1]))
    for each in histograms:
        check_distribution(each, each.shape)
    if stay.shape != (n_classes,) or not np.all((stay >= 0) & (stay < 1)) or np.diag(moves).any():
        raise LanguageModelError(
            "A label goes on with a probability below 1, and moves to another",
            "some do not",
            "Save the label model again",
        )
    return DurationStatistics(Durations(histograms, stay, moves))


def _counted_arrays(statistics: CountedStatistics) -> Arrays:
    arrays: Arrays = {}
    for counts in statistics.counts:
        arrays[f"lm.codes.{counts.order}"], arrays[f"lm.counts.{counts.order}"] = counts.codes, counts.counts
    return arrays | {f"lm.pair.{lag}": table for lag, table in statistics.pairs.items()}


def lm_from_state(arrays: Arrays, header: dict[str, Any]) -> NgramModel:
    """The label model that `lm_to_state` took apart; other arrays and keys are ignored.

    Raises
    ------
    LanguageModelError
        For numbers that are no label model: a whole file may still have been edited.
    """
    alphabet = Alphabet(header["classes"])
    if header["statistics"] == "durations":
        return NgramModel(alphabet, _lasting(arrays, len(alphabet)))
    if header["statistics"] == "markov":
        conditional, contexts = arrays["lm.conditional"], arrays["lm.contexts"]
        check_conditional(conditional, len(alphabet))
        check_distribution(contexts, conditional.shape[:-1])
        return NgramModel(alphabet, MarkovStatistics(conditional, contexts))
    orders = _numbers(arrays, "lm.codes.")
    counts = [
        NgramCounts(k, len(alphabet), _whole(arrays, f"lm.codes.{k}"), _whole(arrays, f"lm.counts.{k}"))
        for k in orders
    ]
    pairs = {lag: arrays[f"lm.pair.{lag}"] for lag in _numbers(arrays, "lm.pair.")}
    return NgramModel.from_counts(
        counts,
        classes=alphabet.classes,
        pairs=pairs,
        smoothing=header["smoothing"],
        pseudo_count=header["pseudo_count"],
    )


def _whole(arrays: Arrays, name: str) -> NDArray[np.int64]:
    array = arrays[name]
    if array.dtype != np.int64:
        raise LanguageModelError(
            f"{name} must hold whole numbers of 64 bits",
            f"it holds {array.dtype}",
            "Save the label model again",
        )
    return array


def _numbers(arrays: Arrays, prefix: str) -> list[int]:
    return sorted(int(name.removeprefix(prefix)) for name in arrays if name.startswith(prefix))
