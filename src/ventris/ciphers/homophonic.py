"""Homophonic substitution: many symbols to one letter, and symbols may be any tokens."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ventris.ciphers.arguments import checked_alphabet, checked_text
from ventris.ciphers.asked import Asked
from ventris.ciphers.breaking import Breaking, Candidate
from ventris.ciphers.cipher import RandomState, SymbolCipher
from ventris.ciphers.letter_model import RESCORE_ORDER, joint_table, letter_model
from ventris.ciphers.result import Decipherment
from ventris.ciphers.spelling import Spelling, alphabet_of
from ventris.ciphers.verdict import Read, answer, evidence_of
from ventris.data.random_state import generator_of
from ventris.datasets.letters import available_languages, fold_text
from ventris.deciphering.key_score import log_likelihood
from ventris.deciphering.key_settings import KeySettings
from ventris.deciphering.many_to_one import SearchBudget, find_many_to_one
from ventris.errors import DataError, DataTypeError, ParameterError

Key = Mapping[str, str] | Mapping[str, Sequence[str]]  # symbol to letter, or letter to its symbols
# A text is taken for one of symbols if a smaller share of its characters are letters, or if more different
# ones are in use than any alphabet has. Unmeasured.
FEW_LETTERS, MANY_SYMBOLS = 0.5, 40
N_DRAWN = 54  # symbols of a key that is drawn, as many as the Zodiac cipher of 1969 has
_FORM = "a homophonic key must be a dict from symbol to letter, or from letter to the list of its symbols"


@dataclass(frozen=True)
class Tokens:
    """A ciphertext as tokens: words if white space stands between them and they are few, else characters."""

    tokens: tuple[str, ...]
    symbols: tuple[str, ...]
    codes: NDArray[np.int64]

    @classmethod
    def of(cls, text: str | Sequence[str]) -> Tokens:
        if isinstance(text, str):
            text = text.split() if _is_spaced(text) else _characters(text)
        tokens = tuple(map(str, checked_symbols(text)))
        if not tokens:
            raise DataError(
                "the ciphertext must hold symbols", "it is empty", "Pass a text or a list of tokens"
            )
        symbols, codes = np.unique(np.array(tokens), return_inverse=True)
        return cls(tokens, tuple(map(str, symbols)), codes)


def _is_spaced(text: str) -> bool:
    """Tokens such as `17 04 93`: several characters each, and numbers more often than not."""
    words = text.split()
    return len(words) > 1 and sum(any(char.isdigit() for char in word) for word in words) > 0.5 * len(words)


def _characters(text: str) -> list[str]:
    return [char for char in text if not char.isspace()]


def checked_symbols(tokens: object) -> Sequence[Any] | NDArray:
    """The tokens of a ciphertext, if they are such."""
    if isinstance(tokens, bytes | bytearray) or not isinstance(tokens, Sequence | np.ndarray):
        got = f"it is a {type(tokens).__name__}"
        raise DataTypeError("the text must be a str or a list of symbols", got, "Pass one of these")
    if not all(isinstance(token, str | int | np.integer) for token in tokens):
        strange = next(token for token in tokens if not isinstance(token, str | int | np.integer))
        raise DataTypeError("symbols must be strings or whole numbers", f"one is {strange!r}", "Convert them")
    return tokens


def symbol_key(key: Key, alphabet: str | None = None) -> dict[str, str]:
    """A key from symbol to letter, whichever way round it came; one that cannot be read is refused.

    Parameters
    ----------
    key : mapping from symbol to letter, or from letter to the list of its symbols
    alphabet : str or None
        Letters that may occur; None for any.

    Examples
    --------
    >>> symbol_key({"a": ["17", "04"], "b": ["93"]})
    {'17': 'a', '04': 'a', '93': 'b'}
    """
    if not isinstance(key, Mapping):
        raise ParameterError(_FORM, f"it is {key!r}", "Correct the key")
    listed = [isinstance(value, list | tuple) for value in key.values()]
    if any(listed) and not all(listed):
        raise ParameterError(_FORM, "it holds both kinds of entry", "Keep to one of them")
    pairs: list[tuple[Any, Any]] = list(key.items())
    if any(listed):
        pairs = [(symbol, letter) for letter, symbols in key.items() for symbol in symbols]
    _check_pairs(pairs, alphabet)
    return {symbol: letter.lower() for symbol, letter in pairs}


def _check_pairs(pairs: list[tuple[Any, Any]], alphabet: str | None) -> None:
    """Refuse symbols that are none or stand for several letters, and letters that are not of the alphabet."""
    odd = [symbol for symbol, _ in pairs if not isinstance(symbol, str) or not symbol]
    strange = sorted({repr(letter) for _, letter in pairs if not _is_letter(letter, alphabet)})
    held = Counter(symbol for symbol, _ in pairs if isinstance(symbol, str))
    twice = [symbol for symbol, count in held.items() if count > 1]
    faults = [
        *(f"it holds the symbol {symbol!r}, which is no str with characters" for symbol in odd),
        *(f"{symbol!r} stands for several" for symbol in twice),
        *([f"it maps some to {', '.join(strange)}"] if strange else []),
        *([] if pairs else ["it is empty"]),
    ]
    if faults:
        letters = f"; letters are single ones{f' of {alphabet}' if alphabet else ''}"
        raise ParameterError(_FORM + letters, faults[0], "Correct the key")


def _is_letter(letter: Any, alphabet: str | None) -> bool:
    if not isinstance(letter, str) or len(letter) != 1:
        return False
    return letter.lower() in alphabet if alphabet else letter.isalpha()


def written_key(key: Key, alphabet: str) -> dict[str, str]:
    """A key from symbol to letter whose symbols can stand in a text."""
    symbols = symbol_key(key, alphabet)
    spaced = [symbol for symbol in symbols if any(char.isspace() for char in symbol)]
    if spaced:
        got = f"{spaced[0]!r} has some"
        raise ParameterError("symbols in a text must be without white space", got, "Rename them")
    return symbols


def joined(tokens: Sequence[str], key: Mapping[str, str]) -> str:
    """Tokens as one text, from which `decipher_homophonic` can tell them with the key."""
    return (" " if _is_long(key) else "").join(tokens)


def _is_long(key: Mapping[str, str]) -> bool:
    return any(len(symbol) > 1 for symbol in key)


def encipher_homophonic(
    text: str, key: Key, *, alphabet: str, random_state: int | np.random.Generator | None = None
) -> list[str]:
    """Each letter replaced by one of its symbols, at random; everything else is left out.

    Parameters
    ----------
    text : str
    key : mapping from symbol to letter, or from letter to the list of its symbols
    alphabet : str
    random_state : int, Generator or None

    Examples
    --------
    >>> encipher_homophonic("Abba", {"1": "a", "2": "b"}, alphabet="ab")
    ['1', '2', '2', '1']
    """
    rng, alphabet = generator_of(random_state), checked_alphabet("en", alphabet)
    homophones: dict[str, list[str]] = {}
    for symbol, letter in symbol_key(key, alphabet).items():
        homophones.setdefault(letter, []).append(symbol)
    plain = [char for char in fold_text(checked_text(text), alphabet) if char in alphabet]
    silent = sorted(set(plain) - set(homophones))
    if silent:
        raise ParameterError(
            "the key must have a symbol for every letter of the text",
            f"it has none for {', '.join(silent)}",
            "Add them",
        )
    return [homophones[char][rng.integers(len(homophones[char]))] for char in plain]


def decipher_homophonic(text: str | Sequence[str], key: Key) -> str:
    """Each token replaced by its letter; tokens the key does not know stay.

    Parameters
    ----------
    text : str or sequence of str
        In a str, white space stands between symbols of several characters, and may between others.
    key : mapping from symbol to letter, or from letter to the list of its symbols

    Examples
    --------
    >>> decipher_homophonic("1 2 2 1", {"1": "a", "2": "b"})
    'abba'
    """
    letters = symbol_key(key)
    if isinstance(text, str):
        text = text.split() if _is_long(letters) else _characters(text)
    return "".join(letters.get(str(token), str(token)) for token in checked_symbols(text))


# ---------------------------------------------------------------------------- without the key
class Homophonic(SymbolCipher):
    """Each letter becomes one of its symbols, and everything else is left out.

    Examples
    --------
    >>> Homophonic().encipher("Abba!", {"a": ["17"], "b": ["93"]}, "ab", 0)
    '17 93 93 17'
    """

    kind, title = "homophonic", "Homophonic: numbers for letters"
    key_hint, example = "always drawn", '{"a": ["17", "04"], "b": ["93"]}'
    typed = keeps_layout = False

    def encipher(self, text: str, key: Any, alphabet: str, random_state: RandomState) -> str:
        symbols = written_key(key, alphabet)
        tokens = encipher_homophonic(text, symbols, alphabet=alphabet, random_state=random_state)
        return joined(tokens, symbols)

    def decipher(self, text: str, key: Any, alphabet: str) -> str:
        return decipher_homophonic(text, written_key(key, alphabet))

    def show(self, key: Key) -> str:
        return json.dumps(key, ensure_ascii=False)

    def _parsed(self, typed: str) -> Any:
        return json.loads(typed)

    def describe(self, key: Key) -> str:
        return f"{len(key)} symbols"

    def draw(self, language: str, rng: np.random.Generator) -> dict[str, str]:
        """Two-digit numbers for letters, more of them for the commoner ones."""
        alphabet = alphabet_of(language)
        share = letter_model(language, 1, False).stationary[: len(alphabet)]
        owners = list(alphabet)  # one symbol each, the others where they even out the counts most
        while len(owners) < N_DRAWN:
            held = np.array([owners.count(letter) for letter in alphabet])
            owners.append(alphabet[int(np.argmax(share / held))])
        numbers = rng.permutation(100)[:N_DRAWN]
        return {f"{number:02d}": letter for number, letter in zip(numbers, owners, strict=True)}

    def claims(self, text: str | Sequence[str]) -> bool:
        """Tokens; or characters that are mostly no letters; or more than any alphabet has, and no words."""
        if not isinstance(text, str):
            return True
        visible = _characters(text)
        letters = sum(char.isalpha() for char in visible)
        if visible and letters < FEW_LETTERS * len(visible):
            return letters > 0 or any(char.isdigit() for char in visible)
        return not Spelling.of(text, alphabet_of("en")).has_words() and len(set(visible)) > MANY_SYMBOLS

    def solve(self, text: str | Sequence[str], asked: Asked) -> Decipherment:
        tokens = Tokens.of(text)
        if len(tokens.tokens) < RESCORE_ORDER:
            raise DataError(
                f"a homophonic text must hold at least {RESCORE_ORDER} symbols",
                f"it holds {len(tokens.tokens)}",
                "Add more",
            )
        codes = available_languages() if asked.language == "auto" else (asked.language,)
        budget = asked.budget if len(codes) == 1 else asked.short(len(codes))
        tried = {(self.kind, code): _broken(tokens, code, asked, budget, self.settings) for code in codes}
        chosen, found = max(tried.items(), key=lambda item: item[1].evidence)
        if len(codes) > 1:
            whole = _broken(tokens, chosen[1], asked, asked.whole(), self.settings)
            found = tried[chosen] = max(whole, found, key=lambda each: each.best.score)
        return answer(_as_read(tokens, chosen[1], found, evidence_of(tried)))


def _broken(
    tokens: Tokens, language: str, asked: Asked, budget: SearchBudget, settings: KeySettings
) -> Breaking:
    alphabet, n_symbols = alphabet_of(language), len(tokens.symbols)
    found = find_many_to_one(
        tokens.codes, n_symbols, joint_table(language), asked.rng, budget=budget,
        watch=asked.watcher(lambda key: _spelt(key[tokens.codes], alphabet)), settings=settings,
    )  # fmt: skip
    log_keys = n_symbols * float(np.log(len(alphabet)))
    breaking = Breaking.of(
        list(found.keys), found.keys[:, tokens.codes], found.scores, alphabet,
        log_keys=log_keys, key_entropy=log_keys, agreement=found.agreement,
    )  # fmt: skip
    # Which of its symbols a letter got adds Σ log p(symbol | letter): N·H(letters) and what no key changes.
    used = np.bincount(breaking.best.letters) / len(tokens.codes)
    entropy = -float(used[used > 0] @ np.log(used[used > 0]))
    chance = len(tokens.codes) * entropy
    return replace(
        breaking, evident=_likelihood(breaking, language) + chance - log_keys, n_searches=found.n_runs
    )


def _likelihood(breaking: Breaking, language: str) -> float:
    """log p of the letters that the best key reads, in nats."""
    tables = letter_model(language, RESCORE_ORDER, False, books=True).tables
    return float(log_likelihood(breaking.best.letters[None], tables)[0])


def _as_read(tokens: Tokens, language: str, found: Breaking, tried: dict[str, float]) -> Read:
    n_tokens = len(tokens.tokens)
    return Read(
        Homophonic.kind,
        replace(found, candidates=tuple(_with_symbols(c, tokens) for c in found.candidates)),
        letter_model(language, RESCORE_ORDER, False, books=True),
        counts=np.bincount(tokens.codes),
        symbols=tokens.symbols,
        spelt=lambda candidate: _spelt(candidate.letters, candidate.alphabet),
        score=_likelihood(found, language) / n_tokens,
        tried=tried,
        n_symbols=n_tokens,
    )


def _spelt(letters: NDArray, alphabet: str) -> str:
    return "".join(alphabet[i] for i in letters)


def _with_symbols(candidate: Candidate, tokens: Tokens) -> Candidate:
    """The candidate with its key as users write it: from symbol to letter."""
    letters = (candidate.alphabet[i] for i in candidate.key)
    return replace(candidate, key=dict(zip(tokens.symbols, letters, strict=True)))
