"""A language as correcting uses it: letters, words, and how they follow one another."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from ventris.ciphers.own_language import OwnLanguage, learn_language, own_language
from ventris.datasets.language import load_language
from ventris.datasets.letters import BREAK, available_languages, load_counts
from ventris.datasets.words import MAX_TABLE, languages_with_words, load_words
from ventris.errors import LanguageModelError
from ventris.kernels.pair_chains import Contexts
from ventris.label_model.model import NgramModel
from ventris.label_model.word_contexts import SPACE, WordCounts, plain_contexts, word_contexts

FEWEST, FEWEST_PAIR = 1, 2  # unmeasured: times that a word, and a pair, of one's own corpus must occur
LONGEST_WORD = 30  # letters; longer ones are no words


@dataclass(frozen=True, eq=False)
class Language:
    """Letters and words.

    Attributes
    ----------
    code : str
    alphabet : str
        Letters; the space is the label after the last of them.
    contexts : Contexts
    opening : int
        The state at the beginning of a text.
    lm : NgramModel
        Of letters and the space.
    words : WordCounts or None
    """

    code: str
    alphabet: str
    contexts: Contexts
    opening: int
    lm: NgramModel
    words: WordCounts | None

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """Words that it knows."""
        return frozenset(() if self.words is None else self.words.words)

    @property
    def n_classes(self) -> int:
        """Letters and the space."""
        return len(self.alphabet) + 1


def language_of(code: str, lm: Any = None, corpus: Any = None) -> Language:
    """The language of a code, or of a model or a corpus given in its place."""
    if lm is None and corpus is None:
        return _shipped(code)
    own = own_language(learn_language(lm, corpus))
    assert own is not None
    return _own(own)


@lru_cache(maxsize=2)
def _shipped(code: str) -> Language:
    if code in languages_with_words():
        counted = load_words(code)
        return _with(code, counted.model(), counted.words())
    load_counts(code, order=1)  # refuses what is not there
    order = 5
    size = len(load_counts(code, order=1).alphabet)
    while size**order > MAX_TABLE:
        order -= 1
    return _with(code, load_language(code, order), None)


@lru_cache(maxsize=2)
def _own(own: OwnLanguage) -> Language:
    if not own.has_space:
        raise LanguageModelError(
            "lm must know where words end",
            "the space is none of its labels",
            "Build it with spaces, or pass corpus=",
        )
    order = own.order
    while (len(own.alphabet) + 1) ** order > MAX_TABLE:
        order -= 1
    return _with(own.code, own.model(order, True), count_words(own.text) if own.text else None)


def _with(code: str, lm: NgramModel, words: WordCounts | None) -> Language:
    labels = [str(label) for label in lm.classes]
    if labels[-1] != SPACE:
        raise LanguageModelError(
            "the space must be the last label of lm", f"it is {labels[-1]!r}", "Build it with the space last"
        )
    contexts = plain_contexts(lm) if words is None else word_contexts(lm, words)
    common = int(np.argmax(lm.stationary()[:-1]))
    opening = len(labels) - 1
    for back in range(1, lm.order - 1):
        opening += common * len(labels) ** back
    return Language(code, "".join(labels[:-1]), contexts, opening, lm, words)


def with_words(language: Language, words: WordCounts) -> Language:
    """The same letters with other words."""
    return replace(language, contexts=word_contexts(language.lm, words), words=words)


def count_words(folded: str) -> WordCounts:
    """Words and pairs of a folded text.

    Examples
    --------
    >>> count_words("the cat the dog the cat").counts.tolist()
    [2, 1, 3]
    """
    tokens = folded.replace(BREAK, " \n ").split()
    counts = Counter(tokens)
    words = sorted(word for word, n in counts.items() if n >= FEWEST and len(word) <= LONGEST_WORD)
    number = {word: i for i, word in enumerate(words)}
    pairs = Counter(
        number[a] * len(words) + number[b]
        for a, b in itertools.pairwise(tokens)
        if a in number and b in number
    )
    codes = np.array(sorted(code for code, n in pairs.items() if n >= FEWEST_PAIR), np.int64)
    return WordCounts(
        words,
        np.array([counts[word] for word in words], np.int64),
        len(tokens),
        codes // max(1, len(words)),
        codes % max(1, len(words)),
        np.array([pairs[int(code)] for code in codes], np.int64),
    )


def languages() -> tuple[str, ...]:
    """Codes that `language_of` knows."""
    return tuple(sorted({*available_languages(), *languages_with_words()}))
