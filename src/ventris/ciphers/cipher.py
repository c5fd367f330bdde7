"""What a kind of cipher is: one object that enciphers, deciphers, reads and shows its keys, and is broken.

Most ciphers turn letter i at place t into another by a permutation of the alphabet that depends on t only
through the period of the key; case, digits, punctuation and line breaks stay. Of these, ciphers with so few
keys that each can be tried need no breaker of their own.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ventris.ciphers.arguments import checked_text
from ventris.ciphers.breaking import Breaking, Candidate, break_over_alphabets
from ventris.ciphers.letter_model import LetterModel
from ventris.ciphers.spelling import Spelling
from ventris.deciphering.key_score import score_readings
from ventris.deciphering.key_settings import KEYS, KeySettings
from ventris.errors import ParameterError

if TYPE_CHECKING:
    from ventris.ciphers.asked import Asked
    from ventris.ciphers.result import Decipherment

# Unmeasured: nats a symbol above the entropy of the language; a reading this good needs no other kind.
GOOD_EXCESS = 0.7
RandomState = int | np.random.Generator | None


class Cipher(ABC):
    """What every kind offers.

    Attributes
    ----------
    kind : str
        Its name.
    title, key_hint : str
        What a list of ciphers and an empty field for a key say.
    example : str
        A key as a person types it.
    typed : bool
        Whether a person types keys, or has them drawn or read from a file.
    keeps_layout : bool
        Whether what is no letter stays in its place.
    settings : KeySettings
        The numbers that the search for its key hangs on.
    """

    kind: ClassVar[str]
    title: ClassVar[str]
    key_hint: ClassVar[str]
    example: ClassVar[str]
    typed: ClassVar[bool] = True
    keeps_layout: ClassVar[bool] = True
    settings: KeySettings = KEYS

    @abstractmethod
    def encipher(self, text: str, key: Any, alphabet: str, random_state: RandomState) -> str:
        """The ciphertext; a key that does not fit is refused."""

    @abstractmethod
    def decipher(self, text: str, key: Any, alphabet: str) -> str:
        """The inverse of `encipher`."""

    @abstractmethod
    def show(self, key: Any) -> str:
        """The key as a person would type it."""

    def parse(self, typed: str) -> Any:
        """The inverse of `show`."""
        try:
            return self._parsed(typed)
        except ValueError:
            raise ParameterError(
                f"a {self.kind} key must look like {self.example}", f"it is {typed[:40]!r}", "Correct the key"
            ) from None

    @abstractmethod
    def _parsed(self, typed: str) -> Any:
        """The key, or a ValueError."""

    @abstractmethod
    def draw(self, language: str, rng: np.random.Generator) -> Any:
        """A key by chance, for texts in a language."""

    def describe(self, key: Any) -> str:
        """The key in a few words."""
        return self.show(key)


class SymbolCipher(Cipher):
    """A cipher whose texts are symbols of any sort."""

    @abstractmethod
    def claims(self, text: str | Sequence[str]) -> bool:
        """Whether a text whose kind nobody told must be of this one."""

    @abstractmethod
    def solve(self, text: str | Sequence[str], asked: Asked) -> Decipherment:
        """Read a text without its key."""


class LetterCipher(Cipher):
    """A cipher of letters; everything else stays where it is. A key is typed as it is.

    Attributes
    ----------
    few_keys : bool
        Whether all keys can be tried; such kinds are tried first.
    evens_out : bool
        Whether it hides how often each letter occurs, several permutations taking turns.
    covers_parts : bool
        Whether its keys over the whole alphabet include those over a part of it.
    rescored : bool
        Whether the keys that were found are judged once more under n-grams of a higher order.
    last_resort : bool
        Whether it is tried only where no other kind reads like a language, and taken only if it does.
    keeps_words : bool
        Whether spaces in the ciphertext stand between words of the plaintext.
    least_letters : int
        Letters below which it is not tried unless asked for.
    effort : float
        How long to search, where the search has a budget.
    fixed : dict
        Letters of the ciphertext whose plain letter is known, where the search can use it.
    """

    few_keys: ClassVar[bool] = False
    evens_out: ClassVar[bool] = False
    covers_parts: ClassVar[bool] = False
    rescored: ClassVar[bool] = True
    last_resort: ClassVar[bool] = False
    keeps_words: ClassVar[bool] = True
    least_letters: ClassVar[int] = 0
    effort: float = 1.0
    fixed: Mapping[str, str] = MappingProxyType({})

    @abstractmethod
    def break_(self, spelling: Spelling, model: LetterModel, rng: np.random.Generator) -> Breaking:
        """The key found without being told."""

    def rescore(
        self, breaking: Breaking, spellings: Sequence[Spelling], model: LetterModel, rng: np.random.Generator
    ) -> Breaking:
        """What was found, judged under a model of higher order."""
        return break_over_alphabets(self, spellings, model, rng)

    def settle(self, candidate: Candidate, text: Spelling, head: Spelling, model: LetterModel) -> Any:
        """The key of a candidate that was found by the head of a long text, once all of it is heard."""
        return candidate.key

    def show(self, key: Any) -> str:
        return str(key)

    def _parsed(self, typed: str) -> Any:
        return typed


class TableCipher(LetterCipher):
    """A cipher that permutes the alphabet, by one table or by several in turn."""

    @abstractmethod
    def tables(self, key: Any, alphabet: str) -> NDArray[np.int64]:
        """Permutations of the alphabet, shape (period, C); a key that does not fit is refused."""

    def encipher(self, text: str, key: Any, alphabet: str, random_state: RandomState) -> str:
        return _rewritten(text, alphabet, self.tables(key, alphabet))

    def decipher(self, text: str, key: Any, alphabet: str) -> str:
        return _rewritten(text, alphabet, np.argsort(self.tables(key, alphabet), axis=1))


def _rewritten(text: str, alphabet: str, tables: NDArray) -> str:
    spelling = Spelling.of(checked_text(text), alphabet)
    row = np.arange(len(spelling.letters)) % len(tables)
    return spelling.rewritten(tables[row, spelling.letters])


class FewKeys(TableCipher):
    """A cipher of one table a key, and so few keys that each is tried: their posterior is exact."""

    few_keys = True

    @abstractmethod
    def keys(self, alphabet: str) -> Sequence[Any]:
        """All keys."""

    def break_(self, spelling: Spelling, model: LetterModel, rng: np.random.Generator) -> Breaking:
        """Every key tried: the posterior is exact under the letter model and equally likely keys."""
        keys, readings = _all_readings(self, spelling.alphabet)
        labels = model.symbols(spelling.alphabet)[readings[:, spelling.letters]]  # (S, N)
        scores = score_readings(labels, model.text_of(spelling), model.tables)
        log_keys = float(np.log(len(keys)))
        return Breaking.of(
            keys, lambda i: readings[i, spelling.letters], scores, spelling.alphabet, log_keys=log_keys,
            key_entropy=log_keys,
        )  # fmt: skip


@lru_cache(maxsize=64)
def _all_readings(cipher: FewKeys, alphabet: str) -> tuple[Sequence[Any], NDArray[np.int64]]:
    """All keys, and what each letter is read as under each: shape (S, C)."""
    keys = cipher.keys(alphabet)
    return keys, np.argsort([cipher.tables(key, alphabet)[0] for key in keys], axis=1)
