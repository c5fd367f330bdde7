"""ARPA files: n-gram conditionals with back-off weights, as log10, in and out.

The reader returns what the file lists and nothing more; what it means as probabilities is `backoff`'s work.
Labels are written as they are, the space as ``<space>``; ``<s>``, ``</s>`` and ``<unk>`` are kept apart.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ventris.errors import FileFormatError, LanguageModelError
from ventris.storage.files import as_path, atomic_path

SPECIAL = ("<s>", "</s>", "<unk>")
_SPACE = "<space>"
IMPOSSIBLE = -99.0  # ARPA's customary log10 of zero, both ways


@dataclass(frozen=True)
class ArpaOrder:
    """The n-grams of one order, their log10 conditionals, and their log10 back-off weights as histories."""

    grams: list[tuple[str, ...]]
    log10_prob: NDArray[np.float64]
    log10_backoff: NDArray[np.float64]


def token_of(label: object) -> str:
    """The ARPA token of a label; white space cannot be part of one."""
    text = _SPACE if label == " " else str(label)
    if text.split() != [text] or label in (*SPECIAL, _SPACE):
        raise LanguageModelError(
            "A label in an ARPA file must be one word, none of <s> </s> <unk> <space>",
            f"{label!r} is not",
            "Rename the label before writing",
        )
    return text


def label_of(token: str) -> str:
    """The label of an ARPA token."""
    return " " if token == _SPACE else token


def write_arpa(
    path: str | os.PathLike[str], orders: Sequence[ArpaOrder], *, comment: str = "", force: bool = True
) -> None:
    """Write orders 1 … N; the special tokens are added with no probability, as other tools expect them."""
    with atomic_path(path, force=force) as temporary, open(temporary, "w", encoding="utf-8") as out:
        if comment:
            out.write(f"# {comment}\n")
        out.write("\\data\\\n")
        for n, order in enumerate(orders, start=1):
            out.write(f"ngram {n}={len(order.grams) + (len(SPECIAL) if n == 1 else 0)}\n")
        for n, order in enumerate(orders, start=1):
            out.write(f"\n\\{n}-grams:\n")
            last = n == len(orders)
            if n == 1:
                backoff = "" if last else "\t0"
                out.writelines(f"{IMPOSSIBLE}\t{token}{backoff}\n" for token in SPECIAL)
            out.writelines(_rows(order, last))
        out.write("\n\\end\\\n")


def _rows(order: ArpaOrder, last: bool) -> Iterator[str]:
    """Lines of one section; the highest order has no back-off column."""
    prob = np.maximum(order.log10_prob, IMPOSSIBLE)
    for gram, log_prob, backoff in zip(order.grams, prob, order.log10_backoff, strict=True):
        tail = "" if last else f"\t{max(backoff, IMPOSSIBLE):.17g}"
        yield f"{log_prob:.17g}\t{' '.join(gram)}{tail}\n"


def read_arpa(path: str | os.PathLike[str]) -> tuple[list[ArpaOrder], str]:
    """Read orders 1 … N, and the comment before ``\\data\\``.

    Raises
    ------
    FileFormatError
        A missing section, a count that is not met, a row that cannot be read: named with its line.
    """
    return _Reader(as_path(path)).read()


class _Reader:
    """A cursor over the lines of one file, so that every complaint can name its line."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self.lines = path.read_text(encoding="utf-8").splitlines()
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError) as problem:
            what = "it is a folder" if isinstance(problem, IsADirectoryError) else "there is no such file"
            raise FileFormatError(f"{path} must be an ARPA file", what, "Check the path") from None
        except UnicodeDecodeError as problem:
            raise FileFormatError(
                f"{path} must be an ARPA text file in UTF-8", str(problem), "Check that it is the right file"
            ) from None
        self.at = 0
        self.tokens = set(SPECIAL)  # tokens that have a unigram

    def read(self) -> tuple[list[ArpaOrder], str]:
        comment = self._comment()
        counts = self._header()
        orders = [self._section(n, count, last=n == len(counts)) for n, count in enumerate(counts, start=1)]
        self._expect("\\end\\")
        return orders, comment

    def _comment(self) -> str:
        while self.at < len(self.lines) and self.lines[self.at].strip() != "\\data\\":
            self.at += 1
        comment = " ".join(line.lstrip("# ") for line in self.lines[: self.at])
        self._expect("\\data\\")
        return comment

    def _header(self) -> list[int]:
        counts: list[int] = []
        while (line := self._peek()).startswith("ngram "):
            try:
                order, count = (int(part) for part in line[6:].split("="))
            except ValueError:
                raise self._error("a line like 'ngram 2=100'", line) from None
            if order != len(counts) + 1 or count < 0:
                raise self._error(f"the count of order {len(counts) + 1}", line)
            counts.append(count)
            self.at += 1
        if not counts:
            raise self._error("a line like 'ngram 1=27'", self._peek())
        return counts

    def _section(self, order: int, count: int, last: bool) -> ArpaOrder:
        self._expect(f"\\{order}-grams:")
        grams: list[tuple[str, ...]] = []
        values = np.zeros((min(count, len(self.lines)), 2))  # a file may claim any number
        for row in range(count):
            if self.at >= len(self.lines) or not self.lines[self.at].strip() or self._at_heading():
                raise self._error(f"{count} n-grams of order {order}", f"only {row}")
            gram, values[row, 0], values[row, 1] = self._row(order, last)
            grams.append(gram)
        if len(set(grams)) < count:
            raise self._error(f"n-grams of order {order} that differ", "one that is there twice")
        return ArpaOrder(grams, values[:, 0], values[:, 1])

    def _at_heading(self) -> bool:
        """Whether a section begins here: \\2-grams: or \\end\\, which is no row."""
        return self.lines[self.at].startswith("\\")

    def _row(self, order: int, last: bool) -> tuple[tuple[str, ...], float, float]:
        line = self.lines[self.at]
        parts = line.split()
        # The back-off weight may be left out: it is then 1, log10 0.
        if len(parts) not in ((order + 1,) if last else (order + 1, order + 2)):
            raise self._error(f"a log10 probability, {order} labels and a back-off weight", repr(line))
        try:
            prob = float(parts[0])
            backoff = float(parts[order + 1]) if len(parts) == order + 2 else 0.0
        except ValueError:
            raise self._error("numbers for the probability and the back-off weight", repr(line)) from None
        if not (prob <= 1e-9 and -np.inf < backoff <= -IMPOSSIBLE):
            raise self._error("a log10 probability of at most 0 and a back-off of at most 99", repr(line))
        gram = tuple(parts[1 : order + 1])
        if order == 1:
            self.tokens.add(gram[0])
        elif not self.tokens.issuperset(gram):
            raise self._error("labels that have a unigram", repr(line))
        self.at += 1
        return gram, prob, backoff

    def _peek(self) -> str:
        while self.at < len(self.lines) and not self.lines[self.at].strip():
            self.at += 1
        return self.lines[self.at].strip() if self.at < len(self.lines) else "the end of the file"

    def _expect(self, text: str) -> None:
        if (found := self._peek()) != text:
            raise self._error(f"{text!r}", repr(found))
        self.at += 1

    def _error(self, expected: str, got: str) -> FileFormatError:
        return FileFormatError(
            f"{self.path} line {self.at + 1}: expected {expected}",
            f"found {got}",
            "The file is cut short or damaged; write it again",
        )
