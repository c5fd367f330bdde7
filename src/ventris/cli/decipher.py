"""`ventris decipher` and `encipher`: the text to standard output, everything else to standard error."""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from ventris.callbacks import Callback, Event
from ventris.ciphers.registry import kinds  # names alone: it imports nothing heavy
from ventris.cli.options import Force, Quiet, Source
from ventris.cli.output import check_target
from ventris.cli.text_files import STANDARD_INPUT, print_text, read_text

if TYPE_CHECKING:
    from ventris.ciphers.result import Decipherment

    Kind = str
    KeyedKind = str
    Units = str
else:  # types made as the program runs, which only the parser of the command line can read
    Kind, KeyedKind = Literal["auto", *kinds()], Literal[*kinds()]
    Units = Literal["auto", "letters", "signs", "tokens", "grid"]

SAY_EVERY, SHOWN = 2.0, 70  # seconds between two lines of progress, and letters of the text in one


def decipher(
    *files: Source,
    kind: Kind = "auto",
    language: str = "auto",
    key: str | None = None,
    alphabet: str | None = None,
    as_json: Annotated[bool, Parameter(name="--json", negative="")] = False,
    plot: Path | None = None,
    force: Force = False,
    lm: Path | None = None,
    corpus: Path | None = None,
    units: Units = "auto",
    unknown: str = "",
    fixed: str | None = None,
    excluded: str | None = None,
    crib: Annotated[list[str] | None, Parameter(negative="")] = None,
    nulls: str = "",
    encoding: str | None = None,
    effort: float | None = None,
    time: float | None = None,
    jobs: int = -1,
    quiet: Quiet = False,
    seed: int = 0,
) -> None:
    """Read a ciphertext, with its key or without.

    Example: ventris decipher message.txt --plot match.png

    Parameters
    ----------
    files
        A text file, or - for standard input; several with --json, which gives a line of it for each.
    kind
        Kind of cipher; "auto" finds it.
    language
        ISO code of the plaintext's language; "auto" finds it, or is en where the key is given.
    key
        The key, if it is known, as `encipher` takes it. Then kind must be given too.
    alphabet
        The letters in their order that the key belongs to, if not those of the language.
    as_json
        Write key, confidence, alternatives and evidence as JSON instead of the plaintext alone.
    plot
        Draw the three steps (prior, ciphertext, match) into this file: .png, .pdf, .svg and others.
    lm
        A label model of the letters, an ARPA file say, in place of a language: see ventris lm build. If its
        labels are longer, syllables say, each sign of the text is one of them.
    corpus
        A text in the language of the plaintext, UTF-8, in place of a language.
    units
        What the signs of the text are: letters; signs, one a character; tokens between white space; or a
        grid, rows of either. It is found by default.
    unknown
        A sign that nobody can read, such as ?.
    fixed
        What is known of the key, as JSON or a file of it: {"%": "e"}, or {"e": ["%", "8"]}. The key of an
        answer (--json) will do, once what is wrong is taken out.
    excluded
        Letters that signs are not, as JSON or a file of it: {"%": "aeo"}.
    crib
        A word of the plaintext, or kill@12: it begins at sign 12, counted from 0. It may be given again.
    nulls
        Signs that stand for nothing: characters, or several with white space between.
    encoding
        Of the file, such as latin-1; UTF-8 by default, or UTF-16 if the file begins with its mark.
    effort
        How long to search for a homophonic key: 1 is at most 3 CPU seconds for 408 symbols in a given
        language, 8 eight times as many.
    time
        Seconds after which the best so far is taken. Ctrl-C does the same.
    jobs
        Searches at the same time, -1 for one a processor; the answer does not depend on it.
    seed
        Seed of the search; the same one gives the same answer.
    """
    if plot is not None:
        _check_plot(plot, force, key)
    how: dict[str, Any] = {"effort": effort, "time": time, "n_jobs": jobs}
    how |= {"callbacks": [] if quiet else [BestSoFar()]}
    how |= {"units": units, "unknown": unknown, "lm": lm, "corpus": corpus}
    how |= {"fixed": _json(fixed, "--fixed"), "excluded": _json(excluded, "--excluded")}
    how |= {"cribs": [_crib(each) for each in crib or ()], "nulls": _signs(nulls)}

    def found(file: Path) -> tuple[str, dict[str, Any], Decipherment | None]:
        text = read_text(file, encoding)
        if key is not None:
            spoken = "en" if language == "auto" else language
            return text, _with_key(text, key, kind, spoken, alphabet), None
        result, doubts = _found(text, language, kind, seed, alphabet, how)
        _report(result, doubts)
        return text, result.as_dict() | ({"doubts": doubts} if len(files) > 1 else {}), result

    if len(files) > 1:
        _one_by_one(files, found, as_json, plot)
        return
    text, answer, result = found(files[0] if files else STANDARD_INPUT)
    _give(text, answer, as_json)
    if plot is not None and result is not None:  # last, so that a figure that fails costs no plaintext
        _draw(result, plot, force)


