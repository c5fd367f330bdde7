"""Words shipped with Ventris: how often each occurs, which follows which, and their letters with accents.

A file `word_counts/<language>.npz` is read as one of `letter_counts` is, for n-grams of letters and the
space, and holds besides: `words`, UTF-8, one a line, sorted; `word_counts`, byte planes; `pairs`, the pairs
of words seen, packed as n-grams are, their code the number of the first times W plus that of the second.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np

from ventris.data.ngrams import NgramCounts
from ventris.datasets.letters import LetterCounts, from_planes
from ventris.errors import ParameterError
from ventris.label_model.model import NgramModel
from ventris.label_model.word_contexts import WordCounts

_FOLDER = Path(__file__).parent / "word_counts"
MAX_TABLE = 20_000_000  # entries of a dense table, 80 MB


@cache
def languages_with_words() -> tuple[str, ...]:
    """Codes of the languages whose words are shipped.

    Examples
    --------
    >>> "en" in languages_with_words()
    True
    """
    return tuple(sorted(path.stem for path in _FOLDER.glob("*.npz")))


class CountedWords(LetterCounts):
    """Words of one language, and the n-grams of their letters with every accent.

    Examples
    --------
    >>> counted = load_words("en")
    >>> words = counted.words()
    >>> words.words[int(words.counts.argmax())]
    'the'
    """

    def words(self) -> WordCounts:
        """Words, pairs of them, and how often."""
        words = self._member("words").tobytes().decode("utf-8").split("\n")
        planes, width = self._member("pairs"), self.metadata["widths"]["pairs"]
        codes = np.cumsum(from_planes(planes[:width]))
        counts = from_planes(self._member("word_counts"))
        spaces = dict(zip(*(part.tolist() for part in self.counts(1)), strict=True))[len(self.alphabet) - 1]
        return WordCounts(
            words,
            counts,
            max(spaces, int(counts.sum())),
            codes // len(words),
            codes % len(words),
            from_planes(planes[width:]),
        )

    def model(self) -> NgramModel:
        """Letters and the space as labels, at the highest order whose table is not too large."""
        size = len(self.alphabet)
        counts = [NgramCounts(k, size, *self.counts(k)) for k in range(1, self.order + 1)]
        return NgramModel.from_counts(counts, classes=self.alphabet, smoothing="kneser-ney")


def load_words(language: str) -> CountedWords:
    """Words of a language.

    Parameters
    ----------
    language : str
        One of `languages_with_words()`.

    Examples
    --------
    >>> load_words("fr").alphabet[26:30]
    'àâçè'
    """
    if language not in languages_with_words():
        codes = ", ".join(languages_with_words())
        raise ParameterError(
            f"words are shipped of {codes}",
            f"language is {language!r}",
            "Choose one of these, or pass corpus=",
        )
    path = _FOLDER / f"{language}.npz"
    order = 1
    size = len(LetterCounts(path, order=1, space=True).alphabet)
    while order < 5 and size ** (order + 1) <= MAX_TABLE:
        order += 1
    return CountedWords(path, order=order, space=True)
