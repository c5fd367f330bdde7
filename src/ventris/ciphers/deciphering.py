"""`vt.decipher`: the kind of cipher, the language and the key, all found by the letter model."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ventris.ciphers.arguments import checked_generator
from ventris.ciphers.breaking import (
    RESCORE_ORDER,
    SEARCH_ORDER,
    Breaking,
    Candidate,
    break_homophonic,
    break_over_alphabets,
    rescore_substitution,
)
from ventris.ciphers.ciphers import KINDS
from ventris.ciphers.homophonic import Tokens, checked_symbols
from ventris.ciphers.letter_model import LetterModel, letter_model
from ventris.ciphers.result import Alternative, Decipherment, ShortTextWarning
from ventris.ciphers.spelling import Spelling, alphabet_of, alphabets_of, check_letters
from ventris.datasets.letters import available_languages
from ventris.errors import DataError, ParameterError

Kind = Literal["auto", "caesar", "affine", "vigenere", "substitution", "homophonic"]
N_ALTERNATIVES = 5
# Letters beyond those the best-fitting alphabet lacks that another may lack and still be tried: a foreign
# name in any language, and the umlauts left standing in German that was enciphered in A to Z.
FEW_STRANGE, STRANGE_SHARE, PASSED_SHARE = 3, 0.02, 0.1
Spellings = dict[str, tuple[Spelling, ...]]  # by language, that in its whole alphabet first
GOOD_EXCESS = 0.7  # nats a symbol above the entropy of the language: a reading this good needs no other kind


def decipher(
    text: str | Sequence[str],
    language: str = "auto",
    kind: Kind | str = "auto",
    *,
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
        ISO code, or "auto" to find it.
    kind : {"auto", "caesar", "affine", "vigenere", "substitution", "homophonic"}
    random_state : int, Generator or None, default 0
        The same number gives the same answer.

    Returns
    -------
    Decipherment

    Raises
    ------
    DataError
        No letters, letters of another script, or of several.

    Examples
    --------
    >>> result = decipher("QEB NRFZH YOLTK CLU GRJMP LSBO QEB IXWV ALD", language="en")
    >>> result.plaintext, result.key, result.kind
    ('THE QUICK BROWN FOX JUMPS OVER THE LAZY DOG', 23, 'caesar')
    """
    _check_choice("kind", kind, KINDS)
    _check_choice("language", language, available_languages())
    rng = checked_generator(random_state)
    if kind == "homophonic" or _looks_homophonic(text, kind):
        result = _read_symbols(text, language, rng)
    else:
        result = _read_letters(str(text), language, kind, rng)
    distance = result.evidence["unicity_distance"]
    if result.evidence["n_symbols"] < distance:
        others = "; ".join(f"{other.plaintext[:40]!r}" for other in result.alternatives[:3])
        warnings.warn(
            ShortTextWarning(
                f"{result.evidence['n_symbols']} symbols are fewer than the {distance:.0f} a {result.kind} "
                f"cipher needs for one reading in {result.language!r}; others are {others}"
            ),
            stacklevel=2,
        )
    return result


def _check_choice(name: str, value: str, known: Sequence[str]) -> None:
    if not isinstance(value, str) or (value != "auto" and value not in known):
        raise ParameterError(
            f"{name} must be 'auto' or one of {', '.join(known)}", f"it is {value!r}", "Choose one"
        )


def index_of_coincidence(counts: NDArray) -> float:
    """Chance that two symbols drawn from the text are equal: 1/C for an even use of C symbols.

    Examples
    --------
    >>> index_of_coincidence(np.array([2, 2]))
    0.3333333333333333
    """
    n = counts.sum()
    return float(np.sum(counts * (counts - 1.0)) / (n * (n - 1.0))) if n > 1 else 0.0


# ---------------------------------------------------------------------------- letters
def _read_letters(text: str, language: str, kind: str, rng: np.random.Generator) -> Decipherment:
    spellings = _spellings(text, available_languages() if language == "auto" else (language,))
    for code, (spelling, *_) in spellings.items():
        check_letters(spelling, code if language != "auto" else "any shipped language")
    kinds = _order_of_trial(spellings) if kind == "auto" else [kind]
    tried = _try_kinds(spellings, kinds, rng)
    (chosen, code), breaking = max(tried.items(), key=lambda item: item[1].evidence)
    final, model = _finish(chosen, breaking, spellings[code], code, rng)
    evidences = {f"{name}/{lang}": round(found.evidence, 3) for (name, lang), found in tried.items()}
    return _letters_result(chosen, final, spellings[code], model, evidences)


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


