"""Room 1: a message, its letters, and the shift that makes them the language's. The other ciphers too."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import AfterValidator, BaseModel, Field

from ventris import objective
from ventris.callbacks import Callback, Event
from ventris.ciphers import decipher, encipher
from ventris.ciphers.arguments import checked_language
from ventris.ciphers.kinds import Caesar
from ventris.ciphers.letter_model import SEARCH_ORDER, letter_model
from ventris.ciphers.registry import cipher_of, ciphers
from ventris.ciphers.result import Decipherment
from ventris.ciphers.spelling import Spelling, alphabet_of, check_letters
from ventris.datasets import available_languages
from ventris.deciphering.shifts import shift_costs
from ventris.web.room import Answer, Recorded, Room, Task
from ventris.web.worker import Channel

LONGEST = 5_000  # characters of a message; more would tell no more
_SHOWN = 400  # characters of each reading
_TABLE = 400  # signs of a key that are shown
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
    seed: int = Field(default=0, ge=0)


class Deciphering(Message):
    """A ciphertext; `kind` and `language` may be "auto". `units` says what its signs are."""

    units: Literal["auto", "letters", "signs", "tokens", "grid"] = "auto"

    kind: Annotated[str, AfterValidator(lambda kind: kind if kind == "auto" else _kind_of(kind))] = "auto"


def presets() -> dict[str, Any]:
    """Languages and their alphabets; ciphers as the page lists them."""
    shown = ("kind", "title", "key_hint", "typed", "keeps_layout")
    return {
        "languages": {code: alphabet_of(code) for code in available_languages()},
        "ciphers": [{name: getattr(cipher, name) for name in shown} for cipher in ciphers()],
    }


def analyse(message: Message) -> dict[str, Any]:
    """What every shift of a message looks like beside the language."""
    text, language = message.text, checked_language(message.language)
    spelling = Spelling.of(text, alphabet_of(language))
    check_letters(spelling, language)
    size = len(spelling.alphabet)
    counts = np.bincount(spelling.letters, minlength=size)
    model = letter_model(language, SEARCH_ORDER, spelling.has_words())
    prior = model.stationary[:size] / model.stationary[:size].sum()
    ranked = _CAESAR.break_(spelling, model, np.random.default_rng(0)).candidates
    by_shift = sorted(ranked, key=lambda candidate: candidate.key)
    return {
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


class _Seeking(Callback):
    """Tells the best text so far whenever it has become another: letters turn readable."""

    def __init__(self, channel: Channel) -> None:
        self.channel, self.last = channel, ""

    def on_start(self, event: Event) -> None:
        """A search has ended; it may have found a better key."""
        self.channel.turn()
        if event.words != self.last:
            self.last = event.words
            self.channel.tell("frame", text=event.words[:_SHOWN], score=event.score)


def run_decipher(request: dict[str, Any], channel: Channel) -> dict[str, Any]:
    """The task "decipher": any cipher, read without its key."""
    asked = Deciphering.model_validate(request)
    channel.tell("progress", message="Searching for the key…")
    found = decipher(
        asked.text, language=asked.language, kind=asked.kind, units=asked.units, callbacks=[_Seeking(channel)]
    )
    cipher = cipher_of(found.kind)
    return found.as_dict() | {
        "key": cipher.show(found.key),
        "key_in_words": cipher.describe(found.key),
        "histograms": found.histograms,
        "symbols": list(found.symbols),
        "table": _table(found),
    }


def _table(found: Decipherment) -> list[list[str]]:
    """What each sign of the ciphertext stands for, where a key is such a table."""
    if isinstance(found.key, str) and len(found.key) == len(found.symbols):
        return [[sign, letter] for letter, sign in zip(found.symbols, found.key, strict=True)]
    if isinstance(found.key, dict):
        pairs = ((sign, letter) for letter, signs in found.key.items() for sign in signs)
        return [[str(sign), str(letter)] for sign, letter in pairs][:_TABLE]
    return []


# --------------------------------------------------------------------------------------------- the room

_PLAIN = (
    "the method learns from what follows what and nobody tells it the answer it only counts and waits until "
    "the letters it gives out follow one another as the letters of the language do and then it can read"
)


def _messages() -> list[dict[str, str]]:
    """Messages of a recorded page: one a kind, each enciphered here."""

    def of(title: str, kind: str, key: Any, text: str = _PLAIN, language: str = "en") -> dict[str, str]:
        made = encipher(text, key, kind=kind, language=language, random_state=0)
        return {"title": title, "text": made, "language": language, "kind": "auto", "units": "auto"}

    fox = {"text": "QEB NRFZH YOLTK CLU GRJMP LSBO QEB IXWV ALD", "title": "The paper’s: a Caesar shift"}
    return [
        fox | {"language": "en", "kind": "auto", "units": "auto"},
        of("A longer Caesar shift", "caesar", 11),
        of("Caesar, in German", "caesar", 7, _GERMAN, "de"),
        of("Substitution: any letter for any other", "substitution", "qwertyuiopasdfghjklzxcvbnm"),
        of("Vigenère: a word as the key", "vigenere", "cipher"),
    ]


_GERMAN = (
    "wer nur die buchstaben zählt und weiß wie oft jeder vorkommt der kann die botschaft lesen ohne schlüssel"
)

MESSAGES = _messages()

ROOM = Room(
    "caesar",
    "Caesar",
    answers=(
        Answer("/caesar/presets", presets, "Languages that are shipped, and kinds of cipher."),
        Answer("/caesar", analyse, "Letter frequencies, and the cost and reading of every shift.", Message),
        Answer("/encipher", write_cipher, "Encipher a text; without a key one is drawn.", Enciphering),
    ),
    tasks=(
        Task("/decipher", run_decipher, "Start a job that reads a ciphertext without its key.", Deciphering),
    ),
    recorded=(
        Recorded("/caesar", {}, {"text,language": [(m["text"], m["language"]) for m in MESSAGES]}),
        Recorded(
            "/decipher",
            {},
            {
                "text,language,kind,units": [
                    (m["text"], m["language"], m["kind"], m["units"]) for m in MESSAGES
                ]
            },
        ),
    ),
    choices={"messages": MESSAGES},
)
