"""`ventris decipher` and `encipher`: the text to standard output, everything else to standard error."""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from ventris.cli.options import Force, Source

if TYPE_CHECKING:
    from ventris.ciphers.result import Decipherment

STANDARD_INPUT = Path("-")
Kind = Literal["auto", "caesar", "affine", "vigenere", "substitution", "homophonic"]
LetterKind = Literal["caesar", "affine", "vigenere", "substitution"]


def decipher(
    file: Source = STANDARD_INPUT,
    *,
    kind: Kind = "auto",
    language: str = "auto",
    key: str | None = None,
    as_json: Annotated[bool, Parameter(name="--json", negative="")] = False,
    plot: Path | None = None,
    force: Force = False,
    seed: int = 0,
) -> None:
    """Read a ciphertext, with its key or without.

    Example: ventris decipher message.txt --plot match.png

    Parameters
    ----------
    file
        A text file, or - for standard input.
    kind
        Kind of cipher; "auto" finds it.
    language
        ISO code of the plaintext's language; "auto" finds it.
    key
        The key, if it is known: 23, or 5,8, or lemon, or an alphabet. Then kind must be given too.
    as_json
        Write key, confidence, alternatives and evidence as JSON instead of the plaintext alone.
    plot
        Draw the three steps (prior, ciphertext, match) into this file.
    seed
        Seed of the search; the same one gives the same answer.
    """
    from ventris.ciphers.deciphering import decipher as find

    text = _read(file)
    if key is not None:
        _write(_with_key(text, key, kind, language))
        return
    with warnings.catch_warnings(record=True) as doubts:
        warnings.simplefilter("always")
        result = find(text, language, kind, random_state=seed)
    _report(result, [str(doubt.message) for doubt in doubts])
    if plot is not None:
        _draw(result, plot, force)
    _write(json.dumps(result.as_dict(), ensure_ascii=False, indent=1) + "\n" if as_json else result.plaintext)


def encipher(file: Source = STANDARD_INPUT, *, kind: LetterKind, key: str, language: str = "en") -> None:
    """Encipher a text; what is no letter of the language stays as it is.

    Example: echo Attack at dawn | ventris encipher --kind vigenere --key lemon

    Parameters
    ----------
    file
        A text file, or - for standard input.
    kind
        Kind of cipher.
    key
        23 for caesar, 5,8 for affine, a word for vigenere, an alphabet for substitution.
    language
        ISO code of the language whose alphabet is used.
    """
    from ventris.ciphers.ciphers import encipher as turn

    _write(turn(_read(file), _parsed(kind, key), kind=kind, language=language))


def _with_key(text: str, key: str, kind: str, language: str) -> str:
    from ventris.ciphers.ciphers import decipher_with

    return decipher_with(
        text, _parsed(kind, key), kind=kind, language="en" if language == "auto" else language
    )


def _parsed(kind: str, key: str) -> Any:
    from ventris.ciphers.ciphers import letter_cipher
    from ventris.errors import ParameterError

    cipher = letter_cipher(kind)
    try:
        return cipher.parse(key)
    except ValueError:
        raise ParameterError(
            f"a key for {kind} must be whole numbers",
            f"it is {key!r}",
            "Write it as 23, or as 5,8 for affine",
        ) from None


def _read(file: Path) -> str:
    from ventris.errors import DataError

    try:
        return sys.stdin.read() if file == STANDARD_INPUT else file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(
            f"{file} must be a text file in UTF-8", str(error), "Check its name and encoding"
        ) from None


def _write(text: str) -> None:
    sys.stdout.write(text if text.endswith("\n") else text + "\n")


def _report(result: Decipherment, doubts: list[str]) -> None:
    from ventris.ciphers.ciphers import LETTER_CIPHERS

    letters = result.kind in LETTER_CIPHERS
    key = LETTER_CIPHERS[result.kind].show(result.key, "") if letters else f"{len(result.key)} symbols"
    print(f"kind {result.kind}, language {result.language}, key {key}", file=sys.stderr)
    print(f"confidence {result.confidence:.3f}", file=sys.stderr)
    for doubt in doubts:
        print(f"doubt: {doubt}", file=sys.stderr)
    if doubts or result.confidence < 0.9:
        for other in result.alternatives:
            print(f"or: {other.plaintext.strip()[:70]} ({other.probability:.3f})", file=sys.stderr)


def _draw(result: Decipherment, path: Path, force: bool) -> None:
    from ventris.figures.canvas import save_figure

    save_figure(result.figure(), path, force=force)
    print(f"The figure is in {path}.", file=sys.stderr)