def _order_of_trial(spellings: Spellings) -> list[str]:
    """Few keys first; an uneven use of letters speaks for a substitution, an even one for Vigenère."""
    code, (spelling, *_) = next(iter(spellings.items()))
    prior = letter_model(code, SEARCH_ORDER, False).stationary
    even, uneven = 1.0 / len(prior), float(prior @ prior)
    observed = index_of_coincidence(np.bincount(spelling.letters))
    last = ["substitution", "vigenere"] if observed > (even + uneven) / 2 else ["vigenere", "substitution"]
    return ["caesar", "affine", *last]


def _try_kinds(
    spellings: Spellings, kinds: list[str], rng: np.random.Generator
) -> dict[tuple[str, str], Breaking]:
    """Ciphers with few keys first; once one reads like the language, those with more are not tried."""
    tried: dict[tuple[str, str], Breaking] = {}
    for name in kinds:
        for code, each in spellings.items():
            model = letter_model(code, SEARCH_ORDER, each[0].has_words())
            tried[name, code] = break_over_alphabets(name, each, model, rng)
        if any(
            _excess(found.best, spellings[code], code) < GOOD_EXCESS for (_, code), found in tried.items()
        ):
            break
    return tried


def _excess(best: Candidate, spellings: Sequence[Spelling], code: str) -> float:
    """Nats a symbol above what the language itself costs; infinite where a text is too short to tell."""
    spelling = _under(best.alphabet, spellings)
    model = letter_model(code, SEARCH_ORDER, spelling.has_words())
    length = len(spelling.layout(space=model.space))
    return -best.score / length - model.entropy_rate if length >= 25 else np.inf


def _under(alphabet: str, spellings: Sequence[Spelling]) -> Spelling:
    return next(spelling for spelling in spellings if spelling.alphabet == alphabet)


def _finish(
    kind: str, breaking: Breaking, spellings: Sequence[Spelling], code: str, rng: np.random.Generator
) -> tuple[Breaking, LetterModel]:
    """The chosen kind once more under the highest order."""
    whole = spellings[0]
    model = letter_model(code, RESCORE_ORDER, whole.has_words())
    if len(model.tables) < RESCORE_ORDER or len(whole.letters) < RESCORE_ORDER or kind == "vigenere":
        return breaking, letter_model(code, SEARCH_ORDER, whole.has_words())
    if kind == "substitution":
        return rescore_substitution(breaking, whole, model, rng), model
    return break_over_alphabets(kind, spellings, model, rng), model


def _share(evidences: NDArray) -> float:
    """Probability of the best among kinds and languages that were equally likely before."""
    return float(1.0 / np.exp(evidences - evidences.max()).sum())


def _letters_result(
    kind: str,
    breaking: Breaking,
    spellings: Sequence[Spelling],
    model: LetterModel,
    tried: dict[str, float],
) -> Decipherment:
    spelling = _under(breaking.best.alphabet, spellings)
    counts = np.bincount(spelling.letters, minlength=len(spelling.alphabet))
    length = len(spelling.layout(space=model.space))
    evidence = _evidence(breaking, model, counts, tried, breaking.best.score / length)
    # The space before the first word is not written.
    evidence |= {"n_symbols": length - model.space, "unknown_letters": spelling.n_unknown}

    def spelt(candidate: Candidate) -> str:
        return _under(candidate.alphabet, spellings).rewritten(candidate.letters)

    return _assemble(kind, breaking, model, spelt, evidence, counts, tuple(spelling.alphabet))


def _evidence(
    breaking: Breaking, model: LetterModel, counts: NDArray, tried: dict[str, float], score: float
) -> dict[str, Any]:
    """What the answer rests on; `score` is the log-likelihood a symbol."""
    n_letters = int(counts.sum())
    return {
        "index_of_coincidence": index_of_coincidence(counts),
        "excess_cost": -score - model.entropy_rate,
        "tried": tried,
        "agreement": breaking.agreement,
        "unicity_distance": breaking.key_entropy / (float(np.log(model.n_symbols)) - model.entropy_rate),
        "n_symbols": n_letters,
        "n_letters": n_letters,
        "unknown_letters": 0,
        "spaces": model.space,
        "alphabet": alphabet_of(model.language),
    }


