"""`ventris correct`: the corrected text to standard output, everything else to standard error."""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from ventris.callbacks import Callback, Event
from ventris.cli.options import Force, Quiet, Source
from ventris.cli.output import check_target, say
from ventris.cli.text_files import STANDARD_INPUT, print_text, read_text

if TYPE_CHECKING:
    from ventris.spelling.result import Correction

SAY_EVERY = 2.0  # seconds between two lines of progress
Flag = Parameter(negative="")


def correct(
    *files: Source,
    language: str = "en",
    lm: Path | None = None,
    corpus: Path | None = None,
    out: Annotated[Path | None, Parameter(name=["--out", "-o"])] = None,
    diff: Annotated[bool, Flag] = False,
    as_json: Annotated[bool, Parameter(name="--json", negative="")] = False,
    threshold: float = 0.5,
    keep: str | None = None,
    all_words: Annotated[bool, Flag] = False,
    substitutions_only: Annotated[bool, Flag] = False,
    save: Path | None = None,
    noise: Path | None = None,
    plot: Path | None = None,
    encoding: str | None = None,
    force: Force = False,
    quiet: Quiet = False,
) -> None:
    """Correct a text; what its noise is like is learnt from the text itself.

    Example: echo I saw thr old man and thr sea | ventris correct --diff

    Parameters
    ----------
    files
        Text files, or - for standard input. Several need --json, --diff or a folder to go to (-o).
    language
        ISO code. en, de, fr, es, it and pt know words and accents; el, la, nl and ru letters alone.
    lm
        A label model of letters and the space, in place of a language: see ventris lm build.
    corpus
        A text in the language, UTF-8, in place of it: old spelling, a dialect, a trade.
    out
        The file that the text goes to, or a folder for several; standard output by default.
    diff
        Show the changes alone, as a unified diff.
    as_json
        Write text, changes with their probabilities and noise as JSON, a line for each of several files.
    threshold
        Probability that a change must have.
    keep
        A regular expression: words it is found in are left alone.
    all_words
        Correct words with a capital or a digit too, which are left alone where they are unknown.
    substitutions_only
        Letters are only changed: none was added or lost, nor a space.
    save
        Keep the noise that was learnt in this file, for the next text of the same source.
    noise
        Noise that --save kept; then none is learnt.
    plot
        Draw the noise on a keyboard into this file: .png, .pdf, .svg and others.
    encoding
        Of the files, such as latin-1; UTF-8 by default, or UTF-16 if a file begins with its mark.
    """
    given = files or (STANDARD_INPUT,)
    _check_targets(given, out, save, plot, force, diff or as_json)
    how: dict[str, Any] = {"lm": lm, "corpus": corpus, "channel": noise, "edits": not substitutions_only}
    how |= {"threshold": threshold, "keep": keep, "names": not all_words}
    how |= {"callbacks": [] if quiet else [Rounds()]}
    failed = 0
    for file in given:
        failed += not _one(file, given, language, how, encoding, out, diff, as_json, force, save, plot)
    if failed:
        sys.exit(1)


def _one(
    file: Path,
    given: tuple[Path, ...],
    language: str,
    how: dict[str, Any],
    encoding: str | None,
    out: Path | None,
    diff: bool,
    as_json: bool,
    force: bool,
    save: Path | None,
    plot: Path | None,
) -> bool:
    """Correct one file; one of several that cannot be read costs no other."""
    from ventris.errors import DataError, VentrisError

    several = len(given) > 1
    try:
        found = _corrected(read_text(file, encoding), language, how)
    except VentrisError as error:
        if not several or not isinstance(error, DataError):
            raise
        say(f"{file}: {error}")
        if as_json:
            print_text(json.dumps({"file": str(file), "error": str(error)}, ensure_ascii=False) + "\n")
        return False
    _report(found, file if several else None)
    if as_json:
        answer = ({"file": str(file)} if several else {}) | found.as_dict()
        print_text(json.dumps(answer, ensure_ascii=False, indent=None if several else 1) + "\n")
    elif diff:
        print_text(found.diff(str(file)))
    elif out is None:
        print_text(found.text)
    if out is not None:
        _write_file(out / file.name if several else out, found.text, encoding, force)
    if save is not None:
        found.channel.save(save, force=force)
        say(f"The noise is in {save}.")
    if plot is not None:
        from ventris.figures.canvas import save_figure

        save_figure(found.figure(), plot, force=force)
        say(f"The figure is in {plot}.")
    return True


class Rounds(Callback):
    """A line on standard error now and then, while it takes its time."""

    def __init__(self) -> None:
        self._said = monotonic()

    def on_step_end(self, event: Event) -> None:
        """A round or a stretch has ended."""
        if monotonic() - self._said >= SAY_EVERY:
            self._said = monotonic()
            print(f"{event.step}: {event.words}", file=sys.stderr, flush=True)


def _corrected(text: str, language: str, how: dict[str, Any]) -> Correction:
    from ventris.spelling.correct import correct as find

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # doubts are said in `_report`
        return find(text, language, **how)


def _report(found: Correction, file: Path | None) -> None:
    """What was done, on standard error."""
    name = "" if file is None else f"{file}: "
    for doubt in found.doubts:
        say(f"{name}{doubt} The text is unchanged.")
    if not found.doubts:
        rates = ", ".join(f"{what} {rate:.2%}" for what, rate in found.channel.rates.items() if rate >= 5e-5)
        say(
            f"{name}{len(found.changes):,} changes; {found.confidence:.2%} of letters expected right; "
            f"noise: {rates or 'none'}"
        )


def _write_file(path: Path, text: str, encoding: str | None, force: bool) -> None:
    from ventris.storage.files import atomic_path

    with atomic_path(path, force=force) as temporary:
        temporary.write_bytes(text.encode(encoding or "utf-8"))


def _check_targets(
    given: tuple[Path, ...], out: Path | None, save: Path | None, plot: Path | None, force: bool, shown: bool
) -> None:
    """Refuse, before any work is done, what could not be written after it."""
    from ventris.errors import ParameterError
    from ventris.storage.files import make_folder

    several = len(given) > 1
    if several and out is None and not shown:
        raise ParameterError(
            "several texts need a folder to go to", "there is none", "Give one with -o, or --diff, or --json"
        )
    if several and (save is not None or plot is not None):
        raise ParameterError(
            "--save and --plot are for one text", f"there are {len(given)}", "Join them, or take the longest"
        )
    if out is not None and several:
        make_folder(out)
    targets = [out / file.name for file in given] if out is not None and several else [out]
    for path in (*targets, save, plot):
        if path is not None:
            check_target(path, force)
    if plot is not None:
        from ventris.figures.canvas import figure_format

        figure_format(plot)