def _json(given: str | None, option: str) -> Any:
    """What an option holds: JSON, or the name of a file of it."""
    from ventris.errors import ParameterError

    if given is None:
        return None
    try:
        return json.loads(
            given if given.lstrip().startswith("{") else Path(given).read_text(encoding="utf-8")
        )
    except (OSError, ValueError) as error:
        raise ParameterError(
            f'{option} must be JSON such as {{"%": "e"}}, or the name of a file of it',
            f"{given[:40]!r} cannot be read ({error})",
            "Correct it",
        ) from None


def _crib(given: str) -> tuple[str, int | None]:
    """A word, and the place that @ may give it."""
    word, at, place = given.rpartition("@")
    return (word, int(place)) if at and place.isdigit() else (given, None)


def _signs(given: str) -> list[str]:
    """Signs with white space between, or single ones without."""
    return given.split() if len(given.split()) > 1 else list(given.strip())


def _one_by_one(
    files: tuple[Path, ...],
    found: Callable[[Path], tuple[str, dict[str, Any], Decipherment | None]],
    as_json: bool,
    plot: Path | None,
) -> None:
    """A line of JSON for each file; one that cannot be read costs no other, but the exit status."""
    from ventris.errors import ParameterError, VentrisError

    if not as_json or plot is not None:
        got = "there is --plot" if plot is not None else "there is no --json"
        raise ParameterError("several files are read with --json, and without --plot", got, "Say so")
    failed = 0
    for file in files:
        print(f"file {file}", file=sys.stderr)
        try:
            answer = found(file)[1]
        except VentrisError as error:
            print(f"error: {error}", file=sys.stderr)
            answer, failed = {"error": str(error)}, failed + 1
        print_text(json.dumps({"file": str(file)} | answer, ensure_ascii=False) + "\n")
    if failed:
        sys.exit(1)


def encipher(
    file: Source = STANDARD_INPUT,
    *,
    kind: KeyedKind,
    key: str,
    language: str = "en",
    alphabet: str | None = None,
    seed: int = 0,
) -> None:
    """Encipher a text; what is no letter of the language stays as it is (homophonic leaves it out).

    Example: echo Attack at dawn | ventris encipher --kind vigenere --key lemon

    Parameters
    ----------
    file
        A text file, or - for standard input.
    kind
        Kind of cipher.
    key
        As the kind writes it: 23, or 5,8, or lemon, or an alphabet. One of many symbols is JSON, or a file of
        it, with the symbols of each letter: {"a": ["17", "04"], "b": ["93"], …}.
    language
        ISO code of the language whose alphabet is used.
    alphabet
        The letters in their order, if not those of the language: a to z for German, say.
    seed
        Which of its symbols a letter gets, for homophonic.
    """
    from ventris.ciphers.registry import cipher_of
    from ventris.ciphers.with_key import encipher as turn

    text = read_text(file)
    cipher = turn(
        text, _parsed(kind, key), kind=kind, language=language, alphabet=alphabet, random_state=seed
    )
    print_text(cipher if cipher_of(kind).keeps_layout else _ended(cipher, text))


class BestSoFar(Callback):
    """The best text so far on standard error, now and then, while a search takes its time."""

    def __init__(self) -> None:
        self._said = monotonic()

    def on_start(self, event: Event) -> None:
        """A search has ended."""
        if monotonic() - self._said >= SAY_EVERY:
            self._said = monotonic()
            print(f"search {event.number}: {event.words[:SHOWN]}", file=sys.stderr, flush=True)


