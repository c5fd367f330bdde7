"""The set of labels: from a user's own names to the numbers 0 … C−1 and back."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ventris.errors import LanguageModelError


def check_label(label: Any) -> None:
    """Refuse what can name no class: anything but text and numbers, and NaN, which equals nothing."""
    if not isinstance(label, str | Real):
        raise LanguageModelError(
            "Classes must be text or numbers",
            f"{label!r} is a {type(label).__name__}",
            "Turn the labels into text",
        )
    if isinstance(label, float) and math.isnan(label):
        raise LanguageModelError(
            "Classes must be distinct", "NaN is among them, which does not even equal itself", "Leave it out"
        )


class Alphabet:
    """An ordered set of at least two distinct labels.

    Parameters
    ----------
    classes : sequence of str or numbers
        The labels, in the order of the last axis of every table.

    Examples
    --------
    >>> vowels = Alphabet("aeiou")
    >>> vowels.encode(["e", "a"])
    array([1, 0])
    >>> vowels.decode([4, 2])
    array(['u', 'i'], dtype='<U1')
    """

    def __init__(self, classes: Iterable[Any]) -> None:
        if not isinstance(classes, Iterable):
            raise LanguageModelError(
                "classes must list the labels", f"it is {classes!r}", "Give a list, or a text of characters"
            )
        self.classes: tuple[Any, ...] = tuple(c.item() if isinstance(c, np.generic) else c for c in classes)
        for label in self.classes:
            check_label(label)
        self._number = {label: number for number, label in enumerate(self.classes)}
        if len(self._number) < len(self.classes):
            repeated = next(c for c in self.classes if self.classes.count(c) > 1)
            raise LanguageModelError(
                "Classes must be distinct", f"{repeated!r} occurs twice", "Give each label one name"
            )
        if len(self.classes) < 2:
            raise LanguageModelError(
                "A label model needs at least two classes",
                f"it has {len(self.classes)}: {list(self.classes)}",
                "With one class there is nothing to classify; check the labels",
            )
        if len({isinstance(c, str) for c in self.classes}) > 1:
            raise LanguageModelError(
                "Classes must be all text or all numbers", "they are mixed", "Turn them all into text"
            )

        # The classes as an array, so that ``alphabet.array[codes]`` names them.
        self.array: NDArray = np.asarray(self.classes)
        self.array.setflags(write=False)

    def __len__(self) -> int:
        return len(self.classes)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Alphabet) and self.classes == other.classes

    def __hash__(self) -> int:
        return hash(self.classes)

    def __repr__(self) -> str:
        return f"Alphabet({list(self.classes)!r})"

    def encode(self, labels: Sequence[Any] | NDArray) -> NDArray[np.int64]:
        """Numbers of the `labels`; one outside the alphabet is refused by name."""
        flat = labels.tolist() if isinstance(labels, np.ndarray) else labels
        try:
            return np.array([self._number[label] for label in flat], dtype=np.int64)
        except (KeyError, TypeError):  # TypeError: a list or a dictionary can be no key
            unknown = next(label for label in flat if not self._has(label))
            raise LanguageModelError(
                f"Labels must be among the {len(self)} classes {self._some()}",
                f"{unknown!r} is not",
                "Add it to classes, or correct the labels",
            ) from None

    def decode(self, codes: Sequence[int] | NDArray) -> NDArray:
        """Labels of the numbers `codes`."""
        return self.array[np.asarray(codes)]

    def _has(self, label: Any) -> bool:
        return isinstance(label, str | Real) and label in self._number

    def _some(self, n: int = 8) -> str:
        shown = ", ".join(repr(c) for c in self.classes[:n])
        return f"{shown}, …" if len(self) > n else shown
