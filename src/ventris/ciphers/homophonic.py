"""Homophonic substitution: many symbols to one letter, and symbols may be any tokens."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ventris.ciphers.arguments import checked_alphabet, checked_text
from ventris.ciphers.asked import Asked
from ventris.ciphers.breaking import Breaking, Candidate
from ventris.ciphers.cipher import RandomState, SymbolCipher
from ventris.ciphers.confidence import Signals
from ventris.ciphers.known import imposed, places_for
from ventris.ciphers.letter_model import RESCORE_ORDER, joint_table, letter_model
from ventris.ciphers.result import Decipherment
from ventris.ciphers.signs import (
    LETTERS,
    SIGNS,
    TOKENS,
    UNKNOWN,
    Signs,
    checked_symbols,
    cut_of,
    warn_of_units,
)
from ventris.ciphers.spelling import alphabet_of
from ventris.ciphers.symbol_key import Key, symbol_key
from ventris.ciphers.verdict import Read, answer, evidence_of
from ventris.ciphers.words import by_words
from ventris.data.random_state import generator_of
from ventris.datasets.letters import available_languages, fold_text
from ventris.deciphering.key_certainty import settle_labels, share_certain
from ventris.deciphering.key_score import BREAK, log_likelihood
from ventris.deciphering.key_settings import KeySettings
from ventris.deciphering.many_to_one import SearchBudget, SharedKeys, find_many_to_one
from ventris.errors import DataError, ParameterError

CRIB_PLACES = 6  # unmeasured: places of a crib, likeliest by the key found without it, that are searched
LAPS = 10  # unmeasured: turns of every sign at most, when the key that was found is settled
HEAD = 5_000  # unmeasured: signs by which a long text is judged
SPARSE = 30  # unmeasured: times a sign occurs there below which all of the text is asked
N_DRAWN = 54  # symbols of a key that is drawn, as many as the Zodiac cipher of 1969 has


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
    """Each token replaced by its letter; tokens the key does not know stay, and so do lines.

    Parameters
    ----------
    text : str or sequence of str
        In a str, white space stands between symbols of several characters; between others it is kept.
    key : mapping from symbol to letter, or from letter to the list of its symbols

    Examples
    --------
    >>> decipher_homophonic("1 2 2 1", {"1": "a", "2": "b"})
    'abba'
    """
    letters = symbol_key(key)
    if (isinstance(text, str) and not text.strip()) or not len(checked_symbols(text)):
        return ""
    spaced = isinstance(text, str) and all(len(word) == 1 for word in text.split())
    signs = Signs.of(text, TOKENS if spaced or _is_long(letters) else SIGNS)
    return signs.set(letters.get(token, token) for token in signs.tokens)


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
        """A list of signs, or a text that is not one of letters."""
        return not isinstance(text, str) or cut_of(text).units != LETTERS

    def solve(self, text: str | Sequence[str], asked: Asked) -> Decipherment:
        signs = _signs_of(text, asked)
        if len(signs.known) < RESCORE_ORDER:
            raise DataError(
                f"a homophonic text must hold at least {RESCORE_ORDER} symbols",
                f"it holds {len(signs.known)}",
                "Add more",
            )
        codes = available_languages() if asked.language == "auto" else (asked.language,)
        budget, head = asked.budget if len(codes) == 1 else asked.short(len(codes)), signs.head(HEAD)
        tried = {(self.kind, code): _broken(head, code, asked, budget, self.settings) for code in codes}
        chosen, found = max(tried.items(), key=lambda item: item[1].evidence)
        if len(codes) > 1:
            whole = _broken(head, chosen[1], asked, asked.whole(), self.settings)
            found = tried[chosen] = max(whole, found, key=lambda each: each.best.score)
        found = by_words(found, chosen[1], lambda c: head.set(_spelt(c.letters, c.alphabet)))
        result = answer(_as_read(head, chosen[1], found, evidence_of(tried)))
        return result if head is signs else _of_whole(signs, head, result, found.best.key)


def _of_whole(signs: Signs, head: Signs, result: Decipherment, key: NDArray) -> Decipherment:
    """What was found by the head of a long text, for all of it; alternatives are of the head."""
    sparse = np.flatnonzero(np.bincount(head.known, minlength=len(head.symbols)) < SPARSE)
    tables = letter_model(result.language, RESCORE_ORDER, False, books=True).tables
    settled = settle_labels(signs.codes, key, tables[-1], sparse)
    letters = [result.alphabet[i] for i in settled]
    return replace(
        result,
        key=dict(zip(signs.symbols, letters, strict=True)),
        plaintext=signs.set(letters[code] for code in signs.known),
        read=f"{signs.in_words()}, judged by the first {len(head.tokens):,}",
    )


def _signs_of(text: str | Sequence[str], asked: Asked) -> Signs:
    """The text cut as asked, or as it looks; a doubt is voiced."""
    units = asked.units
    if units is None and isinstance(text, str):
        cut = cut_of(text)
        # Of a text of letters the kind was given, or something of its key.
        units = SIGNS if cut.units == LETTERS and not asked.known else cut.units
        if cut.doubt and cut.units != LETTERS:
            warn_of_units(cut)
    return Signs.of(text, units, unknown=asked.unknown, nulls=asked.known.nulls)


def _broken(
    signs: Signs, language: str, asked: Asked, budget: SearchBudget, settings: KeySettings
) -> Breaking:
    """The likeliest keys in a language by what is known; cribs without a place are tried where they fit."""
    alphabet, table = alphabet_of(language), joint_table(language)
    allowed = asked.known.allowed(signs, alphabet)

    def search(allowed: NDArray[np.bool_], budget: SearchBudget) -> SharedKeys:
        return find_many_to_one(
            signs.codes, len(signs.symbols), table, asked.rng, budget=budget, allowed=allowed,
            watch=asked.watcher(lambda key: _spelt(key[signs.known], alphabet)), settings=settings,
        )  # fmt: skip

    found = search(allowed, budget)
    for word in asked.known.floating:
        places = places_for(word, signs, allowed, alphabet)
        if not places:
            raise DataError(
                "a crib must fit somewhere", f"{word!r} fits nowhere by what else is known", "Correct it"
            )
        masks = [imposed(allowed, signs, word, place, alphabet) for place in places]
        likely = sorted(masks, key=lambda mask: -table.score(_nearest(found.keys[0], mask), signs.codes))
        budget = replace(budget, effort=budget.effort / CRIB_PLACES)
        ends = [(search(mask, budget), mask) for mask in likely[:CRIB_PLACES]]
        found, allowed = max(ends, key=lambda end: end[0].scores[0])
    return _judged(signs, language, found, allowed)


def _nearest(key: NDArray, allowed: NDArray[np.bool_]) -> NDArray[np.int64]:
    """A key with labels that are not allowed replaced by the first that is."""
    return np.where(allowed[np.arange(len(key)), key], key, allowed.argmax(axis=1))


def _judged(signs: Signs, language: str, found: SharedKeys, allowed: NDArray[np.bool_]) -> Breaking:
    """Candidates with their evidence and confidence."""
    alphabet, model = alphabet_of(language), letter_model(language, RESCORE_ORDER, False, books=True)
    # On 216 texts of a development file this put letters right in 106 and wrong in 30: 94.4 to 94.9 %.
    settled = settle_labels(
        signs.codes, found.keys[0], model.tables[-1], np.unique(signs.known), allowed=allowed, laps=LAPS
    )
    keys = np.concatenate([settled[None], found.keys[1:]])
    log_keys = float(np.log(allowed.sum(axis=1)).sum())
    breaking = Breaking.of(
        list(keys), lambda i: keys[i, signs.known], found.scores, alphabet,
        log_keys=log_keys, key_entropy=log_keys, agreement=found.agreement,
    )  # fmt: skip
    # Which of its symbols a letter got adds Σ log p(symbol | letter): N·H(letters) and what no key changes.
    used = np.bincount(breaking.best.letters) / len(signs.known)
    chance = -len(signs.known) * float(used[used > 0] @ np.log(used[used > 0]))
    evidence = _likelihood(breaking.best, signs, language) + chance - log_keys
    signals = Signals(
        found.n_alike, evidence / len(signs.known), joint_table(language).label_entropy - model.entropy_rate,
        share_certain(signs.codes, breaking.best.key, model.tables[-1]),
    )  # fmt: skip
    return replace(
        breaking, evident=evidence, n_searches=found.n_runs, confidence=signals.confidence,
        signals=signals.as_dict(),
    )  # fmt: skip


def _likelihood(best: Candidate, signs: Signs, language: str) -> float:
    """log p of the letters that a key reads, in nats; unknown signs are breaks."""
    row = np.full(len(signs.codes), BREAK)
    row[signs.codes != UNKNOWN] = best.letters
    return float(
        log_likelihood(row[None], letter_model(language, RESCORE_ORDER, False, books=True).tables)[0]
    )


def _as_read(signs: Signs, language: str, found: Breaking, tried: dict[str, float]) -> Read:
    return Read(
        Homophonic.kind,
        replace(found, candidates=tuple(_with_symbols(c, signs) for c in found.candidates)),
        letter_model(language, RESCORE_ORDER, False, books=True),
        counts=np.bincount(signs.known),
        symbols=signs.symbols,
        spelt=lambda candidate: signs.set(_spelt(candidate.letters, candidate.alphabet)),
        score=_likelihood(found.best, signs, language) / len(signs.known),
        tried=tried,
        n_symbols=len(signs.known),
        seen=signs.in_words(),
    )


def _spelt(letters: NDArray, alphabet: str) -> str:
    return "".join(alphabet[i] for i in letters)


def _with_symbols(candidate: Candidate, signs: Signs) -> Candidate:
    """The candidate with its key as users write it: from symbol to letter."""
    letters = (candidate.alphabet[i] for i in candidate.key)
    return replace(candidate, key=dict(zip(signs.symbols, letters, strict=True)))