def _assemble(
    kind: str,
    breaking: Breaking,
    model: LetterModel,
    spelt: Callable[[Candidate], str],
    evidence: dict[str, Any],
    counts: NDArray,
    symbols: tuple[str, ...],
) -> Decipherment:
    best = breaking.best
    others = breaking.candidates[1 : N_ALTERNATIVES + 1]
    settled = min(1.0, 3 * breaking.agreement)  # a third of the searches at one key is as good as all
    share = _share(np.array(list(evidence["tried"].values())))
    return Decipherment(
        plaintext=spelt(best),
        key=best.key,
        kind=kind,
        language=model.language,
        alphabet=best.alphabet,
        confidence=best.posterior * settled * share,
        alternatives=tuple(Alternative(spelt(c), c.key, c.posterior, c.alphabet) for c in others),
        evidence=evidence,
        histograms=_histograms(model, counts, model.symbols(best.alphabet)[best.letters]),
        symbols=symbols,
    )


def _histograms(model: LetterModel, counts: NDArray, letters: NDArray) -> dict[str, NDArray[np.float64]]:
    prior = model.stationary[: model.n_letters]
    plain = np.bincount(letters, minlength=model.n_letters)
    shares = {"prior": prior, "ciphertext": counts, "plaintext": plain}
    return {name: share / share.sum() for name, share in shares.items()}


# ---------------------------------------------------------------------------- symbols
def _looks_homophonic(text: str | Sequence[str], kind: str) -> bool:
    """Tokens; or characters that are mostly no letters; or more than any alphabet has, and no words."""
    if not isinstance(text, str):
        return _are_symbols(text, kind)
    if kind != "auto":
        return False
    visible = [char for char in text if not char.isspace()]
    letters = sum(char.isalpha() for char in visible)
    if visible and letters < 0.5 * len(visible):
        return letters > 0 or any(char.isdigit() for char in visible)
    return not Spelling.of(text, alphabet_of("en")).has_words() and len(set(visible)) > 40


def _are_symbols(tokens: Sequence[str], kind: str) -> bool:
    checked_symbols(tokens)
    if kind != "auto":
        raise ParameterError(
            "a list of symbols is a homophonic cipher", f"kind is {kind!r}", "Pass a str, or leave kind out"
        )
    return True


def _read_symbols(text: str | Sequence[str], language: str, rng: np.random.Generator) -> Decipherment:
    tokens = Tokens.of(text)
    if len(tokens.tokens) < RESCORE_ORDER:
        raise DataError(
            f"a homophonic text must hold at least {RESCORE_ORDER} symbols",
            f"it holds {len(tokens.tokens)}",
            "Add more",
        )
    codes = available_languages() if language == "auto" else (language,)
    found = {code: break_homophonic(tokens.codes, len(tokens.symbols), code, rng) for code in codes}
    code, breaking = max(found.items(), key=lambda item: item[1].evidence)
    model, alphabet = letter_model(code, RESCORE_ORDER, False), alphabet_of(code)
    tried = {f"homophonic/{name}": round(each.evidence, 3) for name, each in found.items()}
    counts = np.bincount(tokens.codes)
    score = float(model.log_likelihood(breaking.best.letters[None])[0]) / len(tokens.tokens)
    evidence = _evidence(breaking, model, counts, tried, score)
    named = replace(breaking, candidates=tuple(_with_symbols(c, tokens) for c in breaking.candidates))

    def spelt(candidate: Candidate) -> str:
        return "".join(alphabet[i] for i in candidate.letters)

    return _assemble("homophonic", named, model, spelt, evidence, counts, tokens.symbols)


def _with_symbols(candidate: Candidate, tokens: Tokens) -> Candidate:
    """The candidate with its key as users write it: from symbol to letter."""
    letters = (candidate.alphabet[i] for i in candidate.key)
    return replace(candidate, key=dict(zip(tokens.symbols, letters, strict=True)))
