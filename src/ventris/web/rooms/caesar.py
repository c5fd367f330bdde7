"""Room 1: a message, its letters, and the shift that makes them the language's. The other ciphers too."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import AfterValidator, BaseModel, Field

from ventris import objective
from ventris.ciphers import decipher, encipher
from ventris.ciphers.arguments import checked_language
from ventris.ciphers.kinds import Caesar
from ventris.ciphers.letter_model import SEARCH_ORDER, letter_model
from ventris.ciphers.registry import cipher_of, ciphers
from ventris.ciphers.spelling import Spelling, alphabet_of, check_letters
from ventris.datasets import available_languages
from ventris.deciphering.shifts import shift_costs
from ventris.storage.json_values import to_json
from ventris.web.remembered import remembered
from ventris.web.worker import Channel

LONGEST = 5_000  # characters of a message; more would tell no more
_SHOWN = 400  # characters of each reading
_CAESAR = Caesar()


def _kind_of(kind: str) -> str:
    return cipher_of(kind).kind


Kind = Annotated[str, AfterValidator(_kind_of)]


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

    kind: Annotated[str, AfterValidator(lambda kind: kind if kind == "auto" else _kind_of(kind))] = "auto"


def languages() -> dict[str, str]:
    """Languages and their alphabets."""
    return {code: alphabet_of(code) for code in available_languages()}


def kinds() -> list[dict[str, Any]]:
    """The ciphers as the page lists them."""
    shown = ("kind", "title", "key_hint", "typed", "keeps_layout")
    return [{name: getattr(cipher, name) for name in shown} for cipher in ciphers()]


@remembered(256)
def analyse(key: str) -> str:
    """What every shift of a message (its JSON) looks like beside the language, as JSON."""
    message = Message.model_validate_json(key)
    text, language = message.text, checked_language(message.language)
    spelling = Spelling.of(text, alphabet_of(language))
    check_letters(spelling, language)
    size = len(spelling.alphabet)
    counts = np.bincount(spelling.letters, minlength=size)
    model = letter_model(language, SEARCH_ORDER, spelling.has_words())
    prior = model.stationary[:size] / model.stationary[:size].sum()
    ranked = _CAESAR.break_(spelling, model, np.random.default_rng(0)).candidates
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


# ------------------------------------------------------------------------------------------ enciphering


def write_cipher(asked: Enciphering) -> dict[str, Any]:
    """The ciphertext, and the key that made it."""
    checked_language(asked.language)
    rng, cipher = np.random.default_rng(asked.seed), cipher_of(asked.kind)
    shown = asked.key.strip() or cipher.show(cipher.draw(asked.language, rng))
    key = cipher.parse(shown)
    text = encipher(asked.text, key, kind=asked.kind, language=asked.language, random_state=rng)
    return {"text": text, "key": shown}


# ------------------------------------------------------------------------------------------ deciphering


def run_decipher(request: dict[str, Any], channel: Channel) -> dict[str, Any]:
    """The task "decipher": any cipher, read without its key."""
    asked = Deciphering.model_validate(request)
    channel.tell("progress", message="Searching for the key…")
    found = decipher(asked.text, language=asked.language, kind=asked.kind)
    cipher = cipher_of(found.kind)
    return found.as_dict() | {
        "key": cipher.show(found.key),
        "key_in_words": cipher.describe(found.key),
        "histograms": found.histograms,
        "symbols": list(found.symbols),
    }
