"""Words of a corpus, which choose among the last candidates: letters alone read "faraofe", words do not.

A candidate gains, at each word, the logarithm of λ p(word) / p(its letters) + 1 − λ: a mixture of the word
list and the letter model. Where a text has no spaces, the cut into words that gains most is found first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import numpy as np

from ventris.ciphers.breaking import Breaking, Candidate, reranked
from ventris.ciphers.letter_model import LetterModel, letter_model
from ventris.ciphers.own_language import own_language
from ventris.deciphering.key_score import log_likelihood

N_JUDGED = 40  # unmeasured: candidates that are judged by their words
FROM_LIST = 0.9  # unmeasured: λ, the probability that a word is one of the list
MOST_WORDS = 2_000  # unmeasured: words of a text that are looked at; more add nothing
LONGEST_WORD = 24  # letters; longer words are not looked for where there are no spaces
FEWEST = 2  # unmeasured: times a word must occur in a corpus; once may be a slip


class WordList:
    """Words with how often they occur, held against the letters of a language.

    Parameters
    ----------
    words : Counter
    model : LetterModel
    """

    def __init__(self, words: Counter[str], model: LetterModel, alphabet: str) -> None:
        kept = {word: n for word, n in words.items() if n >= FEWEST}
        self._log_p = {word: float(np.log(n / max(1, sum(kept.values())))) for word, n in kept.items()}
        self._model, self._number = model, {letter: i for i, letter in enumerate(alphabet)}
        self._known: dict[str, float] = {}

    def gain(self, text: str) -> float:
        """Nats that a text gains by its words."""
        if any(char.isspace() for char in text.strip()):
            words = ("".join(char for char in word if char.isalpha()) for word in text.lower().split())
            return sum(self._of(word) for word in list(words)[:MOST_WORDS] if word)
        return self._best_cut("".join(char for char in text.lower() if char.isalpha())[: 4 * MOST_WORDS])

    def _of(self, word: str) -> float:
        """log(λ p(word) / p(letters) + 1 − λ)."""
        if word not in self._known:
            log_p = self._log_p.get(word)
            held = 0.0 if log_p is None else float(np.exp(min(50.0, log_p - self._letters(word))))
            self._known[word] = float(np.log(FROM_LIST * held + 1 - FROM_LIST))
        return self._known[word]

    def _letters(self, word: str) -> float:
        """log p of the letters of a word, the space after it with them where the model has one."""
        numbers = [self._number[char] for char in word if char in self._number]
        row = [self._model.n_letters, *numbers, self._model.n_letters] if self._model.space else numbers
        return float(log_likelihood(np.array([row]), self._model.tables)[0])

    def _best_cut(self, letters: str) -> float:
        """The most that any cut into words of the list, and letters of none, gains."""
        best = np.zeros(len(letters) + 1)
        for end in range(1, len(letters) + 1):
            best[end] = best[end - 1]  # a letter of no word gains nothing
            for start in range(max(0, end - LONGEST_WORD), end - 1):
                word = letters[start:end]
                if word in self._log_p:
                    best[end] = max(best[end], best[start] + self._of(word))
        return float(best[-1])


def by_words(breaking: Breaking, language: str, spelt: Callable[[Candidate], str]) -> Breaking:
    """The first candidates judged once more by the words of a corpus; as they were without one."""
    own = own_language(language)
    if own is None or not own.words or len(breaking.candidates) < 2:
        return breaking
    model = letter_model(language, own.order, own.has_space)
    words = WordList(own.words, model, own.alphabet)
    held = breaking.candidates[:N_JUDGED]
    scores = np.array([c.score + words.gain(spelt(c)) for c in held])
    return reranked(breaking, held, scores)
