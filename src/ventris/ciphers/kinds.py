"""The letter ciphers, Caesar to substitution: what each does to a letter, and what finds its key.

Shift and affine ciphers have so few keys that each is tried. The Vigenère cipher is a shift a column,
improved column by column. Substitutions are searched by annealing. The searches are the engine's, in
`deciphering`.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from math import gcd, lgamma
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ventris.ciphers.breaking import Breaking, Candidate
from ventris.ciphers.cipher import FewKeys, TableCipher
from ventris.ciphers.letter_model import LetterModel
from ventris.ciphers.spelling import Spelling, alphabet_of
from ventris.data.counts import N_LAGS
from ventris.deciphering.key_score import RankedKeys
from ventris.deciphering.one_to_one import find_one_to_one, key_by_descent, polish_keys, settle_key
from ventris.deciphering.periodic import find_periodic, read_periodic
from ventris.errors import ParameterError

N_RIVALS, MARGIN = 6, 12.0  # unmeasured: keys, and nats below the best, that order 5 may still prefer
SPARSE = 30  # unmeasured: times a letter occurs in the head of a long text below which the whole is asked
_DRAWN_LETTERS = (4, 8)  # of a key word that is drawn: from, and below


class Caesar(FewKeys):
    """Letter i becomes letter i + key: ciphertext = plaintext + key, around the alphabet.

    Examples
    --------
    >>> import ventris as vt
    >>> vt.encipher("The quick brown fox", 23, kind="caesar")
    'Qeb nrfzh yoltk clu'
    """

    kind, title = "caesar", "Caesar: a shift"
    key_hint, example = "a shift, say 7", "7"

    def tables(self, key: int, alphabet: str) -> NDArray[np.int64]:
        if not _is_whole(key):
            raise ParameterError("a Caesar key must be a whole number", f"it is {key!r}", "Pass a shift")
        size = len(alphabet)
        return (np.arange(size) + int(key) % size)[None] % size

    def keys(self, alphabet: str) -> Sequence[int]:
        return range(len(alphabet))

    def _parsed(self, typed: str) -> int:
        return int(typed)

    def draw(self, language: str, rng: np.random.Generator) -> int:
        return int(rng.integers(1, len(alphabet_of(language))))


class Affine(FewKeys):
    """Letter i becomes letter a·i + b; a must have no factor in common with the size of the alphabet.

    Examples
    --------
    >>> import ventris as vt
    >>> vt.encipher("Affine cipher", (5, 8), kind="affine")
    'Ihhwvc swfrcp'
    """

    kind, title = "affine", "Affine: a·x + b"
    key_hint, example = "two numbers, say 5,8", "5,8"

    def tables(self, key: Sequence[int], alphabet: str) -> NDArray[np.int64]:
        size = len(alphabet)
        pair = list(key) if isinstance(key, list | tuple | np.ndarray) else []
        if len(pair) != 2 or not all(map(_is_whole, pair)):
            raise ParameterError("an affine key must be two whole numbers", f"it is {key!r}", "Pass (a, b)")
        a, b = (int(part) % size for part in pair)
        if gcd(a, size) != 1:
            raise ParameterError(
                f"the multiplier of an affine key must be coprime to {size}, the size of the alphabet",
                f"{pair[0]} shares the factor {gcd(a, size)} with it, so that letters would coincide",
                "Choose another multiplier",
            )
        return ((a * np.arange(size) + b) % size)[None]

    def keys(self, alphabet: str) -> Sequence[tuple[int, int]]:
        size = len(alphabet)
        return [(a, b) for a in range(1, size) if gcd(a, size) == 1 for b in range(size)]

    def show(self, key: Sequence[int]) -> str:
        return ",".join(str(int(part)) for part in key)

    def _parsed(self, typed: str) -> tuple[int, ...]:
        return tuple(int(part) for part in typed.split(","))

    def draw(self, language: str, rng: np.random.Generator) -> tuple[int, int]:
        size = len(alphabet_of(language))
        return int(rng.choice([a for a in range(3, size) if gcd(a, size) == 1])), int(rng.integers(size))


class Vigenere(TableCipher):
    """Letter t is shifted by letter t of the key word, over and over.

    Examples
    --------
    >>> import ventris as vt
    >>> vt.encipher("Attack at dawn!", "lemon", kind="vigenere")
    'Lxfopv ef rnhr!'
    """

    kind, title = "vigenere", "Vigenère: a key word"
    key_hint, example = "a word, say lemon", "lemon"
    evens_out, rescored = True, False

    def tables(self, key: str, alphabet: str) -> NDArray[np.int64]:
        expected = f"a Vigenère key must be a word in the letters {alphabet}"
        word = spelt(key, expected)
        unknown = sorted({char for char in word if char not in alphabet})
        if not word or unknown:
            got = f"it holds {', '.join(map(repr, unknown))}" if unknown else "it is empty"
            raise ParameterError(expected, got, "Correct the key")
        shifts = np.array([alphabet.index(char) for char in word])
        return (np.arange(len(alphabet)) + shifts[:, None]) % len(alphabet)

    def break_(self, spelling: Spelling, model: LetterModel, rng: np.random.Generator) -> Breaking:
        alphabet, shifts = spelling.alphabet, np.arange(len(spelling.alphabet))
        family = (shifts - shifts[:, None]) % len(alphabet)  # [shift, cipher letter]
        labels = model.symbols(alphabet)[family]
        text = model.text_of(spelling)
        found = find_periodic(text, labels, model.tables, model.stationary, settings=self.settings)
        keys = ["".join(alphabet[shift] for shift in key) for key in found.keys]
        log_keys = float(np.log(len(alphabet)) * found.keys.shape[1] + np.log(found.n_periods))
        return Breaking.of(
            keys, lambda i: read_periodic(spelling.letters, found.keys[i : i + 1], family)[0], found.scores,
            alphabet, log_keys=log_keys, key_entropy=log_keys,
        )  # fmt: skip

    def draw(self, language: str, rng: np.random.Generator) -> str:
        alphabet = alphabet_of(language)
        return "".join(alphabet[i] for i in rng.integers(len(alphabet), size=rng.integers(*_DRAWN_LETTERS)))


class Substitution(TableCipher):
    """Letter i becomes letter i of the key, which is the alphabet in another order.

    Examples
    --------
    >>> import ventris as vt
    >>> vt.encipher("Flee at once", "zebrascdfghijklmnopqtuvwxy", kind="substitution")
    'Siaa zq lkba'
    """

    kind, title = "substitution", "Substitution: any alphabet"
    key_hint, example = "the alphabet in another order", "the alphabet in another order"
    covers_parts = True

    def tables(self, key: str, alphabet: str) -> NDArray[np.int64]:
        expected = f"a substitution key must hold each of the {len(alphabet)} letters {alphabet} once"
        key = spelt(key, expected)
        repeated = sorted({char for char in key if key.count(char) > 1})
        missing = [char for char in alphabet if char not in key]
        if len(key) != len(alphabet) or repeated or missing:
            got = f"it has {len(key)} letters"
            got += f", {', '.join(map(repr, repeated))} more than once" if repeated else ""
            got += f", {', '.join(map(repr, missing))} never" if missing else ""
            raise ParameterError(expected, got, "Correct the key")
        return np.array([[alphabet.index(char) for char in key]])

    def break_(self, spelling: Spelling, model: LetterModel, rng: np.random.Generator) -> Breaking:
        """Spaces that survive are known symbols. Long texts are read by descent on J, and polished."""
        text, start, settings = model.text_of(spelling), None, self.settings
        text = replace(text, fixed=self._known(spelling.alphabet))
        if len(text.symbols) >= settings.long_text and not text.fixed:
            start = key_by_descent(text, model.pairs(N_LAGS), model.stationary, rng, settings=settings)
        found = find_one_to_one(text, model.tables, rng, start=start, settings=settings)
        return _substitution_breaking(found, spelling)

    def rescore(
        self, breaking: Breaking, spellings: Sequence[Spelling], model: LetterModel, rng: np.random.Generator
    ) -> Breaking:
        """The best keys improved under a model of higher order: cool searches that start from each."""
        spelling = spellings[0]
        text = replace(model.text_of(spelling), fixed=self._known(spelling.alphabet))
        if max(map(len, text.parts)) < len(model.tables):
            return breaking
        rivals = [c for c in breaking.candidates[:N_RIVALS] if c.score > breaking.best.score - MARGIN]
        keys = [np.argsort(self.tables(rival.key, spelling.alphabet)[0]) for rival in rivals]
        polished = polish_keys(keys, text, model.tables, rng, settings=self.settings)
        better = _substitution_breaking(polished, spelling)
        return replace(better, agreement=breaking.agreement, strange=breaking.strange)

    def _known(self, alphabet: str) -> dict[int, int]:
        """Entries of the key that the user has fixed, as numbers; such as contradict others are refused."""
        odd = [x for pair in self.fixed.items() for x in pair if x.lower() not in alphabet]
        known = {} if odd else {alphabet.index(a.lower()): alphabet.index(b) for a, b in self.fixed.items()}
        if odd or len(set(known.values())) < len(self.fixed):
            got = f"it holds {odd[0]!r}" if odd else "several have the same"
            expected = f"fixed letters of a substitution must be of {alphabet}, each with a letter of its own"
            raise ParameterError(expected, got, "Correct them, or leave kind out")
        return known

    def settle(self, candidate: Candidate, text: Spelling, head: Spelling, model: LetterModel) -> Any:
        """Letters that the head of a long text hardly has are exchanged while the whole is read better."""
        sparse = np.bincount(head.letters, minlength=len(head.alphabet)) < SPARSE
        start = np.argsort(self.tables(candidate.key, head.alphabet)[0])
        key = settle_key(start, model.text_of(text), model.tables, np.flatnonzero(sparse))
        return "".join(head.alphabet[i] for i in np.argsort(key))

    def draw(self, language: str, rng: np.random.Generator) -> str:
        alphabet = alphabet_of(language)
        return "".join(alphabet[i] for i in rng.permutation(len(alphabet)))


def _substitution_breaking(found: RankedKeys, spelling: Spelling) -> Breaking:
    size, n_used = len(spelling.alphabet), len(np.unique(spelling.letters))
    keys = ["".join(spelling.alphabet[i] for i in np.argsort(reading)) for reading in found.keys]
    # Only the letters that occur had to be chosen: C · (C − 1) · … of them.
    log_keys, key_entropy = lgamma(size + 1) - lgamma(size - n_used + 1), lgamma(size + 1)
    return Breaking.of(
        keys, lambda i: found.keys[i, spelling.letters], found.scores, spelling.alphabet,
        log_keys=log_keys, key_entropy=key_entropy, agreement=found.agreement,
    )  # fmt: skip


def _is_whole(number: object) -> bool:
    return isinstance(number, int | np.integer) and not isinstance(number, bool)


def spelt(key: object, expected: str) -> str:
    """A key word in small composed letters."""
    if not isinstance(key, str):
        raise ParameterError(expected, f"it is {key!r}", "Pass a str")
    return unicodedata.normalize("NFC", key).lower()
