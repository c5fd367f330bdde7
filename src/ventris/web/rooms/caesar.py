"""Room 1: a message, its letters, and the shift that makes them the language's. The other ciphers too."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, Field

from ventris import objective
from ventris.ciphers import decipher, encipher, encipher_homophonic
from ventris.ciphers.breaking import SEARCH_ORDER, break_caesar
from ventris.ciphers.ciphers import letter_cipher
from ventris.ciphers.letter_model import letter_model
from ventris.ciphers.spelling import Spelling, alphabet_of, check_letters
from ventris.datasets import available_languages
from ventris.deciphering.shifts import shift_costs
from ventris.errors import ParameterError
from ventris.storage.json_values import to_json
from ventris.web.remembered import remembered
from ventris.web.worker import Channel

Kind = Literal["caesar", "affine", "vigenere", "substitution", "homophonic"]
LONGEST = 5_000  # characters of a message; more would tell no more
_SHOWN = 400  # characters of each reading


class Message(BaseModel):
    """A text and the language it is written in."""

    text: str = Field(max_length=LONGEST)
    language: str = "en"


class Enciphering(Message):
    """A text, a cipher and its key as a person types it; without a key one is drawn."""

    kind: Kind = "caesar"
    key: str = Field(default="", max_length=200)
    seed: int = 0


class Deciphering(Message):
    """A ciphertext; `kind` and `language` may be "auto"."""

    kind: Kind | Literal["auto"] = "auto"


def languages() -> dict[str, str]:
    """Languages and their alphabets."""
    return {code: alphabet_of(code) for code in available_languages()}


@remembered(256)
def analyse(key: str) -> str:
    """What every shift of a message (its JSON) looks like beside the language, as JSON."""
    message = Message.model_validate_json(key)
    text, language = message.text, message.language
    _check_language(language)
    spelling = Spelling.of(text, alphabet_of(language))
    check_letters(spelling, language)
    size = len(spelling.alphabet)
    counts = np.bincount(spelling.letters, minlength=size)
    model = letter_model(language, SEARCH_ORDER, spelling.has_words())
    prior = model.stationary[:size] / model.stationary[:size].sum()
    ranked = break_caesar(spelling, model, np.random.default_rng(0)).candidates
    by_shift = sorted(ranked, key=lambda candidate: candidate.key)
    return to_json(
        {
            "alphabet": spelling.alphabet,
            "n_letters": len(spelling.letters),
            "prior": prior,
            "observed": counts / counts.sum(),
            "entropy": objective.entropy(prior),
            "scores": _scores(prior, counts)
            | {"sequence": [-found.score / len(spelling.letters) for found in by_shift]},
            "posterior": [found.posterior for found in by_shift],
            "best": ranked[0].key,
            "readings": readings(spelling.text[:_SHOWN], spelling.alphabet),
        }
    )


def readings(text: str, alphabet: str) -> list[str]:
    """The text under every shift, as `decipher_with` gives it, all at once.

    Examples
    --------
    >>> readings("Ifmmp!", alphabet_of("en"))[1]
    'Hello!'
    """
    capitals = alphabet.replace("ß", "ẞ").upper()  # the capital that stays one letter
    cases = alphabet + capitals
    moved = (part[-k:] + part[:-k] for k in range(len(alphabet)) for part in (alphabet, capitals))
    return [text.translate(str.maketrans(cases, low + high)) for low, high in zip(moved, moved, strict=True)]


def _scores(prior: NDArray, counts: NDArray) -> dict[str, NDArray]:
    """Cost of each shift in nats: the paper's J (E1), and the message's cross-entropy under the language."""
    size = len(prior)
    shifted = counts[(np.arange(size) + np.arange(size)[:, None]) % size]  # (shifts, letters)
    return {"J": shift_costs(prior, counts), "letters": -shifted / counts.sum() @ np.log(prior)}


def _check_language(language: str) -> None:
    if language not in available_languages():
        known = ", ".join(available_languages())
        raise ParameterError(f"language must be one of {known}", f"it is {language!r}", "Choose one")


# ------------------------------------------------------------------------------------------ enciphering


def write_cipher(asked: Enciphering) -> dict[str, Any]:
    """The ciphertext, and the key that made it."""
    _check_language(asked.language)
    rng, alphabet = np.random.default_rng(asked.seed), alphabet_of(asked.language)
    if asked.kind == "homophonic":
        key = homophonic_key(asked.language, rng)
        tokens = encipher_homophonic(asked.text, key, alphabet=alphabet, random_state=rng)
        return {"text": " ".join(tokens), "key": "54 numbers, more for the commoner letters"}
    cipher = letter_cipher(asked.kind)
    shown = asked.key.strip() or cipher.show(_drawn_key(asked.kind, alphabet, rng), alphabet)
    try:
        key = cipher.parse(shown)
    except ValueError:
        raise ParameterError(
            f"a key of kind {asked.kind} must look like {_EXAMPLES[asked.kind]}",
            f"it is {shown!r}",
            "Correct it, or leave it empty to have one drawn",
        ) from None
    return {"text": encipher(asked.text, key, kind=asked.kind, language=asked.language), "key": shown}


_EXAMPLES = {"caesar": "7", "affine": "5,8", "vigenere": "lemon", "substitution": "the alphabet in disorder"}


def _drawn_key(kind: str, alphabet: str, rng: np.random.Generator) -> Any:
    size = len(alphabet)
    letters = "".join(rng.permutation(list(alphabet)))
    coprime = [a for a in range(3, size) if np.gcd(a, size) == 1]
    return {
        "caesar": int(rng.integers(1, size)),
        "affine": (int(rng.choice(coprime)), int(rng.integers(size))),
        "vigenere": letters[: int(rng.integers(4, 8))],
        "substitution": letters,
    }[kind]


def homophonic_key(language: str, rng: np.random.Generator, n_symbols: int = 54) -> dict[str, str]:
    """Two-digit numbers for letters, more of them for the commoner ones.

    Examples
    --------
    >>> key = homophonic_key("en", np.random.default_rng(0))
    >>> len(key), sum(letter == "e" for letter in key.values()) > 3
    (54, True)
    """
    alphabet = alphabet_of(language)
    share = letter_model(language, 1, False).stationary[: len(alphabet)]
    owners = list(alphabet)  # one symbol each, the others where they even out the counts most
    while len(owners) < n_symbols:
        held = np.array([owners.count(letter) for letter in alphabet])
        owners.append(alphabet[int(np.argmax(share / held))])
    numbers = rng.permutation(100)[:n_symbols]
    return {f"{number:02d}": letter for number, letter in zip(numbers, owners, strict=True)}


# ------------------------------------------------------------------------------------------ deciphering


def run_decipher(request: dict[str, Any], channel: Channel) -> dict[str, Any]:
    """The task "decipher": any cipher, read without its key."""
    asked = Deciphering.model_validate(request)
    channel.tell("progress", message="Searching for the key…")
    found = decipher(asked.text, language=asked.language, kind=asked.kind)
    key = found.key
    if found.kind != "homophonic":
        key = letter_cipher(found.kind).show(key, found.alphabet)
    return found.as_dict() | {
        "key": key,
        "histograms": found.histograms,
        "symbols": list(found.symbols),
    }
