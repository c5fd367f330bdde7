"""Two kinds that are tried last: a period over a keyed alphabet, and columns written in another order."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import product
from math import lgamma
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ventris.ciphers.arguments import checked_text
from ventris.ciphers.breaking import Breaking
from ventris.ciphers.cipher import GOOD_EXCESS, LetterCipher, RandomState, TableCipher
from ventris.ciphers.kinds import spelt
from ventris.ciphers.letter_model import SEARCH_ORDER, LetterModel, letter_model
from ventris.ciphers.spelling import Spelling, alphabet_of
from ventris.deciphering.columns import find_columns, read_columns, write_columns
from ventris.deciphering.key_score import log_likelihood
from ventris.deciphering.keyed_period import find_keyed_period, read_keyed
from ventris.errors import ParameterError

DOUBTFUL = 0.05  # unmeasured: agreement of a reading that is not like the language
_DRAWN_WORD, _DRAWN_PERIOD, _DRAWN_COLUMNS = (5, 10), (3, 9), (3, 13)  # from, and below


def keyed_alphabet(word: str, alphabet: str) -> str:
    """A key word without repeated letters, then the other letters in their order.

    Examples
    --------
    >>> keyed_alphabet("kryptos", "abcdefghijklmnopqrstuvwxyz")
    'kryptosabcdefghijlmnquvwxz'
    """
    return "".join(dict.fromkeys(word + alphabet))


def _agreement(score: float, n_letters: int, model: LetterModel) -> float:
    """Searches of these kinds end when one reads like the language; what does not is doubtful."""
    return 1.0 if -score / n_letters - model.entropy_rate < GOOD_EXCESS else DOUBTFUL


class Quagmire(TableCipher):
    """Vigenère over an alphabet that begins with a key word (quagmire III).

    Examples
    --------
    >>> import ventris as vt
    >>> vt.encipher("Between subtle shading", ("kryptos", "palimpsest"), kind="quagmire")
    'Emufphz lrfaxy usdjkzl'
    """

    kind, title = "quagmire", "Quagmire III: a key word, and an alphabet of another"
    key_hint, example = "two words, say kryptos,palimpsest", "kryptos,palimpsest"
    evens_out, rescored, last_resort, keeps_words, least_letters = True, False, True, False, 100

    def tables(self, key: Sequence[str], alphabet: str) -> NDArray[np.int64]:
        expected = f"a quagmire key must be two words in the letters {alphabet}"
        if not isinstance(key, list | tuple) or len(key) != 2:
            raise ParameterError(expected, f"it is {key!r}", "Pass (alphabet word, key word)")
        first, second = (spelt(word, expected) for word in key)
        odd = sorted(set(first + second) - set(alphabet))
        if odd or not second:
            got = f"they hold {', '.join(map(repr, odd))}" if odd else "the second is empty"
            raise ParameterError(expected, got, "Correct the key")
        keyed = np.array([alphabet.index(char) for char in keyed_alphabet(first, alphabet)])
        place = np.argsort(keyed)
        shifts = np.array([place[alphabet.index(char)] for char in second])
        return keyed[(place + shifts[:, None]) % len(alphabet)]

    def break_(self, spelling: Spelling, model: LetterModel, rng: np.random.Generator) -> Breaking:
        labels, size = spelling.letters, len(spelling.alphabet)
        found = find_keyed_period(
            labels, model.tables, model.stationary, rng, enough=model.entropy_rate + GOOD_EXCESS,
            effort=self.effort, settings=self.settings,
        )  # fmt: skip
        keys = [self._key(letters, shifts, spelling.alphabet) for letters, shifts in found.keys]
        longest = self.settings.keyed_word
        log_keys = lgamma(size + 1) - lgamma(size - longest + 1)
        log_keys += float(np.log(size)) * len(found.keys[0][1]) + float(np.log(self.settings.keyed_longest))
        return Breaking.of(
            keys, lambda i: read_keyed(labels, *found.keys[i]), found.scores, spelling.alphabet,
            log_keys=log_keys, key_entropy=log_keys,
            agreement=_agreement(float(found.scores.max()), len(labels), model),
        )  # fmt: skip

    @staticmethod
    def _key(letters: NDArray, shifts: NDArray, alphabet: str) -> tuple[str, str]:
        """The shortest word that gives the alphabet, and the word of the shifts."""
        keyed = "".join(alphabet[i] for i in letters)
        word = next(keyed[:n] for n in range(len(keyed) + 1) if keyed_alphabet(keyed[:n], alphabet) == keyed)
        return word, "".join(keyed[shift] for shift in shifts)

    def show(self, key: Sequence[str]) -> str:
        return ",".join(key)

    def _parsed(self, typed: str) -> tuple[str, ...]:
        return tuple(part.strip() for part in typed.split(","))

    def draw(self, language: str, rng: np.random.Generator) -> tuple[str, str]:
        alphabet = alphabet_of(language)
        word = rng.permutation(list(alphabet))[: rng.integers(*_DRAWN_WORD)]
        shifts = rng.integers(len(alphabet), size=rng.integers(*_DRAWN_PERIOD))
        return "".join(word), "".join(alphabet[i] for i in shifts)


class Columnar(LetterCipher):
    """Letters written in rows, and read column by column in the order of a key (columnar transposition).

    The last row may be incomplete. What is no letter stays in its place, and so do capitals.

    Examples
    --------
    >>> import ventris as vt
    >>> vt.encipher("wearediscovered", "zebra", kind="columnar")
    'eodasreiercewdv'
    """

    kind, title = "columnar", "Columnar: columns in another order"
    key_hint, example = "a word or ranks, say 3,1,2", "3,1,2"
    rescored, last_resort, keeps_words, least_letters = False, True, False, 60

    def ranks(self, key: Any) -> NDArray[np.int64]:
        """Rank of each column; of equal letters of a word the left one comes first."""
        expected = "a columnar key must be a word, or the ranks 1, 2, … of two or more columns in some order"
        if isinstance(key, str):
            order: Sequence[Any] = sorted(range(len(key)), key=lambda i: (key[i].lower(), i))
            ranks = np.argsort(np.array(order, dtype=np.int64))
        else:
            whole = isinstance(key, list | tuple | np.ndarray) and all(
                isinstance(part, int | np.integer) and not isinstance(part, bool) for part in key
            )
            ranks = np.array(key, dtype=np.int64) - 1 if whole else np.empty(0, dtype=np.int64)
        if len(ranks) < 2 or sorted(ranks) != list(range(len(ranks))):
            raise ParameterError(expected, f"it is {key!r}", "Correct the key")
        return ranks

    def encipher(self, text: str, key: Any, alphabet: str, random_state: RandomState) -> str:
        spelling = Spelling.of(checked_text(text), alphabet)
        return spelling.rewritten(_moved(write_columns, spelling.letters, self.ranks(key)))

    def decipher(self, text: str, key: Any, alphabet: str) -> str:
        spelling = Spelling.of(checked_text(text), alphabet)
        return spelling.rewritten(_moved(read_columns, spelling.letters, self.ranks(key)))

    def break_(self, spelling: Spelling, model: LetterModel, rng: np.random.Generator) -> Breaking:
        labels = model.symbols(spelling.alphabet)[spelling.letters]
        opening = partial(_word_opening, model=model)
        found = find_columns(labels, model.tables, rng, opening=opening, settings=self.settings)
        keys = [tuple((ranks + 1).tolist()) for ranks in found.keys]
        log_keys = lgamma(len(keys[0]) + 1) + float(np.log(len(keys)))
        return Breaking.of(
            keys, lambda i: read_columns(spelling.letters, found.keys[i]), found.scores, spelling.alphabet,
            log_keys=log_keys, key_entropy=log_keys,
            agreement=_agreement(float(found.scores.max()), len(labels), model),
        )  # fmt: skip

    def show(self, key: Any) -> str:
        return key if isinstance(key, str) else ",".join(str(int(part)) for part in key)

    def _parsed(self, typed: str) -> Any:
        return tuple(int(part) for part in typed.split(",")) if typed[:1].isdigit() else typed

    def draw(self, language: str, rng: np.random.Generator) -> tuple[int, ...]:
        return tuple((rng.permutation(rng.integers(*_DRAWN_COLUMNS)) + 1).tolist())


def _word_opening(reading: NDArray, *, model: LetterModel) -> float:
    """Nats that a reading gains if it begins a word: its first letters after a space, less those without."""
    spaced = letter_model(model.language, SEARCH_ORDER, True)
    if not spaced.space:
        return 0.0
    first, space = reading[: SEARCH_ORDER - 1].tolist(), spaced.n_letters
    begun = []  # a space may stand after any of the letters but the last
    for gaps in product(([], [space]), repeat=len(first) - 1):
        row = [
            space,
            first[0],
            *(x for gap, letter in zip(gaps, first[1:], strict=True) for x in (*gap, letter)),
        ]
        begun.append(log_likelihood(np.array([row]), spaced.tables)[0] - spaced.tables[0][-1])
    return float(np.logaddexp.reduce(begun) - log_likelihood(np.array([first]), model.tables)[0])


def _moved(move: Any, letters: NDArray, ranks: NDArray) -> NDArray[np.int64]:
    return move(letters, ranks) if len(letters) else letters
