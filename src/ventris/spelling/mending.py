"""A reading written back into its text: what was meant in place of what was written, case and layout kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ventris.kernels.pair_chains import Reading
from ventris.spelling.cut import Cut


@dataclass(frozen=True)
class Change:
    """A word that was changed, or several where a space was lost or added.

    Attributes
    ----------
    start : int
        Place of its first character in the text as it was written.
    before, after : str
        What was written, and what stands in its place.
    probability : float
        That what was done to it is right.

    Examples
    --------
    >>> import ventris as vt
    >>> change = vt.correct("I saw thr old man and thr sea").changes[1]
    >>> change.start, change.before, change.after
    (22, 'thr', 'the')
    """

    start: int
    before: str
    after: str
    probability: float


class Decision(NamedTuple):
    """What to do at each symbol, and how sure that is."""

    label: NDArray[np.int64]  # the label to write; −1: none
    gap: NDArray[np.int64]  # the label to write before it; −1: none
    touched: NDArray[np.bool_]
    probability: NDArray[np.float64]  # of what is done, or of leaving it


def decide(cut: Cut, reading: Reading, threshold: float) -> Decision:
    """The likeliest at each symbol, where it is at least as probable as asked; else what was written.

    A place where nothing is touched stays as it is; a lost letter is put back where that is likelier than
    not.
    """
    own = cut.symbols.own[cut.symbols.codes]
    label = reading.label.astype(np.int64)
    probability = reading.probability.copy()
    added = reading.added > probability
    label[added], probability[added] = -1, reading.added[added]
    left = (label == own) | cut.fixed | (probability < threshold)
    digit = ~cut.fixed & (cut.symbols.codes >= len(cut.symbols.own) // 2) & (reading.probability >= threshold)
    left &= ~_stands_for_letter(cut, digit)
    label[left] = own[left]
    probability[left] = np.where(cut.fixed[left], 1.0, reading.unchanged[left])
    gap = np.where(reading.gap_probability > max(threshold, 0.5), reading.gap, -1).astype(np.int64)
    gap = _no_double_spaces(label, gap, own.max())
    sure = np.where(gap >= 0, np.minimum(probability, reading.gap_probability), probability)
    # What was not followed on the way forward may count on the way back: a little more than one is one.
    return Decision(label, gap, ~left | (gap >= 0), np.minimum(sure, 1.0))


def _stands_for_letter(cut: Cut, digit: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Digits inside words: no label is written like them."""
    n_classes = int(cut.symbols.own.max()) + 1
    size = len(cut.symbols.own) - n_classes
    return digit & (cut.symbols.codes >= n_classes) & (cut.symbols.codes < size)


def _no_double_spaces(label: NDArray, gap: NDArray, space: int) -> NDArray[np.int64]:
    """A space is put back only between letters."""
    beside = (label == space) | np.r_[True, label[:-1] == space]
    gap[(gap == space) & beside] = -1
    return gap


def mend(cut: Cut, decision: Decision, alphabet: str) -> tuple[str, list[Change]]:
    """The corrected text, and every change of it."""
    pieces: list[str] = []
    changes: list[Change] = []
    done = 0
    for first, last in _groups(cut, decision, len(alphabet)):
        start, end = int(cut.starts[first]), int(cut.ends[last])
        after = _written(cut, decision, first, last, alphabet)
        before = cut.text[start:end]
        if after == before:
            continue
        touched = decision.probability[first : last + 1][decision.touched[first : last + 1]]
        changes.append(Change(start, before, after, float(touched.min())))
        pieces += [cut.text[done:start], after]
        done = end
    pieces.append(cut.text[done:])
    return "".join(pieces), changes


def _groups(cut: Cut, decision: Decision, space: int) -> list[tuple[int, int]]:
    """First and last symbol of each word, or of words joined or parted, in which something is done."""
    codes = cut.symbols.codes
    n_classes = space + 1
    beyond = len(cut.symbols.own) - n_classes + space
    divides = ((codes == space) & ~decision.touched) | (codes == beyond)
    groups: list[tuple[int, int]] = []
    for place in np.flatnonzero(decision.touched):
        first = last = int(place)
        if groups and first <= groups[-1][1]:
            continue
        if divides[first]:  # a letter lost before a comma belongs to the word before it
            first = max(0, first - 1)
            last = first
        while first > 0 and not divides[first - 1]:
            first -= 1
        while last + 1 < len(codes) and not divides[last + 1]:
            last += 1
        if last + 1 < len(codes) and decision.gap[last + 1] >= 0 and divides[last + 1]:
            last += 1
        if groups and first <= groups[-1][1]:
            first = groups[-1][1] + 1
            if first > last:
                continue
        groups.append((first, last))
    return groups


def _written(cut: Cut, decision: Decision, first: int, last: int, alphabet: str) -> str:
    """What the symbols of a group become."""
    letters = alphabet + " "
    out: list[str] = []
    capital = False  # of a letter that was taken away: the next one has it
    for t in range(first, last + 1):
        was = cut.text[cut.starts[t] : cut.ends[t]]
        upper = was[:1].isupper()
        if decision.gap[t] >= 0:
            lost = letters[decision.gap[t]]
            shouted = upper and t > first and cut.text[cut.starts[t - 1]].isupper()
            at_start = upper and not shouted and (t == first or not cut.text[cut.starts[t] - 1].isalpha())
            out.append(lost.upper() if shouted or at_start else lost)
            if at_start and lost != " ":
                was, upper = was.lower(), False
        if not decision.touched[t] or cut.fixed[t]:
            out.append(was)
            continue
        label = int(decision.label[t])
        if label < 0:
            capital = capital or upper
            continue
        if label == cut.symbols.own[cut.symbols.codes[t]] and not was.isdigit():
            out.append(was.capitalize() if capital else was)
        else:
            out.append(letters[label].upper() if upper or capital else letters[label])
        capital = False
    return "".join(out)
