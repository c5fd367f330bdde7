"""`vt.decipher`: the kind of cipher, the language and the key, all found by the letter model."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ventris.ciphers.breaking import (
    BREAKERS,
    RESCORE_ORDER,
    SEARCH_ORDER,
    Breaking,
    Candidate,
    break_homophonic,
    rescore_substitution,
)
from ventris.ciphers.homophonic import Tokens
from ventris.ciphers.letter_model import LetterModel, letter_model
from ventris.ciphers.result import Alternative, Decipherment, ShortTextWarning
from ventris.ciphers.spelling import Spelling, alphabet_of, check_letters
from ventris.datasets.letters import available_languages
from ventris.errors import DataError, ParameterError

Kind = Literal["auto", "caesar", "affine", "vigenere", "substitution", "homophonic"]
KINDS = ("caesar", "affine", "vigenere", "substitution", "homophonic")
N_ALTERNATIVES = 5
GOOD_EXCESS = 0.7  # nats a symbol above the entropy of the language: a reading this good needs no other kind


def decipher(
    text: str | Sequence[str],
    language: str = "auto",
    kind: Kind | str = "auto",
    *,
    random_state: int | np.random.Generator | None = 0,
) -> Decipherment:
    """Read a ciphertext without its key.

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
    rng = np.random.default_rng(random_state)
    if kind == "homophonic" or (kind == "auto" and _looks_homophonic(text)):
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
    if value != "auto" and value not in known:
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
    codes = available_languages() if language == "auto" else (language,)
    spellings = {code: Spelling.of(text, alphabet_of(code)) for code in codes}
    fewest = min(spelling.n_unknown for spelling in spellings.values())
    spellings = {code: spelling for code, spelling in spellings.items() if spelling.n_unknown == fewest}
    for code, spelling in spellings.items():
        check_letters(spelling, code if language != "auto" else "any shipped language")
    kinds = _order_of_trial(spellings) if kind == "auto" else [kind]
    tried = _try_kinds(spellings, kinds, rng)
    (chosen, code), breaking = max(tried.items(), key=lambda item: item[1].evidence)
    spelling = spellings[code]
    final, model = _finish(chosen, breaking, spelling, code, rng)
    evidences = {f"{name}/{lang}": round(found.evidence, 3) for (name, lang), found in tried.items()}
    return _letters_result(chosen, final, spelling, model, evidences)


def _order_of_trial(spellings: dict[str, Spelling]) -> list[str]:
    """Few keys first; an uneven use of letters speaks for a substitution, an even one for Vigenère."""
    code, spelling = next(iter(spellings.items()))
    prior = letter_model(code, SEARCH_ORDER, False).stationary
    even, uneven = 1.0 / len(prior), float(prior @ prior)
    observed = index_of_coincidence(np.bincount(spelling.letters))
    last = ["substitution", "vigenere"] if observed > (even + uneven) / 2 else ["vigenere", "substitution"]
    return ["caesar", "affine", *last]


def _try_kinds(
    spellings: dict[str, Spelling], kinds: list[str], rng: np.random.Generator
) -> dict[tuple[str, str], Breaking]:
    """Ciphers with few keys first; once one reads like the language, those with more are not tried."""
    tried: dict[tuple[str, str], Breaking] = {}
    for name in kinds:
        for code, spelling in spellings.items():
            model = letter_model(code, SEARCH_ORDER, spelling.has_words())
            tried[name, code] = BREAKERS[name](spelling, model, rng)
        if any(
            _excess(found.best, spellings[code], code) < GOOD_EXCESS for (_, code), found in tried.items()
        ):
            break
    return tried


def _excess(best: Candidate, spelling: Spelling, code: str) -> float:
    """Nats a symbol above what the language itself costs; infinite where a text is too short to tell."""
    model = letter_model(code, SEARCH_ORDER, spelling.has_words())
    length = len(spelling.layout(space=model.space))
    return -best.score / length - model.entropy_rate if length >= 25 else np.inf


def _finish(
    kind: str, breaking: Breaking, spelling: Spelling, code: str, rng: np.random.Generator
) -> tuple[Breaking, LetterModel]:
    """The chosen kind once more under the highest order."""
    model = letter_model(code, RESCORE_ORDER, spelling.has_words())
    if len(model.tables) < RESCORE_ORDER or len(spelling.letters) < RESCORE_ORDER or kind == "vigenere":
        return breaking, letter_model(code, SEARCH_ORDER, spelling.has_words())
    if kind == "substitution":
        return rescore_substitution(breaking, spelling, model, rng), model
    return BREAKERS[kind](spelling, model, rng), model


def _share(evidences: NDArray) -> float:
    """Probability of the best among kinds and languages that were equally likely before."""
    return float(1.0 / np.exp(evidences - evidences.max()).sum())


def _letters_result(
    kind: str, breaking: Breaking, spelling: Spelling, model: LetterModel, tried: dict[str, float]
) -> Decipherment:
    counts = np.bincount(spelling.letters, minlength=len(spelling.alphabet))
    length = len(spelling.layout(space=model.space))
    evidence = _evidence(breaking, model, counts, tried, breaking.best.score / length)
    # The space before the first word is not written.
    evidence |= {"n_symbols": length - model.space, "unknown_letters": spelling.n_unknown}
    key = breaking.best.key
    return _assemble(
        kind, key, breaking, model, spelling.rewritten, evidence, counts, tuple(spelling.alphabet)
    )


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
    key: Any,
    breaking: Breaking,
    model: LetterModel,
    spelt: Callable[[NDArray], str],
    evidence: dict[str, Any],
    counts: NDArray,
    symbols: tuple[str, ...],
) -> Decipherment:
    others = breaking.candidates[1 : N_ALTERNATIVES + 1]
    settled = min(1.0, 3 * breaking.agreement)  # a third of the searches at one key is as good as all
    share = _share(np.array(list(evidence["tried"].values())))
    return Decipherment(
        plaintext=spelt(breaking.best.letters),
        key=key,
        kind=kind,
        language=model.language,
        confidence=breaking.best.posterior * settled * share,
        alternatives=tuple(Alternative(spelt(c.letters), str(c.key), c.posterior) for c in others),
        evidence=evidence,
        histograms=_histograms(model, counts, breaking.best.letters),
        symbols=symbols,
    )


def _histograms(model: LetterModel, counts: NDArray, letters: NDArray) -> dict[str, NDArray[np.float64]]:
    prior = model.stationary[: model.n_letters]
    plain = np.bincount(letters, minlength=model.n_letters)
    shares = {"prior": prior, "ciphertext": counts, "plaintext": plain}
    return {name: share / share.sum() for name, share in shares.items()}


# ---------------------------------------------------------------------------- symbols
def _looks_homophonic(text: str | Sequence[str]) -> bool:
    """Tokens; or characters that are mostly no letters; or more than any alphabet has, and no words."""
    if not isinstance(text, str):
        return True
    visible = [char for char in text if not char.isspace()]
    letters = sum(char.isalpha() for char in visible)
    if visible and letters < 0.5 * len(visible):
        return letters > 0 or any(char.isdigit() for char in visible)
    return not Spelling.of(text, alphabet_of("en")).has_words() and len(set(visible)) > 40


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
    key = {symbol: alphabet[i] for symbol, i in zip(tokens.symbols, breaking.best.key, strict=True)}

    def spelt(letters: NDArray) -> str:
        return "".join(alphabet[i] for i in letters)

    return _assemble("homophonic", key, breaking, model, spelt, evidence, counts, tokens.symbols)
