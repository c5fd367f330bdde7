"""`vt.decipher`: the kind of cipher, the language and the key, all found by the letter model."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np

from ventris.ciphers.asked import Asked, as_budget, as_callbacks
from ventris.ciphers.breaking import Breaking, Candidate, break_over_alphabets
from ventris.ciphers.cipher import GOOD_EXCESS, LetterCipher, SymbolCipher
from ventris.ciphers.confidence import warn_if_doubtful
from ventris.ciphers.known import Known
from ventris.ciphers.letter_model import RESCORE_ORDER, SEARCH_ORDER, LetterModel, letter_model
from ventris.ciphers.own_language import given_model, learn_language
from ventris.ciphers.registry import cipher_of, ciphers, kinds
from ventris.ciphers.result import Decipherment, ShortTextWarning
from ventris.ciphers.signs import LETTERS, checked_symbols, checked_units, cut_of, warn_of_units
from ventris.ciphers.spelling import Spelling, alphabets_of, check_letters
from ventris.ciphers.syllabary import KIND as SYLLABARY
from ventris.ciphers.syllabary import is_of_many, read_syllabary
from ventris.ciphers.verdict import Read, answer, evidence_of, index_of_coincidence
from ventris.ciphers.words import by_words
from ventris.data.random_state import generator_of
from ventris.datasets.letters import available_languages
from ventris.errors import ParameterError, UnlikeAnyLanguageError

# Letters beyond those the best-fitting alphabet lacks that another may lack and still be tried: a foreign
# name in any language, and the umlauts left standing in German that was enciphered in A to Z. Unmeasured.
FEW_STRANGE, STRANGE_SHARE, PASSED_SHARE = 3, 0.02, 0.1
Spellings = dict[str, tuple[Spelling, ...]]  # by language, that in its whole alphabet first
HEAD = 25_000  # unmeasured: characters by which a long text is judged: more make no key surer
MOST_EFFORT = 20.0  # unmeasured: of kinds whose search no clock ends
NOISE_LETTERS = 100  # unmeasured: letters from which on a text may be refused as noise
JUDGED = 25  # unmeasured: symbols from which on a reading's excess says something


def decipher(
    text: str | Sequence[str],
    language: str = "auto",
    kind: str = "auto",
    *,
    lm: Any = None,
    corpus: str | os.PathLike[str] | None = None,
    units: str = "auto",
    unknown: str = "",
    fixed: Mapping[str, Any] | None = None,
    excluded: Mapping[str, Any] | None = None,
    cribs: Sequence[Any] | str = (),
    nulls: Sequence[str] | str = (),
    effort: float | None = None,
    time: float | None = None,
    n_jobs: int = 1,
    callbacks: Sequence[Any] = (),
    random_state: int | np.random.Generator | None = 0,
) -> Decipherment:
    """Read a ciphertext without its key.

    Shifts, affine ciphers and Vigenère's are tried over the language's alphabet and over that without the
    letters only it has (A to Z for German); `alphabet` of the result says which one the key belongs to:
    `decipher_with(text, r.key, kind=r.kind, language=r.language, alphabet=r.alphabet)` is `r.plaintext`.

    Parameters
    ----------
    text : str or sequence of str
        The ciphertext; a sequence is taken as the symbols of a homophonic cipher.
    language : str, default "auto"
        ISO code, or "auto" to find it. Latin, "la", is written with i for j and u for v.
    kind : str, default "auto"
        One of `ventris.ciphers.registry.kinds()`, or "auto" to find it.
    lm : NgramModel or path, optional
        A model of the letters of the plaintext's language, the space perhaps among them, in place of a
        language that is shipped. A path is an ARPA file or another label model. If its labels are longer,
        syllables say, the text is a syllabary: each sign is one of them, and no two are the same.
    corpus : str or path, optional
        A text in the language of the plaintext, or the name of a file of it, in place of a language that is
        shipped. Its words help to choose among the last candidates. Beside `lm` it gives the words alone.
    units : {"auto", "letters", "signs", "tokens", "grid"}
        What the signs of the text are: letters, between which everything else stays where it is; any single
        characters; what stands between white space; or either of these in rows of one width. Lines are kept.
    unknown : str, default ""
        A sign that nobody can read, such as "?"; it stays as it is. For texts that are not of letters.
    fixed : dict, optional
        What is known of the key: sign to letter, or letter to the list of its signs, as a homophonic key is
        written. A text of letters is then read sign by sign, several of which may be one letter; with
        kind="substitution" no two are.
    excluded : dict, optional
        Letters that a sign is not: {"%": "aeo"}.
    cribs : sequence of str or (str, int)
        Words of the plaintext, each perhaps with the number, from 0, of the sign at which it begins.
    nulls : sequence of str
        Signs that stand for nothing; they are left out.
    effort : float, optional
        How long to search for a homophonic key that does not come at once: 1, the default, is at most 3 CPU
        seconds for 408 symbols in a given language, 8 is eight times as many. Other keys end by themselves.
    time : float, optional
        Seconds by the clock after which the best so far is taken; then `effort` is unlimited if not given.
        Ctrl-C ends the search in the same way.
    n_jobs : int, default 1
        Searches at the same time, -1 for one a processor; the answer does not depend on it.
    callbacks : sequence of objects, default ()
        `on_start` is told after every search: `event.words` is the best text so far. See `ventris.callbacks`.
    random_state : int, Generator or None, default 0
        The same number gives the same answer.

    Returns
    -------
    Decipherment

    Raises
    ------
    DataError
        No letters, letters of another script, or of several.
    UnlikeAnyLanguageError
        Letters that chance explains better than any kind, key and language do, where no kind was given.

    Examples
    --------
    >>> result = decipher("QEB NRFZH YOLTK CLU GRJMP LSBO QEB IXWV ALD", language="en")
    >>> result.plaintext, result.key, result.kind
    ('THE QUICK BROWN FOX JUMPS OVER THE LAZY DOG', 23, 'caesar')
    """
    if lm is not None and is_of_many(lm := given_model(lm)):
        _check_syllabary(language, kind, corpus, excluded, cribs)
        asked = Asked(
            language, generator_of(random_state), as_budget(effort, time, n_jobs), as_callbacks(callbacks),
            checked_units(units), unknown, Known.of(nulls=nulls),
        )  # fmt: skip
        result = read_syllabary(text, lm, fixed, asked)
        _warn_if_short(result)
        warn_if_doubtful(result)
        return result
    _check_choice("kind", kind, kinds())
    if lm is not None or corpus is not None:
        language = _own(language, lm, corpus)
    else:
        _check_choice("language", language, available_languages())
    asked = Asked(
        language, generator_of(random_state), as_budget(effort, time, n_jobs), as_callbacks(callbacks),
        checked_units(units), unknown, Known.of(fixed, excluded, cribs, nulls),
    )  # fmt: skip
    if not isinstance(text, str):
        checked_symbols(text)
    cipher = _claimant(text, asked) if kind == "auto" else cipher_of(kind)
    if isinstance(cipher, SymbolCipher):
        result = cipher.solve(text, asked)
    elif not isinstance(text, str):
        raise ParameterError(
            "a list of symbols is a homophonic cipher", f"kind is {kind!r}", "Pass a str, or leave kind out"
        )
    elif asked.known and (kind != "substitution" or asked.known != Known.of(fixed)):
        raise ParameterError(
            "what is known of a key belongs to a homophonic cipher, fixed to a substitution too",
            f"kind is {kind!r}",
            "Leave kind out",
        )
    elif asked.units not in (None, LETTERS):
        raise ParameterError(
            f"texts cut into {asked.units} are homophonic", f"kind is {kind!r}", "Leave one of them out"
        )
    else:
        _warn_of_signs(text, asked)
        result = _read_letters(text, language, kind, asked)
    _warn_if_short(result)
    warn_if_doubtful(result)
    return result


def _check_syllabary(language: str, kind: str, *others: Any) -> None:
    """Refuse what belongs to letters where labels are longer."""
    if kind not in ("auto", SYLLABARY) or language != "auto" or any(len(x) for x in others if x is not None):
        raise ParameterError(
            "where the labels of lm are longer than a letter, text, units, fixed and nulls say everything",
            "kind, language, corpus, excluded or cribs came too",
            "Leave them out, or pass a model of letters",
        )


def _own(language: str, lm: Any, corpus: Any) -> str:
    """The code of a language that the user has brought."""
    if language != "auto":
        raise ParameterError(
            "lm and corpus stand in place of a language", f"language is {language!r}", "Leave it out"
        )
    return learn_language(lm, corpus)


def _warn_if_short(result: Decipherment) -> None:
    distance = result.evidence["unicity_distance"]
    if result.evidence["n_symbols"] < distance:
        others = "; ".join(f"{other.plaintext[:40]!r}" for other in result.alternatives[:3])
        warnings.warn(
            ShortTextWarning(
                f"{result.evidence['n_symbols']} symbols are fewer than the {distance:.0f} a {result.kind} "
                f"cipher needs for one reading in {result.language!r}; others are {others}"
            ),
            stacklevel=3,
        )


def _check_choice(name: str, value: str, choices: Sequence[str]) -> None:
    if not isinstance(value, str) or (value != "auto" and value not in choices):
        raise ParameterError(
            f"{name} must be 'auto' or one of {', '.join(choices)}", f"it is {value!r}", "Choose one"
        )


def _claimant(text: str | Sequence[str], asked: Asked) -> SymbolCipher | None:
    """The cipher of symbols that a text must be of; none if it may be of letters."""
    of_symbols = [cipher for cipher in ciphers() if isinstance(cipher, SymbolCipher)]
    if asked.known:
        return of_symbols[0]
    if asked.units is not None and isinstance(text, str):
        return None if asked.units == LETTERS else of_symbols[0]
    return next((cipher for cipher in of_symbols if cipher.claims(text)), None)


def _warn_of_signs(text: str, asked: Asked) -> None:
    """A text of letters may be one of signs; unless the user has said what it is."""
    cut = cut_of(text)
    if asked.units is None and cut.units == LETTERS and cut.doubt:
        warn_of_units(cut)


# ---------------------------------------------------------------------------- letters
def _read_letters(text: str, language: str, kind: str, asked: Asked) -> Decipherment:
    """Find kind, language and key by the head of the text, which is all of it unless it is long."""
    head, rng = text[:HEAD], asked.rng
    spellings = _spellings(head, available_languages() if language == "auto" else (language,))
    for code, (spelling, *_) in spellings.items():
        check_letters(spelling, code if language != "auto" else "any shipped language")
    letter_ciphers = {c.kind: _told(c, asked) for c in ciphers() if isinstance(c, LetterCipher)}
    in_turn = (
        [letter_ciphers[kind]] if kind != "auto" else _order_of_trial(letter_ciphers.values(), spellings)
    )
    tried = _try_kinds(spellings, in_turn, rng)
    chosen, code = _chosen(tried, letter_ciphers, spellings)
    if kind == "auto":
        _refuse_noise(tried, letter_ciphers, spellings)
    breaking = tried[chosen, code]
    final, model = _finish(letter_ciphers[chosen], breaking, spellings[code], code, rng)
    final = by_words(final, code, lambda c: _under(c.alphabet, spellings[code]).rewritten(c.letters))
    result = _letters_result(chosen, final, spellings[code], model, evidence_of(tried))
    return result if head == text else _of_whole(text, result, letter_ciphers[chosen], final, spellings[code])


def _told(cipher: LetterCipher, asked: Asked) -> LetterCipher:
    """A cipher that knows of its budget and of entries of its key."""
    if asked.budget.effort == 1 and not asked.known:
        return cipher
    told = copy(cipher)
    told.effort, told.fixed = min(asked.budget.effort, MOST_EFFORT), asked.known.fixed
    return told


def _of_whole(
    text: str,
    result: Decipherment,
    cipher: LetterCipher,
    breaking: Breaking,
    spellings: Sequence[Spelling],
) -> Decipherment:
    """What was found by the head of a long text, for all of it; alternatives are of the head."""
    best = breaking.best
    head, whole = _under(best.alphabet, spellings), Spelling.of(text, best.alphabet)
    order = RESCORE_ORDER if cipher.rescored else SEARCH_ORDER
    key = cipher.settle(best, whole, head, letter_model(result.language, order, _has_words(cipher, head)))
    return replace(
        result,
        key=key,
        plaintext=cipher.decipher(text, key, best.alphabet),
        read=f"{_in_words(whole)}, judged by the first {len(head.letters):,}",
    )


def _spellings(text: str, codes: Sequence[str]) -> Spellings:
    """The text in each alphabet of each language that knows nearly as many of its letters as any other does.

    One foreign name must not decide the language: letters a language lacks pass through, at a price.
    """
    all_of = {code: [Spelling.of(text, alphabet) for alphabet in alphabets_of(code)] for code in codes}
    fewest = min(whole.n_unknown for whole, *_ in all_of.values())

    def bearable(spelling: Spelling, share: float) -> bool:
        n_letters = len(spelling.letters)
        few = spelling.n_unknown - fewest <= max(FEW_STRANGE, share * n_letters)
        return few and spelling.n_unknown <= n_letters

    return {
        code: (whole, *(spelling for spelling in plain if bearable(spelling, PASSED_SHARE)))
        for code, (whole, *plain) in all_of.items()
        if whole.n_unknown == fewest or bearable(whole, STRANGE_SHARE)
    }


def _order_of_trial(of_letters: Iterable[LetterCipher], spellings: Spellings) -> list[LetterCipher]:
    """Few keys first; of the others those first that use letters as evenly, or unevenly, as the text does.

    Last resorts are tried only if they do, and if the text is long enough for them.
    """
    code, (spelling, *_) = next(iter(spellings.items()))
    prior = letter_model(code, SEARCH_ORDER, False).stationary
    even, uneven = 1.0 / len(prior), float(prior @ prior)
    is_even = index_of_coincidence(np.bincount(spelling.letters)) <= (even + uneven) / 2
    fit = [
        cipher
        for cipher in of_letters
        if not cipher.last_resort
        or (cipher.evens_out == is_even and len(spelling.letters) >= cipher.least_letters)
    ]
    return sorted(fit, key=lambda c: (c.last_resort, not c.few_keys, c.evens_out != is_even))


def _try_kinds(
    spellings: Spellings, in_turn: Sequence[LetterCipher], rng: np.random.Generator
) -> dict[tuple[str, str], Breaking]:
    """Ciphers with few keys first; once one reads like the language, those with more are not tried."""
    tried: dict[tuple[str, str], Breaking] = {}
    for cipher in in_turn:
        for code, each in spellings.items():
            model = letter_model(code, SEARCH_ORDER, _has_words(cipher, each[0]))
            tried[cipher.kind, code] = break_over_alphabets(cipher, each, model, rng)
        if any(
            _excess(found.best, spellings[code], code, cipher) < GOOD_EXCESS
            for (kind, code), found in tried.items()
            if kind == cipher.kind
        ):
            break
    return tried


def _has_words(cipher: LetterCipher, spelling: Spelling) -> bool:
    """Whether the spaces of a text are those of its plaintext."""
    return cipher.keeps_words and spelling.has_words()


def _chosen(
    tried: dict[tuple[str, str], Breaking], of_letters: dict[str, LetterCipher], spellings: Spellings
) -> tuple[str, str]:
    """The kind and language with most evidence; a last resort only if it reads like the language."""

    def counts(item: tuple[str, str]) -> bool:
        cipher = of_letters[item[0]]
        return not cipher.last_resort or (
            _excess(tried[item].best, spellings[item[1]], item[1], cipher) < GOOD_EXCESS
        )

    able = [item for item in tried if counts(item)] or list(tried)
    resorts = [item for item in able if of_letters[item[0]].last_resort]
    return max(resorts or able, key=lambda item: tried[item].evidence)


def _refuse_noise(
    tried: dict[tuple[str, str], Breaking], of_letters: dict[str, LetterCipher], spellings: Spellings
) -> None:
    """Refuse a text that chance explains better than any kind, key and language do.

    Chance draws each letter by how often the text has it, and spaces where it has them.
    """
    excess = {
        item: _excess(tried[item].best, spellings[item[1]], item[1], of_letters[item[0]]) for item in tried
    }
    (kind, code), least = min(excess.items(), key=lambda item: item[1])
    spelling = spellings[code][0]
    n_letters = len(spelling.letters)
    if n_letters < NOISE_LETTERS or least < GOOD_EXCESS:
        return
    model_text = letter_model(code, SEARCH_ORDER, spelling.has_words()).text_of(spelling)
    row = model_text.rows(model_text.symbols[None])[0]
    counts = np.unique(row[row >= 0], return_counts=True)[1]
    chance = float(counts @ np.log(counts / counts.sum())) - len(counts) / 2 * float(np.log(counts.sum()))
    best = max(found.evidence for (name, _), found in tried.items() if not of_letters[name].last_resort)
    if best < chance:
        names = ", ".join(sorted({name for name, _ in tried}))
        raise UnlikeAnyLanguageError(
            "the text must be a cipher of a language I know",
            f"it is unlike any language I know: of {names}, the best reading ({kind}, {code!r}) costs "
            f"{least:.2f} nats a letter more than the language, and the evidence for any is {best:.0f} nats, "
            f"{chance - best:.0f} less than for letters by chance",
            "Name its kind and language, or give a corpus of another",
        )


def _excess(best: Candidate, spellings: Sequence[Spelling], code: str, cipher: LetterCipher) -> float:
    """Nats a symbol above what the language itself costs; infinite where a text is too short to tell."""
    spelling = _under(best.alphabet, spellings)
    model = letter_model(code, SEARCH_ORDER, _has_words(cipher, spelling))
    length = len(spelling.layout(space=model.space))
    return -best.score / length - model.entropy_rate if length >= JUDGED else np.inf


def _under(alphabet: str, spellings: Sequence[Spelling]) -> Spelling:
    return next(spelling for spelling in spellings if spelling.alphabet == alphabet)


def _finish(
    cipher: LetterCipher,
    breaking: Breaking,
    spellings: Sequence[Spelling],
    code: str,
    rng: np.random.Generator,
) -> tuple[Breaking, LetterModel]:
    """The chosen kind once more under the highest order."""
    whole = spellings[0]
    model = letter_model(code, RESCORE_ORDER, _has_words(cipher, whole))
    if len(model.tables) < RESCORE_ORDER or len(whole.letters) < RESCORE_ORDER or not cipher.rescored:
        return breaking, letter_model(code, SEARCH_ORDER, _has_words(cipher, whole))
    return cipher.rescore(breaking, spellings, model, rng), model


def _letters_result(
    kind: str, breaking: Breaking, spellings: Sequence[Spelling], model: LetterModel, tried: dict[str, float]
) -> Decipherment:
    best = breaking.best
    spelling = _under(best.alphabet, spellings)
    length = len(spelling.layout(space=model.space))
    return answer(
        Read(
            kind,
            breaking,
            model,
            counts=np.bincount(spelling.letters, minlength=len(spelling.alphabet)),
            symbols=tuple(spelling.alphabet),
            spelt=lambda c: _under(c.alphabet, spellings).rewritten(c.letters),
            score=best.score / length,
            tried=tried,
            n_symbols=length - model.space,  # the space before the first word is not written
            n_unknown=spelling.n_unknown,
            seen=_in_words(spelling),
        )
    )


def _in_words(spelling: Spelling) -> str:
    """What was read of a text of letters."""
    n_letters, n_kinds = len(spelling.letters), len(np.unique(spelling.letters))
    others = sum(not char.isspace() for char in spelling.text) - n_letters
    spaces = "words" if spelling.has_words() else "no words"
    rest = f", {others} other characters stay as they are" if others else ""
    return f"{n_letters} letters of {n_kinds} kinds, {spaces}{rest}"