def _found(
    text: str, language: str, kind: str, seed: int, alphabet: str | None, how: dict[str, Any]
) -> tuple[Decipherment, list[str]]:
    """What deciphering without a key gives, and its doubts."""
    from ventris.ciphers.solve import decipher as find
    from ventris.errors import ParameterError

    if alphabet is not None:
        raise ParameterError("--alphabet belongs to a key", "there is no --key", "Give both, or neither")
    with warnings.catch_warnings(record=True) as doubts:
        warnings.simplefilter("always")
        result = find(text, language, kind, random_state=seed, **how)
    return result, [str(doubt.message) for doubt in doubts]


def _with_key(text: str, key: str, kind: str, language: str, alphabet: str | None) -> dict[str, Any]:
    """Plaintext and key, as they are given without a key to go by."""
    from ventris.ciphers.arguments import checked_alphabet
    from ventris.ciphers.with_key import decipher_with

    parsed = _parsed(kind, key)
    plaintext = decipher_with(text, parsed, kind=kind, language=language, alphabet=alphabet)
    letters = checked_alphabet(language, alphabet)
    return {"plaintext": plaintext, "key": parsed, "kind": kind, "language": language, "alphabet": letters}


def _parsed(kind: str, key: str) -> Any:
    """The key as its cipher takes it; one that nobody types may be in a file."""
    from ventris.ciphers.registry import cipher_of
    from ventris.errors import ParameterError

    cipher = cipher_of(kind)
    if not cipher.typed and not key.lstrip().startswith("{"):
        try:
            key = Path(key).read_text(encoding="utf-8")
        except (OSError, ValueError) as error:
            raise ParameterError(
                f"a {kind} key must be JSON such as {cipher.example}, or the name of a file",
                f"{key[:40]!r} cannot be read ({error})",
                "Correct the key",
            ) from None
    return cipher.parse(key)


def _give(text: str, result: dict[str, Any], as_json: bool) -> None:
    """The plaintext, or everything as JSON."""
    from ventris.ciphers.registry import cipher_of

    if as_json:
        print_text(json.dumps(result, ensure_ascii=False, indent=1) + "\n")
    else:
        plaintext = result["plaintext"]
        print_text(plaintext if cipher_of(result["kind"]).keeps_layout else _ended(plaintext, text))


def _ended(symbols: str, text: str) -> str:
    """Symbols have no line ends: that of the text they were made from."""
    return symbols + ("\n" if text.endswith("\n") else "")


def _report(result: Decipherment, doubts: list[str]) -> None:
    from ventris.ciphers.registry import cipher_of
    from ventris.ciphers.spelling import alphabet_of
    from ventris.ciphers.syllabary import KIND as SYLLABARY

    key = cipher_of(result.kind).describe(result.key)
    print(f"read {result.read}", file=sys.stderr)
    print(f"kind {result.kind}, language {result.language}, key {key}", file=sys.stderr)
    if result.kind != SYLLABARY and result.alphabet != alphabet_of(result.language):
        print(f"alphabet {result.alphabet}", file=sys.stderr)
    print(f"confidence {result.confidence:.3f}", file=sys.stderr)
    for doubt in doubts:
        print(f"doubt: {doubt}", file=sys.stderr)
    if doubts or result.confidence < 0.9:
        for other in result.alternatives:
            print(f"or: {other.plaintext.strip()[:70]} ({other.probability:.3f})", file=sys.stderr)


def _check_plot(path: Path, force: bool, key: str | None) -> None:
    """Refuse, before any work is done, a figure that could not be drawn after it."""
    from ventris.errors import ParameterError
    from ventris.figures.canvas import figure_format

    if key is not None:
        raise ParameterError("--plot shows how a key was found", "--key gives it", "Leave one of them out")
    figure_format(path)
    check_target(path, force)


def _draw(result: Decipherment, path: Path, force: bool) -> None:
    from ventris.figures.canvas import save_figure

    save_figure(result.figure(), path, force=force)
    print(f"The figure is in {path}.", file=sys.stderr)
